//! Square roots, which are correctly rounded.

use super::error::{assert_lengths_agree, geometric, largest_error_f32};
use kern_core::Scalar;

#[test]
fn f32_all_binades_correctly_rounded() {
    let largest = largest_error_f32(997, |v| f32::sqrt_scaled(v, 1.0), f64::sqrt);
    assert!(largest <= 0.5, "measured {largest} ulp");
    assert!(largest > 0.49, "the sweep saw no rounding error");
}

/// y is the root of x rounded to nearest if x is between the squares of y's neighbouring midpoints:
/// |x − y²| ≤ y·ulp(y) up to a term of second order.
#[test]
fn f64_all_binades_correctly_rounded() {
    let inputs: Vec<f64> = geometric(200_000, -900.0, 1023.0).map(f64::abs).collect();
    let mut roots = inputs.clone();
    f64::sqrt_scaled(&mut roots, 1.0);
    for (&x, &y) in inputs.iter().zip(&roots) {
        let ulp = f64::from_bits(y.to_bits() + 1) - y;
        assert!(y.mul_add(y, -x).abs() <= y * ulp * (1.0 + f64::EPSILON), "√{x:e} = {y:e}");
    }
}

#[test]
fn product_is_rounded_after_the_root() {
    let mut v = [2.0_f64, 3.0, 5.0];
    f64::sqrt_scaled(&mut v, 0.1);
    assert_eq!(v, [2.0, 3.0, 5.0].map(|x: f64| 0.1 * x.sqrt()));
}

#[test]
fn every_slice_length_same_bits() {
    assert_lengths_agree::<f32>(|v| f32::sqrt_scaled(v, 0.7));
    assert_lengths_agree::<f64>(|v| f64::sqrt_scaled(v, 0.7));
}
