//! The distribution of landmarks, and the errors that theory promises for random pivots.
//!
//! Notation: G an n × n Gram matrix with eigenvalues Λ, d the diagonal of what is left of it.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::common::{FAILURE, bernstein, budget, eigenvalues, uniform};
use kern_approx::{Nystrom, NystromGram, Selection};
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples, Scalar};
use kern_gram::{DenseGram, MemoryBudget};
use std::collections::BTreeMap;

const PIVOTS: [Selection; 2] = [Selection::RandomPivots, Selection::RandomPivotsPlain];

fn gram_of(x: &Samples<f64>, gamma: f64) -> DenseGram<f64> {
    DenseGram::new(&Rbf::new(gamma).unwrap(), x, &budget()).unwrap()
}

/// Points of which two are close, so that proposals meet rejections, of unequal norms.
fn example(n: usize) -> DenseGram<f64> {
    let x = uniform::<f64>(n, 2, 1.0, 4);
    let scale = |i: usize| 0.5 + i as f64 / n as f64;
    let gram = gram_of(&x, 2.0).as_mat().to_owned();
    let kernel = kern_core::closure::AssumeMercer(kern_core::kernels::FnKernel::new(
        move |i: &usize, j: &usize| scale(*i) * scale(*j) * gram[(*i, *j)],
    ));
    DenseGram::new(&kernel, &(0..n).collect::<Vec<_>>(), &budget()).unwrap()
}

fn fit(gram: &DenseGram<f64>, k: usize, selection: Selection, seed: u64) -> NystromGram<f64> {
    let small = MemoryBudget::mebibytes(64);
    let nystrom = Nystrom::precomputed().landmarks(k).selection(selection).seed(seed);
    nystrom.fit_gram(gram, &small).unwrap()
}

/// G − K(·, S)·K(S, S)⁻¹·K(S, ·) by elimination, one pivot after the other.
fn residual(gram: &Mat<f64>, pivots: &[usize]) -> Mat<f64> {
    let mut left = gram.clone();
    for &p in pivots {
        let column = Mat::from_fn(left.nrows(), 1, |i, _| left[(i, p)]);
        let pivot = left[(p, p)];
        left -= &column * column.transpose() * kern_core::faer::Scale(1.0 / pivot);
    }
    left
}

/// The weights with which the next pivot is drawn after `pivots`: d.
fn left_on_diagonal(gram: &Mat<f64>, pivots: &[usize]) -> Vec<f64> {
    let left = residual(gram, pivots);
    let weight = |i: usize| if pivots.contains(&i) { 0.0 } else { left[(i, i)].max(0.0) };
    (0..gram.nrows()).map(weight).collect()
}

/// The weights of k-means++: squared distances, at first all the same.
fn distances(gram: &Mat<f64>, chosen: &[usize]) -> Vec<f64> {
    let distance = |i: usize, j: usize| gram[(i, i)] - 2.0 * gram[(i, j)] + gram[(j, j)];
    let nearest = |i: usize| {
        if chosen.contains(&i) {
            return 0.0;
        }
        chosen.iter().map(|&j| distance(i, j)).fold(f64::INFINITY, f64::min).min(1e3)
    };
    (0..gram.nrows()).map(nearest).collect()
}

/// The probability of every sequence of k draws, by enumeration.
fn enumerate(
    n: usize,
    k: usize,
    weights: &dyn Fn(&[usize]) -> Vec<f64>,
) -> BTreeMap<Vec<usize>, f64> {
    let mut sequences = BTreeMap::from([(Vec::new(), 1.0)]);
    for _ in 0..k {
        let mut longer = BTreeMap::new();
        for (sequence, probability) in sequences {
            let weights = weights(&sequence);
            let total: f64 = weights.iter().sum();
            for i in (0..n).filter(|&i| weights[i] > 0.0) {
                let next = [sequence.clone(), vec![i]].concat();
                longer.insert(next, probability * weights[i] / total);
            }
        }
        sequences = longer;
    }
    sequences
}

