//! Spectral clustering on features and on landmarks.
//!
//! The embedding comes from the eigenvectors of ΨᵀBD^{−1}Ψ, a sum over the points.

use super::SpectralClusters;
use super::normalised_cut::{SpectralSpace, Task, check_degrees, normalised, report, usable};
use super::spectral_embedding::{bytes, divide};
use crate::components::leading_eigenvectors::orient;
use crate::model::{Decision, FeatureExpansion, KernelExpansion};
use crate::space::{OnFeatures, OnLandmarks};
use crate::{Error, Run, Status};
use faer::{Mat, MatMut};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed, Panels};
use kern_core::{FeatureMap, Mercer, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

impl<P: Points, M: FeatureMap<P> + Clone> SpectralSpace<P> for OnFeatures<M> {
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<FeatureExpansion<M, P::Scalar>>, Error> {
        of_features(&self.map, task, run, |weights| {
            let narrow = kern_core::memory::converted(weights.as_ref())?;
            Ok(FeatureExpansion::new(self.map.clone(), narrow))
        })
    }
}

impl<P: Points, K: Mercer<P> + Clone> SpectralSpace<P> for OnLandmarks<K> {
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<KernelExpansion<P, K>>, Error> {
        let map = self.features(task.points, task.weights, run)?;
        of_features(&map, task, run, |weights| {
            KernelExpansion::of_landmarks(&map, weights.as_ref())
        })
    }
}

/// Clusters points by features; `function` makes the decision function from feature weights.
fn of_features<P: Points, M: FeatureMap<P>, D>(
    map: &M,
    task: &Task<'_, P>,
    run: &mut Run<'_>,
    function: impl FnOnce(Mat<f64>) -> Result<D, Error>,
) -> Result<SpectralClusters<D>, Error> {
    let Task { settings, points, weights } = *task;
    let (dim, n) = (map.dim(), points.len());
    if n == 0 {
        return Err(Error::Empty);
    }
    Error::check_most("the number of clusters", settings.clusters, dim.min(n))?;
    let sums = Sums::new(map, task, &run.budget())?;
    run.step(0, 2)?;
    let all = sums.of_groups(1, |_| 0)?;
    let degrees = evaluate(map, points, &all)?;
    let used = (0..n).filter(|&i| sums.weight(i) > 0.0);
    check_degrees(used.map(|i| (i, degrees[(i, 0)])))?;
    run.step(1, 2)?;
    let (values, vectors) = sums.eigenvectors(&degrees)?;
    let values: Vec<f64> = values.into_iter().rev().take(settings.clusters).collect();
    let count = usable(&values, dim as f64 * P::Scalar::UNIT_ROUNDOFF)?;
    let values = values[..count].to_vec();
    let mut chosen = Mat::from_fn(dim, count, |j, p| vectors[(j, dim - 1 - p)]);
    orient(&mut chosen);
    // Eigenvectors q_p/√λ_p, and Σβψ for the degree.
    let of_function = Mat::from_fn(dim, count + 1, |j, p| match p < count {
        true => chosen[(j, p)] / values[p].sqrt(),
        false => all[(j, 0)],
    });
    let embedded = evaluate(map, points, &of_function)?;
    let divided = divide(embedded.as_ref(), weights, settings, run)?;
    let groups = sums.of_groups(settings.clusters, |i| divided.labels[i])?;
    let square = |c: usize| groups.col(c).iter().map(|sum| sum * sum).sum::<f64>();
    let within: Vec<f64> = (0..settings.clusters).map(square).collect();
    let mut volumes = vec![0.0; settings.clusters];
    (0..n).for_each(|i| volumes[divided.labels[i]] += sums.weight(i) * degrees[(i, 0)]);
    let cut = normalised(&within, &volumes);
    let report = report(cut, &values, settings.clusters, 1, Status::Converged, divided.status);
    Ok(SpectralClusters::new(
        function(of_function)?,
        settings.normalize,
        divided.centres,
        divided.labels,
        values,
        vec![0.0; count],
        report,
    ))
}

/// Values of linear functions of the features, in double precision.
fn evaluate<P: Points, M: FeatureMap<P>>(
    map: &M,
    points: &P,
    weights: &Mat<f64>,
) -> Result<Mat<f64>, Error> {
    let narrow = kern_core::memory::converted(weights.as_ref())?;
    let values = FeatureExpansion::new(map, narrow).decide(points)?;
    Ok(kern_core::memory::converted(values.as_ref())?)
}

/// Sums over weighted points.
struct Sums<'s, P, M> {
    map: &'s M,
    points: &'s P,
    weights: Option<&'s [f64]>,
    /// The memory that remains besides the sums.
    rest: MemoryBudget,
    sums: MemoryBudget,
}

impl<'s, P: Points, M: FeatureMap<P>> Sums<'s, P, M> {
    fn new(map: &'s M, task: &Task<'s, P>, budget: &MemoryBudget) -> Result<Self, Error> {
        let (dim, n, k) = (map.dim(), task.points.len(), task.settings.clusters);
        map.check(task.points)?;
        let needed = NormalEquations::bytes(dim, 1)
            .saturating_add(symmetric_eigen_bytes(dim))
            .saturating_add(matrix_bytes::<f64>(dim, 3 * k + 3))
            .saturating_add(matrix_bytes::<f64>(n, 2 * k + 4))
            .max(bytes(n, k).saturating_add(matrix_bytes::<f64>(dim, 3 * k + 3)));
        budget.require("spectral clustering on features", needed, "take fewer features")?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
        Ok(Self { map, points: task.points, weights: task.weights, rest, sums: *budget })
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// Σβψ over the points of each group.
    fn of_groups(&self, groups: usize, group: impl Fn(usize) -> usize) -> Result<Mat<f64>, Error> {
        let mut sums: Mat<f64> = zeros(self.map.dim(), groups)?;
        let mut panels = Panels::new(self.map, self.points, &self.rest)?;
        panels.for_each(|range, panel: MatMut<'_, P::Scalar>| {
            for (column, i) in panel.as_ref().col_iter().zip(range) {
                let weight = self.weight(i);
                let sum = sums.col_as_slice_mut(group(i)).iter_mut();
                sum.zip(column.iter()).for_each(|(sum, z)| *sum += weight * z.to_f64());
            }
            Ok(())
        })?;
        Ok(sums)
    }

    /// The eigenvalues in ascending order, and the eigenvectors, of Σ(β/d)ψψᵀ.
    fn eigenvectors(&self, degrees: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
        let (dim, n) = (self.map.dim(), self.points.len());
        let weight = |i: usize| match self.weight(i) {
            0.0 => 0.0,
            weight => weight / degrees[(i, 0)],
        };
        let weights: Vec<f64> = (0..n).map(weight).collect();
        let targets: Mat<P::Scalar> = zeros(n, 1)?;
        let observed = Observed::new(targets.as_ref()).weights(&weights);
        observed.check_fit(n)?;
        let fingerprint = Fingerprint::of("spectral clusters")?;
        let mut sums = NormalEquations::new(dim, 1, fingerprint, &self.sums)?;
        sums.absorb(self.map, self.points, &observed, &self.rest)?;
        let matrix = sums.take_gram()?;
        symmetric_eigen(matrix.as_ref()).ok_or(Error::NoEigenvalues { size: dim })
    }
}
