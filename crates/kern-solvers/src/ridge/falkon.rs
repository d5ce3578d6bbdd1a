//! Falkon: ridge regression on landmarks by preconditioned conjugate gradients, and the same
//! iteration on features.
//!
//! # Definition
//! f(x) = b + Σⱼ cⱼK(x, xⱼ) over m landmarks minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖f − b‖².
//! With the Nyström features z = Rᵀk of the landmarks (RRᵀ = K_mm⁻¹, c = Rw) this is ridge
//! regression on [features](super::ridge_on_features). A product with its matrix is one pass over
//! the kernel values between landmarks and points. They are stored if the budget allows, and
//! otherwise recomputed in every pass.
//!
//! Falkon's preconditioner is computed from the landmarks themselves. Here several times as many
//! points are sampled: they cost one product of m × s features and leave few iterations. After each
//! run of conjugate gradients the residual is recomputed, and the next run starts from it.
//!
//! # References
//! Rudi, Carratino & Rosasco (2017), *FALKON: An Optimal Large Scale Kernel Method*, §3.

use super::gradient_bound::{Problem, Residuals};
use super::ridge_regression::{RidgeSpace, Task};
use crate::model::KernelExpansion;
use crate::space::OnLandmarks;
use crate::tolerance::{CG_RUN, CG_SHARE, CG_STALL, MOST_CG_ITERATIONS};
use crate::{Error, Progress, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_approx::landmarks::falkon_preconditioner::{self, Shape, factor, sample};
use kern_approx::landmarks::passes::{Pass, Passes};
use kern_approx::statistics::{NormalEquations, Observed};
use kern_core::feature_map::{Fold, Folded};
use kern_core::{FeatureMap, Mercer, Points, Scalar, compiled_once};
use kern_gram::numerics::arithmetic::add;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::numerics::conjugate_gradients::{Conjugate, Operator, dot};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Default duality gap on landmarks, relative to the objective: the root mean square error of
/// fitted values is then within a thousandth of √J, far less than the error of landmarks.
const GAP: f64 = 1e-6;

/// The same in single precision, where rounding leaves 2e-6 for 200 000 points, 2000 landmarks and
/// λ = 1e-6.
const GAP_SINGLE: f64 = 1e-5;

/// A run of conjugate gradients with values in single precision aims at this share of the gap that it was begun with: rounding
/// leaves about half of it (200 000 points, 2000 landmarks, λ = 1e-6: 4·10⁻¹⁰).
const CG_ROUNDED: f64 = 1e-9;

/// Sampled points per feature. With 100 000 points and 2000 landmarks, λ = 1e-6, 4 per feature take
/// 17 iterations, 8 take 11, 12 take 8; on a loaded machine 8 and 12 took the same time (5.2 s and
/// 4.8 s with kernel values computed in every pass), 4 more (9.0 s).
pub(super) const SAMPLED: usize = 8;

/// The largest dimension of vectors for which kernel values are recomputed for the certificate,
/// unless they are expensive. In 18 dimensions they take 0.24 s for 200 000 points and 2000
/// landmarks on two cores, and a pass over stored values 0.03 s to 0.06 s.
const LIGHT: usize = 64;

/// The maximum number of values that the iteration rounds to single precision: 2 GiB of them. More
/// are rarely stored, and rounding values that are recomputed in each pass is slower: 10⁶ points
/// and 2000 landmarks take 21 s, and 16 s without rounding.
const MOST_ROUNDED: usize = 1 << 29;

/// The default gap on landmarks.
pub(super) fn landmark_gap<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { GAP } else { GAP_SINGLE }
}

impl<P: Points, K: Mercer<P> + Clone> RidgeSpace<P> for OnLandmarks<K> {
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let (function, report) = on_landmarks(&self.erased(), task, run)?;
        Ok((function.with_kernel(self.nystrom().kernel().clone()), report))
    }
}

/// The fit; the caller adds the kernel to the function.
#[compiled_once]
fn on_landmarks<P: Points>(
    space: &OnLandmarks<&dyn Mercer<P>>,
    task: &Task<'_, P>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let Task { settings, points, targets, weights, .. } = *task;
    let observed = Observed::weighted(targets, weights);
    observed.check_fit(points.len())?;
    let budget = run.budget();
    let map = space.features(points, weights, run)?;
    let setting = Setting::new(&map, task, observed, settings.sampled);
    let (lasting, passing) = setting.bytes();
    let instead = "use fewer landmarks";
    budget.require("kernel ridge on landmarks", lasting.saturating_add(passing), instead)?;
    let rest = MemoryBudget::bytes(budget.as_bytes() - lasting);
    let passes = Passes::of_kernel(map.kernel(), map.landmarks(), points);
    let tolerance = settings.tolerance.unwrap_or_else(landmark_gap::<P::Scalar>);
    let most = settings.max_iterations.unwrap_or(MOST_CG_ITERATIONS);
    let learned = setting
        .iteration(passes, map.kernel().is_pointwise(), &rest)?
        .learn(tolerance, most, run)?;
    let Learned { coefficients, intercepts, report, .. } = learned;
    let function = KernelExpansion::new((), map.landmarks(), coefficients.as_ref())?;
    Ok((function.with_intercepts(intercepts), report))
}

