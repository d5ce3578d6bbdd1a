//! The laws of kernels on random collections: tables with a line for every kernel and every closure rule.
//!
//! For each line, on collections with repeated, nearly equal, distant and clustered points:
//! - the contract: K(x, y) = K(y, x) to the last bit, and blocks, bound blocks and diagonals are its values;
//! - a block of all pairs is symmetric to the last bit;
//! - |K(x, y)| ≤ √(K(x, x)·K(y, y));
//! - λ_min(G) ≥ −c·n·u·max|G_ij|, u the unit roundoff: the matrix of the rounding errors of the entries,
//!   c·u each relative to the largest, has a norm of at most this.
//!
//! `cargo xtask tidy` requires a line for each kernel: the name of its type, in quotes.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

mod closures;
mod points;
mod structures;
mod vectors;

use kern_core::closure::AssumeMercer;
use kern_core::contract::{self, Violation};
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Sigmoid};
use kern_core::{
    Error, Mercer, Points, Samples, Scalar, Scratch, Tile, symmetric_eigen, tolerance,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::fmt::Debug;

/// Collections for each line.
const CASES: u32 = 64;

/// Numbers of [0, 1) from which the parameters of a kernel are made.
#[derive(Clone, Copy, Debug)]
struct Draw([f64; 4]);

impl Draw {
    fn any() -> impl Strategy<Value = Self> {
        proptest::array::uniform4(0.0..1.0_f64).prop_map(Self)
    }

    /// From 10^−`decades` to 10^`decades`, all orders of magnitude being equally probable.
    fn rate(&self, which: usize, decades: f64) -> f64 {
        10.0_f64.powf(decades * (2.0 * self.0[which] - 1.0))
    }

    fn between(&self, which: usize, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0[which]
    }

    /// From `low` to `high`, both included.
    fn count(&self, which: usize, low: usize, high: usize) -> usize {
        low + (self.0[which] * (high - low + 1) as f64) as usize
    }

    /// One value for each feature.
    fn values(&self, dim: usize) -> Vec<f64> {
        (0..dim).map(|j| (self.0[j % 4] * (1.0 + j as f64)).fract()).collect()
    }
}

type Boxed<P> = Box<dyn Mercer<P>>;

/// A line of a table.
struct Line<P> {
    /// The type of the kernel.
    name: &'static str,
    points: BoxedStrategy<P>,
    kernel: fn(&Draw, &P) -> Boxed<P>,
    laws: Laws,
}

#[derive(Clone, Copy, PartialEq)]
enum Laws {
    Mercer,
    /// All but that the block is symmetric: its sums have another order on the other side.
    Ordered,
    /// The laws of any kernel: all but the bound and the eigenvalues.
    Indefinite,
}

impl<P: Points + Debug + 'static> Line<P> {
    fn new(
        name: &'static str,
        points: BoxedStrategy<P>,
        kernel: fn(&Draw, &P) -> Boxed<P>,
    ) -> Self {
        Self { name, points, kernel, laws: Laws::Mercer }
    }

    fn keeping(self, laws: Laws) -> Self {
        Self { laws, ..self }
    }

    #[track_caller]
    fn hold(self) {
        let config =
            ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
        let cases = (Draw::any(), self.points);
        let found = TestRunner::new(config).run(&cases, |(draw, points)| {
            let kernel = (self.kernel)(&draw, &points);
            check(&*kernel, &points, self.laws).map_err(|broken| {
                let u = P::Scalar::UNIT_ROUNDOFF;
                TestCaseError::fail(format!("{} at u = {u:e}: {broken}", self.name))
            })
        });
        found.unwrap_or_else(|broken| panic!("{broken}"));
    }
}

fn boxed<P: Points, K: Mercer<P> + 'static>(kernel: Result<K, Error>) -> Boxed<P> {
    Box::new(kernel.unwrap())
}

#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Contract(#[from] Violation),
    #[error("entry ({i}, {j}) of the block has another value than ({j}, {i})")]
    Asymmetric { i: usize, j: usize },
    #[error("|K(x_{i}, x_{j})| = {given:e} exceeds {bound:e}, the root of K(x, x)·K(y, y)")]
    Bound { i: usize, j: usize, given: f64, bound: f64 },
    #[error("eigenvalue {given:e}, allowed: {allowed:e}")]
    Eigenvalue { given: f64, allowed: f64 },
}

