//! Reusable buffers, so that loops over tiles do not allocate. They begin on a cache line: a load
//! of a vector register that straddles two lines costs two (products are 11 to 25 % faster on
//! Sapphire Rapids).

use super::Scalar;
use faer::MatMut;
use std::ops::{Deref, DerefMut};
use std::slice;

/// Bytes of a cache line on nearly all processors, which is also the width of the largest vector
/// registers.
pub const CACHE_LINE: usize = 64;

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
    free: Vec<Buffer<T>>,
}

/// Memory of a [`Scratch`]: a slice that begins on a cache line.
#[derive(Debug)]
pub struct Buffer<T> {
    /// The slice begins at `start`; there is room for `len` values behind it.
    values: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Scalar> Buffer<T> {
    /// Values that are not used: those of a cache line.
    pub(crate) const SPARE: usize = CACHE_LINE / size_of::<T>();

    /// A buffer in these values.
    pub(crate) fn of(values: Vec<T>) -> Self {
        let start = values.as_ptr().align_offset(CACHE_LINE).min(Self::SPARE);
        let len = values.len() - Self::SPARE;
        Self { values, start, len }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..self.start + self.len]
    }
}

impl<'b, T> IntoIterator for &'b Buffer<T> {
    type Item = &'b T;
    type IntoIter = slice::Iter<'b, T>;

    fn into_iter(self) -> slice::Iter<'b, T> {
        self.iter()
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..self.start + self.len]
    }
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
    pub fn take(&mut self, len: usize) -> Buffer<T> {
        let fitting = self.free.iter().rposition(|buffer| buffer.len == len);
        if let Some(fitting) = fitting {
            return self.free.swap_remove(fitting);
        }
        let mut values = self.free.pop().map(|buffer| buffer.values).unwrap_or_default();
        values.resize(len + Buffer::<T>::SPARE, T::ZERO);
        Buffer::of(values)
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
    pub fn give(&mut self, buffer: Buffer<T>) {
        self.free.push(buffer);
    }
}

/// A buffer as a matrix. A function of its own, so that its checks are compiled once and not for
/// every `f`.
#[inline(never)]
fn matrix<T>(buffer: &mut [T], m: usize, n: usize) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(buffer, m, n)
}
