//! Zeroed memory that costs nothing until it is written, and matrices stored in it.

use super::CACHE_LINE;
#[cfg(feature = "pages")]
use super::mapping::Mapping;
use crate::{Error, Scalar};
use faer::{MatMut, MatRef};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// Values owned by another library, such as an array in Python. `as_ref` must return the same slice
/// each time.
pub type Shared<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// A slice of values in memory of its own, initially zero; or shared values, which are copied on
/// the first write and by `clone`.
///
/// The system zeroes memory page by page at the first touch, which takes longer than the arithmetic
/// that fills it. Here the first touch is the write that fills the memory, on all threads that do
/// so, and from 1 MiB on memory requests pages of 2 MiB instead of 4 KiB (on Linux, where the
/// administrator allows them). Measured for 512 MiB and two threads, zeroing included: 0.09 s from
/// the heap, 0.022 s from here. When it is freed, up to 32 MiB in all stay with the process for the
/// next fit. Without the feature `pages` all memory is from the heap.
///
/// # Examples
/// ```
/// use kern_core::memory::Pages;
/// let mut v = Pages::<f32>::zeroed(1 << 21)?;
/// v[3] = 1.0;
/// assert_eq!(v[..4], [0.0, 0.0, 0.0, 1.0]);
/// assert!(Pages::<f64>::zeroed(usize::MAX).is_err());
/// # Ok::<(), kern_core::Error>(())
/// ```
pub struct Pages<T> {
    memory: Memory<T>,
}

enum Memory<T> {
    Heap(Vec<T>),
    /// A mapping, and the number of values in use.
    #[cfg(feature = "pages")]
    Mapped(Mapping, usize),
    /// Shared values, which a panic leaves as they are, and the number of them in use.
    Shared(AssertUnwindSafe<Shared<T>>, usize),
}

impl<T: Scalar> Pages<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeroed(len: usize) -> Result<Self, Error> {
        #[cfg(feature = "pages")]
        if let Some(map) = Mapping::zeroed(super::matrix_bytes::<T>(len, 1)) {
            return Ok(Self { memory: Memory::Mapped(map, len) });
        }
        Ok(super::zero_vec(len)?.into())
    }

    /// Wraps shared values without copying them.
    #[must_use]
    pub fn shared(owner: Shared<T>) -> Self {
        let len = (*owner).as_ref().len();
        Self { memory: Memory::Shared(AssertUnwindSafe(owner), len) }
    }

    /// Shortens the slice to `len` values, if it is longer. The memory is not released.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.memory {
            Memory::Heap(values) => values.truncate(len),
            #[cfg(feature = "pages")]
            Memory::Mapped(_, all) => *all = len.min(*all),
            Memory::Shared(_, all) => *all = len.min(*all),
        }
    }

    /// Converts to a vector: copied if the values are mapped or shared.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        match self.memory {
            Memory::Heap(values) => values,
            #[cfg(feature = "pages")]
            Memory::Mapped(..) => self.to_vec(),
            Memory::Shared(..) => self.to_vec(),
        }
    }
}

impl<T: Scalar> From<Vec<T>> for Pages<T> {
    fn from(values: Vec<T>) -> Self {
        Self { memory: Memory::Heap(values) }
    }
}

impl<T: Scalar> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Heap(values) => values,
            #[cfg(feature = "pages")]
            Memory::Mapped(map, len) => &bytemuck::cast_slice(map)[..*len],
            Memory::Shared(owner, len) => &(***owner).as_ref()[..*len],
        }
    }
}

impl<T: Scalar> DerefMut for Pages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        if matches!(self.memory, Memory::Shared(..)) {
            *self = self.clone();
        }
        match &mut self.memory {
            Memory::Heap(values) => values,
            #[cfg(feature = "pages")]
            Memory::Mapped(map, len) => &mut bytemuck::cast_slice_mut(map)[..*len],
            // Copied above.
            Memory::Shared(..) => &mut [],
        }
    }
}

impl<T: Scalar> Clone for Pages<T> {
    fn clone(&self) -> Self {
        Self::zeroed(self.len()).map_or_else(
            |_| self.to_vec().into(),
            |mut copy| {
                copy.copy_from_slice(self);
                copy
            },
        )
    }
}

impl<T: Scalar> PartialEq for Pages<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Scalar> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// An owned column-major matrix for large data. [`faer::Mat`] is zeroed by one thread before it can
/// be written; this one is not ([`Pages`]).
///
/// # Examples
/// ```
/// use kern_core::memory::LargeMat;
/// let mut a = LargeMat::<f64>::zeros(2, 3)?;
/// a.as_mut()[(1, 2)] = 5.0;
/// assert_eq!((a.as_ref().shape(), a.as_ref()[(1, 2)]), ((2, 3), 5.0));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LargeMat<T: Scalar> {
    values: Pages<T>,
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<T: Scalar> LargeMat<T> {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the system refuses the memory.
    pub fn zeros(rows: usize, cols: usize) -> Result<Self, Error> {
        // Columns are aligned to a cache line, so that no vector register straddles two lines.
        let stride = rows.checked_next_multiple_of(CACHE_LINE / size_of::<T>()).unwrap_or(rows);
        let values = Pages::zeroed(stride.saturating_mul(cols))?;
        Ok(Self { values, rows, cols, stride })
    }

    /// A view of the matrix.
    #[must_use]
    pub fn as_ref(&self) -> MatRef<'_, T> {
        let padded = MatRef::from_column_major_slice(&self.values, self.stride, self.cols);
        padded.subrows(0, self.rows)
    }

    /// A mutable view of the matrix.
    #[must_use]
    pub fn as_mut(&mut self) -> MatMut<'_, T> {
        let padded = MatMut::from_column_major_slice_mut(&mut self.values, self.stride, self.cols);
        padded.subrows_mut(0, self.rows)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn shared_memory_is_read_in_place_and_never_written() {
        let owner = Arc::new(vec![1.0, 2.0, 3.0]);
        let mut pages = Pages::shared(Arc::clone(&owner) as Shared<f64>);
        assert_eq!(pages.as_ptr(), owner.as_ptr());
        assert_ne!(pages.clone().as_ptr(), owner.as_ptr());
        pages.truncate(2);
        assert_eq!(*pages, [1.0, 2.0]);
        pages[0] = 7.0;
        assert_eq!((pages.into_vec(), &*owner), (vec![7.0, 2.0], &vec![1.0, 2.0, 3.0]));
    }

    #[test]
    fn large_and_small_memory_behave_alike() {
        for len in [0, 1, 1000, (1 << 17) - 1, 1 << 17, (1 << 17) + 3, (1 << 22) + 3] {
            let mut pages = Pages::<f64>::zeroed(len).unwrap();
            assert!(pages.len() == len && pages.iter().all(|&v| v == 0.0));
            let mapped = !matches!(pages.memory, Memory::Heap(_));
            assert_eq!(mapped, len >= 1 << 17 && cfg!(feature = "pages"));
            pages.iter_mut().zip(0_u32..).for_each(|(v, i)| *v = f64::from(i));
            assert_eq!(pages.clone(), pages);
            assert_eq!(pages.clone().into_vec(), *pages);
            assert_eq!(Pages::from(pages.to_vec()), pages);
            let kept = pages[..len.min(7)].to_vec();
            pages.truncate(7);
            assert_eq!(*pages, kept);
        }
    }
}
