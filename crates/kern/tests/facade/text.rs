//! Text and DNA: kernels on sets and strings learn from real data as they are, without vectors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::real::claim;
use crate::support;
use kern::kernels::{HammingRbf, NormalizedSetIntersection, Spectrum, WeightedDegree, words};
use kern::prelude::*;
use kern::solvers::Ridge;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// The ridge of all tests. The value measured with it and seed 0 stands beside each threshold below. With n test
/// points in all, one standard deviation is √(p(1 − p)/n), about 0.002 for the messages and 0.0033
/// for the DNA.
const LAMBDA: f64 = 1e-4;
const FOLDS: usize = 5;

/// Asserts that the accuracy of a kernel ridge classifier by cross-validation is in a range: every point is predicted once, by a
/// model that has not seen it.
fn cross_validate<P, K>(
    what: (&str, &str),
    kernel: &K,
    (points, labels): (&P, &[String]),
    [least, most]: [f64; 2],
) where
    P: Points,
    K: Mercer<P>,
{
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(0));
    let labels_of = |part: &[usize]| part.iter().map(|&i| labels[i].clone()).collect::<Vec<_>>();
    let mut correct = 0.0;
    for fold in 0..FOLDS {
        let part = |test: bool| -> Vec<usize> {
            let of_part = |at: &usize| (at % FOLDS == fold) == test;
            (0..order.len()).filter(of_part).map(|at| order[at]).collect()
        };
        let (training, test) = (part(false), part(true));
        let x = points.select(&training).unwrap();
        let ridge = Ridge::on_kernel(kernel).lambda(LAMBDA);
        let model = ridge.fit(&x, &labels_of(&training)).unwrap();
        let unseen = points.select(&test).unwrap();
        correct += model.accuracy(&unseen, &labels_of(&test)).unwrap() * test.len() as f64;
    }
    let accuracy = correct / points.len() as f64;
    let (set, kernel) = what;
    let what = format!("ridge, {kernel}: accuracy from {least} to {most} in {FOLDS} folds");
    let measured = format!("{accuracy:.4} on {} points", points.len());
    claim((least..=most).contains(&accuracy), set, what, measured);
}

/// A linear support vector machine is at 0.976 (Almeida & Hidalgo 2011). Measured: 0.982.
#[test]
fn spam_is_told_by_its_set_of_words() {
    let Some((labels, messages)) = support::corpus("sms_spam") else { return };
    assert_eq!(messages.len(), 5574);
    let sets: Vec<BTreeSet<String>> = messages.iter().map(|text| words(text).collect()).collect();
    let kernel = NormalizedSetIntersection;
    cross_validate(("sms_spam", "set of words"), &kernel, (&sets, &labels), [0.975, 1.0]);
}

/// Splice junctions are made by the places of letters: positional kernels are at 0.967,
/// a bag of pieces of six letters at 0.701, with the most frequent class at 0.52.
#[test]
fn splice_junctions_need_positions() {
    let Some((labels, dna)) = support::corpus("splice_dna") else { return };
    assert_eq!(dna.len(), 3186);
    // Divided by the number of positions, so that the diagonal is about 1.
    let pieces = 1.0 / 60.0 * WeightedDegree::new(3).unwrap();
    let kernel = pieces * HammingRbf::new(0.02).unwrap();
    cross_validate(("splice_dna", "positional"), &kernel, (&dna, &labels), [0.95, 1.0]);
    let kernel = 1.0 / 55.0 * Spectrum::new(6).unwrap();
    cross_validate(("splice_dna", "6-spectrum"), &kernel, (&dna, &labels), [0.6, 0.9]);
}
