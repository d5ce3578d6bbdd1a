//! Model files of LIBSVM: what `svm-train` writes and `svm-predict` reads.
//!
//! # Definition
//! Lines `name value …` up to the line `SV`, then a support vector per line: its coefficients, and what is not 0 of
//! it as in data files ([`kern_core::libsvm`]). With k classes there are k − 1 coefficients, for the pairs with
//! the other classes, and pairs (i, j) of classes in the order of the file vote for i if Σ coef·K(xᵢ, x) − rho > 0.
//! Labels are integers. Numbers are printed so that nothing is lost.
//!
//! `probA` and `probB` of a classifier are the sigmoids of its pairs: 1/(1 + exp(probA·f + probB)) is the probability of
//! the first class. Those of regression, and `prob_density_marks`, are read over and not written.
//!
//! # References
//! Chang and Lin (2011), *LIBSVM: A library for support vector machines*, and the program itself, version 3.24.

mod libsvm_file;
mod libsvm_model;

pub use libsvm_file::{FileKernel, FromSparse};
pub use libsvm_model::{Kind, LibsvmModel, ModelFileError};
