//! Sparse vectors of few different values, as counts of words are: four features of one value at a time.

use super::vectors::{BEGINNING, sparse_add, sparse_dot, sparse_square, square};
use kern_core::memory::prefetch;
use kern_core::{Entry, Points, Scalar, SparseSamples};
use kern_gram::{matrix_bytes, parallel, tile_ranges};

/// Vectors that are grouped by one thread.
const PART: usize = 512;
/// The most different values of a vector that it is worth looking for.
const MOST: usize = 64;
/// Features that share a value.
const FOUR: usize = 4;
/// Of so many numbers all but one must have three others of the same value: four of these take 24 bytes in the place of 64.
const SHARED: usize = 2;

/// Vectors by their values. One loop over equal pieces is what makes them fast: loops over as many features as there are of each
/// value take twice as long, since processors do not foresee where they end.
pub(super) struct Quads<T> {
    parts: Vec<Part<T>>,
}

/// Some of the vectors, one after the other.
struct Part<T> {
    /// The places in `quads` and `rest` where vectors begin, and where the last one ends.
    starts: Vec<(usize, usize)>,
    quads: Vec<Quad<T>>,
    /// Entries of values that have fewer than four features left.
    rest: Vec<Entry<T>>,
}

/// A value, and features that have it.
#[derive(Clone, Copy)]
struct Quad<T> {
    value: T,
    features: [u32; FOUR],
}

/// The entries of a vector that are not grouped yet, and the features of one value.
struct Buffers<T> {
    left: Vec<Entry<T>>,
    same: Vec<u32>,
}

impl<T> Buffers<T> {
    const fn new() -> Self {
        Self { left: Vec::new(), same: Vec::new() }
    }
}

impl<T: Scalar> Quads<T> {
    /// The most memory that grouping these points takes.
    pub(super) fn bytes(points: &SparseSamples<T>) -> u64 {
        matrix_bytes::<Entry<T>>(points.stored(), 2)
    }

    /// The points of these places, if features share values.
    pub(super) fn of(points: &SparseSamples<T>, order: &[usize]) -> Option<Self> {
        let parts = tile_ranges(order.len(), PART);
        let group = |buffers: &mut _, part| Part::of(points, &order[part], buffers);
        let parts = parallel::map_init(parts, Buffers::new, group);
        let parts: Vec<Part<T>> = parts.into_iter().collect::<Option<_>>()?;
        let rest: usize = parts.iter().map(|part| part.rest.len()).sum();
        (SHARED * rest <= points.stored()).then_some(Self { parts })
    }

    /// The quads of vector `j`, and the rest.
    #[inline(always)]
    fn vector(&self, j: usize) -> (&[Quad<T>], &[Entry<T>]) {
        let (part, j) = (&self.parts[j / PART], j % PART);
        let ((quad, rest), (last_quad, last)) = (part.starts[j], part.starts[j + 1]);
        (&part.quads[quad..last_quad], &part.rest[rest..last])
    }

    /// Asks for the first quads of vector `j`.
    #[inline(always)]
    pub(super) fn request(&self, j: usize) {
        prefetch(self.vector(j).0, BEGINNING);
    }

    /// wᵀz of vector `j`.
    #[inline(always)]
    pub(super) fn dot(&self, w: &[f64], j: usize) -> f64 {
        let (quads, rest) = self.vector(j);
        let (pairs, last) = quads.as_chunks::<2>();
        // Eight sums hide the latency of the multiply-add.
        let mut sums = [[0.0; FOUR]; 2];
        for pair in pairs {
            for (sums, quad) in sums.iter_mut().zip(pair) {
                quad.join(w, sums);
            }
        }
        for (sums, quad) in sums.iter_mut().zip(last) {
            quad.join(w, sums);
        }
        let [[a, b, c, d], [e, f, g, h]] = sums;
        ((a + e) + (b + f)) + ((c + g) + (d + h)) + sparse_dot(w, rest)
    }

    /// w ← w + t·z.
    #[inline(always)]
    pub(super) fn add(&self, w: &mut [f64], t: f64, j: usize) {
        let (quads, rest) = self.vector(j);
        for quad in quads {
            let term = t * quad.value.to_f64();
            for &feature in &quad.features {
                w[feature as usize] += term;
            }
        }
        sparse_add(w, t, rest);
    }

