//! The bounds as statements about the maps, and as functions.
//!
//! Seeds are fixed; the chance that a correct library would fail an assertion for a seed chosen at
//! random is below `common::FAILURE`.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, binomial_limit, features, gram, log_tail, uniform};
use kern_approx::bounds::{ErrorBound, Pointwise, RelativeSpectral, SpectralNorm, Uniform};
use kern_approx::{Error, FourierForm, RandomFourier};
use kern_core::faer::{Mat, Side};
use kern_core::kernels::{Laplacian, Rbf};
use kern_core::{Kernel, Samples, Spectral};
use proptest::prelude::*;

/// Ĝ − G for as many independent maps.
fn differences<K: Kernel<Samples<f64>> + Spectral + Copy>(
    (kernel, form): (K, FourierForm),
    x: &Samples<f64>,
    dim: usize,
    maps: u64,
) -> impl Iterator<Item = Mat<f64>> {
    let exact = gram(&kernel, x, x);
    (0..maps).map(move |seed| {
        let map = RandomFourier::new(kernel).dim(dim).form(form).seed(seed);
        let z = features(&map.sample(x.dim()).unwrap(), x);
        z.transpose() * &z - &exact
    })
}

#[test]
fn pointwise_for_all_pairs_at_once() {
    let (n, maps) = (6, 3000);
    let x = uniform::<f64>(n, 3, 1.0, 9);
    for (form, p) in [(FourierForm::Paired, 0.3), (FourierForm::Phase, 0.3)] {
        let bound = Pointwise::new(form).pairs(n * (n + 1) / 2);
        let dim = 32;
        let epsilon = bound.error(dim, p).unwrap();
        let kernel = Laplacian::new(0.8).unwrap();
        let differences = differences((kernel, form), &x, dim, maps);
        let count = differences.filter(|e| e.norm_max() >= epsilon).count();
        assert!(count <= binomial_limit(maps as usize, p, FAILURE), "{form:?}: {count}");
    }
}

#[test]
fn uniform_over_a_set() {
    // The diameter of [0, 1]² is √2; 25 of its points are a weaker requirement than all.
    let (kernel, maps) = (Rbf::new(1.0).unwrap(), 200);
    let bound = Uniform::rbf(&kernel, 2, 2.0_f64.sqrt()).unwrap();
    let x = uniform::<f64>(25, 2, 1.0, 9);
    let dim = bound.dim(0.3, 0.2).unwrap();
    let differences = differences((kernel, FourierForm::Paired), &x, dim, maps);
    let count = differences.filter(|e| e.norm_max() >= 0.3).count();
    assert!(count <= binomial_limit(maps as usize, 0.2, FAILURE), "{count}");
}

/// Exact, for the kernel ½(1 + cos aδ) of the frequencies 0 and ±a: at δ = π/a its m = D/2 cosines are ±1 with equal
/// probability, so the error there is a tail of the binomial distribution, and the greatest error is no less probable. Its
/// exponent is 6 times that of the bound, and one that is 7 times too good is refuted.
#[test]
fn uniform_is_no_less_than_one_error_that_is_known_exactly() {
    let a = 3.0;
    let bound = Uniform::new(1, std::f64::consts::PI / a, a * a / 2.0).unwrap();
    let mut refuted = [0, 0];
    for dim in (2..3000).step_by(94).chain([10_000, 40_000]) {
        for epsilon in [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] {
            let exact = log_tail(dim / 2, epsilon);
            assert!(bound.failure(dim, epsilon).ln() >= exact, "{dim} {epsilon} {exact}");
            // The dimension is in the exponent alone.
            for (refuted, times) in refuted.iter_mut().zip([7, 8]) {
                *refuted += usize::from(bound.failure(times * dim, epsilon).ln() < exact);
            }
        }
    }
    assert!(refuted[0] > 0 && refuted[1] > 20, "{refuted:?}");
}

