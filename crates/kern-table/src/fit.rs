//! The fit of a table.

use crate::fitted::{Behind, Fitted, Names, Numbers};
use crate::kernel::{build, is_small, usual};
use crate::{Error, Formula, Method, Prepare, Rows, Search, TableModel, Task, Training};
use kern_approx::Nystrom;
use kern_core::parameters::Parameters;
use kern_data::{Column, Table};
use kern_solvers::components::KernelPca;
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::KNearest;
use kern_solvers::logistic::Logistic;
use kern_solvers::pipeline::Pipeline;
use kern_solvers::ridge::Ridge;
use kern_solvers::search::{Tune, ranges};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::validation::{Accuracy, R2, Score, Split};
use kern_solvers::{Data, Labels, Learner, Model, Run, Targets, Transformer, Values};

/// Landmarks unless they are set.
const LANDMARKS: usize = 1000;

/// The number of hyper-parameters of which a grid is searched, and the draws from more.
const PLANE: usize = 2;
const DRAWS: usize = 60;

impl Training {
    /// Learns from a table, with a run of default settings.
    ///
    /// # Errors
    /// As [`learn`](Training::learn).
    pub fn fit(&self, table: &Table) -> Result<TableModel, Error> {
        self.learn(table, &mut Run::new())
    }

    /// Learns from a table.
    ///
    /// # Errors
    /// [`Error::NoTarget`], [`Error::NoColumns`], [`Error::Method`]; [`Error::Data`] for a column that does not exist, and for
    /// targets that are missing or, in regression, no numbers; [`Error::Core`] for a formula that is none; [`Error::Solvers`]
    /// of the fit.
    pub fn learn(&self, table: &Table, run: &mut Run<'_>) -> Result<TableModel, Error> {
        let method = self.checked_method()?;
        let Parts { target, weights, groups, points } = self.parts(table)?;
        let schema = points.schema();
        let rows = points.rows(&schema)?;
        if rows.is_empty() {
            return Err(kern_solvers::Error::Empty.into());
        }
        let prepare = Prepare::new().standardized(self.standardized);
        let prepared = prepare.learn(&Data::unlabelled(&rows)?, &mut Run::new())?;
        let formula = self.kernel.clone().unwrap_or_else(|| usual(&schema));
        let kernel = build(&formula, (&schema, &prepared.transform(&rows)?), self.seed)?;
        let landmarks = match self.landmarks {
            Some(0) => None,
            None if is_small(&rows) => None,
            Some(landmarks) => Some(landmarks),
            None => Some(LANDMARKS),
        };
        let nystrom = landmarks.map(|m| Nystrom::new(kernel.clone()).landmarks(m).seed(self.seed));
        let (weights, groups) = (weights.as_deref(), groups.as_deref());
        let fit = Fit { training: self, prepare, kernel, nystrom, rows: &rows, weights, groups };
        let (fitted, search, learned) = match self.task {
            Task::Classify => fit.classes(method, &required(target.as_ref())?.labels()?, run)?,
            Task::Regress => fit.numbers(method, required(target.as_ref())?.numbers()?, run)?,
            Task::Detect => {
                fit.alone(OneClass::on_kernel(fit.kernel.clone()), Fitted::OneClass, run)?
            }
            Task::Components(count) => {
                fit.alone(KernelPca::on_kernel(fit.kernel.clone(), count), Fitted::Components, run)?
            }
            Task::Cluster(k) => fit.alone(
                KMeans::on_kernel(fit.kernel.clone(), k).seed(self.seed),
                Fitted::Clusters,
                run,
            )?,
        };
        Ok(TableModel {
            task: self.task.name().to_string(),
            target: self.target.clone(),
            schema,
            kernel: learned,
            rows: rows.len() as u64,
            search,
            fitted,
        })
    }

    /// The columns by what they are for.
    pub(crate) fn parts(&self, table: &Table) -> Result<Parts, Error> {
        let points = table.clone().without(&self.ignored)?;
        if self.target.is_none() && self.task.has_target() {
            let known = points.columns().iter().map(|column| column.name.clone()).collect();
            return Err(Error::NoTarget { known });
        }
        let (target, points) = apart(self.target.as_ref(), points)?;
        let (weights, points) = apart(self.weights.as_ref(), points)?;
        let (groups, points) = apart(self.groups.as_ref(), points)?;
        let points = with_values(points)?;
        if points.columns().is_empty() {
            return Err(Error::NoColumns);
        }
        let weights = weights.map(|column| column.numbers().map(<[f64]>::to_vec)).transpose()?;
        let groups = groups.map(|column| numbered(&column)).transpose()?;
        Ok(Parts { target, weights, groups, points })
    }
}

