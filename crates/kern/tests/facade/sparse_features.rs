//! Exact sparse features on real texts, DNA and molecules: rows whose products are kernel values, and machines on them.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::ptr_arg, reason = "a collection of points is a vector, not a slice")]

use crate::real::claim;
use crate::support;
use kern::closure::Normalized;
use kern::kernels::{
    BagOfWords, Delta, Linear, NormalizedBagOfWords, NormalizedSetIntersection, ShortestPath,
    Spectrum, WeisfeilerLehman, WordCount, words,
};
use kern::prelude::*;
use kern::{SparseExplicit, SparseMap, SparseSamples, SparseTransform};
use std::collections::BTreeSet;

/// Asserts that no product of rows differs from the kernel's value by more than 1e-12 of 1 + |K|: the vocabulary is that of the first
/// two thirds, and the products are of all points with some of these.
fn assert_exact<P, K>(set: &str, kernel: &K, points: &P)
where
    P: Points<Scalar = f64>,
    K: SparseExplicit<P> + Clone + std::fmt::Display,
{
    let known: Vec<usize> = (0..2 * points.len() / 3).collect();
    let training = points.select(&known).unwrap();
    let map = SparseMap::learn(kernel.clone(), &training).unwrap();
    let (rows, others) = (map.rows(&training).unwrap(), map.rows(points).unwrap());
    let mut greatest = 0.0_f64;
    for i in (0..training.len()).step_by(training.len() / 40) {
        for j in (0..points.len()).step_by(1 + points.len() / 700) {
            let expected = kernel.eval(training.item(i), points.item(j));
            let found: f64 =
                Kernel::<SparseSamples<f64>>::eval(&Linear, rows.item(i), others.item(j));
            greatest = greatest.max((found - expected).abs() / (1.0 + expected.abs()));
        }
    }
    let what = format!("products of sparse rows are values of {kernel} to 1e-12");
    let measured = format!("{greatest:.1e}, {} features", rows.dim());
    claim(greatest <= 1e-12, set, what, measured);
}

#[test]
fn products_of_rows_are_kernel_values() {
    macro_rules! exact {
        ($set:literal, $points:expr; $($kernel:expr),* $(,)?) => {$(
            assert_exact($set, &$kernel, $points);
        )*};
    }
    if let Some((_, messages)) = support::corpus("sms_spam") {
        exact!(
            "sms_spam", &messages;
            WordCount,
            BagOfWords,
            NormalizedBagOfWords,
            Normalized::new(WordCount),
            Normalized::new(Spectrum::blended(3).unwrap()),
            Delta,
        );
        let sets: Vec<BTreeSet<String>> =
            messages.iter().map(|text| words(text).collect()).collect();
        exact!("sms_spam", &sets; NormalizedSetIntersection);
    }
    if let Some((_, sequences)) = support::corpus("splice_dna") {
        exact!("splice_dna", &sequences; Spectrum::new(8).unwrap(), Normalized::new(Spectrum::blended(5).unwrap()));
    }
    if let Some((graphs, _)) = support::mutag() {
        exact!(
            "mutag", &graphs;
            WeisfeilerLehman::new(4).unwrap(),
            Normalized::new(WeisfeilerLehman::new(3).unwrap()),
            ShortestPath,
        );
    }
}

/// A machine on sparse rows has the optimum of the one on the kernel, which shares no code with it but the certificate.
#[test]
fn machines_on_rows_are_those_on_the_kernel() {
    let Some((labels, messages)) = support::corpus("sms_spam") else { return };
    let (training, test) = (messages[..1500].to_vec(), messages[1500..].to_vec());
    let kernel = Normalized::new(WordCount);
    let map = SparseMap::learn(kernel, &training).unwrap();
    let sparse = Svc::on_sparse(map).c(10.0).violation(1e-5);
    let sparse = sparse.fit(&training, &labels[..1500]).unwrap();
    let exact = Svc::on_kernel(kernel).c(10.0).violation(1e-5);
    let exact = exact.fit(&training, &labels[..1500]).unwrap();
    let (objective, expected) = (sparse.report().objective, exact.report().objective);
    // Each is above the optimum by its gap at most.
    let gaps = [sparse.report().gap.unwrap(), exact.report().gap.unwrap()];
    let most = gaps[0].max(gaps[1]);
    assert!((objective - expected).abs() <= most, "{objective}, {expected}, {gaps:?}");
    assert!((0.0..1e-3 * objective).contains(&most), "{gaps:?}");
    let (found, values) =
        (sparse.decision_values(&test).unwrap(), exact.decision_values(&test).unwrap());
    let apart = (0..test.len()).map(|i| (found[(i, 0)] - values[(i, 0)]).abs());
    let apart = apart.fold(0.0, f64::max);
    let accuracy = sparse.accuracy(&test, &labels[1500..]).unwrap();
    assert!(apart < 1e-2, "{apart}");
    let what = "machine on sparse rows of 1500 messages: accuracy above 0.97 on 4074 others";
    claim(accuracy > 0.97, "sms_spam", what, format_args!("{accuracy:.4}"));
}