    /// ‖z‖².
    pub(super) fn square(&self, j: usize) -> f64 {
        let (quads, rest) = self.vector(j);
        let of_quads: f64 = quads.iter().map(|quad| square(quad.value)).sum();
        (FOUR as f64).mul_add(of_quads, sparse_square(rest))
    }
}

impl<T: Scalar> Quad<T> {
    /// Adds the terms of the features to a sum each.
    #[inline(always)]
    fn join(&self, w: &[f64], sums: &mut [f64; FOUR]) {
        let value = self.value.to_f64();
        for (sum, &feature) in sums.iter_mut().zip(&self.features) {
            *sum = w[feature as usize].mul_add(value, *sum);
        }
    }
}

impl<T: Scalar> Part<T> {
    /// The points of these places, unless one has too many values or the system refuses the memory.
    fn of(points: &SparseSamples<T>, order: &[usize], buffers: &mut Buffers<T>) -> Option<Self> {
        let stored: usize = order.iter().map(|&i| points.item(i).len()).sum();
        let mut part = Self { starts: vec![(0, 0)], quads: Vec::new(), rest: Vec::new() };
        part.quads.try_reserve_exact(stored / FOUR).ok()?;
        for (at, &i) in order.iter().enumerate() {
            // Points come in a random order, which the processor does not foresee.
            if let Some(&next) = order.get(at + 1) {
                prefetch(points.item(next), usize::MAX);
            }
            part.push(points.item(i), buffers)?;
        }
        Some(part)
    }

    /// One vector more: its values one after the other, each with all of its features. Where an entry goes is not a branch:
    /// processors do not foresee it, and grouping then takes four times as long.
    fn push(&mut self, vector: &[Entry<T>], buffers: &mut Buffers<T>) -> Option<()> {
        let Buffers { left, same } = buffers;
        left.clear();
        left.extend_from_slice(vector);
        same.resize(vector.len(), 0);
        let mut values = 0;
        while let Some(&Entry { value, .. }) = left.first() {
            values += 1;
            if values > MOST {
                return None;
            }
            let mut having = 0;
            for at in 0..left.len() {
                let entry = left[at];
                (same[having], left[at - having]) = (entry.feature, entry);
                having += usize::from(entry.value == value);
            }
            left.truncate(left.len() - having);
            let (fours, last) = same[..having].as_chunks();
            self.quads.extend(fours.iter().map(|&features| Quad { value, features }));
            self.rest.extend(last.iter().map(|&feature| Entry { feature, value }));
        }
        self.starts.push((self.quads.len(), self.rest.len()));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{MOST, PART, Quads};
    use kern_core::{Points, SparseSamples};

    /// Counts of up to `values` different values, more vectors than a part has, some of them empty.
    fn counts(values: usize) -> SparseSamples<f64> {
        let row = |i: usize| -> Vec<(u32, f64)> {
            let feature = |k: usize| (k * 7 % 1000) as u32;
            let value = |k: usize| (1 + (k * 31 + i) % values) as f64 / 3.0;
            (0..i % 5 * 103).map(|k| (feature(k), value(k))).collect()
        };
        let rows: Vec<_> = (0..PART + 10).map(row).collect();
        SparseSamples::from_rows(1000, &rows).unwrap()
    }

    #[test]
    fn vectors_by_values_are_the_vectors() {
        let x = counts(6);
        let order: Vec<usize> = (0..x.len()).rev().collect();
        let quads = Quads::of(&x, &order).unwrap();
        let w: Vec<f64> = (0..1000).map(|k| ((k * 31) % 97) as f64 - 40.0).collect();
        for (j, &i) in order.iter().enumerate() {
            let dot: f64 = x.item(i).iter().map(|e| w[e.feature as usize] * e.value).sum();
            assert!((quads.dot(&w, j) - dot).abs() < 1e-10, "{i}");
            let square: f64 = x.item(i).iter().map(|e| e.value * e.value).sum();
            assert!((quads.square(j) - square).abs() <= 1e-12 * square, "{i}");
            let mut sum = w.clone();
            quads.add(&mut sum, -2.0, j);
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
            assert!(Quads::of(&x, &order(&x)).is_none());
        }
        let few = SparseSamples::from_rows(3, &[[(0, 1.0), (1, 2.0), (2, 3.0)]]).unwrap();
        assert!(Quads::of(&few, &order(&few)).is_none());
    }
}
