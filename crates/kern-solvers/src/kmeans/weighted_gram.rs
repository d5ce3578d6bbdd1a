//! The Gram matrix of the weighted points to be clustered. Columns are borrowed where they are
//! stored, and otherwise computed a block at a time.

use super::plus_plus::Distances;
use crate::Error;
use faer::MatRef;
use kern_core::memory::LargeMat;
use kern_core::{Scalar, tolerance};
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{GramOperator, parallel, tile_ranges};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Columns per block: a constant, since the order of sums depends on it.
pub(super) const BLOCK: usize = 256;

/// A Gram matrix, and the weights of its points.
pub(super) struct WeightedGram<'a, T: Scalar> {
    pub(super) columns: &'a Columns<'a, T>,
    pub(super) diagonal: Vec<f64>,
    pub(super) weights: &'a [f64],
    pub(super) k: usize,
}

impl<'a, T: Scalar> WeightedGram<'a, T> {
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

    /// A squared distance of point i, or 0 if it is within rounding error of 0: K(x, x) and K(x, y)
    /// may err by [`tolerance::TILE_ERROR`] round-offs, which is twice that in d².
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

/// The columns of a Gram matrix, borrowed or computed.
pub(super) struct Columns<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    /// The number of columns copied at once.
    width: usize,
    copied: AtomicU64,
}

impl<'a, T: Scalar> Columns<'a, T> {
    /// At most `width` ≥ 1 columns that are not stored are copied at once.
    pub(super) fn new(gram: &'a dyn GramOperator<T>, width: usize) -> Self {
        Self { gram, width: width.clamp(1, BLOCK), copied: AtomicU64::new(0) }
    }

    fn size(&self) -> usize {
        self.gram.size()
    }

    /// The number of entries copied so far.
    pub(super) fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    /// The diagonal, in double precision; an error unless it is finite.
    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        Ok(finite_diagonal(self.gram.diag().into_iter().map(Scalar::to_f64))?)
    }

    /// All of these columns, if every one is stored.
    pub(super) fn stored(&self, indices: &[usize]) -> Option<Vec<&[T]>> {
        indices.iter().map(|&i| self.gram.stored_column(i)).collect()
    }

    /// Calls `f` with these columns in order, in pieces, each with its range among them.
    pub(super) fn for_each_piece(
        &self,
        indices: &[usize],
        mut f: impl FnMut(Range<usize>, &[&[T]]),
    ) -> Result<(), Error> {
        if let Some(columns) = self.stored(indices) {
            f(0..indices.len(), &columns);
            return Ok(());
        }
        let n = self.size();
        // Memory from the system, to which it returns: the allocator would keep it, and take more.
        let mut block: LargeMat<T> = LargeMat::zeros(n, self.width.min(indices.len()))?;
        for piece in tile_ranges(indices.len(), self.width) {
            let mut values = block.as_mut().subcols_mut(0, piece.len());
            self.gram.columns_into(&indices[piece.clone()], values.as_mut())?;
            let entries = (n as u64).saturating_mul(piece.len() as u64);
            self.copied.fetch_add(entries, Ordering::Relaxed);
            f(piece, &slices(values.as_ref()));
        }
        Ok(())
    }
}

/// The columns of a column-major matrix.
fn slices<T: Scalar>(values: MatRef<'_, T>) -> Vec<&[T]> {
    values.col_iter().filter_map(|column| Some(column.try_as_col_major()?.as_slice())).collect()
}
