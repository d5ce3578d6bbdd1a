//! The page of a study: errors, ranks and times, as they are.

use super::Record;
use super::own::{FIXED, MACHINE};
use super::sets;
use crate::report::document::{Cell, Table, Tone};
use crate::report::{markdown, number};
use std::collections::BTreeMap;

/// Numbers of one way, in the order of the draws of all.
struct Way<'r> {
    name: &'r str,
    /// By set and seed.
    records: BTreeMap<(usize, u64), &'r Record>,
}

/// The tables of the records, of all draws that every way has done. `provenance` is the day, the machine and the command.
#[must_use]
pub fn text(records: &[Record], provenance: &str) -> String {
    let ways = complete(records);
    let mut page = format!("# Learned kernels\n\n{provenance}\n\n{ABOUT}\n");
    let Some(first) = ways.first() else { return page };
    let draws: Vec<(usize, u64)> = first.records.keys().copied().collect();
    let table = |table| markdown::table(&table);
    let rank = mean_ranks(&ways, &draws);
    page += &format!("\n## Mean ranks, and times\n\n{}\n", table(ranks(&ways, &draws, &rank)));
    page += &format!("\n{RANKS}\n\n## Errors\n\n{}\n", table(errors(&ways, &draws)));
    page += &format!("\n{ERRORS}\n\n## The feature machine beside each other way\n");
    page += &format!("\n{}\n\n{BESIDE}\n", table(beside(&ways, &draws)));
    page + &format!("\n## The sets\n\n{}\n\n{SETS}\n", table(sizes(first, &draws)))
}

const ABOUT: &str = "Ridge regression on fixed kernels, learned kernels and peers on ten real sets, with as many draws of each as the last table tells. A way sees the training points \
alone: all that is tuned is tuned on them. Features and targets have mean 0 and deviation 1 over the training points.\n\n\
- **feature machine**: `FeatureMachine` on the Laplacian, the exponential and the Matérn 5/2 kernel; λ and the scale of each round by exact \
leave-one-out; rounds, full and diagonal metrics and kernels stacked by five folds.\n\
- **Gaussian process, ARD**: `GaussianProcess` on a Gaussian kernel with a width for each feature, a variance and the noise, of the \
greatest marginal likelihood from one start.\n\
- **ridge**: λ and the scale by exact leave-one-out, on one kernel.\n\
- **SVR**: `Svr` with a Gaussian kernel, C, γ and ε on a grid of 105 by five folds.\n\
- **gradient boosting**: `HistGradientBoostingRegressor` of scikit-learn, 30 draws by three folds.\n\
- **xRFM**: 30 draws from the space that its authors search by default (Lpq and L2 kernels, exponents, bandwidth, λ, full or diagonal), \
judged by a fifth of the training points, which it needs for early stopping, too.";

const RANKS: &str = "Ranks are of the errors on the test points, 1 the least, a mean over equals; their mean over draws, then over sets. Times are \
wall-clock seconds of one fit with all its choices and predictions, the mean over all draws, on a machine that others used, too: they tell \
orders of magnitude.";

const ERRORS: &str = "Root mean square errors on the test points in standard deviations of the training targets, the mean over draws; in \
brackets the standard deviation over draws. The least of a set is bold.";

const BESIDE: &str = "Sets: on so many the feature machine has the lesser mean error. Draws: on so many the lesser error. Error: the \
geometric mean, over all draws, of its error over that of the other way.";

const SETS: &str = "All sets of the folder with numbers as targets, and all of two classes with dense features; classes are taken as the numbers 0 \
and 1. Of beijing_air the station is twelve columns.";

/// The ways, each with its records of the draws that all of them have done.
fn complete(records: &[Record]) -> Vec<Way<'_>> {
    let place = |name: &str| sets::ALL.iter().position(|set| set.name == name);
    let mut ways: Vec<Way<'_>> = Vec::new();
    for record in records {
        let Some(set) = place(&record.set) else { continue };
        let at = ways.iter().position(|way| way.name == record.way).unwrap_or_else(|| {
            ways.push(Way { name: &record.way, records: BTreeMap::new() });
            ways.len() - 1
        });
        ways[at].records.insert((set, record.seed), record);
    }
    let mut common: Vec<(usize, u64)> =
        ways.first().map(|way| way.records.keys().copied().collect()).unwrap_or_default();
    common.retain(|draw| ways.iter().all(|way| way.records.contains_key(draw)));
    ways.iter_mut().for_each(|way| way.records.retain(|draw, _| common.contains(draw)));
    ways
}

