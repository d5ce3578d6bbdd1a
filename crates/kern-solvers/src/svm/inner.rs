//! Sequential minimal optimisation on a block whose kernel values are at hand.
//!
//! A step takes two [passes](super::passes) over the block.

use super::local::{LANES, Local};
use super::passes::{Partner, Riser, add_and_find, partner, riser};
use super::square::Square;
use super::step;
use crate::tolerance::CURVATURE_FLOOR;
use pulp::{Simd, WithSimd};

/// The rules by which a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The violation of the optimality conditions that is left.
    pub(super) tolerance: f64,
    pub(super) max_steps: usize,
    /// True if each variable moves alone.
    pub(super) free: bool,
}

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) steps: usize,
    /// Rounding left nothing to gain although the conditions are violated.
    pub(super) stalled: bool,
}

/// Minimises over a block.
pub(super) fn minimise(local: &mut Local, square: Square<'_>, limits: Limits) -> Ended {
    kern_core::instruction_set().dispatch(Run { local, square, limits })
}

struct Run<'a> {
    local: &'a mut Local,
    square: Square<'a>,
    limits: Limits,
}

impl WithSimd for Run<'_> {
    type Output = Ended;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Ended {
        match LANES / S::F64_LANES {
            1 => self.on::<S, 1>(simd),
            2 => self.on::<S, 2>(simd),
            4 => self.on::<S, 4>(simd),
            _ => self.on::<pulp::Scalar, LANES>(pulp::Scalar::new()),
        }
    }
}

impl Run<'_> {
    /// With the lanes in R registers.
    #[inline(always)]
    fn on<S: Simd, const R: usize>(self, simd: S) -> Ended {
        let Self { local, square, limits } = self;
        match (limits.free, local.sides.len()) {
            (true, _) => alone::<S, R>(simd, local, square, limits),
            (false, 1) => one_sum::<S, R>(simd, local, square, limits),
            _ => two_sums::<S, R>(simd, local, square, limits),
        }
    }
}

#[inline(always)]
fn one_sum<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    limits: Limits,
) -> Ended {
    let mut riser = riser::<S, R>(simd, &local.sides[0].rise, &local.gradient);
    for steps in 0..limits.max_steps {
        let partner = partner::<S, R>(simd, local, &local.sides[0], square, riser);
        let open = riser.multiplier - partner.lowest > limits.tolerance;
        if !open || partner.gain <= 0.0 {
            return Ended { steps, stalled: open };
        }
        let Some(moved) = move_pair(local, 0, square, riser, partner.at) else {
            return Ended { steps, stalled: true };
        };
        riser = add_and_find::<S, R>(simd, local, square, moved);
    }
    Ended { steps: limits.max_steps, stalled: false }
}

#[inline(always)]
fn two_sums<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    limits: Limits,
) -> Ended {
    for steps in 0..limits.max_steps {
        let mut open = false;
        let mut best: Option<(usize, Riser, Partner)> = None;
        for k in 0..local.sides.len() {
            let side = &local.sides[k];
            let riser = riser::<S, R>(simd, &side.rise, &local.gradient);
            let partner = partner::<S, R>(simd, local, side, square, riser);
            if riser.multiplier - partner.lowest > limits.tolerance {
                open = true;
                if best.is_none_or(|(_, _, b)| partner.gain > b.gain) && partner.gain > 0.0 {
                    best = Some((k, riser, partner));
                }
            }
        }
        let moved =
            best.and_then(|(k, riser, partner)| move_pair(local, k, square, riser, partner.at));
        let Some(moved) = moved else {
            return Ended { steps, stalled: open };
        };
        add_and_find::<S, R>(simd, local, square, moved);
    }
    Ended { steps: limits.max_steps, stalled: false }
}

/// Dual coordinate ascent, the variable with the greatest gain at each step.
#[inline(always)]
fn alone<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    limits: Limits,
) -> Ended {
    for steps in 0..limits.max_steps {
        let (at, rises, slope) = steepest(local);
        if slope <= limits.tolerance {
            return Ended { steps, stalled: false };
        }
        let of = local.coordinate(at);
        let curvature = local.diagonal[at].max(CURVATURE_FLOOR);
        let t = step::single(of, rises, slope, curvature, local.epsilon);
        let value = if rises { of.raised(t) } else { of.lowered(t) };
        let change = local.set(at, value);
        if change == 0.0 {
            return Ended { steps, stalled: true };
        }
        add_and_find::<S, R>(simd, local, square, [(at, change), (at, 0.0)]);
    }
    Ended { steps: limits.max_steps, stalled: false }
}

/// The single move of the greatest gain, relative to the curvature: variable, whether upwards, slope.
#[inline(always)]
fn steepest(local: &Local) -> (usize, bool, f64) {
    let side = &local.sides[0];
    let (mut best, mut found) = (0.0, (0, true, 0.0));
    for (i, (g, d)) in local.gradient.iter().zip(&local.diagonal).enumerate() {
        let (up, down) = (side.rise[i] - g, g - side.fall[i]);
        let slope = up.max(down);
        let gain = slope * slope / d.max(CURVATURE_FLOOR);
        if slope > 0.0 && gain > best {
            (best, found) = (gain, (i, up >= down, slope));
        }
    }
    found
}

/// The two changes of a step, or nothing if rounding leaves none.
#[inline(always)]
fn move_pair(
    local: &mut Local,
    side: usize,
    square: Square<'_>,
    riser: Riser,
    down: usize,
) -> Option<[(usize, f64); 2]> {
    let up = riser.at;
    let slope = riser.multiplier - (local.sides[side].fall[down] - local.gradient[down]);
    let between = square.column(up)[down];
    let floor = floor(local.diagonal[up], local.diagonal[down]);
    let curvature = local.diagonal[up] + local.diagonal[down] - 2.0 * between;
    let curvature = if curvature > floor { curvature } else { floor };
    let (from, to) = (local.coordinate(up), local.coordinate(down));
    let t = step::pair(from, to, slope, curvature, local.epsilon);
    let changes = [(up, local.set(up, from.raised(t))), (down, local.set(down, to.lowered(t)))];
    (changes[0].1 != 0.0 || changes[1].1 != 0.0).then_some(changes)
}

/// The least curvature that a pair of variables counts with.
#[inline(always)]
fn floor(a: f64, b: f64) -> f64 {
    CURVATURE_FLOOR * if a + b > 0.0 { a + b } else { 1.0 }
}
