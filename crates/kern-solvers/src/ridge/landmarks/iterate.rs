//! Runs of conjugate gradients, each from a residual that is computed afresh.

use crate::ridge::feature::certificate::Residuals;
use crate::ridge::feature::solution::Problem;
use crate::tolerance::{CG_RUN, CG_SHARE, CG_STALL};
use crate::{Error, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_approx::landmarks::passes::{Pass, Passes};
use kern_approx::landmarks::whitening::Whitening;
use kern_approx::statistics::Observed;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::add;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::numerics::conjugate::{Conjugate, Operator, dot};
use kern_gram::zeros;

/// The problem in the weights w of the features.
pub(super) struct Iteration<'a, P: Points, K> {
    pub(super) passes: Passes<'a, P, K>,
    pub(super) whitening: Whitening,
    pub(super) factor: Cholesky<f64>,
    pub(super) observed: Observed<'a, P::Scalar>,
    pub(super) problem: Problem,
    /// n and W.
    pub(super) count: f64,
    pub(super) weight: f64,
}

/// The evidence of a pass about a function.
struct Evidence {
    report: Report,
    /// n times half the negative gradient.
    residual: Mat<f64>,
    /// s = ZB1, zero if there is no intercept.
    feature_sums: Mat<f64>,
    /// ρ = Σβr of each output.
    sums: Vec<f64>,
}

/// The result of a fit.
pub(super) struct Learned<T: Scalar> {
    pub(super) coefficients: Mat<T>,
    pub(super) intercepts: Vec<T>,
    pub(super) report: Report,
}

