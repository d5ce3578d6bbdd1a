//! Tests of the kernels on dense vectors: golden values, the contract on hostile data, laws and domains.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::vector_golden::{assert_golden, dense_kernels, golden_values};
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{
    ArcCosine, ArdRbf, Cauchy, ChiSquared, Constant, Cosine, Delta, ExpChiSquared, Exponential,
    Hellinger, Intersection, Linear, Mahalanobis, Matern, Matern32, Matern52, Periodic, Polynomial,
    RationalQuadratic, Rbf, Wave, White,
};
use kern_core::{
    Error, Kernel, Mercer, Points, Samples, Scalar, Scratch, Spectral, Tile, contract, tolerance,
};
use proptest::prelude::*;
use std::f64::consts::TAU;

const GOLDEN: &str = include_str!("../data/vector_golden.txt");

#[test]
fn golden_points_match_mpmath_by_every_route() {
    assert_golden(&dense_kernels::<f64>().unwrap(), GOLDEN, tolerance::TILE_ERROR);
    assert_golden(&dense_kernels::<f32>().unwrap(), GOLDEN, tolerance::TILE_ERROR);
}

/// No kernel of the file is left out on either side, and each has at least three values.
#[test]
fn golden_file_covers_every_kernel() {
    let kernels = dense_kernels::<f64>().unwrap();
    let values = golden_values(GOLDEN);
    assert!(values.iter().all(|golden| kernels.contains_key(golden.formula)));
    for formula in kernels.keys() {
        let count = values.iter().filter(|golden| golden.formula == formula).count();
        assert!(count >= 3, "{formula}: {count}");
    }
}

#[track_caller]
fn assert_contract_in<T: Scalar, K: Mercer<Samples<T>>>(
    dims: &[usize],
    kernel: impl Fn(usize) -> K,
) {
    for &dim in dims {
        for (name, points) in contract::sample_sets::<T>(dim).unwrap() {
            if let Err(violation) = contract::verify_mercer(&kernel(dim), &points) {
                panic!("{name}, dim {dim}, u = {:e}: {violation}", T::UNIT_ROUNDOFF);
            }
        }
    }
}

#[track_caller]
fn assert_contract<K: Mercer<Samples<f64>> + Mercer<Samples<f32>>>(kernel: impl Fn(usize) -> K) {
    assert_contract_in::<f64, K>(&[1, 3, 8], &kernel);
    assert_contract_in::<f32, K>(&[1, 3, 8], &kernel);
}

const RATES: [f64; 5] = [1e-6, 1e-3, 0.5, 30.0, 1e6];

#[test]
fn radial_kernels_on_hostile_points_keep_contract() {
    for rate in RATES {
        assert_contract(|_| Exponential::new(rate).unwrap());
        assert_contract(|_| Matern32::new(rate).unwrap());
        assert_contract(|_| Matern52::new(rate).unwrap());
        for nu in [1e-3, 0.3, 0.5, 1.0, 1.7, 4.5, 30.2] {
            assert_contract(|_| Matern::new(nu, rate).unwrap());
        }
        for alpha in [0.01, 1.0, 7.5, 1e6] {
            assert_contract(|_| RationalQuadratic::new(alpha, rate).unwrap());
        }
        assert_contract(|dim| {
            let gamma: Vec<f64> = (0..dim).map(|k| rate * (k % 3) as f64).collect();
            ArdRbf::new(&gamma).unwrap()
        });
    }
}

#[test]
fn coordinate_kernels_on_hostile_points_keep_contract() {
    for rate in RATES {
        assert_contract(|_| Cauchy::new(rate).unwrap());
        for length_scale in [1e-6, 0.3, 1e6] {
            assert_contract(|_| Periodic::new(rate, length_scale).unwrap());
        }
        assert_contract(|dim| {
            let frequency: Vec<f64> = (0..dim).map(|k| rate * (k % 3 + 1) as f64).collect();
            Wave::new(&frequency).unwrap()
        });
        assert_contract(|_| ExpChiSquared::new(rate).unwrap());
    }
    assert_contract(|_| ChiSquared);
    assert_contract(|_| Intersection);
}

