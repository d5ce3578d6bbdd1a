//! The features of a scaled kernel: √c·φ.

use super::{Explicit, FeatureMap};
use crate::closure::Scaled;
use crate::{Error, NonNegative, Points, Scalar, Scratch};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// √c·φ: the features of c·K.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledMap<M> {
    weight: NonNegative,
    map: M,
}

impl<M> ScaledMap<M> {
    /// √weight·map.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `weight` is finite and ≥ 0.
    pub fn new(weight: f64, map: M) -> Result<Self, Error> {
        Ok(Self { weight: NonNegative::new("the weight of a feature map", weight)?, map })
    }
}

impl<P: Points + ?Sized, M: FeatureMap<P>> FeatureMap<P> for ScaledMap<M> {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.map.transform_into(points, range, out.as_mut(), scratch);
        out *= faer::Scale(P::Scalar::from_f64(self.weight.get().sqrt()));
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P: Points + ?Sized, K: Explicit<P>> Explicit<P> for Scaled<K> {
    type Map = ScaledMap<K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        ScaledMap::new(self.weight(), self.kernel().feature_map(points)?)
    }
}
