//! Sequential minimal optimisation (SMO) on a block whose kernel values are in memory.
//!
//! A step selects a pair of variables, the one with the largest multiplier among those that can
//! rise (the riser) and its partner, and moves both to the exact minimum along their line
//! ([`pair_step`]). It takes two passes over the block: one selects the partner by the decrease of
//! the objective (second-order selection); one adds the step to the gradient and selects the next
//! riser.
//!
//! Every pass works on a fixed number of lanes, in R registers, so all instruction sets give the
//! same bits.

use super::smo_block::{Coordinate, LANES, Local, Side, Square};
use pulp::{Simd, WithSimd};

/// The least curvature K_ii + K_jj − 2K_ij along which a support vector machine moves a pair, relative to
/// K_ii + K_jj: for equal points rounding leaves anything between, and LIBSVM's choice is 10⁻¹² for a kernel with
/// unit diagonal.
const CURVATURE_FLOOR: f64 = 5e-13;

/// The stopping rules on a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The violation of the optimality conditions at which to stop.
    pub(super) tolerance: f64,
    pub(super) max_steps: usize,
    /// True if each variable moves alone (no equality constraint).
    pub(super) free: bool,
}

/// Minimises over a block, and returns the number of steps.
pub(super) fn minimise(local: &mut Local, square: Square<'_>, limits: Limits) -> usize {
    kern_core::instruction_set().dispatch(Run { local, square, limits })
}

struct Run<'a> {
    local: &'a mut Local,
    square: Square<'a>,
    limits: Limits,
}

impl WithSimd for Run<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        match LANES / S::F64_LANES {
            1 => self.on::<S, 1>(simd),
            2 => self.on::<S, 2>(simd),
            4 => self.on::<S, 4>(simd),
            _ => self.on::<pulp::Scalar, LANES>(pulp::Scalar::new()),
        }
    }
}

impl Run<'_> {
    /// Dispatches on the constraints, with the lanes in R registers.
    #[inline(always)]
    fn on<S: Simd, const R: usize>(self, simd: S) -> usize {
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
) -> usize {
    let mut riser = riser::<S, R>(simd, &local.sides[0].rise, &local.gradient);
    for steps in 0..limits.max_steps {
        let partner = partner::<S, R>(simd, local, &local.sides[0], square, riser);
        let open = riser.multiplier - partner.lowest > limits.tolerance;
        if !open || partner.gain <= 0.0 {
            return steps;
        }
        let Some(moved) = move_pair(local, 0, square, riser, partner.at) else {
            return steps;
        };
        riser = add_and_find::<S, R>(simd, local, square, moved);
    }
    limits.max_steps
}

#[inline(always)]
fn two_sums<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    limits: Limits,
) -> usize {
    for steps in 0..limits.max_steps {
        let mut best: Option<(usize, Riser, Partner)> = None;
        for k in 0..local.sides.len() {
            let side = &local.sides[k];
            let riser = riser::<S, R>(simd, &side.rise, &local.gradient);
            let partner = partner::<S, R>(simd, local, side, square, riser);
            let open = riser.multiplier - partner.lowest > limits.tolerance;
            let better = best.is_none_or(|(_, _, b)| partner.gain > b.gain);
            if open && better && partner.gain > 0.0 {
                best = Some((k, riser, partner));
            }
        }
        let moved =
            best.and_then(|(k, riser, partner)| move_pair(local, k, square, riser, partner.at));
        let Some(moved) = moved else { return steps };
        add_and_find::<S, R>(simd, local, square, moved);
    }
    limits.max_steps
}

