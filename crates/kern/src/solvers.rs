//! Solvers and their models.

#[doc(inline)]
pub use kern_solvers::knn::KNearest;
#[doc(inline)]
pub use kern_solvers::logistic::{KernelLogistic, MultiClass};
#[doc(inline)]
pub use kern_solvers::model::{
    Classifier, Decision, FeatureModel, KernelModel, Link, MultiRegressor, ProbabilisticClassifier,
    Regressor,
};
#[doc(inline)]
pub use kern_solvers::ridge::{Choice, Criterion, FactoredRidge, KernelRidge, RidgeSpectrum};
#[doc(inline)]
pub use kern_solvers::sgd::{Loss, OnFeatures, OnKernel, Schedule, Sgd, Storage};
#[doc(inline)]
pub use kern_solvers::{ClassWeights, Error, Label, Observer, Progress, Report, Status};
