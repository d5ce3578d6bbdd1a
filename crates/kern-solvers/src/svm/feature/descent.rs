//! Steps of dual coordinate descent.

use super::super::dual::{fall, rise};
use super::machine::Machine;
use super::vectors::Vectors;
use kern_core::Scalar;
use pulp::{Simd, WithSimd};

/// Sums that a product of two vectors is made of: the same for every instruction set.
const LANES: usize = 16;

/// wᵀz in double precision.
#[inline(always)]
pub(super) fn dot<T: Scalar>(w: &[f64], z: &[T]) -> f64 {
    let (wide, rest) = w.as_chunks::<LANES>();
    let (z, z_rest) = z.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (w, z) in wide.iter().zip(z) {
        for ((sum, w), z) in sums.iter_mut().zip(w).zip(z) {
            *sum = w.mul_add(z.to_f64(), *sum);
        }
    }
    for ((sum, w), z) in sums.iter_mut().zip(rest).zip(z_rest) {
        *sum = w.mul_add(z.to_f64(), *sum);
    }
    let mut half = LANES / 2;
    while half > 0 {
        (0..half).for_each(|l| sums[l] += sums[l + half]);
        half /= 2;
    }
    sums[0]
}

/// w ← w + t·z.
#[inline(always)]
pub(super) fn add<T: Scalar>(w: &mut [f64], t: f64, z: &[T]) {
    for (w, z) in w.iter_mut().zip(z) {
        *w = t.mul_add(z.to_f64(), *w);
    }
}

/// The minimum of ½a(x − β)² + g(x − β) + ε|x| over l ≤ x ≤ u; without curvature the end that the slope points to.
#[inline(always)]
fn minimum(beta: f64, (g, a, epsilon): (f64, f64, f64), (l, u): (f64, f64)) -> f64 {
    if a <= 0.0 {
        let (up, down) = (-epsilon - g > 0.0, epsilon - g < 0.0);
        return if up {
            u
        } else if down {
            l
        } else {
            0.0
        };
    }
    let (z, kink) = (beta - g / a, epsilon / a);
    let shrunk = if z > kink {
        z - kink
    } else if z < -kink {
        z + kink
    } else {
        0.0
    };
    shrunk.max(l).min(u)
}

/// The share by which a step is longer than to the minimum, where d is small beside ‖φ‖²: 0.2 to 0.7 take 5 to 9 per cent of the visits less
/// on 38 problems, 0.5 up to 30 per cent (`docs/decisions/svm.md`).
const FURTHER: f64 = 0.5;

/// A step of successive over-relaxation: from β by ω times as much as to the minimum, as far as the ends go and not past the kink, ω =
/// 1 + FURTHER·‖φ‖²/(‖φ‖² + d). The objective falls, as ω < 2. Without d it does not pay: coefficients then go from end to end.
#[inline(always)]
fn relaxed(beta: f64, least: f64, (norm, d, epsilon): (f64, f64, f64), (l, u): (f64, f64)) -> f64 {
    if d <= 0.0 {
        return least;
    }
    let further = FURTHER * norm / (norm + d);
    let beyond = further.mul_add(least - beta, least).max(l).min(u);
    if epsilon > 0.0 && beyond * least <= 0.0 { 0.0 } else { beyond }
}

/// Found on the way through a sweep.
pub(super) struct Met {
    /// The greatest violation.
    pub(super) worst: f64,
    /// The sum of the terms of the gap, each as it was when its variable was visited, if a gap is a limit.
    pub(super) gap: f64,
}

/// One visit of each of some variables, whose points have their features in `z`, the first of them point `first`.
/// A variable whose optimality conditions hold goes to `resting`, and one for which they do by more than the machine's threshold
/// to neither of them.
pub(super) struct Sweep<'a, T: Scalar> {
    pub(super) machine: &'a mut Machine,
    pub(super) order: &'a mut Vec<usize>,
    pub(super) resting: &'a mut Vec<usize>,
    pub(super) z: Vectors<'a, T>,
    pub(super) first: usize,
}

