//! Landmarks, hyperplanes and tables.

use super::super::pairs::{AnyKernel, not_finite};
use super::{Hashes, KernelHashes, Table, code};
use crate::Error;
use faer::{Accum, Mat};
use kern_approx::{Nystrom, NystromMap, Selection};
use kern_core::closure::AssumeMercer;
use kern_core::products::{matmul, solve_upper};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use kern_gram::{MemoryBudget, parallel, tile_ranges, zeros};
use rand::seq::index;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::ops::Range;

/// Points that are hashed at a time.
const BLOCK: usize = 128;

/// Points per landmark that pivots are drawn from.
const POINTS_PER_LANDMARK: usize = 16;

impl<P: Points> Hashes<P> {
    /// For a kernel that is Mercer, as every one is that ranks by distance.
    pub(in super::super) fn new(
        kernel: &AnyKernel<'_, P>,
        points: &P,
        params: KernelHashes,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let n = points.len();
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let m = params.landmarks.min(n);
        let sample = index::sample(&mut rng, n, n.min(POINTS_PER_LANDMARK.saturating_mul(m)));
        let sample = points.select(&sample.into_vec())?;
        let map = Nystrom::new(AssumeMercer(kernel))
            .landmarks(m)
            .selection(Selection::RandomPivots)
            .seed(params.seed)
            .fit(&sample, budget)?;
        let weights = hyperplanes(&map, params.tables.saturating_mul(params.bits), &mut rng)?;
        let all: Vec<usize> = (0..map.landmarks().len()).collect();
        let landmarks = map.landmarks().select(&all)?;
        let mut hashes = Self { landmarks, weights, tables: Vec::new(), params };
        let codes = hashes.codes(kernel, points)?;
        let table = |table| Table::new(codes.iter().map(|codes| codes[table]));
        hashes.tables = (0..params.tables).map(table).collect();
        Ok(hashes)
    }

    /// The codes of all points, one per table.
    fn codes(&self, kernel: &AnyKernel<'_, P>, points: &P) -> Result<Vec<Vec<u64>>, Error> {
        let pairs = Binding::new(kernel, points, &self.landmarks);
        let bits = self.params.bits;
        let hash = |scratch: &mut Scratch<_>, rows: Range<usize>| -> Result<Vec<_>, Error> {
            let margins = self.margins(&pairs, rows, scratch)?;
            let codes = |row: &[P::Scalar]| {
                row.chunks_exact(bits).map(|table| code(table.iter().copied())).collect()
            };
            Ok(margins.col_iter().map(|row| codes(column(row))).collect())
        };
        let blocks = parallel::map_init(tile_ranges(points.len(), BLOCK), Scratch::new, hash);
        Ok(blocks.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// ⟨w, ψ(x)⟩ of some points, a column each.
    pub(super) fn margins(
        &self,
        pairs: &Binding<'_, AnyKernel<'_, P>, P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Mat<P::Scalar>, Error> {
        let (m, count) = self.weights.shape();
        let mut margins = zeros(count, rows.len())?;
        let mut error = None;
        pairs.with_block(rows.clone(), 0..m, scratch, |values| {
            let is_bad = |&(i, j): &(usize, usize)| !values[(i, j)].is_finite_number();
            let mut all = (0..rows.len()).flat_map(|i| (0..m).map(move |j| (i, j)));
            error = all
                .find(is_bad)
                .map(|(i, j)| not_finite(rows.start + i, j, values[(i, j)].to_f64()));
            let (weights, one) = (self.weights.transpose(), P::Scalar::ONE);
            matmul(margins.as_mut(), Accum::Replace, weights, values.transpose(), one);
        });
        error.map_or(Ok(margins), Err)
    }
}

/// L⁻ᵀw of so many normal vectors w.
fn hyperplanes<P: Points, K: Kernel<P>>(
    map: &NystromMap<P, K>,
    count: usize,
    rng: &mut impl Rng,
) -> Result<Mat<P::Scalar>, Error> {
    let mut normals = zeros::<f64>(map.rank(), count)?;
    normals
        .as_mut()
        .col_iter_mut()
        .for_each(|column| column.iter_mut().for_each(|w| *w = normal(rng)));
    let mut weights = zeros(map.landmarks().len(), count)?;
    if let Some(lower) = map.lower() {
        let wide: Mat<f64> = kern_core::memory::converted(lower)?;
        solve_upper(wide.as_ref(), normals.as_mut());
        kern_core::memory::convert_into(normals.as_ref(), weights.as_mut());
    } else if let Some(projection) = map.projection() {
        let normals: Mat<P::Scalar> = kern_core::memory::converted(normals.as_ref())?;
        let one = P::Scalar::ONE;
        matmul(weights.as_mut(), Accum::Replace, projection, normals.as_ref(), one);
    }
    Ok(weights)
}

/// A standard normal number (Box & Muller 1958).
fn normal(rng: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

/// A column as a slice: those of a matrix that owns its numbers are.
pub(super) fn column<T: Scalar>(column: faer::ColRef<'_, T>) -> &[T] {
    column.try_as_col_major().map_or(&[], |column| column.as_slice())
}
