//! Solvers and their models.

#[doc(inline)]
pub use kern_solvers::kmeans::{
    FeatureKMeans, FeatureKMeansModel, GramKMeans, KMeansModel, KMeansReport, KernelKMeans,
    MiniBatchKMeansModel, MiniBatchKernelKMeans, MiniBatchReport, Seeding, SoftKMeansModel,
    SoftKernelKMeans, SoftReport,
};
#[doc(inline)]
pub use kern_solvers::knn::{
    KNearest, KernelHashes, RadiusNeighbors, SearchBy, VantageTree, WeightFunction, Weighting,
};
#[doc(inline)]
pub use kern_solvers::logistic::{FalkonLogistic, FeatureLogistic, KernelLogistic};
#[doc(inline)]
pub use kern_solvers::model::{
    Classifier, Decision, FeatureModel, KernelModel, Link, MultiRegressor, ProbabilisticClassifier,
    Regressor,
};
#[doc(inline)]
pub use kern_solvers::perceptron;
#[doc(inline)]
pub use kern_solvers::plan;
#[doc(inline)]
pub use kern_solvers::ridge::{
    Choice, ConjugateGradients, Criterion, FactoredRidge, Falkon, FeatureRidge, KernelRidge,
    RidgeCoefficients, RidgePlan, RidgePrediction, RidgeRates, RidgeSizes, RidgeSolver,
    RidgeSpectrum, RidgeWay,
};
#[doc(inline)]
pub use kern_solvers::sgd::{
    Averaging, EarlyStopping, EitherModel, Features, Loss, OnEither, OnFeatures, OnKernel,
    OnlineClassifier, OnlineRegressor, Schedule, Sgd, Storage,
};
#[doc(inline)]
pub use kern_solvers::statistics::{Fingerprint, LogisticStatistics, NormalEquations, Observed};
#[doc(inline)]
pub use kern_solvers::svm;
#[doc(inline)]
pub use kern_solvers::{
    ClassWeights, Error, Label, MultiClass, Observer, Progress, Report, Status,
};
