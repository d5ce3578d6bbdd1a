//! Intervals cover as many new targets as was asked for, on real data.
#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use crate::real::claim;
use crate::support;
use kern::faer::Mat;
use kern::kernels::Rbf;
use kern::solvers::intervals::{Intervals, SplitConformal};
use kern::solvers::{Data, Outputs, Ridge, Run};
use kern::{Points, Samples};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Points that are learned from, and half of which calibrate split conformal intervals.
const N: usize = 400;
/// Points that are asked about.
const M: usize = 600;
/// Disjoint parts of a set, each with N + M points.
const PARTS: usize = 8;
const COVERAGES: [f64; 3] = [0.5, 0.8, 0.95];

fn column(y: &[f64], rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), 1, |i, _| y[rows[i]])
}

/// The shares that are covered by both kinds of intervals in a part, for each coverage.
fn covered(x: &Samples<f64>, y: &[f64], part: &[usize]) -> [[f64; 3]; 2] {
    let of = |rows: &[usize]| (x.select(rows).unwrap(), column(y, rows));
    let ((seen, known), (queries, truth)) = (of(&part[..N]), of(&part[N..N + M]));
    let ridge =
        Ridge::on_kernel(Rbf::new(0.5 / x.dim() as f64).unwrap()).lambda(1e-4).intercept(true);
    let data = Data::unlabelled(&seen).unwrap();
    let factor = ridge.factor(&data, &Run::new()).unwrap();
    let jackknife = factor.jackknife_plus(known.as_ref()).unwrap();

    let ((half, half_known), (rest, rest_known)) = (of(&part[..N / 2]), of(&part[N / 2..N]));
    let model = ridge.fit(&half, Outputs::new(half_known)).unwrap();
    let conformal =
        SplitConformal::calibrate(model.decision(), &rest, rest_known.as_ref()).unwrap();

    let share = |intervals: Intervals<f64>| intervals.coverage(truth.as_ref()).unwrap()[0];
    [
        COVERAGES.map(|coverage| share(jackknife.predict(&queries, coverage).unwrap())),
        COVERAGES.map(|c| share(conformal.predict(model.decision(), &queries, c).unwrap())),
    ]
}

#[test]
fn coverage_is_what_was_asked_for() {
    for set in ["concrete", "protein", "kin40k"] {
        let Some((x, y)) = support::table(set) else { continue };
        let (x, y) =
            (support::standardized(&x), y.iter().map(|y| y.parse().unwrap()).collect::<Vec<f64>>());
        let mut rows: Vec<usize> = (0..x.len()).collect();
        rows.shuffle(&mut ChaCha8Rng::seed_from_u64(25));
        let parts: Vec<_> =
            rows.chunks_exact(N + M).take(PARTS).map(|part| covered(&x, &y, part)).collect();
        let count = parts.len() as f64;
        for (kind, (name, calibrating)) in
            [("jackknife+", N), ("split conformal", N / 2)].into_iter().enumerate()
        {
            for (k, asked) in COVERAGES.into_iter().enumerate() {
                let found = parts.iter().map(|part| part[kind][k]).sum::<f64>() / count;
                // Of the queries, and of the points that the ends are ranks of.
                let variance = asked * (1.0 - asked) * (1.0 / M as f64 + 1.0 / calibrating as f64);
                let error = (variance / count).sqrt();
                let what = format!("{name} intervals cover {asked} to 3 standard errors");
                let holds = (found - asked).abs() <= 3.0 * error;
                claim(holds, set, what, format_args!("{found:.3} ± {error:.3}"));
            }
        }
    }
}
