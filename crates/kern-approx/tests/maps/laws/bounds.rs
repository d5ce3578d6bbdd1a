//! Bounds that hold with a stated probability: the share of seeds that miss them.

use super::{Law, hold};
use crate::columns::{approximation, draw, spectral, trace, truncated};
use crate::common::{FAILURE, binomial_limit, eigenvalues, features, gram, uniform};
use kern_approx::bounds::{
    ErrorBound, KitchenSinks, Pointwise, RelativeSpectral, SampledColumns, SpectralNorm, Uniform,
};
use kern_approx::{FourierForm, RandomFourier};
use kern_core::faer::{Mat, Side};
use kern_core::kernels::{
    ArdRbf, Cauchy, Exponential, Intersection, Laplacian, Matern, Matern32, Matern52, Periodic,
    RationalQuadratic, Rbf, Wave,
};
use kern_core::rand::RngExt;
use kern_core::{Kernel, Points, Samples, Spectral};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::ops::Range;

#[test]
fn bounds_hold_with_their_probabilities() {
    hold(&[
        Law {
            of: "Pointwise",
            states: "D(ε, δ) features have an error of ε for one of 15 pairs in a share δ of the maps at most",
            seeds: 0..400,
            assertions: 28,
            check: pairs,
        },
        Law {
            of: "Uniform",
            states: "D(ε, δ) features have an error of ε in a disc in a share δ of the maps at most",
            seeds: 0..40,
            assertions: 7,
            check: disc,
        },
        Law {
            of: "SpectralNorm",
            states: "‖Ĝ − G‖₂ exceeds its bound in a share δ of the maps at most",
            seeds: 0..200,
            assertions: 8,
            check: spectral_norm,
        },
        Law {
            of: "RelativeSpectral",
            states: "±(Ĝ − G) ⪯ Δ·(G + λI) is wrong for a share δ of the maps at most",
            seeds: 0..200,
            assertions: 8,
            check: relative,
        },
        Law {
            of: "SampledColumns",
            states: "‖G − G̃_k‖ − ‖G − G_k‖ exceeds its bound in a share δ of the draws at most",
            seeds: 0..200,
            assertions: 16,
            check: sampled_columns,
        },
        Law {
            of: "KitchenSinks",
            states: "a mean of D features is farther than its bound in a share δ of the draws at most",
            seeds: 0..1000,
            assertions: 9,
            check: kitchen_sinks,
        },
    ]);
}

/// A kernel as both of its halves.
pub(super) struct Shift {
    pub(super) name: &'static str,
    pub(super) kernel: Box<dyn Kernel<Samples<f64>>>,
    pub(super) spectrum: Box<dyn Spectral>,
}

