//! Buffers that are lent and returned, so that loops over tiles do not allocate.

use crate::Scalar;

/// A pool of buffers for temporary tiles. One per thread; after the first tile of a loop, taking a
/// buffer costs no allocation.
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
    pub fn new() -> Self {
        Self { free: Vec::new() }
    }

    /// A buffer of `len` numbers. Their values are arbitrary: whoever takes it overwrites it.
    #[must_use]
    pub fn take(&mut self, len: usize) -> Vec<T> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.resize(len, T::ZERO);
        buffer
    }

    /// Returns a buffer to the pool.
    pub fn give(&mut self, buffer: Vec<T>) {
        self.free.push(buffer);
    }
}
