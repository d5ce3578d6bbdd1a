//! The features of the linear kernel.

use super::{Explicit, FeatureMap};
use crate::kernels::Linear;
use crate::{Error, Samples, Scalar, Scratch};
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
