//! Tests of the parts of a certificate against their definitions: multipliers by brute force, and
//! primal objectives from an explicit kernel matrix.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::float_cmp, reason = "equal bits are meant")]

use super::dual_problem::{Coupling, Dual, Reading, whole};
use super::svm_certificate::{
    Certificate, Range, Solved, factor, gap, hard_gap, means, minimisers, multipliers, objective,
    ranges, read, rounding_error, smallest_margin, soft_gap, unit, widest,
};
use crate::Status;

/// Values in [−1, 1) by a 64-bit linear congruence (Knuth's MMIX).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / 2.0_f64.powi(52) - 1.0
    }
}

/// n variables, of classes with labels ±1 if the tube has width 0; the sums of two groups if
/// `is_grouped`.
fn problem(n: usize, epsilon: f64, is_grouped: bool, next: &mut impl FnMut() -> f64) -> Dual {
    let (mut upper, mut lower, mut linear) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for v in 0..n {
        let (is_positive, bound) = (next() > 0.0, 1.5 + next());
        if epsilon > 0.0 || is_positive {
            upper[v] = bound;
        }
        if epsilon > 0.0 || !is_positive {
            lower[v] = -bound;
        }
        linear[v] = if epsilon > 0.0 { next() } else { f64::from(is_positive) * 2.0 - 1.0 };
    }
    let groups = || (0..n).map(|v| v % 3 == 0).collect();
    Dual {
        segments: whole(n),
        linear,
        lower,
        upper,
        epsilon,
        coupling: if is_grouped { Coupling::Groups(groups()) } else { Coupling::Sum },
        reading: Reading::Plain,
        start: vec![0.0; n],
    }
}

/// Variables at their bounds, at zero and between.
fn coefficients(problem: &Dual, next: &mut impl FnMut() -> f64) -> Vec<f64> {
    let one = |(&upper, &lower): (&f64, &f64)| match next() {
        at if at < -0.5 => lower,
        at if at < 0.0 => 0.0,
        at if at < 0.5 => upper,
        at => lower + at * (upper - lower),
    };
    problem.upper.iter().zip(&problem.lower).map(one).collect()
}

#[test]
fn minimisers_are_those_of_brute_force() {
    let mut next = noise(1);
    let mut apart = 0;
    for case in 0..400 {
        let epsilon = if case % 2 == 0 { 0.0 } else { 0.3 };
        let problem = problem(7, epsilon, case % 4 > 1, &mut next);
        let beta = coefficients(&problem, &mut next);
        let gradient: Vec<f64> = (0..7).map(|_| next()).collect();
        let ranges = ranges(&problem, &beta, &gradient);
        let found = minimisers(&problem, &beta, &gradient, &ranges);
        // The gap is the sum of one function of each multiplier, whose kinks are −g ± ε.
        let kinks = || gradient.iter().flat_map(|g| [-g - epsilon, -g + epsilon]);
        for (side, range) in ranges.iter().enumerate() {
            let at = |multiplier: f64| {
                let mut all = found.clone();
                all[side] = multiplier;
                soft_gap(&problem, &beta, &gradient, &all)
            };
            if range.top <= range.bottom || range.midpoint().abs() > 3.0 {
                assert_eq!(found[side].to_bits(), range.midpoint().to_bits());
                continue;
            }
            let best = kinks().chain([-3.0, 3.0]).map(at).fold(f64::INFINITY, f64::min);
            let given = at(found[side]);
            assert!((given - best).abs() < 1e-12, "case {case}: {given} instead of {best}");
            apart += usize::from(at(range.midpoint()) > best + 1e-3);
        }
    }
    assert!(apart > 200, "only {apart} minimisers are not midpoints");
}

#[test]
fn multipliers_are_means_unless_others_have_a_smaller_gap() {
    let mut next = noise(2);
    let (mut kept, mut replaced) = (0, 0);
    for case in 0..400 {
        let problem = problem(6, if case % 2 == 0 { 0.0 } else { 0.2 }, false, &mut next);
        let beta = coefficients(&problem, &mut next);
        let gradient: Vec<f64> = (0..6).map(|_| next()).collect();
        let ranges = ranges(&problem, &beta, &gradient);
        let middle = vec![ranges[0].midpoint()];
        let mean = means(&problem, &beta, &gradient, middle);
        let best = minimisers(&problem, &beta, &gradient, &ranges);
        let at = |multipliers: &[f64]| soft_gap(&problem, &beta, &gradient, multipliers);
        let given = multipliers(&problem, &beta, &gradient);
        if at(&best) < at(&mean) - 1e-6 {
            assert_eq!(given, best, "case {case}");
            replaced += 1;
        } else if at(&best) >= at(&mean) {
            assert_eq!(given, mean, "case {case}");
            kept += 1;
        }
    }
    assert!(kept > 10 && replaced > 100, "{kept} kept, {replaced} replaced");
}

