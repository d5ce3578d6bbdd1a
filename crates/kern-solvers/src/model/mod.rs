//! Models: the results of fits, with everything that predictions need.
//!
//! A learned function f is a [`KernelExpansion`] (f(x) = b + Σ α_i K(x, x_i)), a
//! [`FeatureExpansion`] (f(x) = b + wᵀψ(x)), or, on sparse features, a [`SparseExpansion`]; these,
//! [`EitherFunction`] and [`Ball`] implement [`Decision`]. A [`Classifier`],
//! [`ProbabilisticClassifier`], [`Regressor`], [`MultiRegressor`] or [`NoveltyDetector`] turns its
//! values into predictions and carries the report of the fit. In [`Clusters`] and [`SoftClusters`]
//! it computes the inner products with the centres.

mod ball;
mod classifier;
mod clusters;
mod decision;
mod either_function;
mod feature_expansion;
mod format;
mod kernel_expansion;
mod novelty;
mod platt_coupling;
mod probabilities;
mod regressor;
mod soft_clusters;

pub use ball::Ball;
pub use classifier::{Classifier, Vote};
pub use clusters::{Clusters, Geometry};
pub use decision::{Arity, Decision};
pub use either_function::EitherFunction;
pub use feature_expansion::{FeatureExpansion, SparseExpansion};
pub use kern_approx::CentredMap;
pub use kernel_expansion::KernelExpansion;
pub use novelty::NoveltyDetector;
pub use platt_coupling::{PlattSigmoid, couple};
pub use probabilities::{Link, ProbabilisticClassifier};
pub use regressor::{MultiRegressor, Regression, Regressor};
pub use soft_clusters::SoftClusters;

kern_core::named! {
    [D, L] Classifier<D, L> = "classifier";
    [D, L] ProbabilisticClassifier<D, L> = "probabilistic_classifier";
    [D] Regressor<D> = "regressor";
    [D] MultiRegressor<D> = "multi_regressor";
    [D] NoveltyDetector<D> = "novelty_detector";
    [D] Clusters<D> = "clusters";
    [D] SoftClusters<D> = "soft_clusters";
}

/// Implements [`Model`](crate::Model) by the methods `predict` and `report` of a type.
macro_rules! models {
    ($([$($generics:tt)*] $model:ty => $answer:ty;)+) => {$(
        impl<P, D, $($generics)*> $crate::Model<P> for $model
        where
            P: kern_core::Points,
            D: $crate::model::Decision<P>,
        {
            type Answer = $answer;

            fn predict(&self, points: &P) -> Result<$answer, $crate::Error> {
                self.predict(points)
            }

            fn report(&self) -> &$crate::Report {
                self.report()
            }
        }
    )+};
}

models! {
    [L: crate::Label] Classifier<D, L> => Vec<L>;
    [L: crate::Label] ProbabilisticClassifier<D, L> => Vec<L>;
    [] Regressor<D> => Vec<P::Scalar>;
    [] MultiRegressor<D> => faer::Mat<P::Scalar>;
    [] NoveltyDetector<D> => Vec<bool>;
    [] Clusters<D> => Vec<usize>;
    [] SoftClusters<D> => Vec<usize>;
}

pub(crate) use clusters::Centres;
pub(crate) use decision::{learned, with_intercepts};
pub(crate) use feature_expansion::panel_values;
pub(crate) use format::Format;
#[cfg(feature = "files")]
pub(crate) use format::VERSION as FORMAT;
pub(crate) use models;
pub(crate) use platt_coupling::{of_classes, of_pairs};
pub(crate) use soft_clusters::share;
