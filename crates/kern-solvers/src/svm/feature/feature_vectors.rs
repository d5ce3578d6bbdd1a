//! The features of the points of a block, dense or sparse, with the operations of a descent step.
//!
//! Sparse vectors with few distinct values, such as word counts, are grouped by value: four
//! features with the same value at a time ([`Quads`]).

use faer::MatRef;
use kern_core::memory::prefetch;
use kern_core::{Entry, Points, Scalar, SparseSamples};
use kern_gram::{matrix_bytes, parallel, tile_ranges};
use pulp::{Simd, WithSimd};

/// Weights that one thread updates at a time, for dense features.
const STRIPE: usize = 256;

/// Bytes to prefetch; the hardware prefetcher handles those that follow. 512 saves 14 % of a fit,
/// 256 and 768 save less.
const BEGINNING: usize = 512;

/// Partial sums of a dot product: the same number for every instruction set.
const DENSE_LANES: usize = 16;

/// Partial sums that hide the latency of addition; the loads of a sparse row are independent.
const SPARSE_LANES: usize = 4;

/// Vectors grouped by one thread.
const PART: usize = 512;
/// The largest number of distinct values of a vector for which grouping is tried.
const MOST: usize = 64;
/// Features that share a value in a [`Quad`].
const FOUR: usize = 4;
/// Grouping is used if at most one stored value in this many is left ungrouped: four grouped values
/// take 24 bytes instead of 64.
const SHARED: usize = 2;

/// The features of some points.
#[derive(Clone, Copy)]
pub(super) enum Vectors<'z, T: Scalar> {
    /// One column per point.
    Dense(MatRef<'z, T>),
    /// The non-zero values of the points with these indices.
    Sparse(&'z SparseSamples<T>, &'z [usize]),
    /// Sparse vectors grouped by value.
    Quads(&'z Quads<T>),
}

impl<T: Scalar> Vectors<'_, T> {
    /// wᵀz of point `j`, in double precision.
    #[inline(always)]
    pub(super) fn dot(self, w: &[f64], j: usize) -> f64 {
        match self {
            Self::Dense(z) => dot(w, column(z, j)),
            Self::Sparse(points, order) => sparse_dot(w, points.item(order[j])),
            Self::Quads(quads) => quads.dot(w, j),
        }
    }

    /// Prefetches the first features of point `j`, which is visited soon.
    #[inline(always)]
    pub(super) fn request(self, j: usize) {
        match self {
            Self::Dense(z) => prefetch(column(z, j), BEGINNING),
            Self::Sparse(points, order) => prefetch(points.item(order[j]), BEGINNING),
            Self::Quads(quads) => quads.request(j),
        }
    }

    /// w ← w + t·z.
    #[inline(always)]
    pub(super) fn add(self, w: &mut [f64], t: f64, j: usize) {
        self.add_from(w, 0, t, j);
    }

    /// As [`add`](Vectors::add), to the weights from `start` on. Sparse features are added to all
    /// weights at once.
    #[inline(always)]
    fn add_from(self, w: &mut [f64], start: usize, t: f64, j: usize) {
        match self {
            Self::Dense(z) => add(w, t, &column(z, j)[start..]),
            Self::Sparse(points, order) => sparse_add(w, t, points.item(order[j])),
            Self::Quads(quads) => quads.add(w, t, j),
        }
    }

    /// The number of weights, out of `dim`, that one thread updates at a time.
    pub(super) fn stripe(self, dim: usize) -> usize {
        match self {
            Self::Dense(_) => STRIPE,
            Self::Sparse(..) | Self::Quads(_) => dim.max(1),
        }
    }

    /// ‖z‖².
    pub(super) fn square(self, j: usize) -> f64 {
        match self {
            Self::Dense(z) => column(z, j).iter().map(|&z| square(z)).sum(),
            Self::Sparse(points, order) => sparse_square(points.item(order[j])),
            Self::Quads(quads) => quads.square(j),
        }
    }

    /// z as a dense vector in double precision.
    pub(super) fn wide(self, dim: usize, j: usize) -> Vec<f64> {
        let mut wide = vec![0.0; dim];
        self.add(&mut wide, 1.0, j);
        wide
    }
}