/// Dual coordinate ascent: each step moves the variable with the largest gain.
#[inline(always)]
fn alone<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    limits: Limits,
) -> usize {
    for steps in 0..limits.max_steps {
        let (at, rises, slope) = steepest(local);
        if slope <= limits.tolerance {
            return steps;
        }
        let of = local.coordinate(at);
        let curvature = local.diagonal[at].max(CURVATURE_FLOOR);
        let t = single_step(of, rises, slope, curvature, local.epsilon);
        let value = if rises { of.raised(t) } else { of.lowered(t) };
        let change = local.set(at, value);
        if change == 0.0 {
            return steps;
        }
        add_and_find::<S, R>(simd, local, square, [(at, change), (at, 0.0)]);
    }
    limits.max_steps
}

/// The single move with the largest gain: the variable, whether it rises, and the slope.
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

/// Moves a pair and returns both changes; `None` if rounding leaves neither.
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
    let t = pair_step(from, to, slope, curvature, local.epsilon);
    let changes = [(up, local.set(up, from.raised(t))), (down, local.set(down, to.lowered(t)))];
    (changes[0].1 != 0.0 || changes[1].1 != 0.0).then_some(changes)
}

/// The smallest curvature used for a pair of variables.
#[inline(always)]
fn floor(a: f64, b: f64) -> f64 {
    CURVATURE_FLOOR * if a + b > 0.0 { a + b } else { 1.0 }
}

/// The optimal t ≥ 0 for β_up + t and β_down − t: the objective falls at the rate `slope` at t = 0,
/// its curvature is `curvature` > 0, and its slope jumps by 2ε where one of them passes 0.
#[inline(always)]
fn pair_step(up: Coordinate, down: Coordinate, slope: f64, curvature: f64, epsilon: f64) -> f64 {
    let ((room, first), (below, second)) = (up.above(), down.below());
    let room = room.min(below);
    if epsilon > 0.0 {
        let kinks = [first.min(second), first.max(second)];
        search(kinks, room, slope, curvature, epsilon)
    } else {
        (slope / curvature).min(room)
    }
}

/// The optimal step of one coordinate alone: up if `rises`, otherwise down.
#[inline(always)]
fn single_step(of: Coordinate, rises: bool, slope: f64, curvature: f64, epsilon: f64) -> f64 {
    let (room, kink) = if rises { of.above() } else { of.below() };
    search([kink, f64::INFINITY], room, slope, curvature, epsilon)
}

/// The minimiser over 0 ≤ t ≤ `room` of a convex function that is quadratic between kinks.
fn search(kinks: [f64; 2], room: f64, mut slope: f64, curvature: f64, epsilon: f64) -> f64 {
    let mut at = 0.0;
    for kink in kinks {
        if kink >= room || at + slope / curvature <= kink {
            break;
        }
        slope -= curvature * (kink - at) + 2.0 * epsilon;
        at = kink;
        if slope <= 0.0 {
            return at;
        }
    }
    (at + slope / curvature).min(room)
}

/// The variable with the largest multiplier among those that can rise. The multiplier is the value
/// of the Lagrange multiplier at which its optimality condition holds with equality.
#[derive(Clone, Copy, Debug)]
struct Riser {
    at: usize,
    multiplier: f64,
}

/// The partner of a riser.
#[derive(Clone, Copy, Debug)]
struct Partner {
    at: usize,
    /// Twice the decrease of the objective by an unbounded step.
    gain: f64,
    /// The smallest multiplier of a variable that can fall.
    lowest: f64,
}

/// Finds the variable with the largest multiplier among those that can rise; ties go to the first.
#[inline(always)]
fn riser<S: Simd, const R: usize>(simd: S, rise: &[f64], gradient: &[f64]) -> Riser {
    let mut largest = Largest::<S, R>::new(simd);
    let own = groups::<S, R>(rise).iter().zip(groups::<S, R>(gradient));
    for (chunk, (rise, g)) in (0_u64..).zip(own) {
        let chunk = simd.splat_u64s(chunk);
        for r in 0..R {
            largest.see(simd, r, simd.sub_f64s(rise[r], g[r]), chunk);
        }
    }
    largest.riser()
}

