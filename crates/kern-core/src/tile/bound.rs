//! The filling of tiles of one particular matrix.

use super::Scratch;
use crate::Scalar;
use faer::MatMut;
use std::ops::Range;

/// Fills tiles of one particular matrix K(a_i, b_j).
///
/// Kernels that compute something per point first, such as an embedding, implement
/// [`Kernel::bind`](crate::Kernel::bind) to do that once and return this.
pub trait Bound<T: Scalar>: Send + Sync {
    /// `out[(i, j)] = K(a_{rows.start + i}, b_{cols.start + j})`.
    ///
    /// # Panics
    /// If `out` is not `rows.len()` × `cols.len()`, or a range is out of bounds.
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    );

    /// K(a_i, a_i), with the bits of [`Kernel::diag`](crate::Kernel::diag), if what was computed per
    /// point makes that faster. By default it does not.
    fn diag(&self, i: usize) -> Option<T> {
        let _ = i;
        None
    }
}
