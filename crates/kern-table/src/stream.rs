//! Ridge regression on landmarks from a stream of batches, for tables that are larger than the memory.

use crate::fit::Parts;
use crate::fitted::{Fitted, Streamed};
use crate::kernel::{build, usual};
use crate::{Error, Formula, Prepare, Prepared, Rows, TableModel, Task, Training};
use faer::Mat;
use kern_approx::{Nystrom, NystromMap};
use kern_data::{Column, Schema, Table};
use kern_gram::MemoryBudget;
use kern_solvers::ridge::Ridge;
use kern_solvers::statistics::{Fingerprint, NormalEquations, Observed};
use kern_solvers::{Data, Learner, Run, Transformer};
use std::ops::ControlFlow;

type Map = NystromMap<Rows, Formula>;

/// Landmarks unless they are set.
const LANDMARKS: usize = 500;

impl Training {
    /// Learns from batches of a table, one after the other, by ridge regression on landmarks: each is looked at once, and the
    /// memory does not grow with their number. Classes are regressions of their own, one for each class, of which the greatest
    /// wins. The first batch gives the means of columns, the landmarks and the classes, so it should have some thousand
    /// rows, and be like the others.
    ///
    /// `watch` is told the number of rows after each batch; where it breaks, the model of the rows until then is returned.
    ///
    /// # Errors
    /// As [`learn`](Training::learn); [`Error::NotHere`] for other tasks and for a search; an error of a batch ends the
    /// training.
    pub fn learn_batches(
        &self,
        batches: impl IntoIterator<Item = Result<Table, kern_data::Error>>,
        memory: MemoryBudget,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<TableModel, Error> {
        if !self.task.has_target() {
            return Err(Error::NotHere("streams are for tasks with targets"));
        }
        if self.folds.is_some() {
            return Err(Error::NotHere(
                "a search reads its rows many times: take a part of the table",
            ));
        }
        let mut batches = batches.into_iter();
        let first = batches.next().ok_or(kern_solvers::Error::Empty)??;
        let mut stream = Stream::new(self, &first, &memory)?;
        stream.absorb(&first)?;
        drop(first);
        while watch(stream.sums.count()).is_continue()
            && let Some(batch) = batches.next()
        {
            stream.absorb(&batch?)?;
        }
        stream.finish(&Run::new().memory(memory))
    }
}

/// A stream on its way.
struct Stream<'s> {
    training: &'s Training,
    schema: Schema,
    prepared: Prepared,
    kernel: Formula,
    map: Map,
    classes: Option<Vec<String>>,
    sums: NormalEquations,
    memory: MemoryBudget,
}

impl<'s> Stream<'s> {
    fn new(training: &'s Training, first: &Table, memory: &MemoryBudget) -> Result<Self, Error> {
        let Parts { target, points, .. } = training.parts(first)?;
        let target = target.ok_or(Error::NoColumns)?;
        let schema = points.schema();
        let rows = points.rows(&schema)?;
        let prepare = Prepare::new().standardized(training.standardized);
        let prepared = prepare.learn(&Data::unlabelled(&rows)?, &mut Run::new())?;
        let rows = prepared.transform(&rows)?;
        let formula = training.kernel.clone().unwrap_or_else(|| usual(&schema));
        let kernel = build(&formula, &rows, training.seed)?;
        let landmarks = training.landmarks.filter(|&m| m > 0).unwrap_or(LANDMARKS);
        let nystrom = Nystrom::new(kernel.clone()).landmarks(landmarks.min(rows.len()));
        let map = nystrom.seed(training.seed).fit(&rows, memory)?;
        let classes = match training.task {
            Task::Classify => {
                let mut classes = target.labels()?;
                classes.sort_unstable();
                classes.dedup();
                Some(classes)
            }
            _ => None,
        };
        let outputs = classes.as_ref().map_or(1, Vec::len);
        let dim = kern_core::FeatureMap::<Rows>::dim(&map);
        let sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), memory)?;
        let memory = *memory;
        Ok(Self { training, schema, prepared, kernel, map, classes, sums, memory })
    }

    fn absorb(&mut self, table: &Table) -> Result<(), Error> {
        let Parts { target, weights, points, .. } = self.training.parts(table)?;
        let target = target.ok_or(Error::NoColumns)?;
        let targets = self.targets(&target)?;
        let rows = self.prepared.transform(&points.rows(&self.schema)?)?;
        let mut observed = Observed::new(targets.as_ref());
        if let Some(weights) = &weights {
            observed = observed.weights(weights);
        }
        self.sums.absorb(&self.map, &rows, &observed, &self.memory)?;
        Ok(())
    }

    /// The numbers, or 1 for the class of a row and −1 for others.
    fn targets(&self, target: &Column) -> Result<Mat<f64>, Error> {
        let Some(classes) = &self.classes else {
            let numbers = target.numbers()?;
            return Ok(Mat::from_fn(numbers.len(), 1, |i, _| numbers[i]));
        };
        let labels = target.labels()?;
        let place = |label: &String| classes.binary_search(label);
        if let Some(new) = labels.iter().find(|label| place(label).is_err()) {
            let known = classes.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
            return Err(Error::NewClass { given: new.clone(), known });
        }
        let places: Vec<Option<usize>> = labels.iter().map(|label| place(label).ok()).collect();
        let sign = |i: usize, k: usize| if places[i] == Some(k) { 1.0 } else { -1.0 };
        Ok(Mat::from_fn(labels.len(), classes.len(), sign))
    }

    fn finish(self, run: &Run<'_>) -> Result<TableModel, Error> {
        let mut ridge = Ridge::on_features(self.map).intercept(true);
        for (name, value) in &self.training.settings {
            kern_core::Parameters::set_parameter(&mut ridge, name, value)?;
        }
        let function = ridge.solve(&self.sums, Fingerprint::new(0), run)?;
        let streamed = Streamed { prepared: self.prepared, function, classes: self.classes };
        Ok(TableModel {
            task: self.training.task.name().to_string(),
            target: self.training.target.clone(),
            schema: self.schema,
            kernel: self.kernel.to_string(),
            rows: self.sums.count(),
            search: None,
            fitted: Fitted::Streamed(streamed),
        })
    }
}
