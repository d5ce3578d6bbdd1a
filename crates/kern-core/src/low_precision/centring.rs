//! Centring of points, which makes them shorter: distances do not change, and the inner product ⟨x
//! − c, y − c⟩ differs from ⟨x, y⟩ − ⟨c, y⟩ by a value that is the same for all y.

use super::SinglePrecision;
use crate::simd::arch;
use crate::{Points, Samples};
use pulp::{Simd, WithSimd};

/// Points that the centre is averaged over.
const SAMPLED: usize = 1024;
/// The share of the largest norm that the centre's norm must exceed; below it, centring hardly
/// makes points shorter.
const FAR: f64 = 0.25;

impl SinglePrecision<'_> {
    /// The mean c of the points, if it is far from the origin.
    pub(super) fn centre(&self) -> Option<Vec<f32>> {
        let (n, step) = (self.samples.len(), self.samples.len().div_ceil(SAMPLED).max(1));
        let mut sums = vec![0.0; self.samples.dim()];
        for i in (0..n).step_by(step) {
            sums.iter_mut().zip(self.samples.item(i)).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        let count = n.div_ceil(step) as f64;
        let centre: Vec<f32> = sums.into_iter().map(|sum| (sum / count) as f32).collect();
        (norm(&centre) > FAR * self.largest()).then_some(centre)
    }

    /// ‖x − c‖ of all points.
    pub(super) fn moved_norms(&self, centre: &[f32]) -> Vec<f64> {
        arch().dispatch(Norms { samples: &self.samples, centre })
    }

    /// h − ⟨c, y⟩ for all points y with their penalties h, shifted so that the smallest is 0; and
    /// the shift.
    pub(super) fn moved_penalties(&self, penalties: &[f64], centre: &[f32]) -> (Vec<f64>, f64) {
        let moved = |(i, h): (usize, &f64)| h - dot(centre, self.samples.item(i));
        let mut moved: Vec<f64> = penalties.iter().enumerate().map(moved).collect();
        let smallest = moved.iter().copied().fold(f64::INFINITY, f64::min);
        moved.iter_mut().for_each(|h| *h -= smallest);
        (moved, smallest)
    }

    /// ⟨x, c⟩ − ‖c‖² of all points.
    pub(super) fn origins(&self, centre: &[f32]) -> impl Iterator<Item = f64> {
        let squared = dot(centre, centre);
        (0..self.samples.len()).map(move |i| dot(centre, self.samples.item(i)) - squared)
    }
}

/// ‖x − c‖ of all points.
struct Norms<'a> {
    samples: &'a Samples<f32>,
    centre: &'a [f32],
}

impl WithSimd for Norms<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let Self { samples, centre } = self;
        let mut norms = Vec::with_capacity(samples.len());
        for i in 0..samples.len() {
            norms.push(f64::from(squared_distance(samples.item(i), centre)).sqrt());
        }
        norms
    }
}

/// ‖x − y‖².
#[inline(always)]
fn squared_distance(x: &[f32], y: &[f32]) -> f32 {
    const LANES: usize = 32;
    let mut sums = [0.0; LANES];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    // A loop: closures are not always compiled for the instruction set.
    for (x, y) in x.iter().zip(y) {
        for i in 0..LANES {
            sums[i] = (x[i] - y[i]).mul_add(x[i] - y[i], sums[i]);
        }
    }
    for (i, (&x, &y)) in x_rest.iter().zip(y_rest).enumerate() {
        sums[i] = (x - y).mul_add(x - y, sums[i]);
    }
    sums.iter().sum()
}

/// ‖x‖.
pub(super) fn norm(x: &[f32]) -> f64 {
    dot(x, x).sqrt()
}

/// ⟨x, y⟩ in double precision.
fn dot(x: &[f32], y: &[f32]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    for (x, y) in x.chunks(LANES).zip(y.chunks(LANES)) {
        for (sum, (&x, &y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += f64::from(x) * f64::from(y);
        }
    }
    sums.iter().sum()
}
