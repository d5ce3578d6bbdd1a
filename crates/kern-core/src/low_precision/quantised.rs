//! Quantised points: centred, scaled and rounded to 16-bit integers, packed for products.

use super::SinglePrecision;
use super::centring::norm;
use crate::products::integer_products::{HEIGHT, Hits, Instruction, Keys, WIDTH, put};
use crate::simd::arch;
use crate::{Points, Samples, Scalar};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The largest error of the original keys, relative to the largest ‖x‖²; beyond it, no small set of
/// nearest points can be separated.
const COARSE: f64 = 1e-3;

/// Queries and points quantised to 16-bit integers, for processors with an instruction for their
/// products (AVX-512 VNNI).
///
/// Inner products take half the time of those in single precision: x ≈ x̂/s, where x̂ is s·x
/// rounded to integers and s = 31 000/max ‖x‖, and ⟨x, y⟩ ≈ ⟨x̂, ŷ⟩/(s·t), with t the scale of the
/// points. [`errors`](Quantised::errors) bounds the difference to the exact values. If the points
/// lie together far from the origin, both sides are centred first, which lowers the products of a
/// query by a value that is the same for all points.
///
/// # Examples
/// ```
/// use kern_core::{Geometry, Hits, Quantised, SinglePrecision, Samples};
/// let x = Samples::from_rows(&[[0.1, 0.2], [0.3, -0.4]])?;
/// let single = SinglePrecision::new(&x, Geometry::InnerProduct).ok_or("there is memory")?;
/// // None on processors without the instruction.
/// if let Some(quantised) = Quantised::new(&single, &single, &[0.0; 2]) {
///     let mut limits = [f32::INFINITY; Quantised::QUERIES];
///     limits[..2].fill(f32::NEG_INFINITY);
///     let mut hits = Hits::default();
///     quantised.exceeding(0..2, 0..2, &limits, &mut hits);
///     let keys: Vec<f64> = hits.iter().map(|(_, _, keys)| f64::from(keys[0])).collect();
///     // ⟨x₀, x₁⟩.
///     let error = (keys[1] + quantised.origins()[0] + 0.05).abs();
///     assert!(keys.len() == 2 && error <= quantised.errors()[0] && error < 1e-4);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quantised {
    instruction: Instruction,
    /// Words per point.
    depth: usize,
    /// 1/(s·t).
    unit: f32,
    /// Packed in panels of [`QUERIES`](Quantised::QUERIES).
    queries: Vec<i32>,
    /// Packed in groups of [`POINTS`](Quantised::POINTS).
    points: Vec<i32>,
    /// The number of points.
    n: usize,
    /// The penalty h of each point, and +∞ for the padding of the last group.
    penalties: Vec<f32>,
    /// For each query, the value that centring has subtracted from its keys.
    origins: Vec<f64>,
    errors: Vec<f64>,
}

impl Quantised {
    /// Queries per panel.
    pub const QUERIES: usize = HEIGHT;
    /// Points per group.
    pub const POINTS: usize = WIDTH;

    /// Returns true if the processor has the instruction.
    #[must_use]
    pub fn is_available() -> bool {
        Instruction::new().is_some()
    }

    /// Quantises queries and points, of equal dimension, for keys ⟨x, y⟩ − h, with h given for each
    /// point. Returns `None` if the processor does not have the instruction, if the norms of one
    /// side are outside of the range of single precision, if the errors of the original keys are
    /// too large to separate the points, or if the allocation fails.
    ///
    /// # Complexity
    /// Two bytes for each coordinate.
    #[must_use]
    pub fn new(
        queries: &SinglePrecision<'_>,
        points: &SinglePrecision<'_>,
        penalties: &[f64],
    ) -> Option<Self> {
        let instruction = Instruction::new()?;
        let (dim, n) = (queries.samples().dim(), points.samples().len());
        if (dim, n) != (points.samples().dim(), penalties.len()) {
            return None;
        }
        let offset = largest(penalties);
        let centre = points.centre();
        let (x, y) =
            (Moved::new(queries, centre.as_deref())?, Moved::new(points, centre.as_deref())?);
        let (farthest, moved_farthest) = (points.largest(), y.largest);
        if points.own_error(farthest, farthest, offset) > COARSE * moved_farthest.powi(2) {
            return None;
        }
        let (moved, origins) = match &centre {
            Some(centre) => {
                let (moved, smallest) = points.moved_penalties(penalties, centre);
                (moved, queries.origins(centre).map(|origin| origin - smallest).collect())
            }
            None => (penalties.to_vec(), vec![0.0; queries.samples().len()]),
        };
        let (x, y) = (x.rounded(HEIGHT)?, y.rounded(WIDTH)?);
        let errors = Errors {
            farthest: [farthest, moved_farthest],
            lost: y.lost.iter().copied().fold(0.0, f64::max),
            offsets: [offset, largest(&moved)],
            moved: centre.as_deref().map_or(0.0, norm),
        };
        let errors = errors.of(queries, &x);
        let mut penalties: Vec<f32> = moved.into_iter().map(f32::from_f64).collect();
        penalties.resize(n.next_multiple_of(WIDTH), f32::INFINITY);
        let unit = f32::from_f64(1.0 / (f64::from(x.scale) * f64::from(y.scale)));
        let (depth, queries, points) = (words(dim), x.words, y.words);
        Some(Self { instruction, depth, unit, queries, points, n, penalties, origins, errors })
    }