#[test]
fn image_kernels_on_hostile_points_keep_contract() {
    assert_contract(|_| Hellinger);
    assert_contract(|_| Cosine);
    for order in 0..=2 {
        assert_contract(|_| ArcCosine::new(order).unwrap());
    }
    assert_contract(|_| Delta);
    assert_contract(|_| White::new(0.3).unwrap());
    assert_contract(|_| Constant::new(0.3).unwrap());
    // Full rank, rank one, none.
    let tridiagonal = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
    assert_contract(|dim| Mahalanobis::new(Mat::from_fn(dim, dim, tridiagonal).as_ref()).unwrap());
    assert_contract(|dim| Mahalanobis::new(Mat::full(dim, dim, 3.0).as_ref()).unwrap());
    assert_contract(|dim| Mahalanobis::new(Mat::zeros(dim, dim).as_ref()).unwrap());
}

#[test]
fn composites_of_new_kernels_keep_contract() {
    assert_contract(|_| Matern32::new(1.0).unwrap() * Cosine + 0.5 * Delta);
    assert_contract(|_| 0.1 * (Intersection + ChiSquared) * Exponential::new(0.1).unwrap());
}

/// The error of a block is bounded on data made to break the expanded form: near points, far from
/// the origin and from each other.
#[test]
fn blocks_of_radial_kernels_keep_the_tile_error_near_the_kink() {
    let value =
        |k: usize| if k.is_multiple_of(2) { 0.0 } else { 1e3 } + 2.0_f64.powi(-((k / 2) as i32));
    let points = Samples::from_row_major(1, (0..60).map(value).collect()).unwrap();
    let single = |x: f64| x as f32;
    let coarse = Samples::from_row_major(1, (0..60).map(|k| single(value(k))).collect()).unwrap();
    for gamma in [1e-5, 1e-3, 0.3, 1.0, 40.0, 1e4] {
        assert_tile_error(&points, &Exponential::new(gamma).unwrap());
        assert_tile_error(&coarse, &Exponential::new(gamma).unwrap());
        assert_tile_error(&points, &Matern32::new(1.0 / gamma).unwrap());
        assert_tile_error(&coarse, &Matern32::new(1.0 / gamma).unwrap());
        assert_tile_error(&points, &Matern52::new(1.0 / gamma).unwrap());
        assert_tile_error(&coarse, &Matern52::new(1.0 / gamma).unwrap());
        for nu in [0.3, 1.0, 2.7] {
            assert_tile_error(&points, &Matern::new(nu, 1.0 / gamma).unwrap());
            assert_tile_error(&coarse, &Matern::new(nu, 1.0 / gamma).unwrap());
        }
        assert_tile_error(&points, &RationalQuadratic::new(0.5, 1.0 / gamma).unwrap());
        assert_tile_error(&coarse, &RationalQuadratic::new(0.5, 1.0 / gamma).unwrap());
        assert_tile_error(&points, &ArdRbf::new(&[gamma]).unwrap());
        assert_tile_error(&coarse, &ArdRbf::new(&[gamma]).unwrap());
    }
}

#[track_caller]
fn assert_tile_error<T: Scalar>(points: &Samples<T>, kernel: &impl Kernel<Samples<T>>) {
    let n = points.len();
    let mut out = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), out.as_mut(), &mut Scratch::new());
    let allowed = (tolerance::TILE_ERROR + 16.0) * T::UNIT_ROUNDOFF;
    for j in 0..n {
        for i in 0..n {
            let expected = kernel.eval(points.item(i), points.item(j)).to_f64();
            let off = (out[(i, j)].to_f64() - expected).abs();
            assert!(off <= allowed, "({i}, {j}): {} instead of {expected}", out[(i, j)]);
        }
    }
}

fn histograms() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let value = prop_oneof![1 => Just(0.0), 3 => 0.0..3.0_f64];
    proptest::collection::vec(proptest::array::uniform4(value), 1..12)
}

fn eval(kernel: &impl Kernel<Samples<f64>>, x: &[f64], y: &[f64]) -> f64 {
    kernel.eval(x, y)
}

#[track_caller]
fn assert_close(given: f64, expected: f64, roundings: f64) {
    let off = (given - expected).abs();
    let allowed = roundings * f64::EPSILON * (1.0 + expected.abs());
    assert!(off <= allowed, "{given} instead of {expected}");
}

