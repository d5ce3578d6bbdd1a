//! Random Fourier features as random variables: expectation, variance, tails and rate.
//!
//! Seeds are fixed, so a run never changes; the chance that a correct library would fail one of
//! these assertions for a seed chosen at random is computed and below `common::FAILURE` (the
//! slope: see there).
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{FAILURE, bernstein, binomial_limit, empirical_bernstein, features, uniform};
use kern_approx::{FourierForm, FourierMap, RandomFourier};
use kern_core::bochner::{ProfileSpectrum, ProfileTransform};
use kern_core::kernels::{
    ArdRbf, Cauchy, Exponential, Laplacian, Matern32, Matern52, RationalQuadratic, Rbf,
};
use kern_core::{Kernel, Points, Samples, Spectral};

/// So many frequencies for points of `features` coordinates.
fn frequencies<K: Spectral>(
    kernel: K,
    form: FourierForm,
    count: usize,
    features: usize,
) -> FourierMap {
    let dim = if form == FourierForm::Paired { 2 * count } else { count };
    RandomFourier::new(kernel).dim(dim).form(form).seed(5).sample(features).unwrap()
}

/// The contributions of single frequencies to ψ(x)ᵀψ(y), each an independent estimate of K(x, y).
fn single_terms(map: &FourierMap, form: FourierForm, xy: &Samples<f64>) -> Vec<f64> {
    let z = features(map, xy);
    let term = |i: usize| z[(i, 0)] * z[(i, 1)];
    let is_paired = form == FourierForm::Paired;
    let count = if is_paired { z.nrows() / 2 } else { z.nrows() };
    let sine = |i: usize| if is_paired { term(count + i) } else { 0.0 };
    (0..count).map(|i| count as f64 * (term(i) + sine(i))).collect()
}

/// κ(δ) and κ(2δ).
fn profile<K: Kernel<Samples<f64>>>(kernel: &K, xy: &Samples<f64>) -> (f64, f64) {
    let twice: Vec<f64> = xy.item(0).iter().zip(xy.item(1)).map(|(x, y)| 2.0 * y - x).collect();
    (kernel.eval(xy.item(0), xy.item(1)), kernel.eval(xy.item(0), &twice))
}

/// Sutherland & Schneider (2015), for one frequency and mass κ(0).
pub(crate) fn variance(form: FourierForm, mass: f64, (k, k2): (f64, f64)) -> f64 {
    match form {
        FourierForm::Paired => 0.5 * mass * (mass + k2) - k * k,
        FourierForm::Phase => mass * (mass + 0.5 * k2) - k * k,
    }
}

pub(crate) fn largest_term(form: FourierForm, mass: f64) -> f64 {
    if form == FourierForm::Paired { mass } else { 2.0 * mass }
}

fn check_unbiased<K: Kernel<Samples<f64>> + Spectral + Copy>(kernel: K) {
    let count = 200_000;
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let map = frequencies(kernel, form, count, 3);
        for (seed, side) in [(1, 0.3), (2, 1.0), (3, 2.0)] {
            let xy = uniform::<f64>(2, 3, side, seed);
            let terms = single_terms(&map, form, &xy);
            let (k, k2) = profile(&kernel, &xy);
            let range = largest_term(form, kernel.mass()) + k;
            let spread = variance(form, kernel.mass(), (k, k2));
            let allowed = bernstein(spread, range, count, FAILURE);
            let mean = terms.iter().sum::<f64>() / count as f64;
            assert!((mean - k).abs() <= allowed, "{form:?}: {mean} for {k}, allowed {allowed}");
        }
    }
}

#[test]
fn unbiased_for_every_sampler() {
    check_unbiased(Rbf::new(0.7).unwrap());
    check_unbiased(&ArdRbf::new(&[0.2, 0.7, 1.5]).unwrap());
    check_unbiased(Laplacian::new(0.6).unwrap());
    check_unbiased(Cauchy::new(0.8).unwrap());
    check_unbiased(Exponential::new(0.9).unwrap());
    check_unbiased(Matern32::new(0.8).unwrap());
    check_unbiased(Matern52::new(0.8).unwrap());
    check_unbiased(RationalQuadratic::new(1.3, 0.7).unwrap());
}

#[test]
fn unbiased_for_every_rule() {
    let (rbf, laplacian) = (Rbf::new(0.7).unwrap(), Laplacian::new(0.6).unwrap());
    check_unbiased(rbf * laplacian);
    check_unbiased(rbf + laplacian);
    check_unbiased(0.3 * rbf);
    check_unbiased(rbf * (0.5 * laplacian + 2.0 * Rbf::new(3.0).unwrap()) + 0.25 * laplacian);
}

