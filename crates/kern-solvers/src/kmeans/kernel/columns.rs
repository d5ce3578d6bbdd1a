//! Columns of a Gram matrix: where they are stored they are lent, else computed a block at a time.

use crate::Error;
use faer::MatRef;
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{GramOperator, tile_ranges};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Columns that are used together. The order of sums depends on it, so it depends on nothing.
pub(in crate::kmeans) const BLOCK: usize = 256;

/// A Gram matrix, of which the columns are asked for.
pub(in crate::kmeans) struct Columns<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    /// Columns that are copied at once.
    width: usize,
    copied: AtomicU64,
}

impl<'a, T: Scalar> Columns<'a, T> {
    /// Of columns that are not stored, at most `width` ≥ 1 are copied at once.
    pub(in crate::kmeans) fn new(gram: &'a dyn GramOperator<T>, width: usize) -> Self {
        Self { gram, width: width.clamp(1, BLOCK), copied: AtomicU64::new(0) }
    }

    pub(in crate::kmeans) fn size(&self) -> usize {
        self.gram.size()
    }

    /// Entries that were copied.
    pub(in crate::kmeans) fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    /// The diagonal, in double precision; refused unless it is finite.
    pub(in crate::kmeans) fn diagonal(&self) -> Result<Vec<f64>, Error> {
        Ok(finite_diagonal(self.gram.diag().into_iter().map(Scalar::to_f64))?)
    }

    /// All of these columns, if every one is stored.
    pub(in crate::kmeans) fn stored(&self, indices: &[usize]) -> Option<Vec<&[T]>> {
        indices.iter().map(|&i| self.gram.stored_column(i)).collect()
    }

    /// `f` of pieces of these columns, in their order, each with its place among them.
    pub(in crate::kmeans) fn for_each_piece(
        &self,
        indices: &[usize],
        mut f: impl FnMut(Range<usize>, &[&[T]]),
    ) -> Result<(), Error> {
        if let Some(columns) = self.stored(indices) {
            f(0..indices.len(), &columns);
            return Ok(());
        }
        let n = self.size();
        // From the system, to which it goes back: the heap would keep it and take another one beside it.
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

/// The columns of a matrix that is stored column by column.
fn slices<T: Scalar>(values: MatRef<'_, T>) -> Vec<&[T]> {
    values.col_iter().filter_map(|column| Some(column.try_as_col_major()?.as_slice())).collect()
}
