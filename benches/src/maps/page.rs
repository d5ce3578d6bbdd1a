//! The page of a comparison: errors at equal cost.

use super::Record;
use super::sets;
use super::ways::{GAUSSIAN, POLYNOMIAL};
use crate::report::document::{Cell, Table, Tone};
use crate::report::{markdown, number};
use crate::study::page::ranks_of;
use std::collections::BTreeMap;

/// The way whose times are the costs at which all are compared.
const MEASURE: &str = "Fourier, pairs";

/// One way on one set: by features, the time and both errors, means over seeds.
struct Curve {
    points: Vec<[f64; 3]>,
}

/// An error at a cost.
#[derive(Clone, Copy, PartialEq)]
enum At {
    /// Between two sizes that were measured.
    Between(f64),
    /// The greatest size costs less.
    Least(f64),
    /// The smallest size costs more.
    TooDear,
}

impl At {
    fn error(self) -> f64 {
        match self {
            Self::Between(error) | Self::Least(error) => error,
            Self::TooDear => f64::INFINITY,
        }
    }
}

impl Curve {
    fn of(records: &[Record], set: &str, way: &str) -> Self {
        let mut sizes: BTreeMap<usize, Vec<[f64; 3]>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.set == set && record.way == way) {
            let point = [record.seconds(), record.kernel_error, record.test_error];
            sizes.entry(record.dim).or_default().push(point);
        }
        let mean = |all: &Vec<[f64; 3]>| {
            let count = all.len() as f64;
            [0, 1, 2].map(|k| all.iter().map(|point| point[k]).sum::<f64>() / count)
        };
        Self { points: sizes.values().map(mean).collect() }
    }

    /// Error number `which` at a cost: a line between two sizes in logarithms.
    fn at(&self, seconds: f64, which: usize) -> At {
        let Some(first) = self.points.first() else { return At::TooDear };
        // The size at which costs are read is its own.
        if first[0] > seconds * (1.0 + 1e-9) {
            return At::TooDear;
        }
        for pair in self.points.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            if high[0] >= seconds && high[0] > low[0] {
                let share = (seconds / low[0]).ln() / (high[0] / low[0]).ln();
                let [low, high] = [low[which], high[which]].map(|v| v.max(f64::MIN_POSITIVE).ln());
                return At::Between((low + share.clamp(0.0, 1.0) * (high - low)).exp());
            }
        }
        self.points.last().map_or(At::TooDear, |last| At::Least(last[which]))
    }
}

/// The tables of the records. `provenance` is the day, the machine and the command.
#[must_use]
pub fn text(records: &[Record], provenance: &str) -> String {
    let mut page = format!("# Feature maps at equal cost\n\n{provenance}\n\n{ABOUT}\n");
    let known: Vec<&str> =
        sets::ALL.into_iter().filter(|set| !levels(records, set).is_empty()).collect();
    let ranked = markdown::table(&ranks(records, &known));
    page += &format!("\n## Mean ranks over sets\n\n{ranked}\n\n{RANKS}\n");
    for set in known {
        let Some(first) = records.iter().find(|record| record.set == set) else { continue };
        let (n, d) = (first.n, first.d);
        let (one, other) = (errors(records, set, 1), errors(records, set, 2));
        page += &format!("\n## {set}: {n} training points, {d} features\n\nKernel values:\n\n");
        page += &format!(
            "{}\n\nWhat is learned:\n\n{}\n",
            markdown::table(&one),
            markdown::table(&other)
        );
    }
    page
}

const ABOUT: &str = "Random features and landmarks, by the errors of kernel values and of ridge regression that is learned with them, where all take the same \
time: a lecture on scaling kernel methods says that a solid comparison on large sets is missing. \n\n\
- The kernels are exp(−γ‖x − y‖²), with the γ of the least error of exact ridge regression on 2000 points, and (xᵀy/(d·mean x²) + 1)³.\n\
- The cost is the time for the map (its frequencies, or the choice of landmarks and their factor), the features of all training points, \
the normal equations and one solution.\n\
- Columns are the times that independent Fourier features in pairs take for 64, 256 and 1024 features; each other way is read at these times \
from its own sizes, on lines between their logarithms. In brackets: the error of its greatest size, which takes less time. A dash: its smallest \
size takes more, or the library refuses it (Sobol's sequence of 784 coordinates).\n\
- Kernel values: ‖K − ZZᵀ‖_F/‖K‖_F between 2000 test points. What is learned: the root mean square error on test points in standard deviations of \
the targets, or the share of wrong classes; λ is chosen on points that were left out.";

const RANKS: &str = "Ranks of the errors at equal cost, 1 the least, the mean over sets. Ways with the cubic kernel are ranked among themselves by kernel \
values, and with all others by what is learned.";

/// The costs at which a set is read: those of the measure at each of its sizes.
fn levels(records: &[Record], set: &str) -> Vec<f64> {
    let measure = Curve::of(records, set, MEASURE);
    let seconds: Vec<f64> = measure.points.iter().map(|point| point[0]).collect();
    // Every other size: 64, 256 and 1024 of five.
    seconds.into_iter().step_by(2).collect()
}

