//! The learned function under every model.

use crate::Error;
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use kern_gram::{CrossOperator, zeros};

/// values += b, a number per column.
pub(crate) fn add_intercepts<T: Scalar>(values: &mut Mat<T>, intercepts: &[T]) {
    for (column, &b) in values.col_iter_mut().zip(intercepts) {
        if b != T::ZERO {
            column.iter_mut().for_each(|value| *value += b);
        }
    }
}

/// The values Kᵩₓa + b of functions of which the kernel values between queries and the points of the fit are given:
/// queries × functions.
pub(crate) fn decide_on_cross<T: Scalar>(
    cross: &dyn CrossOperator<T>,
    coefficients: MatRef<'_, T>,
    intercepts: &[T],
) -> Result<Mat<T>, Error> {
    let mut values = zeros(cross.shape().0, intercepts.len())?;
    cross.apply_into(coefficients, values.as_mut())?;
    add_intercepts(&mut values, intercepts);
    Ok(values)
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
}
