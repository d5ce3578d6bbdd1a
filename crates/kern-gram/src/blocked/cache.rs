//! Columns that are kept: which ones, since when unused, and how many bytes they take.

use crate::{Error, MemoryBudget, matrix_bytes, zero_vec};
use kern_core::Scalar;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The work of a cache of columns, and the memory in use.
///
/// hits + misses is the number of columns that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// Columns that were found.
    pub hits: u64,
    /// Columns that had to be computed.
    pub misses: u64,
    /// Columns that had to make room for others.
    pub evictions: u64,
    /// Columns that are stored.
    pub columns: usize,
    /// Bytes that the stored columns take, and those that are being computed. Never more than
    /// `capacity_bytes`.
    pub bytes: u64,
    /// Bytes that columns may take.
    pub capacity_bytes: u64,
}

/// Some columns of a [`BlockedGram`](super::BlockedGram), without a copy. The cache keeps a column
/// as long as it is part of one of these.
#[derive(Clone, Debug)]
pub struct Columns<T> {
    columns: Vec<Arc<Vec<T>>>,
}

impl<T> Columns<T> {
    /// The number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The column of the index that was number `b` of those asked for.
    ///
    /// # Panics
    /// If there are not so many, as indexing a slice does.
    #[must_use]
    pub fn column(&self, b: usize) -> &[T] {
        &self.columns[b]
    }

    /// All columns, in the order in which they were asked for.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.columns.iter().map(|column| column.as_slice())
    }
}

/// The needs of a request: room was made for the missing columns.
pub(super) struct Request<T> {
    /// The missing columns, ascending.
    pub(super) missing: Vec<usize>,
    /// Memory for them: n numbers each, of arbitrary value.
    pub(super) fresh: Vec<Vec<T>>,
    /// Keeps the columns that are there from being evicted meanwhile.
    _found: Vec<Arc<Vec<T>>>,
    /// Keeps the room for the missing ones.
    _places: Vec<Arc<()>>,
}

/// The columns that are stored.
pub(super) struct Cache<T> {
    /// The length of a column.
    n: usize,
    capacity: usize,
    columns: Vec<Option<Stored<T>>>,
    /// The stored columns by the time of their last use.
    by_use: BTreeMap<u64, usize>,
    clock: u64,
    /// Shared with every column that is being computed.
    place: Arc<()>,
    statistics: CacheStatistics,
}

struct Stored<T> {
    values: Arc<Vec<T>>,
    last_use: u64,
}

impl<T: Scalar> Cache<T> {
    pub(super) fn new(n: usize, budget: &MemoryBudget) -> Self {
        let fitting = budget.as_bytes() / matrix_bytes::<T>(n, 1).max(1);
        let capacity = usize::try_from(fitting).unwrap_or(usize::MAX).min(n);
        let columns = (0..n).map(|_| None).collect();
        let (by_use, statistics) = (BTreeMap::new(), CacheStatistics::default());
        Self { n, capacity, columns, by_use, clock: 0, place: Arc::new(()), statistics }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn statistics(&self) -> CacheStatistics {
        let bytes = |columns: usize| matrix_bytes::<T>(self.n, columns);
        CacheStatistics {
            columns: self.by_use.len(),
            bytes: bytes(self.by_use.len() + self.reserved()),
            capacity_bytes: bytes(self.capacity),
            ..self.statistics
        }
    }

    /// The number of columns that can be stored anew: places that are free, and those of columns that nobody
    /// uses.
    pub(super) fn room(&self) -> usize {
        self.free() + self.idle().count()
    }

    /// Columns that are being computed. If that fails, even by a panic, they are none any more.
    fn reserved(&self) -> usize {
        Arc::strong_count(&self.place) - 1
    }

    fn free(&self) -> usize {
        self.capacity - self.by_use.len() - self.reserved()
    }

    /// The stored columns that nobody uses, the one first that was not used for the longest time.
    fn idle(&self) -> impl Iterator<Item = usize> {
        let is_idle = |j: &usize| self.columns[*j].as_ref().is_some_and(Stored::is_idle);
        self.by_use.values().copied().filter(is_idle)
    }

    /// Counts columns that were computed without the cache.
    pub(super) fn count_uncached(&mut self, columns: usize) {
        self.statistics.misses += columns as u64;
    }

    /// Looks up columns and makes room for the missing ones.
    pub(super) fn request(&mut self, indices: &[usize]) -> Result<Request<T>, Error> {
        let stored = |&j: &usize| self.columns[j].as_ref().map(|stored| stored.values.clone());
        let found: Vec<_> = indices.iter().filter_map(stored).collect();
        let mut missing: Vec<_> =
            indices.iter().copied().filter(|&j| self.columns[j].is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        let fresh = self.make_room(missing.len())?;
        let places = missing.iter().map(|_| self.place.clone()).collect();
        self.statistics.hits += (indices.len() - missing.len()) as u64;
        self.statistics.misses += missing.len() as u64;
        Ok(Request { missing, fresh, _found: found, _places: places })
    }

    /// Stores the columns of a request, if they could be computed, and hands out all of them.
    pub(super) fn deliver(
        &mut self,
        indices: &[usize],
        request: Request<T>,
        computed: Result<(), Error>,
    ) -> Result<Columns<T>, Error> {
        computed?;
        for (&j, values) in request.missing.iter().zip(request.fresh) {
            // Another thread may have been faster, with the same bits.
            self.columns[j].get_or_insert(Stored { values: Arc::new(values), last_use: 0 });
        }
        let columns = indices.iter().filter_map(|&j| self.touch(j)).collect();
        Ok(Columns { columns })
    }

    /// A stored column, which is now the one that was used last.
    fn touch(&mut self, j: usize) -> Option<Arc<Vec<T>>> {
        let stored = self.columns[j].as_mut()?;
        self.clock += 1;
        self.by_use.remove(&stored.last_use);
        self.by_use.insert(self.clock, j);
        stored.last_use = self.clock;
        Some(stored.values.clone())
    }

    /// Memory for so many columns, taken from those that were not used for the longest time as far
    /// as there is none left.
    fn make_room(&mut self, columns: usize) -> Result<Vec<Vec<T>>, Error> {
        let lacking = columns.saturating_sub(self.free());
        let victims: Vec<_> = self.idle().take(lacking).collect();
        if victims.len() < lacking {
            let in_use = self.capacity - self.room();
            return Err(Error::Budget {
                what: "columns of a blocked Gram matrix, with those in use,",
                needed: matrix_bytes::<T>(self.n, in_use + columns),
                allowed: matrix_bytes::<T>(self.n, self.capacity),
                instead: "fewer at a time would fit",
            });
        }
        self.statistics.evictions += victims.len() as u64;
        let mut fresh: Vec<_> = victims.into_iter().filter_map(|j| self.remove(j)).collect();
        for _ in fresh.len()..columns {
            fresh.push(zero_vec(self.n)?);
        }
        Ok(fresh)
    }

    /// Takes a column that nobody uses out.
    fn remove(&mut self, j: usize) -> Option<Vec<T>> {
        let stored = self.columns[j].take()?;
        self.by_use.remove(&stored.last_use);
        Arc::try_unwrap(stored.values).ok()
    }
}

impl<T> Stored<T> {
    /// Tells whether nobody but the cache has the column. Others get it only while the cache is locked.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.values) == 1
    }
}
