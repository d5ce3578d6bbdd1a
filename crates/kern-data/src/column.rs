//! Columns.

use crate::{Error, Kind};

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The values.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; a missing one is NaN.
    Numbers(Vec<f64>),
    /// Values of which there are few different ones.
    Categories(Categories),
    /// Text.
    Texts(Vec<Option<String>>),
}

/// Values of which there are few different ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categories {
    /// The different values, in the order of the alphabet where they were found in a file.
    pub levels: Vec<String>,
    /// The place of each value among them; none where it is missing.
    pub codes: Vec<Option<u32>>,
}

impl Categories {
    /// The value of a row, if it is there.
    #[must_use]
    pub fn value(&self, row: usize) -> Option<&str> {
        let code = (*self.codes.get(row)?)?;
        self.levels.get(code as usize).map(String::as_str)
    }
}

impl Values {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Categories(values) => values.codes.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Tells whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of missing values.
    #[must_use]
    pub fn missing(&self) -> usize {
        match self {
            Self::Numbers(values) => values.iter().filter(|v| v.is_nan()).count(),
            Self::Categories(values) => values.codes.iter().filter(|v| v.is_none()).count(),
            Self::Texts(values) => values.iter().filter(|v| v.is_none()).count(),
        }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Numbers(_) => Kind::Number,
            Self::Categories(categories) => Kind::Category { levels: categories.levels.clone() },
            Self::Texts(_) => Kind::Text,
        }
    }

    /// The kind in messages.
    pub(crate) fn described(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "numbers",
            Self::Categories(_) => "categories",
            Self::Texts(_) => "text",
        }
    }

    /// The value of a row as text; none where it is missing.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Numbers(values) => values.get(row).filter(|v| !v.is_nan()).map(f64::to_string),
            Self::Categories(values) => values.value(row).map(Into::into),
            Self::Texts(values) => values.get(row).cloned().flatten(),
        }
    }

    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(rows.iter().map(|&i| values[i]).collect()),
            Self::Categories(Categories { levels, codes }) => Self::Categories(Categories {
                levels: levels.clone(),
                codes: rows.iter().map(|&i| codes[i]).collect(),
            }),
            Self::Texts(values) => Self::Texts(rows.iter().map(|&i| values[i].clone()).collect()),
        }
    }
}

impl Column {
    /// All values as numbers: the targets of a regression.
    ///
    /// # Errors
    /// [`Error::Kind`] if they are not numbers, [`Error::Missing`] for the first one that is not there.
    pub fn numbers(&self) -> Result<&[f64], Error> {
        let Values::Numbers(values) = &self.values else {
            return Err(self.kind_error("numbers"));
        };
        match values.iter().position(|v| v.is_nan()) {
            Some(row) => Err(self.missing(row)),
            None => Ok(values),
        }
    }

    /// All values as text: the classes of a classification.
    ///
    /// # Errors
    /// [`Error::Missing`] for the first one that is not there.
    pub fn labels(&self) -> Result<Vec<String>, Error> {
        let label = |row| self.values.text(row).ok_or_else(|| self.missing(row));
        (0..self.values.len()).map(label).collect()
    }

    fn missing(&self, row: usize) -> Error {
        Error::Missing { column: self.name.clone(), row: row + 1 }
    }

    pub(crate) fn kind_error(&self, expected: &'static str) -> Error {
        let (column, given) = (self.name.clone(), self.values.described());
        Error::Kind { column, given, expected }
    }
}
