//! Tables.

use crate::{Column, Error, Field, Note, Schema};
use kern_core::Error as CoreError;

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
}
