//! The memory of a column.

use crate::{Error, matrix_bytes, zero_vec};
use kern_core::Scalar;
use std::ops::{Deref, DerefMut};

/// A cache line. Long columns begin on one, so that no vector of a column straddles two: a tenth of the fit of a support vector
/// machine.
const LINE: usize = 64;

/// Numbers of a column that is long enough for this to be no matter of memory.
const LONG: usize = 1024;

/// A column of n numbers, and what it takes to begin on a cache line.
#[derive(Debug)]
pub(crate) struct Column<T> {
    values: Vec<T>,
    start: usize,
    n: usize,
}

impl<T: Scalar> Column<T> {
    /// Zeros.
    pub(crate) fn new(n: usize) -> Result<Self, Error> {
        let values = zero_vec::<T>(n.saturating_add(padding::<T>(n)))?;
        let start = values.as_ptr().align_offset(LINE).min(values.len() - n);
        Ok(Self { values, start, n })
    }
}

/// The bytes of a column.
pub(crate) const fn bytes<T>(n: usize) -> u64 {
    matrix_bytes::<T>(n.saturating_add(padding::<T>(n)), 1)
}

const fn padding<T>(n: usize) -> usize {
    if n < LONG { 0 } else { LINE / size_of::<T>() }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..][..self.n]
    }
}

impl<T> DerefMut for Column<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..][..self.n]
    }
}
