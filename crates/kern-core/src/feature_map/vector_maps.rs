//! Exact feature maps of kernels on vectors that are inner products of transformed samples: x,
//! √A·x, √x_j and x/‖x‖.

use super::{Explicit, FeatureMap, NormalizedMap};
use crate::kernels::{Cosine, Hellinger, Linear, Mahalanobis};
use crate::points::check_dim;
use crate::{Error, Kernel, Points, Samples, Scalar, Scratch};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The features of the linear kernel: φ(x) = x.
///
/// # Examples
/// ```
/// use kern_core::{FeatureMap, Identity, Samples};
/// assert_eq!(FeatureMap::<Samples<f64>>::dim(&Identity::new(3)), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    dim: usize,
}

impl Identity {
    /// The identity on R^`dim`.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }

    pub(crate) fn size(&self) -> usize {
        self.dim
    }
}

impl<T: Scalar> FeatureMap<Samples<T>> for Identity {
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
        out.copy_from(points.columns(range));
    }

    fn check(&self, points: &Samples<T>) -> Result<(), Error> {
        crate::points::check_dim(self.dim, points.dim())
    }
}

impl<T: Scalar> Explicit<Samples<T>> for Linear {
    type Map = Identity;

    fn feature_map(&self, points: &Samples<T>) -> Result<Identity, Error> {
        Ok(Identity::new(points.dim()))
    }
}

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
