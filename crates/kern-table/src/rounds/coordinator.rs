//! Fits in rounds: the one who asks.

use super::design::{Design, points};
use super::job::{Ask, Data, Found, Gathered, Job, in_bytes, versioned};
use super::judges::Judges;
use super::metric::Learning;
use super::order::{Features, Loss, Order};
use super::survey::Survey;
use crate::map::numbers;
use crate::{Error, TableModel, Task, file};
use kern_core::Named;
use kern_data::{Part, Schema, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::kmeans::KMeans;
use kern_solvers::rounds::{MetricQuery, Next, Outcome, Query, Rounds, State, Sums};
use kern_solvers::sgd;
use kern_solvers::{Data as Points, Learner, Run};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Rows that tell the kinds of columns.
const FIRST: usize = 1000;

/// A fit in rounds, on its way. It is the checkpoint: [written](Self::to_bytes) and [read](Self::from_bytes) again, it goes on
/// with the same bits.
///
/// # Method
/// The first round finds what has to be known of all rows: their number, the means and deviations of numbers, the categories and
/// classes that occur, and a sample, whose rows are those with the least hash of their place. From these come scales, the kernel's
/// parameters that were left open, landmarks, and first clusters. The rounds after it are those of [`Rounds`].
///
/// Parts are gathered in groups, 64 up to 1024 parts and one for each 16 beyond, at most 1024, and sums of groups are merged in one fixed tree: that of the groups `lo..hi` is that of
/// `lo..mid` with that of `mid..hi`, mid = lo + ⌊(hi − lo)/2⌋. So the bits depend on the parts, and neither on who gathers
/// which group nor on how often.
///
/// # Examples
/// ```
/// use kern_gram::MemoryBudget;
/// use kern_table::rounds::{Features, Order, RoundsFit};
/// use kern_table::{Answers, Task, Training};
/// let folder = tempfile::tempdir()?;
/// for (name, rows) in [("a.csv", "x,y\n0,1\n1,3\n2,5\n"), ("b.csv", "x,y\n3,7\n4,9\n5,11\n")] {
///     std::fs::write(folder.path().join(name), rows)?;
/// }
/// let training = Training::new(Task::Regress).target("y").set("lambda", 1e-12);
/// let order = Order::new(training, Features::Columns)?;
/// let parts = kern_data::Part::list(&[folder.path()], 1000)?;
/// let memory = MemoryBudget::mebibytes(64);
/// let mut fit = RoundsFit::start(order, parts)?;
/// while let Some(job) = fit.job()? {
///     // Each of these is a task for any worker.
///     let mut sums = job.gather(0, &memory)?;
///     sums.merge(&job.gather(1, &memory)?)?;
///     fit.next(sums, &memory)?;
/// }
/// let model = fit.into_model().ok_or("the fit has not ended")?;
/// let table = kern_data::Source::new(kern_data::Format::Csv, "x\n10\n".as_bytes()).read()?;
/// let Answers::Numbers(numbers) = model.predict(&table)? else { return Err("numbers".into()) };
/// assert!((numbers[0] - 21.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub struct RoundsFit {
    order: Order,
    data: Data,
    schema: Schema,
    rows: u64,
    phase: Phase,
    judges: Option<Judges>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    Survey,
    Rounds {
        design: Arc<Design>,
        rounds: Rounds,
        learning: Option<Learning>,
    },
    /// The gradients of a function, for the next metric.
    Gradients {
        design: Arc<Design>,
        query: MetricQuery,
        learning: Learning,
    },
    Done(Arc<TableModel>),
}

versioned! { RoundsFit = "a fit"; }
in_bytes!(RoundsFit);

/// The stage of a fit, for those who watch it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// All rows are looked at for the first time.
    Survey,
    /// Rounds of so many rows.
    Rounds {
        /// The number of rows.
        rows: u64,
        /// The state of the rounds.
        state: State,
    },
    /// There is a model.
    Done {
        /// The number of rows.
        rows: u64,
    },
}

impl RoundsFit {
    /// Looks at the first rows, which tell the kinds of columns.
    ///
    /// # Errors
    /// [`Error::NoParts`] without any; [`Error::Part`] of the first; [`Error::NoColumns`].
    pub fn start(order: Order, parts: Vec<Part>) -> Result<Self, Error> {
        let first = parts.first().ok_or(Error::NoParts)?;
        let read = || -> Result<Schema, Error> {
            let table = Source::of_part(first)?.batches(FIRST)?.next().transpose()?;
            points(&table.ok_or(kern_solvers::Error::Empty)?, &order)
        };
        let schema = read().map_err(|error| error.of_part(first))?;
        let data = Data { count: parts.len(), parts: Arc::new(parts) };
        Ok(Self { order, data, schema, rows: 0, phase: Phase::Survey, judges: None })
    }

