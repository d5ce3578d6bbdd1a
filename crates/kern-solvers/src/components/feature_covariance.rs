//! Principal components of features and of landmarks: eigenvectors of the feature covariance.
//!
//! The covariance comes from sums over the points. Landmarks are treated as Nyström features.

use super::Components;
use super::kernel_pca::{ComponentSpace, Task, significant};
use crate::model::{FeatureExpansion, KernelExpansion};
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Error, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::{FeatureMap, Mercer, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

impl<P: Points, M: FeatureMap<P> + Clone> ComponentSpace<P> for OnFeatures<M> {
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<FeatureExpansion<M, P::Scalar>>, Error> {
        let budget = run.budget();
        Ok(Axes::of(&self.map, task, &budget, run)?.components(self.map.clone()))
    }
}

impl<P: Points, K: Mercer<P> + Clone> ComponentSpace<P> for OnLandmarks<K> {
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<KernelExpansion<P, K>>, Error> {
        let budget = run.budget();
        let map = self.features(task.points, task.weights, run)?;
        let found = Axes::of(&map, task, &budget, run)?;
        let weights = found.weights();
        let function = KernelExpansion::of_landmarks(&map, weights.as_ref())?;
        let offsets = found.offsets(weights.as_ref());
        Ok(found.model(function.with_intercepts(offsets)))
    }
}

/// The mean of features, and the leading eigenpairs of their scatter matrix.
#[derive(Debug)]
pub(crate) struct Axes {
    mean: Vec<f64>,
    values: Vec<f64>,
    vectors: Mat<f64>,
    total: f64,
    weight: f64,
}

impl Axes {
    fn of<P: Points, M: FeatureMap<P>>(
        map: &M,
        task: &Task<'_, P>,
        budget: &MemoryBudget,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        let (dim, n, count) = (map.dim(), task.points.len(), task.settings.components);
        if n == 0 {
            return Err(Error::Empty);
        }
        Error::check_most("the number of components", count, dim)?;
        map.check(task.points)?;
        let needed = NormalEquations::bytes(dim, 1)
            .saturating_add(symmetric_eigen_bytes(dim))
            .saturating_add(matrix_bytes::<P::Scalar>(n, 1));
        budget.require("principal components of features", needed, "take fewer features")?;
        let targets: Mat<P::Scalar> = zeros(n, 1)?;
        let observed = Observed::weighted(targets.as_ref(), task.weights);
        observed.check_fit(n)?;
        let fingerprint = Fingerprint::of("principal components")?;
        let mut sums = NormalEquations::new(dim, 1, fingerprint, budget)?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - needed.min(budget.as_bytes()));
        run.step(0, 2)?;
        sums.absorb(map, task.points, &observed, &rest)?;
        run.step(1, 2)?;
        let found = Self::of_sums(sums, count, P::Scalar::UNIT_ROUNDOFF)?;
        // The fit is complete, so a stop has no effect.
        let _ = run.observe(&Progress::new(2, 2, f64::NAN));
        Ok(found)
    }

    /// Eigenvectors of Σβzzᵀ − Wμμᵀ.
    pub(crate) fn of_sums(
        mut sums: NormalEquations,
        count: usize,
        rounding: f64,
    ) -> Result<Self, Error> {
        let (dim, weight) = (sums.dim(), sums.weight());
        let mean: Vec<f64> = sums.moments().col(0).iter().map(|sum| sum / weight).collect();
        let mut matrix = sums.take_gram()?;
        let mut scatter = matrix.as_mut();
        for j in 0..dim {
            (j..dim).for_each(|i| scatter[(i, j)] -= weight * mean[i] * mean[j]);
        }
        let total: f64 = (0..dim).map(|i| scatter[(i, i)].max(0.0)).sum();
        let (values, all) =
            symmetric_eigen(matrix.as_ref()).ok_or(Error::NoEigenvalues { size: dim })?;
        let values: Vec<f64> = values.into_iter().rev().take(count).collect();
        let largest = values.first().copied().unwrap_or(0.0);
        let count = significant(&values, dim as f64 * rounding * largest)?;
        let vectors = Mat::from_fn(dim, count, |i, p| all[(i, dim - 1 - p)]);
        Ok(Self { mean, values: values[..count].to_vec(), vectors, total, weight })
    }

    /// The directions v_p, and −2μ as the last column.
    fn weights(&self) -> Mat<f64> {
        let count = self.values.len();
        let mut vectors = self.vectors.clone();
        super::leading_eigenvectors::orient(&mut vectors);
        Mat::from_fn(self.mean.len(), count + 1, |i, p| {
            if p < count { vectors[(i, p)] } else { -2.0 * self.mean[i] }
        })
    }

    /// The intercepts −v_pᵀμ, and ‖μ‖² as the last one, for these [`weights`](Axes::weights).
    fn offsets<T: Scalar>(&self, weights: MatRef<'_, f64>) -> Vec<T> {
        let product = |p: usize| -> f64 {
            weights.col(p).iter().zip(&self.mean).map(|(w, mean)| w * mean).sum()
        };
        let count = self.values.len();
        let offset = |p: usize| if p < count { -product(p) } else { -0.5 * product(p) };
        (0..=count).map(|p| T::from_f64(offset(p))).collect()
    }

    /// The components as functions of the features of a map.
    pub(crate) fn components<M, T: Scalar>(&self, map: M) -> Components<FeatureExpansion<M, T>> {
        let weights = self.weights();
        let offsets = self.offsets(weights.as_ref());
        let number = |i, p| T::from_f64(weights[(i, p)]);
        let weights = Mat::from_fn(weights.nrows(), weights.ncols(), number);
        self.model(FeatureExpansion::new(map, weights).with_intercepts(offsets))
    }

    fn model<D>(&self, function: D) -> Components<D> {
        let objective = (self.total - self.values.iter().sum::<f64>()).max(0.0);
        let report = Report::new(Status::Converged, 1, objective, None);
        let (values, residuals) = (self.values.clone(), vec![0.0; self.values.len()]);
        Components::new(function, values, residuals, self.total, self.weight, report)
    }
}
