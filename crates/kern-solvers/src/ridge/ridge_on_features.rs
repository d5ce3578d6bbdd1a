//! Ridge regression on features, in the primal: by normal equations, by their dual, or by
//! iteration, whichever takes less time.
//!
//! # Definition
//! f(x) = b + wᵀψ(x) minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖w‖². With Z = [ψ(x₁) … ψ(xₙ)],
//! B = diag(β), s = Zβ and W = Σβᵢ,
//!
//! (ZBZᵀ − ssᵀ/W + nλI) w = ZBy − s·(βᵀy)/W, b = (βᵀy − sᵀw)/W.
//!
//! Without an intercept, the terms in s are dropped and b = 0. For features that reproduce a
//! kernel, this is ridge regression on that kernel with the same λ. For the features of a Nyström
//! map it is Nyström ridge regression, the problem that Falkon solves by iteration.
//!
//! With fewer points than features the dual is solved, with an n × n matrix. Otherwise the D × D
//! matrix is formed and factorised (both in `normal_equations`), or, for many points and features,
//! conjugate gradients solve H w = ZBy, H = ZBZᵀ + nλI (centred if there is an intercept) in passes
//! over the features, without forming H (`falkon`). The preconditioner is the Cholesky factor of
//! the same matrix for s sampled points, S = (n/s) Z_sB_sZ_sᵀ + nλI; with s = n, one iteration
//! solves the problem. After every run of conjugate gradients the residual is recomputed, and the
//! next run starts from it. If features are a linear map of cheaper values, z = Rᵀk, the iteration
//! does not compute them: Zᵀw = KᵀRw and Zr = RᵀKr.
//!
//! # References
//! Rudi, Camoriano & Rosasco (2015), *Less is More: Nyström Computational Regularization*, (10),
//! for the Nyström case.

use super::falkon::{Learned, SAMPLED, Setting, landmark_gap};
use super::gradient_bound::certify_points;
use super::normal_equations::{Solution, dual_bytes, solve_dual};
use super::ridge_regression::{RidgeSpace, Task};
use crate::model::FeatureExpansion;
use crate::space::OnFeatures;
use crate::tolerance::{CG_GAP, MOST_CG_ITERATIONS};
use crate::{Error, Report, Run, Status};
use kern_approx::landmarks::passes::Passes;
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed, panel_bytes};
use kern_core::feature_map::Folded;
use kern_core::memory::converted;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes};

/// Default duality gap of ridge regression on features where it is iterated, relative to the objective: in double precision that
/// of conjugate gradients on a kernel, in single precision what rounding allows on landmarks.
fn feature_gap<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { CG_GAP } else { landmark_gap::<T>() }
}

/// Values per point besides its features and targets: its weight, and the values that a pass keeps.
const NUMBERS: usize = 3;

/// The time that a feature takes in all passes of an iterative fit, in flops at the speed of matrix
/// products, and the additional time for each output.
const PASSES: f64 = 600.0;
const PASSES_OF_OUTPUT: f64 = 200.0;

impl<P: Points, M: FeatureMap<P> + Clone> RidgeSpace<P> for OnFeatures<M> {
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let Task { settings, points, targets, weights, .. } = *task;
        let observed = Observed::weighted(targets, weights);
        observed.check_fit(points.len())?;
        self.map.check(points)?;
        let setting = Setting::new(&self.map, task, observed, None);
        let gap = settings.tolerance.unwrap_or_else(feature_gap::<P::Scalar>);
        let most = settings.max_iterations.unwrap_or(MOST_CG_ITERATIONS);
        let iterated = match setting.is_iterated(&run.budget()) {
            true => setting.iterated(gap, most, run)?,
            false => None,
        };
        let Found { function, status, iterations, report } = match iterated {
            Some(found) => found,
            None => setting.solved(&run.budget())?,
        };
        let memory = setting.for_panels(&run.budget());
        let certify = || certify_points(&function, points, &observed, setting.problem, &memory);
        let report = report.map_or_else(certify, Ok)?;
        let status = if status == Status::Stopped { status } else { report.status };
        Ok((function, Report { status, iterations, ..report }))
    }
}

