//! The fits of kernel ridge on landmarks.

use super::Falkon;
use super::iterate::{Iteration, Learned};
use crate::labels::Encoded;
use crate::landmarks::passes::Passes;
use crate::landmarks::preconditioner::{Shape, factor, sample};
use crate::landmarks::whitening::Whitening;
use crate::model::{Classifier, KernelModel, MultiRegressor, Regressor};
use crate::ridge::feature::solution::Problem;
use crate::statistics::{NormalEquations, Observed};
use crate::tolerance::landmark_gap;
use crate::{Error, Label, Report};
use faer::MatRef;
use kern_core::{FeatureMap, Kernel, Points, Positive};
use kern_gram::{MemoryBudget, matrix_bytes};

impl<P: Points, K: Kernel<P> + Clone> Falkon<P, K> {
    /// Learns a function with one output.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets;
    /// [`Error::Weight`] and [`Error::NoWeight`] for the weights; [`Error::Core`] for λ ≤ 0, a relative gap
    /// ≤ 0, or points that the kernel refuses; [`Error::Count`] for no iterations or no sampled points;
    /// [`Error::Gram`] if a few m × m matrices and 512·m features exceed the budget;
    /// [`Error::NotPositiveDefinite`].
    pub fn fit(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<Regressor<KernelModel<P, K>>, Error> {
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let (model, report) = self.solve(points, y)?;
        Ok(Regressor::new(model, report))
    }

    /// Learns a function with several outputs, in the same passes. `targets` is points × outputs.
    ///
    /// # Errors
    /// As [`Falkon::fit`].
    pub fn fit_outputs(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<MultiRegressor<KernelModel<P, K>>, Error> {
        let (model, report) = self.solve(points, targets)?;
        Ok(MultiRegressor::new(model, report))
    }

    /// Learns a classifier: ±1 targets, each class against the rest, in the same passes.
    ///
    /// # Errors
    /// As [`Falkon::fit`], and [`Error::OneClass`].
    pub fn fit_classifier<L: Label>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<Classifier<KernelModel<P, K>, L>, Error> {
        let labels = Encoded::new(points.len(), labels)?;
        let signs = labels.signs(&self.budget.unwrap_or_default())?;
        let (model, report) = self.solve(points, signs.as_ref())?;
        Ok(Classifier::new(model, labels.classes, report))
    }

    fn solve(
        self,
        points: &P,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelModel<P, K>, Report), Error> {
        let problem = self.checked()?;
        let Self { map, weights, budget, relative_gap, max_iterations, sampled, seed, .. } = self;
        let n = points.len();
        let mut observed = Observed::new(y);
        if let Some(weights) = &weights {
            observed = observed.weights(weights);
        }
        observed.check_fit(n)?;
        map.check(points)?;
        let (dim, budget) = (map.dim(), budget.unwrap_or_default());
        let size = sampled.unwrap_or_else(|| dim.saturating_mul(SAMPLED)).min(n);
        let (lasting, passing) = bytes(&map, y.ncols(), (n, size));
        let instead = "use fewer landmarks";
        budget.require("kernel ridge on landmarks", lasting.saturating_add(passing), instead)?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - lasting);
        let indices = sample(n, size, seed);
        let shape = Shape { lambda: problem.lambda, intercept: problem.intercept };
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
        let Learned { coefficients, intercepts, report } = iteration
            .learn(relative_gap.unwrap_or_else(landmark_gap::<P::Scalar>), max_iterations)?;
        let model = KernelModel::new(map.kernel().clone(), map.landmarks(), coefficients.as_ref())?;
        Ok((model.with_intercepts(intercepts), report))
    }

    fn checked(&self) -> Result<Problem, Error> {
        let lambda = Positive::new("lambda", self.lambda)?.get();
        if let Some(gap) = self.relative_gap {
            Positive::new("the relative gap", gap)?;
        }
        let counts = [
            ("the number of iterations", self.max_iterations),
            ("the number of sampled points", self.sampled.unwrap_or(1)),
        ];
        for (name, given) in counts {
            if given == 0 {
                return Err(Error::Count { name, given, allowed: "at least 1" });
            }
        }
        Ok(Problem { lambda, intercept: self.intercept })
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
