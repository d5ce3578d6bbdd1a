//! Tests of `Scalar::exp_scaled`: at most 2 ulp over the whole domain of f32 and f64, flushed below
//! the normal numbers, infinite above them, and the same bits for every slice length.
//!
//! References: for f32 the `exp` of f64; for f64 a double-double Taylor series (dense sweep) and
//! correctly rounded values from mpmath (`data/exp_f64.txt`). Notation: an ulp is the distance of
//! neighbouring numbers in the binade of the exact result.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

#[path = "support/dd.rs"]
mod dd;

use dd::Dd;
use kern_core::Scalar;
use proptest::prelude::*;

/// What the documentation of `exp_scaled` promises.
const MAX_ULP: f64 = 2.0;

/// exp of one number, by a slice of one.
fn exp<T: Scalar>(x: T) -> T {
    let mut v = [x];
    T::exp_scaled(&mut v, T::ONE);
    v[0]
}

/// The error of `given` in ulps of f32, or why it is wrong where ulps mean nothing.
fn error_f32(t: f32, given: f32) -> Result<f64, String> {
    let exact = f64::from(t).exp();
    let wrong = |what: &str| Err(format!("exp({t:e}) = {given:e}, expected {what}"));
    if t.is_nan() {
        return if given.is_nan() { Ok(0.0) } else { wrong("NaN") };
    }
    if exact < f64::from(f32::MIN_POSITIVE) {
        return if given == 0.0 { Ok(0.0) } else { wrong("0") };
    }
    // From here on the exact result rounds to infinity.
    if exact >= f64::from(f32::MAX) + 2.0_f64.powi(127 - 24) {
        return if given == f32::INFINITY { Ok(0.0) } else { wrong("inf") };
    }
    if !given.is_finite() {
        return wrong("a finite number");
    }
    let ulp = 2.0_f64.powf(exact.log2().floor() - 23.0);
    Ok((f64::from(given) - exact).abs() / ulp)
}

/// The greatest error over a strided sweep of all bit patterns (NaN, infinities, subnormals).
fn greatest_error_f32(stride: usize) -> f64 {
    let mut greatest = 0.0_f64;
    let mut inputs = Vec::new();
    for bits in (0..=u32::MAX).step_by(stride) {
        inputs.push(f32::from_bits(bits));
        if inputs.len() == 4096 || u32::MAX - bits < stride as u32 {
            let mut values = inputs.clone();
            f32::exp_scaled(&mut values, 1.0);
            for (&t, &v) in inputs.iter().zip(&values) {
                greatest = greatest.max(error_f32(t, v).unwrap());
            }
            inputs.clear();
        }
    }
    greatest
}

/// Measured: 1.014 ulp on this stride, 1.068 ulp on all 2³² patterns (stride 1, 43 s, AVX-512).
#[test]
fn exp_f32_all_binades_within_two_ulp() {
    let greatest = greatest_error_f32(997);
    assert!(greatest <= MAX_ULP, "measured {greatest} ulp");
    // An error of at most half an ulp everywhere would mean that the sweep tested nothing.
    assert!(greatest > 0.5, "the sweep saw no rounding error");
}

#[test]
fn exp_f32_every_number_near_the_ends_of_the_range_is_right() {
    for centre in [-87.336_55_f32, 88.722_84, -103.972_08, 0.0, -0.0, 1e-45, -1e-45] {
        let bits = centre.to_bits();
        for bits in bits.saturating_sub(5000)..bits.saturating_add(5000) {
            let t = f32::from_bits(bits);
            let error = error_f32(t, exp(t)).unwrap();
            assert!(error <= MAX_ULP, "exp({t:e}): {error} ulp");
        }
    }
}

/// exp(r) for |r| < 1 as Σ rⁿ/n! by Horner's rule; 1/n is a double-double by one Newton step.
fn exp_series(r: Dd) -> Dd {
    let mut sum = Dd::from(1.0);
    for n in (1..=30).rev().map(|n| Dd::from(f64::from(n))) {
        let inverse = Dd::from(1.0 / n.hi);
        let inverse = inverse + inverse * (Dd::from(1.0) - n * inverse);
        sum = Dd::from(1.0) + r * inverse * sum;
    }
    sum
}

/// (m, k) with exp(t) = m·2ᵏ, m in [0.7, 1.42], to about 100 bits.
fn exp_reference(t: f64) -> (Dd, i32) {
    /// ln 2 to 107 bits: 0.693147180559945309417232121458176568.
    const LN_2: Dd = Dd { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };
    let k = (t / LN_2.hi).round();
    (exp_series(Dd::from(t) - Dd::from(k) * LN_2), k as i32)
}

/// The error in ulps of `given`, whose exact value m·2ᵏ is a normal number.
fn error_f64(given: f64, (m, k): (Dd, i32)) -> f64 {
    // Two exact steps, because 2^-k alone may not be a number.
    let scaled = given * 2.0_f64.powi(-(k / 2)) * 2.0_f64.powi(-(k - k / 2));
    let ulp = if m.hi < 1.0 { f64::EPSILON / 2.0 } else { f64::EPSILON };
    ((scaled - m.hi) - m.lo).abs() / ulp
}

