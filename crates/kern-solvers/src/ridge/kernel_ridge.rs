//! Kernel ridge regression: the choice of a solver, and the factorisations of one kernel matrix.

use super::ridge_regression::{RidgeSpace, Task};
use super::ridge_task::{Means, sizes_of};
use super::{
    FactoredRidge, Ridge, RidgeSolver, RidgeSpectrum, RidgeTask, gradients_or_factor,
    mixed_precision,
};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Machine, Plan};
use crate::space::OnKernel;
use crate::{Data, Error, Report, Run, Targets};
use faer::MatRef;
use kern_core::{Kernel, Mercer, Points, compiled_once};
use kern_gram::matrix_bytes;

impl<P: Points, K: Mercer<P> + Clone> RidgeSpace<P> for OnKernel<K> {
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let (function, report) = solve(&self.kernel, task, run)?;
        Ok((function.with_kernel(self.kernel.clone()).answering(task.points)?, report))
    }
}

/// The fit; the caller adds the kernel to the function.
#[compiled_once]
fn solve<P: Points>(
    kernel: &dyn Mercer<P>,
    task: &Task<'_, P>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let Task { settings, lambda, targets: y, .. } = *task;
    let (means, design) = (Means::new(settings, run), task.design(kernel)?);
    let (function, report) = match settings.solver {
        RidgeSolver::Auto => gradients_or_factor::fit_planned(design, lambda, y, &means, run),
        RidgeSolver::ConjugateGradients => gradients_or_factor::fit(design, lambda, y, &means, run),
        RidgeSolver::Cholesky => factorise(design, lambda, y, &means, run),
    }?;
    Ok((function.with_kernel(()), report))
}

/// By Cholesky factorisation.
pub(super) fn factorise<P: Points, K: Mercer<P>>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    means: &Means<'_>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, K>, Report), Error> {
    // The kernel matrix, α, its fitted values, and the part of α that the model keeps.
    let n = design.count();
    let needed = matrix_bytes::<P::Scalar>(n, n + 3 * y.ncols());
    let instead = "RidgeSolver::ConjugateGradients needs none of it";
    means.budget.require("kernel ridge with its dense kernel matrix", needed, instead)?;
    means.check(&design, &sizes_of(&design, y.ncols()), &[Algorithm::Cholesky])?;
    mixed_precision::fit(design, lambda, y, &means.budget, None, run)
}

impl<P: Points> Task<'_, P> {
    /// The problem without its targets.
    pub(super) fn design<K: Kernel<P>>(&self, kernel: K) -> Result<Design<'_, P, K>, Error> {
        let weights = self.weights.map(<[f64]>::to_vec);
        Design::new(kernel, self.points, weights, self.settings.intercept)
    }
}

impl<K> Ridge<OnKernel<K>> {
    pub(super) fn design<'p, P, Y>(
        &self,
        data: &'p Data<'_, P, Y>,
    ) -> Result<Design<'p, P, K>, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P> + Clone,
    {
        let weights = data.sample_weights().map(<[f64]>::to_vec);
        let (kernel, intercept) = (self.space.kernel.clone(), self.settings.intercept);
        Design::new(kernel, data.points(), weights, intercept)
    }

    /// The factorisation alone, for several targets, leave-one-out residuals, cross-validation and
    /// posterior variances. Targets in the data are ignored.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn).
    pub fn factor<'p, P, Y>(
        &self,
        data: &'p Data<'_, P, Y>,
        run: &Run<'_>,
    ) -> Result<FactoredRidge<'p, P, K>, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P> + Clone,
    {
        let lambda = self.settings.checked()?;
        let (design, means) = (self.design(data)?, Means::new(&self.settings, run));
        means.check(&design, &sizes_of(&design, 1), &[Algorithm::Cholesky])?;
        FactoredRidge::new(design, lambda, &means.budget, None)
    }

    /// The eigendecomposition of the kernel matrix, for all λ. The λ that was set and the targets
    /// in the data are ignored.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn); [`Error::NoEigenvalues`].
    pub fn decompose<'p, P, Y>(
        &self,
        data: &'p Data<'_, P, Y>,
        run: &Run<'_>,
    ) -> Result<RidgeSpectrum<'p, P, K>, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P> + Clone,
    {
        let (design, means) = (self.design(data)?, Means::new(&self.settings, run));
        let task = sizes_of(&design, 1);
        means.check_efforts(&design, &task, &[task.eigenvalues()])?;
        RidgeSpectrum::new(design, &means.budget)
    }

    /// The plan that [`RidgeSolver::Auto`] follows for these points and this number of outputs,
    /// with the counted work of each exact algorithm on [`Machine::NOMINAL`]. Up to 2000 points
    /// nothing is planned: a matrix that fits is factorised.
    ///
    /// # Complexity
    /// Computes the factor for the preconditioner, of a rank of at most n/8.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::{Data, Run, ridge::Ridge};
    /// let x = Samples::from_row_major(1, (0..500).map(|i| f64::from(i) / 500.0).collect())?;
    /// let plan = Ridge::on_kernel(Rbf::new(1.0)?).plan(&Data::unlabelled(&x)?, 1, &Run::new())?;
    /// println!("{plan}");
    /// assert_eq!(plan.predictions().len(), 3);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn plan<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        outputs: usize,
        run: &Run<'_>,
    ) -> Result<Plan, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P> + Clone,
    {
        self.task(data, outputs, run)?.plan(&run.budget(), &Machine::NOMINAL)
    }

    /// The sizes of this problem, with the preconditioner of conjugate gradients and the predicted
    /// number of iterations: the input of [`plan`](Ridge::plan), for predictions on other machines.
    ///
    /// # Complexity
    /// As [`plan`](Ridge::plan).
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_gram::MemoryBudget;
    /// use kern_solvers::{Data, Run, plan::Machine, ridge::Ridge};
    /// let x = Samples::from_row_major(1, (0..500).map(|i| f64::from(i) / 500.0).collect())?;
    /// let task = Ridge::on_kernel(Rbf::new(1.0)?).task(&Data::unlabelled(&x)?, 1, &Run::new())?;
    /// println!("{}", task.plan(&MemoryBudget::available(), Machine::current()?.as_ref())?);
    /// assert!(task.rank() <= 63 && task.iterations() >= 1.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn task<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        outputs: usize,
        run: &Run<'_>,
    ) -> Result<RidgeTask, Error>
    where
        P: Points,
        Y: Targets,
        K: Mercer<P> + Clone,
    {
        let lambda = self.settings.checked()?;
        let (design, means) = (self.design(data)?, Means::new(&self.settings, run));
        Ok(gradients_or_factor::planned(&design, lambda, outputs, &means)?.task)
    }
}
