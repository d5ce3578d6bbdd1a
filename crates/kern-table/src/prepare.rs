//! Preparation of the numeric columns of rows for a kernel.

use crate::Rows;
use kern_core::memory::matrix_bytes;
use kern_core::{Error as CoreError, Row, named, named_parameters};
use kern_solvers::pipeline::is_constant;
use kern_solvers::{Data, Error, Learner, Run, Targets, Transformer};
use serde::{Deserialize, Serialize};

/// Fills missing numbers with the column mean and scales every column to mean 0 and variance 1.
///
/// # Definition
/// x ↦ (x − μ)/σ with the weighted mean μ and variance σ² of the present values; a missing value
/// becomes 0, the mean. A column that is constant up to round-off, as for
/// [`Standardize`](kern_solvers::pipeline::Standardize), is divided by 1.
///
/// # Complexity
/// O(nd).
///
/// # Examples
/// ```
/// use kern_core::Row;
/// use kern_solvers::{Data, Learner, Run, Transformer};
/// use kern_table::Prepare;
/// let row = |number: f64| Row { numbers: vec![number], ..Row::default() };
/// let rows = vec![row(1.0), row(f64::NAN), row(3.0)];
/// let prepared = Prepare::new().learn(&Data::unlabelled(&rows)?, &mut Run::new())?;
/// assert_eq!(prepared.transform(&rows)?, [row(-1.0), row(0.0), row(1.0)]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepare {
    standardized: bool,
    /// A further factor of each column; empty if there is none.
    stretch: Vec<f64>,
}

impl Default for Prepare {
    fn default() -> Self {
        Self::new()
    }
}

impl Prepare {
    /// Fills missing values and standardizes.
    #[must_use]
    pub const fn new() -> Self {
        Self { standardized: true, stretch: Vec::new() }
    }

    /// Sets whether numbers are standardized; if false, missing values are only filled. Default:
    /// true.
    #[must_use]
    pub const fn standardized(mut self, standardized: bool) -> Self {
        self.standardized = standardized;
        self
    }

    /// Multiplies the columns by these factors after they are standardized.
    #[must_use]
    pub(crate) fn stretched(mut self, factors: Vec<f64>) -> Self {
        self.stretch = factors;
        self
    }
}

named_parameters!([] Prepare { standardized("standardized", None) });

/// The fitted preparation of the numeric columns of rows, created by [`Prepare`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Scale>", into = "Vec<Scale>")]
pub struct Prepared {
    columns: Vec<Scale>,
}

named! { [] Prepared = "prepared"; }

/// x ↦ (x − shift)·factor, with `mean` substituted for a missing x.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scale {
    mean: f64,
    shift: f64,
    factor: f64,
}

impl Scale {
    /// The scale of a column with `n` values, this mean and this variance.
    pub(crate) fn new(n: f64, mean: f64, variance: f64, standardized: bool) -> Self {
        match standardized {
            true if !is_constant::<f64>(n, mean, variance) => {
                Self { mean, shift: mean, factor: variance.sqrt().recip() }
            }
            true => Self { mean, shift: mean, factor: 1.0 },
            false => Self { mean, shift: 0.0, factor: 1.0 },
        }
    }
}

impl TryFrom<Vec<Scale>> for Prepared {
    type Error = CoreError;

    fn try_from(columns: Vec<Scale>) -> Result<Self, CoreError> {
        let wrong = |column: &&Scale| {
            ![column.mean, column.shift, column.factor].into_iter().all(f64::is_finite)
        };
        match columns.iter().find(wrong) {
            Some(column) => Err(CoreError::Parameter {
                name: "the scale of a column",
                given: column.factor,
                allowed: "finite, as its mean",
            }),
            None => Ok(Self { columns }),
        }
    }
}

impl From<Prepared> for Vec<Scale> {
    fn from(prepared: Prepared) -> Self {
        prepared.columns
    }
}

impl Prepared {
    /// The preparation of numeric columns with these finite scales.
    pub(crate) fn new(columns: Vec<Scale>) -> Result<Self, CoreError> {
        Self::try_from(columns)
    }

    /// The number of numeric columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }
}

impl<Y: Targets> Learner<Rows, Y> for Prepare {
    type Model = Prepared;

    fn learn(&self, data: &Data<'_, Rows, Y>, _: &mut Run<'_>) -> Result<Prepared, Error> {
        let rows = data.points();
        let width = rows.first().map_or(0, |row| row.numbers.len());
        check_widths(rows, width)?;
        let column = |k: usize| {
            let values = |i: usize| rows[i].numbers[k];
            let there = || (0..rows.len()).filter(|&i| !values(i).is_nan() && data.weight(i) > 0.0);
            let total: f64 = there().map(|i| data.weight(i)).sum();
            if total <= 0.0 {
                return Scale { mean: 0.0, shift: 0.0, factor: 1.0 };
            }
            let mean = there().map(|i| data.weight(i) / total * values(i)).sum::<f64>();
            let squares = there().map(|i| data.weight(i) / total * (values(i) - mean).powi(2));
            Scale::new(there().count() as f64, mean, squares.sum(), self.standardized)
        };
        let mut columns: Vec<Scale> = (0..width).map(column).collect();
        if !self.stretch.is_empty() {
            CoreError::check_dimension("factors of columns", width, self.stretch.len())?;
            columns.iter_mut().zip(&self.stretch).for_each(|(column, by)| column.factor *= by);
        }
        Ok(Prepared::try_from(columns)?)
    }
}

impl Transformer<Rows> for Prepared {
    type Output = Rows;

    fn transform(&self, rows: &Rows) -> Result<Rows, Error> {
        check_widths(rows, self.columns.len())?;
        let number = |(column, &x): (&Scale, &f64)| {
            (if x.is_nan() { column.mean } else { x } - column.shift) * column.factor
        };
        let prepared = |row: &Row| Row {
            numbers: self.columns.iter().zip(&row.numbers).map(number).collect(),
            ..row.clone()
        };
        Ok(rows.iter().map(prepared).collect())
    }

    fn bytes(&self, rows: &Rows) -> u64 {
        let text: usize = rows.iter().map(|row| row.text.len() + row.categories.len()).sum();
        let numbers = matrix_bytes::<f64>(self.columns.len(), rows.len());
        matrix_bytes::<Row>(rows.len(), 1).saturating_add(numbers).saturating_add(text as u64)
    }
}

fn check_widths(rows: &[Row], expected: usize) -> Result<(), Error> {
    for row in rows {
        CoreError::check_dimension("numbers of rows", expected, row.numbers.len())?;
    }
    Ok(())
}
