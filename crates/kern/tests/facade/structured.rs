//! Points that are no vectors go through every solver: strings with a kernel of ten lines, and a
//! kernel chosen at run time.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern::approx::Nystrom;
use kern::kernels::{Laplacian, Rbf};
use kern::prelude::*;
use kern::solvers::{KNearest, KernelRidge, Sgd};

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
    let ridge = KernelRidge::new(SharedLetters).lambda(0.01).fit_classifier(&x, &y).unwrap();
    assert_eq!(ridge.predict(&x).unwrap(), y);
    let u = Sgd::on_kernel(SharedLetters).fit_classifier(&x, &y).unwrap();
    assert_eq!(u.predict(&x).unwrap(), y);
    let map = Nystrom::new(SharedLetters).landmarks(8).fit(&x, &budget).unwrap();
    let w = Sgd::on_features(map).fit_classifier(&x, &y).unwrap();
    assert_eq!(w.predict(&x).unwrap(), y);
    for k in [1, 3] {
        let version1 = KNearest::by_similarity(SharedLetters).neighbors(k);
        assert_eq!(version1.fit_classifier(&x, &y).unwrap().predict(&x).unwrap(), y);
        let version2 = KNearest::by_distance(SharedLetters).neighbors(k);
        assert_eq!(version2.fit_classifier(&x, &y).unwrap().predict(&x).unwrap(), y);
    }
}

#[test]
fn kernel_chosen_at_run_time_is_the_same_kernel() {
    let x = Samples::from_row_major(2, (0..60).map(|k| f64::from(k * 7 % 11)).collect()).unwrap();
    let y: Vec<bool> = (0..30).map(|i| i % 3 == 0).collect();
    let chosen: Box<dyn Mercer<Samples<f64>>> =
        Box::new(Rbf::new(0.1).unwrap() * Laplacian::new(0.2).unwrap());
    let fixed = Rbf::new(0.1).unwrap() * Laplacian::new(0.2).unwrap();
    let dynamic = KernelRidge::new(chosen).fit_classifier(&x, &y).unwrap();
    let fixed = KernelRidge::new(fixed).fit_classifier(&x, &y).unwrap();
    assert_eq!(dynamic.decision_values(&x).unwrap(), fixed.decision_values(&x).unwrap());
}

#[test]
fn one_error_type_serves_all_layers() {
    fn all_layers() -> Result<(), kern::Error> {
        let x = Samples::from_rows(&[[0.0], [1.0]])?;
        let kernel = Rbf::new(1.0)?;
        let budget = MemoryBudget::mebibytes(1);
        kern::gram::DenseGram::new(&kernel, &x, &budget)?;
        Nystrom::new(kernel).landmarks(2).fit(&x, &budget)?;
        KernelRidge::new(kernel).fit(&x, &[0.0, 1.0])?;
        Ok(())
    }
    all_layers().unwrap();
}
