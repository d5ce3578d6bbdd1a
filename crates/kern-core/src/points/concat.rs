//! Collections that grow: what learning from a stream needs.

use super::{Points, Samples};
use crate::memory::zero_vec;
use crate::{Error, Scalar};

/// Collections that can be put one after the other.
///
/// # Examples
/// ```
/// use kern_core::{Concat, Points, Samples};
/// let x = Samples::from_rows(&[[0.0, 1.0]])?.concat(&Samples::from_rows(&[[2.0, 3.0]])?)?;
/// assert_eq!((x.len(), x.item(1)), (2, [2.0, 3.0].as_slice()));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection that others can be appended to",
    note = "implement `Concat` for it: learning from a stream keeps points of all its parts"
)]
pub trait Concat: Points + Sized {
    /// The points of `self`, then those of `other`.
    ///
    /// # Errors
    /// As [`Points::check_compatible`], and [`Error::Allocation`].
    fn concat(&self, other: &Self) -> Result<Self, Error>;
}

impl<S: Clone + Send + Sync> Concat for Vec<S> {
    fn concat(&self, other: &Self) -> Result<Self, Error> {
        Ok(self.iter().chain(other).cloned().collect())
    }
}

impl<T: Scalar> Concat for Samples<T> {
    fn concat(&self, other: &Self) -> Result<Self, Error> {
        self.check_compatible(other)?;
        let (first, second) = (self.as_slice(), other.as_slice());
        let mut values = zero_vec(first.len() + second.len())?;
        values[..first.len()].copy_from_slice(first);
        values[first.len()..].copy_from_slice(second);
        Self::from_row_major(self.dim(), values)
    }
}
