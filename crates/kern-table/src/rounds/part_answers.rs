//! Predictions for parts of files, and scores that are sums over parts.

use super::job::READ;
use super::survey::Moments;
use crate::{Answers, Error, TableModel};
use kern_data::{Column, Part, Source, Table};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// Number of rows that are read at a time.
const ROWS: usize = 4096;

impl TableModel {
    /// Passes the predictions for the rows of a part of a file to `f`, in batches and in order.
    /// Works for every model.
    ///
    /// # Errors
    /// [`Error::Part`] with the file; errors of [`predict`](Self::predict) and of `f`.
    pub fn predict_part(
        &self,
        part: &Part,
        memory: &MemoryBudget,
        mut f: impl FnMut(&Table, Answers) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut read = || -> Result<(), Error> {
            let fields = self.schema.fields.iter().map(|field| field.name.clone());
            let source = Source::of_part(part)?.schema(&self.schema);
            let mut source = source.columns(fields.chain(self.target.clone()));
            if let Some(target) = &self.target {
                source = source.keep_spelling(target);
            }
            for table in source.limit(memory.as_bytes() / READ).batches(ROWS)? {
                let table = table?;
                let answers = self.predict(&table)?;
                f(&table, answers)?;
            }
            Ok(())
        };
        read().map_err(|error| error.of_part(part))
    }

    /// The score of the predictions for a part with known targets.
    ///
    /// # Errors
    /// As [`predict_part`](Self::predict_part), [`Error::NotHere`] for a model without targets.
    pub fn score_part(&self, part: &Part, memory: &MemoryBudget) -> Result<Scored, Error> {
        let target = self.target.as_deref().ok_or(Error::NotHere("the model has no target"))?;
        let mut scored = Scored::default();
        self.predict_part(part, memory, |table, answers| {
            scored.add(table.column(target)?, &answers)
        })?;
        Ok(scored)
    }
}

/// The number of correct classes, or the squared errors of a regression, as sums over rows.
///
/// # Examples
/// ```
/// use kern_table::rounds::Scored;
/// let mut all = Scored::regression(&[1.0, 2.0], &[1.0, 2.5]);
/// all.merge(&Scored::regression(&[6.0], &[6.0]));
/// // R² = 1 − Σ(y − f)²/Σ(y − ȳ)²
/// assert_eq!(all.score(), Some(1.0 - 0.25 / 14.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    rows: f64,
    hits: f64,
    /// Σ(y − f)², for regression.
    errors: Option<f64>,
    mean: f64,
    squares: f64,
}

impl Scored {
    /// The sums for targets y and predictions f.
    #[must_use]
    pub fn regression(y: &[f64], f: &[f64]) -> Self {
        let errors = y.iter().zip(f).map(|(y, f)| (y - f).powi(2)).sum();
        let Moments { weight: rows, mean, squares } = Moments::of(y, None);
        Self { rows, hits: 0.0, errors: Some(errors), mean, squares }
    }

    fn add(&mut self, target: &Column, answers: &Answers) -> Result<(), Error> {
        match answers {
            Answers::Numbers(numbers) => {
                self.merge(&Self::regression(target.numbers()?, numbers));
            }
            Answers::Classes(classes) => {
                let labels = target.labels_as(&distinct(classes))?;
                self.hits += labels.iter().zip(classes).filter(|(a, b)| a == b).count() as f64;
                self.rows += labels.len() as f64;
            }
            _ => return Err(Error::NotHere("scores are for classes and numbers")),
        }
        Ok(())
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) {
        if other.rows <= 0.0 {
            return;
        }
        let mut moments = self.moments();
        moments.add(other.moments());
        let Moments { weight: rows, mean, squares } = moments;
        self.hits += other.hits;
        self.errors = match (self.errors, other.errors) {
            (Some(errors), Some(more)) => Some(errors + more),
            (errors, more) => errors.or(more),
        };
        (self.rows, self.mean, self.squares) = (rows, mean, squares);
    }

    /// The moments of the targets.
    fn moments(&self) -> Moments {
        Moments { weight: self.rows, mean: self.mean, squares: self.squares }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows as u64
    }

    /// The accuracy of classes, or R² of a regression; `None` if there are no rows, or if R² is
    /// undefined because all targets are equal.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        match self.errors {
            Some(_) if self.moments().is_constant() => None,
            Some(errors) => Some(1.0 - errors / self.squares),
            None => (self.rows > 0.0).then(|| self.hits / self.rows),
        }
    }
}

/// The distinct classes.
fn distinct(classes: &[String]) -> Vec<String> {
    let mut distinct = classes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
