//! LIBSVM model files, as `svm-train` writes and `svm-predict` reads them.
//!
//! # Definition
//! Lines `name value …` up to the line `SV`, then one support vector per line: its coefficients,
//! and its non-zero values as in data files ([`kern_core::libsvm`]). With k classes there are k − 1
//! coefficients, for the pairs with the other classes. A pair (i, j) of classes, in the order of
//! the file, votes for i if Σ coef·K(xᵢ, x) − rho > 0. Labels are integers. Values are printed so
//! that reading them back loses nothing.
//!
//! `probA` and `probB` of a classifier are the sigmoids of its pairs: 1/(1 + exp(probA·f + probB))
//! is the probability of the first class. Those of regression, and `prob_density_marks`, are
//! ignored on reading and not written.
//!
//! # References
//! Chang & Lin (2011), *LIBSVM: A library for support vector machines*, and the program itself,
//! version 3.24.

mod libsvm_file;
mod libsvm_model;

pub use libsvm_file::{FileKernel, FromSparse};
pub use libsvm_model::{Kind, LibsvmModel, ModelFileError};
