//! Tests of the gradients of every kernel with parameters, and of every closure rule, against
//! finite differences.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::{Differentiable, MetricKernel, PointGradient, RadialProfile, verify_gradient};
use crate::closure::{AssumeMercer, Conjugated, Exp, Normalized, Power, PullBack};
use crate::kernels::{
    ArcCosine, ArdRbf, AttributedGraph, AttributedRandomWalk, Cauchy, Constant, ExpChiSquared,
    Exponential, GlobalAlignment, Graph, HammingRbf, Laplacian, Linear, Matern, Matern32, Matern52,
    NormalizedGlobalAlignment, Periodic, Polynomial, RandomWalk, RationalQuadratic, Rbf, Sigmoid,
    Spectrum, Subsequence, SubsetTree, Subtree, Tree, Wave, White,
};
use crate::{Kernel, Points, Samples, Scratch, SparseSamples, Tile};
use faer::Mat;
use proptest::prelude::*;

const N: usize = 9;
const D: usize = 3;

/// Values ≥ 0, which all kernels accept, some of them equal.
fn unit(k: usize) -> f64 {
    let u = (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
    (u * 20.0).round() / 20.0
}

fn dense() -> Samples<f64> {
    let rows: Vec<[f64; D]> = (0..N)
        .map(|i| std::array::from_fn(|k| if i == 4 { unit(k) } else { unit(D * i + k) }))
        .collect();
    Samples::from_rows(&rows).unwrap()
}

fn sparse() -> SparseSamples<f64> {
    SparseSamples::from_dense(&dense()).unwrap()
}

macro_rules! verified {
    ($points:expr; $($kernel:expr),* $(,)?) => {$(
        verify_gradient(&$kernel, $points, 1e-6).unwrap_or_else(|error| panic!("{}: {error}", stringify!($kernel)));
    )*};
}

#[test]
fn families_on_vectors() {
    let (x, s) = (dense(), sparse());
    macro_rules! both {
        ($($kernel:expr),* $(,)?) => { $(verified!(&x; $kernel); verified!(&s; $kernel);)* };
    }
    both!(
        Rbf::new(0.7).unwrap(),
        Laplacian::new(0.7).unwrap(),
        Exponential::new(1.3).unwrap(),
        Matern32::new(0.8).unwrap(),
        Matern52::new(1.7).unwrap(),
        Matern::new(0.3, 0.8).unwrap(),
        Matern::new(1.0, 0.8).unwrap(),
        Matern::new(4.2, 0.8).unwrap(),
        Periodic::new(0.9, 1.3).unwrap(),
        Wave::new(&[0.4, 0.0, 1.1]).unwrap(),
        0.5 * Wave::new(&[0.4, 0.3, 0.2]).unwrap() * ArdRbf::new(&[0.5, 0.1, 3.0]).unwrap(),
        ArcCosine::new(1).unwrap(),
        Constant::new(0.7).unwrap(),
        White::new(0.7).unwrap(),
        RationalQuadratic::new(0.6, 1.4).unwrap(),
        Cauchy::new(1.2).unwrap(),
        ExpChiSquared::new(0.9).unwrap(),
        Polynomial::new(0.8, 0.5, 3).unwrap(),
        Polynomial::new(0.8, 0.0, 2).unwrap(),
        Polynomial::new(0.8, 0.5, 0).unwrap(),
        Sigmoid::new(0.4, -0.3).unwrap(),
        ArdRbf::new(&[0.5, 0.0, 3.0]).unwrap(),
        Linear,
    );
}

#[test]
fn strings() {
    let words = ["abba", "abca", "bbbb", "cabb"].map(String::from).to_vec();
    verified!(&words; HammingRbf::new(0.3).unwrap(), Spectrum::new(2).unwrap() + 0.5 * HammingRbf::new(1.0).unwrap());
}

/// The decay of subsequence, tree and walk kernels, whose recursions are differentiated in forward
/// mode.
#[test]
fn decays() {
    let words = ["abbacab", "abcabb", "ab", "cabbacca"].map(String::from).to_vec();
    verified!(
        &words;
        Subsequence::new(3, 0.6).unwrap(),
        Subsequence::by_gaps(2, 0.3).unwrap(),
        Normalized::new(Subsequence::new(2, 0.9 - 0.2).unwrap()),
    );
    let noun = |word: &str| Tree::new("NP", [Tree::new("N", [Tree::leaf(word)])]);
    let verb =
        |word: &str, other: Tree| Tree::new("VP", [Tree::new("V", [Tree::leaf(word)]), other]);
    let said = |who: &str, verb: Tree| Tree::new("S", [noun(who), verb]);
    let trees = vec![
        said("ann", verb("saw", noun("bob"))),
        said("bob", verb("saw", noun("bob"))),
        said("ann", verb("met", noun("ann"))),
        noun("bob"),
    ];
    verified!(
        &trees;
        SubsetTree::new(0.4).unwrap(),
        Subtree::new(0.7).unwrap(),
        0.5 * SubsetTree::new(0.8).unwrap() + Normalized::new(Subtree::new(0.3).unwrap()),
    );
    let ring = |n: usize| (0..n).map(|i| (i, (i + 1) % n)).collect::<Vec<_>>();
    let graph =
        |labels: &[u64], edges: &[(usize, usize)]| Graph::new(labels.to_vec(), edges).unwrap();
    let graphs = vec![
        graph(&[1, 2, 1, 2], &ring(4)),
        graph(&[1, 1, 2, 2, 1], &ring(5)),
        graph(&[2, 1, 1], &[(0, 1), (1, 2)]),
    ];
    verified!(&graphs; RandomWalk::new(0.2).unwrap(), Normalized::new(RandomWalk::new(0.05).unwrap()));
    let attributed = |(k, g): (usize, Graph)| {
        let numbers = (0..2 * g.node_count()).map(|i| unit(7 * k + i)).collect();
        AttributedGraph::new(g, Samples::from_row_major(2, numbers).unwrap()).unwrap()
    };
    let attributed: Vec<AttributedGraph> = graphs.into_iter().enumerate().map(attributed).collect();
    verified!(
        &attributed;
        RandomWalk::new(0.2).unwrap(),
        AttributedRandomWalk::new(0.2, Rbf::new(0.7).unwrap()).unwrap(),
        AttributedRandomWalk::new(0.1, 0.5 * Polynomial::new(0.8, 0.5, 2).unwrap()).unwrap(),
        Normalized::new(AttributedRandomWalk::new(0.1, ArdRbf::new(&[0.7, 0.1]).unwrap()).unwrap()),
    );
}

/// The width of alignment kernels, whose recursion carries the derivative.
#[test]
fn series() {
    let series = |n: usize| (0..2 * n).map(|i| 2.0 * unit(n + i)).collect();
    let all: Vec<Samples<f64>> =
        [3, 7, 1, 0, 5].map(|n| Samples::from_row_major(2, series(n)).unwrap()).to_vec();
    verified!(
        &all;
        GlobalAlignment::new(0.7).unwrap(),
        GlobalAlignment::new(0.02).unwrap(),
        GlobalAlignment::windowed(0.7, 3).unwrap(),
        NormalizedGlobalAlignment::new(0.7).unwrap(),
        NormalizedGlobalAlignment::windowed(1.1, 5).unwrap(),
        Normalized::new(GlobalAlignment::new(1.7).unwrap()),
    );
}

/// A formula has the derivatives of its parts, in the order of its parameters.
#[test]
#[cfg(feature = "formula")]
fn formulas() {
    use crate::{KernelSpec, Row};
    let built = |formula: &str| formula.parse::<KernelSpec>().unwrap();
    let x = dense();
    let formula = "0.5*rbf(gamma=0.7)*matern32(length_scale=0.8)*poly(degree=2, coef0=0.5) + \
        normalized(laplacian(gamma=0.4) + ard_rbf(gamma=[0.5, 0.2, 3]))^2 + exp(0.3*rbf(gamma=2))";
    verified!(&x; built(formula).build_mercer::<Samples<f64>>().unwrap());
    verified!(&sparse(); built(formula).build::<SparseSamples<f64>>().unwrap());
    let product = (1..=5).map(|k| format!("rbf(gamma=0.{k})")).collect::<Vec<_>>().join("*");
    verified!(&x; built(&product).build::<Samples<f64>>().unwrap());
    let words = ["abba", "abca", "bbbb", "cabb"].map(String::from).to_vec();
    let strings = "subsequence(p=2, lambda=0.5) + 2*hamming_rbf(gamma=0.3)*spectrum(k=2)";
    verified!(&words; built(strings).build::<Vec<String>>().unwrap());
    let row = |k: usize| Row {
        numbers: vec![unit(k), unit(k + 9)],
        text: words[k % 4].clone(),
        ..Row::default()
    };
    let rows: Vec<Row> = (0..6).map(row).collect();
    verified!(&rows; built("rbf(gamma=0.5)*subsequence(p=2, lambda=0.5)").build::<Vec<Row>>().unwrap());
}

#[test]
fn rules() {
    let x = dense();
    let rbf = || Rbf::new(0.7).unwrap();
    let poly = || Polynomial::new(0.8, 0.5, 2).unwrap();
    verified!(
        &x;
        rbf() + poly(),
        rbf() * poly(),
        2.5 * rbf(),
        Power::new(poly(), 3),
        Power::new(rbf(), 0),
        Exp::new(0.3 * poly()),
        Normalized::new(poly()),
        Normalized::new(0.5 * poly() + rbf()),
        AssumeMercer(Sigmoid::new(0.4, 0.1).unwrap()),
    );
    verified!(&x; Shifted(1.3), Weighted(0.4));
}

/// A pull-back map that can be copied and compared.
#[derive(Clone, PartialEq)]
struct Shifted(f64);
/// A conjugating function that can be copied and compared.
#[derive(Clone, PartialEq)]
struct Weighted(f64);

macro_rules! wrapped {
    ($type:ident, $build:expr) => {
        impl crate::Parameters for $type {
            fn parameters(&self) -> Vec<crate::parameters::Parameter> {
                Rbf::new(self.0).unwrap().parameters()
            }
            fn set_parameter(
                &mut self,
                _: &str,
                value: &crate::parameters::Setting,
            ) -> Result<(), crate::Error> {
                self.0 = value.as_f64().unwrap();
                Ok(())
            }
        }
        impl crate::Kernel<Samples<f64>> for $type {
            fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
                crate::Kernel::<Samples<f64>>::eval(&$build(self.0), x, y)
            }
        }
        impl Differentiable<Samples<f64>> for $type {
            fn pull_back(
                &self,
                tile: &Tile<'_, Samples<f64>>,
                adjoint: faer::MatRef<'_, f64>,
                gradient: &mut [f64],
                scratch: &mut Scratch<f64>,
            ) {
                $build(self.0).pull_back(tile, adjoint, gradient, scratch);
            }
        }
    };
}

