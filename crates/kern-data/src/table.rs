//! Tables, the notes of their reader, and their conversion to points.

use crate::{Column, Error, Field, Kind, Labels, Schema, Values};
use kern_core::{Error as CoreError, Row, Samples};
use std::fmt;

/// The code of a missing category or unknown level.
const MISSING: u32 = 0;
const UNSEEN: u32 = 1;

/// The code of the first level.
const FIRST: u32 = 2;

/// Named columns of equal length.
///
/// # Examples
/// ```
/// use kern_data::{Column, Table, Values};
/// let column = |name: &str, values: [f64; 2]| Column { name: name.into(), values: Values::Numbers(values.to_vec()) };
/// let table = Table::new(vec![column("x", [1.0, 2.0]), column("y", [3.0, 4.0])])?;
/// assert_eq!((table.len(), table.column("y")?.numbers()?[1]), (2, 4.0));
/// assert_eq!(table.column("z").unwrap_err().to_string(), "unknown column `z`; the table has x, y");
/// # Ok::<(), kern_data::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    notes: Vec<Note>,
}

impl Table {
    /// A table of these columns.
    ///
    /// # Errors
    /// [`Error::Length`] if the columns have different lengths, [`Error::TwoColumns`] if two have
    /// the same name.
    pub fn new(columns: Vec<Column>) -> Result<Self, Error> {
        let expected = columns.first().map_or(0, |column| column.values.len());
        for (k, Column { name, values }) in columns.iter().enumerate() {
            if values.len() != expected {
                return Err(Error::Length { name: name.clone(), given: values.len(), expected });
            }
            if columns[..k].iter().any(|earlier| earlier.name == *name) {
                return Err(Error::TwoColumns { name: name.clone() });
            }
        }
        Ok(Self { columns, notes: Vec::new() })
    }

    /// The table with notes of its reader.
    pub(crate) fn noted(self, notes: Vec<Note>) -> Self {
        Self { notes, ..self }
    }

    /// Notes of the reader, for example on dropped columns and on values that differ in kind from
    /// the rest of their column.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns, in their order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// A column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], which lists the existing names.
    pub fn column(&self, name: &str) -> Result<&Column, Error> {
        Ok(&self.columns[self.position(name)?])
    }

    /// A column that a model needs.
    pub(crate) fn needed(&self, name: &str) -> Result<&Column, Error> {
        let column = self.columns.iter().find(|column| column.name == name);
        column.ok_or_else(|| Error::MissingColumn { needed: name.to_string(), known: self.names() })
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    fn position(&self, name: &str) -> Result<usize, Error> {
        let place = self.columns.iter().position(|column| column.name == name);
        place.ok_or_else(|| Error::UnknownColumn { given: name.to_string(), known: self.names() })
    }

    /// Separates a column from the table: the targets and the points of a task.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn split(mut self, name: &str) -> Result<(Column, Self), Error> {
        let place = self.position(name)?;
        Ok((self.columns.remove(place), self))
    }

    /// Removes these columns. Names of columns that the reader dropped and
    /// [noted](Note::RowNumbers) are accepted, too.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn without(self, names: &[String]) -> Result<Self, Error> {
        let is_out = |note: &Note, name: &String| matches!(note, Note::RowNumbers { column } if column == name);
        names.iter().try_fold(self, |table, name| {
            match table.notes.iter().any(|note| is_out(note, name)) {
                true => Ok(table),
                false => Ok(table.split(name)?.1),
            }
        })
    }

    /// The rows with these indices, in this order.
    ///
    /// # Errors
    /// [`Error::Core`] if one is out of bounds.
    pub fn select(&self, rows: &[usize]) -> Result<Self, Error> {
        CoreError::check_indices(rows, self.len())?;
        let selected = |column: &Column| Column {
            name: column.name.clone(),
            values: column.values.select(rows),
        };
        let columns = self.columns.iter().map(selected).collect();
        Ok(Self { columns, notes: self.notes.clone() })
    }

    /// The names and kinds of the columns.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let field =
            |column: &Column| Field { name: column.name.clone(), kind: column.values.kind() };
        Schema { fields: self.columns.iter().map(field).collect() }
    }

    /// The rows as points of kernel [formulas](kern_core::KernelSpec): numbers, category codes and
    /// texts, row by row. Columns are looked up by the names of the schema, in its order; others
    /// are ignored.
    ///
    /// Missing numbers stay NaN. A missing category has a code of its own, shared by all levels
    /// unknown to the schema.
    ///
    /// [`Error::MissingColumn`] for a column of the schema that the table lacks, [`Error::Kind`] if
    /// it is of another kind. Numbers may be read as categories, and numbers and categories as
    /// text; times may not.
    pub fn rows(&self, schema: &Schema) -> Result<Vec<Row>, Error> {
        let mut rows = vec![Row::default(); self.len()];
        for Field { name, kind } in &schema.fields {
            let column = self.needed(name)?;
            match kind {
                Kind::Category { levels } => add_categories(&mut rows, column, levels)?,
                Kind::Text => add_texts(&mut rows, column)?,
                Kind::Number | Kind::Instant | Kind::Duration => {
                    add_reals(&mut rows, column, kind)?;
                }
            }
        }
        Ok(rows)
    }

    /// All columns as the coordinates of samples.
    ///
    /// # Errors
    /// [`Error::Kind`] if a column is not numeric, [`Error::Missing`] for the first missing value.
    pub fn samples(&self) -> Result<Samples<f64>, Error> {
        let columns: Vec<&[f64]> =
            self.columns().iter().map(Column::numbers).collect::<Result<_, _>>()?;
        let values = (0..self.len()).flat_map(|i| columns.iter().map(move |column| column[i]));
        Ok(Samples::from_row_major(columns.len(), values.collect())?)
    }
}

