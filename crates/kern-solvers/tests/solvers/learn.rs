//! Fits with weights, and within a memory budget, in one line.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::Points;
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Error, IntoTargets, Learner, Run};

/// Points and targets, with weights if there are any.
pub(crate) fn data<'a, P: Points, Y: IntoTargets>(
    (points, targets): (&'a P, Y),
    weights: Option<&'a [f64]>,
) -> Data<'a, P, Y::Targets> {
    let data = Data::new(points, targets).unwrap();
    match weights {
        Some(weights) => data.weights(weights).unwrap(),
        None => data,
    }
}

/// The model of data.
pub(crate) fn learn<P: Points, Y, A: Learner<P, Y>>(
    learner: &A,
    data: &Data<'_, P, Y>,
) -> A::Model {
    learner.learn(data, &mut Run::new()).unwrap()
}

/// The model within a memory budget.
pub(crate) fn within<P: Points, Y: IntoTargets, A: Learner<P, Y::Targets>>(
    learner: &A,
    (points, targets): (&P, Y),
    budget: MemoryBudget,
) -> Result<A::Model, Error> {
    learner.learn(&Data::new(points, targets)?, &mut Run::new().memory(budget))
}
