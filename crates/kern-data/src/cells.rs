//! The cells of a column while it is read, and the conversion to a typed column.

use crate::column::{Categories, Numerals};
use crate::error::Place;
use crate::labels::truth;
use crate::schema::{Hint, Measure};
use crate::{Column, Error, Kind, Note, Values, labels, times};
use std::collections::{BTreeSet, HashMap};

/// Words for missing values, in lower case.
const MISSING: [&str; 7] = ["na", "n/a", "nan", "nat", "null", "none", "?"];

/// Limits of a categorical column: the inverse of the largest fraction of distinct values, and
/// their largest number.
const SHARE: usize = 4;
const LEVELS: usize = 1000;

/// The quoting of a value in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    /// Text without quotation marks: words such as `NA` are missing values.
    Bare,
    /// Text in quotation marks: `NA` is a word; it is a missing value only in a numeric column.
    Quoted,
    /// A string from a format with native numbers and nulls: never parsed as a number, and its
    /// blanks are kept. In a numeric column `NA` is a missing value, too.
    Word,
}

/// The state of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// An empty cell.
    Absent,
    /// A word for a missing value, unless the column is categorical.
    Doubtful,
    /// A value is present.
    There,
}

/// The known facts about a column before it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    /// The kind.
    pub(crate) kind: Option<Kind>,
    /// Set if the user has given the kind; a word for a missing value is then a category like any
    /// other.
    pub(crate) is_explicit: bool,
    /// Set if non-numeric values are treated as missing.
    pub(crate) is_lenient: bool,
    /// Set if numbers keep their spelling.
    pub(crate) is_spelled: bool,
}

/// The cells of a column.
#[derive(Debug)]
pub(crate) struct Cells {
    name: String,
    wish: Wish,
    /// All texts, concatenated, with their end offsets and marks; without those of numeric columns
    /// of a known kind.
    texts: String,
    ends: Vec<usize>,
    marks: Vec<Mark>,
    /// One number per cell, while all cells are numeric.
    numbers: Vec<f64>,
    numeric: bool,
    /// Set if all values so far are dates or times.
    temporal: bool,
    /// Non-numeric values: their count, and the row and text of the first.
    strange: usize,
    first_strange: Option<(usize, String)>,
    /// The number of strings that look like numbers.
    digits: usize,
    /// The number of integers that are not exactly representable as doubles.
    rounded: usize,
    /// False for an ignored column, whose cells are only counted.
    is_kept: bool,
    len: usize,
    /// The number of rows taken by earlier batches.
    before: usize,
}

impl Cells {
    pub(crate) fn new(name: String, mut wish: Wish, hint: Hint) -> Self {
        if let Hint::Reals(measure) = hint {
            wish.kind = wish.kind.or(Some(measure.kind()));
        }
        Self {
            name,
            wish,
            texts: String::new(),
            ends: Vec::new(),
            marks: Vec::new(),
            numbers: Vec::new(),
            numeric: hint != Hint::Words,
            temporal: hint == Hint::Unknown,
            strange: 0,
            first_strange: None,
            digits: 0,
            rounded: 0,
            is_kept: true,
            len: 0,
            before: 0,
        }
    }

    /// Cells that are kept, or only counted if the column is ignored.
    pub(crate) fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
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

