//! The passes over a block of which a step consists, on registers: one looks for the partner of the variable that
//! wants to rise most, by the decrease that a step would bring (second-order selection); one adds the step to the
//! gradient and finds the next such variable.
//!
//! Every pass works on lanes of fixed number, in R registers, so that every instruction set gives the same bits.

use super::local::{LANES, Local, Side};
use super::square::Square;
use crate::tolerance::CURVATURE_FLOOR;
use pulp::Simd;

/// The variable that wants to rise most, and the multiplier at which it would rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Riser {
    pub(super) at: usize,
    pub(super) multiplier: f64,
}

/// Its partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partner {
    pub(super) at: usize,
    /// Twice the decrease of an unbounded step.
    pub(super) gain: f64,
    /// The lowest multiplier of a variable that can fall.
    pub(super) lowest: f64,
}

/// The greatest number so far in each lane, and where it was.
struct Greatest<S: Simd, const R: usize> {
    value: [S::f64s; R],
    chunk_of: [S::u64s; R],
}

impl<S: Simd, const R: usize> Greatest<S, R> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let value = [simd.splat_f64s(f64::NEG_INFINITY); R];
        Self { value, chunk_of: [simd.splat_u64s(0); R] }
    }

    #[inline(always)]
    fn see(&mut self, simd: S, r: usize, value: S::f64s, chunk: S::u64s) {
        let better = simd.greater_than_f64s(value, self.value[r]);
        self.value[r] = simd.select_f64s(better, value, self.value[r]);
        self.chunk_of[r] = simd.select_u64s(better, chunk, self.chunk_of[r]);
    }

    /// The greatest of all; of equals the first.
    #[inline(always)]
    fn riser(&self) -> Riser {
        let (value, chunk_of) = (numbers::<S, R>(&self.value), places::<S, R>(&self.chunk_of));
        let mut found = Riser { at: chunk_of[0] as usize * LANES, multiplier: value[0] };
        for (l, (&multiplier, &chunk)) in value.iter().zip(chunk_of).enumerate() {
            let at = chunk as usize * LANES + l;
            let same = multiplier >= found.multiplier && at < found.at;
            if multiplier > found.multiplier || same {
                found = Riser { at, multiplier };
            }
        }
        found
    }
}

/// Groups of LANES numbers.
#[inline(always)]
fn groups<S: Simd, const R: usize>(numbers: &[f64]) -> &[[S::f64s; R]] {
    S::as_simd_f64s(numbers).0.as_chunks().0
}

#[inline(always)]
fn numbers<S: Simd, const R: usize>(registers: &[S::f64s; R]) -> &[f64] {
    pulp::bytemuck::cast_slice(registers)
}

#[inline(always)]
fn places<S: Simd, const R: usize>(registers: &[S::u64s; R]) -> &[u64] {
    pulp::bytemuck::cast_slice(registers)
}

/// The variable of the greatest multiplier among those that can rise; of equals the first.
#[inline(always)]
pub(super) fn riser<S: Simd, const R: usize>(simd: S, rise: &[f64], gradient: &[f64]) -> Riser {
    let mut greatest = Greatest::<S, R>::new(simd);
    let own = groups::<S, R>(rise).iter().zip(groups::<S, R>(gradient));
    for (chunk, (rise, g)) in (0_u64..).zip(own) {
        let chunk = simd.splat_u64s(chunk);
        for r in 0..R {
            greatest.see(simd, r, simd.sub_f64s(rise[r], g[r]), chunk);
        }
    }
    greatest.riser()
}

/// g += K[:, a]·δ_a + K[:, b]·δ_b; then as [`riser`] on the first side.
#[inline(always)]
pub(super) fn add_and_find<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    moved: [(usize, f64); 2],
) -> Riser {
    let columns = moved.map(|(v, _)| groups::<S, R>(square.column(v)));
    let by = moved.map(|(_, by)| simd.splat_f64s(by));
    let mut greatest = Greatest::<S, R>::new(simd);
    let gradient = S::as_mut_simd_f64s(&mut local.gradient).0.as_chunks_mut::<R>().0;
    let own = gradient.iter_mut().zip(groups::<S, R>(&local.sides[0].rise));
    let columns = columns[0].iter().zip(columns[1]);
    for (chunk, ((g, rise), (a, b))) in (0_u64..).zip(own.zip(columns)) {
        let chunk = simd.splat_u64s(chunk);
        for r in 0..R {
            let sum = simd.mul_add_f64s(by[0], a[r], g[r]);
            let sum = simd.mul_add_f64s(by[1], b[r], sum);
            g[r] = sum;
            greatest.see(simd, r, simd.sub_f64s(rise[r], sum), chunk);
        }
    }
    greatest.riser()
}