/// The table without columns that have no value: nothing is learned of their scale.
fn with_values(table: Table) -> Result<Table, Error> {
    let is_empty = |column: &&Column| column.values.missing() == column.values.len();
    let empty = table.columns().iter().filter(is_empty).map(|column| column.name.clone());
    let empty: Vec<String> = empty.collect();
    Ok(if table.is_empty() { table } else { table.without(&empty)? })
}

/// The columns of a table, by what they are for.
pub(crate) struct Parts {
    pub(crate) target: Option<Column>,
    pub(crate) weights: Option<Vec<f64>>,
    /// The number of each row's group.
    groups: Option<Vec<usize>>,
    pub(crate) points: Table,
}

/// A column, if there is to be one, and the others.
fn apart(name: Option<&String>, table: Table) -> Result<(Option<Column>, Table), Error> {
    let Some(name) = name else { return Ok((None, table)) };
    let (column, rest) = table.split(name)?;
    Ok((Some(column), rest))
}

/// A number for each different value.
fn numbered(column: &Column) -> Result<Vec<usize>, Error> {
    let labels = column.labels()?;
    let mut known: Vec<&String> = labels.iter().collect();
    known.sort_unstable();
    known.dedup();
    Ok(labels.iter().map(|label| known.partition_point(|other| *other < label)).collect())
}

/// The targets, which are there for the tasks that need them.
fn required(target: Option<&Column>) -> Result<&Column, Error> {
    target.ok_or(Error::NoTarget { known: Vec::new() })
}

/// A model, the search for it, and its kernel.
type Found = (Fitted, Option<Search>, String);

/// A fit on its way.
struct Fit<'f> {
    training: &'f Training,
    prepare: Prepare,
    kernel: Formula,
    nystrom: Option<Nystrom<Formula>>,
    rows: &'f Rows,
    weights: Option<&'f [f64]>,
    groups: Option<&'f [usize]>,
}