proptest! {
    /// Identities between kernels that share no code.
    #[test]
    fn kernels_satisfy_their_identities(rows in histograms(), gamma in 0.01..3.0_f64) {
        for x in &rows {
            for y in &rows {
                let squared: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
                let total: f64 = x.iter().chain(y).sum();
                let l1: f64 = x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum();
                // ARD with equal widths is RBF; the metric I is linear; α = 1 is 1/(1 + r²/2ℓ²).
                let rbf = Rbf::new(gamma).unwrap();
                assert_close(eval(&ArdRbf::new(&[gamma; 4]).unwrap(), x, y), eval(&rbf, x, y), 64.0);
                let identity = Mahalanobis::new(Mat::identity(4, 4).as_ref()).unwrap();
                assert_close(eval(&identity, x, y), eval(&Linear, x, y), 64.0);
                let rational = RationalQuadratic::new(1.0, gamma).unwrap();
                let expected = 1.0 / (1.0 + squared / (2.0 * gamma * gamma));
                assert_close(eval(&rational, x, y), expected, 64.0);
                // min(a, b) = (a + b − |a − b|)/2, 2ab/(a + b) = (a + b)/2 − (a − b)²/(2(a + b)).
                assert_close(eval(&Intersection, x, y), 0.5 * (total - l1), 64.0);
                let exp_chi2 = ExpChiSquared::new(gamma).unwrap();
                let distance = total - 2.0 * eval(&ChiSquared, x, y);
                assert_close(eval(&exp_chi2, x, y), (-gamma * distance).exp(), 512.0);
                // Half-integer orders are the special kernels; periodic is RBF on the circle.
                let length = 1.0 / gamma;
                for (nu, special) in [
                    (0.5, eval(&Exponential::new(gamma).unwrap(), x, y)),
                    (1.5, eval(&Matern32::new(length).unwrap(), x, y)),
                    (2.5, eval(&Matern52::new(length).unwrap(), x, y)),
                ] {
                    assert_close(eval(&Matern::new(nu, length).unwrap(), x, y), special, 16.0);
                    let beside = Matern::new(nu * (1.0 + 1e-9), length).unwrap();
                    assert!((eval(&beside, x, y) - special).abs() < 1e-8);
                }
                let turned = |v: &[f64]| -> Vec<f64> {
                    v.iter().flat_map(|v| [(TAU * v / gamma).cos(), (TAU * v / gamma).sin()]).collect()
                };
                let on_circle = eval(&Rbf::new(0.5 * gamma * gamma).unwrap(), &turned(x), &turned(y));
                assert_close(eval(&Periodic::new(gamma, length).unwrap(), x, y), on_circle, 1e6);
                let wave = Wave::new(&[gamma, 0.0, 1.0, 0.5]).unwrap();
                let turns = wave.frequency().iter().zip(x.iter().zip(y));
                let cosines = turns.map(|(f, (x, y))| (TAU * f * (x - y)).cos()).product();
                assert_close(eval(&wave, x, y), cosines, 512.0);
                let roots = |v: &[f64]| v.iter().map(|v| v.sqrt()).collect::<Vec<f64>>();
                assert_close(eval(&Hellinger, x, y), eval(&Linear, &roots(x), &roots(y)), 64.0);
                let delta: f64 = if x.map(f64::to_bits) == y.map(f64::to_bits) { 1.0 } else { 0.0 };
                prop_assert_eq!(eval(&Delta, x, y).to_bits(), delta.to_bits());
            }
        }
    }

    /// Radial kernels depend on differences only; cosine on directions only.
    #[test]
    fn kernels_keep_their_invariances(rows in histograms(), shift in -8..8_i32, scale in 1..9_i32) {
        let (x, y) = (&rows[0], &rows[rows.len() - 1]);
        // Coordinates on a grid, so that shifting is exact.
        let grid = |v: &[f64], by: f64| v.iter().map(|v| (v * 64.0).round() / 64.0 + by).collect();
        let by = f64::from(shift);
        let (x0, y0): (Vec<f64>, Vec<f64>) = (grid(x, 0.0), grid(y, 0.0));
        let (x1, y1): (Vec<f64>, Vec<f64>) = (grid(x, by), grid(y, by));
        let shifted = |k: &dyn Kernel<Samples<f64>>| (k.eval(&x0, &y0), k.eval(&x1, &y1));
        for (before, after) in [
            shifted(&Exponential::new(0.7).unwrap()),
            shifted(&Matern32::new(0.7).unwrap()),
            shifted(&Matern52::new(0.7).unwrap()),
            shifted(&RationalQuadratic::new(0.7, 1.0).unwrap()),
            shifted(&Cauchy::new(0.7).unwrap()),
            shifted(&Matern::new(1.2, 0.7).unwrap()),
            shifted(&ArdRbf::new(&[1.0, 0.5, 0.0, 2.0]).unwrap()),
        ] {
            prop_assert_eq!(before.to_bits(), after.to_bits());
        }
        let scaled: Vec<f64> = x.iter().map(|v| v * f64::from(scale)).collect();
        assert_close(eval(&Cosine, &scaled, y), eval(&Cosine, x, y), 16.0);
    }
}

