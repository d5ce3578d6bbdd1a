//! The reach of neighbours, as types: it says whether there may be none, and so what an answer is.

use super::search::Extent;
use crate::Error;

/// The k nearest points, of which there is always one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest;

/// All points within a threshold, of which there may be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within;

/// The reach of neighbours: [`Nearest`] or [`Within`]. Sealed.
///
/// # Examples
/// ```
/// use kern_solvers::knn::{Nearest, Reach, Within};
/// let all: <Nearest as Reach>::Answer<bool, Vec<bool>> = vec![true];
/// let some: <Within as Reach>::Answer<bool, Vec<bool>> = vec![Some(true), None];
/// assert_eq!(some[0], Some(all[0]));
/// ```
pub trait Reach: sealed::Sealed + Copy + Send + Sync {
    /// The answers to some queries: all of them, or one or none for each.
    type Answer<One, All>;

    #[doc(hidden)]
    fn admits(extent: Extent) -> Result<(), Error>;

    #[doc(hidden)]
    fn gather<One, All>(
        found: Vec<Option<One>>,
        gather: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<Self::Answer<One, All>, Error>;
}

impl Reach for Nearest {
    type Answer<One, All> = All;

    fn admits(extent: Extent) -> Result<(), Error> {
        match extent {
            Extent::Neighbors(_) => Ok(()),
            Extent::Threshold(_) => {
                Err(Error::Reach { expected: "so many nearest ones", given: "all in a threshold" })
            }
        }
    }

    fn gather<One, All>(
        found: Vec<Option<One>>,
        gather: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<All, Error> {
        gather(found.into_iter().flatten().collect())
    }
}

impl Reach for Within {
    type Answer<One, All> = Vec<Option<One>>;

    fn admits(extent: Extent) -> Result<(), Error> {
        match extent {
            Extent::Threshold(_) => Ok(()),
            Extent::Neighbors(_) => {
                Err(Error::Reach { expected: "all in a threshold", given: "so many nearest ones" })
            }
        }
    }

    fn gather<One, All>(
        found: Vec<Option<One>>,
        _: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<Vec<Option<One>>, Error> {
        Ok(found)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Nearest {}
    impl Sealed for super::Within {}
}
