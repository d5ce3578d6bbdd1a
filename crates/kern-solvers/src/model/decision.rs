//! The learned function under every model.

use crate::Error;
use faer::Mat;
use kern_core::{Points, Scalar};

/// values += b, a number per column.
pub(crate) fn add_intercepts<T: Scalar>(values: &mut Mat<T>, intercepts: &[T]) {
    for (column, &b) in values.col_iter_mut().zip(intercepts) {
        if b != T::ZERO {
            column.iter_mut().for_each(|value| *value += b);
        }
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
}
