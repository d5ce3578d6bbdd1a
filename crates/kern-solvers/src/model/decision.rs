//! The learned function under every model.

use crate::{Error, Report};
use faer::{ColRef, Mat, MatRef};
use kern_core::{Points, Scalar};

/// values + b, with an intercept per column. The results are checked, since features may be large
/// far from the training points and a sum of finite values may overflow.
pub(crate) fn with_intercepts<T: Scalar>(
    mut values: Mat<T>,
    intercepts: &[T],
) -> Result<Mat<T>, Error> {
    for (col, (column, &b)) in values.col_iter_mut().zip(intercepts).enumerate() {
        for (row, value) in column.iter_mut().enumerate() {
            if b != T::ZERO {
                *value += b;
            }
            if !value.is_finite_number() {
                let given = value.to_f64();
                return Err(kern_gram::Error::ProductNotFinite { row, col, given }.into());
            }
        }
    }
    Ok(values)
}

/// The number of outputs of a learned function, independent of the kind of points. It is used to
/// check deserialized models.
pub trait Arity {
    /// The number of outputs.
    fn arity(&self) -> usize;
}

/// Rejects coefficients and intercepts that are non-finite or differ in number.
pub(crate) fn check_numbers<T: Scalar>(
    coefficients: MatRef<'_, T>,
    intercepts: &[T],
) -> Result<(), Error> {
    if coefficients.ncols() != intercepts.len() {
        let (name, allowed) = ("the number of intercepts", "that of the outputs");
        return Err(Error::Count { name, given: intercepts.len(), allowed });
    }
    let numbers = coefficients.col_iter().flat_map(ColRef::iter).chain(intercepts);
    match numbers.enumerate().find(|(_, number)| !number.is_finite_number()) {
        Some((index, given)) => Err(Error::Coefficient { index, given: given.to_f64() }),
        None => Ok(()),
    }
}

/// A learned function f: 𝒳 → R^outputs.
pub trait Decision<P: Points>: Send + Sync {
    /// The number of outputs.
    fn outputs(&self) -> usize;

    /// f(x_i) for all points: row i, one column per output.
    ///
    /// # Complexity
    /// Evaluated in blocks: memory beyond the result is one tile per thread.
    ///
    /// # Errors
    /// If the points do not match the training points, or a value is not finite.
    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;

    /// Rejects non-finite coefficients, for functions with coefficients.
    #[doc(hidden)]
    fn check_numbers(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The learned function and its report if all values are finite: an overflow during the fit is an
/// error rather than a model.
pub(crate) fn learned<P: Points, D: Decision<P>>(
    (function, report): (D, Report),
) -> Result<(D, Report), Error> {
    function.check_numbers()?;
    report.check()?;
    Ok((function, report))
}
