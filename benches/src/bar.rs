//! The quality that a peer's answer has to reach for its time to count.

use crate::row::Row;

/// The quality that a peer's answer has to reach in one figure.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// The name of the figure.
    pub figure: &'static str,
    /// The meaning of the figure.
    pub reading: Reading,
    /// The error may be so many times that of the library, …
    pub factor: f64,
    /// … or so much in single precision, …
    pub enough_f32: f64,
    /// … or so much in double precision, whichever is more.
    pub enough_f64: f64,
}

/// The meaning of a figure: the part of it that is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The figure is one.
    Error,
    /// The figure is a share of what is right; what is missing to 1 is the error.
    Share,
    /// The figure is an objective that is maximised; `factor`, below 1, times that of the library
    /// has to be reached.
    Gain,
}

impl Bar {
    /// Tells whether the answer of `peer` is good enough beside that of `kern`. A figure that is missing
    /// or NaN is not.
    #[must_use]
    pub fn is_reached(&self, kern: &Row, peer: &Row) -> bool {
        if self.reading == Reading::Gain {
            let figure = |row: &Row| row.quality.get(self.figure).copied();
            let pair = figure(kern).zip(figure(peer));
            return pair.is_some_and(|(ours, theirs)| theirs >= self.factor * ours);
        }
        let enough = if peer.dtype == "f32" { self.enough_f32 } else { self.enough_f64 };
        let allowed = self.error(kern).map_or(enough, |error| enough.max(self.factor * error));
        self.error(peer).is_some_and(|error| error <= allowed)
    }

    fn error(&self, row: &Row) -> Option<f64> {
        let value = *row.quality.get(self.figure)?;
        Some(match self.reading {
            Reading::Error | Reading::Gain => value,
            Reading::Share => 1.0 - value,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::row::{Figures, Params, Seconds};

    const ERROR: Bar = Bar {
        figure: "error",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-5,
        enough_f64: 1e-12,
    };

    pub(crate) fn row(implementation: &str, median: f64, figure: (&str, f64)) -> Row {
        Row {
            task: "lazy_matvec".into(),
            implementation: implementation.into(),
            variant: "rhs1".into(),
            dtype: "f64".into(),
            n: 1,
            d: 1,
            threads: 2,
            params: Params::new(),
            seconds: Seconds { median, min: median, max: median, repeats: 5, times: vec![] },
            quality: Figures::from([(figure.0.to_owned(), figure.1)]),
            peak_rss_mib: None,
            limit: None,
            work: None,
            note: String::new(),
        }
    }

    #[test]
    fn an_error_may_be_ten_times_ours_or_small() {
        let reached = |ours, theirs| {
            ERROR.is_reached(&row("kern", 1.0, ("error", ours)), &row("a", 1.0, ("error", theirs)))
        };
        assert!(reached(1e-3, 9e-3) && !reached(1e-3, 11e-3));
        assert!(reached(0.0, 1e-12) && !reached(0.0, 1e-11));
        assert!(!reached(1.0, f64::NAN));
        let single = |row: Row| Row { dtype: "f32".into(), ..row };
        let (ours, theirs) = (row("kern", 1.0, ("error", 0.0)), row("a", 1.0, ("error", 1e-6)));
        assert!(ERROR.is_reached(&single(ours), &single(theirs)));
        assert!(!ERROR.is_reached(&row("kern", 1.0, ("error", 1.0)), &row("a", 1.0, ("b", 0.0))));
    }

    #[test]
    fn a_share_falls_short_of_one() {
        let bar = Bar { figure: "recall", reading: Reading::Share, enough_f64: 0.001, ..ERROR };
        let reached = |theirs| {
            bar.is_reached(&row("kern", 1.0, ("recall", 1.0)), &row("a", 1.0, ("recall", theirs)))
        };
        assert!(reached(1.0) && reached(0.9995) && !reached(0.99));
    }

    #[test]
    fn an_objective_has_to_be_reached_but_for_a_share() {
        let bar = Bar { reading: Reading::Gain, factor: 0.999, figure: "dual", ..ERROR };
        let reached = |theirs| {
            bar.is_reached(&row("kern", 1.0, ("dual", 100.0)), &row("a", 1.0, ("dual", theirs)))
        };
        assert!(reached(99.95) && reached(101.0) && !reached(99.8) && !reached(f64::NAN));
        assert!(!bar.is_reached(&row("kern", 1.0, ("dual", 1.0)), &row("a", 1.0, ("b", 1.0))));
    }
}
