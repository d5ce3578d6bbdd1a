//! The checks of numbers that a model gives away.

use crate::Case;
use kern_solvers::{Details, Error, Report};

/// A model that is read.
#[derive(Debug)]
pub(super) struct Reading<'c> {
    pub(super) case: &'c mut Case,
    pub(super) name: &'static str,
}

/// The share of a number by which sums that cannot fall, or have to be 1, may be off.
const ROUNDING: f64 = 1e-5;

impl Reading<'_> {
    /// Finds the first number that is not finite.
    pub(super) fn finite(&mut self, what: &str, numbers: impl IntoIterator<Item = f64>) {
        let bad = numbers.into_iter().enumerate().find(|(_, number)| !number.is_finite());
        if let Some((index, number)) = bad {
            self.broken("not finite", what, &format!("{number} at {index}"));
        }
    }

    /// Finds the first row of shares that are none, or do not add up to 1.
    pub(super) fn shares(&mut self, what: &str, rows: impl IntoIterator<Item = Vec<f64>>) {
        let is_share = |p: &f64| (0.0..=1.0 + ROUNDING).contains(p);
        let is_good = |row: &Vec<f64>| {
            let sum: f64 = row.iter().sum();
            row.iter().all(is_share) && (sum - 1.0).abs() <= ROUNDING
        };
        if let Some(row) = rows.into_iter().find(|row| !is_good(row)) {
            self.broken("no shares", what, &format!("{row:?}"));
        }
    }

    /// Adds a finding about a number of this model.
    pub(super) fn broken(&mut self, kind: &str, what: &str, detail: &str) {
        self.case.find(kind, format!("{what} of {}", self.name), detail);
    }

    /// The report: finite numbers, and a gap that is one.
    pub(super) fn report(&mut self, report: &Report) {
        self.finite("objective", [report.objective]);
        if let Some(gap) = report.gap {
            let is_known = gap.is_finite() || !report.status.has_converged();
            if gap.is_nan() || gap < 0.0 || !is_known {
                self.broken("no gap", "gap", &report.to_string());
            }
        }
        self.details(&report.details);
    }

    fn details(&mut self, details: &Details) {
        match details {
            Details::Svm(svm) => {
                self.finite("dual objective", [svm.dual]);
                self.finite("violation", [svm.violation]);
                self.finite("width", svm.widths.iter().copied());
            }
            Details::KMeans(means) => {
                self.finite("objectives", means.objectives.iter().copied());
                self.finite("objectives of batches", means.batch_objectives.iter().copied());
                self.finite("lower bound", means.lower_bound);
                let rises = |pair: &[f64]| pair[1] > pair[0] + ROUNDING * pair[0].abs();
                if let Some(pair) = means.objectives.windows(2).find(|pair| rises(pair)) {
                    self.broken("rises", "objective", &format!("{pair:?}"));
                }
            }
            Details::Perceptron(perceptron) => {
                self.finite("squared norm", [perceptron.squared_norm]);
                self.finite("squared radius", [perceptron.squared_radius]);
            }
            Details::Planned(planned) => {
                let excess = planned.excess.iter().flat_map(|e| [e.estimate, e.standard_error]);
                self.finite("price of landmarks", excess);
            }
            _ => {}
        }
    }
}

/// An error is an answer, unless it says that the allocator has refused what a budget allows.
pub(super) fn refused(case: &mut Case, name: &'static str, error: &Error) {
    if format!("{error:?}").contains("Allocation") {
        case.find("memory", name, error.to_string());
    }
}
