//! Views: operators made from other operators by [`GramExt`](crate::GramExt).
//!
//! A view holds an operator, or a reference to one, and allocates at most O(n) values and some
//! blocks of columns. Errors refer to entries of the operator in which they were found.

mod centered;
mod scaling;
mod submatrix;
mod sums_and_products;

pub use centered::Centered;
pub use scaling::{Conjugated, Scaled};
pub use submatrix::{Selected, Submatrix};
pub use sums_and_products::{PlusDiagonal, SchurProduct, Sum};

use crate::{Error, GramOperator};
use kern_core::Scalar;

/// Checks that the operators have the same size.
fn check_sizes<T, A, B>(left: &A, right: &B) -> Result<(), Error>
where
    T: Scalar,
    A: GramOperator<T>,
    B: GramOperator<T>,
{
    let (n, other) = (left.size(), right.size());
    Error::check_shape("the other operator", (n, n), (other, other))
}
