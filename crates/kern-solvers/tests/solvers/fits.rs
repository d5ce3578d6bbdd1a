//! Fits with weights, and within a budget.

use kern_core::Points;
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Error, Learner, Run};

/// A fit to points that weigh so much.
pub(crate) fn with_weights<P: Points, L: Learner<P>>(
    learner: &L,
    points: &P,
    weights: &[f64],
) -> Result<L::Model, Error> {
    learner.learn(&Data::unlabelled(points)?.weights(weights)?, &mut Run::new())
}

/// A fit within so much memory.
pub(crate) fn within<P: Points, L: Learner<P>>(
    learner: &L,
    points: &P,
    budget: MemoryBudget,
) -> Result<L::Model, Error> {
    learner.learn(&Data::unlabelled(points)?, &mut Run::new().memory(budget))
}
