//! Parameters of ridge regression.

use crate::space::{Auto, OnFeatures, OnKernel, OnLandmarks};
use crate::{ClassWeights, Error, fit_sugar, tolerance};
use kern_approx::Nystrom;
use kern_core::{Positive, Scalar};
use serde::{Deserialize, Serialize};

/// Ridge regression and classification, on a kernel, on landmarks or on features.
///
/// # Complexity
/// | space | time | numbers in memory |
/// |---|---|---|
/// | [`OnKernel`], Cholesky | n²/2 kernel values, n³/3 flops | n² |
/// | [`OnKernel`], conjugate gradients | some 20n² to 200n² | n²/2, or a few vectors |
/// | [`OnLandmarks`], m of them, t iterations | n·m kernel values (t·n·m if they are not stored), 4nmt + 16m³ flops | 4m², and nm if they fit |
/// | [`OnFeatures`], D of them | nD² + D³/3 flops, the features twice | D² and a panel |
///
/// # Numerics
/// From 1024 points on the factor of a problem in double precision is in single precision, and conjugate
/// gradients on K make its solution one of double precision, unless the certificate says otherwise: then the
/// factor is in double precision, too.
///
/// # Examples
/// Numbers are regressed, labels classified (±1 targets, each class against the rest):
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let ridge = Ridge::on_kernel(Rbf::new(0.5)?).lambda(1e-8);
/// let model = ridge.fit(&x, &[0.0_f64, 1.0, 0.0])?;
/// assert!((model.predict(&Samples::from_rows(&[[1.0]])?)?[0] - 1.0_f64).abs() < 1e-6);
/// assert_eq!(ridge.fit(&x, &["low", "high", "low"])?.predict(&x)?, ["low", "high", "low"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// On landmarks, and on their features; here all points are landmarks, so the problem is the same:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::{Status, ridge::Ridge};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let (kernel, nystrom) = (Rbf::new(0.5)?, Nystrom::new(Rbf::new(0.5)?).landmarks(4));
/// let exact = Ridge::on_kernel(kernel).lambda(1e-3).fit(&x, &y)?.predict(&x)?;
/// let landmarks = Ridge::on_landmarks(nystrom.clone()).lambda(1e-3).fit(&x, &y)?;
/// assert_eq!(landmarks.report().status, Status::Converged);
/// assert!((landmarks.predict(&x)?[1] - exact[1]).abs() < 1e-8);
/// let map = nystrom.fit(&x, &MemoryBudget::mebibytes(1))?;
/// let features = Ridge::on_features(map).lambda(1e-3).fit(&x, &y)?;
/// assert!((features.predict(&x)?[1] - exact[1]).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// A kernel that is not known to be positive semi-definite is refused at compile time:
/// ```compile_fail,E0277
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// Ridge::on_kernel(Sigmoid::new(1.0, 0.0)?).fit(&x, &[0.0, 1.0, 0.0])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// unless its user answers for it:
/// ```
/// use kern_core::{Samples, closure::AssumeMercer, kernels::Sigmoid};
/// use kern_solvers::ridge::Ridge;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let kernel = AssumeMercer(Sigmoid::new(0.1, 0.0)?);
/// assert!(Ridge::on_kernel(kernel).lambda(0.1).fit(&x, &[0.0, 1.0, 0.0]).is_ok());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ridge<S> {
    pub(super) space: S,
    pub(super) settings: Settings,
}

/// All that does not belong to the space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) class_weights: ClassWeights,
    pub(super) solver: RidgeSolver,
    pub(super) rank: Option<usize>,
    pub(super) stored: Option<bool>,
    pub(super) sampled: Option<usize>,
    pub(super) tolerance: Option<f64>,
    pub(super) max_iterations: Option<usize>,
    pub(super) seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lambda: tolerance::DEFAULT_LAMBDA,
            intercept: false,
            class_weights: ClassWeights::Equal,
            solver: RidgeSolver::Auto,
            rank: None,
            stored: None,
            sampled: None,
            tolerance: None,
            max_iterations: None,
            seed: 0,
        }
    }
}

/// The solver of the linear system of ridge regression on a kernel. All of them give the same model up to the
/// gap of its report.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::ridge::{Ridge, RidgeSolver};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, -1.0];
/// let ridge = Ridge::on_kernel(Rbf::new(0.5)?).lambda(1e-3);
/// let direct = ridge.fit(&x, &y)?;
/// let iterated = ridge.solver(RidgeSolver::ConjugateGradients).tolerance(1e-20).fit(&x, &y)?;
/// assert!((direct.predict(&x)?[1] - iterated.predict(&x)?[1]).abs() < 1e-9);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RidgeSolver {
    /// Cholesky factorisation of up to 2000 points, else the way of [`RidgeTask`](super::RidgeTask) that
    /// takes the least counted work within the memory budget; conjugate gradients if the matrix does not fit.
    #[default]
    Auto,
    /// Cholesky factorisation of the stored kernel matrix.
    Cholesky,
    /// Preconditioned conjugate gradients, see the [module](crate::ridge).
    ConjugateGradients,
}

