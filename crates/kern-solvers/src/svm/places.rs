//! Memory for some columns of a kernel matrix.

use crate::Error;
use kern_core::Scalar;
use kern_gram::{MemoryBudget, matrix_bytes, zero_vec};

/// Bytes of the first places.
pub(super) const FIRST: u64 = 1 << 24;

/// A cache line. Long columns begin on one, so that no vector of a column straddles two: a tenth of a fit.
const LINE: usize = 64;

/// Numbers of a column that is long enough for this to be no matter of memory.
const LONG: usize = 1024;

/// The bytes of so many columns of n numbers.
pub(super) fn column_bytes<T>(n: usize, columns: usize) -> u64 {
    matrix_bytes::<T>(n.saturating_add(padding::<T>(n)), columns)
}

/// Numbers more than a column has, so that it can begin on a cache line.
fn padding<T>(n: usize) -> usize {
    if n < LONG { 0 } else { LINE / size_of::<T>() }
}

/// Memory of a column, from the heap, which keeps it for the next fit. In huge pages all of them would be there a tenth faster,
/// but where hosts take free ones back, every fit would wait for them.
struct Memory<T> {
    values: Vec<T>,
    start: usize,
}

impl<T: Scalar> Memory<T> {
    fn new(n: usize) -> Result<Self, Error> {
        let values = zero_vec::<T>(n.saturating_add(padding::<T>(n)))?;
        let start = values.as_ptr().align_offset(LINE).min(values.len() - n);
        Ok(Self { values, start })
    }
}

/// The place of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It was never computed.
    Unknown,
    /// Another column has taken its place.
    Lost,
    At(usize),
}

/// Places for columns of n numbers. Once all are taken, the column that was not used for the longest time leaves its own; if too
/// many of those have to be computed again, there will be twice as many places, as long as a budget allows.
///
/// New memory is dear: the system zeroes it, and where it is a guest its host may have to find it first, which takes ten times as
/// long as cheap kernels do to compute what comes there. So there is no more of it than pays (0025).
pub(super) struct Places<T: Scalar> {
    n: usize,
    /// The most places.
    capacity: usize,
    /// Columns that may be computed again before the number of places doubles, per place.
    patience: usize,
    /// The places that there may be now.
    places: usize,
    /// The memory of the places that were ever taken.
    memory: Vec<Memory<T>>,
    place_of: Vec<Place>,
    /// The column in each place, if it has been computed, and the request that used it last.
    taken: Vec<(Option<usize>, u64)>,
    requests: u64,
    hits: u64,
    misses: u64,
    /// Columns that were computed again since the number of places was doubled.
    again: usize,
}

impl<T: Scalar> Places<T> {
    /// Places for as many columns as the budget allows.
    ///
    /// # Errors
    /// [`Error::Gram`] if not even one fits.
    pub(super) fn new(n: usize, budget: &MemoryBudget, patience: usize) -> Result<Self, Error> {
        budget.require(
            "a column of the kernel matrix",
            column_bytes::<T>(n, 1),
            "SGD takes less",
        )?;
        Ok(Self {
            n,
            capacity: fitting::<T>(n, budget.as_bytes()),
            patience,
            places: 0,
            memory: Vec::new(),
            place_of: vec![Place::Unknown; n],
            taken: Vec::new(),
            requests: 0,
            hits: 0,
            misses: 0,
            again: 0,
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
        let missing = self.missing(indices);
        if !missing.is_empty() {
            let places = self.make_room(missing.len())?;
            compute(&missing, &mut self.memory(&places))?;
            for (&j, &place) in missing.iter().zip(&places) {
                self.place_of[j] = Place::At(place);
                self.taken[place] = (Some(j), self.requests);
            }
        }
        self.misses += missing.len() as u64;
        self.hits += (indices.len() - missing.len()) as u64;
        Ok(indices.iter().filter_map(|&j| self.column(j)).collect())
    }

    /// Columns of these indices that have no place; the others have been used now.
    fn missing(&mut self, indices: &[usize]) -> Vec<usize> {
        let mut missing = Vec::new();
        for &j in indices {
            match self.place_of[j] {
                Place::At(place) => self.taken[place].1 = self.requests,
                Place::Unknown | Place::Lost => missing.push(j),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        self.again += missing.iter().filter(|&&j| self.place_of[j] == Place::Lost).count();
        missing
    }

    fn column(&self, j: usize) -> Option<&[T]> {
        let Place::At(place) = self.place_of[j] else { return None };
        let Memory { values, start } = &self.memory[place];
        Some(&values[*start..][..self.n])
    }

    /// So many places without a column, ascending: new ones as long as there are any.
    fn make_room(&mut self, columns: usize) -> Result<Vec<usize>, Error> {
        self.grow(columns);
        let new = columns.min(self.places - self.taken.len());
        let mut places = self.least_used(columns - new)?;
        for &place in &places {
            if let Some(j) = self.taken[place].0.take() {
                self.place_of[j] = Place::Lost;
            }
        }
        let free = self.taken.len();
        places.extend(free..free + new);
        for _ in 0..new {
            self.memory.push(Memory::new(self.n)?);
        }
        self.taken.resize(free + new, (None, 0));
        Ok(places)
    }

    /// Doubles the number of places until so many columns fit beside those of this request, and once more if too many columns had
    /// to be computed again.
    fn grow(&mut self, columns: usize) {
        let used = self.taken.iter().filter(|(_, used)| *used == self.requests).count();
        loop {
            let full = self.taken.len() + columns > self.places;
            let wanted = full && self.again >= self.patience.saturating_mul(self.places);
            if self.places == self.capacity || self.places >= used + columns && !wanted {
                return;
            }
            let more = if self.places == 0 { fitting::<T>(self.n, FIRST) } else { self.places };
            self.places = self.places.saturating_add(more).min(self.capacity);
            self.again = 0;
        }
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
        let all = self.memory.iter_mut().enumerate();
        let columns = all.filter(|(place, _)| wanted.next_if_eq(&place).is_some());
        columns.map(|(_, Memory { values, start })| &mut values[*start..][..self.n]).collect()
    }
}

/// The number of columns that fit, one at least.
fn fitting<T>(n: usize, bytes: u64) -> usize {
    let columns = bytes / column_bytes::<T>(n, 1).max(1);
    usize::try_from(columns).unwrap_or(usize::MAX).clamp(1, n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 13;

    fn places(columns: usize) -> Places<f64> {
        Places::new(N, &MemoryBudget::bytes(column_bytes::<f64>(N, columns)), 0).unwrap()
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
    fn places_double_once_enough_columns_were_computed_again() {
        let mut places = places(N);
        places.patience = 2;
        places.places = 2;
        let mut computed = 0;
        for round in 0..6 {
            computed += ask(&mut places, &[3 * (round % 2), 3 * (round % 2) + 1]).len();
        }
        assert_eq!((computed, places.places), (8, 4), "none of the last four were missing");
        assert_eq!(ask(&mut places, &[0, 1, 3, 4]), [0; 0]);
        let all: Vec<usize> = (0..N).collect();
        assert_eq!(ask(&mut places, &all).len(), N - 4);
        assert_eq!(places.places, N, "a request takes what it needs");
        assert_eq!(ask(&mut places, &all), [0; 0]);
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
        assert!(Places::<f64>::new(N, &MemoryBudget::bytes(100), 0).is_err());
    }
}
