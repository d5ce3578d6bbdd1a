//! Reusable buffers, so that loops over tiles do not allocate.

use super::Scalar;
use faer::MatMut;

/// A pool of buffers for temporary tiles, one per thread. After the first tile of a loop, taking a
/// buffer does not allocate.
///
/// # Examples
/// ```
/// let mut scratch = kern_core::Scratch::<f64>::new();
/// let buffer = scratch.take(100);
/// assert_eq!(buffer.len(), 100);
/// scratch.give(buffer);
/// ```
#[derive(Debug, Default)]
pub struct Scratch<T> {
    free: Vec<Vec<T>>,
}

impl<T: Scalar> Scratch<T> {
    /// An empty pool.
    #[must_use]
    pub const fn new() -> Self {
        Self { free: Vec::new() }
    }

    /// A buffer of `len` values, which are arbitrary: the caller overwrites them.
    ///
    /// One that has this length is preferred: no other needs to be filled first.
    #[must_use]
    pub fn take(&mut self, len: usize) -> Vec<T> {
        let fitting = self.free.iter().rposition(|buffer| buffer.len() == len);
        let found = fitting.map(|at| self.free.swap_remove(at)).or_else(|| self.free.pop());
        let mut buffer = found.unwrap_or_default();
        buffer.resize(len, T::ZERO);
        buffer
    }

    /// Lends an m × n matrix of arbitrary values to `f`, together with the pool.
    pub fn with_matrix<R>(
        &mut self,
        m: usize,
        n: usize,
        f: impl FnOnce(MatMut<'_, T>, &mut Self) -> R,
    ) -> R {
        let mut buffer = self.take(m * n);
        let result = f(matrix(&mut buffer, m, n), self);
        self.give(buffer);
        result
    }

    /// Returns a buffer to the pool.
    pub fn give(&mut self, buffer: Vec<T>) {
        self.free.push(buffer);
    }
}

/// A buffer as a matrix. A function of its own, so that its checks are compiled once and not for
/// every `f`.
#[inline(never)]
fn matrix<T>(buffer: &mut [T], m: usize, n: usize) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(buffer, m, n)
}
