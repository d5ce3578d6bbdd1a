//! Kernel ridge on points by conjugate gradients.

use super::iterate::{Learned, Task};
use super::preconditioner::{self, Preconditioner, Prospect};
use super::{ConjugateGradients, RidgePlan, RidgeRates, RidgeSizes, RidgeWay};
use crate::design::Design;
use crate::model::KernelModel;
use crate::ridge::mixed;
use crate::{Error, Report};
use faer::{Mat, MatRef};
use kern_approx::PivotedCholesky;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{
    GramOperator, LazyGram, MemoryBudget, PackedGram, Representation, matrix_bytes, zeros,
};

/// Vectors in double precision per right-hand side: the iterates, their copies in both precisions, and
/// what the certificate needs.
const VECTORS: usize = 14;

/// Reading a stored value takes this part of the time of computing it, for the choice of a rank.
const READ: f64 = 0.5;

/// From so many points on, times are predicted; fewer are factorised in a second.
const FEW: usize = 2000;

/// The part of n that the rank of a preconditioner may be while it is not known whether it will be used: 2nk²
/// flops are then an eleventh of those of a Cholesky factorisation.
const SHARE: usize = 8;

type Factor<'a, P> = Option<PivotedCholesky<'a, <P as Points>::Scalar>>;

/// Fits a model; λ and the targets have been checked.
pub(in crate::ridge) fn fit<P, K>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    (params, budget): (&ConjugateGradients, &MemoryBudget),
) -> Result<(KernelModel<P, K>, Report), Error>
where
    P: Points,
    K: Mercer<P>,
{
    params.check::<P::Scalar>()?;
    let learned = {
        let sizes = Sizes::new(&design, lambda, y.ncols(), (params, budget))?;
        let factor = sizes.factor(&design, params, usize::MAX)?;
        sizes.learn(&design, y, factor, params)?
    };
    Ok((design.into_model(learned.alpha.as_ref(), learned.intercepts)?, learned.report))
}

/// Fits a model in the way that is predicted to be fastest.
pub(in crate::ridge) fn fit_planned<P, K>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    budget: &MemoryBudget,
) -> Result<(KernelModel<P, K>, Report), Error>
where
    P: Points,
    K: Mercer<P>,
{
    let (n, outputs) = (design.points().len(), y.ncols());
    let direct = budget.fits(matrix_bytes::<P::Scalar>(design.count(), n + 3 * outputs));
    if n <= FEW && direct {
        return mixed::fit(design, lambda, y, budget);
    }
    let mut params = ConjugateGradients::new();
    if !direct {
        return fit(design, lambda, y, (&params, budget));
    }
    let learned = {
        let (plan, sizes, factor) = planned(&design, lambda, outputs, budget)?;
        match plan.chosen() {
            RidgeWay::Cholesky => None,
            way => {
                params = params.stored(way == RidgeWay::StoredGradients);
                Some(sizes.learn(&design, y, factor, &params)?)
            }
        }
    };
    match learned {
        Some(found) => {
            Ok((design.into_model(found.alpha.as_ref(), found.intercepts)?, found.report))
        }
        None => mixed::fit(design, lambda, y, budget),
    }
}