    /// The same for partitions that the caller holds, so many; `first` has some rows of one.
    ///
    /// # Errors
    /// [`Error::NoParts`] without any, [`Error::NoColumns`], [`Error::Data`] for columns that are not there.
    pub fn start_partitions(order: Order, count: usize, first: &Table) -> Result<Self, Error> {
        if count == 0 {
            return Err(Error::NoParts);
        }
        let schema = points(first, &order)?;
        let data = Data { count, parts: Arc::default() };
        Ok(Self { order, data, schema, rows: 0, phase: Phase::Survey, judges: None })
    }

    /// Refuses a fit of another order or of other parts.
    ///
    /// # Errors
    /// [`Error::OtherFit`].
    pub fn check(&self, order: &Order, parts: &[Part]) -> Result<(), Error> {
        if self.order != *order {
            return Err(Error::OtherFit { what: "order" });
        }
        match *self.data.parts == parts {
            true => Ok(()),
            false => Err(Error::OtherFit { what: "list of parts" }),
        }
    }

    /// The number of groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.data.groups()
    }

    /// The parts of a group, from the first to before the last.
    #[must_use]
    pub fn group(&self, group: usize) -> std::ops::Range<usize> {
        self.data.group(group)
    }

    /// The job of this round; none at the end.
    ///
    /// # Errors
    /// [`Error::Solvers`] if it cannot be given a fingerprint.
    pub fn job(&self) -> Result<Option<Job>, Error> {
        let ask = match &self.phase {
            Phase::Survey => Ask::Survey { schema: self.schema.clone(), order: self.order.clone() },
            Phase::Rounds { design, rounds, .. } => {
                Ask::Sums { design: Arc::clone(design), query: rounds.query() }
            }
            Phase::Gradients { design, query, .. } => {
                Ask::Sums { design: Arc::clone(design), query: Query::Outer(query.clone()) }
            }
            Phase::Done(_) => return Ok(None),
        };
        Job::new(self.data.clone(), ask).map(Some)
    }

    /// Goes on with the sums of all groups. After an error the fit stands where it stood.
    ///
    /// # Errors
    /// [`Error::OtherRound`] for sums that answer another job, [`Error::GroupsMissing`] for those of some groups; those of a fit.
    pub fn next(&mut self, sums: Gathered, memory: &MemoryBudget) -> Result<(), Error> {
        let Some(job) = self.job()? else { return Err(Error::OtherRound) };
        let found = sums.answer(&job)?;
        let phase = match (&self.phase, found) {
            (Phase::Survey, Found::Survey(survey)) => {
                let (design, phase) = self.surveyed(&survey, memory)?;
                self.judges = Judges::new(&design, &survey)?;
                self.rows = survey.rows;
                phase
            }
            (Phase::Rounds { design, rounds, learning }, Found::Sums(sums)) => {
                let (design, learning) = (Arc::clone(design), learning.clone());
                match rounds.clone().next(sums, memory)? {
                    Next::Round(rounds) => Phase::Rounds { design, rounds, learning },
                    Next::Done(outcome) => self.found(design, *outcome, learning)?,
                }
            }
            (Phase::Gradients { design, query, learning }, Found::Sums(Sums::Outer(sums))) => {
                let mut learning = learning.clone();
                let design = learning.next(design, query, &sums, memory)?;
                let rounds = self.order.ridge(&design, self.rows)?;
                Phase::Rounds { design: Arc::new(design), rounds, learning: Some(learning) }
            }
            _ => return Err(Error::OtherRound),
        };
        self.phase = phase;
        Ok(())
    }

    /// The stage.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match &self.phase {
            Phase::Survey => Stage::Survey,
            Phase::Rounds { rounds, .. } => {
                Stage::Rounds { rows: self.rows, state: rounds.state() }
            }
            Phase::Gradients { .. } => {
                let state = State { rounds: 1, objective: None, gap: None };
                Stage::Rounds { rows: self.rows, state }
            }
            Phase::Done(_) => Stage::Done { rows: self.rows },
        }
    }

    /// The model, at the end.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<TableModel>> {
        match &self.phase {
            Phase::Done(model) => Some(model),
            _ => None,
        }
    }

    /// The model, at the end.
    #[must_use]
    pub fn into_model(self) -> Option<Arc<TableModel>> {
        match self.phase {
            Phase::Done(model) => Some(model),
            _ => None,
        }
    }

    /// Does all rounds in this process, with sums merged as anywhere. `watch` is told the stage after each round; where it
    /// breaks, there is no model, and the fit may go on later.
    ///
    /// # Errors
    /// As [`Job::gather`] and [`next`](Self::next).
    pub fn run(
        &mut self,
        memory: &MemoryBudget,
        mut watch: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Option<Arc<TableModel>>, Error> {
        while let Some(job) = self.job()? {
            let sums = tree(&job, 0..job.groups(), memory)?;
            self.next(sums, memory)?;
            if watch(self).is_break() {
                break;
            }
        }
        Ok(self.model().cloned())
    }

    /// Goes on to the next metric, if one is wanted, or to the model.
    fn found(
        &self,
        design: Arc<Design>,
        outcome: Outcome,
        learning: Option<Learning>,
    ) -> Result<Phase, Error> {
        match (outcome, learning) {
            (Outcome::Functions(functions), Some(learning)) if learning.left > 0 => {
                let query = learning.query(&design, &functions)?;
                Ok(Phase::Gradients { design, query, learning })
            }
            (outcome, _) => {
                let judges = self.judges.as_ref();
                Ok(Phase::Done(Arc::new(self.order.model(&design, outcome, self.rows, judges)?)))
            }
        }
    }

    fn surveyed(
        &self,
        survey: &Survey,
        memory: &MemoryBudget,
    ) -> Result<(Arc<Design>, Phase), Error> {
        if survey.rows == 0 {
            return Err(kern_solvers::Error::Empty.into());
        }
        let design = Design::new(survey, &self.schema, &self.order, memory)?;
        let rounds = self.rounds(&design, survey, memory)?;
        let learning = match self.order.features {
            Features::Learned { rounds, .. } => {
                Learning::new(&design, numbers(&design.sample(survey)?)?, rounds)
            }
            _ => None,
        };
        let design = Arc::new(design);
        Ok((Arc::clone(&design), Phase::Rounds { design, rounds, learning }))
    }

    /// The machine of this order.
    fn rounds(
        &self,
        design: &Design,
        survey: &Survey,
        memory: &MemoryBudget,
    ) -> Result<Rounds, Error> {
        let order = &self.order;
        let (dim, outputs, intercept) = (design.dim(), design.outputs(), order.intercept);
        let lambda = order.lambda(survey.rows);
        let descent = |loss| Rounds::descent(dim, outputs, loss, lambda, intercept);
        let rounds = match order.loss {
            Loss::Squares => order.ridge(design, survey.rows)?,
            Loss::SquaredHinge => descent(Some(sgd::Loss::SquaredHinge))?,
            Loss::SquaredTube(epsilon) => {
                descent(Some(sgd::Loss::SquaredEpsilonInsensitive(epsilon)))?
            }
            Loss::Logistic if outputs > 1 => descent(None)?,
            Loss::Logistic => descent(Some(sgd::Loss::Logistic))?,
            Loss::Means => Rounds::k_means(self.centres(design, survey, memory)?)?,
            Loss::Variance => {
                let Task::Components(count) = order.task else { return Err(Error::OtherRound) };
                Rounds::components(dim, count)?
            }
        };
        let rounds = match order.tolerance {
            Some(tolerance) => rounds.tolerance(tolerance)?,
            None => rounds,
        };
        Ok(match order.max_rounds {
            Some(most) => rounds.max_rounds(most)?,
            None => rounds,
        })
    }

    /// The centres of the sample's clusters, D × k.
    fn centres(
        &self,
        design: &Design,
        survey: &Survey,
        memory: &MemoryBudget,
    ) -> Result<faer::Mat<f64>, Error> {
        let Task::Cluster(k) = self.order.task else { return Err(Error::OtherRound) };
        let rows = design.sample(survey)?;
        let learner = KMeans::on_features(design.map.clone(), k).seed(self.order.seed);
        let found = learner.learn(&Points::unlabelled(&rows)?, &mut Run::new().memory(*memory))?;
        // Means of the clusters that were found, not their differences from the mean of all.
        let features = design.features(&rows, memory)?;
        let sizes = found.sizes();
        let mut centres = kern_gram::zeros(design.dim(), k)?;
        for (i, &label) in found.labels().iter().enumerate() {
            let centre = centres.col_as_slice_mut(label).iter_mut();
            let share = 1.0 / sizes[label] as f64;
            centre.zip(features.col_as_slice(i)).for_each(|(to, z)| *to += share * z);
        }
        Ok(centres)
    }
}

/// The sums of some groups, by the tree.
fn tree(
    job: &Job,
    groups: std::ops::Range<usize>,
    memory: &MemoryBudget,
) -> Result<Gathered, Error> {
    if groups.len() < 2 {
        return job.gather(groups.start, memory);
    }
    let middle = groups.start + groups.len() / 2;
    let mut sums = tree(job, groups.start..middle, memory)?;
    sums.merge(&tree(job, middle..groups.end, memory)?)?;
    Ok(sums)
}