impl<K> Ridge<OnKernel<K>> {
    /// Ridge regression with this kernel and the default λ.
    pub fn on_kernel(kernel: K) -> Self {
        Self::on(OnKernel::new(kernel))
    }

    /// The solver of the linear system. Default: [`RidgeSolver::Auto`].
    #[must_use]
    pub fn solver(mut self, solver: RidgeSolver) -> Self {
        self.settings.solver = solver;
        self
    }

    /// The rank k of the preconditioner of conjugate gradients, 0 for none. Default: as long as more of it is
    /// predicted to save more time than it takes, within the memory budget.
    #[must_use]
    pub fn rank(mut self, rank: usize) -> Self {
        self.settings.rank = Some(rank);
        self
    }

    /// Sets whether conjugate gradients keep the kernel values, n²/2 numbers, or compute them in every iteration.
    /// Default: kept if the budget allows.
    #[must_use]
    pub fn stored(mut self, stored: bool) -> Self {
        self.settings.stored = Some(stored);
        self
    }
}

impl<K> Ridge<OnLandmarks<K>> {
    /// Ridge regression on landmarks that these parameters choose, with the default λ.
    pub fn on_landmarks(nystrom: Nystrom<K>) -> Self {
        Self::on(OnLandmarks::new(nystrom))
    }

    /// The number s of points that make the preconditioner. Default: eight for each feature.
    #[must_use]
    pub fn sampled(mut self, sampled: usize) -> Self {
        self.settings.sampled = Some(sampled);
        self
    }
}

impl<K> Ridge<Auto<K>> {
    /// Ridge regression in the space that is planned for this kernel, with the default λ; for features beside it,
    /// or a fixed way, [`Ridge::on`] takes an [`Auto`] with them.
    pub fn auto(kernel: K) -> Self {
        Self::on(Auto::new(kernel))
    }
}

impl<M> Ridge<OnFeatures<M>> {
    /// Ridge regression on the features of this map, by their normal equations, with the default λ.
    ///
    /// Features are computed in panels and not kept, so n may be anything. The report carries a bound on how far the
    /// objective is from its minimum, from features that are computed a second time for it.
    pub fn on_features(map: M) -> Self {
        Self::on(OnFeatures::new(map))
    }
}

impl<S> Ridge<S> {
    /// Ridge regression in this space, with the default λ.
    pub fn on(space: S) -> Self {
        Self { space, settings: Settings::default() }
    }

    /// The penalty λ > 0 of ‖f‖², per sample. Default: 1e-6.
    ///
    /// Only nλ matters, where n is the number of points, those of weight zero included: m points with
    /// positive weights do as well alone with λ' = nλ/m, and integer weights are repeated points with
    /// λ' = nλ/Σβ.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.settings.lambda = lambda;
        self
    }

    /// Sets whether f has an intercept, which is not penalised. Default: false.
    #[must_use]
    pub fn intercept(mut self, intercept: bool) -> Self {
        self.settings.intercept = intercept;
        self
    }

    /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.settings.class_weights = weights;
        self
    }

    /// The duality gap, relative to the objective of each output, at which an iteration ends; direct solvers do not
    /// look at it. Default on a kernel: 1e-10, and 1e-6 for points in single precision; on landmarks 1e-6 and 1e-5.
    ///
    /// The root mean square of f − f* over the points, each counted with its weight, is at most √gap. A gap that
    /// rounding does not allow ends the fit with [`Status::Stalled`](crate::Status::Stalled) and the gap that was
    /// reached.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = Some(tolerance);
        self
    }

    /// The greatest number of iterations. Default: 1000 on a kernel, 100 on landmarks.
    #[must_use]
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.settings.max_iterations = Some(max_iterations);
        self
    }

    /// The seed of preconditioners. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    fit_sugar!(supervised);
}

impl Settings {
    /// λ, and a check of all else that needs no data.
    pub(super) fn checked(&self) -> Result<f64, Error> {
        if let Some(tolerance) = self.tolerance {
            Positive::new("tolerance", tolerance)?;
        }
        for (name, given) in [("max_iterations", self.max_iterations), ("sampled", self.sampled)] {
            if given == Some(0) {
                return Err(Error::Count { name, given: 0, allowed: "at least 1" });
            }
        }
        Ok(Positive::new("lambda", self.lambda)?.get())
    }

    /// The relative gap of conjugate gradients on a kernel.
    pub(super) fn gap<T: Scalar>(&self) -> f64 {
        let double = size_of::<T>() == size_of::<f64>();
        let default = if double { tolerance::CG_GAP } else { tolerance::CG_GAP_SINGLE };
        self.tolerance.unwrap_or(default)
    }

    /// The most iterations of conjugate gradients on a kernel.
    pub(super) fn most(&self) -> usize {
        self.max_iterations.unwrap_or(tolerance::CG_ITERATIONS)
    }
}