/// The best quotient so far in each lane, and where it was. Quotients are compared by cross multiplication: a
/// division would take longer than all the rest.
struct Quotients<S: Simd, const R: usize> {
    numerator: [S::f64s; R],
    denominator: [S::f64s; R],
    chunk_of: [S::u64s; R],
    lowest: [S::f64s; R],
}

impl<S: Simd, const R: usize> Quotients<S, R> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self {
            numerator: [simd.splat_f64s(0.0); R],
            denominator: [simd.splat_f64s(1.0); R],
            chunk_of: [simd.splat_u64s(0); R],
            lowest: [simd.splat_f64s(f64::INFINITY); R],
        }
    }

    #[inline(always)]
    fn see(&mut self, simd: S, r: usize, quotient: (S::f64s, S::f64s), chunk: S::u64s) {
        let (above, below) = quotient;
        let ours = simd.mul_f64s(above, self.denominator[r]);
        let better = simd.greater_than_f64s(ours, simd.mul_f64s(self.numerator[r], below));
        self.numerator[r] = simd.select_f64s(better, above, self.numerator[r]);
        self.denominator[r] = simd.select_f64s(better, below, self.denominator[r]);
        self.chunk_of[r] = simd.select_u64s(better, chunk, self.chunk_of[r]);
    }

    /// The best of all; of equals the first.
    #[inline(always)]
    fn partner(&self) -> Partner {
        let numerator = numbers::<S, R>(&self.numerator);
        let denominator = numbers::<S, R>(&self.denominator);
        let (chunk_of, lowest) = (places::<S, R>(&self.chunk_of), numbers::<S, R>(&self.lowest));
        let mut found = Partner {
            at: chunk_of[0] as usize * LANES,
            gain: numerator[0] / denominator[0],
            lowest: lowest[0],
        };
        for l in 1..LANES {
            let at = chunk_of[l] as usize * LANES + l;
            let gain = numerator[l] / denominator[l];
            if gain > found.gain || (gain >= found.gain && at < found.at) {
                (found.at, found.gain) = (at, gain);
            }
            found.lowest = found.lowest.min(lowest[l]);
        }
        found
    }
}

/// The variable that gains most by falling as much as the riser rises.
#[inline(always)]
pub(super) fn partner<S: Simd, const R: usize>(
    simd: S,
    local: &Local,
    side: &Side,
    square: Square<'_>,
    riser: Riser,
) -> Partner {
    let [zero, one, minus_two] = [0.0, 1.0, -2.0].map(|c| simd.splat_f64s(c));
    let (own, top) = (simd.splat_f64s(local.diagonal[riser.at]), simd.splat_f64s(riser.multiplier));
    let floor = simd.splat_f64s(CURVATURE_FLOOR);
    let mut best = Quotients::<S, R>::new(simd);
    let first = groups::<S, R>(&side.fall).iter().zip(groups::<S, R>(&local.gradient));
    let column = groups::<S, R>(square.column(riser.at));
    let second = groups::<S, R>(&local.diagonal).iter().zip(column);
    for (chunk, ((fall, g), (d, k))) in (0_u64..).zip(first.zip(second)) {
        let chunk = simd.splat_u64s(chunk);
        for r in 0..R {
            let multiplier = simd.sub_f64s(fall[r], g[r]);
            let lower = simd.less_than_f64s(multiplier, best.lowest[r]);
            best.lowest[r] = simd.select_f64s(lower, multiplier, best.lowest[r]);
            let slope = simd.max_f64s(simd.sub_f64s(top, multiplier), zero);
            let sum = simd.add_f64s(own, d[r]);
            let scale = simd.select_f64s(simd.greater_than_f64s(sum, zero), sum, one);
            let curvature = simd.mul_add_f64s(k[r], minus_two, sum);
            let curvature = simd.max_f64s(curvature, simd.mul_f64s(floor, scale));
            best.see(simd, r, (simd.mul_f64s(slope, slope), curvature), chunk);
        }
    }
    best.partner()
}
