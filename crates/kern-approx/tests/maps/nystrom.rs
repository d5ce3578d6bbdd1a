//! Nyström features of dense samples: order, exactness, optimality, certificate.
//!
//! Notation: G the Gram matrix of n points, G_nys = ZᵀZ its approximation.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common;
use crate::common::{budget, eigenvalues, features, for_threads, gram, uniform};
use kern_approx::{Nystrom, NystromMap, tolerance, transform};
use kern_core::faer::{Mat, Scale};
use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf};
use kern_core::{Kernel, Mercer, Points, Samples, Scalar};
use proptest::prelude::*;

const U: f64 = <f64 as Scalar>::UNIT_ROUNDOFF;

/// Rounding that the order of matrices may show, in units of n·u·λ_max(G).
const ORDER: f64 = 16.0;

/// The order on points that are not landmarks, relative to G.
///
/// If the landmarks' Gram matrix A is known up to E, ‖E‖ ≤ ε, and V spans the eigenvectors kept
/// above a cut c, then B = Vᵀ(A + E)V ⪰ (1 − ε/(c − ε))·VᵀAV, and the projection with VᵀAV lies
/// below G; hence G_nys ⪯ (1 + ε/(c − 2ε))·G. The cut is the worst case of random rounding; the
/// usual case is an eighth of it or less.
const ORDER_NEW: f64 = 0.125;

fn fit<K: Mercer<Samples<f64>>>(
    kernel: K,
    m: usize,
    x: &Samples<f64>,
) -> NystromMap<Samples<f64>, K> {
    Nystrom::new(kernel).landmarks(m).seed(3).fit(x, &budget()).unwrap()
}

fn approximation<P: Points, K: Kernel<P>>(map: &NystromMap<P, K>, x: &P) -> Mat<f64> {
    let z = features(map, x);
    z.transpose() * &z
}