    /// The number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.n
    }

    /// For each query, the value that centring has subtracted from its keys, the same for all
    /// points: add it to obtain ⟨x, y⟩ − h.
    #[must_use]
    pub fn origins(&self) -> &[f64] {
        &self.origins
    }

    /// For each query x, an error bound on ⟨x, y⟩ − h for all points y, after
    /// [origins](Quantised::origins) are added, relative to the same exact values as in
    /// [`SinglePrecision::errors`].
    ///
    /// # Numerics
    /// By the Cauchy–Schwarz inequality ⟨x, y⟩ has an error of ‖x − x̂/s‖‖y‖ + ‖x̂/s‖‖y − ŷ/t‖,
    /// with the norms of the rounding errors measured during quantisation. The sum is exact; its
    /// conversion, the factor, h and the difference are rounded. If points are centred by c, x − c,
    /// y − c and ⟨c, y⟩, which becomes a part of h, are rounded, too.
    #[must_use]
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// Adds to `hits` the keys ⟨x, y⟩ − h of ranges of queries and points that exceed the
    /// thresholds of the queries. Indices in `hits` are relative to the start of each range.
    ///
    /// # Shapes and units
    /// Ranges of queries and points start at multiples of [`QUERIES`](Quantised::QUERIES) and
    /// [`POINTS`](Quantised::POINTS), and end at one or with the last. `limits` has one threshold
    /// for each query, and +∞ for the padding to a multiple.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn exceeding(
        &self,
        queries: Range<usize>,
        points: Range<usize>,
        limits: &[f32],
        hits: &mut Hits,
    ) {
        let (queries, points) = (whole(queries, HEIGHT), whole(points, WIDTH));
        assert_eq!(limits.len(), queries.len(), "a limit for each query of whole panels");
        let &Self { instruction, depth, unit, .. } = self;
        let words = |range: &Range<usize>| range.start * depth..range.end * depth;
        let (panels, groups) = (&self.queries[words(&queries)], &self.points[words(&points)]);
        let keys = Keys { unit, penalties: &self.penalties[points], limits };
        instruction.exceeding(panels, groups, depth, keys, hits);
    }
}

/// The range, extended to whole pieces.
fn whole(range: Range<usize>, piece: usize) -> Range<usize> {
    // tidy: allow(panic) because the public callers carry the `# Panics` section.
    assert_eq!(range.start % piece, 0, "a range starts at a multiple of {piece}");
    range.start..range.end.next_multiple_of(piece)
}

/// The largest |h|.
fn largest(penalties: &[f64]) -> f64 {
    penalties.iter().fold(0.0, |most: f64, h| most.max(h.abs()))
}

/// The parts of the error bounds that depend on the points.
struct Errors {
    /// The largest ‖y‖ and ‖y − c‖.
    farthest: [f64; 2],
    /// The largest rounding error of any y − c.
    lost: f64,
    /// The largest |h|, as given and after centring.
    offsets: [f64; 2],
    /// ‖c‖.
    moved: f64,
}

