//! Batches of rows.

use crate::formats::{Options, Records, WIDEST, Widths, refused};
use crate::{Error, Table};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

/// An iterator over the rows of a source in batches.
///
/// # Examples
/// ```
/// use kern_data::{Format, Source};
/// let mut sum = 0.0;
/// for batch in Source::new(Format::Csv, "x\n1\n2\n3\n".as_bytes()).batches(2)? {
///     sum += batch?.column("x")?.numbers()?.iter().sum::<f64>();
/// }
/// assert_eq!(sum, 6.0);
/// # Ok::<(), kern_data::Error>(())
/// ```
pub struct Batches<'r> {
    records: Box<dyn Records + 'r>,
    columns: Widths,
    limit: Option<u64>,
    rows: usize,
    /// Set when no more input is available yet: the batch ends early so that its reader need not
    /// wait.
    idle: Option<Rc<Cell<bool>>>,
    ended: bool,
}

impl fmt::Debug for Batches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl<'r> Batches<'r> {
    pub(crate) fn new(
        records: Box<dyn Records + 'r>,
        options: Options,
        rows: usize,
        idle: Option<Rc<Cell<bool>>>,
    ) -> Result<Self, Error> {
        let names = records.names();
        if names.len() > WIDEST {
            let reason = format!("{} columns; a table has at most {WIDEST}", names.len());
            return Err(refused(records.file(), None, reason));
        }
        let mut known = HashSet::new();
        for name in &names {
            if !known.insert(name) && options.reads(name) {
                return Err(Error::TwoColumns { name: name.clone() });
            }
        }
        if !records.finds_columns() {
            options.places(&names, records.file())?;
        }
        let limit = options.limit;
        let first = names.first().map_or("", String::as_str);
        let begins_nameless = records.begins_nameless() && options.leaves_out(first);
        let mut columns = Widths::new(options);
        columns.begins_nameless = begins_nameless;
        columns.notes = records.notes();
        for (k, name) in names.into_iter().enumerate() {
            columns.add(name, records.hint(k));
        }
        Ok(Self { records, columns, limit, rows: rows.max(1), idle, ended: false })
    }

    /// The next batch, if any row is left.
    fn batch(&mut self) -> Result<Option<Table>, Error> {
        while self.columns.len() < self.rows {
            let rows = self.rows - self.columns.len();
            if !self.records.append(&mut self.columns, rows)? {
                self.ended = true;
                break;
            }
            if let Some(limit) = self.limit.filter(|&limit| self.columns.bytes() > limit) {
                return Err(Error::TooLarge { file: self.records.file().clone(), limit });
            }
            if self.idle.as_ref().is_some_and(|idle| idle.get()) {
                break;
            }
        }
        match self.columns.len() {
            0 => Ok(None),
            _ => {
                let table = Table::new(self.columns.take(self.records.file())?)?;
                Ok(Some(table.noted(std::mem::take(&mut self.columns.notes))))
            }
        }
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Table, Error>;

    fn next(&mut self) -> Option<Result<Table, Error>> {
        if self.ended {
            return None;
        }
        let batch = self.batch().transpose();
        self.ended |= !matches!(batch, Some(Ok(_)));
        batch
    }
}