    /// The memory of the cells in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.texts.len() + 9 * self.ends.len() + 8 * self.numbers.len()) as u64
    }

    /// Adds a cell.
    pub(crate) fn push(
        &mut self,
        text: &str,
        dress: Dress,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        self.len += 1;
        if !self.is_kept {
            return Ok(());
        }
        let trimmed = text.trim();
        let text = if dress == Dress::Word && !trimmed.is_empty() { text } else { trimmed };
        match self.wish.kind {
            Some(Kind::Number) => {
                self.count_rounded(usize::from(is_rounded(trimmed)));
                self.push_as(trimmed, number, place)
            }
            Some(Kind::Instant) => self.push_as(trimmed, times::instant, place),
            Some(Kind::Duration) => self.push_as(trimmed, times::duration, place),
            Some(Kind::Category { .. } | Kind::Text) => {
                self.push_text(text, dress);
                Ok(())
            }
            None => {
                self.guess(trimmed, dress);
                self.push_text(text, dress);
                Ok(())
            }
        }
    }

    /// Adds a value to a column of numbers or times.
    fn push_as(
        &mut self,
        text: &str,
        read: fn(&str) -> Option<f64>,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        let number = if is_missing(text) { Some(f64::NAN) } else { read(text) };
        let number = match number {
            Some(number) => number,
            None if self.wish.is_lenient => {
                self.note_strange(text);
                f64::NAN
            }
            None => return Err(self.refused(text, place())),
        };
        self.numbers.push(number);
        if self.wish.is_spelled {
            self.push_text(if number.is_nan() { "" } else { text }, Dress::Quoted);
        }
        Ok(())
    }

    fn refused(&self, text: &str, place: Place) -> Error {
        let (column, given) = (self.name.clone(), text.chars().take(80).collect());
        let expected = self.wish.kind.as_ref().map_or("other values", Kind::described);
        Error::Value { place, column, given, expected }
    }

    fn note_strange(&mut self, text: &str) {
        self.strange += 1;
        let row = self.before + self.len;
        self.first_strange.get_or_insert_with(|| (row, text.chars().take(40).collect()));
    }

    /// Counts rounded integers, unless the column keeps their digits.
    pub(crate) fn count_rounded(&mut self, count: usize) {
        self.rounded += if self.wish.is_spelled { 0 } else { count };
    }

    /// Updates the type inference with a value of a column of unknown kind.
    fn guess(&mut self, text: &str, dress: Dress) {
        if !self.numeric && !self.temporal && self.strange == 0 {
            return;
        }
        let number = if is_missing(text) { Some(f64::NAN) } else { number(text) };
        let is_word = dress == Dress::Word && number.is_some_and(|number| !number.is_nan());
        self.digits += usize::from(is_word);
        match number.filter(|_| !is_word) {
            Some(number) => {
                if self.numeric {
                    self.count_rounded(usize::from(is_rounded(text)));
                    self.numbers.push(number);
                }
                self.temporal &= number.is_nan();
            }
            None => {
                if self.numeric || self.strange > 0 {
                    self.note_strange(text);
                }
                (self.numeric, self.numbers) = (false, Vec::new());
                self.temporal = self.temporal && times::instant(text).is_some();
            }
        }
    }

    fn push_text(&mut self, text: &str, dress: Dress) {
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.marks.push(match text.is_empty() {
            true => Mark::Absent,
            false if dress == Dress::Bare && is_missing(text) => Mark::Doubtful,
            false => Mark::There,
        });
    }

    /// Adds a number, without its text if the column is purely numeric; NaN is missing.
    pub(crate) fn push_number(
        &mut self,
        number: f64,
        place: impl Fn() -> Place,
    ) -> Result<(), Error> {
        let pushed = self.push_reals(Measure::Number, std::iter::once(number), |_| place());
        pushed.map_err(|(_, error)| error)
    }

    /// Adds numbers, or times in seconds; NaN is missing. The error has the index of the first
    /// rejected value.
    pub(crate) fn push_reals(
        &mut self,
        measure: Measure,
        numbers: impl Iterator<Item = f64>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), (usize, Error)> {
        if !self.is_kept {
            self.len += numbers.count();
            return Ok(());
        }
        if self.wish.kind != Some(measure.kind()) || self.wish.is_spelled {
            return self.push_others(measure, numbers, place);
        }
        // Copying first and checking afterwards keeps the copy a branch-free loop.
        let before = self.numbers.len();
        self.numbers.extend(numbers);
        self.len += self.numbers.len() - before;
        match self.numbers[before..].iter().position(|number| number.is_infinite()) {
            Some(k) if !self.wish.is_lenient => {
                Err((k, self.refused(&self.numbers[before + k].to_string(), place(k))))
            }
            Some(_) => {
                let infinite = self.numbers[before..].iter_mut().filter(|v| v.is_infinite());
                infinite.for_each(|number| *number = f64::NAN);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Adds numbers to a non-numeric column, or with their spelling. Columns of times accept only
    /// missing values here.
    fn push_others(
        &mut self,
        measure: Measure,
        numbers: impl Iterator<Item = f64>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), (usize, Error)> {
        let known = self.wish.kind.clone();
        for (k, number) in numbers.enumerate() {
            let is_other = known.as_ref().is_some_and(|kind| {
                *kind != measure.kind() && (measure != Measure::Number || kind.is_numeric())
            });
            let pushed = match number.is_nan() {
                true => self.push("", Dress::Quoted, || place(k)),
                false if is_other => {
                    let expected = known.as_ref().map_or("other values", Kind::described);
                    let given = measure.kind().described();
                    Err(Error::Kind { column: self.name.clone(), given, expected })
                }
                false
                    if known.as_ref().is_some_and(|kind| *kind == measure.kind())
                        && measure != Measure::Number =>
                {
                    self.len += 1;
                    self.numbers.push(number);
                    Ok(())
                }
                false => self.push(&(number + 0.0).to_string(), Dress::Quoted, || place(k)),
            };
            pushed.map_err(|error| (k, error))?;
        }
        Ok(())
    }

    /// Returns true if the spelling of numbers is kept or matters for the kind of the column.
    #[cfg(feature = "arrow")]
    pub(crate) fn needs_words(&self) -> bool {
        let words = matches!(self.wish.kind, Some(Kind::Category { .. } | Kind::Text));
        self.is_kept && (self.wish.is_spelled || words)
    }

    /// Takes the column and a note about it, and leaves the cells empty. An unknown kind is
    /// inferred.
    pub(crate) fn take(&mut self) -> (Column, Option<Note>) {
        let note = self.note();
        let texts = std::mem::take(&mut self.texts);
        let (ends, marks) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.marks));
        let numbers = std::mem::take(&mut self.numbers);
        self.before += std::mem::take(&mut self.len);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let texts = starts.zip(&ends).map(|(start, &end)| &texts[start..end]);
        let cells: Vec<(&str, Mark)> = texts.zip(marks).collect();
        let values = match &self.wish.kind {
            Some(Kind::Number) if self.wish.is_spelled => spelled(&cells, numbers),
            Some(Kind::Number) => Values::Numbers(numbers),
            Some(Kind::Instant) => Values::Instants(numbers),
            Some(Kind::Duration) => Values::Durations(numbers),
            Some(Kind::Text) => as_texts(&cells),
            Some(Kind::Category { levels }) => {
                as_categories(&there(&cells, levels, self.wish.is_explicit), levels)
            }
            // Words for missing values alone count as words if they are quoted.
            None if self.numeric && is_of_words(&cells, &numbers) => found(&cells, false),
            None if self.numeric && self.wish.is_spelled => spelled(&cells, numbers),
            None if self.numeric => Values::Numbers(numbers),
            None => found(&cells, self.temporal),
        };
        let name = self.name.clone();
        (Column { name, values }, note)
    }

    /// The note for a column that is almost numeric, or whose non-numeric values are dropped.
    fn note(&self) -> Option<Note> {
        let is_of_numbers = self.numeric || self.wish.kind == Some(Kind::Number);
        if self.rounded > 0 && is_of_numbers && self.is_kept {
            return Some(Note::Rounded { column: self.name.clone(), count: self.rounded });
        }
        let (row, given) = self.first_strange.clone()?;
        let values = self.len;
        if self.digits > 0 && self.digits == self.strange {
            return Some(Note::Digits { column: self.name.clone(), count: self.digits, values });
        }
        let is_known = self.wish.kind.is_some();
        (is_known || !self.temporal && 2 * self.strange <= values).then(|| Note::NotNumbers {
            column: self.name.clone(),
            count: self.strange,
            values,
            row,
            given,
            missing: is_known,
        })
    }

    /// Fixes the kind for the following batches.
    pub(crate) fn fix(&mut self, kind: Kind) {
        self.wish.kind = Some(kind);
        (self.strange, self.first_strange, self.digits, self.rounded) = (0, None, 0, 0);
    }
}

