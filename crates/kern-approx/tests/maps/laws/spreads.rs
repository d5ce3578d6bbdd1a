//! Random maps by their variances: means by Bernstein's inequality, and tails by Chebyshev's.

use super::bounds::Shift;
use super::{Law, hold};
use crate::additive::{ERRORS, KERNELS, RANGES, STEPS};
use crate::common::{
    FAILURE, bernstein, binomial_limit, empirical_bernstein, features, gram, uniform,
};
use crate::fourier_statistics::{largest_term, variance};
use kern_approx::{
    CentredMap, FourierForm, RandomFourier, RandomMaclaurin, SampledAdditive, Structure,
};
use kern_core::faer::Mat;
use kern_core::kernels::{Cauchy, Laplacian, Linear, Matern32, Polynomial, Rbf};
use kern_core::{Identity, Kernel, Samples};
use std::ops::Range;

#[test]
fn maps_have_the_spread_of_their_variances() {
    hold(&[
        Law {
            of: "FourierMap",
            states: "unbiased with the variance of Sutherland & Schneider over D, in both forms",
            seeds: 0..1000,
            assertions: 96,
            check: fourier,
        },
        Law {
            of: "StructuredMap",
            states: "unbiased for isotropic kernels",
            seeds: 0..4000,
            assertions: 6,
            check: structured,
        },
        Law {
            of: "MaclaurinMap",
            states: "unbiased with the variance of random signs over D",
            seeds: 0..2000,
            assertions: 36,
            check: maclaurin,
        },
        Law {
            of: "MaclaurinMap",
            states: "unbiased for random degrees",
            seeds: 0..5000,
            assertions: 3,
            check: degrees,
        },
        Law {
            of: "AdditiveMap",
            states: "the error of a coordinate is at most that of the documentation times √(xy)",
            seeds: 0..60,
            assertions: 0,
            check: additive,
        },
        Law {
            of: "CentredMap",
            states: "less the mean of all features, inner products are those of HGH",
            seeds: 0..20,
            assertions: 0,
            check: centred,
        },
    ]);
}

/// Independent estimates of one number.
pub(super) struct Estimates<'a> {
    pub(super) what: &'a str,
    pub(super) values: Vec<f64>,
    pub(super) exact: f64,
    /// A bound on their variance.
    pub(super) variance: f64,
    /// |estimate − exact| is at most this.
    pub(super) range: f64,
}

impl Estimates<'_> {
    /// Three assertions: the mean, and the shares beyond two and four standard deviations.
    pub(super) fn check(&self) -> usize {
        let Self { what, exact, variance, .. } = *self;
        let count = self.values.len();
        let mean = self.values.iter().sum::<f64>() / count as f64;
        let allowed = bernstein(variance, self.range, count, FAILURE);
        assert!((mean - exact).abs() <= allowed, "{what}: {mean} for {exact}, allowed {allowed}");
        let weak = 0.5 * (variance.sqrt() + exact.abs());
        assert!(allowed < weak, "{what}: the test is too weak: {allowed} for {exact}");
        for times in [2.0, 4.0] {
            let beyond = times * variance.sqrt();
            let far = self.values.iter().filter(|v| (*v - exact).abs() >= beyond).count();
            let limit = binomial_limit(count, 1.0 / (times * times), FAILURE);
            assert!(far <= limit, "{what}: {far} of {count} beyond {times} deviations");
        }
        3
    }
}

/// One assertion for estimates that are means of `terms` independent terms: Bernstein's tail.
fn check_tail(estimates: &Estimates<'_>, terms: usize, range: f64) -> usize {
    let delta = 0.1;
    let most = bernstein(estimates.variance * terms as f64, range, terms, delta);
    let far = estimates.values.iter().filter(|v| (*v - estimates.exact).abs() >= most).count();
    let limit = binomial_limit(estimates.values.len(), delta, FAILURE);
    assert!(far <= limit, "{}: {far} beyond {most}", estimates.what);
    1
}

fn inner(z: &Mat<f64>) -> f64 {
    z.col(0).transpose() * z.col(1)
}