fn trace(a: &Mat<f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// Points with as many repetitions as a coarse grid makes.
fn gridded(n: usize, d: usize, cells: f64, seed: u64) -> Samples<f64> {
    let x = uniform::<f64>(n, d, cells, seed);
    Samples::from_row_major(d, x.as_slice().iter().map(|v| v.floor() / cells).collect()).unwrap()
}

fn check_order<K: Mercer<Samples<f64>> + Clone>(kernel: K, m: usize, x: &Samples<f64>) {
    let map = fit(kernel.clone(), m, x);
    let (g, low) = (gram(&kernel, x, x), approximation(&map, x));
    let spectrum = eigenvalues(&g);
    let (n, largest) = (x.len(), spectrum[x.len() - 1]);
    let allowed = ORDER * n as f64 * U * largest;
    assert!(eigenvalues(&low)[0] >= -allowed, "0 ⪯ G_nys");
    let residual = &g - &low;
    let slack = if m == n { 0.0 } else { ORDER_NEW };
    let smallest = eigenvalues(&(Scale(1.0 + slack) * &g - &low))[0];
    assert!(smallest >= -allowed, "G_nys ⪯ G: {smallest}, allowed {}", -allowed);

    // No rank-D matrix is nearer, in either norm, than the best one.
    let tail = &spectrum[..n - map.rank()];
    assert!(trace(&residual) >= tail.iter().sum::<f64>() - allowed * n as f64);
    let best = tail.iter().map(|v| v * v).sum::<f64>().sqrt();
    assert!(residual.norm_l2() >= best - allowed * n as f64);

    let reported = map.trace_error(x).unwrap();
    let brute = trace(&residual) / trace(&g);
    assert!((reported - brute).abs() <= 16.0 * n as f64 * U, "{reported} for {brute}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_approximation_lies_between_zero_and_the_gram_matrix(
        n in 1_usize..70, d in 1_usize..5, part in 0.0..1.0_f64, gamma in 0.05..50.0_f64,
        cells in 2.0..1e6_f64, seed in 0_u64..1000,
    ) {
        let x = gridded(n, d, cells, seed);
        let m = 1 + (part * (n - 1) as f64) as usize;
        check_order(Rbf::new(gamma).unwrap(), m, &x);
        check_order(Laplacian::new(gamma).unwrap(), m, &x);
        check_order(Polynomial::new(1.0, 1.0, 3).unwrap() + Rbf::new(gamma).unwrap(), m, &x);
    }

    #[test]
    fn exact_on_the_rows_of_landmarks(
        n in 2_usize..70, part in 0.0..1.0_f64, gamma in 0.05..50.0_f64, seed in 0_u64..1000,
    ) {
        let (x, kernel) = (uniform::<f64>(n, 2, 1.0, seed), Rbf::new(gamma).unwrap());
        let m = 1 + (part * (n - 1) as f64) as usize;
        let map = fit(kernel, m, &x);
        let rows = features(&map, map.landmarks()).transpose() * features(&map, &x);
        let error = (rows - gram(&kernel, map.landmarks(), &x)).norm_max();
        // What the cut may remove from an entry (see tolerance.rs), and rounding.
        let cut = tolerance::eigenvalue_cut(m, U) * map.eigenvalues()[0];
        prop_assert!(error <= cut.sqrt() + 64.0 * cut, "{error}, cut {cut}");
        let inner = approximation(&map, map.landmarks());
        let error = (inner - gram(&kernel, map.landmarks(), map.landmarks())).norm_max();
        prop_assert!(error <= 64.0 * cut, "{error}, cut {cut}");
    }

    #[test]
    fn the_rank_that_is_asked_for_is_the_best_of_its_rank(
        n in 2_usize..60, k in 1_usize..60, seed in 0_u64..1000,
    ) {
        let (x, kernel) = (uniform::<f64>(n, 2, 1.0, seed), Rbf::new(3.0).unwrap());
        let k = k.min(n);
        let map = Nystrom::new(kernel).landmarks(n).rank(k).fit(&x, &budget()).unwrap();
        prop_assert!(map.rank() <= k);
        let spectrum = eigenvalues(&gram(&kernel, &x, &x));
        let tail = spectrum[..n - map.rank()].iter().sum::<f64>() / n as f64;
        prop_assert!((map.trace_error(&x).unwrap() - tail).abs() <= 16.0 * n as f64 * U);
    }

    #[test]
    fn exact_when_landmarks_span_everything(
        n in 6_usize..60, d in 1_usize..5, seed in 0_u64..1000,
    ) {
        let x = uniform::<f64>(n, d, 1.0, seed);
        let map = fit(Linear, d + 1, &x);
        prop_assert_eq!(map.rank(), d);
        let g = gram(&Linear, &x, &x);
        // New points are reached through the inverse, so that its condition multiplies rounding.
        let allowed = 64.0 * d as f64 * U * g.norm_max() * map.condition();
        prop_assert!((approximation(&map, &x) - g).norm_max() <= allowed);
    }
}

#[test]
fn all_points_as_landmarks_are_an_exact_finite_feature_map() {
    // The learning problem on which all ways of SGD have to agree to 1e-8.
    let kernel = Rbf::new(100.0).unwrap();
    for seed in 0..3 {
        let x = uniform::<f64>(1024, 2, 1.0, 2 * seed);
        let y = uniform::<f64>(1024, 2, 1.0, 2 * seed + 1);
        let map = Nystrom::new(kernel).landmarks(1024).fit(&x, &budget()).unwrap();
        let (zx, zy) = (features(&map, &x), features(&map, &y));
        let train = (zx.transpose() * &zx - gram(&kernel, &x, &x)).norm_max();
        let test = (zy.transpose() * &zx - gram(&kernel, &y, &x)).norm_max();
        println!("seed {seed}: rank {}, train {train:e}, test {test:e}", map.rank());
        assert!(train <= 1e-11, "{train}");
        assert!(test <= 1e-8, "{test}");
    }
}

#[test]
fn repeated_points_change_nothing() {
    let (x, kernel) = (uniform::<f64>(40, 3, 1.0, 5), Laplacian::new(1.0).unwrap());
    let fit = |times: usize| {
        let indices: Vec<usize> = (0..40 * times).map(|i| i % 40).collect();
        let repeated = x.select(&indices).unwrap();
        Nystrom::new(kernel).fit_landmarks(repeated, &budget()).unwrap()
    };
    let g = gram(&kernel, &x, &x);
    for times in 1..=3 {
        let map = fit(times);
        assert_eq!(map.rank(), 40, "{times} times");
        let error = (approximation(&map, &x) - &g).norm_max();
        assert!(error <= 64.0 * 120.0 * U * map.eigenvalues()[0], "{times} times: {error}");
        assert!(map.condition() < 1e6);
    }
}

#[test]
fn more_landmarks_of_one_seed_are_never_worse() {
    let x = uniform::<f64>(300, 3, 1.0, 1);
    let mut last = 1.0;
    for m in [1, 2, 5, 20, 80, 200, 300] {
        let map = fit(Rbf::new(2.0).unwrap(), m, &x);
        let error = map.trace_error(&x).unwrap();
        assert!(error <= last + 300.0 * U, "{m} landmarks: {error} after {last}");
        last = error;
    }
    let most = fit(Rbf::new(2.0).unwrap(), 300, &x).eigenvalues()[0];
    assert!(last.abs() <= tolerance::eigenvalue_cut(300, U) * most);
}

#[test]
fn landmarks_are_drawn_uniformly_without_replacement() {
    let n = 10;
    let x = Samples::from_row_major(1, (0..n).map(f64::from).collect()).unwrap();
    let (mut counts, draws) = (vec![0_usize; n as usize], 2000);
    for seed in 0..draws {
        let map = Nystrom::new(Rbf::new(9.0).unwrap()).landmarks(3).seed(seed);
        let map = map.fit(&x, &budget()).unwrap();
        let mut drawn: Vec<usize> =
            map.landmarks().as_slice().iter().map(|v| *v as usize).collect();
        drawn.iter().for_each(|&i| counts[i] += 1);
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 3);
    }
    // Each index is drawn with probability 3/10; two sides, ten indices.
    let failure = common::FAILURE / 20.0;
    let most = common::binomial_limit(draws as usize, 0.3, failure);
    let smallest = draws as usize - common::binomial_limit(draws as usize, 0.7, failure);
    assert!(
        counts.iter().all(|c| (smallest..=most).contains(c)),
        "{counts:?}: {smallest}..={most}"
    );
}

