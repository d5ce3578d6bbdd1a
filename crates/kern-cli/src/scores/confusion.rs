//! Scores of predicted classes.

use super::NORMAL;
use std::collections::{BTreeMap, BTreeSet};

/// The distinct classes, in alphabetical order.
pub(crate) fn distinct(classes: &[String]) -> Vec<String> {
    let distinct: BTreeSet<&String> = classes.iter().collect();
    distinct.into_iter().cloned().collect()
}

/// The counts of predicted classes for each true class.
pub(crate) struct Confusion {
    /// The classes, in alphabetical order.
    pub(crate) classes: Vec<String>,
    /// A row for each true class, a column for each predicted class.
    pub(crate) counts: Vec<Vec<usize>>,
    pub(crate) rows: usize,
}

impl Confusion {
    pub(crate) fn new(truth: &[String], predicted: &[String]) -> Self {
        let all: BTreeSet<&String> = truth.iter().chain(predicted).collect();
        let classes: Vec<String> = all.into_iter().cloned().collect();
        let places: BTreeMap<&String, usize> = classes.iter().zip(0..).collect();
        let mut counts = vec![vec![0; classes.len()]; classes.len()];
        for pair in truth.iter().zip(predicted) {
            counts[places[pair.0]][places[pair.1]] += 1;
        }
        Self { classes, counts, rows: truth.len() }
    }

    pub(crate) fn accuracy(&self) -> f64 {
        let hits: usize = (0..self.classes.len()).map(|k| self.counts[k][k]).sum();
        hits as f64 / self.rows as f64
    }

    /// The mean recall of the classes that occur.
    pub(crate) fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = (0..self.classes.len()).filter_map(|k| self.recall(k)).collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    /// The number of rows of a class.
    pub(crate) fn support(&self, k: usize) -> usize {
        self.counts[k].iter().sum()
    }

    /// The share of the rows of a class that are predicted as it; `None` if there are none.
    pub(crate) fn recall(&self, k: usize) -> Option<f64> {
        share(self.counts[k][k], self.support(k))
    }

    /// The share of the rows predicted as a class that are of it; `None` if there are none.
    pub(crate) fn precision(&self, k: usize) -> Option<f64> {
        share(self.counts[k][k], self.counts.iter().map(|row| row[k]).sum())
    }

    /// The harmonic mean of precision and recall; `None` if the class is neither present nor
    /// predicted.
    pub(crate) fn f1(&self, k: usize) -> Option<f64> {
        let predicted: usize = self.counts.iter().map(|row| row[k]).sum();
        share(2 * self.counts[k][k], predicted + self.support(k))
    }
}

fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// The 95 % interval of a share of `rows` independent rows (Wilson 1927).
pub(crate) fn wilson(share: f64, rows: f64) -> [f64; 2] {
    let square = NORMAL * NORMAL / rows;
    let center = (share + square / 2.0) / (1.0 + square);
    let variance = share * (1.0 - share) / rows + square / (4.0 * rows);
    let half = NORMAL * variance.sqrt() / (1.0 + square);
    [(center - half).max(0.0), (center + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_is_that_of_wilson() {
        // Newcombe 1998, table I: 81 of 263.
        let [low, high] = wilson(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        let [low, high] = wilson(1.0, 20.0);
        assert!(low > 0.83 && low < 0.85 && high <= 1.0, "{low} {high}");
    }

    #[test]
    fn precision_recall_and_f1() {
        let words = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let confusion = Confusion::new(&words("aaab"), &words("aabc"));
        assert_eq!(confusion.classes, ["a", "b", "c"]);
        assert_eq!(confusion.counts, [[2, 1, 0], [0, 0, 1], [0, 0, 0]]);
        assert_eq!(confusion.recall(0), Some(2.0 / 3.0));
        assert_eq!(confusion.precision(0), Some(1.0));
        assert_eq!(confusion.f1(0), Some(0.8));
        assert_eq!((confusion.recall(2), confusion.precision(2)), (None, Some(0.0)));
        assert_eq!(Some(confusion.accuracy()), share(1, 2));
    }
}
