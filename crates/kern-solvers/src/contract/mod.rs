//! The contract of learners: the guarantees that every learner gives, as a reusable test.
//!
//! Call `contract::verify_learner(&learner, &data)?` in a test of a custom learner, or use a
//! [`Contract`] for a learner that guarantees less, or more. kern applies it to all of its
//! learners, on dense points in both precisions, sparse ones, strings and a user-defined struct.

mod answers;
mod laws;

pub use answers::{Answers, Entry};

use crate::{Data, Error, Learner, Model, Status, Targets};
use kern_core::Points;
use laws::{Fits, Promises};

/// The largest difference between predictions for different orders of the points, relative to the
/// larger of 1 and the prediction.
const TOLERANCE: f64 = 1e-6;

/// A violated guarantee.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The fit or the prediction fails.
    #[error("{law}: {error}")]
    Refused {
        /// The check.
        law: &'static str,
        /// The error of the learner.
        error: Error,
    },
    /// Two predictions differ that should agree.
    #[error("{law}: answer {point} differs by {difference} (allowed: {allowed})")]
    Differs {
        /// The check.
        law: &'static str,
        /// The index of the point.
        point: usize,
        /// The difference; infinite for different labels.
        difference: f64,
        /// The allowed difference.
        allowed: f64,
    },
    /// The number of predictions differs from that of points.
    #[error("{law}: expected {expected} answers, got {given}")]
    Count {
        /// The check.
        law: &'static str,
        /// The number of points.
        expected: usize,
        /// The number of predictions.
        given: usize,
    },
    /// The observer is never called.
    #[error("the observer is never called")]
    Unobserved,
    /// The observer ended the fit, but the report has another status.
    #[error("the observer asked to stop, and the fit ended with {status:?}")]
    Unstoppable {
        /// The status of the fit.
        status: Status,
    },
    /// A value of the report is NaN or infinite, or the gap is negative.
    #[error("the report is not evidence: {report}")]
    Report {
        /// The formatted report.
        report: String,
    },
    /// The threads of a test could not be started.
    #[error("no pool of {threads} threads")]
    NoThreads {
        /// The number of threads.
        threads: usize,
    },
}

/// The guarantees of a learner.
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

/// Checks the guarantees of every learner that does not depend on the order of points and can be
/// stopped.
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
    /// A contract with predictions independent of the order of points, and fits that an observer
    /// can stop.
    pub const fn new() -> Self {
        Self { ordered: false, direct: false, tolerance: TOLERANCE, repeated: None }
    }

    /// Allows predictions to depend on the order of the points.
    pub const fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// Declares that the method has no iterations: an observer is called only at the end.
    pub const fn direct(mut self) -> Self {
        self.direct = true;
        self
    }

    /// Sets the difference explained by rounding and tolerances of the learner. Default: 1e-6.
    pub const fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Requires that weights are equivalent to repeated points: the learner with weights 1 and 2
    /// must agree with this learner on points that occur once and twice. `learner` equals the
    /// original except for parameters that count points.
    pub fn repeats(mut self, learner: A) -> Self {
        self.repeated = Some(learner);
        self
    }

    /// Checks that
    /// - the predictions have the same bits on 1, 2 and 8 threads,
    /// - they have the same bits however the queries are split,
    /// - they do not depend on the order of the points, unless the contract allows it,
    /// - weights are equivalent to repeated points, if that is required,
    /// - an observer is called and can stop the fit, unless the method is direct,
    /// - without memory the result is an error or a model, never a panic,
    /// - the report holds finite values and a nonnegative gap.
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