/// w ← w + Σβz, on a stripe of w.
pub(super) struct Gather<'a, T: Scalar> {
    pub(super) w: &'a mut [f64],
    pub(super) start: usize,
    pub(super) terms: &'a [(usize, f64)],
    pub(super) z: Vectors<'a, T>,
}

impl<T: Scalar> WithSimd for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { w, start, terms, z } = self;
        for &(j, beta) in terms {
            z.add_from(w, start, beta, j);
        }
    }
}

/// wᵀz for a list of points.
pub(super) struct Products<'a, T: Scalar> {
    pub(super) w: &'a [f64],
    pub(super) columns: Vec<usize>,
    pub(super) z: Vectors<'a, T>,
}

impl<T: Scalar> WithSimd for Products<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let Self { w, columns, z } = self;
        // A loop: code that collects an iterator is not compiled for this instruction set.
        let mut values = Vec::with_capacity(columns.len());
        for j in columns {
            values.push(z.dot(w, j));
        }
        values
    }
}

/// The features of one point.
#[inline(always)]
fn column<T: Scalar>(z: MatRef<'_, T>, j: usize) -> &[T] {
    z.col(j).try_as_col_major().map_or(&[], |column| column.as_slice())
}

/// wᵀz in double precision.
#[inline(always)]
fn dot<T: Scalar>(w: &[f64], z: &[T]) -> f64 {
    let (wide, rest) = w.as_chunks::<DENSE_LANES>();
    let (z, z_rest) = z.as_chunks::<DENSE_LANES>();
    let mut sums = [0.0; DENSE_LANES];
    for (w, z) in wide.iter().zip(z) {
        for ((sum, w), z) in sums.iter_mut().zip(w).zip(z) {
            *sum = w.mul_add(z.to_f64(), *sum);
        }
    }
    for ((sum, w), z) in sums.iter_mut().zip(rest).zip(z_rest) {
        *sum = w.mul_add(z.to_f64(), *sum);
    }
    let mut half = DENSE_LANES / 2;
    while half > 0 {
        (0..half).for_each(|l| sums[l] += sums[l + half]);
        half /= 2;
    }
    sums[0]
}

/// w ← w + t·z.
#[inline(always)]
fn add<T: Scalar>(w: &mut [f64], t: f64, z: &[T]) {
    for (w, z) in w.iter_mut().zip(z) {
        *w = t.mul_add(z.to_f64(), *w);
    }
}