impl<P: Points, K: Kernel<P>> Iteration<'_, P, K> {
    /// Iterates until the relative gap is small enough.
    pub(super) fn learn(
        &self,
        relative_gap: f64,
        most: usize,
        run: &mut Run<'_>,
    ) -> Result<Learned<P::Scalar>, Error> {
        let outputs = self.observed.outputs();
        let mut w = zeros(self.factor.size(), outputs)?;
        let mut intercepts = vec![0.0; outputs];
        let (mut iterations, mut last) = (0, f64::INFINITY);
        loop {
            let coefficients = self.whitening.coefficients::<P::Scalar>(w.as_ref())?;
            let rounded: Vec<_> = intercepts.iter().map(|&b| P::Scalar::from_f64(b)).collect();
            let evidence = self.evidence(w.as_ref(), coefficients.as_ref(), &rounded)?;
            let gap = evidence.report.gap.unwrap_or(f64::INFINITY);
            let goal = relative_gap * evidence.report.objective;
            let loss = evidence.report.objective;
            let progress = Progress { iteration: iterations, total: most, loss };
            let status = if gap <= goal {
                Some(Status::Converged)
            } else if iterations >= most {
                Some(Status::IterationsDone)
            } else if gap >= last * CG_STALL {
                Some(Status::Stalled)
            } else if run.observe(&progress).is_break() {
                Some(Status::Stopped)
            } else {
                None
            };
            if let Some(status) = status {
                let report = Report { status, iterations, ..evidence.report.clone() };
                return Ok(Learned { coefficients, intercepts: rounded, report });
            }
            last = gap;
            let limit = (CG_SHARE * goal / outputs as f64, CG_RUN.min(most - iterations));
            let (step, taken) = self.correct(&evidence, limit)?;
            iterations += taken.max(1);
            if self.problem.intercept {
                let feature_sums = evidence.feature_sums.col_as_slice(0);
                for (k, intercept) in intercepts.iter_mut().enumerate() {
                    let moved = dot(feature_sums, step.col_as_slice(k));
                    *intercept += (evidence.sums[k] - moved) / self.weight;
                }
            }
            w += step;
        }
    }

    /// A step that leaves this gap in each output, if `most` iterations are enough. The gap is ‖g‖²/λ, n·g the
    /// residual.
    fn correct(
        &self,
        evidence: &Evidence,
        (gap, most): (f64, usize),
    ) -> Result<(Mat<f64>, usize), Error> {
        let product = |v: &Mat<f64>| self.product(v, &evidence.feature_sums);
        let precondition = |mut v: Mat<f64>| {
            self.factor.solve_in_place(v.as_mut());
            Ok(v)
        };
        let operator = Operator { product: &product, precondition: &precondition };
        let enough = gap * self.problem.lambda * self.count * self.count;
        let mut iterates = Conjugate::new(evidence.residual.clone())?;
        let taken = iterates.advance(&operator, most, &|_, square, _| square > enough)?;
        Ok((iterates.into_solution(), taken))
    }

    /// (ZBZᵀ − ssᵀ/W + nλI)v.
    fn product(&self, v: &Mat<f64>, feature_sums: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let coefficients = self.whitening.coefficients::<P::Scalar>(v.as_ref())?;
        let means: Vec<P::Scalar> = (0..v.ncols())
            .map(|k| {
                let pairs = feature_sums.col_as_slice(0).iter().zip(v.col_as_slice(k));
                P::Scalar::from_f64(pairs.map(|(s, v)| s * v).sum::<f64>() / self.weight)
            })
            .collect();
        let pass = Pass {
            coefficients: coefficients.as_ref(),
            columns: v.ncols(),
            scalars: 0,
            middle: &|range, t, mut right, _| {
                for (k, &mean) in means.iter().enumerate() {
                    for (row, i) in range.clone().enumerate() {
                        let weight = P::Scalar::from_f64(self.observed.weight(i));
                        right[(row, k)] = weight * (t[(row, k)] - mean);
                    }
                }
            },
        };
        let mut out = self.whitening.features(self.passes.run(&pass)?.products)?;
        let shift = self.count * self.problem.lambda;
        add(&mut out, shift, v.as_ref());
        Ok(out)
    }

    /// The residuals of f, and what follows from them.
    fn evidence(
        &self,
        w: MatRef<'_, f64>,
        coefficients: MatRef<'_, P::Scalar>,
        intercepts: &[P::Scalar],
    ) -> Result<Evidence, Error> {
        let outputs = intercepts.len();
        let pass = Pass {
            coefficients,
            columns: 1 + outputs,
            scalars: 1 + outputs,
            middle: &|range, t, mut right, scalars| {
                for (row, i) in range.enumerate() {
                    let weight = self.observed.weight(i);
                    right[(row, 0)] = P::Scalar::from_f64(weight);
                    for (k, b) in intercepts.iter().enumerate() {
                        let f = t[(row, k)].to_f64() + b.to_f64();
                        let residual = self.observed.targets()[(i, k)].to_f64() - f;
                        right[(row, 1 + k)] = P::Scalar::from_f64(weight * residual);
                        scalars[0] += weight * residual * residual;
                        scalars[1 + k] += weight * residual;
                    }
                }
            },
        };
        let sums = self.passes.run(&pass)?;
        let moments = self.whitening.features(sums.products)?;
        let (loss, rho) = (sums.scalars[0], sums.scalars[1..].to_vec());
        let mut feature_sums = zeros(moments.nrows(), 1)?;
        if self.problem.intercept {
            feature_sums.copy_from(moments.subcols(0, 1));
        }
        let mut residual = zeros(moments.nrows(), outputs)?;
        let shift = self.count * self.problem.lambda;
        for k in 0..outputs {
            let excess = rho[k] / self.weight;
            for i in 0..moments.nrows() {
                let pull = moments[(i, 1 + k)] - excess * feature_sums[(i, 0)];
                residual[(i, k)] = pull - shift * w[(i, k)];
            }
        }
        let (count, weight) = (self.count, self.weight);
        let found = Residuals { loss, sums: rho, moments, count, weight };
        let report = found.report(w, self.problem);
        Ok(Evidence { report, residual, feature_sums, sums: found.sums })
    }
}
