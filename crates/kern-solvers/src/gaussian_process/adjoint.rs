//! Adjoint of a kernel matrix, pulled back to the kernel's parameters tile by tile.

use faer::{Accum, MatMut, MatRef};
use kern_core::gradient::{Differentiable, free_parameters};
use kern_core::products::matmul;
use kern_core::{Points, Scalar, Scratch, Tile};
use kern_gram::{TILE_EDGE, parallel, tile_ranges};
use std::ops::Range;

/// The adjoint ½Σ(uvᵀ + vuᵀ) − weight·FᵀF, with the sum over the columns of `vectors`.
pub(crate) struct Adjoint<'m, T: Scalar> {
    pub(crate) factor: MatRef<'m, T>,
    /// True if F is lower triangular.
    pub(crate) is_lower: bool,
    pub(crate) weight: f64,
    /// u and v, points × outputs.
    pub(crate) vectors: (MatRef<'m, T>, MatRef<'m, T>),
}

impl<T: Scalar> Adjoint<'_, T> {
    /// Returns Σ adjointᵢⱼ·∂K(xᵢ, xⱼ)/∂ln θ for each free parameter of the kernel. By symmetry,
    /// only the tiles of the lower triangle are computed.
    pub(crate) fn pull_back<P, K>(&self, kernel: &K, points: &P) -> Vec<f64>
    where
        P: Points<Scalar = T>,
        K: Differentiable<P>,
    {
        let mut sum = vec![0.0; free_parameters(kernel).len()];
        if sum.is_empty() {
            return sum;
        }
        let cuts = tile_ranges(points.len(), TILE_EDGE);
        let mut pairs = Vec::new();
        for (i, rows) in cuts.iter().enumerate() {
            pairs.extend(cuts[..=i].iter().map(|cols| (rows.clone(), cols.clone())));
        }
        let free = sum.len();
        let of_tile = |scratch: &mut Scratch<T>, (rows, cols): (Range<usize>, Range<usize>)| {
            let mut gradient = vec![0.0; free];
            scratch.with_matrix(rows.len(), cols.len(), |mut adjoint, scratch| {
                self.fill(&rows, &cols, adjoint.as_mut());
                let tile = Tile::new(points, rows, points, cols);
                kernel.pull_back(&tile, adjoint.as_ref(), &mut gradient, scratch);
            });
            gradient
        };
        for part in parallel::map_init(pairs, Scratch::new, of_tile) {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sum
    }

    /// Fills a tile of the adjoint; off the diagonal it is doubled, for its mirror image.
    fn fill(&self, rows: &Range<usize>, cols: &Range<usize>, mut out: MatMut<'_, T>) {
        let times = if rows == cols { 1.0 } else { 2.0 };
        // The columns of a lower triangle start with zeros.
        let first = if self.is_lower { rows.start } else { 0 };
        let columns = |range: &Range<usize>| {
            self.factor.submatrix(first, range.start, self.factor.nrows() - first, range.len())
        };
        let weight = T::from_f64(-times * self.weight);
        matmul(out.as_mut(), Accum::Replace, columns(rows).transpose(), columns(cols), weight);
        let half = T::from_f64(0.5 * times);
        let (u, v) = self.vectors;
        for k in 0..u.ncols() {
            let (u_rows, v_rows) = (u.col(k).subrows(rows.start, rows.len()), v.col(k));
            let v_rows = v_rows.subrows(rows.start, rows.len());
            for (j, q) in cols.clone().enumerate() {
                let (u_q, v_q) = (half * u[(q, k)], half * v[(q, k)]);
                let pairs = u_rows.iter().zip(v_rows.iter());
                let column = out.as_mut().col_mut(j);
                column.iter_mut().zip(pairs).for_each(|(to, (&u, &v))| *to += u * v_q + v * u_q);
            }
        }
    }
}
