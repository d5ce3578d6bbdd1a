//! Points in integers of 16 bits.

use super::Rough;
use crate::products::integers::{HEIGHT, Hits, Instruction, Keys, WIDTH, put};
use crate::simd::arch;
use crate::{Points, Samples, Scalar};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The greatest norm in units of a step: coordinates are numbers of 16 bits, and sums of products of 32.
const GREATEST: f64 = 32_000.0;
/// The norms of the farthest points for which all factors are normal numbers in single precision.
const NORMS: Range<f64> = 1e-12..1e18;

/// Queries and points in integers of 16 bits, for processors with an instruction for their products (AVX-512 VNNI).
///
/// Inner products take half of the time of those in single precision: x ≈ x̂/s, where x̂ is s·x rounded to integers, s = 32 000/max ‖x‖, and
/// ⟨x, y⟩ ≈ ⟨x̂, ŷ⟩/(s·t), with t as s but of the points. [`errors`](Quantised::errors) bounds how far they are from the
/// exact ones.
///
/// # Examples
/// ```
/// use kern_core::{Geometry, Hits, Quantised, Rough, Samples};
/// let x = Samples::from_rows(&[[0.1, 0.2], [0.3, -0.4]])?;
/// let rough = Rough::new(&x, Geometry::InnerProduct).ok_or("there is memory")?;
/// // None on processors without the instruction.
/// if let Some(quantised) = Quantised::new(&rough, &rough, &[0.0; 2]) {
///     let mut limits = [f32::INFINITY; Quantised::QUERIES];
///     limits[..2].fill(0.0);
///     let mut hits = Hits::default();
///     quantised.exceeding((0..2, 0..2), &limits, &mut hits);
///     // ⟨x₀, x₀⟩ and ⟨x₁, x₁⟩ are greater than 0, ⟨x₀, x₁⟩ is not.
///     let keys: Vec<f32> = hits.iter().map(|(point, first, keys)| keys[point - first]).collect();
///     let error = (f64::from(keys[1]) - 0.25).abs();
///     assert!(keys.len() == 2 && error > 0.0 && error <= quantised.errors()[1] && error < 1e-4);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quantised {
    instruction: Instruction,
    /// Words of a point.
    depth: usize,
    /// 1/(s·t).
    unit: f32,
    /// In panels of [`QUERIES`](Quantised::QUERIES).
    queries: Vec<i32>,
    /// In groups of [`POINTS`](Quantised::POINTS).
    points: Vec<i32>,
    /// The number of points.
    n: usize,
    /// h of each point, and +∞ for what the last group is filled up with.
    penalties: Vec<f32>,
    errors: Vec<f64>,
}

impl Quantised {
    /// Queries that are worked on at once.
    pub const QUERIES: usize = HEIGHT;
    /// Points that are worked on at once.
    pub const POINTS: usize = WIDTH;

    /// Tells whether the processor has the instruction.
    #[must_use]
    pub fn is_available() -> bool {
        Instruction::new().is_some()
    }

    /// Rounds queries and points, of equal dimension, for keys ⟨x, y⟩ − h, with h given for each point. None if the processor has no such
    /// instruction, if all points of one side are too far from 1 in size for single precision, or if there is no memory.
    #[must_use]
    pub fn new(queries: &Rough<'_>, points: &Rough<'_>, penalties: &[f64]) -> Option<Self> {
        let instruction = Instruction::new()?;
        let (dim, n) = (queries.samples().dim(), points.samples().len());
        if (dim, n) != (points.samples().dim(), penalties.len()) {
            return None;
        }
        let x = Rounded::new(queries, HEIGHT)?;
        let y = Rounded::new(points, WIDTH)?;
        let offset = penalties.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
        let errors = errors((queries, &x), (points, &y), offset);
        let mut penalties: Vec<f32> = penalties.iter().map(|&h| f32::from_f64(h)).collect();
        penalties.resize(n.next_multiple_of(WIDTH), f32::INFINITY);
        let unit = f32::from_f64(1.0 / (f64::from(x.scale) * f64::from(y.scale)));
        let (depth, queries, points) = (words(dim), x.words, y.words);
        Some(Self { instruction, depth, unit, queries, points, n, penalties, errors })
    }