wrapped!(Shifted, |gamma| PullBack::<_, _, Samples<f64>>::new(
    |x: &[f64]| vec![x[0] + 1.0, x[1] * x[2]],
    Rbf::new(gamma).unwrap()
));
wrapped!(Weighted, |gamma| Conjugated::new(|x: &[f64]| 1.0 + x[0], Rbf::new(gamma).unwrap()));

/// Points far from the origin lose no digits.
#[test]
fn relevance_of_translated_points() {
    let rows: Vec<[f64; 2]> = (0..N).map(|i| [1e6 + unit(i), unit(i + 50) - 1e6]).collect();
    let kernel = ArdRbf::new(&[0.5, 3.0]).unwrap();
    verified!(&Samples::from_rows(&rows).unwrap(); kernel);
}

/// The order of a Matérn kernel is not free, and all parameters of a spectral mixture are.
#[test]
fn orders_are_not_free() {
    let names = |of: &dyn crate::Parameters| -> Vec<String> {
        super::free_parameters(of).into_iter().map(|p| p.name).collect()
    };
    assert_eq!(names(&Matern::new(0.7, 2.0).unwrap()), ["length_scale"]);
    assert_eq!(names(&Subsequence::new(3, 0.6).unwrap()), ["lambda"]);
    assert_eq!(names(&Wave::new(&[0.5, 0.1]).unwrap()), ["frequency[0]", "frequency[1]"]);
    let slope = super::RadialProfile::<f64>::slopes;
    let mut at_zero = [0.0];
    slope(&Matern::new(2.5, 1.7).unwrap(), &mut at_zero, &mut Scratch::new());
    assert!((at_zero[0] + 5.0 / (6.0 * 1.7 * 1.7)).abs() < 1e-15);
}