#[test]
fn means_are_over_free_variables_of_each_sum() {
    let mut problem = problem(6, 0.0, true, &mut noise(3));
    (problem.upper, problem.lower) = (vec![1.0; 6], vec![-1.0; 6]);
    // Variables 0 and 3 are of the second sum. Free: 1, 2 and 5.
    let beta = [1.0, 0.5, -0.25, -1.0, 1.0, 0.125];
    let gradient = [9.0, 1.0, 3.0, 9.0, 9.0, -7.0];
    assert_eq!(means(&problem, &beta, &gradient, vec![8.0, 4.0]), [1.0, 4.0]);
    // In a tube, positive ones lie at its upper edge, negative ones at its lower edge.
    problem.epsilon = 0.5;
    assert_eq!(means(&problem, &beta, &gradient, vec![8.0, 4.0]), [2.5 / 3.0, 4.0]);
}

#[test]
fn the_widest_margin_is_that_of_brute_force() {
    let mut next = noise(4);
    for _ in 0..100 {
        let mut problem = problem(6, 0.0, false, &mut next);
        (problem.linear[0], problem.linear[1]) = (1.0, -1.0);
        problem.upper[0] = f64::INFINITY;
        let gradient: Vec<f64> = (0..6).map(|_| next()).collect();
        let margin = |b: f64| smallest_margin(&problem, &gradient, b);
        let given = widest(&problem, &gradient);
        let best = (-300..=300).map(|b| margin(f64::from(b) / 100.0)).fold(f64::MIN, f64::max);
        assert!(margin(given) >= best - 1e-12, "{} instead of {best}", margin(given));
        // The intercept of a hard margin is this one, unless the mean over free variables is as
        // good.
        let beta = [0.0; 6];
        let taken = multipliers(&problem, &beta, &gradient)[0];
        assert!((margin(taken) - margin(given)).abs() < 1e-8 * margin(given).abs());
    }
}

#[test]
fn a_hard_margin_that_the_mean_attains_keeps_the_mean() {
    let mut problem = problem(3, 0.0, false, &mut noise(5));
    problem.linear = vec![1.0, -1.0, 1.0];
    (problem.upper, problem.lower) = (vec![f64::INFINITY, 0.0, 0.0], vec![0.0, -1.0, 0.0]);
    // Variable 0 is free and means −(−1 + 2⁻⁴⁰); the widest margin has the intercept 1.
    let gradient = [-1.0 + 2.0_f64.powi(-40), -1.0 + 2.0_f64.powi(-40), 5.0];
    let beta = [0.5, 0.0, 0.0];
    let mean = means(&problem, &beta, &gradient, vec![f64::NAN]);
    let taken = multipliers(&problem, &beta, &gradient);
    assert_eq!(taken, mean);
    assert_eq!(taken, [1.0 - 2.0_f64.powi(-40)]);
}

#[test]
fn gaps_of_hard_margins_by_hand() {
    assert_eq!(hard_gap(8.0, 2.0, -1.0), 7.0);
    assert_eq!(hard_gap(8.0, 1.0, -1.0), 7.0);
    assert_eq!(hard_gap(8.0, 0.5, -1.0), 31.0);
    assert_eq!(hard_gap(8.0, 2.0, -9.0), 0.0);
    assert_eq!([hard_gap(8.0, 0.0, 0.0), hard_gap(8.0, -1.0, 0.0)], [f64::INFINITY; 2]);
}

#[test]
fn rounding_of_values_by_hand() {
    let unit = f64::EPSILON / 2.0;
    assert_eq!(rounding_error::<f64>(2.0, &[3.0, -4.0]), 10.0 * unit);
    assert_eq!(rounding_error::<f64>(2.0, &[0.0, 0.0]), 0.0);
    assert!(rounding_error::<f64>(1.0, &[3e200, 4e200]).is_finite());
}