/// A function, and how it was found.
struct Found<P: Points, M> {
    function: FeatureExpansion<M, P::Scalar>,
    status: Status,
    iterations: usize,
    /// The certificate, if it was computed from fresh features.
    report: Option<Report>,
}

impl<P: Points, M> Found<P, M> {
    /// A function found by a direct solver.
    fn at_once(function: FeatureExpansion<M, P::Scalar>) -> Self {
        Self { function, status: Status::Converged, iterations: 1, report: None }
    }
}

impl<P: Points, M: FeatureMap<P> + Clone> Setting<'_, '_, P, M> {
    /// The memory for panels, besides the sums and the values kept per point.
    fn for_panels(&self, budget: &MemoryBudget) -> MemoryBudget {
        let (n, dim, outputs) = (self.points.len(), self.map.dim(), self.observed.outputs());
        let own = NormalEquations::bytes(dim, outputs);
        let beside = matrix_bytes::<f64>(n, outputs.saturating_add(NUMBERS));
        let smallest = panel_bytes::<P::Scalar>(dim.max(self.rows()), n);
        let rest = budget.as_bytes().saturating_sub(own.saturating_add(beside));
        MemoryBudget::bytes(rest.max(smallest))
    }

    /// True if an iteration takes less time than the normal equations, and fits the memory.
    fn is_iterated(&self, budget: &MemoryBudget) -> bool {
        let (lasting, passing) = self.bytes();
        let (n, dim, outputs) = (self.points.len(), self.map.dim(), self.observed.outputs());
        budget.fits(lasting.saturating_add(passing))
            && is_iterated(n, dim, outputs, self.map.folded().is_some())
    }

    /// The function found by iteration, or `None` if it does not reach the gap.
    fn iterated(
        &self,
        gap: f64,
        most: usize,
        run: &mut Run<'_>,
    ) -> Result<Option<Found<P, M>>, Error> {
        let (map, Folded { inner, .. }) = (self.map, Folded::of(self.map));
        let (passes, expensive) = (Passes::of_map(&*inner, self.points), inner.is_expensive());
        let (lasting, _) = self.bytes();
        let rest = MemoryBudget::bytes(run.budget().as_bytes().saturating_sub(lasting));
        let learned = self.iteration(passes, expensive, &rest)?.learn(gap, most, run)?;
        let Learned { weights, intercepts, report, certified, .. } = learned;
        let Report { status, iterations, .. } = report;
        if !matches!(status, Status::Converged | Status::Stopped) {
            return Ok(None);
        }
        let function = FeatureExpansion::new(map.clone(), converted(weights.as_ref())?);
        let function = function.with_intercepts(intercepts);
        let report = certified.then_some(report);
        Ok(Some(Found { function, status, iterations, report }))
    }

    /// The function by a direct solver: in the dual if there are fewer points than features,
    /// otherwise by normal equations.
    fn solved(&self, budget: &MemoryBudget) -> Result<Found<P, M>, Error> {
        let Self { map, points, observed, problem, .. } = *self;
        let (n, dim, outputs) = (points.len(), map.dim(), observed.outputs());
        if n < dim && budget.fits(dual_bytes::<P::Scalar>(n, dim, outputs)) {
            let solution = solve_dual(map, points, &observed, problem, budget)?;
            return Ok(Found::at_once(solution.into_model(map.clone())?));
        }
        self.by_normal_equations(budget)
    }

    /// The function by the normal equations of all points.
    fn by_normal_equations(&self, budget: &MemoryBudget) -> Result<Found<P, M>, Error> {
        let Self { map, points, observed, problem, .. } = *self;
        let (n, dim, outputs) = (points.len(), map.dim(), observed.outputs());
        let rows = self.rows();
        let panel = panel_bytes::<P::Scalar>(dim.max(rows), n);
        let needed = NormalEquations::bytes(dim, outputs).saturating_add(panel);
        let needed = needed.max(matrix_bytes::<f64>(rows, dim));
        budget.require("normal equations and a panel of features", needed, "use fewer features")?;
        let mut sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), budget)?;
        sums.absorb(map, points, &observed, &self.for_panels(budget))?;
        let function = Solution::new(&mut sums, problem)?.into_model(map.clone())?;
        Ok(Found::at_once(function))
    }
}

