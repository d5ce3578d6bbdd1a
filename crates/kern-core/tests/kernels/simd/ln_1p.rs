//! ln(1 + x): −∞ at −1, NaN below.

use super::error::*;
use super::reference;
use kern_core::Scalar;
use proptest::prelude::*;

fn map<T: Scalar>(v: &mut [T]) {
    T::ln_1p_scaled(v, T::ONE);
}

/// Measured: 1.39 ulp on this stride, 1.489 ulp on all 2³² patterns.
#[test]
fn f32_all_binades_within_two_ulp() {
    assert_within_bound(largest_error_f32(997, map, f64::ln_1p));
}

/// Measured: 1.36 ulp; 1.501 ulp on 3·10⁷ random numbers.
#[test]
fn f64_dense_sweep_within_two_ulp() {
    let near = linear(300_000, -0.999_999, 3.0).chain(geometric(100_000, -60.0, 0.0));
    let above = geometric(100_000, 0.0, 1024.0).map(f64::abs);
    // Close to −1 the numbers are multiples of 2⁻⁵³.
    let below = geometric(50_000, -53.0, 0.0).map(|x| x.abs() - 1.0).filter(|&x| x > -1.0);
    let inputs: Vec<f64> = near.chain(above).chain(below).collect();
    assert_within_bound(largest_error_f64(&inputs, map, |x, given| {
        ulps_f64(given, reference::ln_1p(x))
    }));
}

#[test]
fn f64_golden_values_within_two_ulp() {
    assert_golden("ln_1p", map);
}

#[test]
fn f64_reference_rounds_to_the_golden_values() {
    assert_reference("ln_1p", |x| reference::ln_1p(x).hi);
}

#[test]
fn outside_of_the_domain_is_nan() {
    let mut v = [-1.0 - f64::EPSILON, -2.0, f64::MIN, f64::NEG_INFINITY, f64::NAN];
    map(&mut v);
    assert!(v.iter().all(|y| y.is_nan()), "{v:?}");
}

#[test]
fn every_slice_length_same_bits() {
    assert_lengths_agree::<f32>(|v| f32::ln_1p_scaled(v, 0.1));
    assert_lengths_agree::<f64>(|v| f64::ln_1p_scaled(v, 0.1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// ln(1 + c·v) uses the product rounded to the type, nothing else.
    #[test]
    fn scaled_is_ln_1p_of_rounded_product(c in 0.0_f64..30.0, x in 0.0_f64..30.0) {
        let (mut scaled, mut plain) = ([x], [c * x]);
        f64::ln_1p_scaled(&mut scaled, c);
        map(&mut plain);
        prop_assert_eq!(scaled, plain);
    }

    /// exp(ln(1 + x)) = 1 + x. An error of 2 ulp in a logarithm of at most 41 is one of 164 eps in
    /// its exponential; the others are small beside it.
    #[test]
    fn exp_is_inverse(x in 0.0_f64..1e18) {
        let mut v = [x];
        map(&mut v);
        f64::exp_scaled(&mut v, 1.0);
        prop_assert!((v[0] / (1.0 + x) - 1.0).abs() <= 170.0 * f64::EPSILON, "{}", v[0]);
    }
}