fn names() -> impl Iterator<Item = &'static str> {
    GAUSSIAN.into_iter().chain(POLYNOMIAL)
}

fn errors(records: &[Record], set: &str, which: usize) -> Table {
    let levels = levels(records, set);
    let heads = levels.iter().map(|&seconds| format!("#{}", number::seconds(seconds)));
    let heads: Vec<String> = std::iter::once("way".to_owned()).chain(heads).collect();
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    let all: Vec<(&str, Vec<At>)> = names()
        .map(|way| {
            let curve = Curve::of(records, set, way);
            (way, levels.iter().map(|&seconds| curve.at(seconds, which)).collect())
        })
        .collect();
    let is_rival = |way: &str| which == 2 || GAUSSIAN.contains(&way);
    let smallest = |k: usize| {
        let rivals = all.iter().filter(|(way, _)| is_rival(way));
        rivals.map(|(_, errors)| errors[k].error()).fold(f64::INFINITY, f64::min)
    };
    for (way, errors) in &all {
        let cell = |(k, at): (usize, &At)| {
            let tone =
                if is_rival(way) && at.error() <= smallest(k) { Tone::Strong } else { Tone::Plain };
            let text = match at {
                At::Between(error) => format!("{error:.4}"),
                At::Least(error) => format!("({error:.4})"),
                At::TooDear => "–".to_owned(),
            };
            Cell::new(text, tone)
        };
        let cells = errors.iter().enumerate().map(cell);
        table.push(std::iter::once(Cell::plain(*way)).chain(cells).collect::<Vec<_>>());
    }
    table
}

/// Mean ranks at the middle and the last cost, for both errors.
fn ranks(records: &[Record], known: &[&str]) -> Table {
    let heads = [
        "way",
        "#kernel values, middle",
        "#kernel values, last",
        "#learned, middle",
        "#learned, last",
    ];
    let mut table = Table::new(&heads);
    let rank = |way: &str, which: usize, level: usize| -> f64 {
        let of_set = |set: &&str| {
            let Some(&seconds) = levels(records, set).get(level) else { return f64::NAN };
            let cubic = POLYNOMIAL.contains(&way);
            let is_rival = |other: &&str| which == 2 || POLYNOMIAL.contains(other) == cubic;
            let rivals: Vec<&str> = names().filter(is_rival).collect();
            let error = |way: &&str| Curve::of(records, set, way).at(seconds, which).error();
            let ranks = ranks_of(&rivals.iter().map(error).collect::<Vec<_>>());
            rivals.iter().zip(ranks).find(|(rival, _)| **rival == way).map_or(f64::NAN, |r| r.1)
        };
        known.iter().map(of_set).sum::<f64>() / known.len().max(1) as f64
    };
    for way in names() {
        let cells = [(1, 1), (1, 2), (2, 1), (2, 2)];
        let cells =
            cells.map(|(which, level)| Cell::plain(format!("{:.1}", rank(way, which, level))));
        table.push(std::iter::once(Cell::plain(way)).chain(cells).collect::<Vec<_>>());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(way: &str, dim: usize, seconds: f64, error: f64) -> Record {
        Record {
            set: "protein".to_owned(),
            seed: 0,
            way: way.to_owned(),
            n: 100,
            d: 9,
            dim,
            map_seconds: 0.25 * seconds,
            fit_seconds: 0.75 * seconds,
            kernel_error: error,
            test_error: 2.0 * error,
            lambda: 1e-6,
        }
    }

    /// Errors are read at equal times, on lines between logarithms, and not beyond what was measured.
    #[test]
    fn errors_are_read_at_equal_cost() {
        let records = [
            record(MEASURE, 64, 1.0, 0.4),
            record(MEASURE, 128, 2.0, 0.3),
            record(MEASURE, 256, 4.0, 0.2),
            record("landmarks, uniform", 64, 2.0, 0.1),
            record("landmarks, uniform", 256, 8.0, 0.025),
            record("Fourier, Sobol", 64, 0.5, 0.5),
        ];
        let page = text(&records, "today");
        let row = |way: &str| {
            page.lines()
                .find(|line| line.starts_with(&format!("| {way} ")) && line.contains("0."))
                .unwrap_or_default()
                .to_owned()
        };
        let cells = |way: &str| -> Vec<String> {
            let all = page.lines().filter(|line| line.starts_with(&format!("| {way}")));
            all.map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>())
                .filter(|cells| cells.len() == 5)
                .flat_map(|cells| cells[2..4].to_vec())
                .collect()
        };
        assert!(!row(MEASURE).is_empty());
        assert_eq!(cells("landmarks, uniform"), ["–", "**0.0500**", "–", "**0.1000**"]);
        assert_eq!(cells("Fourier, Sobol"), ["(0.5000)", "(0.5000)", "(1.0000)", "(1.0000)"]);
    }
}