#[inline(always)]
fn sparse_dot<T: Scalar>(w: &[f64], z: &[Entry<T>]) -> f64 {
    let (wide, rest) = z.as_chunks::<SPARSE_LANES>();
    let mut sums = [0.0; SPARSE_LANES];
    for entries in wide {
        for (sum, entry) in sums.iter_mut().zip(entries) {
            *sum = w[entry.feature as usize].mul_add(entry.value.to_f64(), *sum);
        }
    }
    for (sum, entry) in sums.iter_mut().zip(rest) {
        *sum = w[entry.feature as usize].mul_add(entry.value.to_f64(), *sum);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[inline(always)]
fn sparse_add<T: Scalar>(w: &mut [f64], t: f64, z: &[Entry<T>]) {
    for entry in z {
        let weight = &mut w[entry.feature as usize];
        *weight = t.mul_add(entry.value.to_f64(), *weight);
    }
}

fn sparse_square<T: Scalar>(z: &[Entry<T>]) -> f64 {
    z.iter().map(|entry| square(entry.value)).sum()
}

/// The square in double precision.
fn square<T: Scalar>(z: T) -> f64 {
    z.to_f64() * z.to_f64()
}

/// Sparse vectors grouped by value. A single loop over pieces of equal length makes this fast: a
/// loop per distinct value takes twice as long, because branch prediction misses its end.
pub(super) struct Quads<T> {
    parts: Vec<Part<T>>,
}

impl<T: Scalar> Quads<T> {
    /// An upper bound of the memory for grouping these points.
    pub(super) fn bytes(points: &SparseSamples<T>) -> u64 {
        matrix_bytes::<Entry<T>>(points.stored(), 2)
    }

    /// Groups the points with these indices, if enough features share values.
    pub(super) fn of(points: &SparseSamples<T>, order: &[usize]) -> Option<Self> {
        let parts = tile_ranges(order.len(), PART);
        let group = |buffers: &mut _, part| Part::of(points, &order[part], buffers);
        let parts = parallel::map_init(parts, Buffers::new, group);
        let parts: Vec<Part<T>> = parts.into_iter().collect::<Option<_>>()?;
        let rest: usize = parts.iter().map(|part| part.rest.len()).sum();
        (SHARED * rest <= points.stored()).then_some(Self { parts })
    }

    /// The quads of vector `j`, and its ungrouped entries.
    #[inline(always)]
    fn vector(&self, j: usize) -> (&[Quad<T>], &[Entry<T>]) {
        let (part, j) = (&self.parts[j / PART], j % PART);
        let ((quad, rest), (last_quad, last)) = (part.starts[j], part.starts[j + 1]);
        (&part.quads[quad..last_quad], &part.rest[rest..last])
    }

    /// Prefetches the first quads of vector `j`.
    #[inline(always)]
    fn request(&self, j: usize) {
        prefetch(self.vector(j).0, BEGINNING);
    }

    /// wᵀz of vector `j`.
    #[inline(always)]
    fn dot(&self, w: &[f64], j: usize) -> f64 {
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
    fn add(&self, w: &mut [f64], t: f64, j: usize) {
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
    fn square(&self, j: usize) -> f64 {
        let (quads, rest) = self.vector(j);
        let of_quads: f64 = quads.iter().map(|quad| square(quad.value)).sum();
        (FOUR as f64).mul_add(of_quads, sparse_square(rest))
    }
}

/// A contiguous part of the vectors.
struct Part<T> {
    /// The offsets in `quads` and `rest` at which vectors begin, and at which the last one ends.
    starts: Vec<(usize, usize)>,
    quads: Vec<Quad<T>>,
    /// Entries with values that fewer than four remaining features share.
    rest: Vec<Entry<T>>,
}

impl<T: Scalar> Part<T> {
    /// Groups the points with these indices; `None` if one has too many distinct values or the
    /// memory cannot be allocated.
    fn of(points: &SparseSamples<T>, order: &[usize], buffers: &mut Buffers<T>) -> Option<Self> {
        let stored: usize = order.iter().map(|&i| points.item(i).len()).sum();
        let mut part = Self { starts: vec![(0, 0)], quads: Vec::new(), rest: Vec::new() };
        part.quads.try_reserve_exact(stored / FOUR).ok()?;
        for (at, &i) in order.iter().enumerate() {
            // Points come in random order, which the hardware prefetcher cannot predict.
            if let Some(&next) = order.get(at + 1) {
                prefetch(points.item(next), usize::MAX);
            }
            part.push(points.item(i), buffers)?;
        }
        Some(part)
    }

    /// Appends a vector, one distinct value after the other. The target of an entry is computed
    /// without a branch, which would be unpredictable and make grouping four times slower.
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

/// A value, and four features that have it.
#[derive(Clone, Copy)]
struct Quad<T> {
    value: T,
    features: [u32; FOUR],
}

impl<T: Scalar> Quad<T> {
    /// Adds the term of each feature to its own sum.
    #[inline(always)]
    fn join(&self, w: &[f64], sums: &mut [f64; FOUR]) {
        let value = self.value.to_f64();
        for (sum, &feature) in sums.iter_mut().zip(&self.features) {
            *sum = w[feature as usize].mul_add(value, *sum);
        }
    }
}

/// Buffers: the entries of a vector that are not grouped yet, and the features with the current
/// value.
struct Buffers<T> {
    left: Vec<Entry<T>>,
    same: Vec<u32>,
}

impl<T> Buffers<T> {
    const fn new() -> Self {
        Self { left: Vec::new(), same: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::{MOST, PART, Quads};
    use kern_core::{Points, SparseSamples};

    /// Counts with up to `values` distinct values, more vectors than a part holds, some of them
    /// empty.
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
