//! Support vector regression: ε-SVR, ν-SVR and quantile regression, on a kernel, landmarks or
//! features.

use super::training::{
    Goal, Stopping, SvmSpace, Training, Tube, check_path, numbers, train, train_path,
};
use crate::model::Regression;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, OnSparse, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar, tolerance};
use kern_core::parameters::{Domain, Setting};
use kern_core::{Points, settings};
use serde::{Deserialize, Serialize};

/// Support vector regression (ε-SVR, or ν-SVR if ν is set) on a kernel, landmarks or features.
///
/// # Definition
/// ε-SVR minimises ½‖f‖² + C Σ max(0, |yᵢ − f(xᵢ) − b| − ε). ν-SVR minimises
/// ½‖f‖² + C(νnε + Σ max(0, |yᵢ − f(xᵢ) − b| − ε)) over f, b and ε, with C as in LIBSVM: at most a
/// fraction ν of the points lies outside of the tube, and at least a fraction ν are support
/// vectors; the resulting ε is in [`SvmDetails::widths`](crate::SvmDetails::widths). Quantile
/// regression at level τ minimises ½‖f‖² + C Σ max(τrᵢ, (τ − 1)rᵢ) with rᵢ = yᵢ − f(xᵢ) − b; in the
/// dual C(τ − 1) ≤ βᵢ ≤ Cτ. Several outputs are separate problems that share the kernel values.
///
/// # Complexity
/// As [`Svc`](super::Svc), with one variable per point and output; two for ν-SVR.
///
/// # References
/// Vapnik (1998), *Statistical Learning Theory*; Schölkopf, Smola, Williamson & Bartlett (2000),
/// *New Support Vector Algorithms*; Takeuchi, Le, Sears & Smola (2006), *Nonparametric Quantile
/// Estimation*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::Svr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let svr = Svr::on_kernel(Linear).c(10.0).epsilon(0.0).violation(1e-9);
/// let model = svr.fit(&x, &[1.0_f64, 3.0, 5.0, 70.0])?;
/// // The outlier has no say: least absolute deviations.
/// assert!((model.predict(&x)?[3] - 7.0).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "SVM")]
#[doc(alias = "support vector regression")]
#[doc(alias = "LIBSVM")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svr<S> {
    space: S,
    values: Values,
    pub(super) stopping: Stopping,
}

settings! {
    /// The settings of regression.
    struct Values in values;

    Svr {
        /// The penalty C > 0 of residuals beyond ε, as in LIBSVM. Default: 1.
        #[doc(alias = "cost")]
        #[doc(alias = "penalty")]
        c: f64 = 1.0, Domain::positive();
    }
    Svr by hand {
        tube: Tube = Tube::Epsilon(tolerance::DEFAULT_TUBE);
    }
}

named_learners! { Svr: values, stopping; }

constructors! {
    Svr;
    /// Regression with this kernel, C = 1 and ε = 0.1.
    on_kernel;
    /// Regression on the landmarks of this Nyström approximation, with C = 1 and ε = 0.1.
    on_landmarks;
    /// Regression on the features of this map, with C = 1 and ε = 0.1.
    on_features;
    /// Regression on the sparse features of this map, with C = 1 and ε = 0.1.
    on_sparse;
}

impl<S> Svr<S> {
    fn on(space: S) -> Self {
        Self { space, values: Values::default(), stopping: Stopping::default() }
    }

    /// The tube half-width ε ≥ 0: residuals up to ε cost nothing. Replaces ν. Default: 0.1.
    #[doc(alias = "tube")]
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.values.tube = Tube::Epsilon(epsilon);
        self
    }

    /// The fraction ν in (0, 1]. Replaces ε. Requires a kernel and an intercept.
    #[doc(alias = "NuSVR")]
    #[doc(alias = "nu-SVR")]
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.values.tube = Tube::Nu(nu);
        self
    }

    /// The level τ in (0, 1) of a conditional quantile. Replaces ε and ν; not available with
    /// squared losses.
    ///
    /// The quantile loss at τ = ½ is half of the absolute error: twice the C gives the same fit as
    /// ε = 0. With an intercept, at most a fraction τ of the points lies strictly below the curve,
    /// and at most 1 − τ strictly above. For several levels see
    /// [`QuantileCurves`](crate::intervals::QuantileCurves).
    #[must_use]
    pub fn quantile(mut self, level: f64) -> Self {
        self.values.tube = Tube::Quantile(level);
        self
    }

    fit_sugar!(supervised);
}

/// # Errors
/// As [`Svc`](super::Svc), and [`Error::Core`] for ε < 0 or an infinite C.
impl<P, Y, S> Learner<P, Y> for Svr<S>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    S: SvmSpace<P>,
{
    type Model = Y::Model<S::Function>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let goal = Goal::Values {
            targets: data.targets().matrix(),
            c: self.values.c,
            tube: self.values.tube,
        };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(Y::model(function, report))
    }

    /// On a kernel, fits for several `c`, or for several levels `quantile`, share the kernel
    /// matrix, and each starts from the previous solution.
    fn has_path(&self, name: &str) -> bool {
        let shared = match self.values.tube {
            Tube::Epsilon(_) => name == "c",
            Tube::Nu(_) => false,
            Tube::Quantile(_) => name == "c" || name == "quantile",
        };
        S::HAS_PATH && shared
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        check_path(Learner::<P, Y>::has_path(self, name))?;
        let (targets, tube) = (data.targets().matrix(), self.values.tube);
        let goal = Goal::Values { targets, c: self.values.c, tube };
        let (points, weights, stopping) = (data.points(), data.sample_weights(), &self.stopping);
        let training = Training { points, weights, goal, stopping };
        let other = |value| match name {
            "c" => Training { goal: goal.with_penalty(value), ..training },
            _ => Training { goal: goal.with_level(value), ..training },
        };
        let path: Vec<_> = numbers(values)?.into_iter().map(other).collect();
        let learned = train_path(&self.space, &path, run)?;
        Ok(learned.into_iter().map(|(function, report)| Y::model(function, report)).collect())
    }
}
