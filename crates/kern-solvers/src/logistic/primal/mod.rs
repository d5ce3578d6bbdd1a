//! Two classes in the primal, f(x) = b + wᵀψ(x): what feature and landmark solvers share.

mod moments;
mod newton;

pub(crate) use moments::Moments;
pub(in crate::logistic) use newton::{Newton, Place, Primal, one_by_one};
