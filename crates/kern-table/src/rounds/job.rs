//! Jobs, which describe the work of a round, and the sums that workers return for them.

use super::design::{Design, blocks};
use super::order::Order;
use super::survey::Survey;
use crate::{Error, Task};
use kern_approx::statistics::Fingerprint;
use kern_core::Named;
use kern_data::{Part, Schema, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::file;
use kern_solvers::rounds::{Query, Sums};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Number of rows in a batch of the first round.
const SURVEYED: usize = 4096;

/// The values of a batch may take one part in this many of the memory while they are read.
pub(super) const READ: u64 = 4;

/// The data of a fit: parts of files, or partitions held by the caller, in fixed groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Data {
    pub(super) parts: Arc<Vec<Part>>,
    pub(super) count: usize,
}

impl Data {
    pub(super) fn groups(&self) -> usize {
        groups(self.count)
    }

    /// The range of parts in a group; group sizes differ by at most one.
    pub(super) fn group(&self, group: usize) -> Range<usize> {
        let start = |group: usize| group * self.count / self.groups().max(1);
        start(group)..start(group + 1)
    }
}

/// The number of groups for a number of parts: one per part up to 64 parts, 64 groups up to 1024
/// parts, then one for each 16 parts, up to 1024 groups. More groups would only add merges; fewer
/// would leave workers idle.
pub(super) fn groups(parts: usize) -> usize {
    parts.min((parts / 16).clamp(64, 1024))
}

/// The work of a round: to gather sums over groups of parts.
///
/// A job is the same for all groups of a round. It can be written, and read by another process with
/// the same version of this library; see [`to_bytes`](Job::to_bytes).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub(super) data: Data,
    pub(super) ask: Ask,
    /// The fingerprint of the query and the data; gathered sums carry it, too.
    pub(super) fingerprint: Fingerprint,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    Survey { schema: Schema, order: Order },
    Sums { design: Arc<Design>, query: Query },
}

/// The sums that a worker gathered for a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gathered {
    fingerprint: Fingerprint,
    groups: Groups,
    pub(super) found: Found,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Found {
    Survey(Survey),
    Sums(Sums),
}

/// Names that include the library version, so that files of other versions are rejected.
macro_rules! versioned {
    ($($type:ty = $name:literal;)+) => {$(
        impl Named for $type {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(concat!($name, " of kern ", env!("CARGO_PKG_VERSION")))
            }
        }
    )+};
}
pub(super) use versioned;

versioned! {
    Job = "a job";
    Gathered = "sums";
}

/// Implements conversion to and from the bytes of a file; the error names another version of the
/// library.
macro_rules! in_bytes {
    ($type:ty) => {
        impl $type {
            /// Serializes to the bytes of a file.
            ///
            /// # Errors
            /// [`Error::File`] if the value cannot be serialized.
            pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
                Ok(file::to_bytes(self, file::Encoding::Binary)?)
            }

            /// Reads a value from the bytes of a file.
            ///
            /// # Errors
            /// [`Error::Version`] if another version of this library has written it,
            /// [`Error::File`] if it is damaged.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                file::from_bytes(bytes).map_err($crate::rounds::job::of_version)
            }
        }
    };
}
pub(super) use in_bytes;

in_bytes!(Job);
in_bytes!(Gathered);

/// Converts the error of a file written by another version to [`Error::Version`].
pub(super) fn of_version(error: file::Error) -> Error {
    match &error {
        file::Error::Kind { given, .. } => match given.rsplit_once(" of kern ") {
            Some((_, given)) if given != env!("CARGO_PKG_VERSION") => {
                Error::Version { given: given.to_string(), here: env!("CARGO_PKG_VERSION") }
            }
            _ => error.into(),
        },
        _ => error.into(),
    }
}

impl Job {
    pub(super) fn new(data: Data, ask: Ask) -> Result<Self, Error> {
        let fingerprint = Fingerprint::of(&(&data, &ask))?;
        Ok(Self { data, ask, fingerprint })
    }

