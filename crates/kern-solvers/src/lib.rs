//! Solvers: learning with kernels and feature maps, under one law of estimators.
//!
//! | word | holds |
//! |---|---|
//! | [`Data`] | points, targets, and what belongs to each point: weights, groups |
//! | [`Learner`] | hyper-parameters only |
//! | [`Run`] | what concerns one fit and not its result: observer, memory, time limit, start |
//! | [`Model`] | what a prediction needs, and the [`Report`] of the fit |
//!
//! A learner takes its [`space`] as a parameter: functions on a kernel, on landmarks, on features, which may be sparse
//! ([`svm::Svc::on_sparse`]).
//!
//! | learner | on a kernel | on landmarks | on features |
//! |---|---|---|---|
//! | [`ridge::Ridge`], [`ridge::Expectile`] | Cholesky factorisation of K + nλI, or conjugate gradients | conjugate gradients | normal equations |
//! | [`gaussian_process::GaussianProcess`] | Cholesky factorisation at each kernel on the way to the likeliest | the same for a lower bound | |
//! | [`gaussian_process::GaussianProcessClassifier`] | Laplace's approximation on the way to the likeliest | | |
//! | [`feature_machine::FeatureMachine`] | ridge regression in a metric that it learns | | |
//! | [`ridge_mixture::RidgeMixture`] | expectation maximisation around ridge regression | | |
//! | [`logistic::Logistic`] | Newton's method on the logistic loss | the same by conjugate gradients | the same on statistics |
//! | [`svm::Svc`], [`svm::Svr`], [`svm::OneClass`], [`svm::Svdd`] | sequential minimal optimisation on blocks | dual coordinate descent | dual coordinate descent |
//! | [`sgd::Sgd`] | stochastic gradients in u-space | in w-space | in w-space |
//! | [`perceptron::Perceptron`] | mistakes, one after the other; within a budget, online | | the same in w-space |
//! | [`kmeans::KMeans`], [`kmeans::SoftKMeans`] | Lloyd's algorithm, batches, expectation maximisation | with Hamerly's bounds | with Hamerly's bounds |
//! | [`spectral_clustering::SpectralClustering`] | eigenvectors of the normalised matrix, then k-means | those of a sum over points | those of a sum over points |
//! | [`components::KernelPca`] | eigenvectors, by a block Krylov space | those of the covariance | those of the covariance |
//! | [`multiple_kernels::MultipleKernels`] | the weights of a sum of kernels, around ridge regression, logistic regression or a machine | | |
//! | [`knn::KNearest`], [`knn::RadiusNeighbors`] | all points, a tree, hashes | | |
//! | [`calibration::Calibrated`] | sigmoids on held-out decision values of a classifier | | |
//!
//! Most need a [`Mercer`](kern_core::Mercer) kernel, which is a type. [`validation`] splits, scores and cross-validates any
//! learner, [`dependence`] tests whether samples differ and whether pairs are independent, [`canonical`] finds functions of two views that agree, [`pipeline`] puts learned maps in front of one, [`search`] chooses its hyper-parameters, [`rounds`] turns fits on features into sums over parts of the data, [`contract`] checks its promises, [`plan`] predicts how long each way takes, and [`space::Auto`] takes the one
//! that is planned. The hyper-parameters of a learner and of its space are listed and set by
//! [name](kern_core::Parameters): `lambda`, `kernel.gamma`, `landmarks`. With the feature `files`,
//! every model is saved and loaded by the trait `file::Save`.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::ridge::Ridge;
//! let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [3.0, 3.0], [3.0, 4.0]])?;
//! let y = ["near", "near", "far", "far"];
//! let model = Ridge::on_kernel(Rbf::new(0.5)?).lambda(0.01).fit(&x, &y)?;
//! let query = Samples::from_rows(&[[0.1, 0.4]])?;
//! assert_eq!(model.predict(&query)?, ["near"]);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod calibration;
pub mod canonical;
mod classes;
pub mod components;
pub mod contract;
pub mod dependence;
mod design;
mod differences;
mod error;
mod estimator;
pub mod feature_machine;
#[cfg(feature = "files")]
pub mod file;
pub mod gaussian_process;
pub mod intervals;
pub mod kmeans;
pub mod knn;
mod lbfgs_b;
pub mod logistic;
pub mod model;
pub mod multiple_kernels;
pub mod perceptron;
pub mod pipeline;
pub mod plan;
mod report;
pub mod ridge;
pub mod ridge_mixture;
pub mod rounds;
pub mod search;
pub mod sgd;
pub mod space;
pub mod spectral_clustering;
pub mod svm;
pub mod tolerance;
pub mod validation;
mod variance;

pub use classes::{ClassWeights, MultiClass};
pub use error::Error;
#[cfg(feature = "tracing")]
pub use estimator::Traced;
pub use estimator::{
    Classes, Data, DecisionValues, IntoTargets, Label, LabelSets, Labels, Learner, Model, Observer,
    Outputs, Probabilities, Progress, Run, Same, Target, Targets, Transformer, Values,
};
pub use kern_approx::statistics;
pub use report::{
    Details, Excess, FeatureMachineDetails, FeatureRound, GaussianProcessDetails, KMeansDetails,
    LeafRounds, PerceptronDetails, Planned, Report, RidgeMixtureDetails, Status, SvmDetails,
};

pub(crate) use estimator::fit_sugar;
