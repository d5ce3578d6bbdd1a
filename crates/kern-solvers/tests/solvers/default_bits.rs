//! The same bits on 1, 2 and 8 threads, with default parameters, where the way of a fit is chosen automatically.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::ridge::Ridge;
use kern_solvers::svm::Svc;
use rayon::ThreadPoolBuilder;

/// Queries, whose answers stand for a model.
const QUERIES: usize = 50;

/// Points of [0, 1]⁵ in a low-discrepancy sequence, the additive one of the square roots of primes.
fn points(n: usize) -> Samples<f64> {
    let roots = [2.0_f64, 3.0, 5.0, 7.0, 11.0].map(f64::sqrt);
    let numbers = (1..=n).flat_map(|i| roots.map(|root| (i as f64 * root).fract()));
    Samples::from_row_major(5, numbers.collect()).unwrap()
}

/// A smooth function of a point, and noise.
fn values(x: &Samples<f64>) -> Vec<f64> {
    let value = |(i, row): (usize, &[f64])| {
        (6.0 * row[0]).sin() + row[1] * row[2] + 0.1 * (7919.0 * i as f64).sin()
    };
    x.as_slice().chunks_exact(5).enumerate().map(value).collect()
}

/// The bits of the decisions of a fit with default parameters, and the way that it took.
fn ridge(x: &Samples<f64>, y: &[f64]) -> (Vec<u64>, String) {
    let model = Ridge::on_kernel(Rbf::new(2.0).unwrap()).fit(x, y).unwrap();
    let queries = x.select(&(0..QUERIES).collect::<Vec<_>>()).unwrap();
    let bits = model.predict(&queries).unwrap().iter().map(|v| v.to_bits()).collect();
    (bits, format!("{:?}", model.report()))
}

fn machine(x: &Samples<f64>, y: &[f64]) -> (Vec<u64>, String) {
    let classes: Vec<bool> = y.iter().map(|&y| y > 0.5).collect();
    let model = Svc::on_kernel(Rbf::new(2.0).unwrap()).fit(x, &classes).unwrap();
    let queries = x.select(&(0..QUERIES).collect::<Vec<_>>()).unwrap();
    let values = model.decision_values(&queries).unwrap();
    let bits = (0..QUERIES).map(|i| values[(i, 0)].to_bits()).collect();
    (bits, format!("{:?}", model.report()))
}

fn same_bits(n: usize) {
    let (x, y) = (points(n), values(&points(n)));
    for (name, fit) in [("ridge", ridge as fn(&_, &_) -> _), ("svm", machine)] {
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&x, &y))
        };
        let expected = on(1);
        for threads in [2, 8] {
            assert_eq!(on(threads), expected, "{name}, {n} points, {threads} threads");
        }
    }
}

#[test]
fn of_5000_points() {
    same_bits(5000);
}

#[test]
fn of_20_000_points() {
    same_bits(20_000);
}
