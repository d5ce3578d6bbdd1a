//! Solvers and their models.

#[doc(inline)]
pub use kern_solvers::knn::KNearest;
#[doc(inline)]
pub use kern_solvers::model::{
    Classifier, Decision, FeatureModel, KernelModel, MultiRegressor, Regressor,
};
#[doc(inline)]
pub use kern_solvers::plan;
#[doc(inline)]
pub use kern_solvers::ridge::KernelRidge;
#[doc(inline)]
pub use kern_solvers::sgd::{
    Averaging, EarlyStopping, EitherModel, Features, Loss, MultiClass, OnEither, OnFeatures,
    OnKernel, OnlineClassifier, OnlineRegressor, Schedule, Sgd, Storage,
};
#[doc(inline)]
pub use kern_solvers::{Error, Label, Observer, Progress, Report, Status};
