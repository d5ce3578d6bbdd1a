//! Kernel ridge on points by conjugate gradients.

use super::ConjugateGradients;
use super::iterate::{Learned, Task};
use super::preconditioner::{self, Preconditioner, Prospect};
use crate::design::Design;
use crate::model::KernelModel;
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
    let learned = learn(&design, lambda, y, (params, budget))?;
    Ok((design.into_model(learned.alpha.as_ref(), learned.intercepts)?, learned.report))
}

/// The memory for vectors.
fn vector_bytes(n: usize, outputs: usize, intercept: bool) -> u64 {
    let columns = outputs.saturating_add(usize::from(intercept));
    matrix_bytes::<f64>(n, columns.saturating_mul(VECTORS))
}

fn learn<P, K>(
    design: &Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    (params, budget): (&ConjugateGradients, &MemoryBudget),
) -> Result<Learned<P::Scalar>, Error>
where
    P: Points,
    K: Mercer<P>,
{
    let (kernel, points) = (&design.kernel, design.points());
    let n = points.len();
    let vectors = vector_bytes(n, y.ncols(), design.intercept);
    let what = "kernel ridge by conjugate gradients";
    budget.require(what, vectors, "SGD with Storage::OnTheFly needs none of it")?;
    let mut left = MemoryBudget::bytes(budget.as_bytes() - vectors);
    let lazy = LazyGram::new(kernel, points)?;
    let packed = Representation::Packed.bytes::<P::Scalar>(n);
    // A preconditioner of rank √n should fit beside.
    let beside = packed.saturating_add(preconditioner::bytes::<P::Scalar>(n, n.isqrt()));
    let stored = if params.stored.unwrap_or_else(|| left.fits(beside)) {
        let gram = PackedGram::new(kernel, points, &left)?;
        left = MemoryBudget::bytes(left.as_bytes() - packed);
        Some(gram)
    } else {
        None
    };
    let value = if stored.is_some() { READ } else { 1.0 };
    let gram: &dyn GramOperator<_> = match &stored {
        Some(packed) => packed,
        None => &lazy,
    };
    // In double precision what is stored is as good.
    let double = size_of::<P::Scalar>() == size_of::<f64>();
    let fresh: &dyn GramOperator<_> = if double { gram } else { &lazy };
    let weights: Option<Vec<f64>> =
        design.roots().map(|_| (0..n).map(|i| design.weight(i)).collect());
    let roots = weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect());
    let (targets, count) = (targets(design, y)?, design.count());
    let intercept = design.intercept;
    let witness = &lazy;
    let task = Task { gram, fresh, witness, targets, weights, roots, count, lambda, intercept };
    let factor = factor(kernel, points, &task, (params, &left, value))?;
    let preconditioner = match factor {
        Some(factor) => Some(Preconditioner::new(factor, task.roots.as_deref(), task.shift())?),
        None => None,
    };
    task.learn(preconditioner.as_ref(), params)
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

/// The factor for a preconditioner, if any.
fn factor<'a, P, K>(
    kernel: &'a K,
    points: &'a P,
    task: &Task<'_, P::Scalar>,
    (params, budget, value): (&ConjugateGradients, &MemoryBudget, f64),
) -> Result<Option<PivotedCholesky<'a, P::Scalar>>, Error>
where
    P: Points,
    K: Mercer<P>,
{
    let n = points.len();
    let mut factor = match PivotedCholesky::of_points(kernel, points, params.seed) {
        // The kernel is zero on these points: there is nothing to be conditioned.
        Err(kern_approx::Error::NoPositiveEigenvalue { .. }) => return Ok(None),
        factor => factor?,
    };
    if let Some(rank) = params.rank {
        let needed = preconditioner::bytes::<P::Scalar>(n, rank.min(n));
        budget.require("a preconditioner", needed, "set a smaller rank, or none")?;
        factor.grow(rank)?;
    } else {
        let prospect = Prospect {
            weights: task.weights.as_deref(),
            shift: task.shift(),
            relative_gap: params.gap::<P::Scalar>(),
            product: 0.5 * value * (n as f64).powi(2),
        };
        prospect.grow(&mut factor, preconditioner::most::<P::Scalar>(n, budget))?;
    }
    Ok((factor.rank() > 0).then_some(factor))
}
