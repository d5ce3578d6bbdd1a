//! The theorem of Drineas and Mahoney: each inequality of its proof for each draw, its variance exactly, its statement,
//! and the rates of the Nyström approximation on matrices with known spectra.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common::{
    FAILURE, binomial_limit, budget, eigenvalues, empirical_bernstein, features, gram, slope,
    uniform,
};
use kern_approx::bounds::SampledColumns;
use kern_approx::{Error, Nystrom};
use kern_core::Samples;
use kern_core::faer::{Mat, Side};
use kern_core::kernels::{Linear, Polynomial, Rbf};
use kern_core::rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(crate) fn trace(g: &Mat<f64>) -> f64 {
    (0..g.nrows()).map(|i| g[(i, i)]).sum()
}

/// Two matrices: of equal and of very unequal diagonals.
fn grams() -> [Mat<f64>; 2] {
    let x = uniform::<f64>(24, 2, 2.0, 5);
    let polynomial = Polynomial::new(1.0, 0.2, 2).unwrap();
    [gram(&Rbf::new(0.6).unwrap(), &x, &x), gram(&polynomial, &x, &x)]
}

/// Columns with replacement, with probabilities proportional to the diagonal, and their weights 1/(c·p).
pub(crate) fn draw(g: &Mat<f64>, c: usize, rng: &mut ChaCha8Rng) -> Vec<(usize, f64)> {
    let total = trace(g);
    let one = |_| {
        let mut left = total * rng.random::<f64>();
        let chosen = (0..g.nrows()).find(|&i| {
            left -= g[(i, i)];
            left < 0.0
        });
        let i = chosen.unwrap_or(g.nrows() - 1);
        (i, total / (c as f64 * g[(i, i)]))
    };
    (0..c).map(one).collect()
}

/// ‖XXᵀ − X̂X̂ᵀ‖_F² by entries of G = XᵀX alone.
fn squared_product_error(g: &Mat<f64>, columns: &[(usize, f64)]) -> f64 {
    let mut sum = g.squared_norm_l2();
    for &(i, v) in columns {
        sum -= 2.0 * v * g.col(i).squared_norm_l2();
        sum += columns.iter().map(|&(j, w)| v * w * g[(i, j)].powi(2)).sum::<f64>();
    }
    sum
}

/// A function of A, on the eigenvectors of the k greatest eigenvalues: A itself, or its inverse.
pub(crate) fn truncated(a: &Mat<f64>, k: usize, of: impl Fn(f64) -> f64) -> Mat<f64> {
    let eigen = a.self_adjoint_eigen(Side::Lower).unwrap();
    let (u, values) = (eigen.U(), eigen.S().column_vector());
    let (n, largest) = (a.nrows(), values[a.nrows() - 1]);
    let kept = |j: usize| j + k >= n && values[j] > 1e-12 * largest;
    let scaled = |i: usize, j: usize| if kept(j) { u[(i, j)] * of(values[j]) } else { 0.0 };
    Mat::from_fn(n, n, scaled) * u.transpose()
}

/// G̃_k = C·W_k⁺·Cᵀ of the paper's algorithm.
pub(crate) fn approximation(g: &Mat<f64>, columns: &[(usize, f64)], k: usize) -> Mat<f64> {
    let c = columns.len();
    let root = |t: usize| columns[t].1.sqrt();
    let wide = Mat::from_fn(g.nrows(), c, |i, t| root(t) * g[(i, columns[t].0)]);
    let w = Mat::from_fn(c, c, |s, t| root(s) * root(t) * g[(columns[s].0, columns[t].0)]);
    &wide * truncated(&w, k, f64::recip) * wide.transpose()
}

pub(crate) fn spectral(a: &Mat<f64>) -> f64 {
    let values = eigenvalues(a);
    values[values.len() - 1].max(-values[0])
}

