//! Permutation importance of columns.

use crate::{Answers, Error, TableModel};
use kern_data::{Column, Table};
use kern_solvers::pipeline::is_constant;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hasher;

/// Half the width of an interval, in standard errors.
const STANDARD_ERRORS: f64 = 2.0;

/// The second key of the hash that orders rows.
const KEY: u64 = 0x7065_726d;

/// The importance of the columns of a model: the decrease of its score when the values of one
/// column are permuted among the rows, by [`TableModel::importance`].
///
/// # Examples
/// See [`TableModel::importance`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Importance {
    /// The name of the score: `accuracy`, `R²`, or `negative mean squared error` if all targets are
    /// equal, where R² is undefined.
    pub score: String,
    /// The score without a permutation.
    pub baseline: f64,
    /// The number of rows used.
    pub rows: usize,
    /// The number of rows given.
    pub of: usize,
    /// The number of permutations of each column.
    pub repeats: usize,
    /// The columns, by decreasing importance.
    pub columns: Vec<ColumnImportance>,
}

/// The importance of one column.
///
/// # Examples
/// See [`TableModel::importance`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnImportance {
    /// The name of the column.
    pub column: String,
    /// The mean decrease of the score.
    pub mean: f64,
    /// The standard error of the mean, over rows and permutations.
    pub standard_error: f64,
    /// True if the mean differs from zero by more than two standard errors.
    pub differs_from_zero: bool,
}

impl Importance {
    /// The largest number of rows used. Of more rows, a random sample of this size is taken.
    pub const MAX_ROWS: usize = 1000;
}

impl ColumnImportance {
    /// The interval of two standard errors on both sides of the mean.
    ///
    /// # Examples
    /// See [`TableModel::importance`].
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        let half = STANDARD_ERRORS * self.standard_error;
        [self.mean - half, self.mean + half]
    }
}

impl fmt::Display for Importance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, baseline, rows, of, repeats, columns } = self;
        write!(f, "{score} {baseline:.4} on {rows} of {of} rows; decrease by permutation of a ")?;
        writeln!(f, "column, mean of {repeats}:")?;
        write!(f, "decrease  standard error  differs from 0  column")?;
        columns.iter().try_for_each(|column| write!(f, "\n{column}"))
    }
}

impl fmt::Display for ColumnImportance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, mean, standard_error, differs_from_zero } = self;
        let differs = if *differs_from_zero { "yes" } else { "no" };
        write!(f, "{mean:>8.4}  {standard_error:>14.4}  {differs:<14}  {column}")
    }
}

impl TableModel {
    /// The permutation importance (Breiman 2001) of each column of the model.
    ///
    /// The importance of a column is the mean over `repeats` random permutations π of
    /// ⅟n·Σᵢ dᵢ, where dᵢ = ℓ(yᵢ, f(xᵢ with the value of row π(i))) − ℓ(yᵢ, f(xᵢ)). The loss ℓ is
    /// 1 for a wrong class, so that the mean is a decrease of accuracy, or (y − f)²/var(y), so that
    /// it is a decrease of R². Columns that carry the same information share their importance, and
    /// permutations create rows that may be unlike any real row.
    ///
    /// The mean estimates a U-statistic over pairs of rows (Fisher, Rudin & Dominici 2019). Its
    /// standard error is therefore the standard deviation over rows of gᵢ, divided by √n, where gᵢ
    /// is the mean of dᵢ plus the mean of the difference in the row that received the value of row
    /// i. It covers the sampling of rows and of permutations; the variance of the targets is
    /// taken as known.
    ///
    /// Of more than [`Importance::MAX_ROWS`] rows a random sample is used. The result is determined
    /// by the table and the seed. Cost: 1 + `repeats` × columns predictions for these rows.
    ///
    /// # Errors
    /// [`Error::WithoutTarget`] for a model without targets; [`Error::Setting`] for `repeats` = 0 or
    /// a single row; [`Error::Data`] if the table lacks the target or another column, or has a
    /// missing target; errors of [`predict`](Self::predict).
    ///
    /// # Examples
    /// ```
    /// use kern_data::{Format, Source};
    /// use kern_table::{Task, Training};
    /// let row = |i: u32| format!("{},{},{}\n", i % 10, i * 7 % 11, f64::from(i % 10).sin());
    /// let text: String = ["x,noise,y\n".to_string()].into_iter().chain((0..60).map(row)).collect();
    /// let table = Source::new(Format::Csv, text.as_bytes()).read()?;
    /// let model = Training::new(Task::Regress).target("y").fit(&table)?;
    ///
    /// let importance = model.importance(&table, 5, 0)?;
    /// let best = &importance.columns[0];
    /// assert!(best.column == "x" && best.differs_from_zero && best.interval()[0] > 0.5);
    /// assert!(importance.columns[1].mean < 0.5 * best.mean);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn importance(
        &self,
        table: &Table,
        repeats: usize,
        seed: u64,
    ) -> Result<Importance, Error> {
        let without = || Error::WithoutTarget { task: self.task().to_string() };
        let target = self.target().ok_or_else(without)?;
        let of = table.len();
        check("repeats", repeats, 1)?;
        check("the number of rows", of, 2)?;
        let mut sample = order(of, [seed, u64::MAX, u64::MAX]);
        sample.truncate(Importance::MAX_ROWS);
        sample.sort_unstable();
        let table = table.select(&sample)?;
        let truth = Truth::of(self, table.column(target)?)?;
        let points = self.points(&table)?;
        let losses = truth.losses(self, &points)?;
        let n = losses.len();
        let mut columns = Vec::with_capacity(points.columns().len());
        for (place, column) in points.columns().iter().enumerate() {
            let mut pairs = Pairs::new(n);
            for repeat in 0..repeats {
                let donors = order(n, [seed, place as u64, repeat as u64]);
                let permuted = truth.losses(self, &exchanged(&points, place, &donors)?)?;
                pairs.add(&donors, &losses, &permuted);
            }
            columns.push(pairs.importance(&column.name, repeats));
        }
        columns.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let (score, best) = truth.score();
        let baseline = best - losses.iter().sum::<f64>() / n as f64;
        Ok(Importance { score: score.to_string(), baseline, rows: n, of, repeats, columns })
    }

    /// The columns of the model among those of a table.
    fn points(&self, table: &Table) -> Result<Table, Error> {
        // Reports a missing column and one of another kind in the same way as a prediction.
        table.rows(self.schema())?;
        let columns = self.schema().fields.iter().map(|field| table.column(&field.name).cloned());
        Ok(Table::new(columns.collect::<Result<_, _>>()?)?)
    }
}

