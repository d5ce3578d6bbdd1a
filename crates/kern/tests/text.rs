//! Text and DNA: kernels on strings learn from real data as they are, without vectors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod support;

use kern::kernels::{HammingRbf, NormalizedSetIntersection, Spectrum, WeightedDegree, words};
use kern::prelude::*;
use kern::solvers::KernelRidge;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::time::Instant;

/// Labels and texts of a file with a header.
struct Corpus {
    labels: Vec<String>,
    texts: Vec<String>,
}

/// Labels and texts, or None with a notice if the file is not there.
fn corpus(name: &str) -> Option<Corpus> {
    let file = support::read(name)?;
    let lines = file.lines().skip(1).map(|line| line.split_once('\t').unwrap());
    let (labels, texts) = lines.map(|(label, text)| (label.to_owned(), text.to_owned())).unzip();
    Some(Corpus { labels, texts })
}

/// A random split into training and test indices.
fn split(n: usize, training: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut indices: Vec<usize> = (0..n).collect();
    indices.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let test = indices.split_off((n as f64 * training) as usize);
    (indices, test)
}

/// The accuracy on the test part of a ridge classifier fitted to the training part.
fn accuracy<P, K>(what: &str, kernel: K, lambda: f64, points: &P, labels: &[String], (training, test): &(Vec<usize>, Vec<usize>)) -> f64
where
    P: Points,
    K: Mercer<P>,
{
    let start = Instant::now();
    let of = |indices: &[usize]| -> Vec<String> { indices.iter().map(|&i| labels[i].clone()).collect() };
    let x = points.select(training).unwrap();
    let model = KernelRidge::new(kernel).lambda(lambda).fit_classifier(&x, &of(training)).unwrap();
    let accuracy = model.accuracy(&points.select(test).unwrap(), &of(test)).unwrap();
    println!("{what}: accuracy {accuracy:.4} on {} of {}, {:.1} s", test.len(), points.len(), start.elapsed().as_secs_f64());
    accuracy
}

#[test]
fn explore() {
    let Some(Corpus { labels, texts }) = corpus("sms_spam.tsv.gz") else { return };
    for seed in 0..2 {
        let parts = split(texts.len(), 0.8, seed);
        let sets: Vec<BTreeSet<String>> = texts.iter().map(|t| words(t).collect()).collect();
        for lambda in [1e-5,1e-4, 3e-4] {
            println!("seed {seed} lambda {lambda}");
            accuracy("set", NormalizedSetIntersection, lambda, &sets, &labels, &parts);
        }
    }
}

#[test]
fn explore2() {
    let Some(Corpus { labels, texts }) = corpus("splice_dna.tsv.gz") else { return };
    for seed in 0..2 {
        let parts = split(texts.len(), 0.7, seed);
        for lambda in [1e-5, 1e-4, 1e-3] {
            println!("seed {seed} lambda {lambda}");
            for d in [3,8] {
            accuracy(&format!("wd {d}"), 0.02*WeightedDegree::new(d).unwrap(), lambda, &texts, &labels, &parts);
            accuracy(&format!("wd^2 {d}"), WeightedDegree::new(d).unwrap()*WeightedDegree::new(d).unwrap(), 1000.0*lambda, &texts, &labels, &parts);
            accuracy(&format!("wd hamming{d}"), 0.02*WeightedDegree::new(d).unwrap()*HammingRbf::new(0.02).unwrap(), lambda, &texts, &labels, &parts);
            }
            for g in [0.02, 0.05] {
            accuracy(&format!("hamming {g}"), HammingRbf::new(g).unwrap(), lambda, &texts, &labels, &parts);
            }
            accuracy("spectrum", 0.02*Spectrum::new(6).unwrap(), lambda, &texts, &labels, &parts);
        }
    }
}