/// XXᵀ and X̂X̂ᵀ for X = Λ^{½}Uᵀ, where the first is Λ.
fn products(g: &Mat<f64>, columns: &[(usize, f64)]) -> (Mat<f64>, Mat<f64>) {
    let eigen = g.self_adjoint_eigen(Side::Lower).unwrap();
    let (u, values) = (eigen.U(), eigen.S().column_vector());
    let n = g.nrows();
    let x = |i: usize, j: usize| values[i].max(0.0).sqrt() * u[(j, i)];
    let drawn = Mat::from_fn(n, columns.len(), |i, t| columns[t].1.sqrt() * x(i, columns[t].0));
    let whole = Mat::from_fn(n, n, |i, j| if i == j { values[i].max(0.0) } else { 0.0 });
    (whole, &drawn * drawn.transpose())
}

#[test]
fn the_variance_of_sampled_products_is_exact() {
    let (c, draws) = (4, 100_000);
    for g in grams() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let squares: Vec<f64> =
            (0..draws).map(|_| squared_product_error(&g, &draw(&g, c, &mut rng))).collect();
        let (total, norm) = (trace(&g), g.norm_l2());
        // ‖XXᵀ − X̂X̂ᵀ‖_F ≤ ‖G‖_F + T.
        let (mean, allowed) = empirical_bernstein(&squares, (norm + total).powi(2), FAILURE);
        let exact = SampledColumns::product_error(c, total, norm).unwrap().powi(2);
        assert!((mean - exact).abs() <= allowed, "{mean} for {exact}, allowed {allowed}");
        assert!(allowed < 0.1 * exact, "the test is too weak: {allowed} for {exact}");
    }
}

/// The links from ‖XXᵀ − X̂X̂ᵀ‖ to the theorem hold for every draw, not on average.
#[test]
fn every_link_of_the_proof_holds_for_every_draw() {
    for g in grams() {
        let (total, values) = (trace(&g), eigenvalues(&g));
        let slack = 1e-10 * total;
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (k, c) in [(1, 3), (1, 40), (3, 8), (3, 100), (6, 30)] {
            let best = &g - truncated(&g, k, |v| v);
            for _ in 0..20 {
                let columns = draw(&g, c, &mut rng);
                let (b, drawn) = products(&g, &columns);
                let difference = &b - &drawn;
                let by_entries = squared_product_error(&g, &columns).max(0.0).sqrt();
                assert!((difference.norm_l2() - by_entries).abs() < 1e-6 * total);
                let error = &g - approximation(&g, &columns, k);
                let allowed = values[values.len() - 1 - k] + 2.0 * spectral(&difference);
                assert!(spectral(&error) <= allowed + slack, "spectral, {k} of {c}");
                let squares = (&b * &b - &drawn * &drawn).norm_l2();
                let allowed = best.squared_norm_l2() + 4.0 * (k as f64).sqrt() * squares;
                assert!(error.squared_norm_l2() <= allowed + slack * total, "{k} of {c}");
                assert!(squares <= 2.0 * total * difference.norm_l2() + slack * total);
            }
        }
    }
}

#[test]
fn the_theorem_holds_in_both_norms() {
    let draws = 300;
    for g in grams() {
        let (total, values) = (trace(&g), eigenvalues(&g));
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (k, c) in [(1, 5), (2, 60), (4, 20)] {
            let best = (&g - truncated(&g, k, |v| v)).norm_l2();
            let mut excess = [Vec::new(), Vec::new()];
            for _ in 0..draws {
                let error = &g - approximation(&g, &draw(&g, c, &mut rng), k);
                excess[0].push(error.norm_l2() - best);
                excess[1].push(spectral(&error) - values[values.len() - 1 - k]);
            }
            let bounds = [SampledColumns::frobenius(k).unwrap(), SampledColumns::spectral()];
            for (excess, bound) in excess.iter().zip(bounds) {
                // All lie in [0, ‖G‖_F].
                let (mean, allowed) = empirical_bernstein(excess, g.norm_l2(), FAILURE);
                assert!(mean - allowed <= bound.expected_error(c).unwrap() * total, "{k}, {c}");
                for failure in [0.5, 0.05] {
                    let most = bound.error(c, failure).unwrap() * total;
                    let count = excess.iter().filter(|&&e| e > most).count();
                    assert!(count <= binomial_limit(draws, failure, FAILURE), "{k}, {c}: {count}");
                }
            }
        }
    }
}

