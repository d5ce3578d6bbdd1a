//! Fits to tables.

use crate::evidence::{Known, Note, Scored, weighty};
use crate::fitted::{Behind, Exact, Fitted, Landmarks, Names, Numbers};
use crate::kernel::{Scale, build, usual};
use crate::novelty::{NU, threshold};
use crate::training::LANDMARKS;
use crate::{Error, Evidence, Formula, Method, Prepare, Rows, Search, Task, Training};
use faer::Mat;
use kern_approx::Nystrom;
use kern_core::parameters::Parameters;
use kern_data::{Column, Schema, Table};
use kern_solvers::components::KernelPca;
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::KNearest;
use kern_solvers::logistic::Logistic;
use kern_solvers::model::Regression;
use kern_solvers::pipeline::{Piped, Pipeline};
use kern_solvers::ridge::{Criterion, LambdaChoice, Ridge};
use kern_solvers::search::{Tune, ranges};
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::validation::{Accuracy, R2, Score, Split};
use kern_solvers::{
    Data, Labels, Learner, Model, Outputs, Run, Status, Targets, Transformer, Values,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Largest number of hyper-parameters searched on a grid, and the number of random draws for more.
const PLANE: usize = 2;
const DRAWS: usize = 60;

impl Training {
    /// Fits one method, after a search if one was requested.
    pub(crate) fn with_method(
        &self,
        method: Method,
        columns: Columns<'_>,
        run: &mut Run<'_>,
    ) -> Result<Learned, Error> {
        let Columns { schema, rows, target, weights, groups } = columns;
        let prepare = Prepare::new().standardized(self.standardized);
        let prepared = prepare.learn(&weighted(rows, weights)?, &mut Run::new())?;
        let ready = prepared.transform(rows)?;
        let formula = self.kernel.clone().unwrap_or_else(|| usual(schema));
        let kernel = build(&formula, schema, &ready, weights, Scale::median(self.seed))?;
        let ready = &ready;
        let fit =
            Fit { training: self, prepare, kernel, nystrom: None, rows, ready, weights, groups };
        let Found { fitted, search, kernel, selected, mut notes } =
            fit.on_landmarks_if_needed(method, target, run)?;
        let is_stopped = fitted.report().status == Status::Stopped && search.is_none();
        let iterations = fitted.report().iterations;
        if is_stopped && iterations == 0 {
            return Err(Error::NothingReached { iterations });
        }
        let known = Known::of(self, rows, search.as_ref());
        let estimated = selected.map(|selected| (selected.error, selected.scored));
        let known = Known { target, weights, estimated, ..known };
        let (evidence, more) = known.judge(&fitted)?;
        if is_stopped {
            let is_idle = |note: &Note| matches!(note, Note::SameClass { .. } | Note::NoBetter(_));
            if more.iter().any(is_idle) {
                return Err(Error::NothingReached { iterations });
            }
            notes.push(Note::Stopped);
        }
        notes.extend(more);
        Ok(Learned { fitted, search, kernel, evidence, notes })
    }

    /// The columns by purpose, restricted to rows with a non-zero weight.
    pub(crate) fn parts(&self, table: &Table) -> Result<Parts, Error> {
        let used = match &self.weights {
            Some(name) => weighty(&table.column(name)?.values),
            None => None,
        };
        // A row of weight 0 counts as absent: it does not affect ranges, categories, scales and
        // folds.
        let table = used.map_or_else(|| Ok(table.clone()), |used| table.select(&used))?;
        let points = table.without(&self.ignored)?;
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
        let weights =
            weights.map(|column| column.plain_numbers().map(<[f64]>::to_vec)).transpose()?;
        let groups = groups.map(|column| numbered(&column)).transpose()?;
        Ok(Parts { target, weights, groups, points })
    }
}

/// The table without empty columns, which have no scale.
fn with_values(table: Table) -> Result<Table, Error> {
    let is_empty = |column: &&Column| column.values.missing() == column.values.len();
    let empty = table.columns().iter().filter(is_empty).map(|column| column.name.clone());
    let empty: Vec<String> = empty.collect();
    Ok(if table.is_empty() { table } else { table.without(&empty)? })
}

/// The columns of a table, by purpose.
pub(crate) struct Parts {
    pub(crate) target: Option<Column>,
    pub(crate) weights: Option<Vec<f64>>,
    /// The group index of each row.
    pub(crate) groups: Option<Vec<usize>>,
    pub(crate) points: Table,
}

/// The rows of a fit, with all that is known of them.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'c> {
    pub(crate) schema: &'c Schema,
    pub(crate) rows: &'c Rows,
    pub(crate) target: Option<&'c Column>,
    pub(crate) weights: Option<&'c [f64]>,
    pub(crate) groups: Option<&'c [usize]>,
}

