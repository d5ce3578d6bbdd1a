//! Points in classes, and fits of learners of labels with weights, observers and budgets.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::golden::logistic as golden;
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Error, Label, Labels, Learner, Observer, Run};

/// The points of the golden values.
pub(crate) fn iris() -> Samples<f64> {
    Samples::from_rows(&golden::X).unwrap()
}

/// Scattered points of the plane in `classes` overlapping classes; the last is rare if `shift` is less than 6.
pub(crate) fn overlapping(n: usize, classes: usize, shift: f64) -> (Samples<f64>, Vec<usize>) {
    let angle = |i: usize, rate: f64| (i as f64 * rate).sin();
    let rows: Vec<[f64; 2]> = (0..n).map(|i| [3.0 * angle(i, 1.3), 2.0 * angle(i, 2.9)]).collect();
    let side = |(i, x): (usize, &[f64; 2])| {
        let value = x[0] + (2.0 * x[1]).sin() + 1.5 * angle(i, 7.7) + shift;
        (value / 12.0 * classes as f64).clamp(0.0, classes as f64 - 0.5) as usize
    };
    let labels = rows.iter().enumerate().map(side).collect();
    (Samples::from_rows(&rows).unwrap(), labels)
}

/// A fit with a weight for each point.
pub(crate) fn with_weights<P: Points, L: Label, X: Learner<P, Labels<L>>>(
    learner: &X,
    (points, labels): (&P, &[L]),
    weights: &[f64],
) -> Result<X::Model, Error> {
    let data = Data::new(points, Labels::new(labels))?.weights(weights)?;
    learner.learn(&data, &mut Run::new())
}

/// A fit that somebody watches.
pub(crate) fn observed<P: Points, L: Label, X: Learner<P, Labels<L>>>(
    learner: &X,
    (points, labels): (&P, &[L]),
    observer: &mut dyn Observer,
) -> Result<X::Model, Error> {
    learner.learn(&Data::new(points, Labels::new(labels))?, &mut Run::new().observer(observer))
}

/// A fit within so much memory.
pub(crate) fn within<P: Points, L: Label, X: Learner<P, Labels<L>>>(
    learner: &X,
    (points, labels): (&P, &[L]),
    memory: MemoryBudget,
) -> Result<X::Model, Error> {
    learner.learn(&Data::new(points, Labels::new(labels))?, &mut Run::new().memory(memory))
}
