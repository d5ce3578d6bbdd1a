//! Memory for some columns of a kernel matrix.

use crate::Error;
use kern_core::Scalar;
use kern_core::memory::Pages;
use kern_gram::{MemoryBudget, matrix_bytes};

/// Bytes of the places that come into being together, so that the system has huge pages for them.
const TOGETHER: u64 = 1 << 26;

/// A cache line. Columns begin on one, so that no vector of a column straddles two: a tenth of a fit.
const LINE: usize = 64;

/// The bytes of so many columns of n numbers.
pub(super) fn column_bytes<T>(n: usize, columns: usize) -> u64 {
    matrix_bytes::<T>(stride::<T>(n), columns)
}

/// Numbers from one column to the next.
fn stride<T>(n: usize) -> usize {
    n.checked_next_multiple_of(LINE / size_of::<T>()).unwrap_or(n)
}

/// Places for columns of n numbers. They are handed out one after the other, so that only the memory of
/// those that were asked for is touched; once all are taken, the column that was not used for the longest time leaves its own.
pub(super) struct Places<T: Scalar> {
    n: usize,
    capacity: usize,
    /// The places of a slab, of which the last may have less.
    per_slab: usize,
    slabs: Vec<Pages<T>>,
    /// The place of each column, if it has one.
    place_of: Vec<Option<usize>>,
    /// The column in each place, if it has been computed, and the request that used it last.
    taken: Vec<(Option<usize>, u64)>,
    requests: u64,
    hits: u64,
    misses: u64,
}

