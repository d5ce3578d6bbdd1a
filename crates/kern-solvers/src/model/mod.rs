//! Models: the results of fits, with all that a prediction needs.
//!
//! A learned function f is a [`KernelExpansion`] (f(x) = b + Σ α_i K(x, x_i)) or a [`FeatureExpansion`]
//! (f(x) = b + wᵀψ(x)), or of sparse features a [`SparseExpansion`]; these, [`EitherFunction`] and [`Ball`], are a [`Decision`]. A [`Classifier`],
//! [`ProbabilisticClassifier`], [`Regressor`], [`MultiRegressor`] or [`NoveltyDetector`] turns its values into answers, and
//! carries the report of the fit. Of [`Clusters`] and [`SoftClusters`] it gives the inner products with the centres.

mod affine;
mod ball;
mod centres;
mod classifier;
mod clusters;
mod coupling;
mod decision;
mod either_function;
mod feature_expansion;
mod format;
mod kernel_expansion;
mod novelty;
mod platt;
mod probabilistic;
mod regressor;
mod sigmoids;
mod soft_clusters;
mod sparse_expansion;
mod vote;

pub use ball::Ball;
pub use centres::Geometry;
pub use classifier::Classifier;
pub use clusters::Clusters;
pub use coupling::couple;
pub use decision::{Arity, Decision};
pub use either_function::EitherFunction;
pub use feature_expansion::FeatureExpansion;
pub use kern_approx::CentredMap;
pub use kernel_expansion::KernelExpansion;
pub use novelty::NoveltyDetector;
pub use platt::PlattSigmoid;
pub use probabilistic::{Link, ProbabilisticClassifier};
pub use regressor::{MultiRegressor, Regression, Regressor};
pub use soft_clusters::SoftClusters;
pub use sparse_expansion::SparseExpansion;
pub use vote::Vote;

kern_core::named! {
    [D, L] Classifier<D, L> = "classifier";
    [D, L] ProbabilisticClassifier<D, L> = "probabilistic_classifier";
    [D] Regressor<D> = "regressor";
    [D] MultiRegressor<D> = "multi_regressor";
    [D] NoveltyDetector<D> = "novelty_detector";
    [D] Clusters<D> = "clusters";
    [D] SoftClusters<D> = "soft_clusters";
}

pub(crate) use centres::Centres;
pub(crate) use decision::{learned, with_intercepts};
pub(crate) use format::Format;
pub(crate) use sigmoids::{of_classes, of_pairs};
pub(crate) use soft_clusters::share;