/// The three parts of its proof, put together without a closed form: the number of balls in a net, Hoeffding's inequality
/// at each, Markov's for the Lipschitz constant, and the least sum over r, by golden sections. A change of any constant
/// of the bound shows.
#[test]
fn uniform_is_the_least_sum_of_its_proof() {
    let parts = |log_r: f64, d: f64, (length, sigma): (f64, f64), (dim, epsilon): (f64, f64)| {
        let r = log_r.exp();
        let net = (2.0_f64).ln() + d * (4.0 * length / r).ln();
        let hoeffding = net - dim * (epsilon / 2.0).powi(2) / 4.0;
        let markov = 4.0 * sigma * sigma * (2.0 * r / epsilon).powi(2);
        hoeffding.exp() + markov
    };
    for (d, dims) in [(1, 60_000), (2, 80_000), (5, 100_000), (30, 400_000), (784, 16_000_000)] {
        for (length, sigma) in [(1.0, 1.0), (3.0, 0.2), (0.5, 10.0)] {
            let bound = Uniform::new(d, length, sigma * sigma).unwrap();
            for (dim, epsilon) in [(dims, 0.1), (dims / 4, 0.2), (dims, 0.15)] {
                let given = bound.failure(dim, epsilon);
                assert!(given > 0.0 && given < 1.0, "{d}, {dim}: {given}");
                let (mut low, mut high) = (-40.0_f64, 5.0_f64);
                let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
                let sum = |log_r| {
                    parts(log_r, f64::from(d as u32), (length, sigma), (dim as f64, epsilon))
                };
                for _ in 0..100 {
                    let step = golden * (high - low);
                    let (left, right) = (high - step, low + step);
                    // Both may overflow on the left.
                    if sum(left) < sum(right) { high = right } else { low = left }
                }
                let smallest = sum(low);
                assert!(
                    (given / smallest - 1.0).abs() < 1e-9,
                    "{d}, {dim}: {given} for {smallest}"
                );
            }
        }
    }
}

/// mpmath, 30 digits: golden sections over t = ln r of
/// `2*(4*l*exp(-t))**d*exp(-D*e**2/16) + 4*4*s**2*exp(2*t)/e**2`.
#[test]
fn uniform_has_the_golden_values_of_its_proof() {
    let golden = [
        (1, 3.0, 1.0, 0.1, 20_000, 0.044_207_375_289_545_64),
        (2, 1.5, 2.0, 0.3, 3000, 0.098_017_875_495_834_37),
        (5, 2.0, 0.7, 0.2, 12_000, 0.355_438_067_257_047),
        (30, 1.0, 5.0, 0.5, 20_000, 5.898_745_646_527_381e-5),
        (784, 10.0, 0.3, 0.4, 500_000, 0.042_744_228_665_656_69),
    ];
    for (d, length, sigma, epsilon, dim, expected) in golden {
        let found = Uniform::new(d, length, sigma * sigma).unwrap().failure(dim, epsilon);
        assert!((found / expected - 1.0).abs() < 1e-11, "{d}: {found} for {expected}");
    }
}

/// Four frequencies of nearly one size, equally probable, and features of one of them, ω: the gradient of the error is
/// κ'(δ) = −¼Σω_i·sin(ω_iδ) less than −ω·sin(ωδ), at every δ. Its greatest value has a mean square of more than 2σ², twice
/// what the paper takes, and less than the 4σ² of the bound.
#[test]
fn the_lipschitz_constant_of_the_error_is_not_bounded_by_the_second_moment() {
    let frequencies = [1.0, 1.013, 1.031, 0.957_f64];
    let second = frequencies.iter().map(|w| w * w).sum::<f64>() / 4.0;
    let mut largest = [0.0_f64; 4];
    for step in 0..400_000 {
        let delta = 0.05 * f64::from(step);
        let slopes = frequencies.map(|w| w * (w * delta).sin());
        let mean = slopes.iter().sum::<f64>() / 4.0;
        for (largest, slope) in largest.iter_mut().zip(slopes) {
            *largest = largest.max((slope - mean).abs());
        }
    }
    let square = largest.iter().map(|l| l * l).sum::<f64>() / 4.0;
    assert!(square > 2.0 * second && square < 4.0 * second, "{square} for {second}");
}

