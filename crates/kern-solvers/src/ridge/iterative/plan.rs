//! Which way to solve kernel ridge would take how long.

use crate::Error;
use crate::plan::{Bytes, Seconds};
use kern_core::Positive;
use kern_gram::{MemoryBudget, Representation, matrix_bytes};
use std::fmt;

/// The exact ways to solve the linear system of kernel ridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RidgeWay {
    /// Cholesky factorisation of the stored matrix.
    Cholesky,
    /// Conjugate gradients on stored kernel values.
    StoredGradients,
    /// Conjugate gradients on kernel values that are computed in every iteration.
    RecomputedGradients,
}

impl RidgeWay {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Cholesky, Self::StoredGradients, Self::RecomputedGradients];
}

impl fmt::Display for RidgeWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cholesky => "Cholesky factorisation",
            Self::StoredGradients => "CG, kernel values stored",
            Self::RecomputedGradients => "CG, kernel values recomputed",
        })
    }
}

/// What a machine takes, in seconds, on all threads together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgeRates {
    /// One kernel value.
    pub kernel_value: f64,
    /// One floating-point operation of a large factorisation.
    pub flop: f64,
    /// One number of a large matrix that is read.
    pub number: f64,
}

/// The sizes of a problem of kernel ridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgeSizes {
    /// The number n of points of positive weight.
    pub points: usize,
    /// Right-hand sides: one per output, and one more for an intercept.
    pub columns: usize,
    /// Whether numbers are `f64`.
    pub double: bool,
    /// The rank k of the preconditioner.
    pub rank: usize,
    /// Iterations that it is predicted to leave.
    pub iterations: f64,
}

/// What a way is predicted to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgePrediction {
    /// The way.
    pub way: RidgeWay,
    /// Seconds.
    pub seconds: f64,
    /// Memory for matrices.
    pub bytes: u64,
    /// Whether that is within the budget.
    pub fits: bool,
}

/// The predictions for a problem of kernel ridge, and the way that [`RidgeSolver::Auto`](super::RidgeSolver::Auto)
/// takes.
///
/// # Definition
/// With v seconds per kernel value, f per flop, r per number read, c columns, and t iterations with a
/// preconditioner of rank k:
///
/// | way | seconds |
/// |---|---|
/// | Cholesky | n²v + (n³/3)f |
/// | CG, stored | n²v + nkv + (2nk² + k³/3)f + n²r + t(n²r/2 + 2n²cf + 2nkr) |
/// | CG, recomputed | n²v/2 + nkv + (2nk² + k³/3)f + t(n²v/2 + 2n²cf + 2nkr) |
///
/// All contain the pass over the kernel values for the certificate. Predictions are estimates: nothing that is
/// computed depends on them but the choice of a way.
///
/// # Examples
/// ```
/// use kern_gram::MemoryBudget;
/// use kern_solvers::ridge::{RidgePlan, RidgeRates, RidgeSizes, RidgeWay};
/// let rates = RidgeRates { kernel_value: 2e-9, flop: 5e-11, number: 1e-9 };
/// let sizes =
///     RidgeSizes { points: 20_000, columns: 1, double: true, rank: 500, iterations: 30.0 };
/// // n³/3 flops take 133 s.
/// let plan = RidgePlan::new(&sizes, &rates, &MemoryBudget::mebibytes(8192))?;
/// assert_eq!(plan.chosen(), RidgeWay::StoredGradients);
/// let plan = RidgePlan::new(&sizes, &rates, &MemoryBudget::mebibytes(512))?;
/// assert_eq!(plan.chosen(), RidgeWay::RecomputedGradients);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePlan {
    sizes: RidgeSizes,
    budget: u64,
    predictions: [RidgePrediction; 3],
    chosen: RidgeWay,
}