    /// The number of groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.data.groups()
    }

    /// The range of the parts in a group.
    #[must_use]
    pub fn group(&self, group: usize) -> Range<usize> {
        self.data.group(group)
    }

    /// Gathers the sums of a group of parts of files.
    ///
    /// # Complexity
    /// Memory for the sums, one block of features and one block of rows, within the given budget.
    ///
    /// # Errors
    /// [`Error::Group`], [`Error::Part`] with the file and its row groups; [`Error::Solvers`] if
    /// the memory budget is too small.
    pub fn gather(&self, group: usize, memory: &MemoryBudget) -> Result<Gathered, Error> {
        let range = self.checked(group)?;
        let mut found = self.nothing(memory)?;
        for (place, part) in range.clone().zip(self.data.parts.get(range).unwrap_or_default()) {
            self.read(&mut found, place, part, memory).map_err(|error| error.of_part(part))?;
        }
        Ok(Gathered { fingerprint: self.fingerprint, groups: Groups::one(group), found })
    }

    fn read(
        &self,
        found: &mut Found,
        place: usize,
        part: &Part,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        let columns: Vec<String> = self.columns().cloned().collect();
        let mut source = Source::of_part(part)?.schema(&self.schema()).columns(columns);
        if let Some(labels) = self.labels() {
            source = source.keep_spelling(labels);
        }
        let mut row = 0;
        for table in source.limit(memory.as_bytes() / READ).batches(self.rows())? {
            let table = table?;
            self.add(found, &table, (place as u64, row), memory)?;
            row += table.len() as u64;
        }
        Ok(())
    }

    /// Gathers the sums of a group of partitions that the caller holds, in order.
    ///
    /// # Errors
    /// As [`gather`](Self::gather); [`Error::Partitions`] for the wrong number of partitions.
    pub fn gather_tables(
        &self,
        group: usize,
        tables: &[Table],
        memory: &MemoryBudget,
    ) -> Result<Gathered, Error> {
        let range = self.checked(group)?;
        if tables.len() != range.len() {
            let (expected, given) = (range.len(), tables.len());
            return Err(Error::Partitions { group, expected, given });
        }
        let mut found = self.nothing(memory)?;
        for (place, table) in range.zip(tables) {
            let mut row = 0;
            for rows in blocks(table, self.rows()) {
                let rows = rows?;
                self.add(&mut found, &rows, (place as u64, row), memory)
                    .map_err(|error| error.of_part(&format_args!("partition {place}")))?;
                row += rows.len() as u64;
            }
        }
        Ok(Gathered { fingerprint: self.fingerprint, groups: Groups::one(group), found })
    }

    fn checked(&self, group: usize) -> Result<Range<usize>, Error> {
        match group < self.groups() {
            true => Ok(self.group(group)),
            false => Err(Error::Group { given: group, groups: self.groups() }),
        }
    }

    /// The sums over zero rows.
    fn nothing(&self, memory: &MemoryBudget) -> Result<Found, Error> {
        Ok(match &self.ask {
            Ask::Survey { schema, order } => Found::Survey(Survey::new(schema, order)),
            Ask::Sums { query, .. } => Found::Sums(query.sums(memory)?),
        })
    }

    fn add(
        &self,
        found: &mut Found,
        table: &Table,
        place: (u64, u64),
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        match (&self.ask, found) {
            (Ask::Survey { schema, order }, Found::Survey(survey)) => {
                survey.gather(table, schema, order, place)
            }
            (Ask::Sums { design, query }, Found::Sums(sums)) => {
                design.gather(query, sums, table, memory)
            }
            _ => Err(Error::OtherRound),
        }
    }

    /// The number of rows in a batch.
    fn rows(&self) -> usize {
        match &self.ask {
            Ask::Survey { .. } => SURVEYED,
            Ask::Sums { design, .. } => design.block(),
        }
    }

    /// The column of class labels, whose spelling is preserved.
    fn labels(&self) -> Option<&String> {
        match &self.ask {
            Ask::Survey { order, .. } => {
                order.target.as_ref().filter(|_| order.task == Task::Classify)
            }
            Ask::Sums { design, .. } => design.labels(),
        }
    }

    fn schema(&self) -> Schema {
        match &self.ask {
            Ask::Survey { schema, .. } => schema.clone(),
            Ask::Sums { design, .. } => design.schema.clone(),
        }
    }

    fn columns(&self) -> Box<dyn Iterator<Item = &String> + '_> {
        match &self.ask {
            Ask::Survey { schema, order } => {
                let points = schema.fields.iter().map(|field| &field.name);
                Box::new(points.chain(&order.target).chain(&order.weights))
            }
            Ask::Sums { design, .. } => Box::new(design.columns()),
        }
    }
}

