//! Preconditioned conjugate gradients on a kernel: the rank of the preconditioner, the memory, and
//! the switch to a factorisation where that takes less work.

use super::conjugate_gradients::Task;
use super::linear_system::DualSolution;
use super::ridge_regression::Settings;
use super::ridge_task::{Means, sizes_of};
use super::{RidgeTask, mixed_precision};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Machine};
use crate::{Error, Report, Run};
use faer::{Mat, MatRef};
use kern_approx::PivotedCholesky;
use kern_approx::landmarks::pivoted_preconditioner::{
    self, IsAcceptable, Preconditioner, Prospect,
};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{
    GramOperator, LazyGram, MemoryBudget, PackedGram, Representation, matrix_bytes, zeros,
};

/// Vectors in double precision per right-hand side: the iterates, their copies in both precisions,
/// and those of the certificate.
const VECTORS: usize = 14;

/// The time of reading a stored value relative to that of computing it, for the choice of a rank.
const READ: f64 = 0.5;

/// The largest number of points that are factorised without a prediction of time: that takes about
/// a second.
const FEW: usize = 2000;

/// A fit that would exceed the time limit by this factor even with the best preconditioner is
/// abandoned while the preconditioner is computed, when predictions are still uncertain.
const HOPELESS: f64 = 4.0;

/// A preconditioner that may turn out to be unused has a rank k of at most n divided by this: its
/// 2nk² flops are then an eleventh of those of a Cholesky factorisation.
const SHARE: usize = 8;

/// A design with its kernel as a trait object: these loops are compiled once for each type of
/// points.
type Known<'k, 'a, P> = Design<'a, P, dyn Mercer<P> + 'k>;

type Factor<'a, P> = Option<PivotedCholesky<'a, <P as Points>::Scalar>>;

/// A factor, and the predicted rank and number of iterations.
type Made<'a, P> = (Factor<'a, P>, Option<(usize, f64)>);

/// Fits a model by conjugate gradients; λ and the targets have been checked.
pub(super) fn fit<P, K>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    means: &Means<'_>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, K>, Report), Error>
where
    P: Points,
    K: Mercer<P>,
{
    let DualSolution { alpha, intercepts, report } = iterated(&design, lambda, y, means, run)?;
    Ok((design.into_model(alpha.as_ref(), intercepts)?, report))
}

/// The coefficients by conjugate gradients.
fn iterated<P: Points>(
    design: &Known<'_, '_, P>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    means: &Means<'_>,
    run: &mut Run<'_>,
) -> Result<DualSolution<P::Scalar>, Error> {
    means.check(design, &sizes_of(design, y.ncols()).gradients(0, 1.0), &Algorithm::RIDGE[1..])?;
    let sizes = Sizes::new(design, lambda, y.ncols(), means)?;
    let values = sizes.expensive_values(design)?;
    let prepared = Prepared::new(design, y.ncols(), sizes, values.as_ref(), means, usize::MAX)?;
    means.check(design, &prepared.task, &Algorithm::RIDGE[1..])?;
    let stored = prepared.sizes.stored;
    prepared.learn(design, y, means, stored, run)
}

/// Fits a model by the algorithm with the least counted work.
pub(super) fn fit_planned<P, K>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    means: &Means<'_>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, K>, Report), Error>
where
    P: Points,
    K: Mercer<P>,
{
    match choose(&design, lambda, y, means, run)? {
        Chosen::Solved(learned) => {
            let DualSolution { alpha, intercepts, report } = *learned;
            Ok((design.into_model(alpha.as_ref(), intercepts)?, report))
        }
        Chosen::Factor(values) => {
            mixed_precision::fit(design, lambda, y, &means.budget, values, run)
        }
    }
}

/// The algorithm with the least counted work.
enum Chosen<P: Points> {
    /// Conjugate gradients, with these coefficients.
    Solved(Box<DualSolution<P::Scalar>>),
    /// A factorisation, with the kernel matrix if it is already computed.
    Factor(Option<PackedGram<P::Scalar>>),
}

/// Chooses the algorithm, and runs conjugate gradients if these are chosen.
fn choose<P: Points>(
    design: &Known<'_, '_, P>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    means: &Means<'_>,
    run: &mut Run<'_>,
) -> Result<Chosen<P>, Error> {
    let outputs = y.ncols();
    if !is_direct(design, outputs, &means.budget) {
        return Ok(Chosen::Solved(iterated(design, lambda, y, means, run)?.into()));
    }
    let floor = sizes_of(design, outputs);
    if is_small(design) {
        means.check(design, &floor, &Algorithm::RIDGE)?;
        return Ok(Chosen::Factor(None));
    }
    means.check(design, &floor.gradients(0, 1.0), &Algorithm::RIDGE)?;
    let sizes = Sizes::new(design, lambda, outputs, means)?;
    let values = sizes.expensive_values(design)?;
    let prepared = Prepared::new(design, outputs, sizes, values.as_ref(), means, most(design))?;
    means.check(design, &prepared.task, &Algorithm::RIDGE)?;
    let plan = prepared.task.plan(&means.budget, &Machine::NOMINAL)?;
    match plan.recommended().unwrap_or(Algorithm::RecomputedGradients) {
        Algorithm::Cholesky => {
            drop(prepared);
            Ok(Chosen::Factor(values))
        }
        algorithm => {
            let stored = algorithm == Algorithm::StoredGradients;
            Ok(Chosen::Solved(prepared.learn(design, y, means, stored, run)?.into()))
        }
    }
}

