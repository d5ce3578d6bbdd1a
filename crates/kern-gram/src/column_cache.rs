//! The column cache: least-recently-used replacement, bounded in bytes.

use crate::{Error, MemoryBudget, matrix_bytes, zero_vec};
use kern_core::memory::CACHE_LINE;
use kern_core::{Scalar, compiled_once};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Statistics of a column cache.
///
/// hits + misses is the number of columns requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// Columns that were found in the cache.
    pub hits: u64,
    /// Columns that had to be computed.
    pub misses: u64,
    /// Columns that were removed to make room for others.
    pub evictions: u64,
    /// Columns in the cache.
    pub columns: usize,
    /// Bytes of the stored columns and of those being computed. Never more than `capacity_bytes`.
    pub bytes: u64,
    /// The largest number of bytes for columns.
    pub capacity_bytes: u64,
}

/// Some columns of a [`BlockedGram`](super::BlockedGram), without a copy. They are not evicted
/// while this value exists.
#[derive(Clone, Debug)]
pub struct Columns<T> {
    columns: Vec<Arc<Column<T>>>,
}

impl<T> Columns<T> {
    /// The number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns true if there are no columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The column of the `b`-th requested index.
    ///
    /// # Panics
    /// If `b` is out of bounds.
    #[must_use]
    pub fn column(&self, b: usize) -> &[T] {
        &self.columns[b]
    }

    /// All columns, in the order of the request.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.columns.iter().map(|column| &***column)
    }
}

/// A request for columns, with room reserved for the missing ones.
pub(crate) struct Request<T> {
    /// The missing columns, in ascending order.
    pub(crate) missing: Vec<usize>,
    /// Memory for them: n values each, initially arbitrary.
    pub(crate) fresh: Vec<Column<T>>,
    /// Protects the columns that were found from eviction meanwhile.
    _found: Vec<Arc<Column<T>>>,
    /// Reserves the room for the missing ones.
    _places: Vec<Arc<()>>,
}

/// The cache: which columns are stored, and when they were last used.
pub(crate) struct Cache<T> {
    /// The length of a column.
    n: usize,
    capacity: usize,
    /// The number of columns that may be stored at present; it can grow up to the capacity.
    places: usize,
    /// True for columns that were evicted and not recomputed since.
    lost: Vec<bool>,
    /// Evicted columns that have been recomputed since the last growth.
    again: usize,
    columns: Vec<Option<Stored<T>>>,
    /// The stored columns by the time of their last use.
    by_use: BTreeMap<u64, usize>,
    clock: u64,
    /// Shared with every column that is being computed.
    place: Arc<()>,
    statistics: CacheStatistics,
}

struct Stored<T> {
    values: Arc<Column<T>>,
    last_use: u64,
}

impl<T: Scalar> Cache<T> {
    #[compiled_once(impl<T: Scalar> Cache<T>)]
    pub(crate) fn new(n: usize, budget: &MemoryBudget) -> Self {
        let capacity = fitting::<T>(n, budget);
        Self {
            n,
            capacity,
            places: capacity,
            lost: vec![false; n],
            again: 0,
            columns: (0..n).map(|_| None).collect(),
            by_use: BTreeMap::new(),
            clock: 0,
            place: Arc::new(()),
            statistics: CacheStatistics::default(),
        }
    }

    /// Starts with room for the columns that fit into `first`.
    pub(crate) fn begin_with(&mut self, first: &MemoryBudget) {
        self.places = fitting::<T>(self.n, first).clamp(1, self.capacity.max(1));
    }

    fn bytes(&self, columns: usize) -> u64 {
        column_bytes::<T>(self.n).saturating_mul(columns as u64)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    #[compiled_once(impl<T: Scalar> Cache<T>)]
    pub(crate) fn statistics(&self) -> CacheStatistics {
        CacheStatistics {
            columns: self.by_use.len(),
            bytes: self.bytes(self.by_use.len() + self.reserved()),
            capacity_bytes: self.bytes(self.capacity),
            ..self.statistics
        }
    }

    /// The number of columns that can be stored: free places, and those of columns not in use.
    #[compiled_once(impl<T: Scalar> Cache<T>)]
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.in_use()
    }

    /// Columns that cannot be evicted.
    fn in_use(&self) -> usize {
        self.by_use.len() + self.reserved() - self.idle().count()
    }

    /// Columns that are being computed. A failed computation releases them, even a panic.
    fn reserved(&self) -> usize {
        Arc::strong_count(&self.place) - 1
    }

    fn free(&self) -> usize {
        self.places - self.by_use.len() - self.reserved()
    }

    /// The stored columns that are not in use, the least recently used first.
    fn idle(&self) -> impl Iterator<Item = usize> {
        let is_idle = |j: &usize| self.columns[*j].as_ref().is_some_and(Stored::is_idle);
        self.by_use.values().copied().filter(is_idle)
    }

    /// Counts columns that were computed without the cache.
    pub(crate) fn count_uncached(&mut self, columns: usize) {
        self.statistics.misses += columns as u64;
    }

