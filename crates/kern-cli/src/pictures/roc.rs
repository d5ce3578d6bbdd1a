//! ROC curves.

use super::canvas::{Area, Axis, chart};
use super::series::{Series, draw, guide, thinned};
use anyhow::Result;
use kern_table::Probabilities;
use plotters::prelude::SeriesLabelPosition;

/// Largest number of classes with individual curves.
const CURVES: usize = 8;

/// The ROC curve of a class against all others.
pub(crate) struct Curve {
    pub(crate) class: String,
    /// The false-positive rate and the true-positive rate at each threshold.
    points: Vec<(f64, f64)>,
    /// The area under the curve.
    pub(crate) area: f64,
}

/// The ROC curves of the first classes.
pub(crate) fn curves(truth: &[String], answers: &Probabilities) -> Vec<Curve> {
    (0..answers.classes.len().min(CURVES)).map(|k| curve(truth, answers, k)).collect()
}

/// The ROC curve of a class. Rows with equal probability form one step.
fn curve(truth: &[String], answers: &Probabilities, k: usize) -> Curve {
    let class = answers.classes[k].clone();
    let mut rows: Vec<(f64, bool)> = (answers.rows.iter().zip(truth))
        .map(|(shares, truth)| (shares[k], *truth == class))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = rows.iter().filter(|row| row.1).count().max(1) as f64;
    let others = rows.iter().filter(|row| !row.1).count().max(1) as f64;
    let (mut found, mut wrong, mut area) = (0.0, 0.0, 0.0);
    let mut points = vec![(0.0, 0.0)];
    for equal in rows.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let before = (wrong / others, found / all);
        let hits = equal.iter().filter(|row| row.1).count();
        found += hits as f64;
        wrong += (equal.len() - hits) as f64;
        let after = (wrong / others, found / all);
        area += (after.0 - before.0) * f64::midpoint(before.1, after.1);
        points.push(after);
    }
    Curve { class, points, area }
}

/// Plots ROC curves: the true-positive rate of each class against its false-positive rate, with the
/// area under the curve.
pub(crate) fn roc(area: &Area<'_>, curves: &[Curve]) -> Result<()> {
    let axis = |name| Axis::new(name, 0.0..1.0);
    let caption = Some("Receiver operating characteristic, area under the curve");
    let mut chart =
        chart(area, caption, 56, &axis("false-positive rate"), &axis("true-positive rate"))?;
    guide(&mut chart, [(0.0, 0.0), (1.0, 1.0)])?;
    let series = |curve: &Curve| Series {
        label: format!("{}: {:.3}", curve.class, curve.area),
        points: thinned(&curve.points),
        line: true,
        marks: false,
    };
    let series: Vec<Series> = curves.iter().map(series).collect();
    draw(&mut chart, &series, SeriesLabelPosition::LowerRight)
}