/// True if there are so few points that nothing is planned.
pub(super) fn is_small<P: Points>(design: &Known<'_, '_, P>) -> bool {
    design.points().len() <= FEW
}

/// True if the budget holds the kernel matrix and the vectors of a fit.
pub(super) fn is_direct<P: Points>(
    design: &Known<'_, '_, P>,
    outputs: usize,
    budget: &MemoryBudget,
) -> bool {
    let n = design.points().len();
    budget.fits(matrix_bytes::<P::Scalar>(design.count(), n + 3 * outputs))
}

/// [`Prepared`] for a plan that may recommend a factorisation.
pub(super) fn planned<'a, P: Points>(
    design: &'a Known<'a, '_, P>,
    lambda: f64,
    outputs: usize,
    means: &Means<'_>,
) -> Result<Prepared<'a, P>, Error> {
    let sizes = Sizes::new(design, lambda, outputs, means)?;
    Prepared::new(design, outputs, sizes, None, means, most(design))
}

/// The largest rank of a preconditioner that may turn out to be unused.
fn most<P: Points>(design: &Known<'_, '_, P>) -> usize {
    design.points().len().div_ceil(SHARE)
}

/// The factor for a preconditioner, and the predicted work of conjugate gradients with it.
pub(super) struct Prepared<'a, P: Points> {
    pub(super) task: RidgeTask,
    sizes: Sizes,
    /// The kernel matrix, if its values are expensive.
    values: Values<'a, P>,
    factor: Factor<'a, P>,
}

impl<'a, P: Points> Prepared<'a, P> {
    /// Computes a factor of a rank of at most `most`.
    fn new(
        design: &'a Known<'a, '_, P>,
        outputs: usize,
        sizes: Sizes,
        values: Values<'a, P>,
        means: &Means<'_>,
        most: usize,
    ) -> Result<Self, Error> {
        let task = sizes_of(design, outputs);
        let is_acceptable = |(rank, iterations)| {
            let task = task.gradients(rank, iterations).with_at_most(means.settings.most());
            let seconds = || task.nominal_seconds(&means.budget);
            means.limit.is_none_or(|limit| seconds() <= HOPELESS * limit.as_secs_f64())
        };
        let (factor, outlook) =
            sizes.factor(design, values, means.settings, most, &is_acceptable)?;
        let (rank, iterations) = outlook.unwrap_or((0, 1.0));
        Ok(Self { task: task.gradients(rank, iterations), sizes, values, factor })
    }

    /// Runs conjugate gradients, with kernel values stored or recomputed.
    pub(super) fn learn(
        self,
        design: &Known<'_, '_, P>,
        y: MatRef<'_, P::Scalar>,
        means: &Means<'_>,
        stored: bool,
        run: &mut Run<'_>,
    ) -> Result<DualSolution<P::Scalar>, Error> {
        let settings = Settings { stored: Some(stored), ..means.settings.clone() };
        self.sizes.learn(design, self.values, y, self.factor, &settings, run)
    }
}

/// The kernel matrix, if it was computed first because its values are expensive.
type Values<'a, P> = Option<&'a PackedGram<<P as Points>::Scalar>>;

/// The memory that a fit by conjugate gradients may take.
#[derive(Clone, Copy)]
struct Sizes {
    lambda: f64,
    /// nλ.
    shift: f64,
    /// The requested gap.
    relative_gap: f64,
    stored: bool,
    /// The memory left for a preconditioner, and for stored values.
    left: MemoryBudget,
    for_values: MemoryBudget,
}

impl Sizes {
    fn new<P: Points>(
        design: &Known<'_, '_, P>,
        lambda: f64,
        outputs: usize,
        Means { settings, budget, .. }: &Means<'_>,
    ) -> Result<Self, Error> {
        let n = design.points().len();
        let columns = outputs.saturating_add(usize::from(design.intercept));
        let vectors = matrix_bytes::<f64>(n, columns.saturating_mul(VECTORS));
        let what = "kernel ridge by conjugate gradients";
        budget.require(what, vectors, "SGD with Storage::OnTheFly needs none of it")?;
        let for_values = MemoryBudget::bytes(budget.as_bytes() - vectors);
        let packed = Representation::Packed.bytes::<P::Scalar>(n);
        // A preconditioner of rank √n should fit next to them.
        let beside =
            packed.saturating_add(pivoted_preconditioner::bytes::<P::Scalar>(n, n.isqrt()));
        let stored = settings.stored.unwrap_or_else(|| for_values.fits(beside));
        let taken = if stored { packed } else { 0 };
        let left = MemoryBudget::bytes(for_values.as_bytes().saturating_sub(taken));
        let shift = design.count() as f64 * lambda;
        let relative_gap = settings.gap::<P::Scalar>();
        Ok(Self { lambda, shift, relative_gap, stored, left, for_values })
    }