fn is_missing(text: &str) -> bool {
    text.is_empty() || text.len() <= 4 && MISSING.iter().any(|m| text.eq_ignore_ascii_case(m))
}

/// Parses a finite number.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns true for an integer that is not exactly representable as a double.
fn is_rounded(text: &str) -> bool {
    // The shortest such integer has sixteen digits.
    text.len() > 15 && text.parse().is_ok_and(|whole: i128| whole as f64 as i128 != whole)
}

/// Returns true if a column has at least one value but no number.
fn is_of_words(cells: &[(&str, Mark)], numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_nan()) && cells.iter().any(|cell| cell.1 == Mark::There)
}

fn spelled(cells: &[(&str, Mark)], values: Vec<f64>) -> Values {
    let word = |(cell, number): (&(&str, Mark), &f64)| {
        Some(cell.0.to_string()).filter(|_| !number.is_nan())
    };
    let spellings = cells.iter().zip(&values).map(word).collect();
    Values::Numerals(Numerals { values, spellings })
}

/// The values that are present. A word for a missing value is a value if it is a known level or the
/// user has given the kind.
fn there<'c>(
    cells: &[(&'c str, Mark)],
    levels: &[String],
    is_explicit: bool,
) -> Vec<Option<&'c str>> {
    let is_value = |text: &str, mark| match mark {
        Mark::Absent => false,
        Mark::There => true,
        Mark::Doubtful => is_explicit || levels.iter().any(|level| level == text),
    };
    cells.iter().map(|&(text, mark)| Some(text).filter(|text| is_value(text, mark))).collect()
}

