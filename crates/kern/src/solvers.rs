//! Learners, their data, runs and models.
//!
//! | task | learner | spaces |
//! |---|---|---|
//! | regression, classification | [`Ridge`] | a kernel, landmarks, features; `auto` |
//! | regression with uncertainty, learning the kernel | [`GaussianProcess`] | a kernel, landmarks |
//! | the same for classes | [`GaussianProcessClassifier`] | a kernel |
//! | learning relevant features | [`FeatureMachine`] | a kernel of the distance |
//! | regression on one of several functions | [`RidgeMixture`] | a kernel |
//! | classification with probabilities | [`Logistic`] | a kernel, landmarks, features |
//! | large-margin classification | [`Svc`] | a kernel, landmarks, features |
//! | ε-insensitive or quantile regression | [`Svr`] | a kernel, landmarks, features |
//! | expectile regression | [`Expectile`] | those of its ridge regression |
//! | novelty detection | [`OneClass`] | a kernel, landmarks, features |
//! | novelty detection with a ball | [`Svdd`] | a kernel, features |
//! | calibrated probabilities from margins | [`Calibrated`] | those of its classifier |
//! | mistake-driven online learning | [`Perceptron`] | a kernel, features |
//! | any loss by stochastic gradients, streams | [`Sgd`] | a kernel, landmarks, features; `auto` |
//! | learning weights of kernels | [`MultipleKernels`] | those of its learner, on a kernel |
//! | dimensionality reduction, denoising | [`KernelPca`] | a kernel, landmarks, features |
//! | correlations of two views | [`KernelCca`](canonical::KernelCca) | landmarks, features |
//! | clustering | [`KMeans`], [`SoftKMeans`], [`SpectralClustering`] | a kernel, landmarks, features |
//! | nearest neighbours, classification by votes | [`KNearest`], [`RadiusNeighbors`] | a kernel |
//! | prediction intervals | [`intervals`] | ridge on a kernel, any function |
//! | two-sample and independence tests | [`dependence`] | a kernel, features |
//! | preprocessing followed by learning | [`pipeline`] | those of its last learner |
//!
//! Every learner has `fit` for points and targets; [`Learner::learn`] takes [`Data`] with weights
//! and groups, and a [`Run`] with an observer, memory, a time limit and a start. With the feature
//! `tracing`, `Traced` records the fits of any learner as spans.

#[cfg(feature = "tracing")]
#[doc(inline)]
pub use kern_solvers::Traced;
#[doc(inline)]
pub use kern_solvers::calibration::Calibrated;
#[doc(inline)]
pub use kern_solvers::canonical;
#[doc(inline)]
pub use kern_solvers::components::{self, Components, KernelPca};
#[doc(inline)]
pub use kern_solvers::dependence::{self, HsicTest, MmdTest};
#[doc(inline)]
pub use kern_solvers::feature_machine::{self, FeatureMachine, MetricExpansion};
#[doc(inline)]
pub use kern_solvers::gaussian_process::{
    self, GaussianProcess, GaussianProcessClassifier, LatentPosterior, Posterior,
};
#[doc(inline)]
pub use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
#[doc(inline)]
pub use kern_solvers::knn::{
    KNearest, KernelHashes, RadiusNeighbors, SearchAlgorithm, VantageTree, WeightFunction,
    Weighting,
};
#[doc(inline)]
pub use kern_solvers::logistic::{Logistic, LogisticSolver};
#[doc(inline)]
pub use kern_solvers::model::{
    Ball, CentredMap, Classifier, Clusters, Decision, EitherFunction, FeatureExpansion, Geometry,
    KernelExpansion, Link, MultiRegressor, NoveltyDetector, PlattSigmoid, ProbabilisticClassifier,
    Regression, Regressor, SoftClusters, SparseExpansion, Vote,
};
#[doc(inline)]
pub use kern_solvers::multiple_kernels::{self, MultipleKernels};
#[doc(inline)]
pub use kern_solvers::perceptron::{self, Perceptron};
#[doc(inline)]
pub use kern_solvers::ridge::{
    Choice, Criterion, Expectile, FactoredRidge, Ridge, RidgeSolver, RidgeSpectrum, RidgeTask,
};
#[doc(inline)]
pub use kern_solvers::ridge_mixture::{MixtureStart, RegressorMixture, RidgeMixture};
pub use kern_solvers::rounds;
#[doc(inline)]
pub use kern_solvers::sgd::{
    Averaging, EarlyStopping, Loss, OnlineClassifier, OnlineRegressor, Schedule, Sgd, SgdTask,
    Storage,
};
#[doc(inline)]
pub use kern_solvers::space::{Auto, Features, OnFeatures, OnKernel, OnLandmarks, OnSparse, Space};
#[doc(inline)]
pub use kern_solvers::spectral_clustering::{self, SpectralClustering, SpectralClusters};
#[doc(inline)]
pub use kern_solvers::statistics::{Fingerprint, LogisticStatistics, NormalEquations, Observed};
#[doc(inline)]
pub use kern_solvers::svm::{self, CoordinateAscent, OneClass, Svc, Svdd, Svr};
#[doc(inline)]
pub use kern_solvers::{
    ClassWeights, Classes, Data, DecisionValues, Details, Error, Excess, FeatureMachineDetails,
    FeatureRound, GaussianProcessDetails, IntoTargets, KMeansDetails, Label, LabelSets, Labels,
    LeafRounds, Learner, Model, MultiClass, Observer, Outputs, PerceptronDetails, Planned,
    Probabilities, Progress, Report, RidgeMixtureDetails, Run, Same, Status, SvmDetails, Target,
    Targets, Transformer, Values,
};
#[doc(inline)]
pub use kern_solvers::{contract, intervals, knn, pipeline, plan, search, statistics, validation};
