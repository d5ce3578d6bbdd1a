//! Tasks whose rows are points of curves: errors of feature maps by their number of features, and what
//! the planner of SGD predicts by what was measured.

use super::growth::short;
use crate::found::Report;
use crate::report::chart::{Axis, COLORS, Chart, Curve, Style};
use crate::report::document::{Block, Cell, Figure, Section, Table};
use crate::report::number::{digits, figure, power, seconds};
use crate::row::Row;

/// The task of feature maps: `params.map` names the map, `params.D` its number of features, and
/// `quality.mae` the error.
const FEATURES: &str = "features_error";

/// The task of the planner: `params.way` names the way, and `quality.predicted_seconds` is the prediction.
const PLANNER: &str = "planner";

/// A prediction within this factor is good.
const FACTOR: f64 = 2.0;

fn word<'a>(row: &'a Row, name: &str) -> &'a str {
    row.params.get(name).and_then(|value| value.as_str()).unwrap_or(&row.variant)
}

/// Rows of the library, of a task, by a word among their parameters, in the order in which these appear.
fn grouped<'a>(report: &'a Report, task: &str, name: &str) -> Vec<(&'a str, Vec<&'a Row>)> {
    let mut groups: Vec<(&str, Vec<&Row>)> = Vec::new();
    let ours = || report.rows.iter().filter(|row| row.task == task && row.is_kern());
    let threads = ours().map(|row| row.threads).max();
    for row in ours().filter(|row| Some(row.threads) == threads) {
        let key = word(row, name);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// Errors of kernel values by the number of features.
pub(super) fn features(report: &Report) -> Option<Section> {
    let features = |row: &Row| row.params.get("D").and_then(serde_json::Value::as_f64);
    let groups = grouped(report, FEATURES, "map");
    let mut curves = Vec::new();
    let mut table = Table::new(&["map", "#D", "#mean error of a kernel value", "#time"]);
    for (color, (name, rows)) in groups.iter().enumerate() {
        let mut points = Vec::new();
        for row in rows {
            let (Some(dim), Some(&error)) = (features(row), row.quality.get("mae")) else {
                continue;
            };
            points.push((dim, error));
            table.push([
                Cell::plain(*name),
                Cell::plain(dim.to_string()),
                Cell::plain(figure(error)),
                Cell::plain(seconds(row.seconds.median)),
            ]);
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        curves.push(Curve { color, points, style: Style::Line });
    }
    let x = Axis { label: "number of features D", number: power };
    let y = Axis { label: "mean absolute error of kernel values", number: power };
    let drawing = Chart { x, y, curves }.draw()?;
    let caption = "Errors of feature maps by their number of features".to_owned();
    let figures = vec![Figure { caption, drawing, legend: legend(&groups) }];
    let blocks = vec![Block::Figures(figures), Block::Table(table)];
    Some(Section { title: "Errors of feature maps".to_owned(), blocks })
}

fn legend(groups: &[(&str, Vec<&Row>)]) -> Vec<(usize, String)> {
    let name =
        |(color, (name, _)): (usize, &(&str, Vec<&Row>))| (color % COLORS, (*name).to_owned());
    groups.iter().enumerate().map(name).collect()
}

/// Predicted times by measured ones.
pub(super) fn planner(report: &Report) -> Option<Section> {
    let groups = grouped(report, PLANNER, "way");
    let mut curves = Vec::new();
    let mut table = Table::new(&["setting", "way", "#predicted", "#measured", "#ratio"]);
    let (mut good, mut all) = (0, 0);
    for (color, (name, rows)) in groups.iter().enumerate() {
        let mut points = Vec::new();
        for row in rows {
            let Some(&predicted) = row.quality.get("predicted_seconds") else { continue };
            let ratio = predicted / row.seconds.median;
            points.push((row.seconds.median, predicted));
            all += 1;
            good += usize::from((1.0 / FACTOR..=FACTOR).contains(&ratio));
            table.push([
                Cell::plain(&row.variant),
                Cell::plain(*name),
                Cell::plain(seconds(predicted)),
                Cell::plain(seconds(row.seconds.median)),
                Cell::plain(digits(ratio, 3)),
            ]);
        }
        curves.push(Curve { color, points, style: Style::Dots });
    }
    let times = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let (low, high) = times.fold((f64::INFINITY, 0.0_f64), |(a, b), t| (a.min(t), b.max(t)));
    let diagonal = vec![(low, low), (high, high)];
    curves.push(Curve { color: 7, points: diagonal, style: Style::Dashes });
    let x = Axis { label: "measured", number: short };
    let y = Axis { label: "predicted", number: short };
    let drawing = Chart { x, y, curves }.draw()?;
    let caption = "What the planner predicts, by what was measured; dashes: equal".to_owned();
    let figures = vec![Figure { caption, drawing, legend: legend(&groups) }];
    let text = format!("Predictions within a factor of {FACTOR}: {good} of {all}.");
    let blocks = vec![Block::Figures(figures), Block::Text(text), Block::Table(table)];
    Some(Section { title: "The planner of SGD".to_owned(), blocks })
}