impl RidgePlan {
    /// The predictions for a problem on a machine, within a budget.
    ///
    /// If nothing fits, conjugate gradients on recomputed values are chosen, which need least.
    ///
    /// # Errors
    /// [`Error::Core`] for rates or iterations that are not positive.
    pub fn new(
        sizes: &RidgeSizes,
        rates: &RidgeRates,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let RidgeRates { kernel_value, flop, number } = *rates;
        Positive::new("seconds per kernel value", kernel_value)?;
        Positive::new("seconds per flop", flop)?;
        Positive::new("seconds per number", number)?;
        Positive::new("the number of iterations", sizes.iterations)?;
        let predictions = RidgeWay::ALL.map(|way| {
            let bytes = bytes(way, sizes);
            RidgePrediction {
                way,
                seconds: seconds(way, sizes, rates),
                bytes,
                fits: budget.fits(bytes),
            }
        });
        let fitting = predictions.iter().filter(|prediction| prediction.fits);
        let best = fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let chosen = best.map_or(RidgeWay::RecomputedGradients, |best| best.way);
        Ok(Self { sizes: *sizes, budget: budget.as_bytes(), predictions, chosen })
    }

    /// The way that is taken.
    #[must_use]
    pub fn chosen(&self) -> RidgeWay {
        self.chosen
    }

    /// What each way is predicted to take.
    #[must_use]
    pub fn predictions(&self) -> &[RidgePrediction] {
        &self.predictions
    }

    /// The sizes that the predictions are made of.
    #[must_use]
    pub fn sizes(&self) -> &RidgeSizes {
        &self.sizes
    }
}

fn seconds(way: RidgeWay, sizes: &RidgeSizes, rates: &RidgeRates) -> f64 {
    let RidgeRates { kernel_value, flop, number } = *rates;
    let (n, k, columns) = (sizes.points as f64, sizes.rank as f64, sizes.columns as f64);
    let square = n * n;
    let pass = square / 2.0 * kernel_value;
    let factor = n * k * kernel_value + (2.0 * n * k * k + k * k * k / 3.0) * flop;
    let iteration = 2.0 * square * columns * flop + 2.0 * n * k * number;
    let each = sizes.iterations;
    match way {
        RidgeWay::Cholesky => 2.0 * pass + n * square / 3.0 * flop,
        RidgeWay::StoredGradients => {
            let read = square / 2.0 * number;
            2.0 * (pass + read) + factor + each * (read + iteration)
        }
        RidgeWay::RecomputedGradients => pass + factor + each * (pass + iteration),
    }
}

/// The memory that counts, but for vectors.
fn bytes(way: RidgeWay, sizes: &RidgeSizes) -> u64 {
    let (n, k) = (sizes.points, sizes.rank);
    fn of<T: kern_core::Scalar>(way: RidgeWay, n: usize, k: usize) -> u64 {
        match way {
            RidgeWay::Cholesky => matrix_bytes::<T>(n, n),
            RidgeWay::StoredGradients => {
                let packed = Representation::Packed.bytes::<T>(n);
                packed.saturating_add(super::preconditioner::bytes::<T>(n, k))
            }
            RidgeWay::RecomputedGradients => super::preconditioner::bytes::<T>(n, k),
        }
    }
    if sizes.double { of::<f64>(way, n, k) } else { of::<f32>(way, n, k) }
}

impl fmt::Display for RidgePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RidgeSizes { points, columns, rank, iterations, .. } = &self.sizes;
        write!(
            f,
            "n = {points}, right-hand sides: {columns}, rank {rank} leaves {iterations:.0} "
        )?;
        writeln!(f, "iterations; memory budget {}", Bytes(self.budget))?;
        for RidgePrediction { way, seconds, bytes, fits } in &self.predictions {
            let mark = if *way == self.chosen { '>' } else { ' ' };
            let over = if *fits { "" } else { "  more than the budget" };
            writeln!(f, "{mark} {way:<29} {:>8} {:>9}{over}", Seconds(*seconds), Bytes(*bytes))?;
        }
        Ok(())
    }
}