impl Shift {
    pub(super) fn new<K>(name: &'static str, kernel: K) -> Self
    where
        K: Kernel<Samples<f64>> + Spectral + Clone + 'static,
    {
        Self { name, kernel: Box::new(kernel.clone()), spectrum: Box::new(kernel) }
    }

    /// ψᵀψ − G, in units of κ(0).
    fn error(&self, (form, dim, seed): (FourierForm, usize, u64), x: &Samples<f64>) -> Mat<f64> {
        let map = RandomFourier::new(&*self.spectrum).dim(dim).form(form).seed(seed);
        let z = features(&map.sample(x.dim()).unwrap(), x);
        let scale = 1.0 / self.spectrum.mass();
        let difference = z.transpose() * &z - gram(&self.kernel, x, x);
        Mat::from_fn(x.len(), x.len(), |i, j| scale * difference[(i, j)])
    }
}

/// All kernels with a spectrum, and the rules that keep it, on points of three features in [0, 3].
fn all_spectra() -> Vec<Shift> {
    let (rbf, laplacian) = (Rbf::new(0.7).unwrap(), Laplacian::new(0.6).unwrap());
    vec![
        Shift::new("rbf", rbf),
        Shift::new("ard rbf", ArdRbf::new(&[0.2, 0.7, 1.5]).unwrap()),
        Shift::new("laplacian", laplacian),
        Shift::new("cauchy", Cauchy::new(0.8).unwrap()),
        Shift::new("exponential", Exponential::new(0.9).unwrap()),
        Shift::new("matern32", Matern32::new(0.8).unwrap()),
        Shift::new("matern52", Matern52::new(0.8).unwrap()),
        Shift::new("matern", Matern::new(1.2, 0.8).unwrap()),
        Shift::new("rational quadratic", RationalQuadratic::new(1.3, 0.7).unwrap()),
        Shift::new("periodic", Periodic::new(2.0, 0.8).unwrap()),
        Shift::new("wave", Wave::new(&[0.2, 0.3, 0.5]).unwrap()),
        Shift::new("sum", rbf + 0.5 * laplacian),
        Shift::new("product", rbf * laplacian),
        Shift::new("scaled", 0.3 * rbf),
    ]
}

/// Bounds for all kernels hold, and would not with an exponent that is several times as great.
fn pairs(seeds: Range<u64>) -> usize {
    let (n, epsilon, delta) = (6, 0.35, 0.1);
    let x = uniform::<f64>(n, 3, 3.0, 9);
    let maps = seeds.end as usize;
    let limit = binomial_limit(maps, delta, FAILURE);
    let mut assertions = 0;
    for kernel in all_spectra() {
        // The variances of terms are nearer to a half and to 1 than to the 1 and 4 of Hoeffding's inequality.
        for (form, times) in [(FourierForm::Paired, 8), (FourierForm::Phase, 16)] {
            let dim = Pointwise::new(form).pairs(n * (n - 1) / 2).dim(epsilon, delta).unwrap();
            let misses = |dim: usize| {
                let worst = |seed| {
                    let error = kernel.error((form, dim, seed), &x);
                    let apart =
                        |(i, j): (usize, usize)| if i < j { error[(i, j)].abs() } else { 0.0 };
                    (0..n * n).map(|e| apart((e % n, e / n))).fold(0.0, f64::max)
                };
                seeds.clone().filter(|&seed| worst(seed) >= epsilon).count()
            };
            let count = misses(dim);
            assert!(count <= limit, "{}, {form:?}: {count} of {maps}", kernel.name);
            let few = misses(dim / times / 2 * 2);
            assert!(few > limit, "{}, {form:?}: the test is too weak: {few}", kernel.name);
            assertions += 1;
        }
    }
    assertions
}

/// A grid and random points within a circle of diameter 2.
fn disc_points() -> Samples<f64> {
    let grid = (0..49).map(|i| [(i % 7) as f64 / 3.0 - 1.0, (i / 7) as f64 / 3.0 - 1.0]);
    let random = uniform::<f64>(40, 2, 2.0, 5);
    let random = random.as_slice().chunks(2).map(|v| [v[0] - 1.0, v[1] - 1.0]);
    let within = |v: &[f64; 2]| v[0] * v[0] + v[1] * v[1] <= 1.0;
    Samples::from_rows(&grid.chain(random).filter(within).collect::<Vec<_>>()).unwrap()
}

fn disc(seeds: Range<u64>) -> usize {
    let (epsilon, delta, d) = (0.4, 0.2, 2.0);
    let x = disc_points();
    // E‖ω‖²: of normal ω 2γ in each coordinate; of Laplace's law 2γ²; of Student's ν/(ν − 2)/ℓ² with 2ν degrees, here
    // three and five; of a mixture of normal laws the mean; of frequencies that are given their squares.
    let (rbf, length) = (Rbf::new(1.0).unwrap(), 0.8_f64);
    let lines = [
        (Shift::new("rbf", rbf), 2.0 * d),
        (Shift::new("ard rbf", ArdRbf::new(&[0.3, 1.2]).unwrap()), 2.0 * (0.3 + 1.2)),
        (Shift::new("cauchy", Cauchy::new(0.8).unwrap()), 2.0 * 0.64 * d),
        (Shift::new("matern32", Matern32::new(length).unwrap()), 3.0 * d / length.powi(2)),
        (Shift::new("matern52", Matern52::new(length).unwrap()), 5.0 / 3.0 * d / length.powi(2)),
        (Shift::new("rq", RationalQuadratic::new(1.3, length).unwrap()), d / length.powi(2)),
        (Shift::new("wave", Wave::new(&[0.5, 0.7]).unwrap()), TAU * TAU * (0.25 + 0.49)),
    ];
    let maps = seeds.end as usize;
    for (kernel, second_moment) in &lines {
        let bound = Uniform::new(2, 2.0, *second_moment).unwrap();
        let misses = |dim: usize| {
            let worst = |seed| kernel.error((FourierForm::Paired, dim, seed), &x).norm_max();
            seeds.clone().filter(|&seed| worst(seed) >= epsilon).count()
        };
        let (dim, limit) =
            (bound.dim(epsilon, delta).unwrap(), binomial_limit(maps, delta, FAILURE));
        let count = misses(dim);
        assert!(count <= limit, "{}: {count} of {maps}", kernel.name);
        let few = misses(dim / 300 / 2 * 2);
        // Of a wave, few features are often exact: the two signs of the second frequency are all that is random.
        let is_weak = few <= limit && kernel.name != "wave";
        assert!(!is_weak, "{}: the test is too weak: {few} with {dim}/300", kernel.name);
    }
    assert_eq!(Uniform::rbf(&rbf, 2, 2.0).unwrap(), Uniform::new(2, 2.0, 2.0 * d).unwrap());
    let flat = Rbf::new(0.3).unwrap();
    assert_eq!(Uniform::rbf(&flat, 5, 2.0).unwrap(), Uniform::new(5, 2.0, 3.0).unwrap());
    lines.len()
}

/// Kernels for matrices of 20 points.
fn some_spectra() -> [Shift; 4] {
    [
        Shift::new("laplacian", Laplacian::new(0.6).unwrap()),
        Shift::new("cauchy", Cauchy::new(0.8).unwrap()),
        Shift::new("matern52", Matern52::new(0.8).unwrap()),
        Shift::new("sum", 2.0 * Rbf::new(0.2).unwrap() + Exponential::new(1.0).unwrap()),
    ]
}

/// Counts errors above those that a bound allows with probabilities of a half and a tenth.
fn count_misses(errors: &[f64], what: &str, bound: impl Fn(f64) -> f64) -> usize {
    let levels = [0.5, 0.1];
    for delta in levels {
        let most = bound(delta);
        let count = errors.iter().filter(|&&error| error >= most).count();
        assert!(count <= binomial_limit(errors.len(), delta, FAILURE), "{what}, {delta}: {count}");
    }
    levels.len()
}

fn spectral_norm(seeds: Range<u64>) -> usize {
    let (n, dim) = (20, 200);
    let x = uniform::<f64>(n, 2, 3.0, 9);
    let line = |kernel: Shift| {
        let error = |seed| spectral(&kernel.error((FourierForm::Paired, dim, seed), &x));
        let errors: Vec<f64> = seeds.clone().map(error).collect();
        let exact = gram(&kernel.kernel, &x, &x);
        let norm = spectral(&exact) / kernel.spectrum.mass();
        let bound = SpectralNorm::new(n, norm).unwrap();
        count_misses(&errors, kernel.name, |delta| bound.error(dim, delta).unwrap())
    };
    some_spectra().into_iter().map(line).sum()
}

fn relative(seeds: Range<u64>) -> usize {
    let (n, dim, lambda) = (20, 300, 2.0);
    let x = uniform::<f64>(n, 2, 3.0, 9);
    let bound = RelativeSpectral::new(n, lambda).unwrap();
    let line = |kernel: Shift| {
        // (G + λI)^(−½) on both sides, from the eigenvectors of G.
        let scale = kernel.spectrum.mass();
        let eigen = gram(&kernel.kernel, &x, &x).self_adjoint_eigen(Side::Lower).unwrap();
        let (u, values) = (eigen.U(), eigen.S().column_vector());
        let scaled = |i: usize, j: usize| u[(i, j)] / (values[j] / scale + lambda).sqrt();
        let root = Mat::from_fn(n, n, scaled) * u.transpose();
        let error =
            |seed| spectral(&(&root * kernel.error((FourierForm::Paired, dim, seed), &x) * &root));
        let errors: Vec<f64> = seeds.clone().map(error).collect();
        count_misses(&errors, kernel.name, |delta| bound.error(dim, delta).unwrap())
    };
    some_spectra().into_iter().map(line).sum()
}

fn sampled_columns(seeds: Range<u64>) -> usize {
    let x = uniform::<f64>(24, 3, 1.0, 8);
    let grams = [gram(&Laplacian::new(0.8).unwrap(), &x, &x), gram(&Intersection, &x, &x)];
    let mut assertions = 0;
    for g in grams {
        let (total, values) = (trace(&g), eigenvalues(&g));
        for (k, c) in [(1, 8), (3, 24)] {
            let best = (&g - truncated(&g, k, |v| v)).norm_l2();
            let mut excess = [Vec::new(), Vec::new()];
            for seed in seeds.clone() {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let error = &g - approximation(&g, &draw(&g, c, &mut rng), k);
                excess[0].push((error.norm_l2() - best) / total);
                excess[1].push((spectral(&error) - values[values.len() - 1 - k]) / total);
            }
            let bounds = [SampledColumns::frobenius(k).unwrap(), SampledColumns::spectral()];
            for (excess, bound) in excess.iter().zip(bounds) {
                let most = |delta| bound.error(c, delta).unwrap();
                assertions += count_misses(excess, &format!("{k} of {c}"), most);
            }
        }
    }
    assertions
}

/// f(x) = C/12·Σ ±cos(jx), j < 12, and C/D·Σ ±cos(j_i x) for D random j, at 40 equally probable x.
fn kitchen_sinks(seeds: Range<u64>) -> usize {
    let (radius, terms, points) = (2.0, 12, 40);
    let cosine = |j: usize, i: usize| (j as f64 * (0.3 + i as f64 / 10.0)).cos();
    let sign = |j: usize| if j.is_multiple_of(3) { -1.0 } else { 1.0 };
    let at = |drawn: &[usize], i: usize| {
        radius * drawn.iter().map(|&j| sign(j) * cosine(j, i)).sum::<f64>() / drawn.len() as f64
    };
    let all: Vec<usize> = (0..terms).collect();
    let bound = KitchenSinks::new(1.0, radius).unwrap();
    let mut assertions = 0;
    for count in [10, 100, 400] {
        let distance = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let drawn: Vec<usize> = (0..count).map(|_| rng.random_range(0..terms)).collect();
            let square = |i: usize| (at(&drawn, i) - at(&all, i)).powi(2);
            ((0..points).map(square).sum::<f64>() / points as f64).sqrt()
        };
        let distances: Vec<f64> = seeds.clone().map(distance).collect();
        let what = format!("{count} features");
        let most = |delta| bound.approximation(count, delta).unwrap();
        assertions += count_misses(&distances, &what, most);
        let third = distances.iter().filter(|&&d| d >= most(0.1) / 4.0).count();
        let limit = binomial_limit(distances.len(), 0.1, FAILURE);
        assert!(third > limit, "{what}: the test is too weak: {third}");
        // The root mean square that the bound begins with, for certain: Markov's inequality.
        let square = radius / (count as f64).sqrt() * 2.0;
        let far = distances.iter().filter(|&&d| d >= square).count();
        assert!(far <= binomial_limit(distances.len(), 0.25, FAILURE), "{what}: {far}");
        assertions += 1;
    }
    assertions
}
