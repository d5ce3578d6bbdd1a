//! Golden values from independent implementations.

pub(crate) mod logistic;
pub(crate) mod ridge;
