//! The choice of a space by a plan.

use crate::Error;
use crate::plan::{Plan, Way};
use serde::{Deserialize, Serialize};

/// The way that a fit in the space [`Auto`](crate::space::Auto) took.
///
/// # Examples
/// See [`Auto`](crate::space::Auto).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// The way.
    pub way: Way,
    /// The reason in words, with seconds of [`Machine::NOMINAL`](crate::plan::Machine::NOMINAL).
    pub reason: String,
    /// The number of landmarks, where they were taken.
    pub landmarks: Option<usize>,
    /// The price of landmarks, where the solver knows it.
    pub excess: Option<Excess>,
}

impl Planned {
    /// The way that was asked for, if the plan has it, else the one that it recommends, or `least` if nothing is within the
    /// limits; `landmarks` of them if they are taken.
    pub(crate) fn of(
        plan: &Plan,
        (asked, least): (Option<Way>, Way),
        landmarks: usize,
    ) -> Result<Self, Error> {
        if let Some(way) = asked.filter(|&way| plan.prediction(way).is_none()) {
            return Err(Error::NoSuchWay { way: way.name() });
        }
        let reason = match asked {
            Some(_) => "The way that was asked for.",
            None => plan.reason(),
        };
        let way = asked.or(plan.recommended()).unwrap_or(least);
        let landmarks = (way == Way::Landmarks).then_some(landmarks);
        Ok(Self { way, reason: reason.to_owned(), landmarks, excess: None })
    }
}

/// An estimate of the price of an approximation: a duality gap of the problem on the kernel itself, at the function
/// that was learned on landmarks.
///
/// # Definition
/// The gap G = J(f) − D(a) ≥ J(f) − min J of the exact problem needs aᵀKa, which takes n² kernel values. Rows of K are
/// sampled instead: the estimate is unbiased for G, which is itself an upper bound on the price. `deviation` is the
/// standard error of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Excess {
    /// The estimate of G, summed over outputs, in the unit of the objective.
    pub estimate: f64,
    /// Its standard error; 0 if all rows were used.
    pub deviation: f64,
    /// The number of rows.
    pub sampled: usize,
}

impl Excess {
    pub(crate) const fn new(estimate: f64, deviation: f64, sampled: usize) -> Self {
        Self { estimate, deviation, sampled }
    }
}
