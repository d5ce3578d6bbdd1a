//! The features of a sum of kernels: one map under the other.

use super::explicit::check_features;
use super::{Explicit, FeatureMap};
use crate::closure::Sum;
use crate::{Error, Points, Scratch};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// \[φ₁; φ₂\]: the features of K₁ + K₂. Two maps that approximate their kernels approximate the sum, with the sum of their errors; random
/// Fourier features of a sum of two spectra, in comparison, draw each frequency for one of both kernels.
///
/// # Examples
/// ```
/// use kern_core::feature_map::StackedMap;
/// use kern_core::kernels::Polynomial;
/// use kern_core::{Explicit, FeatureMap, Identity, Kernel, Samples, Scratch, faer::Mat};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, -1.0]])?;
/// let square = Polynomial::new(1.0, 1.0, 2)?;
/// let map = StackedMap::new(Identity::new(2), square.feature_map(&x)?);
/// let mut z = Mat::zeros(FeatureMap::<Samples<f64>>::dim(&map), 2);
/// map.transform_into(&x, 0..2, z.as_mut(), &mut Scratch::new());
/// // xᵀy = 1, and (1 + xᵀy)² = 4.
/// assert!((z.col(0).transpose() * z.col(1) - 5.0_f64).abs() < 1e-14);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackedMap<A, B> {
    top: A,
    bottom: B,
}

impl<A, B> StackedMap<A, B> {
    /// `top` over `bottom`.
    pub fn new(top: A, bottom: B) -> Self {
        Self { top, bottom }
    }
}

impl<P: Points + ?Sized, A: FeatureMap<P>, B: FeatureMap<P>> FeatureMap<P> for StackedMap<A, B> {
    fn dim(&self) -> usize {
        self.top.dim().saturating_add(self.bottom.dim())
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (top, bottom) = out.split_at_row_mut(self.top.dim());
        self.top.transform_into(points, range.clone(), top, scratch);
        self.bottom.transform_into(points, range, bottom, scratch);
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.top.check(points)?;
        self.bottom.check(points)
    }
}

impl<P: Points + ?Sized, A: Explicit<P>, B: Explicit<P>> Explicit<P> for Sum<A, B> {
    type Map = StackedMap<A::Map, B::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let top = self.left().feature_map(points)?;
        let bottom = self.right().feature_map(points)?;
        check_features(top.dim().checked_add(bottom.dim()))?;
        Ok(StackedMap::new(top, bottom))
    }
}
