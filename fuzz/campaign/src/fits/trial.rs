//! One fit, watched: panics, memory, and all numbers of the model.

use super::problem::Problem;
use super::readable::Readable;
use super::reading::{Reading, refused};
use crate::{Case, Draws, memory, panics, settings};
use kern_core::parameters::{Parameter, Parameters};
use kern_core::{Samples, Scalar};
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Error, Learner, Progress, Run, Targets};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Observations after which a fit is stopped: parameters may ask for more iterations than anybody waits for.
const OBSERVATIONS: usize = 20_000;

/// The time after which it is stopped by an observation, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(4);

/// The predicted time beyond which a fit is refused: a fit that takes far longer does not count its work.
const LIMIT: Duration = Duration::from_secs(1);

/// A case of a learner.
#[derive(Debug)]
pub(super) struct Trial<'t, 'b, T: Scalar> {
    pub(super) problem: &'t Problem<T>,
    pub(super) draws: &'t mut Draws<'b>,
    pub(super) case: &'t mut Case,
    /// The learner and its space.
    pub(super) name: &'static str,
}

/// A model, and the parameters of its learner.
pub(super) struct Fitted<M> {
    pub(super) model: M,
    pub(super) parameters: Vec<Parameter>,
}

impl<T: Scalar> Trial<'_, '_, T> {
    /// Fits with parameters that are drawn, and reads the model. None if the fit was refused, or is a finding.
    pub(super) fn fit<A, Y>(
        &mut self,
        name: &'static str,
        mut learner: A,
        targets: Y,
    ) -> Option<Fitted<A::Model>>
    where
        Y: Targets,
        A: Learner<Samples<T>, Y, Model: Readable<T>> + Parameters,
    {
        self.name = name;
        self.case.note(name);
        settings::draw(&mut learner, self.draws, self.case);
        let data = Data::new(&self.problem.x, targets);
        let data = data.and_then(|data| match &self.problem.weights {
            Some(weights) => data.weights(weights),
            None => Ok(data),
        });
        let data = data.ok()?;
        let parameters = learner.parameters();
        let budget = self.budget();
        self.case.note(format!("memory {budget:?}"));
        memory::limit(budget);
        let learned = panics::caught(|| {
            let (mut calls, begin) = (0, Instant::now());
            let mut observer = |_: &Progress| {
                calls += 1;
                match calls >= OBSERVATIONS || begin.elapsed() > PATIENCE {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let mut run = Run::new().observer(&mut observer).time_limit(LIMIT);
            if let Some(bytes) = budget {
                run = run.memory(MemoryBudget::bytes(bytes));
            }
            learner.learn(&data, &mut run)
        });
        memory::limit(None);
        let model = self.learned(learned)?;
        self.case.answer();
        self.read(&model);
        Some(Fitted { model, parameters })
    }

    /// The memory of the run: none that is given, some, or next to nothing.
    fn budget(&mut self) -> Option<u64> {
        match self.draws.below(8) {
            0 => Some(self.draws.below(4096) as u64),
            1 => Some(self.draws.power(3.0, 9.0) as u64),
            2 => Some(1 << 20),
            _ => None,
        }
    }

    fn learned<M>(&mut self, learned: Result<Result<M, Error>, panics::Panic>) -> Option<M> {
        match learned {
            Ok(Ok(model)) => Some(model),
            Ok(Err(error)) => {
                self.case.note(format!("refused: {error}"));
                refused(self.case, self.name, &error);
                None
            }
            Err(panic) => {
                let message = format!("{} in a fit of {}", panic.message, self.name);
                self.case.find("panic", panic.place, message);
                None
            }
        }
    }

    /// Reads everything of a model, at the points of the fit and at others.
    fn read<M: Readable<T>>(&mut self, model: &M) {
        self.case.note(model.report().to_string());
        let mut reading = Reading { case: self.case, name: self.name };
        reading.report(model.report());
        for points in [&self.problem.x, &self.problem.queries] {
            let read = panics::caught(|| model.read(points, &mut reading));
            match read {
                Ok(Ok(())) => {}
                Ok(Err(error)) => refused(reading.case, reading.name, &error),
                Err(panic) => {
                    let message = format!("{} in a prediction of {}", panic.message, reading.name);
                    reading.case.find("panic", panic.place, message);
                }
            }
        }
    }
}