impl<T: Scalar> Places<T> {
    /// Places for as many columns as the budget allows.
    ///
    /// # Errors
    /// [`Error::Gram`] if not even one fits.
    pub(super) fn new(n: usize, budget: &MemoryBudget) -> Result<Self, Error> {
        let one = column_bytes::<T>(n, 1).max(1);
        budget.require("a column of the kernel matrix", one, "SGD takes less")?;
        let fitting = |bytes: u64| usize::try_from(bytes / one).unwrap_or(usize::MAX).clamp(1, n);
        Ok(Self {
            n,
            capacity: fitting(budget.as_bytes()),
            per_slab: fitting(TOGETHER),
            slabs: Vec::new(),
            place_of: vec![None; n],
            taken: Vec::new(),
            requests: 0,
            hits: 0,
            misses: 0,
        })
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The numbers of columns that were computed, and of those that were there already.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.misses, self.hits)
    }

    /// The columns of these indices; `compute` writes those that are missing, whose numbers ascend.
    pub(super) fn with(
        &mut self,
        indices: &[usize],
        compute: impl FnOnce(&[usize], &mut [&mut [T]]) -> Result<(), Error>,
    ) -> Result<Vec<&[T]>, Error> {
        self.requests += 1;
        let mut missing = Vec::new();
        for &j in indices {
            match self.place_of[j] {
                Some(place) => self.taken[place].1 = self.requests,
                None => missing.push(j),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            let places = self.make_room(missing.len())?;
            compute(&missing, &mut self.memory(&places))?;
            for (&j, &place) in missing.iter().zip(&places) {
                self.place_of[j] = Some(place);
                self.taken[place] = (Some(j), self.requests);
            }
        }
        self.misses += missing.len() as u64;
        self.hits += (indices.len() - missing.len()) as u64;
        Ok(indices.iter().filter_map(|&j| self.column(j)).collect())
    }

    fn column(&self, j: usize) -> Option<&[T]> {
        let place = self.place_of[j]?;
        let slab = &self.slabs[place / self.per_slab];
        Some(&slab[place % self.per_slab * stride::<T>(self.n)..][..self.n])
    }

    /// So many places without a column, ascending: new ones as long as there are any.
    fn make_room(&mut self, columns: usize) -> Result<Vec<usize>, Error> {
        let new = columns.min(self.capacity - self.taken.len());
        let mut places = self.least_used(columns - new)?;
        for &place in &places {
            if let Some(j) = self.taken[place].0.take() {
                self.place_of[j] = None;
            }
        }
        places.extend(self.taken.len()..self.taken.len() + new);
        while self.slabs.len() * self.per_slab < self.taken.len() + new {
            let rest = self.capacity - self.slabs.len() * self.per_slab;
            let numbers = stride::<T>(self.n).saturating_mul(self.per_slab.min(rest));
            self.slabs.push(Pages::zeroed(numbers)?);
        }
        self.taken.resize(self.taken.len() + new, (None, 0));
        Ok(places)
    }

    /// The places, ascending, of columns that were not used for the longest time, and not by this request.
    fn least_used(&self, count: usize) -> Result<Vec<usize>, Error> {
        let idle = |place: &usize| self.taken[*place].1 < self.requests;
        let mut places: Vec<usize> = (0..self.taken.len()).filter(idle).collect();
        if places.len() < count {
            let (name, given) = ("columns at once", self.taken.len() + count - places.len());
            return Err(Error::Count { name, given, allowed: "as many as fit into memory" });
        }
        places.sort_unstable_by_key(|&place| (self.taken[place].1, place));
        places.truncate(count);
        places.sort_unstable();
        Ok(places)
    }

    /// The memory of these places, which ascend.
    fn memory(&mut self, places: &[usize]) -> Vec<&mut [T]> {
        let mut wanted = places.iter().peekable();
        let all = self.slabs.iter_mut().flat_map(|slab| slab.chunks_exact_mut(stride::<T>(self.n)));
        let columns = all.enumerate().filter(|(place, _)| wanted.next_if_eq(&place).is_some());
        columns.map(|(_, column)| &mut column[..self.n]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 13;

    fn places(columns: usize) -> Places<f64> {
        Places::new(N, &MemoryBudget::bytes(column_bytes::<f64>(N, columns))).unwrap()
    }

    /// Entry i of column j is 100j + i.
    fn compute(missing: &[usize], memory: &mut [&mut [f64]]) -> Result<(), Error> {
        for (&j, column) in missing.iter().zip(memory) {
            column.iter_mut().enumerate().for_each(|(i, k)| *k = (100 * j + i) as f64);
        }
        Ok(())
    }

    /// Asks for columns, checks them, and says which were computed.
    fn ask(places: &mut Places<f64>, indices: &[usize]) -> Vec<usize> {
        let mut computed = Vec::new();
        let columns = places.with(indices, |missing, memory| {
            computed = missing.to_vec();
            compute(missing, memory)
        });
        for (&j, column) in indices.iter().zip(columns.unwrap()) {
            let expected: Vec<f64> = (0..N).map(|i| (100 * j + i) as f64).collect();
            assert_eq!(column, expected);
        }
        computed
    }

    #[test]
    fn the_column_that_was_not_used_for_the_longest_time_leaves() {
        let mut places = places(3);
        assert_eq!(ask(&mut places, &[5, 2, 5]), [2, 5]);
        assert_eq!(ask(&mut places, &[7]), [7]);
        assert_eq!(ask(&mut places, &[2]), [0; 0]);
        assert_eq!(ask(&mut places, &[0]), [0], "in the place of 5");
        assert_eq!(ask(&mut places, &[2, 7, 0]), [0; 0]);
        assert_eq!(ask(&mut places, &[5, 0, 12]), [5, 12], "of 2 and 7, but not of 0");
        assert_eq!(places.counts(), (6, 6));
    }

    #[test]
    fn all_columns_fit_in_several_slabs() {
        let mut places = places(N);
        places.per_slab = 4;
        assert_eq!(ask(&mut places, &[11, 3, 6, 2, 9]), [2, 3, 6, 9, 11]);
        let all: Vec<usize> = (0..N).collect();
        assert_eq!(ask(&mut places, &all).len(), N - 5);
        assert_eq!(ask(&mut places, &all), [0; 0]);
        assert_eq!(places.slabs.len(), 4);
        assert_eq!(places.slabs[3].len(), stride::<f64>(N), "one column");
    }

    #[test]
    fn columns_that_could_not_be_computed_take_no_room() {
        let mut places = places(2);
        let refused = |_: &[usize], _: &mut [&mut [f64]]| Err(Error::Empty);
        assert!(places.with(&[1, 2], refused).is_err());
        assert_eq!(ask(&mut places, &[3, 4]), [3, 4]);
        assert!(places.with(&[3, 5], refused).is_err());
        assert_eq!(ask(&mut places, &[3]), [0; 0]);
        let many = places.with(&[0, 1, 2], compute);
        assert!(matches!(many, Err(Error::Count { given: 3, .. })));
        assert!(Places::<f64>::new(N, &MemoryBudget::bytes(100)).is_err());
    }
}
