//! Ridge regression on landmarks from a stream of batches that is read only once.

use crate::rounds::{Design, Features, Judges, Order, Survey, points};
use crate::{Error, Method, TableModel, Training};
use kern_data::Table;
use kern_gram::MemoryBudget;
use kern_solvers::rounds::{Next, Query, Sums};
use std::ops::ControlFlow;

impl Training {
    /// Fits ridge regression on landmarks to batches of a table, one after the other: each batch is
    /// read once, and the memory does not grow with the number of batches. Classification fits one
    /// regression per class; the class with the largest value is predicted. If λ is not set, the
    /// fit selects the λ with the smallest generalised cross-validation score over all rows. The
    /// first batch determines the column means, the landmarks and the classes, so it should have
    /// some thousand rows and be representative.
    ///
    /// `watch` receives the number of rows after each batch; if it breaks, the model of the rows so
    /// far is returned.
    ///
    /// # Errors
    /// As [`learn`](Training::learn); [`Error::NotHere`] for other tasks and for a search; an error
    /// in a batch ends the training.
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
        let mut stream = Stream::new(self.in_stream()?, &first, &memory)?;
        stream.absorb(&first, &memory)?;
        drop(first);
        while watch(stream.sums.count()).is_continue()
            && let Some(batch) = batches.next()
        {
            stream.absorb(&batch?, &memory)?;
        }
        stream.finish(&memory)
    }

    /// The order for a single round of ridge regression.
    fn in_stream(&self) -> Result<Order, Error> {
        let mut training = self.clone().method(Method::Ridge);
        training.ignored.extend(training.groups.take());
        let landmarks = self.landmarks.filter(|&m| m > 0);
        let features = landmarks.map_or_else(Features::default, Features::Landmarks);
        Ok(Order::new(training, features)?.fill(true))
    }
}

/// The state of a stream: a fit in rounds with the first batch as its survey and a single pass over
/// the rows.
struct Stream {
    order: Order,
    design: Design,
    judges: Option<Judges>,
    query: Query,
    sums: Sums,
}

impl Stream {
    fn new(order: Order, first: &Table, memory: &MemoryBudget) -> Result<Self, Error> {
        let schema = points(first, &order)?;
        let mut survey = Survey::new(&schema, &order);
        survey.gather(first, &schema, &order, (0, 0))?;
        let design = Design::new(&survey, &schema, &order, memory)?;
        let judges = Judges::new(&design, &survey)?;
        let query = order.ridge(&design, 1)?.query();
        let sums = query.sums(memory)?;
        Ok(Self { order, design, judges, query, sums })
    }

    fn absorb(&mut self, table: &Table, memory: &MemoryBudget) -> Result<(), Error> {
        let Self { design, query, sums, .. } = self;
        design.for_each_block(table, |rows| design.gather(query, sums, rows, memory))
    }

    fn finish(self, memory: &MemoryBudget) -> Result<TableModel, Error> {
        let Self { order, design, judges, sums, .. } = self;
        let rows = sums.count();
        match order.ridge(&design, rows)?.next(sums, memory)? {
            Next::Done(outcome) => order.model(&design, *outcome, rows, judges.as_ref()),
            Next::Round(_) => Err(Error::OtherRound),
        }
    }
}
