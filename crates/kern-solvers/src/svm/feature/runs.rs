//! Sparse vectors of few different values, as counts of words are: each value once, with the features that have it.

use kern_core::{Entry, Points, Scalar, SparseSamples};
use kern_gram::{matrix_bytes, parallel, tile_ranges};

/// Vectors that are grouped by one thread.
const PART: usize = 512;
/// The most different values of a vector that it is worth looking for.
const MOST: usize = 64;
/// Features that share a value, on average, from which on they are grouped: an entry takes 16 bytes, its feature alone 4.
const SHARED: usize = 4;
/// Partial sums that hide the latency of the addition.
const LANES: usize = 8;

/// Vectors by their values.
pub(super) struct Runs<T> {
    parts: Vec<Part<T>>,
}

/// Some of the vectors, one after the other.
struct Part<T> {
    /// The places in `runs` and `features` where vectors begin, and where the last one ends.
    starts: Vec<(usize, usize)>,
    runs: Vec<Run<T>>,
    features: Vec<u32>,
}

/// A value, and the number of features of the vector that have it, or one of those before.
#[derive(Clone, Copy)]
struct Run<T> {
    value: T,
    end: u32,
}

impl<T: Scalar> Runs<T> {
    /// The most memory that grouping the points of these places takes.
    pub(super) fn bytes(points: &SparseSamples<T>, order: &[usize]) -> u64 {
        let features = matrix_bytes::<u32>(points.stored(), 1);
        let runs = matrix_bytes::<Run<T>>(MOST.min(points.stored()), order.len());
        features.saturating_add(runs.saturating_mul(2))
    }

    /// The points of these places, if features share values.
    pub(super) fn of(points: &SparseSamples<T>, order: &[usize]) -> Option<Self> {
        let parts = tile_ranges(order.len(), PART);
        let group = |places: &mut Vec<u8>, part| Part::of(points, &order[part], places);
        let parts: Option<Vec<Part<T>>> =
            parallel::map_init(parts, Vec::new, group).into_iter().collect();
        let parts = parts?;
        let runs: usize = parts.iter().map(|part| part.runs.len()).sum();
        (SHARED * runs <= points.stored()).then_some(Self { parts })
    }

    /// The runs of vector `j`, and its features.
    #[inline(always)]
    fn vector(&self, j: usize) -> (&[Run<T>], &[u32]) {
        let (part, j) = (&self.parts[j / PART], j % PART);
        let ((run, feature), (last_run, last)) = (part.starts[j], part.starts[j + 1]);
        (&part.runs[run..last_run], &part.features[feature..last])
    }

    /// wᵀz of vector `j`. Loops as they are written become part of the vectorised function that calls them; an iterator of runs
    /// did not.
    #[inline(always)]
    pub(super) fn dot(&self, w: &[f64], j: usize) -> f64 {
        let (runs, features) = self.vector(j);
        let (mut sum, mut start) = (0.0, 0);
        for run in runs {
            let end = run.end as usize;
            sum = run.value.to_f64().mul_add(total(w, &features[start..end]), sum);
            start = end;
        }
        sum
    }

    /// w ← w + t·z.
    #[inline(always)]
    pub(super) fn add(&self, w: &mut [f64], t: f64, j: usize) {
        let (runs, features) = self.vector(j);
        let mut start = 0;
        for run in runs {
            let (end, term) = (run.end as usize, t * run.value.to_f64());
            for &feature in &features[start..end] {
                w[feature as usize] += term;
            }
            start = end;
        }
    }

    /// ‖z‖².
    pub(super) fn square(&self, j: usize) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for run in self.vector(j).0 {
            sum += run.value.to_f64().powi(2) * f64::from(run.end - start);
            start = run.end;
        }
        sum
    }
}

