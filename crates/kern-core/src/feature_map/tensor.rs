//! The features of a product of kernels: all products of a feature of one and a feature of the
//! other.

use super::explicit::check_features;
use super::{Explicit, FeatureMap};
use crate::closure::Product;
use crate::{Error, Points, Scalar, Scratch};
use faer::{MatMut, MatRef};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// φ₁ ⊗ φ₂: the features of K₁·K₂. Feature (i, j) stands at i·D₂ + j.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorMap<A, B> {
    left: A,
    right: B,
}

impl<A, B> TensorMap<A, B> {
    /// left ⊗ right.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right }
    }
}

impl<P: Points + ?Sized, A: FeatureMap<P>, B: FeatureMap<P>> FeatureMap<P> for TensorMap<A, B> {
    fn dim(&self) -> usize {
        self.left.dim().saturating_mul(self.right.dim())
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let m = range.len();
        scratch.with_matrix(self.left.dim(), m, |mut left, scratch| {
            self.left.transform_into(points, range.clone(), left.as_mut(), scratch);
            scratch.with_matrix(self.right.dim(), m, |mut right, scratch| {
                self.right.transform_into(points, range, right.as_mut(), scratch);
                multiply(left.as_ref(), right.as_ref(), out);
            });
        });
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.left.check(points)?;
        self.right.check(points)
    }
}

/// Column by column, all products of entries.
pub(super) fn multiply<T: Scalar>(
    left: MatRef<'_, T>,
    right: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) {
    for c in 0..out.ncols() {
        for i in 0..left.nrows() {
            for j in 0..right.nrows() {
                out[(i * right.nrows() + j, c)] = left[(i, c)] * right[(j, c)];
            }
        }
    }
}

impl<P: Points + ?Sized, A: Explicit<P>, B: Explicit<P>> Explicit<P> for Product<A, B> {
    type Map = TensorMap<A::Map, B::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let left = self.left().feature_map(points)?;
        let right = self.right().feature_map(points)?;
        check_features(left.dim().checked_mul(right.dim()))?;
        Ok(TensorMap::new(left, right))
    }
}