/// A vector of length 1.
fn unit_vector() -> impl Strategy<Value = [f64; 4]> {
    let coordinates = proptest::array::uniform4(-1.0..1.0_f64);
    let long = coordinates.prop_filter("too short", |v| v.iter().any(|v| v.abs() > 0.1));
    long.prop_map(|v| {
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.map(|v| v / length)
    })
}

proptest! {
    /// On unit vectors, Gaussian and polynomial kernels grow with the cosine of the angle, and are largest for a vector
    /// and itself: similarities. For polynomials of even degrees, γxᵀy + r must not be negative.
    #[test]
    fn gaussian_and_polynomial_kernels_are_similarities_on_unit_vectors(
        (x, y, z) in (unit_vector(), unit_vector(), unit_vector()),
        gamma in 0.01..3.0_f64, beyond in 0.0..2.0_f64, degree in 1_u32..7,
    ) {
        let cosine = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let rbf = Rbf::new(gamma).unwrap();
        let shifted = Polynomial::new(gamma, gamma + beyond, degree).unwrap();
        let odd = Polynomial::new(gamma, beyond, 2 * (degree / 2) + 1).unwrap();
        let kernels: [&dyn Kernel<Samples<f64>>; 3] = [&rbf, &shifted, &odd];
        for kernel in kernels {
            let (near, far) = if cosine(&x, &y) >= cosine(&x, &z) { (y, z) } else { (z, y) };
            let (own, near, far) = (kernel.eval(&x, &x), kernel.eval(&x, &near), kernel.eval(&x, &far));
            // Lengths are 1 but for rounding, and K(x, x) is the largest value.
            let rounding = 64.0 * f64::EPSILON * own;
            prop_assert!(far <= near + rounding && near <= own + rounding, "{far}, {near}, {own}");
            // A function of the angle alone, and of the distance alone: those of two other unit vectors.
            let t = cosine(&x, &y);
            let plane = kernel.eval(&[1.0, 0.0, 0.0, 0.0], &[t, 0.0, (1.0 - t * t).max(0.0).sqrt(), 0.0]);
            prop_assert!((kernel.eval(&x, &y) - plane).abs() <= 4.0 * rounding);
        }
        // Without the condition, a vector is as similar to its opposite as to itself.
        let even = Polynomial::new(gamma, 0.0, 2).unwrap();
        let opposite = x.map(|v| -v);
        assert_close(eval(&even, &x, &opposite), eval(&even, &x, &x), 4.0);
    }
}

