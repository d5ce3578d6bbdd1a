//! A Gram matrix whose points are to be divided into clusters.

use super::columns::Columns;
use crate::Error;
use crate::kmeans::seeding::Distances;
use kern_core::{Scalar, tolerance};
use kern_gram::parallel;

/// A Gram matrix, and the weights of its points.
pub(in crate::kmeans) struct WeightedGram<'a, T: Scalar> {
    pub(in crate::kmeans) columns: &'a Columns<'a, T>,
    pub(in crate::kmeans) diagonal: Vec<f64>,
    pub(in crate::kmeans) weights: &'a [f64],
    pub(in crate::kmeans) k: usize,
}

impl<'a, T: Scalar> WeightedGram<'a, T> {
    pub(in crate::kmeans) fn new(
        columns: &'a Columns<'a, T>,
        weights: &'a [f64],
        k: usize,
    ) -> Result<Self, Error> {
        Ok(Self { columns, diagonal: columns.diagonal()?, weights, k })
    }

    pub(in crate::kmeans) fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// A squared distance of point i, or 0 where it may be nothing but rounding: K(x, x) and K(x, y) may be off by
    /// [`tolerance::TILE_ERROR`], twice that in d².
    #[inline(always)]
    pub(in crate::kmeans) fn distance(&self, i: usize, squared: f64) -> f64 {
        let floor = 2.0 * tolerance::TILE_ERROR * T::UNIT_ROUNDOFF * self.diagonal[i].abs();
        if squared <= floor { 0.0 } else { squared }
    }

    /// Σᵢ wᵢ·`K_ii`, the objective if all centres were 0.
    pub(in crate::kmeans) fn trace(&self) -> f64 {
        self.diagonal.iter().zip(self.weights).map(|(own, weight)| weight * own).sum()
    }
}

impl<T: Scalar> Distances for WeightedGram<'_, T> {
    fn weights(&self) -> &[f64] {
        self.weights
    }

    fn for_each_distances(
        &self,
        points: &[usize],
        f: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), Error> {
        self.columns.for_each_piece(points, |piece, columns| {
            let tasks: Vec<_> = piece.clone().zip(columns).collect();
            let distances = |_: &mut (), (b, column): (usize, &&[T])| -> Vec<f64> {
                let own = self.diagonal[points[b]];
                let pairs = column.iter().zip(&self.diagonal).enumerate();
                let squared = |(i, (value, norm)): (usize, (&T, &f64))| {
                    self.distance(i, norm + own - 2.0 * value.to_f64())
                };
                pairs.map(squared).collect()
            };
            let found = parallel::map_init(tasks, || (), distances);
            piece.zip(&found).for_each(|(b, distances)| f(b, distances));
        })
    }
}