#[test]
fn spectral_norm_of_a_gram_matrix() {
    let (n, dim, maps) = (40, 400, 400);
    let kernel = Rbf::new(0.5).unwrap();
    let x = uniform::<f64>(n, 2, 3.0, 9);
    let norm = *common::eigenvalues(&gram(&kernel, &x, &x)).last().unwrap();
    let bound = SpectralNorm::new(n, norm).unwrap();
    let spectral = |e: Mat<f64>| {
        let eigenvalues = common::eigenvalues(&e);
        eigenvalues[n - 1].max(-eigenvalues[0])
    };
    let differences = differences((kernel, FourierForm::Paired), &x, dim, maps);
    let norms: Vec<f64> = differences.map(spectral).collect();
    for p in [0.5, 0.1] {
        let t = bound.error(dim, p).unwrap();
        let count = norms.iter().filter(|&&norm| norm >= t).count();
        assert!(count <= binomial_limit(norms.len(), p, FAILURE), "{count}");
    }
    // The norms lie in [0, n]: Hoeffding for their mean.
    let mean = norms.iter().sum::<f64>() / norms.len() as f64;
    let allowed = n as f64 * ((1.0 / FAILURE).ln() / (2.0 * norms.len() as f64)).sqrt();
    assert!(mean - allowed <= bound.expected(dim), "{mean} for {}", bound.expected(dim));
}

#[test]
fn relative_to_a_regularised_gram_matrix() {
    let (n, dim, maps, lambda) = (30, 600, 400, 3.0);
    let kernel = Rbf::new(0.5).unwrap();
    let x = uniform::<f64>(n, 2, 3.0, 9);
    let bound = RelativeSpectral::new(n, lambda).unwrap();
    // (G + λI)^(−½) on both sides, from the eigenvectors of G.
    let eigen = gram(&kernel, &x, &x).self_adjoint_eigen(Side::Lower).unwrap();
    let (u, values) = (eigen.U(), eigen.S().column_vector());
    let root = Mat::from_fn(n, n, |i, j| u[(i, j)] / (values[j] + lambda).sqrt()) * u.transpose();
    let relative = |e: Mat<f64>| {
        let eigenvalues = common::eigenvalues(&(&root * e * &root));
        eigenvalues[n - 1].max(-eigenvalues[0])
    };
    let differences = differences((kernel, FourierForm::Paired), &x, dim, maps);
    let found: Vec<f64> = differences.map(relative).collect();
    for p in [0.5, 0.1] {
        let delta = bound.error(dim, p).unwrap();
        let count = found.iter().filter(|&&found| found >= delta).count();
        assert!(count <= binomial_limit(found.len(), p, FAILURE), "{count}");
    }
}

fn check_inverses(bound: &impl ErrorBound, error: f64, failure: f64) {
    let dim = bound.dim(error, failure).unwrap();
    assert!(bound.failure(dim, error) <= failure);
    assert!(dim == 2 || bound.failure(dim - 2, error) > failure);
    let found = bound.error(dim, failure).unwrap();
    assert!(bound.failure(dim, found) <= failure && found <= error * (1.0 + 1e-12));
    assert!(bound.failure(dim, found * (1.0 - 1e-12)) > failure);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dimension_error_and_failure_are_inverse_to_each_other(
        error in 0.01..0.9_f64, failure in 1e-12..0.5_f64, n in 1_usize..2000, d in 1_usize..50,
    ) {
        check_inverses(&Pointwise::new(FourierForm::Paired).pairs(n), error, failure);
        check_inverses(&Pointwise::new(FourierForm::Phase), error, failure);
        check_inverses(&Uniform::new(d, 3.0, 2.0).unwrap(), error, failure);
        check_inverses(&SpectralNorm::new(n, n as f64 / 2.0).unwrap(), error * n as f64, failure);
        check_inverses(&RelativeSpectral::new(n, d as f64).unwrap(), error, failure);
    }
}

