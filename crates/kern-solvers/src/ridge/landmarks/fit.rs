//! The fit of ridge regression on landmarks.

use crate::model::KernelExpansion;
use crate::ridge::feature::iterate::{Learned, SAMPLED, Setting};
use crate::ridge::feature::solution::Problem;
use crate::ridge::fit::{RidgeSpace, Task};
use crate::space::OnLandmarks;
use crate::tolerance::{MOST_CG_ITERATIONS, landmark_gap};
use crate::{Error, Report, Run};
use kern_approx::landmarks::passes::Passes;
use kern_approx::statistics::Observed;
use kern_core::{FeatureMap, Mercer, Points, compiled_once};
use kern_gram::MemoryBudget;

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

/// The fit, with a function that still lacks its kernel.
#[compiled_once]
fn on_landmarks<P: Points>(
    space: &OnLandmarks<&dyn Mercer<P>>,
    task: &Task<'_, P>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let Task { settings, lambda, points, targets: y, weights } = *task;
    let mut observed = Observed::new(y);
    if let Some(weights) = weights {
        observed = observed.weights(weights);
    }
    observed.check_fit(points.len())?;
    let budget = run.budget();
    let map = space.features((points, weights), run)?;
    let size = settings.sampled.unwrap_or_else(|| map.dim().saturating_mul(SAMPLED));
    let setting = Setting {
        map: &map,
        points,
        observed,
        problem: Problem { lambda, intercept: settings.intercept },
        sampled: (size.min(points.len()), settings.seed),
    };
    let (lasting, passing) = setting.bytes();
    let instead = "use fewer landmarks";
    budget.require("kernel ridge on landmarks", lasting.saturating_add(passing), instead)?;
    let rest = MemoryBudget::bytes(budget.as_bytes() - lasting);
    let passes = Passes::of_kernel(map.kernel(), map.landmarks(), points);
    let tolerance = settings.tolerance.unwrap_or_else(landmark_gap::<P::Scalar>);
    let most = settings.max_iterations.unwrap_or(MOST_CG_ITERATIONS);
    let learned = setting
        .iteration((passes, map.kernel().is_pointwise()), &rest)?
        .learn(tolerance, most, run)?;
    let Learned { coefficients, intercepts, report, .. } = learned;
    let function = KernelExpansion::new((), map.landmarks(), coefficients.as_ref())?;
    Ok((function.with_intercepts(intercepts), report))
}
