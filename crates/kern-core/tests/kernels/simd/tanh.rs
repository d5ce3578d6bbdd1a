//! tanh.

use super::error::*;
use super::reference;
use kern_core::Scalar;
use proptest::prelude::*;

/// Adding −0 changes no number.
fn map<T: Scalar>(v: &mut [T]) {
    T::tanh_affine(v, T::ONE, -T::ZERO);
}

/// Measured: 1.30 ulp on this stride, 1.371 ulp on all 2³² patterns.
#[test]
fn f32_all_binades_within_two_ulp() {
    assert_within_bound(largest_error_f32(997, map, f64::tanh));
}

/// Measured: 1.31 ulp; 1.392 ulp on 2·10⁷ random numbers.
#[test]
fn f64_dense_sweep_within_two_ulp() {
    let wide = linear(200_000, -20.5, 20.5).chain(linear(200_000, 0.3, 1.2));
    let inputs: Vec<f64> = wide.chain(geometric(100_000, -60.0, 5.0)).collect();
    assert_within_bound(largest_error_f64(&inputs, map, |x, given| {
        ulps_f64(given, reference::tanh(x))
    }));
}

#[test]
fn f64_golden_values_within_two_ulp() {
    assert_golden("tanh", map);
}

#[test]
fn f64_reference_rounds_to_the_golden_values() {
    assert_reference("tanh", |x| reference::tanh(x.clamp(-300.0, 300.0)).hi);
}

#[test]
fn every_slice_length_same_bits() {
    assert_lengths_agree::<f32>(|v| f32::tanh_affine(v, 0.7, -0.2));
    assert_lengths_agree::<f64>(|v| f64::tanh_affine(v, 0.7, -0.2));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Odd to the bit, and at most 1, for any bits.
    #[test]
    fn is_odd_and_bounded(bits: u64) {
        let x = f64::from_bits(bits);
        let mut v = [x, -x];
        map(&mut v);
        prop_assert!(v[0].abs() <= 1.0 || x.is_nan());
        prop_assert!(v[1].to_bits() == (-v[0]).to_bits() || x.is_nan());
    }

    /// The argument is rounded once.
    #[test]
    fn affine_is_tanh_of_fused_product(c in -3.0_f64..3.0, b in -1.0_f64..1.0, x in -3.0_f64..3.0) {
        let mut affine = [x];
        f64::tanh_affine(&mut affine, c, b);
        let mut plain = [c.mul_add(x, b)];
        map(&mut plain);
        prop_assert_eq!(affine, plain);
    }
}
