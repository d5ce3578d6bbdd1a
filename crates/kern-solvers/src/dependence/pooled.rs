//! Quadratic forms of the kernel matrix of pooled points, for many splits, in one pass.
//!
//! Notation: m points x, n points y, N = m + n. The weights w of a split are n/g for the points in
//! its first sample and −m/g for the others, with g the greatest common divisor of m and n, so that
//! ‖mean φ(first) − mean φ(second)‖² = (g/(mn))²·wᵀKw.
//!
//! Only tiles on and below the diagonal are computed: wᵀKw = Σ_I w_Iᵀ(K_II w_I + 2Σ_{J<I} K_IJ
//! w_J). This takes half the work of the product KW, and stores no product.

use super::splits::{Splits, Table};
use crate::differences::ByDifferences;
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::{Error, Progress, Run};
use faer::{Accum, MatMut, MatRef};
use kern_core::products::matmul;
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use kern_gram::pairs::fill_diagonal;
use kern_gram::{TILE_EDGE, matrix_bytes, parallel, tile_ranges};
use std::ops::Range;

/// Number of splits that a tile is multiplied by at a time.
const CHUNK: usize = 128;
/// The largest number of tiles per task.
const TILES: usize = 8;
/// The largest number of tasks between two calls of the observer, and `FLOPS`, that of their flops,
/// unless that would leave threads idle.
const ROUND: usize = 256;
const FLOPS: f64 = 2e10;

/// Number of stripes that few points are cut into, so that all threads have tiles.
const STRIPES: usize = 16;
/// The smallest edge of a tile. All edges are multiples of it, since splits pack eight points into
/// a byte.
const SMALLEST_EDGE: usize = 8;

/// The sums of one pass.
pub(super) struct Sums {
    /// wᵀKw for each split.
    pub(super) quadratic: Vec<f64>,
    /// The row sums K1.
    pub(super) rows: Vec<f64>,
    /// The diagonal of K.
    pub(super) diagonal: Vec<f64>,
}

/// The kernel, bound to the pooled points.
pub(super) struct Pooled<'p, P: Points> {
    kernel: &'p (dyn Kernel<P> + 'p),
    points: [&'p P; 2],
    within: [Binding<'p, dyn Kernel<P> + 'p, P>; 2],
    /// The kernel values between y (rows) and x (columns).
    between: Binding<'p, dyn Kernel<P> + 'p, P>,
    stripes: Vec<Stripe>,
}

/// Adjacent points of a sample.
#[derive(Clone)]
struct Stripe {
    is_second: bool,
    points: Range<usize>,
}

/// A stripe of rows, and some stripes of columns up to the diagonal.
type Task = (usize, Range<usize>);

/// The sums of a task: over its rows, and over its columns, stripe by stripe.
struct Part {
    row: usize,
    cols: Range<usize>,
    quadratic: Vec<f64>,
    rows: Vec<f64>,
    of_cols: Vec<f64>,
}

impl<'p, P: Points> Pooled<'p, P> {
    /// Checks the points, and binds the kernel to them.
    pub(super) fn new(
        kernel: &'p dyn Kernel<P>,
        compared: &'p ByDifferences<'p, P>,
        x: &'p P,
        y: &'p P,
    ) -> Result<Self, Error> {
        if x.is_empty() || y.is_empty() {
            return Err(Error::Empty);
        }
        x.check_compatible(y)?;
        kernel.check(x)?;
        kernel.check(y)?;
        let kernel = compared.kernel();
        let edge = edge(x.len() + y.len());
        let stripes = |is_second: bool, n: usize| {
            tile_ranges(n, edge).into_iter().map(move |points| Stripe { is_second, points })
        };
        Ok(Self {
            kernel,
            points: [x, y],
            within: [Binding::new(kernel, x, x), Binding::new(kernel, y, y)],
            between: Binding::new(kernel, y, x),
            stripes: stripes(false, x.len()).chain(stripes(true, y.len())).collect(),
        })
    }

    pub(super) fn sizes(&self) -> [usize; 2] {
        self.points.map(Points::len)
    }

