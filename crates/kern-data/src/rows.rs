//! Conversion of table rows to points.

use crate::{Column, Error, Field, Kind, Labels, Schema, Table, Values};
use kern_core::{Row, Samples};

/// The code of a missing category or unknown level.
const MISSING: u32 = 0;
const UNSEEN: u32 = 1;

/// The code of the first level.
const FIRST: u32 = 2;

impl Table {
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