/// Σw of some features.
#[inline(always)]
fn total(w: &[f64], features: &[u32]) -> f64 {
    let (wide, rest) = features.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for features in wide {
        for (sum, &feature) in sums.iter_mut().zip(features) {
            *sum += w[feature as usize];
        }
    }
    for (sum, &feature) in sums.iter_mut().zip(rest) {
        *sum += w[feature as usize];
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

impl<T: Scalar> Part<T> {
    /// The points of these places, unless one has too many values or the system refuses the memory.
    fn of(points: &SparseSamples<T>, order: &[usize], places: &mut Vec<u8>) -> Option<Self> {
        let stored = order.iter().map(|&i| points.item(i).len()).sum();
        let mut part = Self { starts: vec![(0, 0)], runs: Vec::new(), features: Vec::new() };
        part.features.try_reserve_exact(stored).ok()?;
        order.iter().try_for_each(|&i| part.push(points.item(i), places))?;
        Some(part)
    }

    /// One vector more: its values are counted, then each feature is put to those of its value.
    fn push(&mut self, vector: &[Entry<T>], places: &mut Vec<u8>) -> Option<()> {
        let (first, start) = (self.runs.len(), self.features.len());
        places.clear();
        let mut place = 0;
        for entry in vector {
            let known = &self.runs[first..];
            // Neighbours often have the same value.
            if known.get(place).is_none_or(|run| run.value != entry.value) {
                let found = known.iter().position(|run| run.value == entry.value);
                place = found.unwrap_or(known.len());
            }
            if place == MOST {
                return None;
            }
            if place == known.len() {
                self.runs.push(Run { value: entry.value, end: 0 });
            }
            self.runs[first + place].end += 1;
            places.push(place as u8);
        }
        let mut before = 0;
        for run in &mut self.runs[first..] {
            before += std::mem::replace(&mut run.end, before);
        }
        self.features.resize(start + vector.len(), 0);
        for (entry, &place) in vector.iter().zip(&*places) {
            let end = &mut self.runs[first + usize::from(place)].end;
            self.features[start + *end as usize] = entry.feature;
            *end += 1;
        }
        self.starts.push((self.runs.len(), self.features.len()));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{MOST, PART, Runs};
    use kern_core::{Points, SparseSamples};

    /// Counts of up to `values` different values, more vectors than a part has, some of them empty.
    fn counts(values: usize) -> SparseSamples<f64> {
        let row = |i: usize| -> Vec<(u32, f64)> {
            let feature = |k: usize| (k * 7 % 1000) as u32;
            let value = |k: usize| (1 + (k * 31 + i) % values) as f64 / 3.0;
            (0..i % 5 * 100).map(|k| (feature(k), value(k))).collect()
        };
        let rows: Vec<_> = (0..PART + 10).map(row).collect();
        SparseSamples::from_rows(1000, &rows).unwrap()
    }

    #[test]
    fn vectors_by_values_are_the_vectors() {
        let x = counts(6);
        let order: Vec<usize> = (0..x.len()).rev().collect();
        let runs = Runs::of(&x, &order).unwrap();
        let w: Vec<f64> = (0..1000).map(|k| ((k * 31) % 97) as f64 - 40.0).collect();
        for (j, &i) in order.iter().enumerate() {
            let dot: f64 = x.item(i).iter().map(|e| w[e.feature as usize] * e.value).sum();
            assert!((runs.dot(&w, j) - dot).abs() < 1e-10, "{i}");
            let square: f64 = x.item(i).iter().map(|e| e.value * e.value).sum();
            assert!((runs.square(j) - square).abs() <= 1e-12 * square, "{i}");
            let mut sum = w.clone();
            runs.add(&mut sum, -2.0, j);
            for e in x.item(i) {
                sum[e.feature as usize] += 2.0 * e.value;
            }
            assert!(sum.iter().zip(&w).all(|(a, b)| (a - b).abs() < 1e-12), "{i}");
        }
    }

    #[test]
    fn vectors_of_many_values_stay_as_they_are() {
        let order = |x: &SparseSamples<f64>| (0..x.len()).collect::<Vec<_>>();
        for values in [MOST + 1, 2 * MOST] {
            let x = counts(values);
            assert!(Runs::of(&x, &order(&x)).is_none());
        }
        let few = SparseSamples::from_rows(3, &[[(0, 1.0), (1, 2.0), (2, 3.0)]]).unwrap();
        assert!(Runs::of(&few, &order(&few)).is_none());
    }
}