/// Σ wᵢ·f(cᵢ)·K(x, cᵢ) with Gaussians of variance h² at distances h approximates any continuous f as landmarks grow: the
/// weights K(x, cᵢ)/√(2π) are those of a normal law to e^(−2π²), so that the error is at most L·h for a Lipschitz
/// constant L (Jensen's inequality for the mean of |cᵢ − x|).
#[test]
fn rbf_expansions_approximate_continuous_functions() {
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function, f64); 4] = [
        ("kink", f64::abs, 1.0),
        ("tent", |x| (1.0 - 4.0 * x.abs()).max(0.0), 4.0),
        ("wave", |x| (7.0 * x).sin(), 7.0),
        ("zigzag", |x| (6.0 * x - (6.0 * x).round()).abs(), 6.0),
    ];
    for (name, f, lipschitz) in functions {
        let mut before = f64::INFINITY;
        for count in [20, 40, 80, 160, 320] {
            let h = 2.0 / f64::from(count);
            let rbf = Rbf::new(0.5 / (h * h)).unwrap();
            // Eight deviations beyond [−1, 1], where the Gaussians have died away.
            let centres: Vec<f64> = (-8..=count + 8).map(|i| f64::from(i) * h - 1.0).collect();
            let expansion = |x: f64| {
                let term = |c: &f64| f(*c) * eval(&rbf, &[x], &[*c]);
                centres.iter().map(term).sum::<f64>() / TAU.sqrt()
            };
            let grid = (0..=1000).map(|i| f64::from(i) / 500.0 - 1.0);
            let error = grid.map(|x| (expansion(x) - f(x)).abs()).fold(0.0, f64::max);
            assert!(error <= lipschitz * h + 1e-7, "{name}, {count}: {error}");
            assert!(error < before, "{name}, {count}: {error} after {before}");
            before = error;
        }
        assert!(before < 0.05, "{name}: {before}");
    }
}

#[track_caller]
fn assert_exact(given: f64, expected: f64) {
    assert_eq!(given.to_bits(), expected.to_bits(), "{given} instead of {expected}");
}

/// Ends of the range of numbers: no NaN, and the right limits.
#[test]
fn extreme_numbers_give_the_right_limits() {
    let huge = [1e200, 1e200];
    let zero = [0.0, 0.0];
    assert_exact(eval(&Exponential::new(1e-300).unwrap(), &huge, &zero), 0.0);
    assert_exact(eval(&Exponential::new(f64::MAX).unwrap(), &zero, &zero), 1.0);
    assert_exact(eval(&Matern32::new(5e-324).unwrap(), &zero, &zero), 1.0);
    assert_exact(eval(&Matern52::new(5e-324).unwrap(), &huge, &zero), 0.0);
    assert_exact(eval(&RationalQuadratic::new(1.0, 1e-200).unwrap(), &zero, &zero), 1.0);
    assert_exact(eval(&Cauchy::new(1e200).unwrap(), &huge, &zero), 0.0);
    for nu in [1e-300, 0.01, 0.5, 1.0, 3.3, 100.0] {
        assert_exact(eval(&Matern::new(nu, 5e-324).unwrap(), &zero, &zero), 1.0);
        assert_exact(eval(&Matern::new(nu, 1e-300).unwrap(), &huge, &zero), 0.0);
        let near = eval(&Matern::new(nu, f64::MAX).unwrap(), &[5e-324, 0.0], &zero);
        assert!((0.0..=1.0).contains(&near), "{near}");
    }
    assert_exact(eval(&Periodic::new(5e-324, 5e-324).unwrap(), &huge, &huge), 1.0);
    assert_exact(eval(&Periodic::new(3.0, 5e-324).unwrap(), &[1.0], &[2.0]), 0.0);
    assert_exact(eval(&Periodic::new(f64::MAX, f64::MAX).unwrap(), &huge, &zero), 1.0);
    assert_exact(eval(&Wave::new(&[1e200, 0.0]).unwrap(), &huge, &zero), 1.0);
    assert_close(eval(&ArcCosine::new(0).unwrap(), &[1e-200, 0.0], &[0.0, 1e200]), 0.5, 4.0);
    assert_exact(eval(&ArcCosine::new(0).unwrap(), &huge, &[-1e200, -1e200]), 0.0);
    assert_exact(eval(&ArcCosine::new(0).unwrap(), &zero, &zero), 0.5);
    assert_exact(eval(&ArcCosine::new(1).unwrap(), &zero, &huge), 0.0);
    assert_close(eval(&Cosine, &[1e-200, 0.0], &[1e-200, 1e-200]), 0.5_f64.sqrt(), 4.0);
    assert_close(eval(&ChiSquared, &huge, &huge) / 1e200, 2.0, 4.0);
    assert_exact(eval(&ChiSquared, &[5e-324, 0.0], &zero), 0.0);
    assert_close(eval(&Hellinger, &huge, &huge) / 1e200, 2.0, 4.0);
}

