//! The contract of learners: what every one of them promises, as a test that anybody can run.
//!
//! Write `contract::verify_learner(&learner, &data)?` in a test of your own learner, or set out with a [`Contract`] where it
//! promises less, or more. kern runs it on every learner that it has, on dense points in both precisions, sparse ones,
//! strings and a user's struct.

mod answers;
mod laws;

pub use answers::{Answers, Entry};

use crate::{Data, Error, Learner, Model, Status, Targets};
use kern_core::Points;
use laws::{Fits, Promises};

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
        let promises = Promises {
            ordered: self.ordered,
            direct: self.direct,
            repeats: self.repeated.is_some(),
            tolerance: self.tolerance,
        };
        promises.verify(&mut Fits::new(learner, self.repeated.as_ref()), data)
    }
}