impl Errors {
    /// The error bound of each query.
    fn of(&self, queries: &SinglePrecision<'_>, x: &Rounded) -> Vec<f64> {
        let u = f32::UNIT_ROUNDOFF;
        let &Self { farthest: [farthest, largest], lost, offsets: [offset, moved_offset], moved } =
            self;
        let error = |((&squared, &rounding), &norm): ((&f64, &f64), &f64)| {
            let quantised = rounding * largest + (norm + rounding) * lost;
            let rounded = 8.0 * u * (norm * largest + quantised + moved_offset);
            let own = squared.sqrt();
            let of_centre = u * moved * (own + farthest);
            let of_points = queries.own_error(own, farthest, offset);
            1.05 * (quantised + rounded + of_centre + of_points)
        };
        queries.squared_norms.iter().zip(&x.lost).zip(&x.norms).map(error).collect()
    }
}

/// The largest norm after scaling: with all errors of norms, coordinates fit into 16 bits, and sums
/// of products into 32.
const LARGEST: f64 = 31_000.0;
/// The largest norms for which all factors are normal numbers in single precision.
const NORMS: Range<f64> = 1e-12..1e18;

/// One of both collections, to be centred by c.
struct Moved<'a> {
    single_precision: &'a SinglePrecision<'a>,
    centre: Option<&'a [f32]>,
    /// ‖x − c‖.
    norms: Vec<f64>,
    /// The largest of them.
    largest: f64,
}

/// Points after centring and rounding.
struct Rounded {
    /// x̂ of all points in pieces, two coordinates per word; the last piece is padded with zeros.
    words: Vec<i32>,
    /// ‖x − c‖.
    norms: Vec<f64>,
    /// An upper bound on ‖x − c − x̂/s‖.
    lost: Vec<f64>,
    /// The scale s.
    scale: f32,
}

impl<'a> Moved<'a> {
    /// Returns `None` if the norms are outside of the range that single-precision factors allow.
    fn new(single_precision: &'a SinglePrecision<'a>, centre: Option<&'a [f32]>) -> Option<Self> {
        let norms = match centre {
            Some(centre) => single_precision.moved_norms(centre),
            None => single_precision.squared_norms.iter().map(|squared| squared.sqrt()).collect(),
        };
        let largest = norms.iter().copied().fold(0.0, f64::max);
        NORMS.contains(&largest).then_some(Self { single_precision, centre, norms, largest })
    }

    /// Rounds the points in pieces of `piece`; `None` if the allocation fails.
    fn rounded(self, piece: usize) -> Option<Rounded> {
        let Self { single_precision, centre, norms, largest } = self;
        let samples = single_precision.samples();
        let scale = f32::from_f64(LARGEST / largest);
        let all = samples.len().next_multiple_of(piece).checked_mul(words(samples.dim()))?;
        let mut words = Vec::new();
        words.try_reserve_exact(all).ok()?;
        words.resize(all, 0);
        let centre = centre.map_or_else(|| vec![0.0; samples.dim()], <[f32]>::to_vec);
        let to = Quantise { samples, centre: &centre, scale, piece, words: &mut words };
        let squares = arch().dispatch(to);
        // In addition: the rounding to single precision, if any, the difference, and s·(x − c).
        let before = single_precision.squared_norms.iter().zip(&norms);
        let rounded =
            before.map(|(squared, norm)| f32::UNIT_ROUNDOFF * (squared.sqrt() + 2.1 * norm));
        let lost = |(&square, rounded): (&f32, f64)| {
            1.05 * f64::from(square).sqrt() / f64::from(scale) + rounded
        };
        let lost = squares.iter().zip(rounded).map(lost).collect();
        Some(Rounded { words, norms, lost, scale })
    }
}

/// Words for `dim` coordinates.
const fn words(dim: usize) -> usize {
    dim.div_ceil(2)
}

/// x̂ for all points, in pieces, and ‖s·(x − c) − x̂‖² of each.
struct Quantise<'a, 'b> {
    samples: &'a Samples<f32>,
    centre: &'a [f32],
    scale: f32,
    piece: usize,
    words: &'b mut [i32],
}

impl WithSimd for Quantise<'_, '_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        let Self { samples, centre, scale, piece, words: all } = self;
        let mut vector = vec![0; words(samples.dim())];
        let mut squares = Vec::with_capacity(samples.len());
        // A loop: closures are not always compiled for the instruction set.
        for i in 0..samples.len() {
            let to = bytemuck::cast_slice_mut(&mut vector);
            squares.push(quantise(samples.item(i), centre, scale, to));
            put(&vector, i, piece, all);
        }
        squares
    }
}