/// True if an iteration takes less time than the normal equations, which take D flops for each
/// feature, or twice as many if features are folded.
pub(super) fn is_iterated(n: usize, dim: usize, outputs: usize, folded: bool) -> bool {
    let (n, d) = (n as f64, dim as f64);
    let of_feature = if folded { 2.0 * d } else { d };
    let sampled = SAMPLED as f64 * d;
    let iterated = sampled * of_feature + n * (PASSES + PASSES_OF_OUTPUT * outputs as f64);
    sampled < n && iterated < n * of_feature
}

#[cfg(test)]
mod tests {
    //! The iteration and the direct solvers, compared.
    #![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

    use super::*;
    use crate::model::Decision;
    use crate::ridge::gradient_bound::Problem;
    use faer::Mat;
    use kern_approx::{Nystrom, NystromMap, RandomFourier};
    use kern_core::kernels::{Polynomial, Rbf};
    use kern_core::{Explicit, Samples};

    const BUDGET: MemoryBudget = MemoryBudget::mebibytes(64);
    const POINTS: usize = 700;

    /// Points of [-2, 2]³ and two targets of them.
    fn problem<T: Scalar>() -> (Samples<T>, Mat<T>) {
        let unit = |k: usize| (((k as f64 + 0.5) * 12.9898).sin() * 43_758.545_3).rem_euclid(1.0);
        let x: Vec<f64> = (0..3 * POINTS).map(|k| 4.0 * unit(k) - 2.0).collect();
        let y = Mat::from_fn(POINTS, 2, |i, k| {
            let f = (x[3 * i] + 0.5 * x[3 * i + 2]).sin() + 2.0 * k as f64;
            T::from_f64(f + 0.1 * (unit(i + 10_000_000 * (k + 1)) - 0.5))
        });
        (Samples::from_row_major(3, x.into_iter().map(T::from_f64).collect()).unwrap(), y)
    }

    /// Asserts that the iteration and the direct solver find the same function, up to the requested
    /// gap.
    fn agree<T: Scalar, M: FeatureMap<Samples<T>> + Clone>(map: &M, relative_gap: f64) {
        let (x, y) = problem::<T>();
        let weights: Vec<f64> = (0..POINTS).map(|i| 0.5 * (i % 4) as f64).collect();
        for (intercept, weighted) in [(false, false), (true, true)] {
            let mut observed = Observed::new(y.as_ref());
            if weighted {
                observed = observed.weights(&weights);
            }
            let setting = Setting {
                map,
                points: &x,
                observed,
                problem: Problem { lambda: 1e-3, intercept },
                sampled: (map.dim() * SAMPLED, 0),
            };
            let iterated = setting.iterated(relative_gap, 100, &mut Run::new()).unwrap().unwrap();
            assert_eq!(iterated.status, Status::Converged);
            assert!(iterated.iterations > 1);
            let solved = setting.solved(&BUDGET).unwrap();
            let report = |found: &Found<Samples<T>, M>| {
                certify_points(&found.function, &x, &observed, setting.problem, &BUDGET).unwrap()
            };
            let (first, second) = (report(&iterated), report(&solved));
            let gap = first.gap.unwrap() + second.gap.unwrap();
            assert!(gap <= 2.0 * relative_gap * first.objective, "{gap:e}");
            // λ‖w − w*‖² ≤ gap.
            let apart = iterated.function.weights() - solved.function.weights();
            let square: f64 =
                apart.col_iter().flat_map(faer::ColRef::iter).map(|v| v.to_f64().powi(2)).sum();
            assert!(1e-3 * square <= 4.0 * relative_gap * first.objective, "{square:e}");
        }
    }