fn add_reals(rows: &mut [Row], column: &Column, kind: &Kind) -> Result<(), Error> {
    match column.values.reals().filter(|_| column.values.kind() == *kind) {
        Some(values) => {
            rows.iter_mut().zip(values).for_each(|(row, &value)| row.numbers.push(value));
        }
        // A column without any value has no kind.
        None if column.values.missing() == column.values.len() => {
            rows.iter_mut().for_each(|row| row.numbers.push(f64::NAN));
        }
        None => return Err(column.kind_error(kind.described())),
    }
    Ok(())
}

/// Rejects times where text is required, since they have no canonical text.
fn check_words(column: &Column, expected: &'static str) -> Result<(), Error> {
    match &column.values {
        Values::Instants(_) | Values::Durations(_)
            if column.values.missing() < column.values.len() =>
        {
            Err(column.kind_error(expected))
        }
        _ => Ok(()),
    }
}

fn add_categories(rows: &mut [Row], column: &Column, levels: &[String]) -> Result<(), Error> {
    check_words(column, "categories")?;
    let (labels, numbers) = (Labels::new(levels), column.values.are_numbers());
    for (i, row) in rows.iter_mut().enumerate() {
        let number = match column.values.text(i) {
            Some(value) => match labels.find(&value, numbers) {
                Some(place) => u32::try_from(place).unwrap_or(u32::MAX).saturating_add(FIRST),
                None => UNSEEN,
            },
            None => MISSING,
        };
        let letter = Row::letter(number);
        let beyond = || Error::Levels { column: column.name.clone(), given: levels.len() };
        row.categories.push(letter.ok_or_else(beyond)?);
    }
    Ok(())
}

fn add_texts(rows: &mut [Row], column: &Column) -> Result<(), Error> {
    check_words(column, "text")?;
    for (i, row) in rows.iter_mut().enumerate() {
        if !row.text.is_empty() {
            row.text.push('\n');
        }
        row.text.push_str(&column.values.text(i).unwrap_or_default());
    }
    Ok(())
}

/// An automatic decision of the reader about a column that may not be intended, and that options
/// can change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An unnamed first column with row numbers, or a pandas index, was dropped.
    RowNumbers {
        /// Its name if it is kept.
        column: String,
    },
    /// Integers beyond 2⁵³ were rounded to doubles, so that distinct ones may have become equal.
    Rounded {
        /// The column.
        column: String,
        /// The number of rounded values.
        count: usize,
    },
    /// Strings that look like numbers, in a format with native numbers.
    Digits {
        /// The column.
        column: String,
        /// The number of these strings.
        count: usize,
        /// The number of values.
        values: usize,
    },
    /// Most values of a column are numbers, but some are not.
    NotNumbers {
        /// The column.
        column: String,
        /// The number of non-numeric values.
        count: usize,
        /// The number of values.
        values: usize,
        /// The row of the first non-numeric value, counted from 1.
        row: usize,
        /// The first non-numeric value.
        given: String,
        /// Set if they are treated as missing; otherwise the column is read as text.
        missing: bool,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowNumbers { column } => {
                write!(
                    f,
                    "column {column}: left out, it numbers the rows or was the index of a frame"
                )
            }
            Self::Rounded { column, count } => write!(
                f,
                "column {column}: {count} whole numbers beyond 2^53 are rounded: read identifiers as categories or leave them out"
            ),
            Self::Digits { column, count, values } => write!(
                f,
                "column {column}: {count} of {values} values are strings that look like numbers: read as words"
            ),
            Self::NotNumbers { column, count, values, row, given, missing } => {
                let are = if *count == 1 { "is not a number" } else { "are not numbers" };
                let so = if *missing { "treated as missing" } else { "read as text" };
                write!(
                    f,
                    "column {column}: {count} of {values} values {are} (row {row}: `{given}`): {so}"
                )
            }
        }
    }
}
