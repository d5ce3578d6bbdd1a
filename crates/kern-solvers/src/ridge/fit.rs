//! The fits of kernel ridge.

use super::{FactoredRidge, KernelRidge, RidgePlan, RidgeSolver, RidgeSpectrum, iterative, mixed};
use crate::design::Design;
use crate::labels::{Encoded, check_targets};
use crate::model::{Classifier, KernelModel, MultiRegressor, Regressor};
use crate::{Error, Label, Report};
use faer::MatRef;
use kern_core::{Mercer, Points, Positive};
use kern_gram::matrix_bytes;

impl<K> KernelRidge<K> {
    /// Learns a function with one output.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets;
    /// [`Error::Weight`] and [`Error::NoWeight`] for the weights;
    /// [`Error::Core`] for λ ≤ 0 or points that the kernel refuses; [`Error::Gram`] if n² numbers
    /// ([`RidgeSolver::Cholesky`]) or a few vectors (all else) exceed the budget; [`Error::Count`] and [`Error::Core`]
    /// for parameters of conjugate gradients; [`Error::NotPositiveDefinite`] or [`Error::Approx`].
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

    /// The factorisation alone: for several targets, leave-one-out residuals, cross-validation and
    /// posterior variances.
    ///
    /// # Errors
    /// As [`KernelRidge::fit`], but for the targets.
    pub fn factor<P>(self, points: &P) -> Result<FactoredRidge<'_, P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let Self { kernel, lambda, intercept, weights, budget, .. } = self;
        let lambda = Positive::new("lambda", lambda)?.get();
        let design = Design::new(kernel, points, weights, intercept)?;
        FactoredRidge::new(design, lambda, &budget.unwrap_or_default())
    }

    /// The eigendecomposition of the kernel matrix, for all λ; the one that was set is not looked at.
    ///
    /// # Errors
    /// As [`KernelRidge::factor`]; [`Error::NoEigenvalues`].
    pub fn decompose<P>(self, points: &P) -> Result<RidgeSpectrum<'_, P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let Self { kernel, intercept, weights, budget, .. } = self;
        let design = Design::new(kernel, points, weights, intercept)?;
        RidgeSpectrum::new(design, &budget.unwrap_or_default())
    }

    /// What [`RidgeSolver::Auto`] would do with these points and so many outputs, and how long each exact way is
    /// predicted to take. Up to 2000 points it does not look at times: what fits is factorised.
    ///
    /// # Complexity
    /// It makes the factor for the preconditioner, of a rank of at most n/8, and measures the kernel on some of
    /// the points ([`RidgeRates::measure`](super::RidgeRates::measure)).
    ///
    /// # Errors
    /// As [`KernelRidge::fit`], but for the targets.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::ridge::KernelRidge;
    /// let x = Samples::from_row_major(1, (0..500).map(|i| f64::from(i) / 500.0).collect())?;
    /// let plan = KernelRidge::new(Rbf::new(1.0)?).plan(&x, 1)?;
    /// println!("{plan}");
    /// assert_eq!(plan.predictions().len(), 3);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn plan<P>(&self, points: &P, outputs: usize) -> Result<RidgePlan, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        let lambda = Positive::new("lambda", self.lambda)?.get();
        let Self { kernel, intercept, weights, budget, .. } = self.clone();
        let design = Design::new(kernel, points, weights, intercept)?;
        Ok(iterative::planned(&design, lambda, outputs, &budget.unwrap_or_default())?.0)
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
        Positive::new("lambda", self.lambda)?;
        check_targets(points.len(), y)?;
        let budget = self.budget.unwrap_or_default();
        if self.solver != RidgeSolver::Cholesky {
            let Self { kernel, lambda, intercept, weights, solver, .. } = self;
            let design = Design::new(kernel, points, weights, intercept)?;
            return match &solver {
                RidgeSolver::ConjugateGradients(params) => {
                    iterative::fit(design, lambda, y, (params, &budget))
                }
                _ => iterative::fit_planned(design, lambda, y, &budget),
            };
        }
        // The kernel matrix, α, what it fits, and what of it the model keeps.
        let n = points.len();
        let needed = matrix_bytes::<P::Scalar>(n, n + 3 * y.ncols());
        let instead = "RidgeSolver::ConjugateGradients needs none of it";
        budget.require("kernel ridge with its dense kernel matrix", needed, instead)?;
        let Self { kernel, lambda, intercept, weights, .. } = self;
        let design = Design::new(kernel, points, weights, intercept)?;
        mixed::fit(design, lambda, y, &budget)
    }
}
