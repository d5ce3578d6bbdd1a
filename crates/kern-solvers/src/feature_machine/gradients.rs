//! The average outer product of gradients at the points, tile by tile.

use super::metric::Metric;
use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::gradient::PointGradient;
use kern_core::products::{matmul, matmul_lower};
use kern_core::{Points, Samples, Scalar, Scratch, Tile};
use kern_gram::{TILE_EDGE, matrix_bytes, parallel, tile_ranges, zeros};
use std::ops::Range;

/// The sums that are added up side by side: their number does not depend on threads, so that neither do bits.
const GROUPS: usize = 16;

/// A function f(x) = b + Σᵢ αᵢK(zᵢ, z), z = Rx, at points.
pub(super) struct Fitted<'f, T: Scalar, K> {
    pub(super) kernel: &'f K,
    /// zᵢ.
    pub(super) centres: &'f Samples<T>,
    /// Centres × outputs.
    pub(super) alpha: MatRef<'f, T>,
    /// z.
    pub(super) images: &'f Samples<T>,
    /// β, unless all are 1.
    pub(super) weights: Option<&'f [f64]>,
    /// Pairs whose squared distance is not above it count as equal points.
    pub(super) least: f64,
}

/// The bytes that sums in `rank` dimensions take.
pub(super) fn bytes<T: Scalar>(rank: usize, outputs: usize) -> u64 {
    let sums = matrix_bytes::<f64>(rank, rank.saturating_mul(GROUPS + 4));
    let stripes = matrix_bytes::<T>(rank.saturating_mul(outputs + 1), TILE_EDGE);
    sums.saturating_add(stripes.saturating_mul(parallel::threads() as u64))
}

impl<T: Scalar, K: PointGradient<T>> Fitted<'_, T, K> {
    /// Σ_j β_j g_j g_jᵀ with the gradients g_j in z_j, summed over outputs: its lower triangle, or its diagonal as a column.
    pub(super) fn outer_products(&self, diagonal: bool) -> Result<Mat<f64>, Error> {
        let (n, rank) = (self.images.len(), self.images.dim());
        let stripes = tile_ranges(n, TILE_EDGE);
        let groups: Vec<&[Range<usize>]> = stripes.chunks(stripes.len().div_ceil(GROUPS)).collect();
        let columns = if diagonal { 1 } else { rank };
        let sums = parallel::map_init(groups, Scratch::new, |scratch, group| {
            let mut sum = zeros::<T>(rank, columns)?;
            for stripe in group {
                self.add_stripe(stripe, sum.as_mut(), scratch);
            }
            Ok::<_, Error>(sum)
        });
        let mut total = zeros::<f64>(rank, columns)?;
        for sum in sums {
            let sum = sum?;
            for (to, from) in total.col_iter_mut().zip(sum.col_iter()) {
                to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to += from.to_f64());
            }
        }
        Ok(total)
    }

    /// Adds Σ_j β_j g_j g_jᵀ over the points of a stripe, with the gradients g_j in z_j, for each output.
    fn add_stripe(&self, stripe: &Range<usize>, mut sum: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        let (rank, width, outputs) = (self.images.dim(), stripe.len(), self.alpha.ncols());
        scratch.with_matrix(rank, width * outputs, |mut g, scratch| {
            g.fill(T::ZERO);
            for rows in tile_ranges(self.centres.len(), TILE_EDGE) {
                let alpha = self.alpha.subrows(rows.start, rows.len());
                let tile = Tile::new(self.centres, rows, self.images, stripe.clone());
                self.kernel.add_point_gradients(&tile, alpha, self.least, g.as_mut(), scratch);
            }
            if let Some(weights) = self.weights {
                for (at, column) in g.as_mut().col_iter_mut().enumerate() {
                    let root = T::from_f64(weights[stripe.start + at % width].sqrt());
                    column.iter_mut().for_each(|g| *g *= root);
                }
            }
            let g = g.as_ref();
            if sum.ncols() == rank && rank > 1 {
                matmul_lower(sum.as_mut(), Accum::Add, g, g.transpose(), T::ONE);
            } else {
                for column in g.col_iter() {
                    let pairs = sum.as_mut().col_mut(0).iter_mut().zip(column.iter());
                    pairs.for_each(|(sum, &g)| *sum += g * g);
                }
            }
        });
    }
}

/// c·RᵀAR, from the lower triangle of A or from its diagonal as a column.
pub(super) fn pulled_back(metric: &Metric, mut a: Mat<f64>, c: f64) -> Result<Mat<f64>, Error> {
    let rank = a.nrows();
    let out = match metric {
        Metric::Diagonal(scales) => {
            let is_diagonal = a.ncols() == 1;
            for (j, column) in a.as_mut().col_iter_mut().enumerate() {
                for (value, s) in column.iter_mut().zip(scales) {
                    *value *= c * s * if is_diagonal { *s } else { scales[j] };
                }
            }
            a
        }
        Metric::Full(root) => {
            for j in 0..rank {
                (0..j).for_each(|i| a[(i, j)] = a[(j, i)]);
            }
            let (mut right, mut out) =
                (zeros(rank, root.ncols())?, zeros(root.ncols(), root.ncols())?);
            matmul(right.as_mut(), Accum::Replace, a.as_ref(), root.as_ref(), c);
            matmul(out.as_mut(), Accum::Replace, root.transpose(), right.as_ref(), 1.0);
            out
        }
    };
    let mut all = out.col_iter().flat_map(faer::ColRef::iter).copied();
    let found = all.find(|value| !value.is_finite());
    drop(all);
    match found {
        Some(given) => Err(Error::Range { what: "an average of outer products", given }),
        None => Ok(out),
    }
}