/// Measured: 0.972 ulp.
#[test]
fn exp_f64_dense_sweep_within_two_ulp() {
    let count = 300_000;
    let (low, high) = (-708.396_418_532_264_f64, 709.782_712_893_383);
    // Equally spaced over the domain, and equally spaced in the exponent around 0.
    let wide = (0..count).map(|i| low + (high - low) * f64::from(i) / f64::from(count));
    let near = (0..count).map(|i| 2.0_f64.powf(f64::from(i) / f64::from(count) * 60.0 - 55.0));
    let inputs: Vec<f64> = wide.chain(near.flat_map(|t| [t, -t])).collect();
    let mut values = inputs.clone();
    f64::exp_scaled(&mut values, 1.0);
    let mut greatest = 0.0_f64;
    for (&t, &v) in inputs.iter().zip(&values) {
        let error = error_f64(v, exp_reference(t));
        assert!(error <= MAX_ULP, "exp({t:e}) = {v:e}: {error} ulp");
        greatest = greatest.max(error);
    }
    assert!(greatest > 0.5, "the sweep saw no rounding error");
}

/// Pairs (x, correctly rounded exp(x)) from mpmath.
fn golden_pairs() -> Vec<(f64, f64)> {
    let parse = |cell: &str| f64::from_bits(u64::from_str_radix(cell, 16).unwrap());
    let lines = include_str!("data/exp_f64.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap()).map(|(x, y)| (parse(x), parse(y))).collect()
}

#[test]
fn exp_f64_golden_values_within_two_ulp() {
    let pairs = golden_pairs();
    assert!(pairs.len() >= 500);
    for (x, expected) in pairs {
        let given = exp(x);
        if expected > 0.0 && expected.is_finite() {
            // Bit patterns of positive numbers are in the order of the numbers.
            let ulps = given.to_bits().abs_diff(expected.to_bits());
            assert!(ulps as f64 <= MAX_ULP, "exp({x:e}) = {given:e}, expected {expected:e}");
        } else {
            assert_eq!(given.to_bits(), expected.to_bits(), "exp({x:e})");
        }
    }
}

/// The double-double reference itself agrees with mpmath, so the sweep measures the right thing.
#[test]
fn exp_f64_reference_golden_values_correctly_rounded() {
    for (x, expected) in golden_pairs() {
        if expected > 0.0 && expected.is_finite() {
            let (m, k) = exp_reference(x);
            let rounded = m.hi * 2.0_f64.powi(k / 2) * 2.0_f64.powi(k - k / 2);
            assert_eq!(rounded.to_bits(), expected.to_bits(), "exp({x:e})");
        }
    }
}

#[test]
fn exp_nan_stays_nan() {
    for c in [1.0, -1.0, 0.0] {
        let mut v = [f64::NAN, -f64::NAN];
        f64::exp_scaled(&mut v, c);
        assert!(v.iter().all(|x| x.is_nan()));
        let mut v = [f32::NAN, -f32::NAN];
        f32::exp_scaled(&mut v, c as f32);
        assert!(v.iter().all(|x| x.is_nan()));
    }
}

/// Vector registers and the remainder loop compute the same bits.
fn assert_lengths_agree<T: Scalar>() {
    for len in 0..40 {
        let input: Vec<T> = (0..len).map(|i| T::from_f64(f64::from(i) * 3.7 - 60.0)).collect();
        for c in [1.0, -1.0, -0.3, 20.0].map(T::from_f64) {
            let mut together = input.clone();
            T::exp_scaled(&mut together, c);
            for (&x, &y) in input.iter().zip(&together) {
                let mut alone = [x];
                T::exp_scaled(&mut alone, c);
                assert_eq!(alone[0].to_f64().to_bits(), y.to_f64().to_bits(), "length {len}");
            }
        }
    }
}

#[test]
fn exp_every_slice_length_same_bits() {
    assert_lengths_agree::<f32>();
    assert_lengths_agree::<f64>();
}

proptest! {
    // Cases are seeded anew each time; a failure prints its input, which becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bit pattern of f32: the ulp bound, at a random offset in a slice.
    #[test]
    fn exp_f32_any_bits_within_two_ulp(bits: u32, offset in 0_usize..20) {
        let t = f32::from_bits(bits);
        let mut v = [0.0; 20];
        v[offset] = t;
        f32::exp_scaled(&mut v, 1.0);
        let error = error_f32(t, v[offset]).unwrap();
        prop_assert!(error <= MAX_ULP, "{} ulp", error);
        prop_assert!(v.iter().enumerate().all(|(i, &e)| i == offset || e.to_bits() == 1.0_f32.to_bits()));
    }

    /// exp(c·v) uses the product rounded to the type, nothing else.
    #[test]
    fn exp_f64_scaled_is_exp_of_rounded_product(c in -30.0_f64..30.0, t in -30.0_f64..30.0) {
        let mut scaled = [t];
        f64::exp_scaled(&mut scaled, c);
        prop_assert_eq!(scaled[0].to_bits(), exp(c * t).to_bits());
    }

    /// exp(a)·exp(−a) = 1 up to the two errors and one rounding: 2·2 ulp + ½, at most 6 eps.
    #[test]
    fn exp_f64_of_negation_is_inverse(a in -700.0_f64..700.0) {
        let product = exp(a) * exp(-a);
        prop_assert!((product - 1.0).abs() <= 6.0 * f64::EPSILON, "{}", product);
    }
}
