//! Jobs, which are what a worker is asked in a round, and the answers to them.

use super::design::{Design, blocks};
use super::groups::Groups;
use super::order::Order;
use super::survey::Survey;
use crate::{Error, Task, file};
use kern_approx::statistics::Fingerprint;
use kern_core::Named;
use kern_data::{Part, Schema, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::rounds::{Query, Sums};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a batch of the first round.
const SURVEYED: usize = 4096;

/// The share of the memory that the values of a batch may take while they are read.
pub(super) const READ: u64 = 4;

/// The data of a fit: parts of files, or partitions that others hold, in fixed groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Data {
    pub(super) parts: Arc<Vec<Part>>,
    pub(super) count: usize,
}

impl Data {
    pub(super) fn groups(&self) -> usize {
        groups(self.count)
    }

    /// The parts of a group: groups differ by one part at most.
    pub(super) fn group(&self, group: usize) -> Range<usize> {
        let start = |group: usize| group * self.count / self.groups().max(1);
        start(group)..start(group + 1)
    }
}

/// The groups of so many parts: up to 64 parts one for each, then 64 up to 1024 parts, and one for 16 parts up to 1024 groups. More would
/// only be more to merge, and fewer would leave workers without work.
pub(super) fn groups(parts: usize) -> usize {
    parts.min((parts / 16).clamp(64, 1024))
}

/// The question to a worker: for the sums of groups of parts.
///
/// It is the same for all groups of a round. It can be written and read by another process with the same version of this
/// library; see [`to_bytes`](Job::to_bytes).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub(super) data: Data,
    pub(super) ask: Ask,
    /// Of the question and the data; answers carry it.
    pub(super) fingerprint: Fingerprint,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    Survey { schema: Schema, order: Order },
    Sums { design: Arc<Design>, query: Query },
}

/// The answer of a worker.
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

/// Names with the version of the library: what one version writes, another does not read.
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

/// The bytes of a file with this, or the value in such bytes; another version of the library is named in the error.
macro_rules! in_bytes {
    ($type:ty) => {
        impl $type {
            /// The bytes of a file.
            ///
            /// # Errors
            /// [`Error::File`] if it cannot be written.
            pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
                Ok(file::to_bytes(self, file::Encoding::Binary)?)
            }

            /// Reads the bytes of a file.
            ///
            /// # Errors
            /// [`Error::Version`] if another version of this library has written it, [`Error::File`] if it is damaged.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                file::from_bytes(bytes).map_err($crate::rounds::job::of_version)
            }
        }
    };
}
pub(super) use in_bytes;

in_bytes!(Job);
in_bytes!(Gathered);

/// The error of a file that is of another version, if that is what it says.
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

    /// The parts of a group, from the first to before the last.
    #[must_use]
    pub fn group(&self, group: usize) -> Range<usize> {
        self.data.group(group)
    }

    /// The sums of a group of parts of files.
    ///
    /// # Complexity
    /// The memory of the sums and of a block of features and of rows, within what is given.
    ///
    /// # Errors
    /// [`Error::Group`], [`Error::Part`] with the file and its row groups; [`Error::Solvers`] beyond the memory.
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
            source = source.spelled(labels);
        }
        let mut row = 0;
        for table in source.limit(memory.as_bytes() / READ).batches(self.rows())? {
            let table = table?;
            self.add(found, &table, (place as u64, row), memory)?;
            row += table.len() as u64;
        }
        Ok(())
    }

    /// The sums of a group of partitions that the caller holds, in their order.
    ///
    /// # Errors
    /// As [`gather`](Self::gather); [`Error::Partitions`] for another number of them.
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

    /// The sums of no rows.
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

    /// Rows of a batch.
    fn rows(&self) -> usize {
        match &self.ask {
            Ask::Survey { .. } => SURVEYED,
            Ask::Sums { design, .. } => design.block(),
        }
    }

    /// The column of classes, whose spelling counts.
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
    /// [`Error::OtherRound`] if they answer another job, [`Error::GroupTwice`] if they are of a group that is here already.
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

    /// The sums, if they answer this job for all of its groups.
    pub(super) fn answer(self, job: &Job) -> Result<Found, Error> {
        if self.fingerprint != job.fingerprint {
            return Err(Error::OtherRound);
        }
        self.groups.check_all(job.groups())?;
        Ok(self.found)
    }
}