/// The sum over tiles is the gradient of the whole matrix.
#[test]
fn tiles_add_up() {
    let x = dense();
    let kernel = Normalized::new(
        ArdRbf::new(&[0.5, 0.2, 3.0]).unwrap() + Polynomial::new(1.0, 0.5, 2).unwrap(),
    );
    let adjoint = Mat::from_fn(N, N, |i, j| unit(i * N + j) - 0.5);
    let pulled = |cuts: &[usize]| {
        let mut gradient = vec![0.0; 5];
        for rows in cuts.windows(2) {
            for cols in cuts.windows(2) {
                let tile = Tile::new(&x, rows[0]..rows[1], &x, cols[0]..cols[1]);
                let part = adjoint
                    .as_ref()
                    .subrows(rows[0], rows[1] - rows[0])
                    .subcols(cols[0], cols[1] - cols[0]);
                kernel.pull_back(&tile, part, &mut gradient, &mut Scratch::new());
            }
        }
        gradient
    };
    for (whole, cut) in pulled(&[0, N]).iter().zip(pulled(&[0, 2, 7, N])) {
        assert!((whole - cut).abs() < 1e-12 * (1.0 + whole.abs()), "{whole} {cut}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_composites(a in 0.05..3.0_f64, b in 0.05..3.0_f64, c in 0.1..2.0_f64, p in 1..4_u32, shape in 0..5_usize) {
        let x = dense();
        let (rbf, matern) = (Rbf::new(a).unwrap(), Matern32::new(b).unwrap());
        let (poly, ard) = (Polynomial::new(b, c, p).unwrap(), ArdRbf::new(&[a, b, c]).unwrap());
        let found = match shape {
            0 => verify_gradient(&(c * rbf * poly + a * matern), &x, 1e-6),
            1 => verify_gradient(&Power::new(Normalized::new(poly + rbf), p), &x, 1e-6),
            2 => verify_gradient(&(c * Exp::new(0.1 * ard) + rbf * matern), &x, 1e-6),
            3 => verify_gradient(&Normalized::new((a * poly + c * matern) * rbf), &x, 1e-6),
            _ => verify_gradient(&(Power::new(b * matern + rbf, p) * (c * Laplacian::new(a).unwrap())), &x, 1e-6),
        };
        prop_assert_eq!(found, Ok(()));
    }
}

/// φ′ in both precisions, against differences of φ.
#[test]
fn slopes_of_profiles() {
    fn check(name: &str, kernel: &(impl RadialProfile<f64> + RadialProfile<f32>)) {
        let squares: Vec<f64> = (1..40).map(|k| 0.003 * f64::from(k * k)).collect();
        let at = |square: f64| Kernel::<Samples<f64>>::eval(kernel, &[0.0], &[square.sqrt()]);
        let mut slopes = squares.clone();
        kernel.slopes(&mut slopes, &mut Scratch::new());
        let mut single: Vec<f32> = squares.iter().map(|&square| square as f32).collect();
        kernel.slopes(&mut single, &mut Scratch::new());
        for ((square, slope), single) in squares.iter().zip(&slopes).zip(&single) {
            let step = 1e-4 * square;
            let near = (at(square + step) - at(square - step)) / (2.0 * step);
            assert!((slope - near).abs() < 1e-6 * near.abs(), "{name}: {slope}, not {near}");
            assert!((slope - f64::from(*single)).abs() < 1e-5 * slope.abs(), "{name}: {single}");
        }
        let mut ends = [0.0, f64::INFINITY];
        kernel.slopes(&mut ends, &mut Scratch::new());
        assert!(ends[0] <= 0.0 && ends[0].is_finite() && ends[1] == 0.0, "{name}: {ends:?}");
    }
    check("Gaussian", &Rbf::new(0.7).unwrap());
    check("exponential", &Exponential::new(1.3).unwrap());
    check("Matérn 3/2", &Matern32::new(0.8).unwrap());
    check("Matérn 5/2", &Matern52::new(1.7).unwrap());
    for nu in [0.3, 1.0, 1.5, 3.3] {
        check("Matérn", &Matern::new(nu, 0.8).unwrap());
    }
    check("rational quadratic", &RationalQuadratic::new(0.6, 1.4).unwrap());
    check("sum", &(2.0 * Rbf::new(0.7).unwrap() + Exponential::new(0.2).unwrap()));
}

/// Gradients in the points, of two outputs, tile by tile in both precisions, against differences of values.
#[test]
fn gradients_in_points() {
    fn check(name: &str, kernel: &(impl PointGradient<f64> + PointGradient<f32>), invariant: bool) {
        assert_eq!(PointGradient::<f64>::is_rotation_invariant(kernel), invariant, "{name}");
        let x = dense();
        let (n, dim) = (x.len(), x.dim());
        let alpha = Mat::from_fn(n, 2, |i, k| ((i + 5 * k) as f64).cos());
        let value = |output: usize, at: &[f64]| -> f64 {
            let pair = |i| alpha[(i, output)] * Kernel::<Samples<f64>>::eval(kernel, x.item(i), at);
            (0..n).map(pair).sum()
        };
        let mut found = Mat::zeros(dim, 2 * n);
        for cut in [0..n / 3, n / 3..n] {
            let part = alpha.subrows(cut.start, cut.len());
            let tile = Tile::new(&x, cut, &x, 0..n);
            kernel.add_point_gradients(&tile, part, 0.0, found.as_mut(), &mut Scratch::new());
        }
        let narrow: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
        let narrow = Samples::from_row_major(dim, narrow).unwrap();
        let weights = Mat::from_fn(n, 2, |i, k| alpha[(i, k)] as f32);
        let mut single = Mat::zeros(dim, 2 * n);
        let tile = Tile::new(&narrow, 0..n, &narrow, 0..n);
        kernel.add_point_gradients(
            &tile,
            weights.as_ref(),
            0.0,
            single.as_mut(),
            &mut Scratch::new(),
        );
        for (j, k) in (0..n).flat_map(|j| (0..dim).map(move |k| (j, k))) {
            for output in 0..2 {
                let at = |step: f64| {
                    let mut at = x.item(j).to_vec();
                    at[k] += step;
                    value(output, &at)
                };
                let near = (at(1e-6) - at(-1e-6)) / 2e-6;
                let exact = found[(k, output * n + j)];
                assert!(
                    (exact - near).abs() < 1e-7 * (1.0 + near.abs()),
                    "{name}: {exact}, not {near}"
                );
                let single = f64::from(single[(k, output * n + j)]);
                assert!((exact - single).abs() < 2e-5 * (1.0 + exact.abs()), "{name}: {single}");
            }
        }
    }
    let laplacian = Laplacian::new(0.6).unwrap();
    check("Gaussian", &Rbf::new(0.7).unwrap(), true);
    check("exponential", &Exponential::new(1.3).unwrap(), true);
    check("Laplacian", &laplacian, false);
    check("one of some", &MetricKernel::from(laplacian), false);
    check("another one", &MetricKernel::from(Matern52::new(1.7).unwrap()), true);
    check("sum", &(2.0 * laplacian + Matern52::new(1.7).unwrap()), false);
}
