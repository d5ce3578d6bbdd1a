//! The values of a hyper-parameter that a search tries.

use crate::Error;
use kern_core::Finite;
use kern_core::parameters::Setting;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The greatest number of values on an axis: nobody waits for more fits.
const MOST: usize = 1_000_000;

/// The values of a hyper-parameter that a search tries: a list, or a range.
///
/// A grid takes all of a list and the points of a range, both ends included; a random search draws from the list, or
/// anywhere in the range.
///
/// # Examples
/// ```
/// use kern_core::parameters::Setting;
/// use kern_solvers::search::Axis;
/// assert_eq!(Axis::log(0.25, 4.0, 3).points()?, [0.25, 1.0, 4.0].map(Setting::Real));
/// assert_eq!(Axis::from([3_usize, 5]).points()?, [3, 5].map(Setting::Count));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Axis {
    /// These values.
    List(Vec<Setting>),
    /// Numbers of a range.
    Range(Range),
}

/// Numbers between two others, at equal distances or in equal proportions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The least number.
    pub least: f64,
    /// The greatest number.
    pub greatest: f64,
    /// The number of points of a grid.
    pub count: usize,
    /// True for equal proportions: the logarithm is the scale.
    pub log: bool,
}

impl<S: Into<Setting>> From<Vec<S>> for Axis {
    fn from(list: Vec<S>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<S: Into<Setting>, const N: usize> From<[S; N]> for Axis {
    fn from(list: [S; N]) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl Axis {
    /// `count` numbers from `least` to `greatest`, each the same multiple of the one before.
    #[must_use]
    pub const fn log(least: f64, greatest: f64, count: usize) -> Self {
        Self::Range(Range { least, greatest, count, log: true })
    }

    /// `count` numbers from `least` to `greatest` at equal distances.
    #[must_use]
    pub const fn linear(least: f64, greatest: f64, count: usize) -> Self {
        Self::Range(Range { least, greatest, count, log: false })
    }

    /// The points of a grid on this axis.
    ///
    /// # Errors
    /// [`Error::Count`] for none, or more than 10⁶; [`Error::Core`] for the ends of a range that are not finite, the wrong
    /// way round, or not positive where the scale is logarithmic.
    pub fn points(&self) -> Result<Vec<Setting>, Error> {
        self.check()?;
        Ok(match self {
            Self::List(list) => list.clone(),
            Self::Range(range) => (0..range.count).map(|i| range.point(i)).collect(),
        })
    }

    /// One value, drawn uniformly from the list, or from the scale of the range.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Setting {
        match self {
            Self::List(list) => list[rng.random_range(0..list.len())].clone(),
            Self::Range(range) => Setting::Real(range.at(rng.random())),
        }
    }

    /// As [`points`](Axis::points), without them.
    pub(super) fn check(&self) -> Result<(), Error> {
        let given = match self {
            Self::List(list) => list.len(),
            Self::Range(range) => {
                range.check()?;
                range.count
            }
        };
        match given {
            1..=MOST => Ok(()),
            _ => {
                let (name, allowed) = ("the number of values", "from 1 to 1000000");
                Err(Error::Count { name, given, allowed })
            }
        }
    }
}

impl Range {
    fn check(&self) -> Result<(), Error> {
        let least = Finite::new("the least value of a range", self.least)?.get();
        let greatest = Finite::new("the greatest value of a range", self.greatest)?.get();
        let refused =
            |name, given, allowed| Err(kern_core::Error::Parameter { name, given, allowed }.into());
        if self.log && least <= 0.0 {
            return refused("the least value of a logarithmic range", least, "greater than 0");
        }
        if least > greatest {
            return refused("the greatest value of a range", greatest, "at least the least one");
        }
        Ok(())
    }

    /// A point of the grid; the ends are exact.
    fn point(&self, i: usize) -> Setting {
        let last = self.count - 1;
        Setting::Real(match i {
            0 => self.least,
            _ if i == last => self.greatest,
            _ => self.at(i as f64 / last as f64),
        })
    }

    /// The number at this share of the scale.
    fn at(&self, share: f64) -> f64 {
        let between = |a: f64, b: f64| (1.0 - share) * a + share * b;
        if self.log {
            // Powers of ten stay what they are.
            10.0_f64.powf(between(self.least.log10(), self.greatest.log10()))
        } else {
            between(self.least, self.greatest)
        }
    }
}