/// As it is printed, with ε·ΣG_ii², the theorem is false for a Gram matrix that is small: its 64k/ε⁴ columns have an
/// error of the order of the matrix, and the square of the diagonal is smaller. In units of the trace it holds.
#[test]
fn the_theorem_as_it_is_printed_is_refuted_by_scale() {
    let small = 1e-6;
    let [unit, _] = grams();
    let g = Mat::from_fn(unit.nrows(), unit.ncols(), |i, j| small * unit[(i, j)]);
    let (k, epsilon) = (1, 1.0);
    let bound = SampledColumns::frobenius(k).unwrap();
    let c = bound.expected_columns(epsilon).unwrap();
    assert_eq!(c, 64);
    let best = (&g - truncated(&g, k, |v| v)).norm_l2();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let excess = |_| (&g - approximation(&g, &draw(&g, c, &mut rng), k)).norm_l2() - best;
    let mean = (0..200).map(excess).sum::<f64>() / 200.0;
    let printed: f64 = (0..g.nrows()).map(|i| g[(i, i)].powi(2)).sum();
    assert!(mean > 100.0 * epsilon * printed, "{mean}, {printed}");
    assert!(mean <= epsilon * trace(&g));
}

/// Uniform landmarks without replacement, no bound on the rank: nearer to G than the theorem's approximations.
#[test]
fn nystrom_features_keep_the_bound_for_every_rank() {
    let (n, c) = (40, 12);
    let kernel = Rbf::new(2.0).unwrap();
    let x = uniform::<f64>(n, 2, 2.0, 6);
    let g = gram(&kernel, &x, &x);
    let norm = |seed| {
        let map = Nystrom::new(kernel).landmarks(c).seed(seed).fit(&x, &budget()).unwrap();
        let z = features(&map, &x);
        (&g - z.transpose() * &z).norm_l2()
    };
    let norms: Vec<f64> = (0..200).map(norm).collect();
    let (mean, allowed) = empirical_bernstein(&norms, g.norm_l2(), FAILURE);
    for k in 1..=c {
        let bound = SampledColumns::frobenius(k).unwrap().expected_error(c).unwrap();
        let best = (&g - truncated(&g, k, |v| v)).norm_l2();
        assert!(mean - allowed <= best + bound * trace(&g), "{k}");
    }
}

/// Points whose Gram matrix of the linear kernel has these eigenvalues, and a constant diagonal: rows of a Hadamard
/// matrix, scaled.
fn with_spectrum(values: &[f64]) -> Samples<f64> {
    let n = values.len();
    let sign = |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    let row = |i: usize| values.iter().enumerate().map(move |(j, v)| sign(i, j) * v.sqrt());
    let coordinates = (0..n).flat_map(row).map(|v| v / (n as f64).sqrt()).collect();
    Samples::from_row_major(n, coordinates).unwrap()
}

/// The slope of ln E‖G − G_nys‖₂ over ln c, and the greatest relative spread of a mean.
fn rate(values: &[f64], columns: [usize; 3]) -> (f64, f64) {
    const SEEDS: u64 = 24;
    let x = with_spectrum(values);
    let g = gram(&Linear, &x, &x);
    let (mut points, mut largest) = (Vec::new(), 0.0_f64);
    for c in columns {
        let norm = |seed| {
            let map = Nystrom::new(Linear).landmarks(c).seed(seed).fit(&x, &budget()).unwrap();
            let z = features(&map, &x);
            spectral(&(&g - z.transpose() * &z))
        };
        let norms: Vec<f64> = (0..SEEDS).map(norm).collect();
        let mean = norms.iter().sum::<f64>() / norms.len() as f64;
        let variance = norms.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / norms.len() as f64;
        largest = largest.max((variance / norms.len() as f64).sqrt() / mean);
        points.push(((c as f64).ln(), mean.ln()));
    }
    (slope(&points), largest)
}

