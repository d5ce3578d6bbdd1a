//! Points that are no vectors go through every solver: strings with a kernel of ten lines, and a
//! kernel chosen at run time.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern::approx::{Nystrom, RandomFourier};
use kern::kernels::{Laplacian, Rbf};
use kern::prelude::*;
use kern::solvers::{KNearest, Ridge, Sgd};
use kern::{KernelSpec, MercerFormula};
use std::sync::Arc;

/// The number of letters that two words share, letter by letter of the alphabet.
#[derive(Clone, Copy)]
struct SharedLetters;

impl Kernel<Vec<String>> for SharedLetters {
    fn eval(&self, x: &String, y: &String) -> f64 {
        let count = |s: &str, c: char| s.matches(c).count();
        ('a'..='z').map(|c| count(x, c).min(count(y, c)) as f64).sum()
    }
}
impl Mercer<Vec<String>> for SharedLetters {}

fn words() -> (Vec<String>, Vec<&'static str>) {
    let vowels = ["aeiou", "aaee", "iou", "ouou", "aei", "eiei"];
    let consonants = ["bcdf", "ccdd", "fgh", "ghgh", "bcb", "dfdf"];
    let points = vowels.iter().chain(&consonants).map(ToString::to_string).collect();
    let labels = ["vowels"; 6].into_iter().chain(["consonants"; 6]).collect();
    (points, labels)
}

#[test]
fn strings_go_through_every_solver() {
    let (x, y) = words();
    kern::contract::verify_mercer(&SharedLetters, &x).unwrap();
    let budget = MemoryBudget::mebibytes(1);
    let ridge = Ridge::on_kernel(SharedLetters).lambda(0.01).fit(&x, &y).unwrap();
    assert_eq!(ridge.predict(&x).unwrap(), y);
    let u = Sgd::on_kernel(SharedLetters).fit(&x, &y).unwrap();
    assert_eq!(u.predict(&x).unwrap(), y);
    let map = Nystrom::new(SharedLetters).landmarks(8).fit(&x, &budget).unwrap();
    let w = Sgd::on_features(map).fit(&x, &y).unwrap();
    assert_eq!(w.predict(&x).unwrap(), y);
    for k in [1, 3] {
        let version1 = KNearest::by_similarity(SharedLetters).neighbors(k);
        assert_eq!(version1.fit(&x, &y).unwrap().predict(&x).unwrap(), y);
        let version2 = KNearest::by_distance(SharedLetters).neighbors(k);
        assert_eq!(version2.fit(&x, &y).unwrap().predict(&x).unwrap(), y);
    }
}

#[test]
fn kernel_chosen_at_run_time_is_the_same_kernel() {
    let x = Samples::from_row_major(2, (0..60).map(|k| f64::from(k * 7 % 11)).collect()).unwrap();
    let y: Vec<bool> = (0..30).map(|i| i % 3 == 0).collect();
    let chosen: Arc<dyn Mercer<Samples<f64>>> =
        Arc::new(Rbf::new(0.1).unwrap() * Laplacian::new(0.2).unwrap());
    let fixed = Rbf::new(0.1).unwrap() * Laplacian::new(0.2).unwrap();
    let dynamic = Ridge::on_kernel(chosen).fit(&x, &y).unwrap();
    let fixed = Ridge::on_kernel(fixed).fit(&x, &y).unwrap();
    assert_eq!(dynamic.decision_values(&x).unwrap(), fixed.decision_values(&x).unwrap());
}

/// A model whose kernel came from a formula is saved and read, and predicts the same bits.
#[test]
fn model_of_a_formula_is_saved_and_read() {
    let x = Samples::from_row_major(2, (0..60).map(|k| f64::from(k * 7 % 11)).collect()).unwrap();
    let y: Vec<f64> = (0..30).map(|i| f64::from(i % 3)).collect();
    let spec: KernelSpec = "0.5*rbf(gamma=0.1) + laplacian(gamma=0.2)".parse().unwrap();
    let kernel: MercerFormula<Samples<f64>> = spec.build_mercer().unwrap();
    let model = Ridge::on_kernel(kernel.clone()).fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let mut read = model.clone();
    read.clone_from(&serde_json::from_str(&text).unwrap());
    assert_eq!(read.predict(&x).unwrap(), model.predict(&x).unwrap());
    let features = RandomFourier::new(kernel).dim(64).sample(2).unwrap();
    let typed = 0.5 * Rbf::new(0.1).unwrap() + Laplacian::new(0.2).unwrap();
    assert_eq!(features, RandomFourier::new(typed).dim(64).sample(2).unwrap());
}

#[test]
fn one_error_type_serves_all_layers() {
    fn all_layers() -> Result<(), kern::Error> {
        let x = Samples::from_rows(&[[0.0], [1.0]])?;
        let kernel = Rbf::new(1.0)?;
        let budget = MemoryBudget::mebibytes(1);
        kern::gram::DenseGram::new(&kernel, &x, &budget)?;
        Nystrom::new(kernel).landmarks(2).fit(&x, &budget)?;
        Ridge::on_kernel(kernel).fit(&x, &[0.0_f64, 1.0])?;
        Ok(())
    }
    all_layers().unwrap();
}
