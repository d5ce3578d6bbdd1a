//! The coordinator of a fit in rounds.

use super::design::{Design, points};
use super::job::{Ask, Data, Found, Gathered, Job, in_bytes, versioned};
use super::judges::Judges;
use super::metric::Learning;
use super::order::{Features, Loss, Order};
use super::survey::Survey;
use crate::map::numbers;
use crate::{Error, TableModel, Task};
use kern_core::Named;
use kern_data::{Part, Schema, Source, Table};
use kern_gram::MemoryBudget;
use kern_solvers::file;
use kern_solvers::kmeans::KMeans;
use kern_solvers::rounds::{MetricQuery, Next, Outcome, Query, Rounds, State, Sums};
use kern_solvers::sgd;
use kern_solvers::{Data as Points, Learner, Run};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Number of rows that determine the kinds of columns.
const FIRST: usize = 1000;

/// The state of a fit in rounds. It serves as the checkpoint: after it was
/// [written](Self::to_bytes) and [read](Self::from_bytes), the fit continues with bit-identical
/// results.
///
/// # Method
/// The first round, the survey, collects statistics of all rows: their number, the means and
/// standard deviations of numeric columns, the categories and classes that occur, and a sample,
/// which consists of the rows with the smallest hash of their position. These determine the scales,
/// the kernel parameters left open, the landmarks and the initial clusters. The later rounds are
/// those of [`Rounds`].
///
/// Parts are gathered in groups: one per part up to 64 parts, 64 groups up to 1024 parts, then one
/// for each 16 parts, up to 1024 groups. The sums of groups are merged in one fixed tree: the sum
/// of the groups `lo..hi` is the sum of `lo..mid` merged with that of `mid..hi`, with mid = lo +
/// ⌊(hi − lo)/2⌋. Therefore the bits of the result depend on the parts only, neither on which
/// worker gathers a group nor on how often.
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
    /// The gradients of the fitted functions, for the next metric.
    Gradients {
        design: Arc<Design>,
        query: MetricQuery,
        learning: Learning,
    },
    Done(Arc<TableModel>),
}

versioned! { RoundsFit = "a fit"; }
in_bytes!(RoundsFit);

/// The stage of a fit, for progress reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// The first round, which collects statistics of all rows.
    Survey,
    /// The rounds of the solver, over this number of rows.
    Rounds {
        /// The number of rows.
        rows: u64,
        /// The state of the rounds.
        state: State,
    },
    /// The model is complete.
    Done {
        /// The number of rows.
        rows: u64,
    },
}

impl RoundsFit {
    /// Starts a fit: reads the first rows, which determine the kinds of columns.
    ///
    /// # Errors
    /// [`Error::NoParts`] if there are no parts; [`Error::Part`] for the first part;
    /// [`Error::NoColumns`].
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

    /// Starts a fit on `count` partitions that the caller holds; `first` has some rows of one.
    ///
    /// # Errors
    /// [`Error::NoParts`] if `count` is 0, [`Error::NoColumns`], [`Error::Data`] for missing
    /// columns.
    pub fn start_partitions(order: Order, count: usize, first: &Table) -> Result<Self, Error> {
        if count == 0 {
            return Err(Error::NoParts);
        }
        let schema = points(first, &order)?;
        let data = Data { count, parts: Arc::default() };
        Ok(Self { order, data, schema, rows: 0, phase: Phase::Survey, judges: None })
    }

    /// Checks that this fit has the given order and parts.
    ///
    /// # Errors
    /// [`Error::OtherFit`] if it has others.
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

    /// The range of the parts in a group.
    #[must_use]
    pub fn group(&self, group: usize) -> std::ops::Range<usize> {
        self.data.group(group)
    }

    /// The job of this round; `None` if the fit is complete.
    ///
    /// # Errors
    /// [`Error::Solvers`] if its fingerprint cannot be computed.
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

    /// Advances the fit with the sums of all groups. After an error the state is unchanged.
    ///
    /// # Errors
    /// [`Error::OtherRound`] for sums of another job, [`Error::GroupsMissing`] if groups are
    /// missing; errors of the fit.
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

    /// The current stage.
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

    /// The model, if the fit is complete.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<TableModel>> {
        match &self.phase {
            Phase::Done(model) => Some(model),
            _ => None,
        }
    }

    /// The model, if the fit is complete.
    #[must_use]
    pub fn into_model(self) -> Option<Arc<TableModel>> {
        match self.phase {
            Phase::Done(model) => Some(model),
            _ => None,
        }
    }

    /// Runs all rounds in this process and merges sums in the same fixed tree. `watch` receives the
    /// stage after each round; if it breaks, there is no model, and the fit can continue later.
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

    /// Continues with the next metric, if one is requested, or with the model.
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

    /// The solver of this order.
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

    /// The initial cluster centres, from the sample, D × k.
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
        // Uncentred means of the clusters, not their differences from the overall mean.
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

/// The merged sums of a range of groups, by the fixed tree.
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