/// A fit with its evidence.
pub(crate) struct Learned {
    pub(crate) fitted: Fitted,
    pub(crate) search: Option<Search>,
    /// The kernel with all of its parameters.
    pub(crate) kernel: String,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notes: Vec<Note>,
}

/// Splits off the named column, if there is a name, from the others.
fn apart(name: Option<&String>, table: Table) -> Result<(Option<Column>, Table), Error> {
    let Some(name) = name else { return Ok((None, table)) };
    let (column, rest) = table.split(name)?;
    Ok((Some(column), rest))
}

/// The index of each value among the sorted distinct values.
fn numbered(column: &Column) -> Result<Vec<usize>, Error> {
    let labels = column.labels()?;
    let mut known: Vec<&String> = labels.iter().collect();
    known.sort_unstable();
    known.dedup();
    Ok(labels.iter().map(|label| known.partition_point(|other| *other < label)).collect())
}

/// The target column, which is present for all tasks that need it.
pub(crate) fn required(target: Option<&Column>) -> Result<&Column, Error> {
    target.ok_or(Error::NoTarget { known: Vec::new() })
}

/// Rows without targets, with their weights if there are any.
pub(crate) fn weighted<'d>(
    rows: &'d Rows,
    weights: Option<&'d [f64]>,
) -> Result<Data<'d, Rows>, Error> {
    let data = Data::unlabelled(rows)?;
    Ok(match weights {
        Some(weights) => data.weights(weights)?,
        None => data,
    })
}

/// The rule that divides rows into this many folds.
pub(crate) fn split(task: Task, has_groups: bool, folds: usize, seed: u64) -> Split {
    match task {
        _ if has_groups => Split::groups(folds),
        Task::Classify => Split::stratified(folds).shuffle(seed).allow_rare_classes(),
        _ => Split::k_fold(folds).shuffle(seed),
    }
}

/// The score of a search, and its name.
struct Scoring<S> {
    score: S,
    name: &'static str,
}

/// A λ that was selected, its error, and the rows that this was computed on.
#[derive(Clone, Copy)]
pub(crate) struct Selected {
    pub(crate) lambda: f64,
    pub(crate) error: f64,
    pub(crate) scored: Scored,
}

/// A model, and how it was found.
pub(crate) struct Found {
    pub(crate) fitted: Fitted,
    search: Option<Search>,
    /// The kernel with all of its parameters.
    pub(crate) kernel: String,
    /// The λ of ridge regression, unless it was set or searched.
    pub(crate) selected: Option<Selected>,
    notes: Vec<Note>,
}

impl Found {
    fn of(fitted: Fitted, kernel: String) -> Self {
        Self { fitted, search: None, kernel, selected: None, notes: Vec::new() }
    }
}

/// The inputs of a fit.
pub(crate) struct Fit<'f> {
    pub(crate) training: &'f Training,
    pub(crate) prepare: Prepare,
    pub(crate) kernel: Formula,
    pub(crate) nystrom: Option<Nystrom<Formula>>,
    pub(crate) rows: &'f Rows,
    /// The rows after preparation by `prepare`.
    pub(crate) ready: &'f Rows,
    pub(crate) weights: Option<&'f [f64]>,
    pub(crate) groups: Option<&'f [usize]>,
}

