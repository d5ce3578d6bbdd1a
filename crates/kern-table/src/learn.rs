//! Fits to tables: by one method, or by a contest of several.

use crate::contest::compete;
use crate::table_fit::{Columns, Learned, Parts};
use crate::{ClassType, Error, TableModel, Task, Training};
use kern_data::Table;
use kern_solvers::Run;

impl Training {
    /// Fits a table, with a run of default settings.
    ///
    /// # Errors
    /// As [`learn`](Training::learn).
    pub fn fit(&self, table: &Table) -> Result<TableModel, Error> {
        self.learn(table, &mut Run::new())
    }

    /// Fits a table.
    ///
    /// Ridge regression without a λ selects the one with the smallest leave-one-out error
    /// ([`Ridge::choose_lambda`](kern_solvers::ridge::Ridge::choose_lambda)). If the exact kernel
    /// is predicted to exceed the [time limit](Run::time_limit) of the run and landmarks are not
    /// set, the fit uses landmarks. At the [deadline](Run::deadline) of the run, or when its
    /// observer stops it, the best model so far is returned, and the [notes](TableModel::notes)
    /// report it.
    ///
    /// # Errors
    /// [`Error::NoTarget`], [`Error::NoColumns`], [`Error::Method`]; [`Error::Data`] for a column
    /// that does not exist, and for targets that are missing or, in regression, not numbers;
    /// [`Error::Core`] for an invalid formula; [`Error::NotHere`] for landmarks with a method that
    /// does not support them; [`Error::NothingReached`] for a fit that was stopped before it was
    /// better than a constant prediction; [`Error::Solvers`] for errors of the fit.
    pub fn learn(&self, table: &Table, run: &mut Run<'_>) -> Result<TableModel, Error> {
        let method = self.checked_method()?;
        let Parts { target, weights, groups, points } = self.parts(table)?;
        let schema = points.schema();
        let rows = points.rows(&schema)?;
        if rows.is_empty() {
            return Err(kern_solvers::Error::Empty.into());
        }
        let (target, weights, groups) = (target.as_ref(), weights.as_deref(), groups.as_deref());
        let class_type = match (self.task, target) {
            (Task::Classify, Some(target)) => {
                self.type_of(&target.labels()?, target.values.are_numbers())
            }
            _ => ClassType::default(),
        };
        let columns = Columns { schema: &schema, rows: &rows, target, weights, groups };
        self.check_contest()?;
        let learned = match self.contest {
            Some(budget) => compete(self, columns, budget, run)?,
            None => self.with_method(method, columns, run)?,
        };
        let Learned { fitted, search, kernel, evidence, notes } = learned;
        Ok(TableModel {
            task: self.task.name().to_string(),
            target: self.target.clone(),
            class_type,
            schema,
            kernel,
            rows: rows.len() as u64,
            search,
            evidence,
            notes,
            fitted,
        })
    }
}
