//! The contract of learners: what every one of them promises, as a test that anybody can run.
//!
//! Write `contract::verify_learner(&learner, &data)?` in a test of your own learner, or set out with a [`Contract`] where it
//! promises less, or more. kern runs it on every learner that it has, on dense points in both precisions, sparse ones,
//! strings and a user's struct.

mod answers;

pub use answers::{Answers, Entry};

use crate::{Data, Error, Learner, Model, Observer, Progress, Report, Run, Status, Targets};
use kern_core::Points;
use kern_gram::MemoryBudget;
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow;

/// Numbers of threads, for all of which the answers have the same bits.
const THREADS: [usize; 3] = [1, 2, 8];

/// The parts that queries are cut into.
const PARTS: usize = 3;

/// Answers of models in different orders of points differ by no more than this, relative to 1 or to the answer.
const TOLERANCE: f64 = 1e-6;

/// A promise that a learner breaks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// It does not learn, or does not predict.
    #[error("{law}: {error}")]
    Refused {
        /// The law.
        law: &'static str,
        /// The reason that it gives.
        error: Error,
    },
    /// An answer differs where it should not.
    #[error("{law}: answer {point} differs by {difference} (allowed: {allowed})")]
    Differs {
        /// The law.
        law: &'static str,
        /// The index of the point.
        point: usize,
        /// The difference; infinite for different labels.
        difference: f64,
        /// The allowed difference.
        allowed: f64,
    },
    /// There is another number of answers than of points.
    #[error("{law}: expected {expected} answers, got {given}")]
    Count {
        /// The law.
        law: &'static str,
        /// The number of points.
        expected: usize,
        /// The number of answers.
        given: usize,
    },
    /// The observer saw nothing.
    #[error("the observer is never called")]
    Unobserved,
    /// The observer asked to stop, and the report does not say so.
    #[error("the observer asked to stop, and the fit ended with {status:?}")]
    Unstoppable {
        /// The status of the fit.
        status: Status,
    },
    /// A number of the report is NaN or infinite, or the gap negative.
    #[error("the report is not evidence: {report}")]
    Report {
        /// The report in words.
        report: String,
    },
    /// The threads of a test could not be started.
    #[error("no pool of {threads} threads")]
    NoThreads {
        /// The number of threads.
        threads: usize,
    },
}

/// The promises of a learner.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::contract::Contract;
/// use kern_solvers::{Data, perceptron::Perceptron};
/// let x = Samples::from_row_major(1, (0..12).map(f64::from).collect())?;
/// let y: Vec<bool> = (0..12).map(|i| i > 6).collect();
/// // A perceptron visits points in their order.
/// let learner = Perceptron::on_kernel(Rbf::new(0.1)?);
/// Contract::new().ordered().verify(&learner, &Data::new(&x, &y)?).unwrap();
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Contract<A> {
    ordered: bool,
    direct: bool,
    tolerance: f64,
    repeated: Option<A>,
}

impl<A> Default for Contract<A> {
    fn default() -> Self {
        Self::new()
    }
}

