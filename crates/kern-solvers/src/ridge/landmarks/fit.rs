//! The fit of ridge regression on landmarks.

use super::iterate::{Iteration, Learned};
use crate::model::KernelExpansion;
use crate::ridge::feature::solution::Problem;
use crate::ridge::fit::{RidgeSpace, Task};
use crate::space::OnLandmarks;
use crate::tolerance::{MOST_CG_ITERATIONS, landmark_gap};
use crate::{Error, Report, Run};
use kern_approx::landmarks::passes::Passes;
use kern_approx::landmarks::preconditioner::{Shape, factor, sample};
use kern_approx::landmarks::whitening::Whitening;
use kern_approx::statistics::{NormalEquations, Observed};
use kern_core::{FeatureMap, Kernel, Mercer, Points};
use kern_gram::{MemoryBudget, matrix_bytes};

impl<P: Points, K: Mercer<P> + Clone> RidgeSpace<P> for OnLandmarks<K> {
    fn regress(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let Task { settings, lambda, points, targets: y, weights } = *task;
        let problem = Problem { lambda, intercept: settings.intercept };
        let n = points.len();
        let mut observed = Observed::new(y);
        if let Some(weights) = weights {
            observed = observed.weights(weights);
        }
        observed.check_fit(n)?;
        let budget = run.budget();
        let map = self.features(points, &budget)?;
        let size = settings.sampled.unwrap_or_else(|| map.dim().saturating_mul(SAMPLED)).min(n);
        let (lasting, passing) = bytes(&map, y.ncols(), (n, size));
        let instead = "use fewer landmarks";
        budget.require("kernel ridge on landmarks", lasting.saturating_add(passing), instead)?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - lasting);
        let indices = sample(n, size, settings.seed);
        let shape = Shape { lambda, intercept: problem.intercept };
        let factor = factor(&map, (points, &observed), &indices, (shape, &rest))?;
        let iteration = Iteration {
            passes: Passes::new(map.kernel(), (map.landmarks(), points), &rest)?,
            whitening: Whitening::of(&map)?,
            factor,
            observed,
            problem,
            count: n as f64,
            weight: (0..n).map(|i| observed.weight(i)).sum(),
        };
        let tolerance = settings.tolerance.unwrap_or_else(landmark_gap::<P::Scalar>);
        let most = settings.max_iterations.unwrap_or(MOST_CG_ITERATIONS);
        let Learned { coefficients, intercepts, report } = iteration.learn(tolerance, most, run)?;
        let kernel = map.kernel().clone();
        let function = KernelExpansion::new(kernel, map.landmarks(), coefficients.as_ref())?;
        Ok((function.with_intercepts(intercepts), report))
    }
}

/// Sampled points per feature. With 100 000 points and 2000 landmarks, λ = 1e-6, 4 per feature take 17
/// iterations, 8 take 11, 12 take 8; on a loaded machine 8 and 12 took the same time (5.2 s and 4.8 s with kernel
/// values computed in every pass), 4 more (9.0 s).
const SAMPLED: usize = 8;

/// The memory that lasts as long as the iteration, and the rest that the preconditioner takes.
fn bytes<P: Points, K: Kernel<P>>(
    map: &kern_approx::NystromMap<P, K>,
    outputs: usize,
    (n, size): (usize, usize),
) -> (u64, u64) {
    let (m, dim) = (map.landmarks().len(), map.dim());
    let factor = NormalEquations::bytes(dim, outputs);
    let vectors = matrix_bytes::<f64>(m, outputs.saturating_add(1).saturating_mul(80));
    let fitted = matrix_bytes::<P::Scalar>(n.min(64 * 512), outputs.saturating_add(1));
    let root = matrix_bytes::<f64>(m, dim);
    let lasting = factor.saturating_add(root).saturating_add(vectors).saturating_add(fitted);
    (lasting, NormalEquations::streaming_bytes::<P::Scalar>(dim, 1, size))
}
