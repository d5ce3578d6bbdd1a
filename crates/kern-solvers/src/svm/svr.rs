//! Support vector regression: ε-SVR, ν-SVR and quantiles, on a kernel, on landmarks or on features.

use super::training::{
    Goal, Stopping, SvmSpace, Training, Tube, check_path, numbers, train, train_path,
};
use crate::model::Regression;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, OnSparse, constructors, named_learners};
use crate::{Data, Error, Learner, Run, fit_sugar, tolerance};
use kern_core::parameters::{Domain, Setting};
use kern_core::{Points, settings};
use serde::{Deserialize, Serialize};

/// Support vector regression, on a kernel, on landmarks or on features: ε-SVR, or ν-SVR once ν is set.
///
/// # Definition
/// ε-SVR minimises ½‖f‖² + C Σ max(0, |yᵢ − f(xᵢ) − b| − ε). ν-SVR minimises ½‖f‖² + C(νnε + Σ max(0, |yᵢ − f(xᵢ) − b| − ε))
/// over f, b and ε, with LIBSVM's C: at most a share ν of the points lies outside of the tube, and at least a share ν are
/// support vectors; its ε is [`SvmDetails::widths`](crate::SvmDetails::widths). Of a quantile τ, it minimises
/// ½‖f‖² + C Σ max(τrᵢ, (τ − 1)rᵢ), rᵢ = yᵢ − f(xᵢ) − b: in the dual C(τ − 1) ≤ βᵢ ≤ Cτ. Each of several outputs is a
/// problem of its own, and they share the kernel values.
///
/// # Complexity
/// As [`Svc`](super::Svc): one variable per point and output, two for ν-SVR.
///
/// # References
/// Vapnik (1998), *Statistical Learning Theory*; Schölkopf, Smola, Williamson & Bartlett (2000), *New Support Vector
/// Algorithms*; Takeuchi, Le, Sears & Smola (2006), *Nonparametric Quantile Estimation*.
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
    /// The values that are regressed.
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
    /// Regression on landmarks that these parameters choose, with C = 1 and ε = 0.1.
    on_landmarks;
    /// Regression on the features of this map with C = 1 and ε = 0.1.
    on_features;
    /// Regression on the sparse features of this map with C = 1 and ε = 0.1.
    on_sparse;
}

impl<S> Svr<S> {
    fn on(space: S) -> Self {
        Self { space, values: Values::default(), stopping: Stopping::default() }
    }

    /// ε ≥ 0: residuals up to it cost nothing. It replaces ν. Default: 0.1.
    #[doc(alias = "tube")]
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.values.tube = Tube::Epsilon(epsilon);
        self
    }

    /// The share ν of (0, 1] in the place of ε. On a kernel, with an intercept.
    #[doc(alias = "NuSVR")]
    #[doc(alias = "nu-SVR")]
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.values.tube = Tube::Nu(nu);
        self
    }

    /// The level τ of (0, 1) of a conditional quantile, in the place of ε and ν; not for squared losses.
    ///
    /// Half of the losses are the absolute ones: τ = ½ with twice the C is the machine with ε = 0. With an intercept, at most a
    /// share τ of the points lies strictly below the curve, and at most 1 − τ strictly above.
    /// [`QuantileCurves`](crate::intervals::QuantileCurves) are those of several levels.
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

    /// On a kernel, machines of several `c`, or of several levels `quantile`, share the kernel matrix, and each starts where
    /// the one before ended.
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