/// Checks the promises that every learner makes whose method has no order and can be stopped.
///
/// # Errors
/// The first [`Violation`].
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, contract, logistic::Logistic};
/// let x = Samples::from_row_major(1, (0..12).map(f64::from).collect())?;
/// let y: Vec<bool> = (0..12).map(|i| i > 6).collect();
/// contract::verify_learner(&Logistic::on_kernel(Rbf::new(0.1)?), &Data::new(&x, &y)?).unwrap();
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn verify_learner<P, Y, A>(learner: &A, data: &Data<'_, P, Y>) -> Result<(), Violation>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P, Answer: Answers> + Send>,
{
    Contract::new().verify(learner, data)
}

impl<A> Contract<A> {
    /// Answers do not depend on the order of points, and an observer can stop the fit.
    pub const fn new() -> Self {
        Self { ordered: false, direct: false, tolerance: TOLERANCE, repeated: None }
    }

    /// The method has an order: answers may depend on that of the points.
    pub const fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// The method has no iterations: an observer sees the end only.
    pub const fn direct(mut self) -> Self {
        self.direct = true;
        self
    }

    /// The difference that rounding and tolerances of the learner explain. Default: 1e-6.
    pub const fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Weights are repeated points: what is learned with weights 1 and 2 is what this learner learns of points that are
    /// there once and twice. It is the same learner, but for parameters that count points.
    pub fn repeats(mut self, learner: A) -> Self {
        self.repeated = Some(learner);
        self
    }

    /// Checks that
    /// - the answers have the same bits on 1, 2 and 8 threads,
    /// - they do not depend on how the queries are cut, to the bit,
    /// - they do not depend on the order of the points, unless the method has one,
    /// - weights are repeated points, if that is promised,
    /// - an observer sees the fit, and can stop it, unless it is direct,
    /// - without memory there is an error or a model, and no panic,
    /// - the report holds finite numbers, and a gap that is not negative.
    ///
    /// # Errors
    /// The first [`Violation`].
    pub fn verify<P, Y>(&self, learner: &A, data: &Data<'_, P, Y>) -> Result<(), Violation>
    where
        P: Points,
        Y: Targets,
        A: Learner<P, Y, Model: Model<P, Answer: Answers> + Send>,
    {
        let expected = threads(learner, data)?;
        cuts(learner, data, &expected)?;
        if !self.ordered {
            self.order(learner, data, &expected)?;
        }
        if let Some(repeated) = &self.repeated {
            self.weights(learner, repeated, data)?;
        }
        self.observer(learner, data)?;
        // Whether nothing is enough, the learner knows; it must not panic.
        let mut run = Run::new().memory(MemoryBudget::bytes(0));
        drop(learner.learn(data, &mut run));
        Ok(())
    }

    /// The same answers for points that come in another order.
    fn order<P, Y>(
        &self,
        learner: &A,
        data: &Data<'_, P, Y>,
        expected: &<A::Model as Model<P>>::Answer,
    ) -> Result<(), Violation>
    where
        P: Points,
        Y: Targets,
        A: Learner<P, Y, Model: Model<P, Answer: Answers>>,
    {
        let law = "the order of the points";
        let mut order: Vec<usize> = (0..data.len()).collect();
        // Every second point first, from the end: neighbours are torn apart.
        order.sort_by_key(|&i| (i % 2, usize::MAX - i));
        let turned = data.select(&order).map_err(|error| Violation::Refused { law, error })?;
        let answers = answers(law, learner, &turned, data.points())?;
        compare(law, &answers, expected, self.tolerance)
    }

    /// The same answers for weights and for points that are repeated.
    fn weights<P, Y>(
        &self,
        learner: &A,
        repeated: &A,
        data: &Data<'_, P, Y>,
    ) -> Result<(), Violation>
    where
        P: Points,
        Y: Targets,
        A: Learner<P, Y, Model: Model<P, Answer: Answers>>,
    {
        let law = "weights are repeated points";
        let refused = |error| Violation::Refused { law, error };
        let times: Vec<usize> = (0..data.len()).map(|i| 1 + usize::from(i % 3 == 0)).collect();
        let weights: Vec<f64> = times.iter().map(|&t| t as f64).collect();
        let all: Vec<usize> = (0..data.len()).flat_map(|i| vec![i; times[i]]).collect();
        let weighted = data.select(&(0..data.len()).collect::<Vec<_>>()).map_err(refused)?;
        let weighted = weighted.weights(&weights).map_err(refused)?;
        let points = data.select(&all).map_err(refused)?;
        let one = answers(law, learner, &weighted, data.points())?;
        let other = answers(law, repeated, &points, data.points())?;
        compare(law, &one, &other, self.tolerance)
    }

    fn observer<P, Y>(&self, learner: &A, data: &Data<'_, P, Y>) -> Result<(), Violation>
    where
        P: Points,
        Y: Targets,
        A: Learner<P, Y, Model: Model<P>>,
    {
        let law = "an observer who stops";
        let mut stop = Stop { calls: 0 };
        let mut run = Run::new().observer(&mut stop);
        let model = learner.learn(data, &mut run);
        let model = model.map_err(|error| Violation::Refused { law, error })?;
        let status = model.report().status;
        if stop.calls == 0 {
            return Err(Violation::Unobserved);
        }
        if self.direct || status == Status::Stopped {
            return Ok(());
        }
        Err(Violation::Unstoppable { status })
    }
}

/// Stops a fit at the first opportunity.
struct Stop {
    calls: usize,
}

impl Observer for Stop {
    fn observe(&mut self, _: &Progress) -> ControlFlow<()> {
        self.calls += 1;
        ControlFlow::Break(())
    }
}

/// The answers of a fit for some points.
fn answers<P, Y, A>(
    law: &'static str,
    learner: &A,
    data: &Data<'_, P, Y>,
    queries: &P,
) -> Result<<A::Model as Model<P>>::Answer, Violation>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P, Answer: Answers>>,
{
    let answers = learner.learn(data, &mut Run::new()).and_then(|model| {
        let answers = model.predict(queries)?;
        Ok((answers, model.report().clone()))
    });
    let (answers, report) = answers.map_err(|error| Violation::Refused { law, error })?;
    check_report(&report)?;
    let (expected, given) = (queries.len(), answers.count());
    if given == expected { Ok(answers) } else { Err(Violation::Count { law, expected, given }) }
}

fn check_report(report: &Report) -> Result<(), Violation> {
    let gap = report.gap.unwrap_or(0.0);
    if report.objective.is_finite() && gap.is_finite() && gap >= 0.0 {
        return Ok(());
    }
    Err(Violation::Report { report: report.to_string() })
}

/// The answers, which have the same bits for every number of threads.
fn threads<P, Y, A>(
    learner: &A,
    data: &Data<'_, P, Y>,
) -> Result<<A::Model as Model<P>>::Answer, Violation>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P, Answer: Answers> + Send>,
{
    let law = "the number of threads";
    let expected = answers(law, learner, data, data.points())?;
    for threads in THREADS {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|_| Violation::NoThreads { threads })?;
        let given = pool.install(|| answers(law, learner, data, data.points()))?;
        compare(law, &given, &expected, 0.0)?;
    }
    Ok(expected)
}

/// The same bits for queries in parts.
fn cuts<P, Y, A>(
    learner: &A,
    data: &Data<'_, P, Y>,
    expected: &<A::Model as Model<P>>::Answer,
) -> Result<(), Violation>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P, Answer: Answers>>,
{
    let law = "the cut of the queries";
    let refused = |error: Error| Violation::Refused { law, error };
    let model = learner.learn(data, &mut Run::new()).map_err(refused)?;
    let indices: Vec<usize> = (0..data.len()).collect();
    for part in indices.chunks(data.len().div_ceil(PARTS)) {
        let queries = data.points().select(part).map_err(|error| refused(error.into()))?;
        let answers = model.predict(&queries).map_err(refused)?;
        for (k, &point) in part.iter().enumerate() {
            let difference = answers.difference(k, expected, point);
            if difference > 0.0 {
                return Err(Violation::Differs { law, point, difference, allowed: 0.0 });
            }
        }
    }
    Ok(())
}

/// Refuses answers that differ by more than this.
fn compare<B: Answers>(
    law: &'static str,
    given: &B,
    expected: &B,
    allowed: f64,
) -> Result<(), Violation> {
    let differs = |&point: &usize| {
        let difference = given.difference(point, expected, point);
        (difference > allowed).then_some((point, difference))
    };
    match (0..expected.count()).find_map(|point| differs(&point)) {
        Some((point, difference)) => Err(Violation::Differs { law, point, difference, allowed }),
        None => Ok(()),
    }
}