/// Finds the variable that gains most by falling as much as the riser rises.
#[inline(always)]
fn partner<S: Simd, const R: usize>(
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
            best.see(simd, r, simd.mul_f64s(slope, slope), curvature, chunk);
        }
    }
    best.partner()
}

/// g += K[:, a]·δ_a + K[:, b]·δ_b; then finds the next [`riser`] on the first side.
#[inline(always)]
fn add_and_find<S: Simd, const R: usize>(
    simd: S,
    local: &mut Local,
    square: Square<'_>,
    moved: [(usize, f64); 2],
) -> Riser {
    let columns = moved.map(|(v, _)| groups::<S, R>(square.column(v)));
    let by = moved.map(|(_, by)| simd.splat_f64s(by));
    let mut largest = Largest::<S, R>::new(simd);
    let gradient = S::as_mut_simd_f64s(&mut local.gradient).0.as_chunks_mut::<R>().0;
    let own = gradient.iter_mut().zip(groups::<S, R>(&local.sides[0].rise));
    let columns = columns[0].iter().zip(columns[1]);
    for (chunk, ((g, rise), (a, b))) in (0_u64..).zip(own.zip(columns)) {
        let chunk = simd.splat_u64s(chunk);
        for r in 0..R {
            let sum = simd.mul_add_f64s(by[0], a[r], g[r]);
            let sum = simd.mul_add_f64s(by[1], b[r], sum);
            g[r] = sum;
            largest.see(simd, r, simd.sub_f64s(rise[r], sum), chunk);
        }
    }
    largest.riser()
}

/// The largest value so far in each lane, and its position.
struct Largest<S: Simd, const R: usize> {
    value: [S::f64s; R],
    chunk_of: [S::u64s; R],
}

impl<S: Simd, const R: usize> Largest<S, R> {
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

    /// The largest of all lanes; ties go to the first position.
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

/// The largest quotient so far in each lane, and its position. Quotients are compared by cross
/// multiplication: a division would take longer than everything else.
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
    fn see(&mut self, simd: S, r: usize, numerator: S::f64s, denominator: S::f64s, chunk: S::u64s) {
        let ours = simd.mul_f64s(numerator, self.denominator[r]);
        let better = simd.greater_than_f64s(ours, simd.mul_f64s(self.numerator[r], denominator));
        self.numerator[r] = simd.select_f64s(better, numerator, self.numerator[r]);
        self.denominator[r] = simd.select_f64s(better, denominator, self.denominator[r]);
        self.chunk_of[r] = simd.select_u64s(better, chunk, self.chunk_of[r]);
    }

    /// The largest of all lanes; ties go to the first position.
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

/// The values in groups of [`LANES`].
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

#[cfg(test)]
mod tests {
    use super::{Coordinate, pair_step};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_of_a_grid_is_better(
            (up, down) in (-2.0..2.0_f64, -2.0..2.0_f64),
            (slope, curvature, epsilon) in (0.01..5.0_f64, 0.1..3.0_f64, 0.0..1.0_f64),
        ) {
            let make = |beta| Coordinate { beta, lower: -2.0, upper: 2.0 };
            // The slope includes the kinks at t = 0, because both variables start to move.
            let rising = if up >= 0.0 { epsilon } else { -epsilon };
            let falling = if down > 0.0 { -epsilon } else { epsilon };
            let smooth = slope + rising + falling;
            let value = |t: f64| {
                0.5 * curvature * t * t - smooth * t + epsilon * ((up + t).abs() + (down - t).abs())
            };
            let best = pair_step(make(up), make(down), slope, curvature, epsilon);
            let room = (2.0 - up).min(down + 2.0);
            prop_assert!((0.0..=room).contains(&best));
            for k in 0..=400 {
                let t = room * f64::from(k) / 400.0;
                prop_assert!(value(best) <= value(t) + 1e-12, "t = {t} beats {best}");
            }
        }
    }
}
