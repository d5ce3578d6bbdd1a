//! The features of a normalised kernel: φ/‖φ‖.

use super::{Explicit, FeatureMap};
use crate::closure::Normalized;
use crate::{Error, Points, Scalar, Scratch, tile};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// φ/‖φ‖, and 0 where φ is: the features of the normalised kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizedMap<M> {
    map: M,
}

impl<M> NormalizedMap<M> {
    /// map/‖map‖.
    pub fn new(map: M) -> Self {
        Self { map }
    }
}

impl<P: Points + ?Sized, M: FeatureMap<P>> FeatureMap<P> for NormalizedMap<M> {
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
        tile::for_each_column(out, scratch, |_, column| {
            let squared: f64 = column.iter().map(|v| v.to_f64() * v.to_f64()).sum();
            if squared > 0.0 {
                let factor = P::Scalar::from_f64(1.0 / squared.sqrt());
                column.iter_mut().for_each(|v| *v *= factor);
            }
        });
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P: Points + ?Sized, K: Explicit<P>> Explicit<P> for Normalized<K> {
    type Map = NormalizedMap<K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        Ok(NormalizedMap::new(self.kernel().feature_map(points)?))
    }
}
