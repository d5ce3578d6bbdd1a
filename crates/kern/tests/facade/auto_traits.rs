//! Models can be shared between threads, and survive a panic of their user.

use kern::Samples;
use kern::approx::{FourierMap, NystromMap};
use kern::closure::Normalized;
use kern::gram::MemoryBudget;
use kern::kernels::{Laplacian, Rbf, Spectrum};
use kern::solvers::{
    Classifier, Clusters, Components, FeatureExpansion, KernelExpansion, ProbabilisticClassifier,
    Regressor,
};
use std::panic::{RefUnwindSafe, UnwindSafe};

fn is_easy_to_keep<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}

#[test]
fn models_are_send_sync_and_unwind_safe() {
    type OnVectors<T> = KernelExpansion<Samples<T>, Rbf>;
    type OnWords = KernelExpansion<Vec<String>, Normalized<Spectrum>>;
    is_easy_to_keep::<Classifier<OnVectors<f64>, String>>();
    is_easy_to_keep::<Classifier<OnVectors<f32>, bool>>();
    is_easy_to_keep::<Classifier<OnWords, String>>();
    is_easy_to_keep::<ProbabilisticClassifier<OnVectors<f64>, u8>>();
    is_easy_to_keep::<Regressor<OnVectors<f64>>>();
    is_easy_to_keep::<Regressor<FeatureExpansion<FourierMap, f64>>>();
    is_easy_to_keep::<Regressor<FeatureExpansion<NystromMap<Samples<f64>, Laplacian>, f64>>>();
    is_easy_to_keep::<Clusters<OnVectors<f64>>>();
    is_easy_to_keep::<Components<OnVectors<f64>>>();
    is_easy_to_keep::<Samples<f32>>();
    is_easy_to_keep::<MemoryBudget>();
    is_easy_to_keep::<kern::Error>();
}