/// The data and the problem, for all solvers.
pub(super) struct Setting<'s, 'a, P: Points, M> {
    pub(super) map: &'s M,
    pub(super) points: &'a P,
    pub(super) observed: Observed<'a, P::Scalar>,
    pub(super) problem: Problem,
    /// The number of points sampled for the preconditioner, and the seed of the sample.
    pub(super) sampled: (usize, u64),
}

impl<'s, 'a, P: Points, M: FeatureMap<P>> Setting<'s, 'a, P, M> {
    /// A task on the features of this map, with a preconditioner from `sampled` points; by default
    /// [`SAMPLED`] per feature.
    pub(super) fn new(
        map: &'s M,
        task: &Task<'a, P>,
        observed: Observed<'a, P::Scalar>,
        sampled: Option<usize>,
    ) -> Self {
        let Task { settings, lambda, points, .. } = *task;
        let size = sampled.unwrap_or_else(|| map.dim().saturating_mul(SAMPLED));
        Self {
            map,
            points,
            observed,
            problem: Problem { lambda, intercept: settings.intercept },
            sampled: (size.min(points.len()), settings.seed),
        }
    }

    /// The number of values of which the features are a linear map, or of features if there is no
    /// such map.
    pub(super) fn rows(&self) -> usize {
        Folded::of(self.map).inner.dim()
    }

    /// The memory used during the whole iteration, and the further memory for computing the
    /// preconditioner.
    pub(super) fn bytes(&self) -> (u64, u64) {
        let rows = self.rows();
        let (dim, outputs, n) = (self.map.dim(), self.observed.outputs(), self.points.len());
        let factor = NormalEquations::bytes(dim, outputs);
        let vectors = matrix_bytes::<f64>(rows, outputs.saturating_add(1).saturating_mul(80));
        let fitted = matrix_bytes::<P::Scalar>(n.min(64 * 512), outputs.saturating_add(1));
        let root = matrix_bytes::<f64>(rows, dim);
        let lasting = factor.saturating_add(root).saturating_add(vectors).saturating_add(fitted);
        (lasting, falkon_preconditioner::bytes::<P::Scalar>(dim, self.sampled.0))
    }

    /// The iteration with these passes. Their values are stored if the memory allows, in single
    /// precision where recomputing them for the certificate is cheap.
    pub(super) fn iteration<'p>(
        &self,
        mut passes: Passes<'p, P::Scalar>,
        expensive: bool,
        memory: &MemoryBudget,
    ) -> Result<Iteration<'p, P::Scalar>, Error>
    where
        'a: 'p,
    {
        let Self { map, points, observed, problem, sampled: (size, seed) } = *self;
        let n = points.len();
        let indices = sample(n, size, seed);
        let shape = Shape { lambda: problem.lambda, intercept: problem.intercept };
        let factor = factor(map, points, &observed, &indices, shape, memory)?;
        let light = points.dense_dim().is_some_and(|dim| dim <= LIGHT);
        let double = size_of::<P::Scalar>() == size_of::<f64>();
        // Not decided by the budget, on which bits must not depend.
        let few = self.rows().saturating_mul(n) <= MOST_ROUNDED;
        // With a preconditioner from all points one step is enough, if values are not rounded.
        match double && size < n && light && few && !expensive {
            true => passes.round_within(memory)?,
            false => passes.keep_within(memory)?,
        }
        Ok(Iteration {
            passes,
            memory: *memory,
            whitening: Fold::of(map)?,
            factor,
            observed,
            problem,
            count: n as f64,
            weight: (0..n).map(|i| observed.weight(i)).sum(),
        })
    }
}

/// The problem in the weights w of the features.
pub(super) struct Iteration<'a, T: Scalar> {
    passes: Passes<'a, T>,
    /// The memory for stored values.
    memory: MemoryBudget,
    whitening: Fold<Mat<f64>>,
    factor: Cholesky<f64>,
    observed: Observed<'a, T>,
    problem: Problem,
    /// n and W.
    count: f64,
    weight: f64,
}

/// The result of a fit.
pub(super) struct Learned<T: Scalar> {
    /// w.
    pub(super) weights: Mat<f64>,
    /// Rw.
    coefficients: Mat<T>,
    pub(super) intercepts: Vec<T>,
    pub(super) report: Report,
    /// True if the report is computed from fresh values, for the function as stored in the type of
    /// the points.
    pub(super) certified: bool,
}