#[test]
fn unbiased_through_a_box() {
    let xy = uniform::<f64>(2, 3, 1.0, 1);
    let kernel: Box<dyn Spectral> = Box::new(Rbf::new(0.7).unwrap());
    let form = FourierForm::Paired;
    let boxed = single_terms(&frequencies(kernel, form, 1000, 3), form, &xy);
    let own = frequencies(Rbf::new(0.7).unwrap(), form, 1000, 3);
    assert_eq!(boxed, single_terms(&own, form, &xy));
}

/// Frequencies of the computed density of a profile that is known by its values alone. What the density is wrong by is
/// allowed in addition, and is far less than what chance is.
#[test]
fn unbiased_for_computed_densities() {
    let profiles: [fn(f64) -> f64; 3] = [
        |d| 2.0 * (1.0 - d.abs()).max(0.0),
        |d| (-d.abs()).exp() * (3.0 * d).cos(),
        |d| (1.0 + d * d).powf(-1.5),
    ];
    let count = 200_000;
    for profile in profiles {
        let spectrum = ProfileSpectrum::new(&ProfileTransform::new(profile).unwrap()).unwrap();
        let mass = spectrum.mass();
        for form in [FourierForm::Paired, FourierForm::Phase] {
            let map = frequencies(spectrum.clone(), form, count, 1);
            for delta in [0.1, 0.6, 1.3] {
                let xy = Samples::from_row_major(1, vec![0.3, 0.3 + delta]).unwrap();
                let terms = single_terms(&map, form, &xy);
                let (k, k2) = (profile(delta), profile(2.0 * delta));
                let range = largest_term(form, mass) + k.abs();
                let chance = bernstein(variance(form, mass, (k, k2)), range, count, FAILURE);
                let wrong = 2.0 * mass * spectrum.error();
                assert!(wrong < 0.1 * chance, "{wrong}, {chance}");
                let mean = terms.iter().sum::<f64>() / count as f64;
                assert!((mean - k).abs() <= chance + wrong, "{form:?} {delta}: {mean} for {k}");
            }
        }
    }
}

fn check_variance<K: Kernel<Samples<f64>> + Spectral + Copy>(kernel: K) {
    let count = 400_000;
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let map = frequencies(kernel, form, count, 2);
        for (seed, side) in [(4, 0.4), (5, 1.5)] {
            let xy = uniform::<f64>(2, 2, side, seed);
            let terms = single_terms(&map, form, &xy);
            let (k, k2) = profile(&kernel, &xy);
            let expected = variance(form, kernel.mass(), (k, k2));
            // Y = (X − k)² lies in [0, r], so that its variance is at most r·E Y.
            let r = (largest_term(form, kernel.mass()) + k).powi(2);
            let allowed = bernstein(r * expected, r, count, FAILURE);
            let found = terms.iter().map(|t| (t - k).powi(2)).sum::<f64>() / count as f64;
            assert!((found - expected).abs() <= allowed, "{form:?}: {found} for {expected}");
            assert!(allowed < 0.2 * expected + 0.01, "{form:?}: the test is too weak: {allowed}");
        }
    }
}

#[test]
fn variances_are_those_of_sutherland_and_schneider() {
    check_variance(Rbf::new(0.7).unwrap());
    check_variance(Laplacian::new(0.6).unwrap());
    check_variance(Rbf::new(0.5).unwrap() * Laplacian::new(0.3).unwrap());
    check_variance(0.5 * Rbf::new(0.5).unwrap() + Laplacian::new(0.3).unwrap());
}

