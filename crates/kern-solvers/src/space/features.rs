//! Functions that are linear in features.

use super::{NamedSpace, Space};
use crate::model::FeatureExpansion;
use kern_core::parameters::Parameters;
use kern_core::{FeatureMap, Points};
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

/// None: the map is made already.
impl<M> Parameters for OnFeatures<M> {}

impl<M> NamedSpace for OnFeatures<M> {
    const NAME: &'static str = "OnFeatures";
}
