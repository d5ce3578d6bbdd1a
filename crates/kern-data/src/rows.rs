//! Rows of a table, as points.

use crate::{Column, Error, Field, Kind, Schema, Table, Values};
use kern_core::{Row, Samples};
use std::collections::HashMap;

/// The letters of categories that no level stands for.
const MISSING: u32 = 0;
const UNSEEN: u32 = 1;

/// The letter of the first level.
const FIRST: u32 = 2;

impl Table {
    /// The rows, as points that [formulas](kern_core::KernelSpec) are kernels on: the numbers, a letter for each category, and
    /// the texts, by lines. Columns are looked up by the names of the schema, in its order; others are left out.
    ///
    /// Missing numbers stay NaN. A missing category is one of its own, and so are all that the schema has no level for.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] for a column of the schema that the table does not have, [`Error::Kind`] if it is of another
    /// kind. Categories may be read from numbers, and text from both.
    pub fn rows(&self, schema: &Schema) -> Result<Vec<Row>, Error> {
        let mut rows = vec![Row::default(); self.len()];
        for Field { name, kind } in &schema.fields {
            let column = self.column(name)?;
            match kind {
                Kind::Number => add_numbers(&mut rows, column)?,
                Kind::Category { levels } => add_categories(&mut rows, column, levels)?,
                Kind::Text => add_texts(&mut rows, column),
            }
        }
        Ok(rows)
    }

    /// All columns as the coordinates of samples.
    ///
    /// # Errors
    /// [`Error::Kind`] if one is not of numbers, [`Error::Missing`] for the first value that is not there.
    pub fn samples(&self) -> Result<Samples<f64>, Error> {
        let columns: Vec<&[f64]> =
            self.columns().iter().map(Column::numbers).collect::<Result<_, _>>()?;
        let values = (0..self.len()).flat_map(|i| columns.iter().map(move |column| column[i]));
        Ok(Samples::from_row_major(columns.len(), values.collect())?)
    }
}

fn add_numbers(rows: &mut [Row], column: &Column) -> Result<(), Error> {
    match &column.values {
        Values::Numbers(values) => {
            rows.iter_mut().zip(values).for_each(|(row, &value)| row.numbers.push(value));
        }
        // A column without any value has no kind.
        values if values.missing() == values.len() => {
            rows.iter_mut().for_each(|row| row.numbers.push(f64::NAN));
        }
        _ => return Err(column.kind_error("numbers")),
    }
    Ok(())
}

fn add_categories(rows: &mut [Row], column: &Column, levels: &[String]) -> Result<(), Error> {
    let numbers = (FIRST..).zip(levels).map(|(number, level)| (level.as_str(), number));
    let numbers: HashMap<&str, u32> = numbers.collect();
    for (i, row) in rows.iter_mut().enumerate() {
        let number = match column.values.text(i) {
            Some(value) => numbers.get(value.as_str()).copied().unwrap_or(UNSEEN),
            None => MISSING,
        };
        let letter = Row::letter(number);
        let beyond = || Error::Levels { column: column.name.clone(), given: levels.len() };
        row.categories.push(letter.ok_or_else(beyond)?);
    }
    Ok(())
}

fn add_texts(rows: &mut [Row], column: &Column) {
    for (i, row) in rows.iter_mut().enumerate() {
        if !row.text.is_empty() {
            row.text.push('\n');
        }
        row.text.push_str(&column.values.text(i).unwrap_or_default());
    }
}