/// E‖Ĝ − G‖_F² is the sum of the variances of all entries.
#[test]
fn the_frobenius_norm_has_the_expectation_of_the_variances() {
    let (n, dim, maps) = (8, 8, 40_000);
    let kernel = Laplacian::new(0.8).unwrap();
    let x = uniform::<f64>(n, 2, 1.5, 8);
    let exact = common::gram(&kernel, &x, &x);
    for form in [FourierForm::Paired, FourierForm::Phase] {
        let count = if form == FourierForm::Paired { dim / 2 } else { dim };
        let mut expected = 0.0;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let pair = [x.item(i), x.item(j)].concat();
            let pair = Samples::from_row_major(2, pair).unwrap();
            expected += variance(form, 1.0, profile(&kernel, &pair)) / count as f64;
        }
        let norm = |seed| {
            let map = RandomFourier::new(kernel).dim(dim).form(form).seed(seed).sample(2).unwrap();
            let z = features(&map, &x);
            (z.transpose() * &z - &exact).squared_norm_l2()
        };
        let norms: Vec<f64> = (0..maps).map(norm).collect();
        // |Ĝ_ij − G_ij| is at most 2 (paired) or 3.
        let largest = if form == FourierForm::Paired { 4.0 } else { 9.0 };
        let (mean, allowed) = empirical_bernstein(&norms, largest * (n * n) as f64, FAILURE);
        assert!((mean - expected).abs() <= allowed, "{form:?}: {mean} for {expected}, {allowed}");
        assert!(allowed < 0.3 * expected, "the test is too weak: {allowed} for {expected}");
    }
}

/// `maps` independent maps: how often |ψ(x)ᵀψ(y) − K(x, y)| ≥ ε, for each of several pairs.
fn exceedances(form: FourierForm, dim: usize, epsilon: f64, maps: u64) -> Vec<usize> {
    let kernel = Laplacian::new(0.8).unwrap();
    let x = uniform::<f64>(6, 3, 1.0, 9);
    let mut counts = vec![0; x.len()];
    for seed in 0..maps {
        let map = RandomFourier::new(kernel).dim(dim).form(form).seed(seed).sample(3).unwrap();
        let z = features(&map, &x);
        for (j, count) in counts.iter_mut().enumerate() {
            let k = Kernel::<Samples<f64>>::eval(&kernel, x.item(0), x.item(j));
            let estimate: f64 = (0..dim).map(|i| z[(i, 0)] * z[(i, j)]).sum();
            *count += usize::from((estimate - k).abs() >= epsilon);
        }
    }
    counts
}

#[test]
fn hoeffding_phase() {
    // Products of two phase features range over [−2, 2]/D: 2 exp(−Dε²/8).
    let (dim, maps) = (16, 4000);
    for p in [0.5_f64, 0.05] {
        let epsilon = (8.0 * (2.0 / p).ln() / dim as f64).sqrt();
        let limit = binomial_limit(maps as usize, p, FAILURE);
        for count in exceedances(FourierForm::Phase, dim, epsilon, maps) {
            assert!(count <= limit, "{count} of {maps} maps exceed {epsilon}, limit {limit}");
        }
    }
}

#[test]
fn hoeffding_paired() {
    // The terms lie in [−1, 1]: with m frequencies 2 exp(−mε²/2).
    let (m, maps) = (8, 4000);
    for p in [0.5_f64, 0.05] {
        let epsilon = (2.0 * (2.0 / p).ln() / m as f64).sqrt();
        let limit = binomial_limit(maps as usize, p, FAILURE);
        for count in exceedances(FourierForm::Paired, 2 * m, epsilon, maps) {
            assert!(count <= limit, "{count} of {maps} maps exceed {epsilon}, limit {limit}");
        }
    }
}

#[test]
fn a_binomial_limit_is_exact() {
    // P(Bin(10, ½) > 8) = 11/1024, P(Bin(10, ½) > 7) = 56/1024.
    assert_eq!(binomial_limit(10, 0.5, 11.5 / 1024.0), 8);
    assert_eq!(binomial_limit(10, 0.5, 56.5 / 1024.0), 7);
}

#[test]
fn the_uniform_error_shrinks_like_the_root_of_the_dimension() {
    // The mean of 40 maps' greatest errors has a relative spread below 0.08 (0.5/√40), so the
    // slope over ln 256 in five steps has one below 0.02: the band is more than five of them.
    let kernel = Rbf::new(1.0).unwrap();
    let x = uniform::<f64>(40, 2, 2.0, 3);
    let exact = common::gram(&kernel, &x, &x);
    let mut points = Vec::new();
    for dim in [32, 128, 512, 2048, 8192] {
        let worst = |seed| {
            let map = RandomFourier::new(kernel).dim(dim).seed(seed).sample(2).unwrap();
            let z = features(&map, &x);
            (z.transpose() * &z - &exact).norm_max()
        };
        let mean = (0..40).map(worst).sum::<f64>() / 40.0;
        points.push(((dim as f64).ln(), mean.ln()));
    }
    let slope = common::slope(&points);
    assert!((slope + 0.5).abs() < 0.1, "slope {slope}");
}