#[test]
fn widths_are_those_of_the_reading() {
    let mut problem = problem(2, 0.25, false, &mut noise(6));
    assert_eq!(read::<f64>(&problem, 1.0, &mut [3.0]), (3.0, Some(0.25)));
    problem.epsilon = 0.0;
    assert_eq!(read::<f64>(&problem, 1.0, &mut [3.0]), (3.0, None));
    problem.reading = Reading::Tube;
    assert_eq!(read::<f64>(&problem, 1.0, &mut [3.0, 1.0]), (2.0, Some(1.0)));
    problem.reading = Reading::Margin;
    assert_eq!(read::<f64>(&problem, 0.5, &mut [3.0, 1.0]), (1.0, Some(1.0)));
    assert_eq!(factor(&problem, &[0.0, 0.0], &[3.0, 1.0]), 1.0);
    assert_eq!(factor(&problem, &[0.0, 0.0], &[3.0, 2.0]), 2.0);
}

#[test]
fn balls_of_equal_points_have_the_smallest_unit() {
    let mut problem = problem(2, 0.0, false, &mut noise(7));
    (problem.reading, problem.linear) = (Reading::Ball, vec![2.0, 1.0]);
    let range = Range { top: 0.0, bottom: 0.0 };
    let given = unit::<f64>(&problem, &[0.0, 0.0], &[-2.0, -1.0], &[range]);
    assert_eq!(given, 1e4 * (f64::EPSILON / 2.0) * 2.0);
    let range = Range { top: 0.5, bottom: 0.25 };
    assert_eq!(unit::<f64>(&problem, &[0.0, 0.0], &[-2.0, -1.0], &[range]), 0.375);
}

/// A kernel matrix, KᵀK of noise, and the gradient Kβ − p.
fn gradient_of(problem: &Dual, beta: &[f64], next: &mut impl FnMut() -> f64) -> (K, Vec<f64>) {
    let n = beta.len();
    let root: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| next()).collect()).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let k: K = root.iter().map(|x| root.iter().map(|y| dot(x, y)).collect()).collect();
    let gradient = k.iter().zip(&problem.linear).map(|(k, p)| dot(k, beta) - p).collect();
    (k, gradient)
}

type K = Vec<Vec<f64>>;

fn times(k: &K, beta: &[f64]) -> Vec<f64> {
    k.iter().map(|k| k.iter().zip(beta).map(|(k, b)| k * b).sum()).collect()
}

/// The coefficients in single precision, at this scale.
fn rounded(beta: &[f64], factor: f64) -> Vec<f64> {
    beta.iter().map(|b| f64::from((b * factor) as f32) / factor).collect()
}

fn half_energy(k: &K, beta: &[f64]) -> f64 {
    0.5 * times(k, beta).iter().zip(beta).map(|(v, b)| v * b).sum::<f64>()
}

#[track_caller]
fn assert_close(given: f64, expected: f64) {
    assert!((given - expected).abs() <= 1e-13 * expected.abs(), "{given} and not {expected}");
}

#[test]
fn primal_objectives_are_those_of_the_rounded_function() {
    let mut next = noise(8);
    for case in 0..40 {
        let mut problem = problem(5, if case % 2 == 0 { 0.0 } else { 0.1 }, false, &mut next);
        let is_hard = case % 4 == 2;
        if is_hard {
            problem.upper[0] = f64::INFINITY;
        }
        let mut beta = coefficients(&problem, &mut next);
        // Not a single precision number, and within its bounds.
        beta[0] = if problem.upper[0] > 0.0 { 0.3 } else { -0.3 };
        let (k, gradient) = gradient_of(&problem, &beta, &mut next);
        let solved = Solved { problem: &problem, beta: &beta, gradient: &gradient, largest: 2.0 };
        let apply = |changes: &[f64], values: &mut [f64]| {
            values.iter_mut().zip(times(&k, changes)).for_each(|(value, more)| *value += more);
            Ok(())
        };
        let found = solved.certify::<f32>(0.0, apply).unwrap();
        assert_eq!(found.dual, -objective(&problem, &beta, &gradient).0);
        let own = rounded(&beta, found.factor);
        if is_hard {
            let expected = found.factor * found.factor * half_energy(&k, &own);
            assert_close(found.primal, expected);
            continue;
        }
        // ½‖f̃‖² + Σ ℓ(p − f̃ − b) + bΣβ.
        let values = times(&k, &own);
        let loss = |v: usize| {
            let c = problem.linear[v] - values[v] - found.intercept;
            let (above, below) = (c - problem.epsilon, -c - problem.epsilon);
            (problem.upper[v] * above).max(-problem.lower[v] * below).max(0.0)
        };
        let losses: f64 = (0..5).map(loss).sum();
        let sum: f64 = beta.iter().sum();
        let expected = half_energy(&k, &own) + losses + found.intercept * sum;
        assert!((found.primal - expected).abs() <= 1e-12 * (1.0 + expected.abs()));
        assert!((found.primal - found.dual - found.gap).abs() <= 1e-12 * (1.0 + found.gap));
    }
}