impl<T: Scalar> WithSimd for Sweep<'_, T> {
    type Output = Met;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Met {
        let Self { machine, order, resting, z, first } = self;
        let Machine {
            task, rows, beta, w, norms, sum, centre, stiffness, threshold, limits, ..
        } = machine;
        let (problem, threshold) = (&task.problem, *threshold);
        let coupled = !problem.is_free();
        let added = if coupled { *stiffness } else { 0.0 };
        let watched = limits.gap.is_some();
        let (mut worst, mut gap, mut kept, mut moved) = (0.0_f64, 0.0, 0, 0);
        for at in 0..order.len() {
            let v = order[at];
            let j = rows[v] - first;
            if let Some(&next) = order.get(at + 1) {
                z.request(rows[next] - first);
            }
            let (b, d) = (beta[v], task.curvature[v]);
            let (l, u, epsilon) = (problem.lower[v], problem.upper[v], problem.epsilon);
            let g = z.dot(w, j) + (*centre + added * *sum) - problem.linear[v] + d * b;
            if watched {
                gap += task.gap_of(v, b, g);
            }
            let (top, bottom) = (rise(b, u, epsilon) - g, fall(b, l, epsilon) - g);
            if top < -threshold && bottom > threshold {
                continue;
            }
            if top <= 0.0 && bottom >= 0.0 {
                resting.push(v);
                continue;
            }
            order[kept] = v;
            kept += 1;
            worst = worst.max(top).max(-bottom);
            let norm = norms[rows[v]];
            let least = minimum(b, (g, norm + added + d, epsilon), (l, u));
            let after = relaxed(b, least, (norm, d, epsilon), (l, u));
            let step = after - b;
            if step != 0.0 {
                beta[v] = after;
                z.add(w, step, j);
                *sum += if coupled { step } else { 0.0 };
                moved += 1;
            }
        }
        order.truncate(kept);
        machine.moved += moved;
        Met { worst, gap }
    }
}

#[cfg(test)]
mod tests {
    use super::{minimum, relaxed};

    /// Steps from either side of the kink, to it and to the ends.
    #[test]
    fn a_longer_step_lowers_the_objective_and_keeps_to_the_bounds() {
        let numbers = [-3.0, -1.0, -0.4, -0.1, 0.0, 0.1, 0.4, 1.0, 3.0];
        let all = |of: &[f64]| -> Vec<(f64, f64)> {
            of.iter().flat_map(|&a| of.iter().map(move |&b| (a, b))).collect()
        };
        for (beta, g) in all(&numbers) {
            for (epsilon, (l, u)) in
                [(0.0, (0.0, f64::INFINITY)), (0.3, (-1.5, 1.5)), (0.3, (-4.0, 9.0))]
            {
                let (beta, norm, d) = (beta.max(l).min(u), 0.7, 0.3);
                let objective = |x: f64| {
                    0.5 * (norm + d) * (x - beta).powi(2) + g * (x - beta) + epsilon * x.abs()
                };
                let least = minimum(beta, (g, norm + d, epsilon), (l, u));
                let after = relaxed(beta, least, (norm, d, epsilon), (l, u));
                assert!(l <= after && after <= u);
                assert!(after * least >= 0.0 || epsilon == 0.0, "{beta} {least} {after}");
                assert!(objective(after) <= objective(beta) + 1e-14, "{beta} {g} {epsilon}");
                // Nothing moves at the minimum, and steps are those to it without d.
                let resting = relaxed(least, least, (norm, d, epsilon), (l, u));
                let linear = relaxed(beta, least, (norm, 0.0, epsilon), (l, u));
                assert!((resting - least).abs() + (linear - least).abs() < 1e-15);
            }
        }
    }
}