impl Gathered {
    /// Adds the sums of other groups.
    ///
    /// # Errors
    /// [`Error::OtherRound`] if they belong to another job, [`Error::GroupTwice`] if a group is
    /// already included.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.fingerprint != other.fingerprint {
            return Err(Error::OtherRound);
        }
        let groups = self.groups.with(&other.groups)?;
        match (&mut self.found, &other.found) {
            (Found::Survey(survey), Found::Survey(other)) => survey.merge(other)?,
            (Found::Sums(sums), Found::Sums(other)) => sums.merge(other)?,
            _ => return Err(Error::OtherRound),
        }
        self.groups = groups;
        Ok(())
    }

    /// The sums, after checking that they belong to this job and cover all of its groups.
    pub(super) fn answer(self, job: &Job) -> Result<Found, Error> {
        if self.fingerprint != job.fingerprint {
            return Err(Error::OtherRound);
        }
        self.groups.check_all(job.groups())?;
        Ok(self.found)
    }
}

/// The set of part groups covered by sums, as sorted, non-adjacent ranges of their indices: none
/// may be missing or counted twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Groups(Vec<Range<usize>>);

impl Groups {
    fn one(group: usize) -> Self {
        Self(std::iter::once(group..group.saturating_add(1)).collect())
    }

    /// The union of two sets of groups.
    ///
    /// # Errors
    /// [`Error::GroupTwice`] if they overlap.
    fn with(&self, others: &Self) -> Result<Self, Error> {
        let mut all: Vec<_> = self.0.iter().chain(&others.0).cloned().collect();
        all.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for range in all {
            match joined.last_mut() {
                Some(last) if range.start < last.end => {
                    return Err(Error::GroupTwice { group: range.start });
                }
                Some(last) if range.start == last.end => last.end = range.end,
                _ => joined.push(range),
            }
        }
        Ok(Self(joined))
    }

    /// Checks that these are the groups 0 to `count` − 1.
    ///
    /// # Errors
    /// [`Error::GroupsMissing`] if one is missing.
    fn check_all(&self, count: usize) -> Result<(), Error> {
        // The ranges are not adjacent, so the first gap is missing.
        let first = self.0.first().filter(|range| range.start == 0).map_or(0, |range| range.end);
        if first == count {
            return Ok(());
        }
        let given = self.0.iter().map(ExactSizeIterator::len).sum();
        Err(Error::GroupsMissing { given, groups: count, first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_joined_in_any_order() -> Result<(), Error> {
        let four =
            Groups::one(1).with(&Groups::one(3))?.with(&Groups::one(0).with(&Groups::one(2))?)?;
        assert_eq!(four.0.len(), 1);
        four.check_all(4)
    }

    #[test]
    fn a_group_is_missing_or_twice() -> Result<(), Error> {
        let two = Groups::one(0).with(&Groups::one(2))?;
        let missing = two.check_all(3);
        assert!(matches!(missing, Err(Error::GroupsMissing { given: 2, groups: 3, first: 1 })));
        let last = Groups::one(0).check_all(2);
        assert!(matches!(last, Err(Error::GroupsMissing { given: 1, groups: 2, first: 1 })));
        assert!(matches!(two.with(&Groups::one(2)), Err(Error::GroupTwice { group: 2 })));
        Ok(())
    }
}