fn check(name: &str, given: usize, least: usize) -> Result<(), Error> {
    if given >= least {
        return Ok(());
    }
    let allowed = if least == 1 { "at least 1" } else { "at least 2" };
    Err(Error::Setting { name: name.to_string(), given: given.to_string(), allowed })
}

/// A random order of `n` rows.
fn order(n: usize, [seed, column, repeat]: [u64; 3]) -> Vec<usize> {
    let key = |row: usize| {
        let mut hasher = SipHasher13::new_with_keys(seed, KEY);
        [column, repeat, row as u64].into_iter().for_each(|part| hasher.write_u64(part));
        hasher.finish()
    };
    let mut rows: Vec<usize> = (0..n).collect();
    rows.sort_by_cached_key(|&row| (key(row), row));
    rows
}

/// The table with the values of one column taken from these rows.
fn exchanged(points: &Table, place: usize, donors: &[usize]) -> Result<Table, Error> {
    let mut columns = points.columns().to_vec();
    let column = Table::new(vec![columns[place].clone()])?.select(donors)?;
    columns[place].values = column.columns()[0].values.clone();
    Ok(Table::new(columns)?)
}

/// The targets of the rows.
enum Truth<'t> {
    /// Values, with the divisor of their squared errors; 1 if all are equal.
    Numbers {
        values: &'t [f64],
        variance: f64,
        is_constant: bool,
    },
    Classes(&'t Column),
}

impl<'t> Truth<'t> {
    fn of(model: &TableModel, target: &'t Column) -> Result<Self, Error> {
        if model.task() == "classify" {
            return Ok(Self::Classes(target));
        }
        let values = target.numbers()?;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
        let is_constant = is_constant::<f64>(n, mean, variance);
        let variance = if is_constant { 1.0 } else { variance };
        Ok(Self::Numbers { values, variance, is_constant })
    }

    /// The name of the score, and its largest value.
    const fn score(&self) -> (&'static str, f64) {
        match self {
            Self::Numbers { is_constant: true, .. } => ("negative mean squared error", 0.0),
            Self::Numbers { .. } => ("R²", 1.0),
            Self::Classes(_) => ("accuracy", 1.0),
        }
    }

    /// The loss of the prediction for each row.
    fn losses(&self, model: &TableModel, points: &Table) -> Result<Vec<f64>, Error> {
        match (self, model.predict(points)?) {
            (Self::Numbers { values, variance, .. }, Answers::Numbers(found)) => {
                let loss = |(y, f): (&f64, f64)| (y - f).powi(2) / variance;
                Ok(values.iter().zip(found).map(loss).collect())
            }
            (Self::Classes(target), Answers::Classes(found)) => {
                let known: BTreeSet<&String> = found.iter().collect();
                let known: Vec<String> = known.into_iter().cloned().collect();
                let truth = target.labels_as(&known)?;
                Ok(truth.iter().zip(&found).map(|(y, f)| f64::from(y != f)).collect())
            }
            _ => Err(Error::WithoutTarget { task: model.task().to_string() }),
        }
    }
}

/// Sums of loss differences over permutations.
struct Pairs {
    total: f64,
    /// For each row: its own differences, and those of the rows that received its value.
    of_row: Vec<f64>,
}

impl Pairs {
    fn new(rows: usize) -> Self {
        Self { total: 0.0, of_row: vec![0.0; rows] }
    }

    fn add(&mut self, donors: &[usize], losses: &[f64], permuted: &[f64]) {
        for (row, &donor) in donors.iter().enumerate() {
            let difference = permuted[row] - losses[row];
            self.total += difference;
            self.of_row[row] += difference;
            self.of_row[donor] += difference;
        }
    }

    fn importance(&self, column: &str, repeats: usize) -> ColumnImportance {
        let (n, repeats) = (self.of_row.len() as f64, repeats as f64);
        let mean = self.total / n / repeats;
        let square = |sum: &f64| (sum / repeats - 2.0 * mean).powi(2);
        let variance = self.of_row.iter().map(square).sum::<f64>() / (n - 1.0);
        let standard_error = (variance / n).sqrt();
        let differs_from_zero = mean.abs() > STANDARD_ERRORS * standard_error;
        ColumnImportance { column: column.to_string(), mean, standard_error, differs_from_zero }
    }
}
