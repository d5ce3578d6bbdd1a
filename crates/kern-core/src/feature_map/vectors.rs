//! The exact features of kernels on vectors that are inner products of images of the samples.

use super::{Explicit, FeatureMap, Identity, NormalizedMap};
use crate::kernels::{Cosine, Hellinger, Mahalanobis};
use crate::points::check_dim;
use crate::{Error, Kernel, Points, Samples, Scalar, Scratch};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// √A·x: the features of xᵀAy (up to a rotation: √Λ·Vᵀx for A = VΛVᵀ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MahalanobisMap {
    kernel: Mahalanobis,
}

impl<T: Scalar> FeatureMap<Samples<T>> for MahalanobisMap {
    fn dim(&self) -> usize {
        self.kernel.rank()
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        _scratch: &mut Scratch<T>,
    ) {
        for (c, i) in range.enumerate() {
            for (k, value) in self.kernel.features(points.item(i)).into_iter().enumerate() {
                out[(k, c)] = T::from_f64(value);
            }
        }
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        self.kernel.check(points)
    }
}

impl<T: Scalar> Explicit<Samples<T>> for Mahalanobis {
    type Map = MahalanobisMap;

    fn feature_map(&self, points: &Samples<T>) -> Result<MahalanobisMap, Error> {
        self.check(points)?;
        Ok(MahalanobisMap { kernel: self.clone() })
    }
}

/// √x_j: the features of the Hellinger kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootMap {
    dim: usize,
}

impl<T: Scalar> FeatureMap<Samples<T>> for RootMap {
    fn dim(&self) -> usize {
        self.dim
    }

    fn transform_into(
        &self,
        points: &Samples<T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
        _scratch: &mut Scratch<T>,
    ) {
        for (c, i) in range.enumerate() {
            for (k, value) in points.item(i).iter().enumerate() {
                out[(k, c)] = T::from_f64(value.to_f64().sqrt());
            }
        }
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        check_dim(self.dim, points.dim())?;
        Hellinger.check(points)
    }
}

impl<T: Scalar> Explicit<Samples<T>> for Hellinger {
    type Map = RootMap;

    fn feature_map(&self, points: &Samples<T>) -> Result<RootMap, Error> {
        Ok(RootMap { dim: points.dim() })
    }
}

impl<T: Scalar> Explicit<Samples<T>> for Cosine {
    type Map = NormalizedMap<Identity>;

    fn feature_map(&self, points: &Samples<T>) -> Result<Self::Map, Error> {
        Ok(NormalizedMap::new(Identity::new(points.dim())))
    }
}