/// Coordinates that are rounded at a time.
const LANES: usize = 32;

/// Rounds s·(x − c) to x̂; returns ‖s·(x − c) − x̂‖².
#[inline(always)]
fn quantise(x: &[f32], centre: &[f32], scale: f32, to: &mut [i16]) -> f32 {
    let mut sums = [0.0; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    let (centres, last_centre) = centre.as_chunks::<LANES>();
    let (places, last) = to[..x.len()].as_chunks_mut::<LANES>();
    for ((block, centre), to) in blocks.iter().zip(centres).zip(places) {
        for i in 0..LANES {
            to[i] = round(scale * (block[i] - centre[i]), &mut sums[i]);
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        last[i] = round(scale * (x - last_centre[i]), &mut sums[i]);
    }
    sums.iter().sum()
}

/// The nearest integer. Adds the squared rounding error to `sum`.
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
    use crate::kernels::Linear;
    use crate::{Geometry, Kernel, Samples, Scratch, Tile, tile};
    use faer::Mat;

    #[test]
    fn errors_bound_both_geometries_of_both_precisions() {
        check::<f64>();
        check::<f32>();
    }

    fn check<T: Scalar>() {
        let mut most = 0.0_f64;
        for dim in [1, 3, 31, 64, 300] {
            for (name, x) in sample_sets::<T>(dim).unwrap() {
                for geometry in [Geometry::InnerProduct, Geometry::Distance] {
                    let Some(single_precision) = SinglePrecision::new(&x, geometry) else {
                        continue;
                    };
                    most = most.max(check_geometry(name, &x, &single_precision));
                }
            }
        }
        let is_used = most > 0.05 || !Quantised::is_available();
        assert!(is_used, "a bound that is never met excludes nothing: {most}");
    }

    /// Keys agree with tiles of the original points to within the bounds. Returns the largest ratio
    /// of an error to its bound.
    fn check_geometry<T: Scalar>(
        name: &str,
        x: &Samples<T>,
        single_precision: &SinglePrecision<'_>,
    ) -> f64 {
        let n = x.len();
        let half: Vec<f64> =
            single_precision.squared_norms().iter().map(|squared| squared / 2.0).collect();
        let Some(quantised) = Quantised::new(single_precision, single_precision, &half) else {
            return 0.0;
        };
        let mut limits = vec![f32::INFINITY; n.next_multiple_of(Quantised::QUERIES)];
        limits[..n].fill(f32::NEG_INFINITY);
        let mut hits = Hits::default();
        quantised.exceeding(0..n, 0..n, &limits, &mut hits);
        let mut exact = Mat::<T>::zeros(n, n);
        let (all, mut scratch) = (Tile::new(x, 0..n, x, 0..n), Scratch::new());
        match single_precision.geometry() {
            Geometry::InnerProduct => Linear.block(&all, exact.as_mut(), &mut scratch),
            Geometry::Distance => tile::squared_distance(&all, exact.as_mut(), &mut scratch),
        }
        let mut keys = Mat::<f64>::zeros(n, n);
        let mut found = 0;
        for (j, first, values) in hits.iter() {
            for (i, &key) in (first..n).zip(values) {
                keys[(i, j)] = f64::from(key);
                found += 1;
            }
        }
        assert_eq!(found, n * n);
        let expected = |i: usize, j: usize| match single_precision.geometry() {
            Geometry::InnerProduct => exact[(i, j)].to_f64() - half[j],
            Geometry::Distance => half[i] - exact[(i, j)].to_f64() / 2.0,
        };
        let mut most = 0.0_f64;
        for (i, &bound) in quantised.errors().iter().enumerate() {
            for j in 0..n {
                let error = (keys[(i, j)] + quantised.origins()[i] - expected(i, j)).abs();
                assert!(error <= bound, "{name}, {}: {error:e}, {bound:e}", x.dim());
                most = most.max(error / bound);
            }
        }
        most
    }

    #[test]
    fn points_that_have_no_size_are_left() {
        let zero = Samples::from_row_major(2, vec![0.0_f64; 6]).unwrap();
        let single_precision = SinglePrecision::new(&zero, Geometry::Distance).unwrap();
        assert!(Quantised::new(&single_precision, &single_precision, &[0.0; 3]).is_none());
    }
}