/// In f32, squared distances overflow where the kernel does not vanish: the block must notice.
#[test]
fn blocks_in_f32_survive_overflowing_squared_distances() {
    let points = Samples::<f32>::from_rows(&[[0.0], [1e20], [3e20], [1.0]]).unwrap();
    contract::verify_mercer(&RationalQuadratic::new(0.01, 1.0).unwrap(), &points).unwrap();
    contract::verify_mercer(&Exponential::new(1e-20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Matern32::new(1e20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Matern52::new(1e20).unwrap(), &points).unwrap();
    contract::verify_mercer(&ArdRbf::new(&[1e-40]).unwrap(), &points).unwrap();
    contract::verify_mercer(&Cauchy::new(1e-20).unwrap(), &points).unwrap();
    contract::verify_mercer(&Cosine, &points).unwrap();
    contract::verify_mercer(&Hellinger, &points).unwrap();
    contract::verify_mercer(&Exponential::new(1e300).unwrap(), &points).unwrap();
    contract::verify_mercer(&Matern32::new(1e-300).unwrap(), &points).unwrap();
    contract::verify_mercer(&ArdRbf::new(&[1e300]).unwrap(), &points).unwrap();
    contract::verify_mercer(&Cauchy::new(1e300).unwrap(), &points).unwrap();
}

#[test]
fn negative_histograms_are_refused_where_they_are() {
    let points = Samples::from_rows(&[[0.0, -0.0], [1.0, 2.0], [3.0, -0.5]]).unwrap();
    let negative = Error::Negative { sample: 2, feature: 1, given: -0.5 };
    let message = "sample 2, feature 1 must be >= 0, got -0.5";
    assert_eq!(negative.to_string(), message);
    let error = Err(negative);
    assert_eq!(ChiSquared.check(&points), error);
    assert_eq!(ExpChiSquared::new(1.0).unwrap().check(&points), error);
    assert_eq!(Intersection.check(&points), error);
    assert_eq!(Hellinger.check(&points), error);
    let valid = points.select(&[0, 1]).unwrap();
    assert_eq!((0.5 * Hellinger + ChiSquared).check(&valid), Ok(()));
    assert!((0.5 * Hellinger + ChiSquared).check(&points).is_err());
}

#[test]
fn invalid_parameters_are_typed_errors() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = |result: Result<(), Error>, of: &str| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Parameter { name, .. } if name == of), "{error}");
        };
        refused(Exponential::new(bad).map(drop), "gamma");
        refused(Cauchy::new(bad).map(drop), "gamma");
        refused(ExpChiSquared::new(bad).map(drop), "gamma");
        refused(Matern32::new(bad).map(drop), "length_scale");
        refused(Matern52::new(bad).map(drop), "length_scale");
        refused(Matern::new(bad, 1.0).map(drop), "nu");
        refused(Matern::new(1.0, bad).map(drop), "length_scale");
        refused(Periodic::new(bad, 1.0).map(drop), "period");
        refused(Periodic::new(1.0, bad).map(drop), "length_scale");
        refused(Wave::new(&[1.0, if bad == 0.0 { -0.1 } else { bad }]).map(drop), "frequency");
        if bad != 0.0 {
            refused(Constant::new(bad).map(drop), "value");
            refused(White::new(bad).map(drop), "noise");
        }
        refused(RationalQuadratic::new(bad, 1.0).map(drop), "alpha");
        refused(RationalQuadratic::new(1.0, bad).map(drop), "length_scale");
        refused(ArdRbf::new(&[1.0, if bad == 0.0 { -0.1 } else { bad }]).map(drop), "gamma");
    }
    assert!(matches!(ArdRbf::new(&[]), Err(Error::Dimension { given: 0, .. })));
    assert!(matches!(Wave::new(&[]), Err(Error::Dimension { given: 0, .. })));
    let error = Matern::new(100.5, 1.0).unwrap_err().to_string();
    assert!(error.contains("a number > 0 and <= 100"), "{error}");
    let error = ArcCosine::new(3).unwrap_err().to_string();
    assert!(error.contains("0, 1 or 2"), "{error}");
    let wave = Wave::new(&[1.0, 2.0]).unwrap();
    let wrong = Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
    assert!(matches!(wave.check(&wrong), Err(Error::Dimension { expected: 2, given: 3, .. })));
    assert!(matches!(wave.check_spectrum(3), Err(Error::Dimension { expected: 2, .. })));
}

