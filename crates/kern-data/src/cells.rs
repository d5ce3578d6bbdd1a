//! The cells of a column as they are read, and the column that becomes of them.

use crate::column::Categories;
use crate::error::Place;
use crate::schema::Hint;
use crate::{Column, Error, Kind, Values};
use std::collections::BTreeSet;

/// Missing values, in small letters.
const MISSING: [&str; 6] = ["na", "n/a", "nan", "null", "none", "?"];

/// The greatest share of different values in a column of categories, as a divisor, and their greatest number.
const SHARE: usize = 4;
const LEVELS: usize = 1000;

/// The cells of a column.
#[derive(Debug)]
pub(crate) struct Cells {
    name: String,
    /// The kind, if it is known before.
    kind: Option<Kind>,
    /// All texts, one behind the other, and where each ends; without those of numbers whose kind is known.
    texts: String,
    ends: Vec<usize>,
    /// A number for each cell, as long as all are.
    numbers: Vec<f64>,
    numeric: bool,
    /// Cells of a column that is left out are counted, and nothing else.
    is_kept: bool,
    len: usize,
}

impl Cells {
    pub(crate) fn new(name: String, kind: Option<Kind>) -> Self {
        let (texts, ends, numbers) = (String::new(), Vec::new(), Vec::new());
        Self { name, kind, texts, ends, numbers, numeric: true, is_kept: true, len: 0 }
    }

    /// Cells of a column that says what it has.
    pub(crate) fn hinted(name: String, kind: Option<Kind>, hint: Hint) -> Self {
        let kind = kind.or((hint == Hint::Numbers).then_some(Kind::Number));
        Self { numeric: hint != Hint::Words, ..Self::new(name, kind) }
    }

    /// Cells of a column that is left out of tables, or not.
    pub(crate) fn kept(mut self, is_kept: bool) -> Self {
        self.is_kept = is_kept;
        self
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bytes of the cells.
    pub(crate) fn bytes(&self) -> u64 {
        (self.texts.len() + 8 * (self.ends.len() + self.numbers.len())) as u64
    }

    /// Adds a cell.
    pub(crate) fn push(&mut self, text: &str, place: impl Fn() -> Place) -> Result<(), Error> {
        if !self.is_kept {
            self.len += 1;
            return Ok(());
        }
        let text = text.trim();
        let number = if is_missing(text) { Some(f64::NAN) } else { number(text) };
        self.len += 1;
        match (&self.kind, number) {
            (Some(Kind::Number), Some(number)) => {
                self.numbers.push(number);
                return Ok(());
            }
            (Some(Kind::Number), None) => {
                let (column, given) = (self.name.clone(), text.chars().take(80).collect());
                let expected = Kind::Number.described();
                return Err(Error::Value { place: place(), column, given, expected });
            }
            (None, Some(number)) if self.numeric => self.numbers.push(number),
            (None, None) => {
                self.numeric = false;
                self.numbers = Vec::new();
            }
            _ => {}
        }
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        Ok(())
    }

    /// Adds a number, without its text where the column has numbers only; NaN is missing.
    pub(crate) fn push_number(
        &mut self,
        number: f64,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        if self.holds_numbers() && !number.is_infinite() {
            self.len += 1;
            self.numbers.push(number);
            return Ok(());
        }
        self.push(&number.to_string(), place)
    }

    /// Adds numbers, as [`push_number`](Self::push_number) adds each; the place of the first one that is refused, and why.
    pub(crate) fn push_numbers(
        &mut self,
        numbers: impl Iterator<Item = f64>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), (usize, Error)> {
        if !self.holds_numbers() {
            for (k, number) in numbers.enumerate() {
                self.push_number(number, || place(k)).map_err(|error| (k, error))?;
            }
            return Ok(());
        }
        // A pass to copy and one to look: the copy is a loop without branches.
        let before = self.numbers.len();
        self.numbers.extend(numbers);
        self.len += self.numbers.len() - before;
        match self.numbers[before..].iter().position(|number| number.is_infinite()) {
            Some(k) => {
                let number = self.numbers[before + k];
                self.push_number(number, || place(k)).map_err(|error| (k, error))
            }
            None => Ok(()),
        }
    }

    fn holds_numbers(&self) -> bool {
        self.is_kept && self.kind == Some(Kind::Number)
    }

    /// The column; the cells are empty then. The kind is found out, unless it is known.
    pub(crate) fn take(&mut self) -> Column {
        let texts = std::mem::take(&mut self.texts);
        let (ends, numbers) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.numbers));
        let numeric = std::mem::replace(&mut self.numeric, true);
        self.len = 0;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let cells: Vec<Option<&str>> = starts
            .zip(&ends)
            .map(|(start, &end)| Some(&texts[start..end]).filter(|text| !is_missing(text)))
            .collect();
        let values = match &self.kind {
            Some(Kind::Number) => Values::Numbers(numbers),
            Some(Kind::Text) => as_texts(&cells),
            Some(Kind::Category { levels }) if !levels.is_empty() => as_categories(&cells, levels),
            Some(Kind::Category { .. }) => as_categories(&cells, &levels_of(&cells)),
            None if numeric => Values::Numbers(numbers),
            None => found(&cells),
        };
        Column { name: self.name.clone(), values }
    }

    /// Keeps to this kind from now on.
    pub(crate) fn fix(&mut self, kind: Kind) {
        self.kind = Some(kind);
    }
}

fn is_missing(text: &str) -> bool {
    text.is_empty() || text.len() <= 4 && MISSING.iter().any(|m| text.eq_ignore_ascii_case(m))
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn levels_of(cells: &[Option<&str>]) -> Vec<String> {
    let levels: BTreeSet<&str> = cells.iter().flatten().copied().collect();
    levels.into_iter().map(Into::into).collect()
}

/// Categories or text.
fn found(cells: &[Option<&str>]) -> Values {
    let most = (cells.iter().flatten().count() / SHARE).clamp(2, LEVELS);
    let mut levels = BTreeSet::new();
    for cell in cells.iter().flatten() {
        levels.insert(*cell);
        if levels.len() > most {
            return as_texts(cells);
        }
    }
    as_categories(cells, &levels_of(cells))
}

fn as_texts(cells: &[Option<&str>]) -> Values {
    Values::Texts(cells.iter().map(|cell| cell.map(Into::into)).collect())
}

/// Categories of these levels, and of others that occur, behind them.
fn as_categories(cells: &[Option<&str>], known: &[String]) -> Values {
    let mut levels = known.to_vec();
    let all: BTreeSet<&str> = cells.iter().flatten().copied().collect();
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    levels.extend(all.difference(&known).map(|&level| level.into()));
    let numbers: std::collections::HashMap<&str, u32> =
        levels.iter().map(String::as_str).zip(0..).collect();
    let codes = cells.iter().map(|cell| numbers.get((*cell)?).copied()).collect();
    Values::Categories(Categories { levels: levels.clone(), codes })
}