    /// The number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.n
    }

    /// For each query x a bound of the error of ⟨x, y⟩ − h for all points y, in the place of what [`Rough::errors`] compares with.
    ///
    /// # Numerics
    /// By Cauchy and Schwarz ⟨x, y⟩ errs by ‖x − x̂/s‖‖y‖ + ‖x̂/s‖‖y − ŷ/t‖, with norms of what was lost as it was found
    /// when rounding. The sum is exact; its conversion, the factor, h and the difference are rounded.
    #[must_use]
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// Adds to `hits` the keys ⟨x, y⟩ − h of some queries and some points that exceed the limits of the queries, with a number from
    /// the first of either.
    ///
    /// # Shapes and units
    /// Queries and points start at multiples of [`QUERIES`](Quantised::QUERIES) and [`POINTS`](Quantised::POINTS), and end at one
    /// or with the last. `limits` has a number for each query, and +∞ for what they are filled up with to a multiple.
    ///
    /// # Panics
    /// If the shapes are others.
    pub fn exceeding(
        &self,
        (queries, points): (Range<usize>, Range<usize>),
        limits: &[f32],
        hits: &mut Hits,
    ) {
        let (queries, points) = (whole(queries, HEIGHT), whole(points, WIDTH));
        // tidy: allow(panic) because of the `# Panics` section.
        assert_eq!(limits.len(), queries.len(), "a limit for each query of whole panels");
        let &Self { instruction, depth, unit, .. } = self;
        let words = |range: &Range<usize>| range.start * depth..range.end * depth;
        let sides = (&self.queries[words(&queries)], &self.points[words(&points)]);
        let keys = Keys { unit, penalties: &self.penalties[points], limits };
        instruction.exceeding(sides, depth, keys, hits);
    }
}

/// The range, filled up to whole pieces.
fn whole(range: Range<usize>, piece: usize) -> Range<usize> {
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert_eq!(range.start % piece, 0, "a range starts at a multiple of {piece}");
    range.start..range.end.next_multiple_of(piece)
}

/// The errors of keys of all queries.
fn errors(
    (queries, x): (&Rough<'_>, &Rounded),
    (points, y): (&Rough<'_>, &Rounded),
    offset: f64,
) -> Vec<f64> {
    let greatest = points.greatest();
    let lost = y.lost.iter().copied().fold(0.0, f64::max);
    let error = |(&squared, &own): (&f64, &f64)| {
        let norm = squared.sqrt();
        let quantised = own * greatest + (norm + own) * lost;
        let rounded = 8.0 * f32::UNIT_ROUNDOFF * (norm * greatest + quantised + offset);
        1.05 * (quantised + rounded + queries.own_error((norm, greatest), offset))
    };
    queries.squared_norms.iter().zip(&x.lost).map(error).collect()
}

/// One of both collections, rounded.
struct Rounded {
    /// x̂ of all points in pieces, two coordinates in a word, the last piece filled up with zeros.
    words: Vec<i32>,
    /// ‖x − x̂/s‖ at most.
    lost: Vec<f64>,
    /// s.
    scale: f32,
}

impl Rounded {
    /// In pieces of so many points.
    fn new(rough: &Rough<'_>, piece: usize) -> Option<Self> {
        let greatest = rough.greatest();
        if !NORMS.contains(&greatest) {
            return None;
        }
        let scale = f32::from_f64(GREATEST / greatest);
        let samples = rough.samples();
        let all = samples.len().next_multiple_of(piece).checked_mul(words(samples.dim()))?;
        let mut words = Vec::new();
        words.try_reserve_exact(all).ok()?;
        words.resize(all, 0);
        let squares = arch().dispatch(Quantise { samples, scale, piece, words: &mut words });
        // Besides, the rounding to single precision, if there was one, and that of s·x.
        let lost = |(&square, &norm): (&f32, &f64)| {
            1.05 * f64::from(square).sqrt() / f64::from(scale)
                + 2.1 * f32::UNIT_ROUNDOFF * norm.sqrt()
        };
        let lost = squares.iter().zip(&rough.squared_norms).map(lost).collect();
        Some(Self { words, lost, scale })
    }
}

/// Words of so many coordinates.
const fn words(dim: usize) -> usize {
    dim.div_ceil(2)
}

/// x̂ for all points, in pieces, and ‖s·x − x̂‖² of each.
struct Quantise<'a, 'b> {
    samples: &'a Samples<f32>,
    scale: f32,
    piece: usize,
    words: &'b mut [i32],
}

impl WithSimd for Quantise<'_, '_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        let Self { samples, scale, piece, words: all } = self;
        let mut vector = vec![0; words(samples.dim())];
        let mut squares = Vec::with_capacity(samples.len());
        // A loop: closures are not always compiled for the instruction set.
        for i in 0..samples.len() {
            squares.push(quantise(samples.item(i), scale, bytemuck::cast_slice_mut(&mut vector)));
            put(&vector, i, piece, all);
        }
        squares
    }
}

