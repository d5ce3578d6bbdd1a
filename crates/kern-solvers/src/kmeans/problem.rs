//! What is to be divided into clusters.

use super::columns::Columns;
use crate::Error;
use kern_core::{Scalar, tolerance};

/// A Gram matrix, and the weights of its points.
pub(super) struct Problem<'a, T: Scalar> {
    pub(super) columns: &'a Columns<'a, T>,
    pub(super) diagonal: Vec<f64>,
    pub(super) weights: &'a [f64],
    pub(super) k: usize,
}

impl<'a, T: Scalar> Problem<'a, T> {
    pub(super) fn new(
        columns: &'a Columns<'a, T>,
        weights: &'a [f64],
        k: usize,
    ) -> Result<Self, Error> {
        Ok(Self { columns, diagonal: columns.diagonal()?, weights, k })
    }

    pub(super) fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// A squared distance of point i, or 0 where it may be nothing but rounding: K(x, x) and K(x, y) may be off by
    /// [`tolerance::TILE_ERROR`], twice that in d².
    #[inline(always)]
    pub(super) fn distance(&self, i: usize, squared: f64) -> f64 {
        let floor = 2.0 * tolerance::TILE_ERROR * T::UNIT_ROUNDOFF * self.diagonal[i].abs();
        if squared <= floor { 0.0 } else { squared }
    }

    /// Σᵢ wᵢ·`K_ii`, the objective if all centres were 0.
    pub(super) fn trace(&self) -> f64 {
        self.diagonal.iter().zip(self.weights).map(|(own, weight)| weight * own).sum()
    }
}