fn fourier(seeds: Range<u64>) -> usize {
    let kernels = [
        Shift::new("rbf", Rbf::new(0.7).unwrap()),
        Shift::new("laplacian", Laplacian::new(0.6).unwrap()),
        Shift::new("cauchy", Cauchy::new(0.8).unwrap()),
        Shift::new("sum", Rbf::new(0.7).unwrap() + 0.5 * Matern32::new(0.8).unwrap()),
    ];
    let dim = 64;
    let mut assertions = 0;
    for kernel in &kernels {
        let mass = kernel.spectrum.mass();
        for form in [FourierForm::Paired, FourierForm::Phase] {
            let terms = if form == FourierForm::Paired { dim / 2 } else { dim };
            for side in [0.4, 1.0, 2.0] {
                let xy = uniform::<f64>(2, 3, side, 4);
                let (x, y) = xy.as_slice().split_at(3);
                let twice: Vec<f64> = x.iter().zip(y).map(|(x, y)| 2.0 * y - x).collect();
                let (k, k2) = (kernel.kernel.eval(x, y), kernel.kernel.eval(x, &twice));
                let estimate = |seed| {
                    let map = RandomFourier::new(&*kernel.spectrum).dim(dim).form(form).seed(seed);
                    inner(&features(&map.sample(3).unwrap(), &xy))
                };
                let range = largest_term(form, mass) + k.abs();
                let estimates = Estimates {
                    what: kernel.name,
                    values: seeds.clone().map(estimate).collect(),
                    exact: k,
                    variance: variance(form, mass, (k, k2)) / terms as f64,
                    range,
                };
                assertions += estimates.check() + check_tail(&estimates, terms, range);
            }
        }
    }
    assertions
}

fn structured(seeds: Range<u64>) -> usize {
    let kernels = [
        Shift::new("rbf", Rbf::new(0.7).unwrap()),
        Shift::new("matern32", Matern32::new(0.8).unwrap()),
    ];
    let mut assertions = 0;
    for kernel in &kernels {
        for side in [0.4, 1.0, 2.0] {
            let xy = uniform::<f64>(2, 3, side, 4);
            let exact = gram(&kernel.kernel, &xy, &xy)[(0, 1)];
            let estimate = |seed| {
                let params = RandomFourier::new(&*kernel.spectrum).dim(128).seed(seed);
                let map = params.sample_structured(Structure::Fastfood, 3).unwrap();
                inner(&features(&map, &xy))
            };
            let values: Vec<f64> = seeds.clone().map(estimate).collect();
            let (mean, allowed) = empirical_bernstein(&values, 2.0, FAILURE);
            assert!((mean - exact).abs() <= allowed, "{}: {mean} for {exact}", kernel.name);
            assert!(allowed < 0.06, "{}: the test is too weak: {allowed}", kernel.name);
            assertions += 1;
        }
    }
    assertions
}

/// ‖x‖₁·‖y‖₁ of the two samples.
fn absolute(xy: &Samples<f64>) -> f64 {
    let (x, y) = xy.as_slice().split_at(xy.dim());
    x.iter().map(|v| v.abs()).sum::<f64>() * y.iter().map(|v| v.abs()).sum::<f64>()
}

/// ‖x‖²·‖y‖², ⟨x, y⟩, Σx_i²y_i².
pub(super) fn moments(xy: &Samples<f64>) -> [f64; 3] {
    let (x, y) = xy.as_slice().split_at(xy.dim());
    let sum = |f: fn(f64, f64) -> f64| x.iter().zip(y).map(|(&x, &y)| f(x, y)).sum::<f64>();
    [sum(|x, _| x * x) * sum(|_, y| y * y), sum(|x, y| x * y), sum(|x, y| (x * y).powi(2))]
}

