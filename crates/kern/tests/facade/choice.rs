//! Chosen features keep their promise on real data.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::real::{self, claim};
use kern::approx::choose::{Choice, Evidence, Kind, Target, choose};
use kern::approx::{FeatureMap, Nystrom, RandomFourier, transform};
use kern::gram::{DenseGram, MemoryBudget};
use kern::kernels::{Laplacian, Rbf, bandwidth};
use kern::{Mercer, Points, Samples, Spectral};

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(2048);

/// The failure probability that is asked for, and so that of the tests, for any seed.
const TARGET: Target = Target::Error { error: 0.1, failure: 1e-9 };

/// Every `step`-th row of a table with a header, without its last column.
fn points(name: &str, step: usize) -> Option<Samples<f64>> {
    let text = real::text(name)?;
    let row = |line: &str| {
        let mut row: Vec<f64> = line.split(',').map_while(|v| v.parse().ok()).collect();
        row.pop();
        row
    };
    let rows: Vec<Vec<f64>> = text.lines().skip(1).step_by(step).map(row).collect();
    Some(Samples::from_rows(&rows).unwrap())
}

/// The largest error over all pairs, κ(0) being 1.
fn worst(map: &impl FeatureMap<Samples<f64>>, exact: &DenseGram<f64>, x: &Samples<f64>) -> f64 {
    let z = transform(map, x, &BUDGET).unwrap();
    let z = z.columns(0..x.len());
    (z.transpose() * z - exact.as_mat()).norm_max()
}

fn check<K>(set: &str, kernel: &K, x: &Samples<f64>) -> Choice
where
    K: Spectral + Mercer<Samples<f64>>,
{
    let choice = choose(kernel, x, TARGET, &BUDGET).unwrap();
    let exact = DenseGram::new(kernel, x, &BUDGET).unwrap();
    let found = match choice.kind {
        Kind::Nystrom => {
            assert_eq!(choice.evidence, Evidence::Certificate);
            let map = Nystrom::new(kernel).landmarks(choice.dim).fit(x, &BUDGET).unwrap();
            worst(&map, &exact, x)
        }
        _ => {
            assert!(matches!(choice.evidence, Evidence::Bound { .. }));
            let map = RandomFourier::new(kernel).dim(choice.dim).seed(7).sample(x.dim()).unwrap();
            worst(&map, &exact, x)
        }
    };
    let what = format!("no kernel value is off by more than is promised: {choice}");
    let holds = found < 0.1 && found <= choice.error + 1e-9;
    claim(holds, set, what, format_args!("worst error {found:.2e}"));
    choice
}

#[test]
fn digits() {
    let x = points("digits", 1).unwrap();
    let values = x.as_slice().iter().map(|v| v / 16.0).collect();
    let x = Samples::from_row_major(64, values).unwrap();
    check("digits", &Rbf::new(bandwidth::median_gamma(&x, 0).unwrap()).unwrap(), &x);
    check("digits", &Laplacian::new(0.05).unwrap(), &x);
}

/// 150 flowers: few landmarks will do.
#[test]
fn iris() {
    let x = points("iris", 1).unwrap();
    let choice = check("iris", &Rbf::new(bandwidth::median_gamma(&x, 0).unwrap()).unwrap(), &x);
    assert_eq!((choice.kind, choice.dim), (Kind::Nystrom, 64));
}

/// Points that fill a cube of eight dimensions.
#[test]
fn kin40k() {
    let Some(x) = points("kin40k", 20) else { return };
    let median = bandwidth::median_gamma(&x, 0).unwrap();
    check("kin40k", &Rbf::new(median).unwrap(), &x);
    check("kin40k", &(0.5 * Rbf::new(median).unwrap() + 0.5 * Laplacian::new(1.0).unwrap()), &x);
}
