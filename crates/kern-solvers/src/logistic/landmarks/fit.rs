//! The fit of logistic regression on landmarks.

use super::class::{AgainstTheRest, Shared};
use crate::logistic::fit::{Labelled, LogisticSpace, one_by_one};
use crate::logistic::primal::PrimalNewton;
use crate::model::KernelExpansion;
use crate::space::OnLandmarks;
use crate::tolerance::FIRST_LAMBDA;
use crate::{Error, Report, Run};
use faer::MatRef;
use kern_approx::NystromMap;
use kern_approx::landmarks::passes::Passes;
use kern_approx::landmarks::preconditioner::{self, sample};
use kern_approx::landmarks::whitening::Whitening;
use kern_approx::statistics::NormalEquations;
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scalar};
use kern_gram::{MemoryBudget, matrix_bytes, zeros};

/// Sampled points per feature.
const SAMPLED: usize = 4;

impl<P: Points, K: Mercer<P> + Clone> LogisticSpace<P> for OnLandmarks<K> {
    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let Labelled { options, goal, points, .. } = *labelled;
        let (n, outputs, budget) = (points.len(), labelled.outputs(), run.budget());
        let map = self.features((points, labelled.weights), run)?;
        let dim = map.dim();
        let size = options.sampled.unwrap_or_else(|| dim.saturating_mul(SAMPLED)).min(n);
        let (lasting, passing) = bytes(&map, outputs, (n, size));
        let needed = lasting.saturating_add(passing);
        budget.require("logistic regression on landmarks", needed, "use fewer landmarks")?;
        let for_passes = MemoryBudget::bytes(budget.as_bytes() - needed);
        let mut passes = Passes::of_kernel(map.kernel(), map.landmarks(), points);
        passes.keep_within(&for_passes)?;
        let shared = Shared {
            map: &map,
            labelled,
            passes,
            whitening: Whitening::of(&map)?,
            sampled: sample(n, size, options.seed),
            // Their sums are not part of what gathers them.
            budget: MemoryBudget::bytes(passing - NormalEquations::bytes(dim, 1)),
        };
        let (places, report) = one_by_one(outputs, goal, run, |output, goal, run| {
            let class = AgainstTheRest { shared: &shared, signs: labelled.signs(output)? };
            PrimalNewton { problem: &class, goal, first_lambda: FIRST_LAMBDA }.minimise(dim, run)
        })?;
        let mut coefficients = zeros(map.landmarks().len(), outputs)?;
        for (k, place) in places.iter().enumerate() {
            let w = MatRef::from_column_major_slice(&place.w, dim, 1);
            let column = shared.whitening.coefficients::<P::Scalar>(w)?;
            coefficients.col_mut(k).copy_from(column.col(0));
        }
        let intercepts = places.iter().map(|place| P::Scalar::from_f64(place.b)).collect();
        let kernel = map.kernel().clone();
        let function = KernelExpansion::new(kernel, map.landmarks(), coefficients.as_ref())?;
        Ok((function.with_intercepts(intercepts), report))
    }
}

/// The memory that lasts as long as the iteration, and what a preconditioner takes while it is made and used.
fn bytes<P: Points, K: Kernel<P>>(
    map: &NystromMap<P, K>,
    outputs: usize,
    (n, size): (usize, usize),
) -> (u64, u64) {
    let (m, dim) = (map.landmarks().len(), map.dim());
    // Those of a group of points in every pass, and of the iteration.
    let vectors = matrix_bytes::<f64>(m, outputs.saturating_add(200));
    let of_points = matrix_bytes::<f64>(n, 6);
    // That of the map, and one in double precision.
    let roots = matrix_bytes::<f64>(m, dim).saturating_add(matrix_bytes::<P::Scalar>(m, dim));
    let passing = preconditioner::bytes::<P::Scalar>(dim, size)
        .saturating_add(NormalEquations::bytes(dim, 1));
    (roots.saturating_add(vectors).saturating_add(of_points), passing)
}