#[test]
fn the_gradient_of_the_rounded_function_is_computed_where_it_matters() {
    let mut next = noise(9);
    let problem = problem(4, 0.1, false, &mut next);
    let beta = [0.1, -0.3, 0.7, 0.2];
    let (_, gradient) = gradient_of(&problem, &beta, &mut next);
    let is_computed = |spared: f64, largest: f64| {
        let mut calls = 0;
        let apply = |_: &[f64], _: &mut [f64]| {
            calls += 1;
            Ok(())
        };
        let solved = Solved { problem: &problem, beta: &beta, gradient: &gradient, largest };
        solved.certify::<f32>(spared, apply).unwrap();
        calls == 1
    };
    let changed: f64 = rounded(&beta, 1.0).iter().zip(beta).map(|(r, b)| (r - b).abs()).sum();
    assert!(changed > 1e-9);
    // Values move by up to Σ|change|·max|K|: more than is spared, less, or unknown.
    assert!(is_computed(1.9 * changed, 2.0));
    assert!(!is_computed(2.1 * changed, 2.0));
    assert!(!is_computed(changed, 0.5));
    assert!(is_computed(f64::INFINITY, 0.0));
    // Nothing moves in double precision.
    let nothing = |_: &[f64], _: &mut [f64]| unreachable!("no coefficient has changed");
    let solved = Solved { problem: &problem, beta: &beta, gradient: &gradient, largest: 0.0 };
    solved.certify::<f64>(0.0, nothing).unwrap();
}

/// A certificate with this gap, primal objective, violation and rounding error.
fn certificate(gap: f64, primal: f64, violation: f64, rounding_error: f64) -> Certificate {
    let (dual, scale, factor) = (primal - gap, 1.0, 1.0);
    let (intercept, width) = (0.0, None);
    Certificate { gap, primal, dual, violation, rounding_error, scale, factor, intercept, width }
}

#[test]
fn verdicts_include_their_bounds() {
    let problem = problem(3, 0.0, false, &mut noise(10));
    let verdict = |gap, violation, rounding_error, allowed: Option<f64>| {
        certificate(gap, 8.0, violation, rounding_error).verdict(&problem, 0.125, allowed)
    };
    assert_eq!(verdict(1.0, 0.125, 0.0, None), Some(Status::Converged));
    assert_eq!(verdict(1.0, 0.0, 0.0625, None), Some(Status::Converged));
    assert_eq!(verdict(1.0, 0.126, 0.0, None), None);
    assert_eq!(verdict(1.0, 0.126, 0.0, Some(0.125)), Some(Status::Converged));
    assert_eq!(verdict(f64::INFINITY, 0.0, 0.0, None), None);
    // A ball of equal points: the gap is the rounding error.
    let mut ball = problem.clone();
    ball.reading = Reading::Ball;
    let found = certificate(0.5, 0.0, 0.0, 0.5).verdict(&ball, 1.0, None);
    assert_eq!(found, Some(Status::Converged));
    assert_eq!(certificate(0.5, 0.0, 0.0, 0.4).verdict(&ball, 1.0, None), None);
}

#[test]
fn balls_are_measured_in_squared_distances() {
    let found = certificate(1.0, 5.0, 0.25, 0.125).of_ball(2.0, 3.0);
    assert_eq!((found.gap, found.primal, found.dual), (2.0, 10.0, 8.0));
    assert_eq!((found.rounding_error, found.scale, found.width), (0.25, 6.0, Some(2.0)));
    assert_eq!(found.pair_rounding_error(), 0.5 / 6.0);
}

#[test]
fn a_gap_comes_with_the_dual_objective() {
    let mut next = noise(11);
    let problem = problem(4, 0.1, false, &mut next);
    let beta = coefficients(&problem, &mut next);
    let (_, gradient) = gradient_of(&problem, &beta, &mut next);
    let (gap, dual) = gap(&problem, &beta, &gradient);
    assert_eq!(dual, -objective(&problem, &beta, &gradient).0);
    let multipliers = multipliers(&problem, &beta, &gradient);
    assert_eq!(gap, soft_gap(&problem, &beta, &gradient, &multipliers));
}