/// xᵀy for random signs s: E(sᵀx·sᵀy)² = ‖x‖²‖y‖² + 2(⟨x, y⟩² − Σx_i²y_i²), and its pth power for p of them.
fn maclaurin(seeds: Range<u64>) -> usize {
    let dim = 64;
    let mut assertions = 0;
    for (degree, seed) in [1, 2, 3].into_iter().flat_map(|p| [(p, 1), (p, 2), (p, 3)]) {
        let xy = uniform::<f64>(2, 3, 1.2, seed);
        let ([norms, k1, squares], p) = (moments(&xy), degree as i32);
        let k = k1.powi(p);
        let kernel = Polynomial::new(1.0, 0.0, degree).unwrap();
        let estimate = |seed| {
            let map = RandomMaclaurin::new(kernel).dim(dim).seed(seed).sample(3).unwrap();
            inner(&features(&map, &xy))
        };
        let range = absolute(&xy).powi(p) + k.abs();
        let second = (norms + 2.0 * (k1 * k1 - squares)).powi(p);
        let estimates = Estimates {
            what: &format!("degree {degree}"),
            values: seeds.clone().map(estimate).collect(),
            exact: k,
            variance: (second - k * k) / dim as f64,
            range,
        };
        assertions += estimates.check() + check_tail(&estimates, dim, range);
    }
    assertions
}

fn degrees(seeds: Range<u64>) -> usize {
    let kernel = Polynomial::new(0.5, 1.0, 3).unwrap();
    let pairs = [1, 2, 3];
    for seed in pairs {
        let xy = uniform::<f64>(2, 3, 0.6, seed);
        let exact = gram(&kernel, &xy, &xy)[(0, 1)];
        let estimate = |seed| {
            let map = RandomMaclaurin::new(kernel).dim(257).seed(seed).sample(3).unwrap();
            inner(&features(&map, &xy))
        };
        // (1 + t/2)³ = 1 + 1.5t + 0.75t² + 0.125t³; a degree N has a probability of 2^−N or more, and t is at most
        // ‖x‖₁‖y‖₁ for signs. The term of degree 0 is exact.
        let reach = 2.0 * absolute(&xy);
        let largest = [(1, 1.5), (2, 0.75), (3, 0.125)].map(|(n, a)| 2.0 * a * reach.powi(n));
        let range = 2.0 * largest.into_iter().fold(0.0, f64::max);
        let values: Vec<f64> = seeds.clone().map(estimate).collect();
        let (mean, allowed) = empirical_bernstein(&values, range, FAILURE);
        assert!((mean - exact).abs() <= allowed, "{mean} for {exact}, allowed {allowed}");
        assert!(allowed < 0.2 * exact, "the test is too weak: {allowed} for {exact}");
    }
    pairs.len()
}

/// Histograms with coordinates that are zero, or within a factor e^(range/2) of 1 on either side.
fn additive(seeds: Range<u64>) -> usize {
    for (kernel, (errors, ranges)) in KERNELS.into_iter().zip(ERRORS.iter().zip(RANGES)) {
        for (steps, (error, range)) in STEPS.into_iter().zip(errors.iter().zip(ranges)) {
            let map = SampledAdditive::new(kernel).steps(steps).map(5).unwrap();
            for seed in seeds.clone() {
                let values = uniform::<f64>(2, 5, 1.0, seed);
                let value = |u: &f64| if *u < 0.1 { 0.0 } else { (range * (u - 0.5)).exp() };
                let xy: Vec<f64> = values.as_slice().iter().map(value).collect();
                let found =
                    inner(&features(&map, &Samples::from_row_major(5, xy.clone()).unwrap()));
                let (x, y) = xy.split_at(5);
                let pairs = || x.iter().zip(y);
                let exact: f64 = pairs().map(|(&x, &y)| kernel.term(x, y)).sum();
                let most = error * pairs().map(|(x, y)| (x * y).sqrt()).sum::<f64>();
                // Errors are documented with three digits or fewer.
                let off = (found - exact).abs();
                assert!(off <= most * (1.0 + 1e-12), "{kernel:?}, {steps}: {off}, {most}");
            }
        }
    }
    0
}

fn centred(seeds: Range<u64>) -> usize {
    for seed in seeds {
        let (n, d) = (9, 3);
        let x = uniform::<f64>(n, d, 1.0, seed);
        let z = features(&Identity::new(d), &x);
        let mean = (0..d).map(|i| z.row(i).iter().sum::<f64>() / n as f64).collect();
        let z = features(&CentredMap::new(Identity::new(d), mean), &x);
        let g = gram(&Linear, &x, &x);
        let row = |i: usize| (0..n).map(|j| g[(i, j)]).sum::<f64>() / n as f64;
        let all = (0..n).map(row).sum::<f64>() / n as f64;
        let expected = Mat::from_fn(n, n, |i, j| g[(i, j)] - row(i) - row(j) + all);
        assert!((z.transpose() * &z - expected).norm_max() < 1e-14);
    }
    0
}