impl<'f> Fit<'f> {
    /// Fits on the exact kernel or on landmarks, as the training sets or, by default, as the time
    /// limit allows.
    fn on_landmarks_if_needed(
        mut self,
        method: Method,
        target: Option<&Column>,
        run: &mut Run<'_>,
    ) -> Result<Found, Error> {
        let classes = match (self.training.task, target) {
            (Task::Classify, Some(target)) => {
                target.labels()?.into_iter().collect::<BTreeSet<_>>().len()
            }
            _ => 0,
        };
        let landmarks = self.training.landmarks_for(method, self.rows.len(), classes);
        self.take(landmarks);
        match self.of_task(method, target, run) {
            Err(Error::Solvers(kern_solvers::Error::TooLong { .. }))
                if landmarks.is_none() && self.training.may_fall_back(method) =>
            {
                self.take(Some(LANDMARKS.min(self.rows.len())));
                let mut found = self.of_task(method, target, run)?;
                let landmarks = LANDMARKS.min(self.rows.len());
                found.notes.push(Note::Landmarks { landmarks });
                Ok(found)
            }
            found => found,
        }
    }

    pub(crate) fn take(&mut self, landmarks: Option<usize>) {
        let nystrom = |m| Nystrom::new(self.kernel.clone()).landmarks(m).seed(self.training.seed);
        self.nystrom = landmarks.map(nystrom);
    }

    fn of_task(
        &self,
        method: Method,
        target: Option<&Column>,
        run: &mut Run<'_>,
    ) -> Result<Found, Error> {
        let kernel = || self.kernel.clone();
        match self.training.task {
            Task::Classify => self.classes(method, &required(target)?.labels()?, run),
            Task::Regress => self.numbers(method, required(target)?.numbers()?, run),
            Task::Detect => self.novelties(run),
            Task::Components(count) => {
                self.alone(KernelPca::on_kernel(kernel(), count), Fitted::Components, run)
            }
            Task::Cluster(k) => {
                let learner = KMeans::on_kernel(kernel(), k).seed(self.training.seed);
                self.alone(learner, Fitted::Clusters, run)
            }
        }
    }

    /// The weights in the scale that a method expects: for a penalty nλ they are normalised to mean
    /// 1, so that n is their sum and a weight of 2 equals a repeated row.
    fn weights_for(&self, method: Method) -> Option<Cow<'f, [f64]>> {
        let weights = self.weights?;
        if !matches!(method, Method::Ridge | Method::Logistic) {
            return Some(Cow::Borrowed(weights));
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let mean =
            weights.iter().map(|weight| weight / largest).sum::<f64>() / weights.len() as f64;
        let scaled = |weight: &f64| weight / largest / mean;
        if !(largest > 0.0 && largest.is_finite()) {
            // Rejected where `Data` is built from them.
            return Some(Cow::Borrowed(weights));
        }
        Some(Cow::Owned(weights.iter().map(scaled).collect()))
    }

