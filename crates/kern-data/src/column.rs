//! Columns.

use crate::labels::spellings;
use crate::{Error, Kind, Labels, labels, times};

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
#[non_exhaustive]
pub enum Values {
    /// Numbers; a missing one is NaN.
    Numbers(Vec<f64>),
    /// Categorical values.
    Categories(Categories),
    /// Text.
    Texts(Vec<Option<String>>),
    /// Dates and times, in seconds since 1970-01-01T00:00:00 UTC; a missing one is NaN.
    Instants(Vec<f64>),
    /// Durations, in seconds; a missing one is NaN.
    Durations(Vec<f64>),
    /// Numbers with their spelling, for a column requested by
    /// [`Source::keep_spelling`](crate::Source::keep_spelling).
    Numerals(Numerals),
}

/// Numbers that keep their spelling when used as labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numerals {
    /// The values; a missing one is NaN.
    pub values: Vec<f64>,
    /// The spelling of each value; `None` if it is missing.
    pub spellings: Vec<Option<String>>,
}

impl Numerals {
    /// The label of each number: equal numbers share the shortest spelling that occurs.
    fn labels(&self) -> Vec<Option<String>> {
        let spellings = spellings(self.spellings.iter().flatten().map(String::as_str));
        let label = |word: &String| {
            let key = labels::decimal(word);
            let known = key.and_then(|key| spellings.get(&key)).copied();
            known.unwrap_or(word).to_string()
        };
        self.spellings.iter().map(|word| word.as_ref().map(label)).collect()
    }
}

/// Categorical values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Categories {
    /// The distinct values, in alphabetical order if they were inferred from a file.
    pub levels: Vec<String>,
    /// The index of each value in `levels`; `None` if it is missing.
    pub codes: Vec<Option<u32>>,
}

impl Categories {
    /// The value of a row; `None` if it is missing.
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
            Self::Numbers(values) | Self::Instants(values) | Self::Durations(values) => {
                values.len()
            }
            Self::Categories(values) => values.codes.len(),
            Self::Texts(values) => values.len(),
            Self::Numerals(numerals) => numerals.values.len(),
        }
    }

    /// Returns true if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of missing values.
    #[must_use]
    pub fn missing(&self) -> usize {
        match self {
            Self::Categories(values) => values.codes.iter().filter(|v| v.is_none()).count(),
            Self::Texts(values) => values.iter().filter(|v| v.is_none()).count(),
            _ => self.reals().unwrap_or_default().iter().filter(|v| v.is_nan()).count(),
        }
    }

    /// The values of a numeric or temporal column: dates, times and durations in seconds; a missing
    /// one is NaN.
    #[must_use]
    pub fn reals(&self) -> Option<&[f64]> {
        match self {
            Self::Numbers(values) | Self::Instants(values) | Self::Durations(values) => {
                Some(values)
            }
            Self::Numerals(numerals) => Some(&numerals.values),
            Self::Categories(_) | Self::Texts(_) => None,
        }
    }

    /// Returns true if the values are numbers other than times.
    #[must_use]
    pub fn are_numbers(&self) -> bool {
        matches!(self, Self::Numbers(_) | Self::Numerals(_))
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Numbers(_) | Self::Numerals(_) => Kind::Number,
            Self::Instants(_) => Kind::Instant,
            Self::Durations(_) => Kind::Duration,
            Self::Categories(categories) => Kind::Category { levels: categories.levels.clone() },
            Self::Texts(_) => Kind::Text,
        }
    }

    /// The value of a row as text; `None` if it is missing.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<String> {
        let there = |values: &[f64]| values.get(row).copied().filter(|v| !v.is_nan());
        match self {
            // Adding zero removes the sign of −0, which equals 0.
            Self::Numbers(values) => there(values).map(|v| (v + 0.0).to_string()),
            Self::Durations(values) => there(values).map(|v| format!("PT{}S", v + 0.0)),
            Self::Instants(values) => there(values).map(times::written),
            Self::Categories(values) => values.value(row).map(Into::into),
            Self::Texts(values) => values.get(row).cloned().flatten(),
            Self::Numerals(numerals) => numerals.spellings.get(row).cloned().flatten(),
        }
    }

    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let reals = |values: &[f64]| rows.iter().map(|&i| values[i]).collect();
        match self {
            Self::Numbers(values) => Self::Numbers(reals(values)),
            Self::Instants(values) => Self::Instants(reals(values)),
            Self::Durations(values) => Self::Durations(reals(values)),
            Self::Numerals(Numerals { values, spellings }) => Self::Numerals(Numerals {
                values: reals(values),
                spellings: rows.iter().map(|&i| spellings[i].clone()).collect(),
            }),
            Self::Categories(Categories { levels, codes }) => Self::Categories(Categories {
                levels: levels.clone(),
                codes: rows.iter().map(|&i| codes[i]).collect(),
            }),
            Self::Texts(values) => Self::Texts(rows.iter().map(|&i| values[i].clone()).collect()),
        }
    }
}

impl Column {
    /// All values as numbers, for example the targets of a regression.
    ///
    /// # Errors
    /// [`Error::Kind`] if the column is not numeric, [`Error::Missing`] for the first missing
    /// value.
    pub fn numbers(&self) -> Result<&[f64], Error> {
        let values = self.values.reals().ok_or_else(|| self.kind_error("numbers"))?;
        match values.iter().position(|v| v.is_nan()) {
            Some(row) => Err(self.missing(row)),
            None => Ok(values),
        }
    }

    /// All values as numbers in a context that excludes times and durations, such as weights.
    ///
    /// # Errors
    /// As [`numbers`](Column::numbers); [`Error::Kind`] for dates, times and durations.
    pub fn plain_numbers(&self) -> Result<&[f64], Error> {
        if self.values.are_numbers() { self.numbers() } else { Err(self.kind_error("numbers")) }
    }

    /// All values as text, for example the classes of a classification.
    ///
    /// # Errors
    /// [`Error::Missing`] for the first missing value.
    pub fn labels(&self) -> Result<Vec<String>, Error> {
        if let Values::Numerals(numerals) = &self.values {
            let labels = numerals.labels().into_iter().enumerate();
            return labels.map(|(row, label)| label.ok_or_else(|| self.missing(row))).collect();
        }
        let label = |row| self.values.text(row).ok_or_else(|| self.missing(row));
        (0..self.values.len()).map(label).collect()
    }

    /// All values as text. A value that means the same as a known label takes the spelling of that
    /// label: `true` becomes `True`, and the number 7 becomes `007`. Others are as in
    /// [`labels`](Self::labels).
    ///
    /// # Errors
    /// As [`labels`](Self::labels).
    pub fn labels_as(&self, known: &[String]) -> Result<Vec<String>, Error> {
        let (places, numbers) = (Labels::new(known), self.values.are_numbers());
        let spelled = |label: String| match places.find(&label, numbers) {
            Some(place) => known[place].clone(),
            None => label,
        };
        Ok(self.labels()?.into_iter().map(spelled).collect())
    }

    fn missing(&self, row: usize) -> Error {
        Error::Missing { column: self.name.clone(), row: row + 1 }
    }

    pub(crate) fn kind_error(&self, expected: &'static str) -> Error {
        let (column, given) = (self.name.clone(), self.values.kind().described());
        Error::Kind { column, given, expected }
    }
}