/// Pearson's test of counts against probabilities; rare sequences are one cell.
fn check_chi_squared(probabilities: &BTreeMap<Vec<usize>, f64>, draws: &[Vec<usize>], what: &str) {
    let mut counts: BTreeMap<&Vec<usize>, f64> = BTreeMap::new();
    draws.iter().for_each(|draw| *counts.entry(draw).or_default() += 1.0);
    assert!(draws.iter().all(|draw| probabilities.contains_key(draw)), "{what}");
    let (total, mut statistic, mut cells) = (draws.len() as f64, 0.0, 0.0);
    let mut rare = (0.0, 0.0);
    for (sequence, probability) in probabilities {
        let (expected, count) = (total * probability, counts.get(sequence).copied().unwrap_or(0.0));
        if expected < 20.0 {
            rare = (rare.0 + expected, rare.1 + count);
        } else {
            statistic += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rare.0 >= 20.0 {
        statistic += (rare.1 - rare.0).powi(2) / rare.0;
        cells += 1.0;
    }
    // Laurent & Massart (2000), lemma 1: P(χ² ≥ f + 2√(ft) + 2t) ≤ exp(−t).
    let (freedom, t) = (cells - 1.0, -FAILURE.ln());
    let limit = freedom + 2.0 * (freedom * t).sqrt() + 2.0 * t;
    assert!(
        freedom >= 20.0 && statistic <= limit,
        "{what}: {statistic} of {freedom}, at most {limit}"
    );
}

#[test]
fn pivots_have_the_distribution_of_the_plain_algorithm_in_blocks_too() {
    let (n, k) = (7, 3);
    let gram = example(n);
    let expected = enumerate(n, k, &|pivots| left_on_diagonal(&gram.as_mat().to_owned(), pivots));
    for selection in PIVOTS {
        let draw = |seed| fit(&gram, k, selection, seed).landmarks().to_vec();
        let draws: Vec<Vec<usize>> = (0..20_000).map(draw).collect();
        check_chi_squared(&expected, &draws, &format!("{selection:?}"));
    }
}

#[test]
fn seeds_of_k_means_have_the_distribution_of_squared_distances() {
    // Sets, since the factor orders the landmarks; four draws, so that one comes from a block of two.
    let (n, k) = (8, 4);
    let gram = example(n);
    let mut expected = BTreeMap::new();
    let sequences = enumerate(n, k, &|chosen| distances(&gram.as_mat().to_owned(), chosen));
    for (mut sequence, probability) in sequences {
        sequence.sort_unstable();
        *expected.entry(sequence).or_default() += probability;
    }
    let draw = |seed| {
        let mut landmarks = fit(&gram, k, Selection::KMeansPlusPlus, seed).landmarks().to_vec();
        landmarks.sort_unstable();
        landmarks
    };
    let draws: Vec<Vec<usize>> = (0..20_000).map(draw).collect();
    check_chi_squared(&expected, &draws, "k-means++");
}

/// The share of the trace that the landmarks with these indices leave, as the library reports it.
fn left_by(kernel: Rbf, x: &Samples<f64>, landmarks: &[usize]) -> f64 {
    let params = Nystrom::new(kernel);
    let map = params.fit_landmarks(x.select(landmarks).unwrap(), &budget()).unwrap();
    map.report(x).unwrap().trace_error
}

/// tr Φᵏ(Λ) with Φ(Λ) = Λ − Λ²/tr Λ.
fn contracted(spectrum: &[f64], k: usize) -> f64 {
    let mut values = spectrum.to_vec();
    for _ in 0..k {
        let trace: f64 = values.iter().sum();
        values.iter_mut().for_each(|v| *v -= *v * *v / trace);
    }
    values.iter().sum()
}

#[test]
fn what_pivots_leave_is_as_expected_over_all_sequences() {
    let (x, kernel) = (uniform::<f64>(7, 2, 1.0, 9), Rbf::new(2.0).unwrap());
    let g = gram_of(&x, 2.0).as_mat().to_owned();
    let (n, u) = (x.len(), <f64 as Scalar>::UNIT_ROUNDOFF);
    let spectrum: Vec<f64> = eigenvalues(&g).into_iter().rev().collect();
    for k in 1..=3 {
        let sequences = enumerate(n, k, &|pivots| left_on_diagonal(&g, pivots));
        let expected: f64 = sequences.iter().map(|(s, p)| p * left_by(kernel, &x, s)).sum();
        let best: f64 = spectrum[k..].iter().sum();
        assert!(expected >= best && expected <= contracted(&spectrum, k), "{k}: {expected}");
        assert!(expected <= 2.0_f64.powi(k as i32) * best, "{k}: {expected}, {best}");
        // The first step is an identity: tr G − ‖G‖²/tr G.
        let identity = n as f64 - g.squared_norm_l2() / n as f64;
        assert!(k > 1 || (expected - identity).abs() <= 100.0 * n as f64 * u, "{expected}");
    }
}

#[test]
fn what_landmarks_of_a_determinantal_process_leave_is_known() {
    // P(S) ∝ det G[S, S] for |S| = k; then E tr(G − G_nys) = (k + 1)·e_{k+1}(Λ)/e_k(Λ), elementary
    // symmetric polynomials of the eigenvalues, which are the sums of the principal minors.
    let (n, k) = (8, 3);
    let (x, kernel) = (uniform::<f64>(n, 2, 1.0, 3), Rbf::new(3.0).unwrap());
    let g = gram_of(&x, 3.0).as_mat().to_owned();
    let mut symmetric = [1.0, 0.0, 0.0, 0.0, 0.0];
    for value in eigenvalues(&g) {
        (1..symmetric.len()).rev().for_each(|j| symmetric[j] += value * symmetric[j - 1]);
    }
    let (mut total, mut left) = (0.0, 0.0);
    for subset in (0..1_usize << n).filter(|s| s.count_ones() as usize == k) {
        let landmarks: Vec<usize> = (0..n).filter(|i| subset >> i & 1 == 1).collect();
        let minor = Mat::from_fn(k, k, |i, j| g[(landmarks[i], landmarks[j])]).determinant();
        total += minor;
        left += minor * left_by(kernel, &x, &landmarks);
    }
    assert!((total / symmetric[k] - 1.0).abs() <= 1e-12);
    let expected = (k + 1) as f64 * symmetric[k + 1] / symmetric[k];
    assert!((left / total / expected - 1.0).abs() <= 1e-10, "{} for {expected}", left / total);
}

#[test]
fn one_pivot_leaves_the_expected_trace() {
    let (n, seeds) = (12, 4000);
    let gram = example(n);
    let g = gram.as_mat();
    let trace: f64 = (0..n).map(|i| g[(i, i)]).sum();
    let expected = trace - g.squared_norm_l2() / trace;
    // Pivot i leaves tr G − ‖g_i‖²/g_ii with probability g_ii/tr G.
    let left = |i: usize| trace - g.col(i).squared_norm_l2() / g[(i, i)];
    let variance: f64 = (0..n).map(|i| g[(i, i)] / trace * (left(i) - expected).powi(2)).sum();
    for selection in PIVOTS {
        let error = |seed| fit(&gram, 1, selection, seed).report().trace_error;
        let mean = (0..seeds).map(error).sum::<f64>() / seeds as f64;
        let tolerance = bernstein(variance, trace, seeds as usize, FAILURE);
        assert!((mean - expected).abs() <= tolerance, "{mean} for {expected} ± {tolerance}");
    }
}

/// The mean trace error over seeds, and how far it may be above its expectation.
fn mean_error(gram: &DenseGram<f64>, k: usize, selection: Selection, seeds: u64) -> (f64, f64) {
    let errors: Vec<f64> =
        (0..seeds).map(|seed| fit(gram, k, selection, seed).report().trace_error).collect();
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Maurer & Pontil (2009), theorem 4: Bernstein's bound with the variance of the sample. Errors
    // lie between zero and the trace.
    let trace: f64 = (0..gram.as_mat().nrows()).map(|i| gram.as_mat()[(i, i)]).sum();
    let l = (2.0 / FAILURE).ln();
    (mean, (2.0 * variance * l / count).sqrt() + 7.0 * trace * l / (3.0 * (count - 1.0)))
}

#[test]
fn k_pivots_leave_at_most_what_theory_promises() {
    let n = 40;
    let gram = gram_of(&uniform::<f64>(n, 2, 1.0, 9), 3.0);
    let spectrum: Vec<f64> =
        eigenvalues(&gram.as_mat().to_owned()).into_iter().rev().map(|v| v.max(0.0)).collect();
    for selection in PIVOTS {
        for k in [1, 2, 4, 8] {
            let (mean, tolerance) = mean_error(&gram, k, selection, 3000);
            // Chen, Epperly, Tropp & Webber (2024), lemma 5.3 (Φ) and its corollary for k = r.
            assert!(
                mean <= contracted(&spectrum, k) + tolerance,
                "{k}: {mean}, {}",
                contracted(&spectrum, k)
            );
            let best: f64 = spectrum[k..].iter().sum();
            assert!(mean <= 2.0_f64.powi(k as i32) * best + tolerance, "{k}: {mean}, {best}");
            assert!(mean >= best - tolerance, "{k}: {mean}, {best}");
        }
    }
}

#[test]
fn enough_pivots_are_nearly_as_good_as_the_best_rank() {
    let n = 60;
    let gram = gram_of(&uniform::<f64>(n, 1, 1.0, 2), 4.0);
    let spectrum = eigenvalues(&gram.as_mat().to_owned());
    for (r, epsilon) in [(1, 1.0), (2, 1.0), (2, 0.5), (3, 1.0)] {
        let tail: f64 = spectrum[..n - r].iter().sum();
        let eta = tail / n as f64;
        let logarithm = (1.0 / (epsilon * eta)).ln().max(0.0);
        // Theorem 1.2 of Chen, Epperly, Tropp & Webber (2024), with the first term of its minimum.
        let k = (r as f64 / epsilon + r as f64 * logarithm).ceil() as usize;
        let (mean, tolerance) = mean_error(&gram, k, Selection::RandomPivots, 3000);
        let promised = (1.0 + epsilon) * tail;
        assert!(k < n && mean <= promised + tolerance, "{r}, {k}: {mean}, {promised}");
    }
}

#[test]
fn a_factor_that_grows_leaves_the_residual_that_it_says() {
    let values = (0..600).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let x = kern_core::Samples::from_row_major(3, values).unwrap();
    let kernel = kern_core::kernels::Rbf::new(3.0).unwrap();
    let budget = kern_gram::MemoryBudget::mebibytes(4);
    let gram = kern_gram::DenseGram::new(&kernel, &x, &budget).unwrap();
    for ranks in [vec![5, 6, 40, 41], vec![41]] {
        let mut factor = kern_approx::PivotedCholesky::of_gram(&gram, 3).unwrap();
        for rank in ranks {
            assert!(factor.grow(rank).unwrap() && factor.grow(rank - 1).unwrap());
            assert_eq!((factor.rank(), factor.pivots().len()), (rank, rank));
        }
        let (residual, pivots) = (factor.residual().to_vec(), factor.pivots().to_vec());
        let rows = factor.into_factor();
        let row = |i: usize| &rows[i * 41..(i + 1) * 41];
        for (i, left) in residual.iter().enumerate() {
            let inner = |j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum::<f64>();
            assert!((gram.as_mat()[(i, i)] - inner(i) - left).abs() < 1e-13);
            // K and FFᵀ agree in the columns of the pivots.
            assert!(pivots.iter().all(|&j| (gram.as_mat()[(i, j)] - inner(j)).abs() < 1e-12));
        }
    }
}
