//! Solvers: learning with kernels and feature maps.
//!
//! The same four words everywhere: parameters → `fit` → model → `predict`. A solver's parameters
//! are set by value and checked by `fit`; `predict` exists only on the model. Kernels on any set
//! go through every solver; what a solver needs of a kernel is in its types.
//!
//! | solver | learns by | needs |
//! |---|---|---|
//! | [`ridge::KernelRidge`] | Cholesky factorisation of K + nλI, or conjugate gradients | [`Mercer`](kern_core::Mercer) |
//! | [`ridge::FeatureRidge`] | normal equations of the features | [`FeatureMap`](kern_core::FeatureMap) |
//! | [`ridge::Falkon`] | conjugate gradients on landmarks | [`Kernel`](kern_core::Kernel), [`NystromMap`](kern_approx::NystromMap) |
//! | [`logistic::KernelLogistic`] | Newton's method on the logistic loss | [`Mercer`](kern_core::Mercer) |
//! | [`logistic::FeatureLogistic`] | Newton's method on statistics of the features | [`FeatureMap`](kern_core::FeatureMap) |
//! | [`logistic::FalkonLogistic`] | Newton's method by conjugate gradients on landmarks | [`Kernel`](kern_core::Kernel), [`NystromMap`](kern_approx::NystromMap) |
//! | [`sgd::Sgd`] on a kernel | stochastic gradients in u-space | [`Mercer`](kern_core::Mercer) |
//! | [`sgd::Sgd`] on features | stochastic gradients in w-space | [`FeatureMap`](kern_core::FeatureMap) |
//! | [`svm::Svc`], [`svm::Svr`] | sequential minimal optimisation on blocks | [`Mercer`](kern_core::Mercer) |
//! | [`svm::FeatureSvc`], [`svm::FeatureSvr`] | dual coordinate descent | [`FeatureMap`](kern_core::FeatureMap) |
//! | [`kmeans::KernelKMeans`] | Lloyd's algorithm in the RKHS | [`Mercer`](kern_core::Mercer) |
//! | [`kmeans::FeatureKMeans`] | Lloyd's algorithm with Hamerly's bounds | [`FeatureMap`](kern_core::FeatureMap) |
//! | [`kmeans::MiniBatchKernelKMeans`] | k-means by batches | [`Mercer`](kern_core::Mercer) |
//! | [`perceptron::Perceptron`] | mistakes, one after the other; within a budget, online | [`Mercer`](kern_core::Mercer) |
//! | [`knn::KNearest`] by similarity | the k largest K(x, xᵢ) | [`Kernel`](kern_core::Kernel) |
//! | [`knn::KNearest`] by distance | the k smallest RKHS distances | [`Mercer`](kern_core::Mercer) |
//! | [`knn::RadiusNeighbors`] | all points within a threshold, in either ranking | as above |
//!
//! [`plan`] predicts how long SGD would take in each of the ways to run it, and recommends one.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::ridge::KernelRidge;
//! let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [3.0, 3.0], [3.0, 4.0]])?;
//! let y = ["near", "near", "far", "far"];
//! let model = KernelRidge::new(Rbf::new(0.5)?).lambda(0.01).fit_classifier(&x, &y)?;
//! let query = Samples::from_rows(&[[0.1, 0.4]])?;
//! assert_eq!(model.predict(&query)?, ["near"]);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod arithmetic;
mod cholesky;
mod class_weights;
mod conjugate;
mod design;
mod error;
pub mod kmeans;
pub mod knn;
mod labels;
mod landmarks;
pub mod logistic;
pub mod model;
mod multi_class;
mod observe;
pub mod perceptron;
pub mod plan;
mod report;
pub mod ridge;
pub mod sgd;
pub mod statistics;
pub mod svm;
pub mod tolerance;
mod weights;

pub use class_weights::ClassWeights;
pub use error::Error;
pub use labels::Label;
pub use multi_class::MultiClass;
pub use observe::{Observer, Progress};
pub use report::{Report, Status};
