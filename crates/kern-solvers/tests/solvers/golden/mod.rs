//! Golden values from independent implementations.

pub(crate) mod digits;
pub(crate) mod iris;
pub(crate) mod knn;
pub(crate) mod logistic;
pub(crate) mod ridge;
pub(crate) mod validation;
