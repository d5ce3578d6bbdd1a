//! A symmetric matrix and its Cholesky factor in one array: the factor in the lower triangle, the
//! matrix in the upper one.

use super::cholesky::Cholesky;
use crate::product::{self, Add};
use crate::tiling::cuts;
use crate::{Error, GramOperator, Rows, TILE_EDGE, check, zeros};
use faer::{Mat, MatMut, MatRef};
use kern_core::{Scalar, tile};

/// Copies of the diagonal tiles of a matrix, made before it is factorised.
#[derive(Debug)]
pub struct DiagonalTiles<T: Scalar> {
    tiles: Vec<Mat<T>>,
}

impl<T: Scalar> DiagonalTiles<T> {
    /// Copies the diagonal tiles of a square matrix: n times the edge of a tile values.
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn of(matrix: MatRef<'_, T>) -> Result<Self, kern_core::Error> {
        let copy = |range: std::ops::Range<usize>| {
            let mut tile = zeros(range.len(), range.len())?;
            let from = matrix.submatrix(range.start, range.start, range.len(), range.len());
            tile.copy_from(from);
            Ok(tile)
        };
        let tiles = cuts(matrix.nrows()).into_iter().map(copy).collect::<Result<_, _>>()?;
        Ok(Self { tiles })
    }

    /// The matrix whose factor this is, provided that the upper triangle of the factor's memory is
    /// still that of the matrix.
    #[must_use]
    pub fn original<'f>(&'f self, factor: &'f Cholesky<T>) -> Original<'f, T> {
        Original { above: factor.lower(), tiles: &self.tiles }
    }
}

/// A matrix with a known factor: its upper triangle, and its diagonal tiles.
#[derive(Debug)]
pub struct Original<'f, T: Scalar> {
    above: MatRef<'f, T>,
    tiles: &'f [Mat<T>],
}

impl<T: Scalar> Original<'_, T> {
    fn entry(&self, i: usize, j: usize) -> T {
        let (row, col) = (i.min(j), i.max(j));
        if row / TILE_EDGE == col / TILE_EDGE {
            self.tiles[row / TILE_EDGE][(row % TILE_EDGE, col % TILE_EDGE)]
        } else {
            self.above[(row, col)]
        }
    }
}

impl<T: Scalar> GramOperator<T> for Original<'_, T> {
    fn size(&self) -> usize {
        self.above.nrows()
    }

    fn diag(&self) -> Vec<T> {
        (0..self.size()).map(|i| self.entry(i, i)).collect()
    }

    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::submatrix(self.size(), rows, cols, out.as_ref())?;
        for (b, &col) in cols.iter().enumerate() {
            (0..out.nrows()).for_each(|a| out[(a, b)] = self.entry(rows.at(a), col));
        }
        Ok(())
    }

    /// The bits are those of a [`LazyGram`](crate::LazyGram).
    fn apply_into(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        check::product((self.size(), self.size()), v, out.as_ref())?;
        let cuts = cuts(self.size());
        let with_tile =
            |scratch: &mut kern_core::Scratch<T>, i: usize, j: usize, add: Add<'_, T>| {
                if i == j {
                    return add(self.tiles[i].as_ref());
                }
                let (rows, cols) = (cuts[i].clone(), cuts[j].clone());
                let above = self.above.submatrix(cols.start, rows.start, cols.len(), rows.len());
                scratch.with_matrix(rows.len(), cols.len(), |mut below, _| {
                    tile::transpose(above, below.as_mut());
                    add(below.as_ref());
                });
            };
        product::apply_tiles(&cuts, with_tile, v, out.as_mut())?;
        check::finite_product(out.as_ref())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{DenseGram, LazyGram, MemoryBudget};
    use kern_core::Samples;
    use kern_core::kernels::Rbf;

    #[test]
    fn a_factorised_matrix_is_still_there_to_the_last_bit() {
        for n in [1, 130, 256, 257, 600] {
            let numbers = (0..n).map(|i| (i as f64 * 0.754_877_666).fract()).collect();
            let (x, kernel) =
                (Samples::from_row_major(1, numbers).unwrap(), Rbf::new(2.0).unwrap());
            let budget = MemoryBudget::mebibytes(64);
            let matrix = DenseGram::new(&kernel, &x, &budget).unwrap().into_matrix();
            let whole = matrix.as_ref().to_owned();
            let tiles = DiagonalTiles::of(matrix.as_ref()).unwrap();
            let factor = Cholesky::new(matrix, 0.1).unwrap();
            let original = tiles.original(&factor);
            let all: Vec<usize> = (0..n).collect();
            let mut entries = Mat::zeros(n, n);
            original.submatrix_into(Rows::All, &all, entries.as_mut()).unwrap();
            assert_eq!(entries, whole, "n = {n}");
            let v = Mat::from_fn(n, 2, |i, j| ((i + 7 * j) as f64).sin());
            let lazy = LazyGram::new(&kernel, &x).unwrap();
            assert_eq!(
                original.apply(v.as_ref()).unwrap(),
                lazy.apply(v.as_ref()).unwrap(),
                "n = {n}"
            );
            assert_eq!(original.diag(), lazy.diag());
        }
    }
}
