//! Models of tables.

use crate::fitted::Fitted;
use crate::{Answers, ClassType, Error, Evidence, Leaderboard, Note, Probabilities, Search};
use kern_core::{Error as CoreError, named};
use kern_data::{Schema, Table};
use kern_solvers::Report;
use serde::{Deserialize, Serialize};

/// A model that stores the columns of its training table, for any method and kernel.
///
/// # Examples
/// See the [crate](crate).
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct TableModel {
    pub(crate) task: String,
    pub(crate) target: Option<String>,
    pub(crate) class_type: ClassType,
    pub(crate) schema: Schema,
    pub(crate) kernel: String,
    pub(crate) rows: u64,
    pub(crate) search: Option<Search>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notes: Vec<Note>,
    pub(crate) fitted: Fitted,
}

named! { [] TableModel = "table"; }

/// A model as it is deserialized, before its invariants are checked.
#[derive(Deserialize)]
struct Unchecked {
    task: String,
    target: Option<String>,
    class_type: ClassType,
    schema: Schema,
    kernel: String,
    rows: u64,
    search: Option<Search>,
    evidence: Option<Evidence>,
    notes: Vec<Note>,
    fitted: Fitted,
}

impl TryFrom<Unchecked> for TableModel {
    type Error = CoreError;

    fn try_from(read: Unchecked) -> Result<Self, CoreError> {
        let Unchecked {
            task,
            target,
            class_type,
            schema,
            kernel,
            rows,
            search,
            evidence,
            notes,
            fitted,
        } = read;
        CoreError::check_dimension("columns of numbers", fitted.width(), schema.numbers().count())?;
        if let Some(Search { trials, best: Some(best), .. }) = &search {
            CoreError::check_indices(&[*best], trials.len())?;
        }
        Ok(Self { task, target, class_type, schema, kernel, rows, search, evidence, notes, fitted })
    }
}

impl TableModel {
    /// Predicts for the rows of a table that has the columns of the model, in any order. Columns
    /// without any value in training are not required.
    ///
    /// # Errors
    /// [`Error::Data`] for a column that is missing or of another kind; errors of the model's
    /// prediction.
    pub fn predict(&self, table: &Table) -> Result<Answers, Error> {
        let rows = table.rows(&self.schema)?;
        if rows.is_empty() {
            return Err(kern_solvers::Error::Empty.into());
        }
        Ok(self.fitted.predict(&rows)?)
    }

    /// The class probabilities; `None` if the method does not provide probabilities.
    ///
    /// # Errors
    /// As [`predict`](TableModel::predict).
    pub fn probabilities(&self, table: &Table) -> Result<Option<Probabilities>, Error> {
        let rows = table.rows(&self.schema)?;
        Ok(self.fitted.probabilities(&rows).transpose()?)
    }

    /// The task: `classify`, `regress`, `detect` or `cluster`.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }

    /// The method, in words.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.fitted.name()
    }

    /// The kernel, with all of its parameters.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The target column, if there is one.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The type of the classes in the target column; [`ClassType::Word`] if there are no classes.
    #[must_use]
    pub fn class_type(&self) -> ClassType {
        self.class_type
    }

    /// The columns that the model requires.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of training rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The search for hyper-parameters, if there was one.
    #[must_use]
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// The candidates of the [contest](crate::Training::contest), if there was one.
    #[must_use]
    pub fn leaderboard(&self) -> Option<&Leaderboard> {
        match &self.fitted {
            Fitted::Contest(ensemble) => Some(ensemble.leaderboard()),
            _ => None,
        }
    }

    /// The score of the fit, next to that of a constant prediction: by cross-validation after a
    /// search, by leave-one-out if that selected λ, otherwise on training rows. `None` for tasks
    /// without targets and for fits in rounds.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Warnings about this model: for example identical predictions for all rows, a class that is
    /// rarely found, or a fit that was stopped early.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The report of the fit.
    #[must_use]
    pub fn report(&self) -> &Report {
        self.fitted.report()
    }
}