/// Estimates by maps that need the feature `sketch`.
#[cfg(feature = "sketch")]
mod sketches {
    use super::{Estimates, Law, absolute, hold, inner, moments};
    use crate::common::{features, uniform};
    use crate::sketched_tensor;
    use kern_approx::{Identity, SketchedTensor, TensorSketch};
    use kern_core::Explicit;
    use kern_core::kernels::Polynomial;
    use std::ops::Range;

    #[test]
    fn sketches_have_the_spread_of_their_variances() {
        hold(&[
            Law {
                of: "SketchMap",
                states: "unbiased with at most the variance of count sketches over D",
                seeds: 0..4000,
                assertions: 27,
                check: tensor_sketch,
            },
            Law {
                of: "SketchedTensorMap",
                states: "unbiased with the variance of its documentation",
                seeds: 0..4000,
                assertions: 18,
                check: sketched_tensor,
            },
        ]);
    }

    fn tensor_sketch(seeds: Range<u64>) -> usize {
        let mut assertions = 0;
        for (degree, coef0, dim) in [(1, 0.0, 7), (2, 0.0, 16), (3, 0.2, 32)] {
            for seed in [1, 2, 3] {
                let xy = uniform::<f64>(2, 4, 1.2, seed);
                let ([_, k1, squares], p) = (moments(&xy), degree as i32);
                let (x, y) = xy.as_slice().split_at(4);
                let lifted = |v: &[f64]| 0.5 * v.iter().map(|v| v * v).sum::<f64>() + coef0;
                let uv = 0.5 * k1 + coef0;
                // All coordinates are positive: patterns of equal coordinates that contribute, at most.
                let squares = 0.25 * squares + coef0 * coef0;
                let second = (2.0 * uv * uv + lifted(x) * lifted(y) - 2.0 * squares).powi(p);
                let kernel = Polynomial::new(0.5, coef0, degree).unwrap();
                let estimate = |seed| {
                    let map = TensorSketch::new(kernel).dim(dim).seed(seed).sample(4).unwrap();
                    inner(&features(&map, &xy))
                };
                let sum = |v: &[f64]| 0.5_f64.sqrt() * v.iter().sum::<f64>() + coef0.sqrt();
                let estimates = Estimates {
                    what: &format!("degree {degree}"),
                    values: seeds.clone().map(estimate).collect(),
                    exact: uv.powi(p),
                    variance: (second - uv.powi(2 * p)) / dim as f64,
                    range: (sum(x) * sum(y)).powi(p) + uv.powi(p),
                };
                assertions += estimates.check();
            }
        }
        assertions
    }

    fn sketched_tensor(seeds: Range<u64>) -> usize {
        let mut assertions = 0;
        for (dim, seed) in [8, 33].into_iter().flat_map(|dim| [(dim, 1), (dim, 2), (dim, 3)]) {
            let xy = uniform::<f64>(2, 3, 1.2, seed);
            let left = Polynomial::new(0.7, 0.3, 2).unwrap().feature_map(&xy).unwrap();
            let z = features(&left, &xy);
            let (a, b) = (
                sketched_tensor::moments(&z),
                sketched_tensor::moments(&features(&Identity::new(3), &xy)),
            );
            let (exact, variance) = sketched_tensor::law(a, b, dim);
            let estimate = |seed| {
                let params =
                    SketchedTensor::new(left.clone(), Identity::new(3)).dim(dim).seed(seed);
                inner(&features(&params.sample(&xy).unwrap(), &xy))
            };
            let estimates = Estimates {
                what: &format!("{dim} features"),
                values: seeds.clone().map(estimate).collect(),
                exact,
                variance,
                range: z.col(0).norm_l1() * z.col(1).norm_l1() * absolute(&xy) + exact.abs(),
            };
            assertions += estimates.check();
        }
        assertions
    }
}