#[test]
fn mahalanobis_refuses_what_is_no_inner_product() {
    let new = |matrix: Mat<f64>| Mahalanobis::new(matrix.as_ref());
    assert!(matches!(new(Mat::zeros(0, 0)), Err(Error::Dimension { given: 0, .. })));
    assert!(matches!(new(Mat::zeros(2, 3)), Err(Error::Dimension { expected: 2, given: 3, .. })));
    let error = new(mat![[1.0, f64::NAN], [0.0, 1.0]]).unwrap_err();
    assert!(matches!(error, Error::Parameter { given, .. } if given.is_nan()));
    let error = new(mat![[1.0, 2.0], [2.5, 9.0]]).unwrap_err();
    assert_eq!(error, Error::Asymmetric { row: 1, col: 0, given: 2.5, mirrored: 2.0 });
    let error = new(mat![[1.0, 0.0], [0.0, -1e-9]]).unwrap_err();
    let named =
        matches!(error, Error::Indefinite { eigenvalue, .. } if (eigenvalue + 1e-9).abs() < 1e-15);
    assert!(named, "{error}");
    // Rounding is not indefiniteness: a rank-one matrix, and a hair of asymmetry.
    assert!(new(mat![[1.0, 1.0 / 3.0], [1.0 / 3.0, 1.0 / 9.0]]).is_ok());
    assert!(new(mat![[1.0, 0.1 + 0.2], [0.3, 1.0]]).is_ok());
    assert!(new(mat![[1.0, 0.0], [0.0, -f64::EPSILON]]).is_ok());
    let kernel = new(mat![[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let wrong = Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
    assert!(matches!(kernel.check(&wrong), Err(Error::Dimension { expected: 2, given: 3, .. })));
}

fn survives_json<
    K: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
>(
    kernel: &K,
) {
    let text = serde_json::to_string(kernel).unwrap();
    assert_eq!(&serde_json::from_str::<K>(&text).unwrap(), kernel, "{text}");
}

#[test]
fn kernels_survive_serialisation_and_files_are_checked() {
    survives_json(&Exponential::new(0.1).unwrap());
    survives_json(&Matern32::new(0.1).unwrap());
    survives_json(&Matern52::new(0.1).unwrap());
    survives_json(&RationalQuadratic::new(0.1, 7.0).unwrap());
    survives_json(&Cauchy::new(0.1).unwrap());
    survives_json(&ArdRbf::new(&[0.1, 0.0]).unwrap());
    survives_json(&Matern::new(0.1, 7.0).unwrap());
    survives_json(&Periodic::new(0.1, 7.0).unwrap());
    survives_json(&Wave::new(&[0.1, 0.0]).unwrap());
    survives_json(&ArcCosine::new(2).unwrap());
    survives_json(&(Constant::new(0.1).unwrap(), White::new(0.1).unwrap()));
    assert!(serde_json::from_str::<Matern>(r#"{"nu":101.0,"length_scale":1.0}"#).is_err());
    assert!(serde_json::from_str::<Wave>(r#"{"frequency":[-1.0]}"#).is_err());
    assert!(serde_json::from_str::<ArcCosine>(r#"{"order":3}"#).is_err());
    assert!(serde_json::from_str::<White>(r#"{"noise":-1.0}"#).is_err());
    survives_json(&ExpChiSquared::new(0.1).unwrap());
    survives_json(&(ChiSquared, Intersection, Hellinger, Cosine, Delta));
    survives_json(&Mahalanobis::new(mat![[2.0, 0.1], [0.1, 1.0]].as_ref()).unwrap());
    assert!(serde_json::from_str::<ArdRbf>(r#"{"gamma":[1.0,-1.0]}"#).is_err());
    assert!(serde_json::from_str::<Matern32>(r#"{"length_scale":0.0}"#).is_err());
    let indefinite = r#"{"matrix":{"nrows":1,"ncols":1,"values":[-1.0]}}"#;
    assert!(serde_json::from_str::<Mahalanobis>(indefinite).is_err());
}
