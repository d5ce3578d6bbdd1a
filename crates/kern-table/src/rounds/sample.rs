//! A sample of all rows that does not depend on which workers draw it.

use crate::Error;
use kern_data::{Categories, Column, Field, Kind, Schema, Table, Values};
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// The rows with the smallest keys. A key is a hash of the seed, the part and the position of the
/// row in it, so each set of this size is equally likely, and the samples of parts contain the
/// sample of all rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sample {
    most: usize,
    /// Sorted by key.
    rows: Vec<Drawn>,
}

/// A row with its key; ties are broken by part and row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Drawn {
    key: (u64, u64, u64),
    cells: Vec<Cell>,
    /// The class, for classification.
    class: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Cell {
    Number(f64),
    Word(Option<String>),
}

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self { most, rows: Vec::new() }
    }

    /// Draws from the rows of a table whose first row is row `first` of its part.
    pub(super) fn draw(
        &mut self,
        table: &Table,
        schema: &Schema,
        classes: Option<&[String]>,
        place: (u64, u64),
        seed: u64,
    ) -> Result<(), Error> {
        let (part, first) = place;
        let columns: Vec<&Column> = schema
            .fields
            .iter()
            .map(|field| table.column(&field.name))
            .collect::<Result<_, _>>()?;
        let largest = |rows: &[Drawn]| rows.last().map(|drawn| drawn.key);
        let limit = (self.rows.len() >= self.most).then(|| largest(&self.rows)).flatten();
        let mut drawn = Vec::new();
        for row in 0..table.len() {
            let key = key(seed, part, first + row as u64);
            if limit.is_none_or(|limit| key < limit) {
                let cells = columns.iter().map(|column| Cell::of(&column.values, row)).collect();
                let class = classes.map(|classes| classes[row].clone());
                drawn.push(Drawn { key, cells, class });
            }
        }
        self.take(drawn);
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.take(other.rows.clone());
    }

    fn take(&mut self, mut others: Vec<Drawn>) {
        self.rows.append(&mut others);
        self.rows.sort_by_key(|drawn| drawn.key);
        self.rows.truncate(self.most);
    }

    /// The classes of the rows; empty if there are no classes.
    pub(super) fn classes(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().filter_map(|drawn| drawn.class.as_ref())
    }

    /// The rows as a table with the columns at these indices, in a schema with known categories.
    pub(super) fn table(
        &self,
        places: impl Iterator<Item = usize>,
        schema: &Schema,
    ) -> Result<Table, Error> {
        let column = |(k, field): (usize, &Field)| {
            let cells = self.rows.iter().map(|drawn| drawn.cells.get(k).unwrap_or(&Cell::NONE));
            let word = |cell: &Cell| match cell {
                Cell::Word(word) => word.clone(),
                Cell::Number(number) => Some(number.to_string()).filter(|_| !number.is_nan()),
            };
            let number = |cell: &Cell| match cell {
                Cell::Number(number) => *number,
                Cell::Word(_) => f64::NAN,
            };
            let values = match &field.kind {
                Kind::Number => Values::Numbers(cells.map(number).collect()),
                Kind::Instant => Values::Instants(cells.map(number).collect()),
                Kind::Duration => Values::Durations(cells.map(number).collect()),
                Kind::Category { levels } => {
                    let code = |word: String| levels.binary_search(&word).ok().map(|c| c as u32);
                    let codes = cells.map(|cell| word(cell).and_then(code)).collect();
                    Values::Categories(Categories { levels: levels.clone(), codes })
                }
                Kind::Text => Values::Texts(cells.map(word).collect()),
            };
            Column { name: field.name.clone(), values }
        };
        Ok(Table::new(places.zip(&schema.fields).map(column).collect())?)
    }
}

impl Cell {
    /// A missing value.
    const NONE: Self = Self::Word(None);

    fn of(values: &Values, row: usize) -> Self {
        match values {
            Values::Categories(categories) => Self::Word(categories.value(row).map(Into::into)),
            Values::Texts(texts) => Self::Word(texts[row].clone()),
            _ => Self::Number(values.reals().map_or(f64::NAN, |numbers| numbers[row])),
        }
    }
}

/// The key of a row.
fn key(seed: u64, part: u64, row: u64) -> (u64, u64, u64) {
    let mut hasher = SipHasher13::new_with_keys(seed, 0x6b65_726e);
    hasher.write_u64(part);
    hasher.write_u64(row);
    (hasher.finish(), part, row)
}
