//! Spectral clusters on a kernel.

use super::SpectralClusters;
use super::embedding::{bytes, divide, nearest, row};
use super::fit::{SpectralSpace, Task, check_degrees, usable};
use crate::components::eigen::{Found, gram, greatest, orient, residual, residuals};
use crate::components::krylov::{Operator, Search};
use crate::design::Design;
use crate::model::{Decision, KernelExpansion};
use crate::space::OnKernel;
use crate::{Error, Report, Run, Status};
use faer::{Mat, MatMut, MatRef};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{GramOperator, Rows, zeros};

impl<P: Points, K: Mercer<P> + Clone> SpectralSpace<P> for OnKernel<K> {
    fn cut(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<SpectralClusters<KernelExpansion<P, K>>, Error> {
        let Task { settings, points: all, weights } = *task;
        let design = Design::new((), all, weights.map(<[f64]>::to_vec), false)?;
        let (kernel, points) = (&self.kernel, design.points());
        kernel.check(points)?;
        let n = points.len();
        Error::check_most("the number of clusters", settings.clusters, n)?;
        let search = Search {
            size: n,
            count: settings.clusters,
            tolerance: residual::<P::Scalar>(settings.tolerance),
            max_iterations: settings.max_iterations,
            seed: settings.seed,
        };
        let reserved = bytes(n, settings.clusters);
        let (gram, left) = gram((kernel, points), (&search, reserved), run)?;
        let graph = Graph::new(&*gram, &design, settings.loops)?;
        let mut found = greatest(&search, &graph, run)?;
        let count = usable(&found.values, n as f64 * P::Scalar::UNIT_ROUNDOFF)?;
        found.values.truncate(count);
        found.vectors.resize_with(n, count, |_, _| P::Scalar::ZERO);
        orient(&mut found.vectors);
        let residuals = residuals(&found, &graph)?;
        let values = graph.values(&found)?;
        let divided =
            divide(values.as_ref(), design.weights().as_deref(), settings, &mut run.part(left))?;
        let cut = graph.cut(&divided.labels, settings.clusters)?;
        let function =
            KernelExpansion::new(kernel.clone(), points, graph.coefficients(&found)?.as_ref())?;
        let report = report(
            cut,
            (&found.values, settings.clusters),
            found.iterations,
            [found.status, divided.status],
        );
        let labels = match n == all.len() {
            true => divided.labels,
            // Points of weight zero have a cluster, too.
            false => {
                let values = function.decide(all)?;
                let mut of_point = vec![0.0; count];
                let cluster = |i: usize| {
                    row(values.as_ref(), i, settings.normalize, &mut of_point);
                    nearest(&of_point, &divided.centres)
                };
                let mut labels: Vec<usize> = (0..all.len()).map(cluster).collect();
                divided.labels.iter().enumerate().for_each(|(i, &l)| labels[design.index(i)] = l);
                labels
            }
        };
        let evidence = (found.values, residuals);
        let centres = (divided.centres, labels);
        Ok(SpectralClusters::new((function, settings.normalize), centres, evidence, report))
    }
}

/// The report of a cut, by the eigenvalues that bound it and the ends of both iterations.
pub(super) fn report(
    cut: f64,
    (eigenvalues, clusters): (&[f64], usize),
    iterations: usize,
    [of_vectors, of_clusters]: [Status; 2],
) -> Report {
    let converged = of_vectors == Status::Converged;
    // Without all of the greatest eigenvalues there is no bound; rounding may leave less than nothing.
    let bound = clusters as f64 - eigenvalues.iter().sum::<f64>();
    let gap = converged.then(|| (cut - bound).max(0.0));
    Report::new(if converged { of_clusters } else { of_vectors }, iterations, cut, gap)
}

/// The weighted points as a graph, with the kernel values between them.
struct Graph<'g, P: Points> {
    gram: &'g dyn GramOperator<P::Scalar>,
    design: &'g Design<'g, P, ()>,
    /// d.
    degrees: Vec<f64>,
    /// √(βᵢ/dᵢ).
    roots: Vec<P::Scalar>,
    /// The diagonal of K, if it counts as zero.
    own: Option<Vec<P::Scalar>>,
}

impl<'g, P: Points> Graph<'g, P> {
    fn new(
        gram: &'g dyn GramOperator<P::Scalar>,
        design: &'g Design<'g, P, ()>,
        loops: bool,
    ) -> Result<Self, Error> {
        let n = gram.size();
        let own = (!loops).then(|| gram.diag());
        let mut graph = Self { gram, design, degrees: Vec::new(), roots: Vec::new(), own };
        let mut weights: Mat<P::Scalar> = zeros(n, 1)?;
        let column = weights.col_as_slice_mut(0).iter_mut().enumerate();
        column.for_each(|(i, weight)| *weight = P::Scalar::from_f64(design.weight(i)));
        let mut sums: Mat<P::Scalar> = zeros(n, 1)?;
        graph.product(weights.as_ref(), sums.as_mut())?;
        graph.degrees = sums.col(0).iter().map(|sum| sum.to_f64()).collect();
        let degrees = graph.degrees.iter().enumerate();
        check_degrees(degrees.map(|(i, &degree)| (design.index(i), degree)))?;
        let root = |i: usize| P::Scalar::from_f64((design.weight(i) / graph.degrees[i]).sqrt());
        graph.roots = (0..n).map(root).collect();
        Ok(graph)
    }