    /// Adds the weights and groups, if there are any, to the data.
    fn with<'d, Y: Targets>(
        &'d self,
        mut data: Data<'d, Rows, Y>,
        weights: Option<&'d [f64]>,
    ) -> Result<Data<'d, Rows, Y>, Error> {
        if let Some(weights) = weights {
            data = data.weights(weights)?;
        }
        if let Some(groups) = self.groups {
            data = data.groups(groups)?;
        }
        Ok(data)
    }

    pub(crate) fn classes(
        &self,
        method: Method,
        labels: &[String],
        run: &mut Run<'_>,
    ) -> Result<Found, Error> {
        let weights = self.weights_for(method);
        let data = Data::new(self.rows, Labels::new(labels.to_vec()))?;
        let data = self.with(data, weights.as_deref())?;
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
            (Method::Ridge, None) => {
                let learner = Ridge::on_kernel(kernel());
                let (learner, selected) = self.penalised(learner, signs(labels), run)?;
                let found = self.found(learner, &data, Fitted::RidgeOfClasses, run)?;
                Ok(Found { selected, ..found })
            }
            (Method::Ridge, Some(nystrom)) => {
                let learner = Ridge::on_landmarks(nystrom.clone());
                let (learner, selected) = self.penalised(learner, signs(labels), run)?;
                let found = self.found(learner, &data, Fitted::RidgeOfClassesOnLandmarks, run)?;
                Ok(Found { selected, ..found })
            }
            (_, None) => self.found(Svc::on_kernel(kernel()), &data, Fitted::Machine, run),
            (_, Some(nystrom)) => {
                let learner = Svc::on_landmarks(nystrom.clone());
                self.found(learner, &data, Fitted::MachineOnLandmarks, run)
            }
        }
    }

    pub(crate) fn numbers(
        &self,
        method: Method,
        values: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Found, Error> {
        let weights = self.weights_for(method);
        let data = Data::new(self.rows, Values::new(values.to_vec()))?;
        let data = self.with(data, weights.as_deref())?;
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
                let learner = Ridge::on_kernel(kernel());
                let targets = Values::new(values.to_vec());
                let (learner, selected) = self.penalised(learner, targets, run)?;
                let found = self.found_number(learner, &data, Fitted::Ridge, run)?;
                Ok(Found { selected, ..found })
            }
            (_, Some(nystrom)) => {
                let learner = Ridge::on_landmarks(nystrom.clone());
                let targets = Values::new(values.to_vec());
                let (learner, selected) = self.penalised(learner, targets, run)?;
                let found = self.found_number(learner, &data, Fitted::RidgeOnLandmarks, run)?;
                Ok(Found { selected, ..found })
            }
        }
    }

    /// Ridge regression with the settings, and with a λ selected by the data and its error, unless λ
    /// is set or searched.
    fn penalised<S, Y>(
        &self,
        learner: Ridge<S>,
        targets: Y,
        run: &mut Run<'_>,
    ) -> Result<(Ridge<S>, Option<Selected>), Error>
    where
        Ridge<S>: ChoosesLambda,
        Y: Regression<Scalar = f64>,
    {
        let learner = self.set(learner.intercept(true))?;
        let is_set = self.training.settings.iter().any(|(name, _)| name == "lambda");
        if is_set || self.training.folds.is_some() {
            return Ok((learner, None));
        }
        let weights = self.weights_for(Method::Ridge);
        let data = self.with(Data::new(self.ready, targets)?, weights.as_deref())?;
        let LambdaChoice { lambda, criterion, error, .. } = learner.choose(&data, run)?;
        let scored = match criterion {
            Criterion::LeaveOneOut => Scored::LeaveOneOut,
            Criterion::Gcv => Scored::Gcv,
        };
        Ok((learner.lambda(lambda), Some(Selected { lambda, error, scored })))
    }

    fn found<L>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Names>,
        wrap: fn(Behind<L, Names>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, Names, Model: Model<Rows> + Send> + Parameters,
        Accuracy: Score<Rows, Names, Behind<L, Names>>,
    {
        let scoring = Scoring { score: Accuracy, name: "accuracy" };
        self.searched(learner, data, scoring, wrap, run)
    }

    fn found_number<L>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Numbers>,
        wrap: fn(Behind<L, Numbers>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, Numbers, Model: Model<Rows> + Send> + Parameters,
        R2: Score<Rows, Numbers, Behind<L, Numbers>>,
    {
        let scoring = Scoring { score: R2, name: "R²" };
        self.searched(learner, data, scoring, wrap, run)
    }

    /// The fitted model, after a search if one was requested.
    fn searched<L, Y, S>(
        &self,
        learner: L,
        data: &Data<'_, Rows, Y>,
        scoring: Scoring<S>,
        wrap: fn(Behind<L, Y>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        Y: Targets,
        L: Learner<Rows, Y, Model: Model<Rows> + Send> + Parameters,
        S: Score<Rows, Y, Behind<L, Y>> + Clone + Send + Sync,
    {
        let Scoring { score, name } = scoring;
        let mut pipeline = Pipeline::new(self.prepare.clone(), self.set(learner)?);
        let Some(folds) = self.training.folds else {
            let model = pipeline.learn(data, run)?;
            return Ok(Found::of(wrap(model), described(&self.kernel, &pipeline)));
        };
        let split = split(self.training.task, self.groups.is_some(), folds, self.training.seed);
        let mut axes = ranges(pipeline.last());
        axes.retain(|(name, _)| self.training.settings.iter().all(|given| given.0 != *name));
        let mut tune = Tune::new(pipeline.clone(), score).fixed().split(split);
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
            best: Some(tuned.best_index()),
        };
        let (tried, rows, of) = (search.trials.len(), tuned.points(), data.len());
        let is_ended = Model::<Rows>::report(&tuned).status == Status::Stopped;
        let notes = is_ended.then_some(Note::SearchEnded { tried, rows, of });
        let notes = notes.into_iter().collect();
        let kernel = described(&self.kernel, &pipeline);
        let found = Found::of(wrap(tuned.into_model()), kernel);
        Ok(Found { search: Some(search), notes, ..found })
    }

    /// Fits the region that contains most rows; a share ν of them lies outside.
    fn novelties(&self, run: &mut Run<'_>) -> Result<Found, Error> {
        self.without_folds()?;
        let learner = self.set(OneClass::on_kernel(self.kernel.clone()).nu(NU))?;
        let nu = learner.parameters().into_iter().find(|parameter| parameter.name == "nu");
        let nu = nu.and_then(|parameter| parameter.value.as_f64()).unwrap_or(NU);
        let pipeline = Pipeline::new(self.prepare.clone(), learner);
        let kernel = described(&self.kernel, &pipeline);
        let prepared = self.prepare.learn(&weighted(self.rows, self.weights)?, &mut Run::new())?;
        let detector = pipeline.last().learn(&weighted(self.ready, self.weights)?, run)?;
        let values = detector.decision_values(self.ready)?;
        let values: Vec<f64> = values.col(0).iter().copied().collect();
        let weight = |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
        let detector = detector.with_threshold(threshold(&values, weight, nu));
        Ok(Found::of(Fitted::OneClass(Piped::of(prepared, detector)), kernel))
    }

    fn without_folds(&self) -> Result<(), Error> {
        match self.training.folds {
            Some(_) => Err(Error::NotHere("a search needs targets to score by: take no folds")),
            None => Ok(()),
        }
    }

    /// Fits a learner without targets.
    fn alone<L>(
        &self,
        learner: L,
        wrap: fn(Behind<L, ()>) -> Fitted,
        run: &mut Run<'_>,
    ) -> Result<Found, Error>
    where
        L: Learner<Rows, (), Model: Model<Rows>> + Parameters,
    {
        self.without_folds()?;
        let pipeline = Pipeline::new(self.prepare.clone(), self.set(learner)?);
        let data = self.with(Data::unlabelled(self.rows)?, self.weights)?;
        let model = pipeline.learn(&data, run)?;
        Ok(Found::of(wrap(model), described(&self.kernel, &pipeline)))
    }

    /// Applies the hyper-parameters that were set to the learner.
    fn set<L: Parameters>(&self, mut learner: L) -> Result<L, Error> {
        for (name, value) in &self.training.settings {
            learner.set_parameter(name, value)?;
        }
        Ok(learner)
    }
}

/// Ridge regression in either space selects its λ.
trait ChoosesLambda: Parameters {
    fn choose<Y: Regression<Scalar = f64>>(
        &self,
        data: &Data<'_, Rows, Y>,
        run: &mut Run<'_>,
    ) -> Result<LambdaChoice, kern_solvers::Error>;
}

impl ChoosesLambda for Ridge<Exact> {
    fn choose<Y: Regression<Scalar = f64>>(
        &self,
        data: &Data<'_, Rows, Y>,
        run: &mut Run<'_>,
    ) -> Result<LambdaChoice, kern_solvers::Error> {
        self.choose_lambda(data, run)
    }
}

impl ChoosesLambda for Ridge<Landmarks> {
    fn choose<Y: Regression<Scalar = f64>>(
        &self,
        data: &Data<'_, Rows, Y>,
        run: &mut Run<'_>,
    ) -> Result<LambdaChoice, kern_solvers::Error> {
        self.choose_lambda(data, run)
    }
}

/// The signs of classes in columns, for the choice of λ: one column decides between two classes.
fn signs(labels: &[String]) -> Outputs<f64> {
    let classes: Vec<&String> = labels.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let sign = |i: usize, k: usize| if labels[i] == *classes[k] { 1.0 } else { -1.0 };
    let columns = if classes.len() == 2 { 1 } else { classes.len() };
    Outputs::new(Mat::from_fn(labels.len(), columns, sign))
}

/// The kernel of a fitted learner, with the parameters that the learner ended with.
fn described(kernel: &Formula, learner: &impl Parameters) -> String {
    let mut kernel = kernel.clone();
    for parameter in learner.parameters() {
        let name = parameter.name.as_ref();
        let own = name.strip_prefix("kernel.").or_else(|| name.strip_prefix("landmarks.kernel."));
        if let Some(own) = own {
            // The names are parameters of the learner's kernel, so setting them cannot fail.
            let _known = kernel.set_parameter(own, &parameter.value);
        }
    }
    kernel.to_string()
}
