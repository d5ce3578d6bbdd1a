//! Learners, their data, runs and models.
//!
//! | job | learner | in the space of |
//! |---|---|---|
//! | regress, classify | [`Ridge`] | a kernel, landmarks, features; `auto` |
//! | regress with a distribution, learn the kernel | [`GaussianProcess`] | a kernel, landmarks |
//! | the same for classes | [`GaussianProcessClassifier`] | a kernel |
//! | learn which features matter | [`FeatureMachine`] | a kernel of the distance |
//! | regress on one of several functions | [`RidgeMixture`] | a kernel |
//! | classify with probabilities | [`Logistic`] | a kernel, landmarks, features |
//! | classify by a margin | [`Svc`] | a kernel, landmarks, features |
//! | regress within a tube, or quantiles | [`Svr`] | a kernel, landmarks, features |
//! | regress on expectiles | [`Expectile`] | of its ridge regression |
//! | tell what is new | [`OneClass`] | a kernel, landmarks, features |
//! | the same by a ball | [`Svdd`] | a kernel, features |
//! | make probabilities of margins | [`Calibrated`] | of its classifier |
//! | learn by mistakes, online | [`Perceptron`] | a kernel, features |
//! | any loss by small steps, streams | [`Sgd`] | a kernel, landmarks, features; `auto` |
//! | learn the weights of a sum of kernels | [`MultipleKernels`] | of its learner, on a kernel |
//! | see much in few numbers, denoise | [`KernelPca`] | a kernel, landmarks, features |
//! | see in what two views agree | [`KernelCca`](canonical::KernelCca) | landmarks, features |
//! | find clusters | [`KMeans`], [`SoftKMeans`], [`SpectralClustering`] | a kernel, landmarks, features |
//! | find neighbours, vote among them | [`KNearest`], [`RadiusNeighbors`] | a kernel |
//! | say how far predictions may be off | [`intervals`] | of ridge on a kernel, any function |
//! | tell samples apart, find dependence | [`dependence`] | a kernel, features |
//! | scale, map, then learn | [`pipeline`] | of its last learner |
//!
//! Every learner has `fit` for points and targets; [`Learner::learn`] takes [`Data`] with weights and groups, and a [`Run`]
//! with an observer, memory, a time limit and a start. With the feature `tracing`, `Traced` makes fits of any learner spans.

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
    KNearest, KernelHashes, RadiusNeighbors, SearchBy, VantageTree, WeightFunction, Weighting,
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
    Probabilities, Progress, Report, RidgeMixtureDetails, Run, Status, SvmDetails, Target, Targets,
    Transformer, Values,
};
#[doc(inline)]
pub use kern_solvers::{contract, intervals, knn, pipeline, plan, search, statistics, validation};