/// Yang, Li, Mahdavi, Jin & Zhou (2012): O(1/c) where the eigengap is large, and O(1/√c) in general, which eigenvalues
/// i^{−½} need, because the best approximation of rank c has no smaller error.
///
/// Independent means with a relative spread s give slopes over ln 4 in three steps a spread of 1.02·s; the bands are
/// wider than five of them.
#[test]
fn rates_are_those_of_the_eigengap() {
    let n = 256;
    let gap: Vec<f64> = (0..n).map(|i| if i < 2 { 100.0 } else { 1e-3 }).collect();
    let (slope, spread) = rate(&gap, [32, 64, 128]);
    assert!((slope + 1.07).abs() < 0.2 && 5.0 * 1.02 * spread < 0.2, "{slope} ± {spread}");
    let slow: Vec<f64> = (1..=n).map(|i| f64::from(i).powf(-0.5)).collect();
    let (slope, spread) = rate(&slow, [16, 32, 64]);
    assert!((slope + 0.47).abs() < 0.15 && 5.0 * 1.02 * spread < 0.15, "{slope} ± {spread}");
}

#[test]
fn columns_and_errors_are_inverse_and_have_the_constants_of_the_theorem() {
    // mpmath, 30 digits: `eta = 1 + sqrt(8*log(mpf(100)))`, `64*5*eta**2/mpf('0.1')**4`, `sqrt(4*eta**2/1000)`,
    // `root(mpf(320)/1000, 4)`.
    let five = SampledColumns::frobenius(5).unwrap();
    assert_eq!(five.columns(0.1, 0.01).unwrap(), 159_938_492);
    let spectral = SampledColumns::spectral();
    assert!((spectral.error(1000, 0.01).unwrap() - 0.447_127_626_178_414_1).abs() < 1e-15);
    assert!((five.expected_error(1000).unwrap() - 0.752_120_618_617_278_7).abs() < 1e-15);
    for bound in [five, spectral] {
        for epsilon in [0.9, 0.3, 0.05] {
            for failure in [1.0, 0.2, 1e-9] {
                let c = bound.columns(epsilon, failure).unwrap();
                assert!(bound.error(c, failure).unwrap() <= epsilon * (1.0 + 1e-12));
                assert!(bound.error(c - 1, failure).unwrap() > epsilon * (1.0 - 1e-12));
            }
            let c = bound.expected_columns(epsilon).unwrap();
            assert!(bound.expected_error(c).unwrap() <= epsilon * (1.0 + 1e-12));
            assert_eq!(c, bound.columns(epsilon, 1.0).unwrap());
        }
    }
    for bad in [0.0, -1.0, f64::NAN, 1.5] {
        assert!(matches!(spectral.error(10, bad), Err(Error::Core(_))));
        assert!(matches!(spectral.columns(0.1, bad), Err(Error::Core(_))));
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(spectral.expected_columns(bad), Err(Error::Core(_))));
        assert!(matches!(SampledColumns::product_error(1, bad, 1.0), Err(Error::Core(_))));
        assert!(matches!(SampledColumns::product_error(1, 1.0, bad), Err(Error::Core(_))));
    }
    assert!(matches!(spectral.expected_columns(1e-9), Err(Error::TooManyColumns { .. })));
    assert!(matches!(spectral.expected_columns(1e-200), Err(Error::TooManyColumns { .. })));
    assert!(matches!(spectral.expected_error(0), Err(Error::Zero { .. })));
    assert!(matches!(SampledColumns::product_error(0, 1.0, 1.0), Err(Error::Zero { .. })));
    assert!(matches!(SampledColumns::frobenius(0), Err(Error::Zero { .. })));
}