fn smallest_normal<T: Scalar>() -> f64 {
    let is_double = T::from_f64(f64::MIN_POSITIVE).to_f64() > 0.0;
    if is_double { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) }
}

/// All laws on one collection.
fn check<P: Points>(kernel: &dyn Mercer<P>, points: &P, laws: Laws) -> Result<(), Broken> {
    contract::verify(kernel, points)?;
    let n = points.len();
    let mut block = Mat::zeros(n, n);
    let tile = Tile::new(points, 0..n, points, 0..n);
    kernel.block(&tile, block.as_mut(), &mut Scratch::new());
    let bits = |i: usize, j: usize| block[(i, j)].to_f64().to_bits();
    for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
        if laws != Laws::Ordered && bits(i, j) != bits(j, i) {
            return Err(Broken::Asymmetric { i, j });
        }
    }
    if laws == Laws::Indefinite || n == 0 {
        return Ok(());
    }
    let gram = Mat::from_fn(n, n, |i, j| kernel.eval(points.item(i), points.item(j)).to_f64());
    // The relative error of a value, unless it is less than the smallest normal number.
    let rounding = tolerance::CONTRACT_PSD * P::Scalar::UNIT_ROUNDOFF;
    let root = |i: usize| (gram[(i, i)] + smallest_normal::<P::Scalar>()).sqrt();
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let (given, bound) = (gram[(i, j)].abs(), root(i) * root(j));
        // One error of the value, and a half each of the two of the bound. False for NaN.
        let holds = given <= bound * (1.0 + 2.0 * rounding);
        if !holds {
            return Err(Broken::Bound { i, j, given, bound });
        }
    }
    let (eigenvalues, _) = symmetric_eigen(gram.as_ref()).ok_or(Violation::NoEigenvalues)?;
    let (given, allowed) = (eigenvalues[0], -rounding * n as f64 * gram.norm_max());
    if given >= allowed { Ok(()) } else { Err(Broken::Eigenvalue { given, allowed }) }
}

fn line_of_numbers(kernel: impl Fn(f64, f64) -> f64 + Send + Sync) -> Result<(), Broken> {
    let points = vec![0.5, 1.0, 1.5, 2.0, 2.5];
    let kernel = AssumeMercer(FnKernel::new(move |x: &f64, y: &f64| kernel(*x, *y)));
    check(&kernel, &points, Laws::Mercer)
}

#[test]
fn a_broken_law_is_found() {
    line_of_numbers(f64::min).unwrap();
    let skew = line_of_numbers(|x, y| 2.0 * x + y);
    assert!(matches!(skew, Err(Broken::Contract(Violation::Asymmetric { .. }))));
    let steep = line_of_numbers(|x, y| if x.to_bits() == y.to_bits() { 1.0 } else { 1.0 + 1e-12 });
    assert!(matches!(steep, Err(Broken::Bound { i: 1, j: 0, .. })), "{steep:?}");
    let negative = line_of_numbers(|x, y| -x * y);
    assert!(matches!(negative, Err(Broken::Bound { .. })));
    // 1 and 0.9 next to the diagonal: the bound holds, but 1 − 2·0.9·cos(π/6) < 0.
    let banded = line_of_numbers(|x, y| [1.0, 0.9, 0.0][(2.0 * (x - y).abs()).min(2.0) as usize]);
    assert!(matches!(banded, Err(Broken::Eigenvalue { given, .. }) if given < -0.5), "{banded:?}");
    // tanh(xy − 1) at 0.
    let points = Samples::from_rows(&[[0.0], [1.0]]).unwrap();
    let sigmoid = AssumeMercer(Sigmoid::new(1.0, -1.0).unwrap());
    assert!(matches!(check(&sigmoid, &points, Laws::Mercer), Err(Broken::Bound { .. })));
    check(&sigmoid, &points, Laws::Indefinite).unwrap();
}

#[test]
fn draws_have_their_ranges() {
    let (low, high) = (Draw([0.0; 4]), Draw([1.0 - f64::EPSILON; 4]));
    assert_eq!((low.count(0, 1, 3), high.count(0, 1, 3)), (1, 3));
    assert!((low.rate(0, 3.0) - 1e-3).abs() < 1e-15 && (high.rate(0, 3.0) - 1e3).abs() < 1e-9);
}