    /// Looks up columns and makes room for the missing ones.
    #[compiled_once(impl<T: Scalar> Cache<T>)]
    pub(crate) fn request(&mut self, indices: &[usize]) -> Result<Request<T>, Error> {
        let stored = |&j: &usize| self.columns[j].as_ref().map(|stored| stored.values.clone());
        let found: Vec<_> = indices.iter().filter_map(stored).collect();
        let mut missing: Vec<_> =
            indices.iter().copied().filter(|&j| self.columns[j].is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        self.again += missing.iter().filter(|&&j| self.lost[j]).count();
        let fresh = self.make_room(missing.len())?;
        let places = missing.iter().map(|_| self.place.clone()).collect();
        self.statistics.hits += (indices.len() - missing.len()) as u64;
        self.statistics.misses += missing.len() as u64;
        Ok(Request { missing, fresh, _found: found, _places: places })
    }

    /// Stores the columns of a request, if they were computed, and returns all of them.
    #[compiled_once(impl<T: Scalar> Cache<T>)]
    pub(crate) fn deliver(
        &mut self,
        indices: &[usize],
        request: Request<T>,
        computed: Result<(), Error>,
    ) -> Result<Columns<T>, Error> {
        computed?;
        for (&j, values) in request.missing.iter().zip(request.fresh) {
            // Another thread may have stored it first, with the same bits.
            self.columns[j].get_or_insert(Stored { values: Arc::new(values), last_use: 0 });
            self.lost[j] = false;
        }
        let columns = indices.iter().filter_map(|&j| self.touch(j)).collect();
        Ok(Columns { columns })
    }

    /// A stored column, marked as the most recently used.
    fn touch(&mut self, j: usize) -> Option<Arc<Column<T>>> {
        let stored = self.columns[j].as_mut()?;
        self.clock += 1;
        self.by_use.remove(&stored.last_use);
        self.by_use.insert(self.clock, j);
        stored.last_use = self.clock;
        Some(stored.values.clone())
    }

    /// Memory for this many columns, taken from the least recently used ones when none is free.
    fn make_room(&mut self, columns: usize) -> Result<Vec<Column<T>>, Error> {
        self.grow(columns);
        let lacking = columns.saturating_sub(self.free());
        let victims: Vec<_> = self.idle().take(lacking).collect();
        if victims.len() < lacking {
            let in_use = self.in_use();
            return Err(Error::Budget {
                what: "columns of a blocked Gram matrix, with those in use,",
                needed: self.bytes(in_use + columns),
                allowed: self.bytes(self.capacity),
                instead: "fewer at a time would fit",
            });
        }
        self.statistics.evictions += victims.len() as u64;
        let mut fresh: Vec<_> = victims.into_iter().filter_map(|j| self.remove(j)).collect();
        for _ in fresh.len()..columns {
            fresh.push(Column::new(self.n)?);
        }
        Ok(fresh)
    }

    /// Doubles the number of places until this many columns fit next to those in use, and once more
    /// if as many columns as there are places had to be recomputed.
    fn grow(&mut self, columns: usize) {
        let (in_use, stored) = (self.in_use(), self.by_use.len() + self.reserved());
        while self.places < self.capacity {
            let wanted = stored + columns > self.places && self.again >= self.places;
            if in_use + columns <= self.places && !wanted {
                return;
            }
            self.places = self.places.saturating_mul(2).min(self.capacity);
            self.again = 0;
        }
    }

    /// Removes a column that is not in use.
    fn remove(&mut self, j: usize) -> Option<Column<T>> {
        self.lost[j] = true;
        let stored = self.columns[j].take()?;
        self.by_use.remove(&stored.last_use);
        Arc::try_unwrap(stored.values).ok()
    }
}

/// The number of columns that fit into a budget.
fn fitting<T>(n: usize, budget: &MemoryBudget) -> usize {
    let columns = budget.as_bytes() / column_bytes::<T>(n).max(1);
    usize::try_from(columns).unwrap_or(usize::MAX).min(n)
}

impl<T> Stored<T> {
    /// Returns true if only the cache holds the column. New references are created only while the
    /// cache is locked.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.values) == 1
    }
}

/// Length from which alignment costs little memory relative to the column. No vector register then
/// straddles two cache lines: a tenth of the time of an SVM fit.
const LONG: usize = 1024;

/// A column of n values, with padding to align it to a cache line.
#[derive(Debug)]
pub(crate) struct Column<T> {
    values: Vec<T>,
    start: usize,
    n: usize,
}

impl<T: Scalar> Column<T> {
    /// A column of zeros.
    pub(crate) fn new(n: usize) -> Result<Self, Error> {
        let values = zero_vec::<T>(n.saturating_add(padding::<T>(n)))?;
        let start = values.as_ptr().align_offset(CACHE_LINE).min(values.len() - n);
        Ok(Self { values, start, n })
    }
}

/// The bytes that a column takes.
pub(crate) const fn column_bytes<T>(n: usize) -> u64 {
    matrix_bytes::<T>(n.saturating_add(padding::<T>(n)), 1)
}

const fn padding<T>(n: usize) -> usize {
    if n < LONG { 0 } else { CACHE_LINE / size_of::<T>() }
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
