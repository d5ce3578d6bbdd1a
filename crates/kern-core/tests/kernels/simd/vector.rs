//! Inner products, updates and the test for finite numbers, for every length of slices.

use crate::dd::Dd;
use kern_core::Scalar;
use proptest::prelude::*;

/// Numbers of both signs, whose sums cancel.
fn vectors<T: Scalar>(len: usize, phase: f64) -> (Vec<T>, Vec<T>) {
    let number = |i: usize, factor: f64| T::from_f64((factor * i as f64 + phase).sin() * 10.0);
    ((0..len).map(|i| number(i, 1.7)).collect(), (0..len).map(|i| number(i, 2.3)).collect())
}

/// Σ x·y and Σ|x·y| in double-double arithmetic.
fn exact_sums<T: Scalar>(x: &[T], y: &[T]) -> (Dd, f64) {
    let products = x.iter().zip(y).map(|(x, y)| Dd::from(x.to_f64()) * Dd::from(y.to_f64()));
    products.fold((Dd::default(), 0.0), |(sum, size), xy| (sum + xy, size + xy.hi.abs()))
}

/// |error| ≤ (⌈k/32⌉ + 5)·u·Σ|x·y|: as many roundings in each of 32 partial sums, and five levels
/// of sums of them. The factor covers terms of second order.
fn assert_dot<T: Scalar>(x: &[T], y: &[T]) -> Result<(), TestCaseError> {
    let (sum, size) = exact_sums(x, y);
    let roundings = x.len().div_ceil(32) as f64 + 5.0;
    let allowed = 1.000_1 * roundings * T::UNIT_ROUNDOFF * size;
    let given = T::dot(x, y).to_f64();
    let error = ((given - sum.hi) - sum.lo).abs();
    prop_assert!(error <= allowed, "length {}: {given} for {sum:?}", x.len());
    Ok(())
}

#[test]
fn dot_every_length_within_bound() {
    for len in 0..=200 {
        for phase in [0.0, 1.0] {
            let (x, y) = vectors::<f32>(len, phase);
            assert_dot(&x, &y).unwrap();
            let (x, y) = vectors::<f64>(len, phase);
            assert_dot(&x, &y).unwrap();
        }
    }
}

/// With whole numbers there is no rounding: every product is counted once.
#[test]
fn dot_of_whole_numbers_is_exact() {
    for len in 0..=200_u32 {
        let x: Vec<f32> = (0..len).map(|i| (i % 7) as f32 - 2.0).collect();
        let y: Vec<f32> = (0..len).map(|i| (i % 5) as f32 + 1.0).collect();
        let exact: f64 = x.iter().zip(&y).map(|(x, y)| f64::from(x * y)).sum();
        assert_eq!(f64::from(f32::dot(&x, &y)), exact, "length {len}");
    }
}

/// One fused multiply-add each.
fn assert_axpy<T: Scalar>(c: f64) {
    let c = T::from_f64(c);
    for len in 0..=200 {
        let (x, y) = vectors::<T>(len, 0.5);
        let mut given = y.clone();
        T::axpy(c, &x, &mut given);
        for i in 0..len {
            let exact = Dd::from(c.to_f64()) * Dd::from(x[i].to_f64()) + Dd::from(y[i].to_f64());
            let error = ((given[i].to_f64() - exact.hi) - exact.lo).abs();
            // A tie of f32 may be broken by the part of the sum beyond 106 bits.
            assert!(error <= 1.000_1 * T::UNIT_ROUNDOFF * exact.hi.abs(), "length {len}, at {i}");
        }
    }
}

fn assert_axpy4<T: Scalar>() {
    for len in 0..70 {
        let x = [1, 2, 3, 4].map(|k| {
            (0..len).map(|i| T::from_f64(f64::from(i * k % 17) * 0.37 - 1.1)).collect::<Vec<T>>()
        });
        let c = [0.3, -1.7, 0.0, 2.9].map(T::from_f64);
        let mut expected: Vec<T> = (0..len).map(|i| T::from_f64(f64::from(i) * 0.01)).collect();
        let mut given = expected.clone();
        for (c, x) in c.into_iter().zip(&x) {
            T::axpy(c, x, &mut expected);
        }
        T::axpy4(c, [&x[0], &x[1], &x[2], &x[3]], &mut given);
        assert!(given == expected, "{len}");
    }
}

#[test]
fn axpy4_is_four_times_axpy() {
    assert_axpy4::<f32>();
    assert_axpy4::<f64>();
}

#[test]
fn axpy_every_length_rounded_once() {
    for c in [0.3, -1.7, 1e10, 0.0] {
        assert_axpy::<f32>(c);
        assert_axpy::<f64>(c);
    }
}

fn assert_finds<T: Scalar>() {
    for len in 0..=200 {
        let mut v = vec![T::from_f64(f64::from(f32::MAX)); len];
        assert!(T::all_finite(&v), "length {len}");
        for at in 0..len {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let right = std::mem::replace(&mut v[at], T::from_f64(wrong));
                assert!(!T::all_finite(&v), "length {len}: {wrong} at {at}");
                v[at] = right;
            }
        }
    }
}

#[test]
fn all_finite_finds_every_place() {
    assert_finds::<f32>();
    assert_finds::<f64>();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Magnitudes far apart, and both signs.
    #[test]
    fn dot_of_any_numbers_within_bound(
        exponents in prop::collection::vec((-60.0_f64..60.0, -60.0_f64..60.0), 0..500),
    ) {
        let x: Vec<f64> = exponents.iter().map(|(a, b)| a.exp2() * b.signum()).collect();
        let y: Vec<f64> = exponents.iter().map(|(_, b)| b.exp2()).collect();
        assert_dot(&x, &y)?;
    }
}
