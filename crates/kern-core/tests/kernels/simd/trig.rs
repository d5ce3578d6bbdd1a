//! Cosine and sine of phases in turns.

use super::MAX_ULP;
use super::error::*;
use super::reference::cos_sin;
use crate::dd::Dd;
use kern_core::Scalar;
use proptest::prelude::*;

fn cosines<T: Scalar>(turns: &[f64]) -> Vec<T> {
    let mut cos = vec![T::ZERO; turns.len()];
    T::cos_turns(turns, T::ONE, &mut cos);
    cos
}

fn sines<T: Scalar>(turns: &[f64]) -> Vec<T> {
    let mut sin = vec![T::ZERO; turns.len()];
    T::sin_turns(turns, T::ONE, &mut sin);
    sin
}

/// Phases in all quarters, near their borders, tiny and huge.
fn phases() -> Vec<f64> {
    let near = linear(200_000, -1.1, 1.1).chain(geometric(100_000, -60.0, 0.0));
    let borders =
        (-8..=8).flat_map(|n| geometric(2_000, -50.0, -3.0).map(move |e| f64::from(n) / 8.0 + e));
    // Far out, where few digits are left for the fraction of a turn.
    let far = geometric(100_000, 0.0, 53.0);
    near.chain(borders).chain(far).collect()
}

/// The greatest errors of cosine and sine.
fn largest_errors<T: Scalar>(ulps: impl Fn(T, Dd) -> f64) -> (f64, f64) {
    let turns = phases();
    let (mut cos, mut sin) = (0.0_f64, 0.0_f64);
    for ((&t, c), s) in turns.iter().zip(cosines::<T>(&turns)).zip(sines::<T>(&turns)) {
        let (exact_cos, exact_sin) = cos_sin(t);
        for (worst, given, exact) in [(&mut cos, c, exact_cos), (&mut sin, s, exact_sin)] {
            match special(given, T::from_f64(exact.hi)) {
                Some(is_right) => assert!(is_right, "{given} at {t}, expected {exact:?}"),
                None => *worst = worst.max(ulps(given, exact)),
            }
        }
    }
    (cos, sin)
}

/// Measured: 1.64 ulp; 1.690 ulp on 3·10⁷ random phases.
#[test]
fn f64_within_two_ulp() {
    let (cos, sin) = largest_errors::<f64>(ulps_f64);
    assert_within_bound(cos);
    assert_within_bound(sin);
}

/// Measured: 1.72 ulp; 1.750 ulp on 2³⁰ random phases.
#[test]
fn f32_within_two_ulp() {
    let (cos, sin) = largest_errors::<f32>(|given, exact| ulps_f32(given, exact.hi));
    assert_within_bound(cos);
    assert_within_bound(sin);
}

#[test]
fn golden_values_within_two_ulp() {
    assert_golden("cos", |v| v.copy_from_slice(&cosines(v)));
    assert_golden("sin", |v| v.copy_from_slice(&sines(v)));
}

#[test]
fn reference_rounds_to_the_golden_values() {
    assert_reference("cos", |t| cos_sin(t).0.hi);
    assert_reference("sin", |t| cos_sin(t).1.hi);
}

#[test]
fn quarter_turns_are_exact_however_far() {
    for base in [0.0, 1.0, -3.0, 1e6, 123_456_789.0, 1e15] {
        let turns = [base, base + 0.25, base + 0.5, base + 0.75];
        assert_eq!(cosines::<f64>(&turns), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!(sines::<f64>(&turns), [0.0, 1.0, 0.0, -1.0]);
        assert_eq!(cosines::<f32>(&turns), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!(sines::<f32>(&turns), [0.0, 1.0, 0.0, -1.0]);
    }
}

#[test]
fn infinite_phases_have_no_cosine() {
    let turns = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    assert!(cosines::<f64>(&turns).into_iter().chain(sines(&turns)).all(f64::is_nan));
    assert!(cosines::<f32>(&turns).into_iter().chain(sines(&turns)).all(f32::is_nan));
}

/// Vector registers and the remainder loop compute the same bits.
fn assert_trig_lengths_agree<T: Scalar>() {
    let turns: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.37 - 6.0).collect();
    for len in 0..100 {
        let turns = &turns[..len];
        for (i, &t) in turns.iter().enumerate() {
            assert_eq!(cosines::<T>(turns)[i], cosines::<T>(&[t])[0], "length {len}");
            assert_eq!(sines::<T>(turns)[i], sines::<T>(&[t])[0], "length {len}");
        }
    }
}

#[test]
fn every_slice_length_same_bits() {
    assert_trig_lengths_agree::<f32>();
    assert_trig_lengths_agree::<f64>();
}

fn assert_both_are_the_single_ones<T: Scalar>() {
    let turns = phases();
    let scale = T::from_f64(0.3);
    for turns in [&turns[..], &turns[..77]] {
        let [mut cos, mut sin, mut both_cos, mut both_sin] =
            [(); 4].map(|()| vec![T::ZERO; turns.len()]);
        T::cos_turns(turns, scale, &mut cos);
        T::sin_turns(turns, scale, &mut sin);
        T::cos_sin_turns(turns, scale, &mut both_cos, &mut both_sin);
        assert!(cos == both_cos && sin == both_sin);
    }
}

#[test]
fn both_have_the_bits_of_the_single_ones() {
    assert_both_are_the_single_ones::<f32>();
    assert_both_are_the_single_ones::<f64>();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Even and odd to the bit, at most 1, and on the unit circle.
    #[test]
    fn symmetry_and_norm(t in -1e6_f64..1e6, scale in -10.0_f64..10.0) {
        let (cos, sin) = (cosines::<f64>(&[t, -t]), sines::<f64>(&[t, -t]));
        prop_assert_eq!(cos[0], cos[1]);
        prop_assert_eq!(sin[0], -sin[1]);
        prop_assert!(cos[0].abs() <= 1.0 + f64::EPSILON && sin[0].abs() <= 1.0 + f64::EPSILON);
        // 2·(2 ulp of at most u each) and the roundings of the sum.
        prop_assert!((cos[0].powi(2) + sin[0].powi(2) - 1.0).abs() <= MAX_ULP * 3.0 * f64::EPSILON);
        let mut scaled = [0.0];
        f64::cos_turns(&[t], scale, &mut scaled);
        prop_assert_eq!(scaled[0], scale * cos[0]);
        f64::sin_turns(&[t], scale, &mut scaled);
        prop_assert_eq!(scaled[0], scale * sin[0]);
    }
}