#[test]
fn single_precision_is_as_good_as_its_round_off() {
    let kernel = Rbf::new(1.0).unwrap();
    let x = uniform::<f32>(200, 2, 1.0, 6);
    let map = Nystrom::new(kernel).landmarks(60).fit(&x, &budget()).unwrap();
    let u = <f32 as Scalar>::UNIT_ROUNDOFF;
    let g = gram(&kernel, &x, &x);
    let largest = eigenvalues(&g)[199];
    let residual = &g - approximation(&map, &x);
    let allowed = ORDER * 200.0 * u * largest;
    assert!(eigenvalues(&residual)[0] >= -allowed);
    assert!(residual.norm_max() <= allowed, "{}", residual.norm_max());
    let error = map.trace_error(&x).unwrap();
    assert!((error - trace(&residual) / 200.0).abs() <= 16.0 * 60.0 * u, "{error}");
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let x = uniform::<f64>(700, 4, 1.0, 1);
    let results = for_threads(|| {
        let map = fit(Rbf::new(1.0).unwrap(), 300, &x);
        let z = transform(&map, &x, &budget()).unwrap();
        let error = map.trace_error(&x).unwrap().to_bits();
        (map, z, error)
    });
    assert!(results.iter().all(|r| r == &results[0]));
}

#[test]
fn features_do_not_depend_on_the_collection() {
    let x = uniform::<f64>(300, 3, 1.0, 1);
    let map = fit(Rbf::new(1.0).unwrap(), 50, &x);
    let all = features(&map, &x);
    let some = features(&map, &x.select(&[250, 3, 299]).unwrap());
    for (b, j) in [250, 3, 299].into_iter().enumerate() {
        let difference = (some.subcols(b, 1) - all.subcols(j, 1)).norm_max();
        // Rounding of kernel values, enlarged by 1/√λ_D.
        let allowed = 64.0 * 50.0 * U / map.eigenvalues()[map.rank() - 1].sqrt();
        assert!(difference <= allowed, "{difference}, allowed {allowed}");
    }
}

#[test]
fn value_stability() {
    let x = uniform::<f64>(50, 2, 1.0, 1);
    let map =
        Nystrom::new(Rbf::new(1.0).unwrap()).landmarks(3).seed(42).fit(&x, &budget()).unwrap();
    let drawn: Vec<usize> = (0..3)
        .map(|i| (0..50).position(|j| x.item(j) == map.landmarks().item(i)).unwrap())
        .collect();
    assert_eq!(drawn, [11, 34, 9]);
}