    /// Returns an error if `random` random splits exceed the memory or time limit of a run.
    pub(super) fn check_resources(&self, random: usize, run: &Run<'_>) -> Result<(), Error> {
        let n: usize = self.sizes().iter().sum();
        let needed = Splits::bytes(self.sizes(), random)
            .saturating_add(matrix_bytes::<f64>(random + 1 + 2 * TILE_EDGE * TILES, ROUND))
            .saturating_add(matrix_bytes::<f64>(n, 2));
        let budget = run.budget();
        budget.require("a test by permutations", needed, "take fewer permutations")?;
        let square = (n as f64).powi(2);
        let parts = vec![
            (Work::KernelValues, Count::values(0.5 * square)),
            (Work::Products, Count::flops((random + 1) as f64 * square)),
        ];
        let effort = Effort::counted(Algorithm::KernelOnTheFly, parts);
        within((run.predicted_limit(), &budget), self.kernel, self.points[0], &[effort], &[])
    }

    /// Computes all sums in one pass over the kernel values.
    pub(super) fn sums(&self, splits: &Splits, run: &mut Run<'_>) -> Result<Sums, Error> {
        let [m, n] = self.sizes();
        let table = splits.table();
        let mut sums = Sums {
            quadratic: vec![0.0; splits.count()],
            rows: vec![0.0; m + n],
            diagonal: self.diagonal()?,
        };
        let mut tasks = tasks(self.stripes.len());
        let longest = self.stripes.iter().map(|stripe| stripe.points.len()).max().unwrap_or(1);
        let flops = (2 * TILES) as f64 * (longest as f64).powi(2) * splits.count() as f64;
        let most = ((FLOPS / flops) as usize).clamp(parallel::threads().min(ROUND), ROUND);
        let (mut done, total) = (0, tasks.len());
        while !tasks.is_empty() {
            let round: Vec<Task> = tasks.drain(..most.min(tasks.len())).collect();
            done += round.len();
            let work =
                |scratch: &mut Scratch<P::Scalar>, task| self.work(splits, &table, task, scratch);
            for part in parallel::map_init(round, Scratch::new, work) {
                self.add(&mut sums, &part?);
            }
            let progress = Progress::new(done, total, 0.0);
            if run.observe(&progress).is_break() && done < total {
                return Err(Error::Stopped { done, total });
            }
        }
        Ok(sums)
    }

    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let own = |sample: usize| {
            let binding = &self.within[sample];
            (0..self.points[sample].len()).map(|i| binding.diag(i).to_f64())
        };
        let values = own(0).chain(own(1));
        Ok(kern_gram::numerics::arithmetic::finite_diagonal(values)?)
    }

    fn work(
        &self,
        splits: &Splits,
        table: &Table<P::Scalar>,
        (row, cols): Task,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Part, Error> {
        let rows = &self.stripes[row];
        let lengths = self.stripes[cols.clone()].iter().map(|stripe| stripe.points.len());
        let mut part = Part {
            row,
            cols: cols.clone(),
            quadratic: vec![0.0; splits.count()],
            rows: vec![0.0; rows.points.len()],
            of_cols: vec![0.0; lengths.sum()],
        };
        let mut start = 0;
        for col in cols {
            let length = self.stripes[col].points.len();
            scratch.with_matrix(rows.points.len(), length, |mut tile, scratch| {
                self.fill((row, col), tile.as_mut(), scratch)?;
                let of_cols = &mut part.of_cols[start..start + length];
                add_sums(tile.as_ref(), &mut part.rows, of_cols);
                let sums = &mut part.quadratic;
                self.add_quadratic(splits, table, (row, col), tile.as_ref(), sums, scratch);
                Ok::<_, Error>(())
            })?;
            start += length;
        }
        Ok(part)
    }

    /// Computes the values of a tile; an error if one is not finite.
    fn fill(
        &self,
        (row, col): (usize, usize),
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<(), Error> {
        let (rows, cols) = (&self.stripes[row], &self.stripes[col]);
        let (i, j) = (rows.points.clone(), cols.points.clone());
        let within = &self.within[usize::from(rows.is_second)];
        if row == col {
            fill_diagonal(within, i, out.as_mut(), scratch);
        } else if rows.is_second != cols.is_second {
            self.between.block(i, j, out.as_mut(), scratch);
        } else {
            within.block(i, j, out.as_mut(), scratch);
        }
        check_finite(out.as_ref(), (self.index(rows), self.index(cols)))
    }

    /// The index of the first point of a stripe among the pooled points.
    fn index(&self, stripe: &Stripe) -> usize {
        stripe.points.start + if stripe.is_second { self.points[0].len() } else { 0 }
    }

    /// Adds w_Iᵀ(K_IJ w_J) for all splits, twice for a tile off the diagonal.
    fn add_quadratic(
        &self,
        splits: &Splits,
        table: &Table<P::Scalar>,
        (row, col): (usize, usize),
        tile: MatRef<'_, P::Scalar>,
        sums: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let places = |stripe: &Stripe| {
            let start = if stripe.is_second { splits.second() } else { 0 };
            start + stripe.points.start..start + stripe.points.end
        };
        let (rows, cols) = (places(&self.stripes[row]), places(&self.stripes[col]));
        let times = if row == col { 1.0 } else { 2.0 };
        let mut weights = scratch.take(cols.len() * CHUNK);
        let mut product = scratch.take(rows.len() * CHUNK);
        let mut own = scratch.take(rows.len());
        for chunk in tile_ranges(splits.count(), CHUNK) {
            let columns = weights.chunks_exact_mut(cols.len());
            for (split, column) in chunk.clone().zip(columns) {
                splits.unpack(split, cols.clone(), table, column);
            }
            let size = chunk.len();
            let right = &weights[..cols.len() * size];
            let right = MatRef::from_column_major_slice(right, cols.len(), size);
            let out = &mut product[..rows.len() * size];
            let out = MatMut::from_column_major_slice_mut(out, rows.len(), size);
            matmul(out, Accum::Replace, tile, right, P::Scalar::ONE);
            for (split, column) in chunk.zip(product.chunks_exact(rows.len())) {
                splits.unpack(split, rows.clone(), table, &mut own);
                sums[split] += times * P::Scalar::dot(column, &own).to_f64();
            }
        }
        scratch.give(own);
        scratch.give(product);
        scratch.give(weights);
    }

    /// Adds the sums of a task. Off the diagonal, column sums are also row sums of the mirrored
    /// tile.
    fn add(&self, sums: &mut Sums, part: &Part) {
        sums.quadratic.iter_mut().zip(&part.quadratic).for_each(|(sum, part)| *sum += part);
        let start = self.index(&self.stripes[part.row]);
        sums.rows[start..].iter_mut().zip(&part.rows).for_each(|(sum, part)| *sum += part);
        let mut rest = part.of_cols.as_slice();
        for col in part.cols.clone() {
            let stripe = &self.stripes[col];
            let (of_col, others) = rest.split_at(stripe.points.len());
            rest = others;
            if col != part.row {
                let start = self.index(stripe);
                sums.rows[start..].iter_mut().zip(of_col).for_each(|(sum, part)| *sum += part);
            }
        }
    }
}

/// The tasks of a symmetric matrix that is cut into this many stripes: tiles up to the diagonal.
pub(super) fn tasks(stripes: usize) -> Vec<Task> {
    let of_row = |row: usize| tile_ranges(row + 1, TILES).into_iter().map(move |cols| (row, cols));
    (0..stripes).flat_map(of_row).collect()
}

/// The edge of tiles for n points.
pub(super) fn edge(n: usize) -> usize {
    (n / STRIPES).next_multiple_of(SMALLEST_EDGE).clamp(SMALLEST_EDGE, TILE_EDGE)
}

/// Refuses non-finite values; the tile begins at this row and column.
pub(super) fn check_finite<T: Scalar>(
    tile: MatRef<'_, T>,
    (row, col): (usize, usize),
) -> Result<(), Error> {
    for (j, column) in tile.col_iter().enumerate() {
        if column.try_as_col_major().is_some_and(|values| T::all_finite(values.as_slice())) {
            continue;
        }
        if let Some(i) = column.iter().position(|value| !value.is_finite_number()) {
            let (row, col, given) = (row + i, col + j, column[i].to_f64());
            return Err(kern_gram::Error::NotFinite { row, col, given }.into());
        }
    }
    Ok(())
}

/// Adds the row sums and the column sums of a tile.
pub(super) fn add_sums<T: Scalar>(tile: MatRef<'_, T>, rows: &mut [f64], cols: &mut [f64]) {
    for (column, total) in tile.col_iter().zip(cols) {
        let mut sum = 0.0;
        for (value, row) in column.iter().zip(&mut *rows) {
            let value = value.to_f64();
            *row += value;
            sum += value;
        }
        *total += sum;
    }
}