    /// KV, without the diagonal if that counts as zero.
    fn product(
        &self,
        v: MatRef<'_, P::Scalar>,
        mut out: MatMut<'_, P::Scalar>,
    ) -> Result<(), Error> {
        self.gram.apply_into(v, out.as_mut())?;
        let Some(own) = &self.own else { return Ok(()) };
        for (out, v) in out.col_iter_mut().zip(v.col_iter()) {
            for ((out, &v), &own) in out.iter_mut().zip(v.iter()).zip(own) {
                *out -= own * v;
            }
        }
        Ok(())
    }

    /// V ← diag(√(βᵢ/dᵢ))V.
    fn scale(&self, v: MatMut<'_, P::Scalar>) {
        for column in v.col_iter_mut() {
            column.iter_mut().zip(&self.roots).for_each(|(v, &root)| *v *= root);
        }
    }

    /// u_p(xᵢ)√dᵢ, and dᵢ as the last column.
    fn values(&self, found: &Found<P::Scalar>) -> Result<Mat<f64>, Error> {
        let (n, count) = found.vectors.shape();
        let mut values = zeros(n, count + 1)?;
        for p in 0..count {
            for (i, value) in values.col_as_slice_mut(p).iter_mut().enumerate() {
                // Eigenvectors of N are √βᵢu(xᵢ).
                let u = found.vectors[(i, p)].to_f64() / self.design.weight(i).sqrt();
                *value = u * self.degrees[i].sqrt();
            }
        }
        values.col_as_slice_mut(count).copy_from_slice(&self.degrees);
        Ok(values)
    }

    /// The coefficients of these functions.
    fn coefficients(&self, found: &Found<P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        let (n, count) = found.vectors.shape();
        let mut coefficients: Mat<P::Scalar> = zeros(n, count + 1)?;
        for (p, value) in found.values.iter().enumerate() {
            let scale = P::Scalar::from_f64(1.0 / value);
            for (i, c) in coefficients.col_as_slice_mut(p).iter_mut().enumerate() {
                *c = scale * self.roots[i] * found.vectors[(i, p)];
            }
        }
        let of_degrees = coefficients.col_as_slice_mut(count).iter_mut().enumerate();
        of_degrees.for_each(|(i, c)| *c = P::Scalar::from_f64(self.design.weight(i)));
        Ok(coefficients)
    }

    /// The normalised cut of clusters.
    fn cut(&self, labels: &[usize], clusters: usize) -> Result<f64, Error> {
        let n = labels.len();
        let (mut members, mut sums): (Mat<P::Scalar>, Mat<P::Scalar>) =
            (zeros(n, clusters)?, zeros(n, clusters)?);
        for (i, &label) in labels.iter().enumerate() {
            members[(i, label)] = P::Scalar::from_f64(self.design.weight(i));
        }
        self.product(members.as_ref(), sums.as_mut())?;
        let (mut within, mut volumes) = (vec![0.0; clusters], vec![0.0; clusters]);
        for (i, &label) in labels.iter().enumerate() {
            let weight = self.design.weight(i);
            within[label] += weight * sums[(i, label)].to_f64();
            volumes[label] += weight * self.degrees[i];
        }
        Ok(normalised(&within, &volumes))
    }
}

impl<T: Scalar, P: Points<Scalar = T>> Operator<T> for Graph<'_, P> {
    /// NV.
    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut scaled: Mat<T> = zeros(v.nrows(), v.ncols())?;
        scaled.copy_from(v);
        self.scale(scaled.as_mut());
        self.product(scaled.as_ref(), out.as_mut())?;
        self.scale(out);
        Ok(())
    }

    /// Columns with the diagonal and without their own factors.
    fn columns(&self, indices: &[usize], mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.submatrix_into(Rows::All, indices, out.as_mut())?;
        self.scale(out);
        Ok(())
    }
}

/// Σ_c (1 − within/volume); an empty cluster keeps nothing.
pub(super) fn normalised(within: &[f64], volumes: &[f64]) -> f64 {
    let pairs = within.iter().zip(volumes);
    pairs.map(|(within, volume)| if *volume > 0.0 { 1.0 - within / volume } else { 1.0 }).sum()
}
