//! Trace errors of landmarks: for every draw no less than the best of their number, and on average no more than
//! the theory of their choice says.

use super::{Law, hold};
use crate::columns::trace;
use crate::common::{FAILURE, budget, eigenvalues, empirical_bernstein, gram, uniform};
use kern_approx::{Nystrom, Selection};
use kern_core::faer::Mat;
use kern_core::kernels::{ChiSquared, Laplacian, Matern52, Polynomial, Rbf};
use kern_core::{Mercer, Samples};
use std::ops::Range;

const N: usize = 40;
const LANDMARKS: [usize; 3] = [3, 8, 20];

#[test]
fn landmarks_leave_what_they_must_and_no_more_than_promised() {
    hold(&[
        Law {
            of: "NystromMap",
            states: "uniform landmarks leave at least the tail of the spectrum, on average what two leave or less",
            seeds: 0..300,
            assertions: 12,
            check: |seeds| check(Selection::Uniform, seeds, pairs),
        },
        Law {
            of: "NystromMap",
            states: "random pivots leave at least the tail of the spectrum, on average tr Φᵏ(Λ) or less",
            seeds: 0..300,
            assertions: 12,
            check: |seeds| check(Selection::RandomPivots, seeds, contracted),
        },
        Law {
            of: "NystromMap",
            states: "the same one at a time",
            seeds: 0..300,
            assertions: 12,
            check: |seeds| check(Selection::RandomPivotsPlain, seeds, contracted),
        },
        Law {
            of: "NystromMap",
            states: "seeds of k-means leave at least the tail of the spectrum, on average Arthur & Vassilvitskii's bound or less",
            seeds: 0..300,
            assertions: 12,
            check: |seeds| check(Selection::KMeansPlusPlus, seeds, clusters),
        },
        Law {
            of: "NystromMap",
            states: "landmarks by the diagonal leave at least the tail of the spectrum",
            seeds: 0..100,
            assertions: 0,
            check: |seeds| check_each(Selection::Diagonal, seeds),
        },
        Law {
            of: "NystromMap",
            states: "landmarks by leverage leave at least the tail of the spectrum",
            seeds: 0..100,
            assertions: 0,
            check: |seeds| check_each(Selection::LeverageScores, seeds),
        },
    ]);
}

type Boxed = Box<dyn Mercer<Samples<f64>>>;

fn kernels() -> [Boxed; 4] {
    [
        Box::new(Rbf::new(3.0).unwrap()),
        Box::new(Laplacian::new(1.0).unwrap()),
        Box::new(0.5 * ChiSquared + Matern52::new(0.5).unwrap()),
        Box::new(Polynomial::new(1.0, 0.3, 3).unwrap()),
    ]
}

/// The traces that `count` landmarks leave, none of which is below the best.
fn left(
    kernel: &Boxed,
    x: &Samples<f64>,
    (selection, count): (Selection, usize),
    seeds: Range<u64>,
) -> Vec<f64> {
    let g = gram(kernel, x, x);
    let best: f64 = eigenvalues(&g)[..N - count].iter().sum();
    // Twice the largest difference that was seen, on a processor without AVX-512.
    let rounding = 256.0 * N as f64 * f64::EPSILON * trace(&g);
    let one = |seed| {
        let params = Nystrom::new(kernel).landmarks(count).selection(selection).seed(seed);
        let left = params.fit(x, &budget()).unwrap().trace_error(x).unwrap() * trace(&g);
        assert!(left >= best - rounding, "{selection:?}, {count}, {seed}: {left} below {best}");
        left
    };
    seeds.map(one).collect()
}

fn check(selection: Selection, seeds: Range<u64>, promised: fn(&Mat<f64>, usize) -> f64) -> usize {
    let x = uniform::<f64>(N, 2, 1.0, 9);
    let mut assertions = 0;
    for kernel in &kernels() {
        let g = gram(kernel, &x, &x);
        for count in LANDMARKS {
            let left = left(kernel, &x, (selection, count), seeds.clone());
            let (mean, allowed) = empirical_bernstein(&left, trace(&g), FAILURE);
            let most = promised(&g, count);
            assert!(mean <= most + allowed, "{selection:?}, {count}: {mean} above {most}");
            assertions += 1;
        }
    }
    assertions
}

fn check_each(selection: Selection, seeds: Range<u64>) -> usize {
    let x = uniform::<f64>(N, 2, 1.0, 9);
    for kernel in &kernels() {
        for count in LANDMARKS {
            left(kernel, &x, (selection, count), seeds.clone());
        }
    }
    0
}

/// (n − m)/(n − 2) times the mean of what all pairs of landmarks leave: what m landmarks leave of one more point, of
/// which all n − m are alike, does not grow with m.
fn pairs(g: &Mat<f64>, count: usize) -> f64 {
    let mut sum = 0.0;
    for (i, j) in (0..N).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let (a, b, c) = (g[(i, i)], g[(j, j)], g[(i, j)]);
        let explained = |k: usize| {
            let (p, q) = (g[(i, k)], g[(j, k)]);
            (b * p * p - 2.0 * c * p * q + a * q * q) / (a * b - c * c)
        };
        sum += trace(g) - (0..N).map(explained).sum::<f64>();
    }
    let mean = sum / (N * (N - 1) / 2) as f64;
    mean * (N - count) as f64 / (N - 2) as f64
}

/// tr Φᵏ(Λ) with Φ(Λ) = Λ − Λ²/tr Λ (Chen, Epperly, Tropp & Webber 2024, lemma 5.3).
fn contracted(g: &Mat<f64>, count: usize) -> f64 {
    let mut values: Vec<f64> = eigenvalues(g).into_iter().map(|v| v.max(0.0)).collect();
    for _ in 0..count {
        let total: f64 = values.iter().sum();
        values.iter_mut().for_each(|v| *v -= *v * *v / total);
    }
    values.iter().sum()
}

/// 8(ln m + 2) times the sum of squared distances in feature space from the means of m clusters, of any m clusters; the
/// points are on average no nearer to the nearest seed, and no nearer to their span than to that.
fn clusters(g: &Mat<f64>, count: usize) -> f64 {
    let members = |of: usize| (0..N).filter(move |i| i % count == of);
    let scatter = |of: usize| {
        let size = members(of).count() as f64;
        let all: f64 = members(of).flat_map(|i| members(of).map(move |j| g[(i, j)])).sum();
        members(of).map(|i| g[(i, i)]).sum::<f64>() - all / size
    };
    8.0 * ((count as f64).ln() + 2.0) * (0..count).map(scatter).sum::<f64>()
}