#[test]
fn constants_are_those_of_the_literature() {
    // mpmath, 30 digits: `2*exp(-mpf(1000)*mpf('0.01')/4)`, and the same with 8 for 4.
    let paired = Pointwise::new(FourierForm::Paired);
    assert!((paired.failure(1000, 0.1) - 0.164_169_997_247_797_6).abs() < 1e-15);
    let phase = Pointwise::new(FourierForm::Phase);
    assert!((phase.failure(1000, 0.1) - 0.573_009_593_720_380_1).abs() < 1e-15);
    // mpmath: `2*100*exp(-(mpf(8)**2/2)/(mpf(100)*40/1000+mpf(100)*8/3000))`, and
    // `2*100*exp(-1000*mpf('0.25')/((mpf(200)/5)*(1+mpf('0.5')/3)))`.
    let spectral = SpectralNorm::new(100, 40.0).unwrap();
    assert!((spectral.failure(2000, 8.0) - 0.110_616_874_029_566_7).abs() < 1e-13);
    // Python's decimal, 40 digits: `(2*n*norm*l/m).sqrt() + n*l/(3*m)` with `l = (2*n).ln()` and `m = dim/2`.
    for (n, norm, dim, expected) in
        [(100, 40.0, 400, 15.440_961_214_713_046), (7, 3.5, 12, 5.668_745_713_149_031)]
    {
        let bound = SpectralNorm::new(n, norm).unwrap();
        assert!((bound.expected(dim) - expected).abs() < 1e-13);
    }
    let relative = RelativeSpectral::new(100, 5.0).unwrap();
    assert!((relative.failure(2000, 0.5) - 0.942_871_294_709_854_7).abs() < 1e-13);
    // 66·(2σℓ/ε)²·exp(−Dε²/(8(d + 2))) is the weaker bound of the paper, but for the 2.
    for d in [1, 2, 10, 64, 1000] {
        let (epsilon, reach) = (0.1, 24.0_f64.sqrt());
        let dim = 40_000 * (d + 2) / 3;
        let weaker = 66.0
            * (reach / epsilon).powi(2)
            * (-(dim as f64) * epsilon * epsilon / (8.0 * (d + 2) as f64)).exp();
        let given = Uniform::new(d, 3.0_f64.sqrt(), 2.0).unwrap().failure(dim, epsilon);
        assert!(given <= weaker && weaker < 1.0, "{d}: {given}, {weaker}");
    }
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let bound = Pointwise::new(FourierForm::Paired);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(bound.dim(bad, 0.1), Err(Error::Core(_))));
        assert!(matches!(bound.dim(0.1, bad), Err(Error::Core(_))));
        assert!(matches!(bound.error(10, bad), Err(Error::Core(_))));
        assert!(Uniform::new(2, bad, 1.0).is_err());
        assert!(Uniform::new(2, 1.0, bad).is_err());
        assert!(SpectralNorm::new(2, bad).is_err());
        assert!(RelativeSpectral::new(2, bad).is_err());
    }
    assert!(matches!(bound.dim(1e-200, 0.1), Err(Error::Unattainable { .. })));
    assert!(matches!(bound.error(0, 0.1), Err(Error::Zero { .. })));
    assert!(matches!(Uniform::new(0, 1.0, 1.0), Err(Error::Zero { .. })));
    assert!(matches!(SpectralNorm::new(0, 1.0), Err(Error::EmptyPoints { .. })));
    assert!(matches!(RelativeSpectral::new(0, 1.0), Err(Error::EmptyPoints { .. })));
    // No error is greater than the reach of a uniform bound.
    let uniform = Uniform::new(2, 1.0, 0.01).unwrap();
    assert!(matches!(uniform.error(2, 0.1), Err(Error::Unattainable { .. })));
}