/// The ranks of one draw, equals sharing the mean of theirs.
pub(crate) fn ranks_of(errors: &[f64]) -> Vec<f64> {
    let rank = |error: &f64| {
        let less = errors.iter().filter(|other| *other < error).count() as f64;
        let equal = errors.iter().filter(|other| other.total_cmp(error).is_eq()).count() as f64;
        less + 0.5 * (equal + 1.0)
    };
    errors.iter().map(rank).collect()
}

/// By set, then by way.
fn by_set<V>(
    draws: &[(usize, u64)],
    mut of_draw: impl FnMut((usize, u64)) -> Vec<V>,
) -> Vec<(usize, Vec<Vec<V>>)> {
    let mut all: Vec<(usize, Vec<Vec<V>>)> = Vec::new();
    for &(set, seed) in draws {
        if all.last().is_none_or(|(last, _)| *last != set) {
            all.push((set, Vec::new()));
        }
        if let Some((_, rows)) = all.last_mut() {
            rows.push(of_draw((set, seed)));
        }
    }
    all
}

fn rmse(ways: &[Way<'_>], draw: (usize, u64)) -> Vec<f64> {
    ways.iter().map(|way| way.records[&draw].rmse).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The mean over sets of the mean rank over draws, of each way.
fn mean_ranks(ways: &[Way<'_>], draws: &[(usize, u64)]) -> Vec<f64> {
    let sets = by_set(draws, |draw| ranks_of(&rmse(ways, draw)));
    let of_way = |k: usize| mean(sets.iter().map(|(_, rows)| mean(rows.iter().map(|row| row[k]))));
    (0..ways.len()).map(of_way).collect()
}

fn ranks(ways: &[Way<'_>], draws: &[(usize, u64)], rank: &[f64]) -> Table {
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by(|&a, &b| rank[a].total_cmp(&rank[b]));
    let row = |k: usize| {
        let seconds = mean(draws.iter().map(|draw| ways[k].records[draw].seconds));
        vec![
            Cell::plain(ways[k].name),
            Cell::plain(format!("{:.2}", rank[k])),
            Cell::plain(number::seconds(seconds)),
        ]
    };
    let mut table = Table::new(&["way", "#mean rank", "#time"]);
    order.into_iter().for_each(|k| table.push(row(k)));
    table
}

fn errors(ways: &[Way<'_>], draws: &[(usize, u64)]) -> Table {
    let sets = by_set(draws, |draw| rmse(ways, draw));
    let names = sets.iter().map(|(set, _)| format!("#{}", sets::ALL[*set].name));
    let names: Vec<String> = std::iter::once("way".to_owned()).chain(names).collect();
    let means = |rows: &[Vec<f64>], k: usize| mean(rows.iter().map(|row| row[k]));
    let smallest: Vec<f64> = sets
        .iter()
        .map(|(_, rows)| (0..ways.len()).map(|k| means(rows, k)).fold(f64::INFINITY, f64::min))
        .collect();
    let row = |k: usize| {
        let cells = sets.iter().zip(&smallest).map(|((_, rows), &smallest)| {
            let mean_error = means(rows, k);
            let spread = mean(rows.iter().map(|row| (row[k] - mean_error).powi(2))).sqrt();
            let tone = if mean_error <= smallest { Tone::Strong } else { Tone::Plain };
            Cell::new(format!("{mean_error:.3} ({spread:.3})"), tone)
        });
        std::iter::once(Cell::plain(ways[k].name)).chain(cells).collect::<Vec<_>>()
    };
    let mut table = Table::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    (0..ways.len()).for_each(|k| table.push(row(k)));
    table
}

fn beside(ways: &[Way<'_>], draws: &[(usize, u64)]) -> Table {
    let mut table = Table::new(&["way", "#sets", "#draws", "#error"]);
    let Some(own) = ways.iter().position(|way| way.name == MACHINE) else { return table };
    let sets = by_set(draws, |draw| rmse(ways, draw));
    let row = |k: usize| {
        let less = |rows: &Vec<Vec<f64>>| {
            mean(rows.iter().map(|row| row[own])) < mean(rows.iter().map(|row| row[k]))
        };
        let won = sets.iter().filter(|(_, rows)| less(rows)).count();
        let all: Vec<&Vec<f64>> = sets.iter().flat_map(|(_, rows)| rows).collect();
        let draws = all.iter().filter(|row| row[own] < row[k]).count();
        let ratio = mean(all.iter().map(|row| (row[own] / row[k]).ln())).exp();
        vec![
            Cell::plain(ways[k].name),
            Cell::plain(format!("{won} of {}", sets.len())),
            Cell::plain(format!("{draws} of {}", all.len())),
            Cell::plain(number::ratio(ratio)),
        ]
    };
    (0..ways.len()).filter(|&k| k != own).for_each(|k| table.push(row(k)));
    table
}

fn sizes(way: &Way<'_>, draws: &[(usize, u64)]) -> Table {
    let sets = by_set(draws, |draw| vec![way.records[&draw]]);
    let row = |(set, records): &(usize, Vec<Vec<&Record>>)| {
        let Record { n, tests, d, .. } = records[0][0];
        let targets = if sets::ALL[*set].classes { "classes" } else { "numbers" };
        vec![
            Cell::plain(sets::ALL[*set].name),
            Cell::plain(n.to_string()),
            Cell::plain(tests.to_string()),
            Cell::plain(d.to_string()),
            Cell::plain(targets),
            Cell::plain(records.len().to_string()),
        ]
    };
    let names = ["set", "#training points", "#test points", "#features", "targets", "#draws"];
    let mut table = Table::new(&names);
    sets.iter().for_each(|set| table.push(row(set)));
    table
}

/// The purpose of the study in numbers: the mean rank of the feature machine and of each other way, and on how many sets it is
/// better than each fixed kernel.
#[must_use]
pub fn findings(records: &[Record]) -> Vec<String> {
    let ways = complete(records);
    let Some(first) = ways.first() else { return Vec::new() };
    let draws: Vec<(usize, u64)> = first.records.keys().copied().collect();
    let rank = mean_ranks(&ways, &draws);
    let mut said: Vec<String> = ways
        .iter()
        .zip(rank)
        .map(|(way, rank)| format!("{}: mean rank {rank:.2}", way.name))
        .collect();
    let table = beside(&ways, &draws);
    let fixed = table.rows.iter().filter(|row| FIXED.contains(&row[0].text.as_str()));
    said.extend(fixed.map(|row| format!("better than {} on {}", row[0].text, row[1].text)));
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(set: &str, seed: u64, way: &str, rmse: f64) -> Record {
        let (set, way, chosen) = (set.to_owned(), way.to_owned(), String::new());
        Record { set, seed, way, n: 10, tests: 5, d: 2, rmse, seconds: 1.0, chosen }
    }

    #[test]
    fn equals_share_their_rank() {
        let ranks = ranks_of(&[0.3, 0.1, 0.3, 0.2]);
        assert!(ranks.iter().zip([3.5, 1.0, 3.5, 2.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    /// Draws that one way has not done do not count, and sets count alike whatever their draws.
    #[test]
    fn ranks_are_of_draws_that_all_have_done() {
        let records = [
            record("pol", 0, MACHINE, 0.1),
            record("pol", 0, "SVR", 0.2),
            record("pol", 1, MACHINE, 0.3),
            record("heart", 0, MACHINE, 0.5),
            record("heart", 0, "SVR", 0.4),
            record("heart", 1, MACHINE, 0.5),
            record("heart", 1, "SVR", 0.6),
            record("heart", 2, MACHINE, 0.5),
            record("heart", 2, "SVR", 0.4),
        ];
        let findings = findings(&records);
        assert_eq!(findings, ["feature machine: mean rank 1.33", "SVR: mean rank 1.67"]);
        let page = text(&records, "today");
        assert!(page.contains("| SVR | 1 of 2 | 2 of 4 |"), "{page}");
    }
}