/// Coordinates that are rounded side by side.
const LANES: usize = 32;

/// Rounds s·x. ‖s·x − x̂‖².
#[inline(always)]
fn quantise(x: &[f32], scale: f32, to: &mut [i16]) -> f32 {
    let mut sums = [0.0; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    let (places, last) = to[..x.len()].as_chunks_mut::<LANES>();
    for (block, to) in blocks.iter().zip(places) {
        for i in 0..LANES {
            to[i] = round(scale * block[i], &mut sums[i]);
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        last[i] = round(scale * x, &mut sums[i]);
    }
    sums.iter().sum()
}

/// The nearest integer. The square of the difference is added to `sum`.
#[inline(always)]
fn round(x: f32, sum: &mut f32) -> i16 {
    let rounded = x.round_ties_even();
    let lost = x - rounded;
    *sum = lost.mul_add(lost, *sum);
    rounded as i16
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::contract::sample_sets;
    use crate::{Geometry, tile};
    use faer::Mat;

    #[test]
    fn errors_bound_both_geometries_of_both_precisions() {
        check::<f64>();
        check::<f32>();
    }

    fn check<T: Scalar>() {
        for dim in [1, 3, 31, 64, 300] {
            for (name, x) in sample_sets::<T>(dim).unwrap() {
                for geometry in [Geometry::InnerProduct, Geometry::Distance] {
                    let Some(rough) = Rough::new(&x, geometry) else { continue };
                    check_geometry((name, &x), &rough);
                }
            }
        }
    }

    /// Keys are those of tiles of the points themselves, but for what the bounds allow.
    fn check_geometry<T: Scalar>((name, x): (&str, &Samples<T>), rough: &Rough<'_>) {
        let n = x.len();
        let half: Vec<f64> = rough.squared_norms().iter().map(|squared| squared / 2.0).collect();
        let Some(quantised) = Quantised::new(rough, rough, &half) else { return };
        let mut limits = vec![f32::INFINITY; n.next_multiple_of(Quantised::QUERIES)];
        limits[..n].fill(f32::NEG_INFINITY);
        let mut hits = Hits::default();
        quantised.exceeding((0..n, 0..n), &limits, &mut hits);
        let mut exact = Mat::<T>::zeros(n, n);
        let all = tile::Tile::new(x, 0..n, x, 0..n);
        match rough.geometry() {
            Geometry::InnerProduct => {
                crate::Kernel::block(
                    &crate::kernels::Linear,
                    &all,
                    exact.as_mut(),
                    &mut crate::Scratch::new(),
                );
            }
            Geometry::Distance => {
                tile::squared_distance(&all, exact.as_mut(), &mut crate::Scratch::new())
            }
        }
        let mut found = 0;
        for (j, first, keys) in hits.iter() {
            for (i, &key) in (first..n).zip(keys) {
                let value = exact[(i, j)].to_f64();
                let expected = match rough.geometry() {
                    Geometry::InnerProduct => value - half[j],
                    Geometry::Distance => half[i] - value / 2.0,
                };
                let (error, bound) = ((f64::from(key) - expected).abs(), quantised.errors()[i]);
                assert!(error <= bound, "{name}, {}: {error:e}, {bound:e}", x.dim());
                found += 1;
            }
        }
        assert_eq!(found, n * n);
    }

    #[test]
    fn points_that_have_no_size_are_left() {
        let zero = Samples::from_row_major(2, vec![0.0_f64; 6]).unwrap();
        let rough = Rough::new(&zero, Geometry::Distance).unwrap();
        assert!(Quantised::new(&rough, &rough, &[0.0; 3]).is_none());
    }
}