    #[test]
    fn iterations_and_normal_equations_have_one_solution() {
        let landmarks = || Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(40);
        let x = problem::<f64>().0;
        let factor: NystromMap<_, _> = landmarks().fit(&x, &BUDGET).unwrap();
        assert!(factor.lower().is_some());
        agree(&factor, 1e-12);
        let spectral = landmarks().rank(30).fit(&x, &BUDGET).unwrap();
        assert!(spectral.projection().is_some());
        agree(&spectral, 1e-12);
        let single = problem::<f32>().0;
        agree(&landmarks().fit(&single, &BUDGET).unwrap(), 1e-5);
        let plain = Polynomial::new(0.3, 1.0, 3).unwrap().feature_map(&x).unwrap();
        assert!(FeatureMap::<Samples<f64>>::folded(&plain).is_none());
        agree::<f64, _>(&plain, 1e-12);
    }

    /// The n × n matrix of the dual gives the same solution, also where a D × D matrix does not fit
    /// the memory.
    #[test]
    fn fewer_points_than_features_are_solved_in_the_dual() {
        let (x, y) = problem::<f64>();
        let weights: Vec<f64> = (0..POINTS).map(|i| 0.5 * (i % 4) as f64).collect();
        let few = x.select(&Vec::from_iter(0..60)).unwrap();
        let targets = y.as_ref().subrows(0, 60);
        let params = RandomFourier::new(Rbf::new(0.5).unwrap());
        let map = params.dim(400).seed(1).sample(3).unwrap();
        for (intercept, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut observed = Observed::new(targets);
            if weighted {
                observed = observed.weights(&weights[..60]);
            }
            let setting = Setting {
                map: &map,
                points: &few,
                observed,
                problem: Problem { lambda: 1e-3, intercept },
                sampled: (60, 0),
            };
            let (dual, primal) =
                (setting.solved(&BUDGET).unwrap(), setting.by_normal_equations(&BUDGET).unwrap());
            for found in [&dual, &primal] {
                let report =
                    certify_points(&found.function, &few, &observed, setting.problem, &BUDGET)
                        .unwrap();
                assert!(report.gap.unwrap() <= 1e-18 * report.objective, "{report}");
            }
            let apart = dual.function.weights() - primal.function.weights();
            assert!(apart.norm_l2() <= 1e-9 * primal.function.weights().norm_l2());
            // A 400 × 400 matrix does not fit.
            let little = MemoryBudget::bytes(dual_bytes::<f64>(60, 400, 2));
            assert_eq!(setting.solved(&little).unwrap().function, dual.function);
            assert!(setting.by_normal_equations(&little).is_err());
        }
    }

    #[test]
    fn many_points_and_features_are_iterated() {
        assert!(is_iterated(200_000, 2000, 1, true));
        assert!(is_iterated(200_000, 2000, 1, false));
        assert!(!is_iterated(200_000, 2000, 100, true), "a pass for each output");
        assert!(!is_iterated(16_000, 2000, 1, true), "the sample would be all points");
        assert!(!is_iterated(200_000, 300, 1, false), "sums of few features are cheap");
    }

    /// Values outside the range of single precision: c times a kernel, with c times λ, gives the
    /// function of the kernel.
    #[test]
    fn values_beyond_single_precision_are_iterated_as_they_are() {
        let (x, y) = problem::<f64>();
        let fitted = |c: f64| {
            let map =
                Nystrom::new(c * Rbf::new(0.5).unwrap()).landmarks(40).fit(&x, &BUDGET).unwrap();
            let setting = Setting {
                map: &map,
                points: &x,
                observed: Observed::new(y.as_ref()),
                problem: Problem { lambda: 1e-3 * c, intercept: true },
                sampled: (map.dim() * SAMPLED, 0),
            };
            let found = setting.iterated(1e-12, 100, &mut Run::new()).unwrap().unwrap();
            assert_eq!(found.status, Status::Converged, "{c:e}");
            found.function.decide(&x).unwrap()
        };
        let expected = fitted(1.0);
        for c in [1e60, 1e-60] {
            let apart = (fitted(c) - &expected).norm_max();
            assert!(apart < 1e-5, "{c:e}: {apart:e}");
        }
    }
}