impl<T: Scalar> Iteration<'_, T> {
    /// Iterates until the relative gap is small enough. Where rounded values bring no further
    /// progress, continues with the exact ones.
    pub(super) fn learn(
        &mut self,
        relative_gap: f64,
        most: usize,
        run: &mut Run<'_>,
    ) -> Result<Learned<T>, Error> {
        let outputs = self.observed.outputs();
        let mut w = zeros(self.factor.size(), outputs)?;
        let mut intercepts = vec![0.0; outputs];
        let (mut iterations, mut last) = (0, f64::INFINITY);
        loop {
            let coefficients = self.whitening.coefficients::<T>(w.as_ref())?;
            let rounded: Vec<_> = intercepts.iter().map(|&b| T::from_f64(b)).collect();
            let evidence = self.evidence(w.as_ref(), coefficients.as_ref(), &rounded)?;
            let gap = evidence.report.gap.unwrap_or(f64::INFINITY);
            let goal = relative_gap * evidence.report.objective;
            let loss = evidence.report.objective;
            let progress = Progress::new(iterations, most, loss);
            let progress = progress.with_violation(gap / loss, relative_gap);
            let stalled = gap >= last * CG_STALL;
            let status = if gap <= goal {
                Some(Status::Converged)
            } else if iterations >= most {
                Some(Status::IterationsDone)
            } else if stalled && !self.passes.is_rounded() {
                Some(Status::Stalled)
            } else if run.observe(&progress).is_break() {
                Some(Status::Stopped)
            } else {
                None
            };
            if let Some(status) = status {
                let report = Report { status, iterations, ..evidence.report };
                let certified = !self.passes.is_kept() && size_of::<T>() == size_of::<f64>();
                let (weights, intercepts) = (w, rounded);
                return Ok(Learned { weights, coefficients, intercepts, report, certified });
            }
            last = gap;
            if stalled {
                self.passes.make_exact(&self.memory)?;
            }
            let (step, taken) = self.steps(&evidence, gap, goal, most - iterations)?;
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

    /// A step from this gap towards the goal, as far as single precision allows; with exact values
    /// if the step does not fit the range of single precision.
    fn steps(
        &mut self,
        evidence: &Evidence,
        gap: f64,
        goal: f64,
        most: usize,
    ) -> Result<(Mat<f64>, usize), Error> {
        let (outputs, most) = (self.observed.outputs() as f64, most.min(CG_RUN));
        let aim = CG_SHARE * goal / outputs;
        if self.passes.is_rounded() {
            let smallest = CG_ROUNDED * gap / outputs;
            if let Ok(corrected) = self.correct(evidence, aim.max(smallest), most) {
                return Ok(corrected);
            }
            self.passes.make_exact(&self.memory)?;
        }
        self.correct(evidence, aim, most)
    }

    /// A step that reduces each output to this gap, if `most` iterations are enough. The gap is
    /// ‖g‖²/λ, n·g the residual.
    fn correct(
        &self,
        evidence: &Evidence,
        gap: f64,
        most: usize,
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
        let coefficients = self.whitening.coefficients::<T>(v.as_ref())?;
        let means: Vec<T> = (0..v.ncols())
            .map(|k| {
                let pairs = feature_sums.col_as_slice(0).iter().zip(v.col_as_slice(k));
                T::from_f64(pairs.map(|(s, v)| s * v).sum::<f64>() / self.weight)
            })
            .collect();
        let pass = Pass {
            coefficients: coefficients.as_ref(),
            columns: v.ncols(),
            scalars: 0,
            middle: &|range, t, mut right, _| {
                for (k, &mean) in means.iter().enumerate() {
                    for (row, i) in range.clone().enumerate() {
                        let weight = T::from_f64(self.observed.weight(i));
                        right[(row, k)] = weight * (t[(row, k)] - mean);
                    }
                }
            },
        };
        let mut out = self.whitening.features(self.passes.run_rounded(&pass)?.products)?;
        let shift = self.count * self.problem.lambda;
        add(&mut out, shift, v.as_ref());
        Ok(out)
    }

    /// The residuals of f, with the report and the gradient that follow from them.
    fn evidence(
        &mut self,
        w: MatRef<'_, f64>,
        coefficients: MatRef<'_, T>,
        intercepts: &[T],
    ) -> Result<Evidence, Error> {
        let outputs = intercepts.len();
        let pass = Pass {
            coefficients,
            columns: 1 + outputs,
            scalars: 1 + outputs,
            middle: &|range, t, mut right, scalars| {
                for (row, i) in range.enumerate() {
                    let weight = self.observed.weight(i);
                    right[(row, 0)] = T::from_f64(weight);
                    for (k, b) in intercepts.iter().enumerate() {
                        let f = t[(row, k)].to_f64() + b.to_f64();
                        let residual = self.observed.targets()[(i, k)].to_f64() - f;
                        right[(row, 1 + k)] = T::from_f64(weight * residual);
                        scalars[0] += weight * residual * residual;
                        scalars[1 + k] += weight * residual;
                    }
                }
            },
        };
        let sums = self.passes.run_storing(&pass)?;
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

/// The result of a pass with a function.
struct Evidence {
    report: Report,
    /// n times half the negative gradient.
    residual: Mat<f64>,
    /// s = ZB1, zero if there is no intercept.
    feature_sums: Mat<f64>,
    /// ρ = Σβr of each output.
    sums: Vec<f64>,
}
