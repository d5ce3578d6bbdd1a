//! Sequential minimal optimisation on a block whose kernel values are at hand.
//!
//! Two passes over the block per step: one looks for the partner of the variable that wants to rise most, by the
//! decrease that a step would bring (second-order selection); one adds the step to the gradient and finds the next
//! such variable. Loops run over lanes of fixed width, so that every instruction set gives the same bits.

use super::local::{LANES, Local, Side};
use super::square::Square;
use super::step;
use crate::tolerance::CURVATURE_FLOOR;
use pulp::{Simd, WithSimd};

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The violation of the optimality conditions that is left.
    pub(super) tolerance: f64,
    pub(super) max_steps: usize,
    /// Whether each variable moves alone.
    pub(super) free: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) steps: usize,
    /// Rounding left nothing to gain although the conditions are violated.
    pub(super) stalled: bool,
}

/// Minimises over a block.
pub(super) fn minimise(local: &mut Local, square: Square<'_>, limits: Limits) -> Ended {
    pulp::Arch::new().dispatch(Run { local, square, limits })
}

struct Run<'a> {
    local: &'a mut Local,
    square: Square<'a>,
    limits: Limits,
}

impl WithSimd for Run<'_> {
    type Output = Ended;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Ended {
        let Self { local, square, limits } = self;
        match (limits.free, local.sides.len()) {
            (true, _) => alone(local, square, limits),
            (false, 1) => one_sum(local, square, limits),
            _ => two_sums(local, square, limits),
        }
    }
}

/// The variable that wants to rise most, and the multiplier at which it would rest.
#[derive(Clone, Copy, Debug)]
struct Riser {
    at: usize,
    multiplier: f64,
}

/// Its partner.
#[derive(Clone, Copy, Debug)]
struct Partner {
    at: usize,
    /// Twice the decrease of an unbounded step.
    gain: f64,
    /// The lowest multiplier of a variable that can fall.
    lowest: f64,
}

#[inline(always)]
fn one_sum(local: &mut Local, square: Square<'_>, limits: Limits) -> Ended {
    let mut riser = riser(&local.sides[0].rise, &local.gradient);
    for steps in 0..limits.max_steps {
        let partner = partner(local, &local.sides[0], square.column(riser.at), riser);
        let open = riser.multiplier - partner.lowest > limits.tolerance;
        if !open || partner.gain <= 0.0 {
            return Ended { steps, stalled: open };
        }
        let Some(moved) = move_pair(local, 0, square, riser, partner.at) else {
            return Ended { steps, stalled: true };
        };
        riser = add_and_find(local, square, moved);
    }
    Ended { steps: limits.max_steps, stalled: false }
}

