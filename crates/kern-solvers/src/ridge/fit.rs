//! The fit of kernel ridge: K + nλI = LLᵀ, two triangular solves, and the certificate.

use super::KernelRidge;
use crate::labels::{Encoded, check_targets};
use crate::model::{Classifier, KernelModel, MultiRegressor, Regressor};
use crate::{Error, Label, Report, Status};
use dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt;
use faer::{Mat, MatRef, Par};
use kern_core::memory::LargeMat;
use kern_core::{Mercer, Points, Positive, Scalar};
use kern_gram::{DenseGram, GramOperator, LazyGram, matrix_bytes, parallelism, zeros};

impl<K> KernelRidge<K> {
    /// Learns a function with one output.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets;
    /// [`Error::Core`] for λ ≤ 0 or points that the kernel refuses; [`Error::Gram`] if n² numbers
    /// exceed the budget; [`Error::NotPositiveDefinite`].
    pub fn fit<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<Regressor<KernelModel<P, K>>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.solve(points, y)?;
        Ok(Regressor::new(model, report))
    }

    /// Learns a function with several outputs, from one factorisation. `targets` is
    /// points × outputs.
    ///
    /// # Errors
    /// As [`KernelRidge::fit`].
    pub fn fit_outputs<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<MultiRegressor<KernelModel<P, K>>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let (model, report) = self.solve(points, targets)?;
        Ok(MultiRegressor::new(model, report))
    }

    /// Learns a classifier: ±1 targets, each class against the rest, from one factorisation.
    ///
    /// # Errors
    /// As [`KernelRidge::fit`], and [`Error::OneClass`].
    pub fn fit_classifier<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<Classifier<KernelModel<P, K>, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let signs = labels.signs(&self.budget.unwrap_or_default())?;
        let (model, report) = self.solve(points, signs.as_ref())?;
        Ok(Classifier::new(model, labels.classes, report))
    }

    fn solve<P>(
        self,
        points: &P,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelModel<P, K>, Report), Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let Self { kernel, lambda, budget } = self;
        let lambda = Positive::new("lambda", lambda)?.get();
        check_targets(points.len(), y)?;
        // The kernel matrix, α, what it fits, and what of it the model keeps.
        let (n, budget) = (points.len(), budget.unwrap_or_default());
        let needed = matrix_bytes::<P::Scalar>(n, n + 3 * y.ncols());
        let instead = "SGD with Storage::OnTheFly needs none of it";
        budget.require("kernel ridge with its dense kernel matrix", needed, instead)?;
        let gram = DenseGram::new(&kernel, points, &budget)?.into_matrix();
        let alpha = Factor::new(gram, n as f64 * lambda)?.solve(y)?;
        let fitted = LazyGram::new(&kernel, points)?.apply(alpha.as_ref())?;
        let report = certify(alpha.as_ref(), fitted.as_ref(), y, lambda);
        Ok((KernelModel::new(kernel, points, alpha.as_ref())?, report))
    }
}

/// The Cholesky factor of K + shift·I, in the lower triangle.
struct Factor<T: Scalar> {
    lower: LargeMat<T>,
}

impl<T: Scalar> Factor<T> {
    fn new(mut matrix: LargeMat<T>, shift: f64) -> Result<Self, Error> {
        let mut gram = matrix.as_mut();
        let n = gram.nrows();
        for i in 0..n {
            gram[(i, i)] += T::from_f64(shift);
        }
        let par = parallelism();
        let scratch = llt::factor::cholesky_in_place_scratch::<T>(n, par, Default::default());
        let mut memory = workspace(scratch)?;
        llt::factor::cholesky_in_place(
            gram,
            Default::default(),
            par,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|error| match error {
            llt::factor::LltError::NonPositivePivot { index } => {
                Error::NotPositiveDefinite { shift, pivot: index }
            }
        })?;
        Ok(Self { lower: matrix })
    }

    fn solve(&self, y: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let (n, outputs) = y.shape();
        let mut alpha = zeros(n, outputs)?;
        alpha.copy_from(y);
        // On one thread: in parallel, sums of few columns are split and their bits vary.
        let scratch = llt::solve::solve_in_place_scratch::<T>(n, outputs, Par::Seq);
        let mut memory = workspace(scratch)?;
        let stack = MemStack::new(&mut memory);
        llt::solve::solve_in_place(self.lower.as_ref(), alpha.as_mut(), Par::Seq, stack);
        Ok(alpha)
    }
}

fn workspace(needed: StackReq) -> Result<MemBuffer, Error> {
    let refused = |_| kern_core::Error::Allocation { bytes: needed.size_bytes() as u64 };
    Ok(MemBuffer::try_new(needed).map_err(refused)?)
}

/// The objective J and its duality gap, which is exactly ‖y − (K + nλI)α‖²/n. `fitted` is K·α of
/// freshly computed kernel values, so the certificate does not rest on the factorisation.
fn certify<T: Scalar>(
    alpha: MatRef<'_, T>,
    fitted: MatRef<'_, T>,
    y: MatRef<'_, T>,
    lambda: f64,
) -> Report {
    let n = y.nrows() as f64;
    let (mut loss, mut norm, mut gap) = (0.0, 0.0, 0.0);
    for j in 0..y.ncols() {
        for i in 0..y.nrows() {
            let (a, f) = (alpha[(i, j)].to_f64(), fitted[(i, j)].to_f64());
            let residual = y[(i, j)].to_f64() - f;
            loss += residual * residual / n;
            norm += a * f;
            gap += (residual - n * lambda * a).powi(2) / n;
        }
    }
    let objective = loss + lambda * norm;
    Report { status: Status::Converged, iterations: 1, objective, gap: Some(gap) }
}