impl<'f> Fit<'f> {
    /// Data with the weights and the groups that there are.
    fn with<Y: Targets>(&self, mut data: Data<'f, Rows, Y>) -> Result<Data<'f, Rows, Y>, Error> {
        if let Some(weights) = self.weights {
            data = data.weights(weights)?;
        }
        if let Some(groups) = self.groups {
            data = data.groups(groups)?;
        }
        Ok(data)
    }

    fn classes(
        &self,
        method: Method,
        labels: &[String],
        run: &mut Run<'_>,
    ) -> Result<Found, Error> {
        let data = self.with(Data::new(self.rows, Labels::new(labels.to_vec()))?)?;
        let kernel = || self.kernel.clone();
        match (method, &self.nystrom) {
            (Method::Logistic, None) => {
                self.found(Logistic::on_kernel(kernel()), &data, Fitted::Logistic, run)
            }
            (Method::Logistic, Some(nystrom)) => {
                let learner = Logistic::on_landmarks(nystrom.clone());
                self.found(learner, &data, Fitted::LogisticOnLandmarks, run)
            }
            (Method::Neighbors, _) => {
                let learner = KNearest::by_similarity(kernel());
                self.found(learner, &data, Fitted::VotesOfNeighbors, run)
            }
            (_, None) => self.found(Svc::on_kernel(kernel()), &data, Fitted::Machine, run),
            (_, Some(nystrom)) => {
                let learner = Svc::on_landmarks(nystrom.clone());
                self.found(learner, &data, Fitted::MachineOnLandmarks, run)
            }
        }
    }

    fn numbers(&self, method: Method, values: &[f64], run: &mut Run<'_>) -> Result<Found, Error> {
        let data = self.with(Data::new(self.rows, Values::new(values.to_vec()))?)?;
        let kernel = || self.kernel.clone();
        match (method, &self.nystrom) {
            (Method::Svm, _) => {
                self.found_number(Svr::on_kernel(kernel()), &data, Fitted::Tube, run)
            }
            (Method::Neighbors, _) => {
                let learner = KNearest::by_similarity(kernel());
                self.found_number(learner, &data, Fitted::MeansOfNeighbors, run)
            }
            (_, None) => {
                let learner = Ridge::on_kernel(kernel()).intercept(true);
                self.found_number(learner, &data, Fitted::Ridge, run)
            }
            (_, Some(nystrom)) => {
                let learner = Ridge::on_landmarks(nystrom.clone()).intercept(true);
                self.found_number(learner, &data, Fitted::RidgeOnLandmarks, run)
            }
        }
    }

    fn found<L>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Names>,
        wrap: fn(Behind<L, Names>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, Names, Model: Model<Rows>> + Parameters,
        Accuracy: Score<Rows, Names, Behind<L, Names>>,
    {
        let split = |folds| match self.groups {
            Some(_) => Split::groups(folds),
            None => Split::stratified(folds).shuffle(self.training.seed),
        };
        self.searched(learner, data, (Accuracy, "accuracy", &split), wrap, run)
    }

    fn found_number<L>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Numbers>,
        wrap: fn(Behind<L, Numbers>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, Numbers, Model: Model<Rows>> + Parameters,
        R2: Score<Rows, Numbers, Behind<L, Numbers>>,
    {
        let split = |folds| match self.groups {
            Some(_) => Split::groups(folds),
            None => Split::k_fold(folds).shuffle(self.training.seed),
        };
        self.searched(learner, data, (R2, "R²", &split), wrap, run)
    }

    /// The model, after a search if one is asked for.
    fn searched<L, Y, S>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Y>,
        (score, name, split): (S, &str, &dyn Fn(usize) -> Split),
        wrap: fn(Behind<L, Y>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        Y: Targets,
        L: Learner<Rows, Y, Model: Model<Rows>> + Parameters,
        S: Score<Rows, Y, Behind<L, Y>> + Clone + Send + Sync,
    {
        let mut pipeline = Pipeline::new(self.prepare, self.set(learner)?);
        let Some(folds) = self.training.folds else {
            let model = pipeline.learn(data, run)?;
            return Ok((wrap(model), None, described(&self.kernel, &pipeline)));
        };
        let mut axes = ranges(pipeline.last());
        axes.retain(|(name, _)| self.training.settings.iter().all(|given| given.0 != *name));
        let mut tune = Tune::new(pipeline.clone(), score).fixed().split(split(folds));
        if axes.len() > PLANE {
            tune = tune.random(DRAWS, self.training.seed);
        }
        for (name, axis) in axes {
            tune = tune.over(name, axis);
        }
        if self.training.halving {
            tune = tune.halving();
        }
        let tuned = tune.learn(data, run)?;
        if let Some(best) = tuned.best() {
            for (name, setting) in tuned.names().iter().zip(&best.settings) {
                pipeline.set_parameter(name, setting)?;
            }
        }
        let search = Search {
            score: name.to_string(),
            names: tuned.names().to_vec(),
            trials: tuned.trials().to_vec(),
            best: tuned.trials().iter().position(|trial| Some(trial) == tuned.best()),
        };
        let kernel = described(&self.kernel, &pipeline);
        Ok((wrap(tuned.into_model()), Some(search), kernel))
    }

    /// The model of a learner without targets.
    fn alone<L>(
        &self,
        learner: L,
        wrap: fn(Behind<L, ()>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, (), Model: Model<Rows>> + Parameters,
    {
        if self.training.folds.is_some() {
            return Err(Error::NotHere("a search needs targets to score by: take no folds"));
        }
        let pipeline = Pipeline::new(self.prepare, self.set(learner)?);
        let model = pipeline.learn(&self.with(Data::unlabelled(self.rows)?)?, run)?;
        Ok((wrap(model), None, described(&self.kernel, &pipeline)))
    }

    /// The learner with the hyper-parameters that were set.
    fn set<L: Parameters>(&self, mut learner: L) -> Result<L, Error> {
        for (name, value) in &self.training.settings {
            learner.set_parameter(name, value)?;
        }
        Ok(learner)
    }
}

/// The kernel of a learner, which may have other parameters than the one that it began with.
fn described(kernel: &Formula, learner: &impl Parameters) -> String {
    let mut kernel = kernel.clone();
    for parameter in learner.parameters() {
        let name = parameter.name.as_ref();
        let own = name.strip_prefix("kernel.").or_else(|| name.strip_prefix("landmarks.kernel."));
        if let Some(own) = own {
            // Names of the kernel that the learner has, so they are known.
            let _known = kernel.set_parameter(own, &parameter.value);
        }
    }
    kernel.to_string()
}
