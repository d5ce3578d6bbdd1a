//! The row of a report, in the form in which it is written to a file.

use crate::work::{Limit, Work};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Parameters of a task by name.
pub type Params = BTreeMap<String, Value>;

/// Quality figures by name.
pub type Figures = BTreeMap<String, f64>;

/// One implementation of one task, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the task.
    pub task: String,
    /// `kern`, or the name and version of a peer.
    #[serde(rename = "impl")]
    pub implementation: String,
    /// Rows of one task with different variants must not be compared with each other.
    pub variant: String,
    /// The number type.
    pub dtype: String,
    /// The number of points.
    pub n: usize,
    /// The dimension of the points.
    pub d: usize,
    /// The number of threads.
    pub threads: usize,
    /// All else that defines the task.
    pub params: Params,
    /// The times.
    pub seconds: Seconds,
    /// The quality of the answer.
    pub quality: Figures,
    /// The greatest resident memory of the process up to the last repeat, inputs included.
    pub peak_rss_mib: Option<f64>,
    /// The limit of the machine: measured in the same process, or counted work at measured rates.
    pub limit: Option<Limit>,
    /// The counted work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// A remark for the reader.
    pub note: String,
}

/// Times of the repeats; the warm-up is not among them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Half of the repeats took less.
    pub median: f64,
    /// The fastest repeat.
    pub min: f64,
    /// The slowest repeat.
    pub max: f64,
    /// The number of repeats.
    pub repeats: usize,
    /// All of them, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
}

impl Seconds {
    /// The statistics of the times of some repeats.
    ///
    /// # Errors
    /// If there are none, or one is not a finite number.
    pub fn new(times: &[f64]) -> Result<Self> {
        ensure!(!times.is_empty(), "there are no times");
        ensure!(times.iter().all(|t| t.is_finite()), "a time is not finite: {times:?}");
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (repeats, median) = (sorted.len(), median(&sorted));
        let times = times.to_vec();
        Ok(Self { median, min: sorted[0], max: sorted[repeats - 1], repeats, times })
    }
}

/// The middle of sorted numbers, or the mean of both; NaN if there are none.
#[must_use]
pub fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[half],
        _ => sorted[half - 1].midpoint(sorted[half]),
    }
}

impl Row {
    /// Tells whether the row is of the library, not of a peer.
    #[must_use]
    pub fn is_kern(&self) -> bool {
        self.implementation == "kern"
    }

    /// Refuses a row without quality, or with a figure that is NaN or infinite: a time whose answer
    /// is unknown is not a result.
    ///
    /// # Errors
    /// Which figure is missing or not finite.
    pub fn check(&self) -> Result<()> {
        ensure!(!self.quality.is_empty(), "{} has no quality figure", self.task);
        for (name, value) in &self.quality {
            ensure!(value.is_finite(), "{}: {name} is {value}", self.task);
        }
        Ok(())
    }
}

/// The words above the columns of a table of rows.
#[derive(Clone, Copy, Debug)]
pub struct Header;

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {:<44} {:>10} {:>10} {:>10}", "", "median s", "min s", "max s")?;
        write!(f, " {:>3} {:>6} {:>8}  quality", "#", "MiB", "x limit")
    }
}

/// A time with five decimals, or with an exponent if these would hide it.
fn decimal(seconds: f64) -> String {
    const SHORT: f64 = 1e-3;
    if seconds < SHORT { format!("{seconds:.3e}") } else { format!("{seconds:.5}") }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seconds { median, min, max, repeats, .. } = &self.seconds;
        let dash = || "-".to_owned();
        let rss = self.peak_rss_mib.map_or_else(dash, |mib| format!("{mib:.0}"));
        let limit = self.limit.as_ref();
        let limit = limit.map_or_else(dash, |limit| format!("{:.2}", median / limit.seconds));
        let [median, min, max] = [*median, *min, *max].map(decimal);
        write!(f, "  {:<44} {median:>10} {min:>10} {max:>10}", self.implementation)?;
        write!(f, " {repeats:>3} {rss:>6} {limit:>8} ")?;
        self.quality.iter().try_for_each(|(name, value)| write!(f, " {name}={value:.4e}"))?;
        if self.note.is_empty() { Ok(()) } else { write!(f, "  ({})", self.note) }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these results are exact")]
mod tests {
    use super::*;
    use serde_json::json;

    fn row() -> Row {
        Row {
            task: "gram_rbf".into(),
            implementation: "kern".into(),
            variant: "d8,reused".into(),
            dtype: "f64".into(),
            n: 8000,
            d: 8,
            threads: 2,
            params: Params::from([("gamma".into(), json!(0.125))]),
            seconds: Seconds { median: 0.1, min: 0.09, max: 0.3, repeats: 5, times: vec![] },
            quality: Figures::from([("max_abs_err".into(), 1.7e-16)]),
            peak_rss_mib: Some(512.5),
            limit: Some(Limit { name: "gemm".into(), seconds: 0.2 }),
            work: None,
            note: String::new(),
        }
    }

    #[test]
    fn a_row_has_the_names_that_readers_expect_and_comes_back() -> Result<()> {
        let expected = json!({
            "task": "gram_rbf", "impl": "kern", "variant": "d8,reused", "dtype": "f64",
            "n": 8000, "d": 8, "threads": 2, "params": {"gamma": 0.125},
            "seconds": {"median": 0.1, "min": 0.09, "max": 0.3, "repeats": 5},
            "quality": {"max_abs_err": 1.7e-16}, "peak_rss_mib": 512.5,
            "limit": {"name": "gemm", "seconds": 0.2}, "note": ""
        });
        assert_eq!(serde_json::to_value(row())?, expected);
        assert_eq!(serde_json::from_str::<Row>(&serde_json::to_string(&row())?)?, row());
        Ok(())
    }

    #[test]
    fn what_is_unknown_is_null() -> Result<()> {
        let unknown = Row { peak_rss_mib: None, limit: None, ..row() };
        let value = serde_json::to_value(&unknown)?;
        assert!(value["limit"].is_null() && value["peak_rss_mib"].is_null());
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(13));
        assert_eq!(serde_json::from_value::<Row>(value)?, unknown);
        Ok(())
    }

    #[test]
    fn medians_of_odd_and_even_numbers_of_times() -> Result<()> {
        let times = vec![3.0, 1.0, 7.0];
        let odd = Seconds::new(&times)?;
        assert_eq!(odd, Seconds { median: 3.0, min: 1.0, max: 7.0, repeats: 3, times });
        assert_eq!(Seconds::new(&[4.0, 1.0, 2.0, 9.0])?.median, 3.0);
        assert!(Seconds::new(&[]).is_err() && Seconds::new(&[1.0, f64::NAN]).is_err());
        Ok(())
    }

    #[test]
    fn a_time_without_a_good_figure_is_refused() {
        assert!(row().check().is_ok());
        assert!(Row { quality: Figures::new(), ..row() }.check().is_err());
        let nan = Figures::from([("recall".to_owned(), f64::NAN)]);
        assert!(Row { quality: nan, ..row() }.check().is_err());
    }

    #[test]
    fn a_line_shows_the_ratio_to_the_limit() {
        let line = row().to_string();
        assert!(line.contains(" 0.50 ") && line.contains("max_abs_err=1.7000e-16"), "{line}");
    }
}