#[inline(always)]
fn two_sums(local: &mut Local, square: Square<'_>, limits: Limits) -> Ended {
    for steps in 0..limits.max_steps {
        let mut open = false;
        let mut best: Option<(usize, Riser, Partner)> = None;
        for k in 0..local.sides.len() {
            let side = &local.sides[k];
            let riser = riser(&side.rise, &local.gradient);
            let partner = partner(local, side, square.column(riser.at), riser);
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
        add_and_find(local, square, moved);
    }
    Ended { steps: limits.max_steps, stalled: false }
}

/// Dual coordinate ascent, the variable with the greatest gain at each step.
#[inline(always)]
fn alone(local: &mut Local, square: Square<'_>, limits: Limits) -> Ended {
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
        add_and_find(local, square, [(at, change), (at, 0.0)]);
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

/// The variable of the greatest multiplier among those that can rise; of equals the first.
#[inline(always)]
fn riser(rise: &[f64], gradient: &[f64]) -> Riser {
    let (mut best, mut chunk_of) = ([f64::NEG_INFINITY; LANES], [0_u64; LANES]);
    let chunks = rise.chunks_exact(LANES).zip(gradient.chunks_exact(LANES));
    for (c, (rise, g)) in (0_u64..).zip(chunks) {
        for l in 0..LANES {
            let multiplier = rise[l] - g[l];
            let better = multiplier > best[l];
            best[l] = if better { multiplier } else { best[l] };
            chunk_of[l] = if better { c } else { chunk_of[l] };
        }
    }
    first_greatest(&best, &chunk_of)
}

/// g += K[:, a]·δ_a + K[:, b]·δ_b; then as [`riser`] on the first side.
#[inline(always)]
fn add_and_find(local: &mut Local, square: Square<'_>, moved: [(usize, f64); 2]) -> Riser {
    let [(a, by_a), (b, by_b)] = moved;
    let (mut best, mut chunk_of) = ([f64::NEG_INFINITY; LANES], [0_u64; LANES]);
    let columns = square.column(a).chunks_exact(LANES).zip(square.column(b).chunks_exact(LANES));
    let own = local.gradient.chunks_exact_mut(LANES);
    let own = own.zip(local.sides[0].rise.chunks_exact(LANES));
    for (c, ((g, rise), (a, b))) in (0_u64..).zip(own.zip(columns)) {
        for l in 0..LANES {
            let sum = by_b.mul_add(b[l], by_a.mul_add(a[l], g[l]));
            g[l] = sum;
            let multiplier = rise[l] - sum;
            let better = multiplier > best[l];
            best[l] = if better { multiplier } else { best[l] };
            chunk_of[l] = if better { c } else { chunk_of[l] };
        }
    }
    first_greatest(&best, &chunk_of)
}

#[inline(always)]
fn first_greatest(best: &[f64; LANES], chunk_of: &[u64; LANES]) -> Riser {
    let mut found = Riser { at: place(chunk_of[0], 0), multiplier: best[0] };
    for l in 1..LANES {
        let at = place(chunk_of[l], l);
        if best[l] > found.multiplier || (best[l] >= found.multiplier && at < found.at) {
            found = Riser { at, multiplier: best[l] };
        }
    }
    found
}

#[inline(always)]
fn place(chunk: u64, lane: usize) -> usize {
    chunk as usize * LANES + lane
}

/// The variable that gains most by falling as much as the riser rises. Gains are quotients, compared by cross
/// multiplication: a division would take longer than all the rest.
#[inline(always)]
fn partner(local: &Local, side: &Side, column: &[f64], riser: Riser) -> Partner {
    let own = local.diagonal[riser.at];
    let (mut numerator, mut denominator) = ([0.0; LANES], [1.0; LANES]);
    let (mut chunk_of, mut lowest) = ([0_u64; LANES], [f64::INFINITY; LANES]);
    let first = side.fall.chunks_exact(LANES).zip(local.gradient.chunks_exact(LANES));
    let second = local.diagonal.chunks_exact(LANES).zip(column.chunks_exact(LANES));
    for (c, ((fall, g), (d, k))) in (0_u64..).zip(first.zip(second)) {
        for l in 0..LANES {
            let multiplier = fall[l] - g[l];
            lowest[l] = if multiplier < lowest[l] { multiplier } else { lowest[l] };
            let slope = riser.multiplier - multiplier;
            let slope = if slope > 0.0 { slope } else { 0.0 };
            let sum = own + d[l];
            let curvature = k[l].mul_add(-2.0, sum);
            let least = CURVATURE_FLOOR * if sum > 0.0 { sum } else { 1.0 };
            let curvature = if curvature > least { curvature } else { least };
            let square = slope * slope;
            let better = square * denominator[l] > numerator[l] * curvature;
            numerator[l] = if better { square } else { numerator[l] };
            denominator[l] = if better { curvature } else { denominator[l] };
            chunk_of[l] = if better { c } else { chunk_of[l] };
        }
    }
    let gain = |l: usize| numerator[l] / denominator[l];
    let mut found = Partner { at: place(chunk_of[0], 0), gain: gain(0), lowest: lowest[0] };
    for l in 1..LANES {
        let (at, gain) = (place(chunk_of[l], l), gain(l));
        if gain > found.gain || (gain >= found.gain && at < found.at) {
            (found.at, found.gain) = (at, gain);
        }
        found.lowest = found.lowest.min(lowest[l]);
    }
    found
}
