//! exp: results below 1.5 times the smallest normal number are 0.

use super::error::*;
use super::{MAX_ULP, reference};
use kern_core::Scalar;
use proptest::prelude::*;

fn map<T: Scalar>(v: &mut [T]) {
    T::exp_scaled(v, T::ONE);
}

/// exp of one number, by a slice of one.
fn exp<T: Scalar>(x: T) -> T {
    let mut v = [x];
    map(&mut v);
    v[0]
}

/// The f32 result that is expected: flushed where the documentation says so.
fn flushed(t: f64) -> f64 {
    let exact = t.exp();
    if exact < 1.5 * f64::from(f32::MIN_POSITIVE) { 0.0 } else { exact }
}

/// Measured: 0.84 ulp on this stride, 0.899 ulp on all 2³² patterns.
#[test]
fn f32_all_binades_within_two_ulp() {
    assert_within_bound(largest_error_f32(997, map, flushed));
}

#[test]
fn f32_every_number_near_the_ends_of_the_range_is_right() {
    for centre in [-86.931_08_f32, 88.722_84, -103.972_08, 0.0, -0.0, 1e-45, -1e-45] {
        let bits = centre.to_bits();
        for bits in bits.saturating_sub(5000)..bits.saturating_add(5000) {
            let t = f32::from_bits(bits);
            let (given, exact) = (exp(t), flushed(f64::from(t)));
            let is_right = special(given, exact as f32);
            let is_right = is_right.unwrap_or_else(|| ulps_f32(given, exact) <= MAX_ULP);
            assert!(is_right, "exp({t:e}) = {given:e}, expected {exact:e}");
        }
    }
}

/// Measured: 0.84 ulp; 0.880 ulp on 2·10⁷ random numbers.
#[test]
fn f64_dense_sweep_within_two_ulp() {
    let wide = linear(300_000, -707.99, 709.782_712_893_383);
    let inputs: Vec<f64> = wide.chain(geometric(300_000, -55.0, 9.0)).collect();
    assert_within_bound(largest_error_f64(&inputs, map, |t, given| {
        let (m, k) = reference::exp(t);
        ulps_f64(reference::scaled(given, -k), m)
    }));
}

#[test]
fn f64_golden_values_within_two_ulp() {
    assert_golden("exp", map);
}

#[test]
fn f64_reference_rounds_to_the_golden_values() {
    assert_reference("exp", |t| {
        let (m, k) = reference::exp(t);
        reference::scaled(m.hi, k)
    });
}

#[test]
fn nan_stays_nan() {
    for c in [1.0, -1.0, 0.0] {
        let mut v = [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)];
        f64::exp_scaled(&mut v, c);
        assert!(v.iter().all(|x| x.is_nan()));
        let mut v = [f32::NAN, -f32::NAN, f32::from_bits(0x7fff_ffff)];
        f32::exp_scaled(&mut v, c as f32);
        assert!(v.iter().all(|x| x.is_nan()));
    }
}

#[test]
fn every_slice_length_same_bits() {
    for c in [1.0, -1.0, -0.3, 20.0] {
        assert_lengths_agree::<f32>(|v| f32::exp_scaled(v, c));
        assert_lengths_agree::<f64>(|v| f64::exp_scaled(v, f64::from(c)));
    }
}

proptest! {
    // Cases are seeded anew each time; a failure prints its input, which becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// exp(c·v) uses the product rounded to the type, nothing else.
    #[test]
    fn scaled_is_exp_of_rounded_product(c in -30.0_f64..30.0, t in -30.0_f64..30.0) {
        let mut scaled = [t];
        f64::exp_scaled(&mut scaled, c);
        prop_assert_eq!(scaled[0].to_bits(), exp(c * t).to_bits());
    }

    /// exp(a)·exp(−a) = 1 up to the two errors and one rounding: 2·2 ulp + ½, at most 6 eps.
    #[test]
    fn of_negation_is_inverse(a in -700.0_f64..700.0) {
        let product = exp(a) * exp(-a);
        prop_assert!((product - 1.0).abs() <= 6.0 * f64::EPSILON, "{}", product);
    }
}