/// Infers dates and times, categories or text.
fn found(cells: &[(&str, Mark)], temporal: bool) -> Values {
    let values = there(cells, &[], false);
    if temporal && values.iter().any(Option::is_some) {
        let instant = |cell: &Option<&str>| cell.and_then(times::instant).unwrap_or(f64::NAN);
        return Values::Instants(values.iter().map(instant).collect());
    }
    let most = (values.iter().flatten().count() / SHARE).clamp(2, LEVELS);
    let mut levels = BTreeSet::new();
    for cell in values.iter().flatten() {
        // Several spellings of the same truth value count once.
        if truth(cell).is_none() {
            levels.insert(*cell);
        }
        if levels.len() > most {
            return as_texts(cells);
        }
    }
    as_categories(&values, &[])
}

/// A text column: only empty cells are missing.
fn as_texts(cells: &[(&str, Mark)]) -> Values {
    let text = |&(text, mark): &(&str, Mark)| (mark != Mark::Absent).then(|| text.to_string());
    Values::Texts(cells.iter().map(text).collect())
}

/// A categorical column with the known levels first and newly found ones after them. Without known
/// levels they are inferred, and truth values in several spellings are written in lower case.
fn as_categories(cells: &[Option<&str>], known: &[String]) -> Values {
    let all: BTreeSet<&str> = cells.iter().flatten().copied().collect();
    let mut levels = known.to_vec();
    if known.is_empty() {
        let found: Vec<String> = all.iter().map(|&level| level.into()).collect();
        levels = labels::merged(&found, false);
    } else {
        let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        levels.extend(all.difference(&known).map(|&level| level.into()));
    }
    let mut numbers: HashMap<String, u32> = levels.iter().cloned().zip(0..).collect();
    for word in all {
        if !numbers.contains_key(word)
            && let Some(&number) = numbers.get(&word.to_lowercase())
        {
            numbers.insert(word.to_string(), number);
        }
    }
    let codes = cells.iter().map(|cell| numbers.get((*cell)?).copied()).collect();
    Values::Categories(Categories { levels, codes })
}
