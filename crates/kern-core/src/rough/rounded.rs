//! Collections in integers of 16 bits: moved, scaled and rounded, in the order in which products read them.

use super::Rough;
use crate::products::integer_products::put;
use crate::simd::arch;
use crate::{Points, Samples, Scalar};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// The greatest norm in units of a step: with all errors of norms, coordinates are numbers of 16 bits, and sums of products of 32.
const GREATEST: f64 = 31_000.0;
/// The norms of the farthest points for which all factors are normal numbers in single precision.
const NORMS: Range<f64> = 1e-12..1e18;

/// One of both collections, to be moved by c.
pub(super) struct Moved<'a> {
    rough: &'a Rough<'a>,
    centre: Option<&'a [f32]>,
    /// ‖x − c‖.
    norms: Vec<f64>,
    /// The greatest of them.
    pub(super) greatest: f64,
}

/// It is moved and rounded.
pub(super) struct Rounded {
    /// x̂ of all points in pieces, two coordinates in a word, the last piece filled up with zeros.
    pub(super) words: Vec<i32>,
    /// ‖x − c‖.
    pub(super) norms: Vec<f64>,
    /// ‖x − c − x̂/s‖ at most.
    pub(super) lost: Vec<f64>,
    /// s.
    pub(super) scale: f32,
}

impl<'a> Moved<'a> {
    /// None if the points have no size that factors in single precision allow.
    pub(super) fn new(rough: &'a Rough<'a>, centre: Option<&'a [f32]>) -> Option<Self> {
        let norms = match centre {
            Some(centre) => rough.moved_norms(centre),
            None => rough.squared_norms.iter().map(|squared| squared.sqrt()).collect(),
        };
        let greatest = norms.iter().copied().fold(0.0, f64::max);
        NORMS.contains(&greatest).then_some(Self { rough, centre, norms, greatest })
    }

    /// In pieces of so many points; none if there is no memory.
    pub(super) fn rounded(self, piece: usize) -> Option<Rounded> {
        let Self { rough, centre, norms, greatest } = self;
        let samples = rough.samples();
        let scale = f32::from_f64(GREATEST / greatest);
        let all = samples.len().next_multiple_of(piece).checked_mul(words(samples.dim()))?;
        let mut words = Vec::new();
        words.try_reserve_exact(all).ok()?;
        words.resize(all, 0);
        let centre = centre.map_or_else(|| vec![0.0; samples.dim()], <[f32]>::to_vec);
        let to = Quantise { samples, centre: &centre, scale, piece, words: &mut words };
        let squares = arch().dispatch(to);
        // Besides, the rounding to single precision, if there was one, the difference, and s·(x − c).
        let before = rough.squared_norms.iter().zip(&norms);
        let rounded =
            before.map(|(squared, norm)| f32::UNIT_ROUNDOFF * (squared.sqrt() + 2.1 * norm));
        let lost = |(&square, rounded): (&f32, f64)| {
            1.05 * f64::from(square).sqrt() / f64::from(scale) + rounded
        };
        let lost = squares.iter().zip(rounded).map(lost).collect();
        Some(Rounded { words, norms, lost, scale })
    }
}

/// Words of so many coordinates.
pub(super) const fn words(dim: usize) -> usize {
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
            squares.push(quantise((samples.item(i), centre), scale, to));
            put(&vector, i, piece, all);
        }
        squares
    }
}

/// Coordinates that are rounded side by side.
const LANES: usize = 32;

/// Rounds s·(x − c). ‖s·(x − c) − x̂‖².
#[inline(always)]
fn quantise((x, centre): (&[f32], &[f32]), scale: f32, to: &mut [i16]) -> f32 {
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

/// The nearest integer. The square of the difference is added to `sum`.
#[inline(always)]
fn round(x: f32, sum: &mut f32) -> i16 {
    let rounded = x.round_ties_even();
    let lost = x - rounded;
    *sum = lost.mul_add(lost, *sum);
    rounded as i16
}
