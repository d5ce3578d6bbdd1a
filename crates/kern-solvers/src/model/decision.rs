//! The learned function under every model.

use crate::{Error, Report};
use faer::{ColRef, Mat, MatRef};
use kern_core::{Points, Scalar};

/// values + b, a number per column, which are answers only if they are finite: features may be large where nobody has
/// fitted, and a sum of finite numbers may overflow.
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

/// The number of outputs of a learned function, whatever points it is asked about: what models that are read are
/// checked by.
pub trait Arity {
    /// The number of outputs.
    fn arity(&self) -> usize;
}

/// Refuses coefficients and intercepts that are not finite, or not as many as one another.
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
    /// Streams in blocks: memory beyond the result is that of one tile per thread.
    ///
    /// # Errors
    /// If the points do not fit those of the fit, or a value is not finite.
    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;

    /// Refuses coefficients that are not finite, for functions that have any.
    #[doc(hidden)]
    fn check_numbers(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The function that a fit has learned, and its report, if all of their numbers are finite: what overflows on the way is an
/// error, and not a model.
pub(crate) fn learned<P: Points, D: Decision<P>>(
    (function, report): (D, Report),
) -> Result<(D, Report), Error> {
    function.check_numbers()?;
    report.check()?;
    Ok((function, report))
}
