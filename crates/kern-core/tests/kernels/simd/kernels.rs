//! Blocks of the kernels whose profile is more than one exponential, where the arguments are exact.

use super::MAX_ULP;
use kern_core::faer::Mat;
use kern_core::kernels::{Exponential, Matern, Matern32, Matern52, RationalQuadratic, Sigmoid};
use kern_core::{Kernel, Samples, Scalar, Scratch, Tile};

/// The first row of the Gram matrix of points on a line, by `block` and by `eval`.
fn first_row<T: Scalar>(kernel: &impl Kernel<Samples<T>>, points: &[f64]) -> Vec<(f64, f64)> {
    let values = points.iter().map(|&x| T::from_f64(x)).collect();
    let x = Samples::from_row_major(1, values).unwrap();
    let mut out = Mat::zeros(points.len(), 1);
    let tile = Tile::new(&x, 0..points.len(), &x, 0..1);
    kernel.block(&tile, out.as_mut(), &mut Scratch::new());
    let eval = |i: usize| kernel.eval(&x.as_slice()[i..=i], &x.as_slice()[..1]).to_f64();
    (0..points.len()).map(|i| (out[(i, 0)].to_f64(), eval(i))).collect()
}

/// The greatest difference of `block` and `eval` in round-offs of `T`.
fn largest_error<T: Scalar>(kernel: &impl Kernel<Samples<T>>, points: &[f64]) -> f64 {
    let errors = first_row(kernel, points).into_iter().map(|(block, eval)| (block - eval).abs());
    errors.fold(0.0, f64::max) / T::UNIT_ROUNDOFF
}

/// Whole numbers, whose squared distances are exact.
fn whole_numbers() -> Vec<f64> {
    (0..200).map(f64::from).collect()
}

/// The bounds of the documentation; `eval` adds half a round-off.
#[test]
fn radial_profiles_within_their_bounds() {
    fn check<T: Scalar>() {
        for scale in [0.3, 7.7, 123.4] {
            // 7 rounding errors in the exponent t: 7·max t·exp(−t) + 1.
            for alpha in [0.1, 1.0, 30.0] {
                let kernel = RationalQuadratic::new(alpha, scale).unwrap();
                let error = largest_error::<T>(&kernel, &whole_numbers());
                assert!(error <= 4.5, "{kernel}: {error} u");
            }
            // At most 4 in z, of which the value has |dK/dz|·z ≤ 0.55, and 5 in the product.
            let matern = Matern32::new(scale).unwrap();
            assert!(largest_error::<T>(&matern, &whole_numbers()) <= 7.5);
            let matern = Matern52::new(scale).unwrap();
            assert!(largest_error::<T>(&matern, &whole_numbers()) <= 7.5);
            // The same in double precision, rounded once.
            for nu in [0.3, 1.0, 6.1] {
                let matern = Matern::new(nu, scale).unwrap();
                assert!(largest_error::<T>(&matern, &whole_numbers()) <= 0.5);
            }
            let exponential = Exponential::new(1.0 / scale).unwrap();
            assert!(largest_error::<T>(&exponential, &whole_numbers()) <= 3.0);
        }
    }
    check::<f32>();
    check::<f64>();
}

/// γ and r have few digits here, so only the fused product is rounded: |tanh'(x)·x| < 0.45.
#[test]
fn sigmoid_within_its_bound() {
    let kernel = Sigmoid::new(0.031_25, -3.5).unwrap();
    let points = whole_numbers();
    assert!(largest_error::<f32>(&kernel, &points[1..]) <= MAX_ULP + 0.5 + 0.45);
    assert!(largest_error::<f64>(&kernel, &points[1..]) <= MAX_ULP + 0.5 + 0.45);
}

/// d²/(2αℓ²) overflows in f32 where the value is still 0.38.
#[test]
fn rational_quadratic_of_a_ratio_that_overflows() {
    let kernel = RationalQuadratic::new(0.01, 0.01).unwrap();
    let row = first_row::<f32>(&kernel, &[0.0, 1e18, 1e-3]);
    assert!(row[1].1 > 0.3, "the example is not one");
    for (block, eval) in row {
        assert!((block - eval).abs() <= 4.5 * f32::UNIT_ROUNDOFF, "{block} for {eval}");
    }
}

/// Parameters that f32 cannot hold.
#[test]
fn parameters_beyond_f32_use_the_definition() {
    let sigmoid = Sigmoid::new(1e39, -1e39).unwrap();
    assert_eq!(largest_error::<f32>(&sigmoid, &[1.0, 0.5, 1.0, 2.0]), 0.0);
    for (alpha, length_scale) in [(1e-3, 1e-20), (1e30, 1e-22), (1e30, 1e10), (1e60, 1.0)] {
        let kernel = RationalQuadratic::new(alpha, length_scale).unwrap();
        assert_eq!(largest_error::<f32>(&kernel, &[0.0, 1e-22, 1.0, 1e10]), 0.0, "{kernel}");
    }
}

/// The polynomial before the exponential is infinite where that is 0.
#[test]
fn matern_of_an_infinite_ratio_is_zero() {
    let kernel = Matern52::new(1e-30).unwrap();
    assert_eq!(first_row::<f32>(&kernel, &[0.0, 1e10])[1], (0.0, 0.0));
}