/// The plan, and what it has made for it.
pub(in crate::ridge) fn planned<'a, P, K>(
    design: &'a Design<'_, P, K>,
    lambda: f64,
    outputs: usize,
    budget: &MemoryBudget,
) -> Result<(RidgePlan, Sizes, Factor<'a, P>), Error>
where
    P: Points,
    K: Mercer<P>,
{
    let params = ConjugateGradients::new();
    let sizes = Sizes::new(design, lambda, outputs, (&params, budget))?;
    let n = design.points().len();
    let factor = sizes.factor(design, &params, n.div_ceil(SHARE))?;
    let weights = design.weights();
    let prospect = sizes.prospect(weights.as_deref(), n);
    let (rank, iterations) = match &factor {
        Some(factor) => (factor.rank(), prospect.iterations(factor)),
        None => (0, 1.0),
    };
    let columns = outputs + usize::from(design.intercept);
    let double = size_of::<P::Scalar>() == size_of::<f64>();
    let rates = RidgeRates::measure(&design.kernel, design.points())?;
    let ridge = RidgeSizes { points: n, columns, double, rank, iterations };
    Ok((RidgePlan::new(&ridge, &rates, budget)?, sizes, factor))
}

/// What a fit by conjugate gradients may take.
#[derive(Clone, Copy)]
pub(in crate::ridge) struct Sizes {
    lambda: f64,
    /// nλ.
    shift: f64,
    /// The gap that is asked for.
    relative_gap: f64,
    stored: bool,
    /// What is left for a preconditioner, and for stored values.
    left: MemoryBudget,
    for_values: MemoryBudget,
}

impl Sizes {
    fn new<P: Points, K: Mercer<P>>(
        design: &Design<'_, P, K>,
        lambda: f64,
        outputs: usize,
        (params, budget): (&ConjugateGradients, &MemoryBudget),
    ) -> Result<Self, Error> {
        let n = design.points().len();
        let columns = outputs.saturating_add(usize::from(design.intercept));
        let vectors = matrix_bytes::<f64>(n, columns.saturating_mul(VECTORS));
        let what = "kernel ridge by conjugate gradients";
        budget.require(what, vectors, "SGD with Storage::OnTheFly needs none of it")?;
        let for_values = MemoryBudget::bytes(budget.as_bytes() - vectors);
        let packed = Representation::Packed.bytes::<P::Scalar>(n);
        // A preconditioner of rank √n should fit beside.
        let beside = packed.saturating_add(preconditioner::bytes::<P::Scalar>(n, n.isqrt()));
        let stored = params.stored.unwrap_or_else(|| for_values.fits(beside));
        let taken = if stored { packed } else { 0 };
        let left = MemoryBudget::bytes(for_values.as_bytes().saturating_sub(taken));
        let shift = design.count() as f64 * lambda;
        let relative_gap = params.gap::<P::Scalar>();
        Ok(Self { lambda, shift, relative_gap, stored, left, for_values })
    }

    fn prospect<'w>(&self, weights: Option<&'w [f64]>, n: usize) -> Prospect<'w> {
        let value = if self.stored { READ } else { 1.0 };
        let product = 0.5 * value * (n as f64).powi(2);
        Prospect { weights, shift: self.shift, relative_gap: self.relative_gap, product }
    }

    /// The factor for a preconditioner, if any.
    fn factor<'a, P, K>(
        &self,
        design: &'a Design<'_, P, K>,
        params: &ConjugateGradients,
        most: usize,
    ) -> Result<Factor<'a, P>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let n = design.points().len();
        let factor = PivotedCholesky::of_points(&design.kernel, design.points(), params.seed);
        let mut factor = match factor {
            // The kernel is zero on these points: there is nothing to be conditioned.
            Err(kern_approx::Error::NoPositiveEigenvalue { .. }) => return Ok(None),
            factor => factor?,
        };
        if let Some(rank) = params.rank {
            let needed = preconditioner::bytes::<P::Scalar>(n, rank.min(n));
            self.left.require("a preconditioner", needed, "set a smaller rank, or none")?;
            factor.grow(rank)?;
        } else {
            let weights = design.weights();
            let most = preconditioner::most::<P::Scalar>(n, &self.left).min(most);
            self.prospect(weights.as_deref(), n).grow(&mut factor, most)?;
        }
        Ok((factor.rank() > 0).then_some(factor))
    }

    fn learn<P, K>(
        &self,
        design: &Design<'_, P, K>,
        y: MatRef<'_, P::Scalar>,
        factor: Factor<'_, P>,
        params: &ConjugateGradients,
    ) -> Result<Learned<P::Scalar>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let (kernel, points) = (&design.kernel, design.points());
        let lazy = LazyGram::new(kernel, points)?;
        let stored = params.stored.unwrap_or(self.stored);
        let packed =
            stored.then(|| PackedGram::new(kernel, points, &self.for_values)).transpose()?;
        let gram: &dyn GramOperator<_> = match &packed {
            Some(packed) => packed,
            None => &lazy,
        };
        // In double precision what is stored is as good.
        let double = size_of::<P::Scalar>() == size_of::<f64>();
        let weights = design.weights();
        let task = Task {
            gram,
            fresh: if double { gram } else { &lazy },
            witness: &lazy,
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
            Some(preconditioner) => task.learn(&|v| preconditioner.apply(v), params),
            None => task.learn(&Ok, params),
        }
    }
}

/// y of the points that are used.
fn targets<P: Points, K: Mercer<P>>(
    design: &Design<'_, P, K>,
    y: MatRef<'_, P::Scalar>,
) -> Result<Mat<f64>, Error> {
    let mut targets = zeros(design.points().len(), y.ncols())?;
    for k in 0..y.ncols() {
        let column = targets.col_as_slice_mut(k).iter_mut().enumerate();
        column.for_each(|(i, target): (_, &mut f64)| *target = y[(design.index(i), k)].to_f64());
    }
    Ok(targets)
}