    /// The kernel matrix, if it is stored and its values are expensive: the preconditioner needs
    /// some of them.
    fn expensive_values<P: Points>(
        &self,
        design: &Known<'_, '_, P>,
    ) -> Result<Option<PackedGram<P::Scalar>>, Error> {
        let expensive = self.stored && design.kernel.is_pointwise();
        let compute = || PackedGram::new(&design.kernel, design.points(), &self.for_values);
        Ok(expensive.then(compute).transpose()?)
    }

    fn prospect<'w>(&self, weights: Option<&'w [f64]>, n: usize) -> Prospect<'w> {
        let value = if self.stored { READ } else { 1.0 };
        let product = 0.5 * value * (n as f64).powi(2);
        Prospect { weights, shift: self.shift, relative_gap: self.relative_gap, product }
    }

    /// The factor for a preconditioner, if any, with the predicted rank and number of iterations:
    /// those of the factor, or of the best possible one if even that takes too long.
    fn factor<'a, P: Points>(
        &self,
        design: &'a Known<'a, '_, P>,
        values: Values<'a, P>,
        settings: &Settings,
        most: usize,
        is_acceptable: IsAcceptable<'_>,
    ) -> Result<Made<'a, P>, Error> {
        let n = design.points().len();
        let factor = match values {
            Some(values) => PivotedCholesky::of_gram(values, settings.seed),
            None => PivotedCholesky::of_points(&design.kernel, design.points(), settings.seed),
        };
        let mut factor = match factor {
            // The kernel is zero on these points: there is nothing to precondition.
            Err(kern_approx::Error::NoPositiveEigenvalue { .. }) => return Ok((None, None)),
            factor => factor?,
        };
        let mut outlook = None;
        let weights = design.weights();
        let prospect = self.prospect(weights.as_deref(), n);
        if let Some(rank) = settings.rank {
            let needed = pivoted_preconditioner::bytes::<P::Scalar>(n, rank.min(n));
            self.left.require("a preconditioner", needed, "set a smaller rank, or none")?;
            factor.grow(rank)?;
        } else {
            let most = pivoted_preconditioner::max_rank::<P::Scalar>(n, &self.left).min(most);
            outlook = prospect.grow(&mut factor, most, is_acceptable)?;
        }
        if factor.rank() == 0 {
            return Ok((None, outlook));
        }
        let now = (factor.rank(), prospect.iterations(&factor));
        Ok((Some(factor), Some(outlook.unwrap_or(now))))
    }

    fn learn<P: Points>(
        &self,
        design: &Known<'_, '_, P>,
        values: Values<'_, P>,
        y: MatRef<'_, P::Scalar>,
        factor: Factor<'_, P>,
        settings: &Settings,
        run: &mut Run<'_>,
    ) -> Result<DualSolution<P::Scalar>, Error> {
        let (kernel, points) = (&design.kernel, design.points());
        let lazy = LazyGram::new(kernel, points)?;
        let stored = settings.stored.unwrap_or(self.stored);
        let packed = (stored && values.is_none())
            .then(|| PackedGram::new(kernel, points, &self.for_values))
            .transpose()?;
        let gram: &dyn GramOperator<_> = match values.or(packed.as_ref()) {
            Some(packed) => packed,
            None => &lazy,
        };
        // Where values are expensive, the certificate uses the stored ones.
        let witness: &dyn GramOperator<_> = if kernel.is_pointwise() { gram } else { &lazy };
        // In double precision stored values are as accurate.
        let double = size_of::<P::Scalar>() == size_of::<f64>();
        let weights = design.weights();
        let task = Task {
            gram,
            fresh: if double { gram } else { witness },
            witness,
            targets: targets(design, y)?,
            roots: weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect()),
            weights,
            count: design.count(),
            lambda: self.lambda,
            intercept: design.intercept,
        };
        let roots = task.roots.as_deref();
        let with = |factor| Preconditioner::new(factor, roots, self.shift);
        match factor.map(with).transpose()? {
            Some(preconditioner) => task.learn(&|v| Ok(preconditioner.apply(v)?), settings, run),
            None => task.learn(&Ok, settings, run),
        }
    }
}

/// The targets of the points with positive weight.
fn targets<P: Points>(
    design: &Known<'_, '_, P>,
    y: MatRef<'_, P::Scalar>,
) -> Result<Mat<f64>, Error> {
    let mut targets = zeros(design.points().len(), y.ncols())?;
    for k in 0..y.ncols() {
        let column = targets.col_as_slice_mut(k).iter_mut().enumerate();
        column.for_each(|(i, target): (_, &mut f64)| *target = y[(design.index(i), k)].to_f64());
    }
    Ok(targets)
}
