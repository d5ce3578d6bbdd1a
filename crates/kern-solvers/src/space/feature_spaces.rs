//! Functions that are linear in features, dense or sparse.

use super::{NamedSpace, Space};
use crate::model::{FeatureExpansion, SparseExpansion};
use kern_core::parameters::Parameters;
use kern_core::{FeatureMap, Points, SparseTransform};
use serde::{Deserialize, Serialize};

/// Functions f(x) = b + wᵀψ(x) of a feature map ψ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnFeatures<M> {
    pub(crate) map: M,
}

impl<M> OnFeatures<M> {
    /// Functions of these features.
    pub const fn new(map: M) -> Self {
        Self { map }
    }

    /// The feature map.
    pub const fn map(&self) -> &M {
        &self.map
    }
}

impl<P: Points, M: FeatureMap<P> + Clone> Space<P> for OnFeatures<M> {
    type Function = FeatureExpansion<M, P::Scalar>;
}

/// No hyper-parameters: the map is fixed.
impl<M> Parameters for OnFeatures<M> {}

impl<M> NamedSpace for OnFeatures<M> {
    const NAME: &'static str = "OnFeatures";
}

/// Functions f(x) = b + wᵀφ(x) of a sparse feature map φ, whose zeros are skipped.
///
/// A visit of a point costs as many products as it has nonzero features: the dual of an SVM with
/// the linear kernel on these features, collapsed to w. [`Identity`](kern_core::Identity) is the
/// map of sparse vectors, and a [`SparseMap`](kern_core::SparseMap) that of texts, strings, sets
/// and graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnSparse<M> {
    pub(crate) map: M,
}

impl<M> OnSparse<M> {
    /// Functions of these features.
    pub const fn new(map: M) -> Self {
        Self { map }
    }

    /// The feature map.
    pub const fn map(&self) -> &M {
        &self.map
    }
}

impl<P: Points, M: SparseTransform<P> + Clone> Space<P> for OnSparse<M> {
    type Function = SparseExpansion<M, P::Scalar>;
}

/// No hyper-parameters: the map is fixed.
impl<M> Parameters for OnSparse<M> {}

impl<M> NamedSpace for OnSparse<M> {
    const NAME: &'static str = "OnSparse";
}
