//! The maximum mean discrepancy on features, from streamed sums over points.

use super::mmd::{Discrepancy, estimates};
use super::splits::{Splits, Table, gcd};
use crate::{Error, Progress, Run};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_approx::statistics::Panels;
use kern_core::products::matmul;
use kern_core::{FeatureMap, Points, Scalar, Scratch};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{MemoryBudget, matrix_bytes, parallel, zeros};
use std::ops::Range;

/// Number of splits that a panel is multiplied by at a time.
const CHUNK: usize = 64;

/// The squared maximum mean discrepancy of two samples for the kernel ⟨ψ(x), ψ(y)⟩ of a feature
/// map.
///
/// # Definition
/// As [`mmd`](super::mmd()): the biased estimate is the squared distance between the feature means.
///
/// # Complexity
/// The features of m + n points, panel by panel.
///
/// # Errors
/// [`Error::Empty`] for an empty sample; [`Error::Core`] if the map refuses the points, or for
/// non-finite features; [`Error::Gram`] beyond the memory of the run; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::{Run, dependence::mmd_on_features};
/// let x = Samples::from_rows(&[[1.0], [3.0]])?;
/// let y = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let found = mmd_on_features(&Identity::new(1), &x, &y, &mut Run::new())?;
/// assert!((found.biased() - 1.0_f64).abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn mmd_on_features<P: Points, M: FeatureMap<P>>(
    map: &M,
    x: &P,
    y: &P,
    run: &mut Run<'_>,
) -> Result<Discrepancy, Error> {
    let sketched = Sketched::new(map, x, y, 0, run)?;
    let splits = Splits::draw([x.len(), y.len()], 0, 0);
    Ok(sketched.sums(&splits, run)?.of_split(&splits, 0))
}

/// A feature map and two samples.
pub(super) struct Sketched<'s, P, M> {
    map: &'s M,
    points: [&'s P; 2],
    /// The memory for panels.
    panels: MemoryBudget,
}

/// Sums over all points.
pub(super) struct FeatureSums {
    /// Σwψ of each split, D × splits.
    weighted: Mat<f64>,
    /// Σψ.
    all: Vec<f64>,
    /// ‖ψ‖² of each point.
    squares: Vec<f64>,
}

impl<'s, P: Points, M: FeatureMap<P>> Sketched<'s, P, M> {
    /// Checks the points, and the memory for `random` random splits.
    pub(super) fn new(
        map: &'s M,
        x: &'s P,
        y: &'s P,
        random: usize,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        if x.is_empty() || y.is_empty() {
            return Err(Error::Empty);
        }
        x.check_compatible(y)?;
        let (n, dim) = (x.len() + y.len(), map.dim());
        let needed = Splits::bytes([x.len(), y.len()], random)
            .saturating_add(matrix_bytes::<f64>(dim, random + 2))
            .saturating_add(matrix_bytes::<f64>(n, 1));
        let budget = run.budget();
        budget.require("a test on features", needed, "take fewer permutations or features")?;
        let panels = MemoryBudget::bytes(budget.as_bytes() - needed);
        Ok(Self { map, points: [x, y], panels })
    }

    pub(super) fn sums(&self, splits: &Splits, run: &mut Run<'_>) -> Result<FeatureSums, Error> {
        let [m, n] = splits.sizes();
        let table = splits.table();
        let mut sums = FeatureSums {
            weighted: zeros(self.map.dim(), splits.count())?,
            all: vec![0.0; self.map.dim()],
            squares: Vec::with_capacity(m + n),
        };
        let (mut done, total) = (0, m + n);
        for (points, start) in self.points.into_iter().zip([0, splits.second()]) {
            let mut stopped = false;
            let mut panels = Panels::new(self.map, points, &self.panels)?;
            panels.for_each(|range, panel| {
                if stopped {
                    return Ok(());
                }
                done += range.len();
                let places = start + range.start..start + range.end;
                sums.add(panel.as_ref(), splits, &table, places);
                let progress = Progress::new(done, total, 0.0);
                stopped = run.observe(&progress).is_break() && done < total;
                Ok(())
            })?;
            if stopped {
                return Err(Error::Stopped { done, total });
            }
        }
        Ok(sums)
    }
}

impl FeatureSums {
    /// Adds the features of some points, whose places in a split begin at a whole byte.
    fn add<T: Scalar>(
        &mut self,
        panel: MatRef<'_, T>,
        splits: &Splits,
        table: &Table<T>,
        places: Range<usize>,
    ) {
        for column in panel.col_iter() {
            let mut square = 0.0;
            for (value, all) in column.iter().zip(&mut self.all) {
                let value = value.to_f64();
                square += value * value;
                *all += value;
            }
            self.squares.push(square);
        }
        let (dim, len) = panel.shape();
        let chunks = column_blocks(self.weighted.as_mut(), CHUNK);
        parallel::for_each_init(chunks, Scratch::new, |scratch, (first, out)| {
            let size = out.ncols();
            let (mut weights, mut part) = (scratch.take(len * size), scratch.take(dim * size));
            for (k, column) in weights.chunks_exact_mut(len).enumerate() {
                splits.unpack(first + k, places.clone(), table, column);
            }
            let right = MatRef::from_column_major_slice(&weights, len, size);
            let product = MatMut::from_column_major_slice_mut(&mut part, dim, size);
            matmul(product, Accum::Replace, panel, right, T::ONE);
            for (column, part) in out.col_iter_mut().zip(part.chunks_exact(dim)) {
                column.iter_mut().zip(part).for_each(|(sum, part)| *sum += part.to_f64());
            }
            scratch.give(part);
            scratch.give(weights);
        });
    }

    /// The discrepancy of a split.
    pub(super) fn of_split(&self, splits: &Splits, split: usize) -> Discrepancy {
        let [m, n] = splits.sizes();
        let divisor = gcd(m, n) as f64;
        let (m, n) = (m as f64, n as f64);
        let (mut square, mut within) = (0.0, [0.0; 2]);
        for (weighted, all) in self.weighted.col_as_slice(split).iter().zip(&self.all) {
            let weighted = divisor * weighted;
            // g·Σwψ = n·first − m·second.
            let first = (weighted + m * all) / (m + n);
            let second = all - first;
            square += weighted * weighted;
            within[0] += first * first;
            within[1] += second * second;
        }
        let own = splits.sum(split, &self.squares);
        let own = [own, self.squares.iter().sum::<f64>() - own];
        estimates(square / (m * n).powi(2), splits.sizes(), within, own)
    }

    /// The largest ‖ψ‖².
    pub(super) fn largest(&self) -> f64 {
        self.squares.iter().copied().fold(0.0, f64::max)
    }
}
