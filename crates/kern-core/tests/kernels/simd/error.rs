//! Errors in ulps, sweeps and golden values.

use super::MAX_ULP;
use crate::dd::Dd;
use kern_core::Scalar;

/// The error of `given` in ulps of f32.
pub(crate) fn ulps_f32(given: f32, exact: f64) -> f64 {
    let exponent = (exact.abs().log2().floor() as i32).max(f32::MIN_EXP - 1);
    (f64::from(given) - exact).abs() / 2.0_f64.powi(exponent - 23)
}

/// The error of `given` in ulps of f64.
pub(crate) fn ulps_f64(given: f64, exact: Dd) -> f64 {
    let next = f64::from_bits(exact.hi.abs().to_bits() + 1);
    ((given - exact.hi) - exact.lo).abs() / (next - exact.hi.abs())
}

/// Tells whether a result is right where ulps mean nothing: NaN, infinite, or 0. None where they do.
pub(crate) fn special<T: Scalar>(given: T, expected: T) -> Option<bool> {
    if expected.to_f64().is_nan() {
        return Some(given.to_f64().is_nan());
    }
    let ulps_mean_nothing = expected == T::ZERO || !expected.is_finite_number();
    ulps_mean_nothing.then(|| given == expected)
}

/// The greatest error of a map of f32 slices over all bit patterns in steps of `stride`: NaN,
/// infinities and subnormal numbers included. Fails where a special value is wrong.
pub(crate) fn largest_error_f32(
    stride: usize,
    map: impl Fn(&mut [f32]),
    reference: impl Fn(f64) -> f64,
) -> f64 {
    let mut largest = 0.0_f64;
    for start in (0..=u32::MAX).step_by(4096 * stride) {
        let bits = (start..=u32::MAX).step_by(stride).take(4096);
        let inputs: Vec<f32> = bits.map(f32::from_bits).collect();
        let mut values = inputs.clone();
        map(&mut values);
        for (&x, &given) in inputs.iter().zip(&values) {
            let exact = reference(f64::from(x));
            match special(given, exact as f32) {
                Some(is_right) => assert!(is_right, "at {x:e}: {given:e}, not {exact:e}"),
                None => largest = largest.max(ulps_f32(given, exact)),
            }
        }
    }
    largest
}

/// The greatest error of a map of f64 slices at the given inputs; `error` is that of a result at x.
pub(crate) fn largest_error_f64(
    inputs: &[f64],
    map: impl Fn(&mut [f64]),
    error: impl Fn(f64, f64) -> f64,
) -> f64 {
    let mut values = inputs.to_vec();
    map(&mut values);
    inputs.iter().zip(&values).map(|(&x, &given)| error(x, given)).fold(0.0, f64::max)
}

/// At most 2 ulp, but rounding errors must have been seen.
pub(crate) fn assert_within_bound(largest: f64) {
    assert!(largest <= MAX_ULP, "measured {largest} ulp");
    assert!(largest > 0.5, "the sweep saw no rounding error");
}

/// Pairs (x, correctly rounded f(x)) from mpmath.
pub(crate) fn golden(function: &str) -> Vec<(f64, f64)> {
    let parse = |cell: &str| f64::from_bits(u64::from_str_radix(cell, 16).unwrap());
    let lines = include_str!("../../data/elementary_f64.txt").lines();
    let cells = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    let of_function = cells.filter(|cells| cells[0] == function);
    let pairs: Vec<_> = of_function.map(|cells| (parse(cells[1]), parse(cells[2]))).collect();
    assert!(pairs.len() >= 200, "{} golden values of {function}", pairs.len());
    pairs
}

/// A map of slices of one has at most 2 ulp of error in all golden values.
pub(crate) fn assert_golden(function: &str, map: impl Fn(&mut [f64])) {
    for (x, expected) in golden(function) {
        let mut v = [x];
        map(&mut v);
        let given = v[0];
        let is_right = special(given, expected).unwrap_or_else(|| {
            // Bit patterns of numbers of one sign are in the order of the numbers.
            let distance = given.to_bits().abs_diff(expected.to_bits());
            distance as f64 <= MAX_ULP
        });
        assert!(is_right, "{function}({x:e}) = {given:e}, expected {expected:e}");
    }
}

/// A reference rounds to all golden values, so that it measures the right thing.
pub(crate) fn assert_reference(function: &str, reference: impl Fn(f64) -> f64) {
    for (x, expected) in golden(function) {
        if expected.is_normal() {
            assert_eq!(reference(x), expected, "{function}({x:e})");
        }
    }
}

/// Numbers 2^e, e equally spaced, and their negatives.
pub(crate) fn geometric(count: i32, from: f64, to: f64) -> impl Iterator<Item = f64> {
    let step = (to - from) / f64::from(count);
    (0..count).flat_map(move |i| [1.0, -1.0].map(|sign| sign * (from + step * f64::from(i)).exp2()))
}

/// Equally spaced numbers.
pub(crate) fn linear(count: i32, from: f64, to: f64) -> impl Iterator<Item = f64> {
    let step = (to - from) / f64::from(count);
    (0..count).map(move |i| from + step * f64::from(i))
}

/// Vector registers and the remainder loop compute the same bits, and no slice function reads or
/// writes what is not its own.
pub(crate) fn assert_lengths_agree<T: Scalar>(map: impl Fn(&mut [T])) {
    for len in 0..100 {
        let input: Vec<T> = (0..len).map(|i| T::from_f64(f64::from(i) * 0.37 - 6.0)).collect();
        let mut together = input.clone();
        map(&mut together);
        for (&x, &y) in input.iter().zip(&together) {
            let mut alone = [x];
            map(&mut alone);
            assert_eq!(alone[0].to_f64().to_bits(), y.to_f64().to_bits(), "length {len}");
        }
    }
}
