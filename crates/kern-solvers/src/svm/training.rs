//! The training problem that all SVM estimators share: points, a goal, stopping rules, and the
//! space that solves it.

use super::{OneClass, Svc, Svdd, Svr};
use crate::estimator::check;
use crate::model::learned;
use crate::space::{OnFeatures, OnLandmarks, OnSparse, Space};
use crate::{Error, MultiClass, Observer, Report, Run};
use faer::MatRef;
use kern_core::parameters::{Domain, Scale, Setting};
use kern_core::{Decay, NonNegative, Points, Positive, Scalar, fields, named_values, settings};
use serde::{Deserialize, Serialize};

/// Default violation of the optimality conditions of a support vector machine, in units of the margin: LIBSVM's.
const DEFAULT_VIOLATION: f64 = 1e-3;

/// Steps after which a fit may stop without convergence, and additional steps per variable, as in
/// LIBSVM.
const SMALLEST_STEPS: usize = 10_000_000;
const STEPS_PER_VARIABLE: usize = 100;

/// A space in which support vector machines are trained. Sealed: its methods take types that cannot
/// be named outside.
pub trait SvmSpace<P: Points>: Space<P> {
    #[doc(hidden)]
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(Self::Function, Report), Error>;

    /// True if fits for several penalties or levels share work.
    #[doc(hidden)]
    const HAS_PATH: bool = false;

    /// Fits several goals on the same points that differ in their penalties or levels.
    #[doc(hidden)]
    fn train_path(
        &self,
        _path: &[Training<'_, P>],
        _run: &mut Run<'_>,
    ) -> Result<Vec<(Self::Function, Report)>, Error> {
        let (what, instead) = ("a path of machines in this space", "use OnKernel");
        Err(Error::Unsupported { what, instead })
    }
}

/// The training points, and the goal to fit.
#[derive(Debug)]
pub struct Training<'t, P: Points> {
    pub(super) points: &'t P,
    /// Sample weights times class weights; `None` if all are 1.
    pub(super) weights: Option<&'t [f64]>,
    pub(super) goal: Goal<'t, P::Scalar>,
    pub(super) stopping: &'t Stopping,
}

/// Checks everything that does not depend on the space, and trains.
pub(super) fn train<P: Points, S: SvmSpace<P>>(
    space: &S,
    training: &Training<'_, P>,
    run: &mut Run<'_>,
) -> Result<(S::Function, Report), Error> {
    training.goal.check(training.stopping.intercept)?;
    check(training.stopping)?;
    learned(space.train(training, run)?)
}

/// Checks everything that does not depend on the space, and trains once per goal.
pub(super) fn train_path<P: Points, S: SvmSpace<P>>(
    space: &S,
    path: &[Training<'_, P>],
    run: &mut Run<'_>,
) -> Result<Vec<(S::Function, Report)>, Error> {
    for training in path {
        check(training.stopping)?;
        training.goal.check(training.stopping.intercept)?;
    }
    if path.is_empty() {
        return Ok(Vec::new());
    }
    space.train_path(path, run)?.into_iter().map(learned).collect()
}

/// The values along a path.
pub(super) fn numbers(values: &[Setting]) -> Result<Vec<f64>, Error> {
    let number = |value: &Setting| {
        let (what, instead) = ("a path through what is no number", "learn the models one by one");
        value.as_f64().ok_or(Error::Unsupported { what, instead })
    };
    values.iter().map(number).collect()
}

/// Fails if the path is not supported.
pub(super) fn check_path(has: bool) -> Result<(), Error> {
    let (what, instead) = ("this path of machines", "learn them one by one");
    if has { Ok(()) } else { Err(Error::Unsupported { what, instead }) }
}

/// The goal of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal<'t, T> {
    /// Classification; labels are class indices.
    Classes {
        labels: &'t [usize],
        classes: usize,
        multi_class: MultiClass,
        formulation: Formulation,
    },
    /// Regression; targets are points × outputs.
    Values { targets: MatRef<'t, T>, c: f64, tube: Tube },
    /// One-class SVM.
    Region { nu: f64 },
    /// SVDD.
    Ball { nu: f64 },
}

impl<T: Scalar> Goal<'_, T> {
    /// True for ν-SVC and ν-SVR, which fix the sums of two groups of coefficients.
    fn has_nu(&self) -> bool {
        matches!(self, Self::Classes { formulation: Formulation::Nu(_), .. })
            || matches!(self, Self::Values { tube: Tube::Nu(_), .. })
    }

    /// The same goal with another C.
    pub(super) fn with_penalty(self, c: f64) -> Self {
        match self {
            Self::Classes { labels, classes, multi_class, .. } => {
                let formulation = Formulation::of(c);
                Self::Classes { labels, classes, multi_class, formulation }
            }
            Self::Values { targets, tube, .. } => Self::Values { targets, c, tube },
            Self::Region { .. } | Self::Ball { .. } => self,
        }
    }

    /// Fails for combinations that no space supports.
    fn check(&self, intercept: bool) -> Result<(), Error> {
        if self.has_nu() && !intercept {
            let (what, instead) = ("nu without an intercept", "use c, or epsilon, or an intercept");
            return Err(Error::Unsupported { what, instead });
        }
        match *self {
            Self::Classes { formulation, multi_class, .. } => {
                if multi_class == MultiClass::Softmax {
                    let what = "a support vector machine with softmax";
                    let instead = "use MultiClass::OneVsOne or MultiClass::OneVsRest";
                    return Err(Error::Unsupported { what, instead });
                }
                formulation.check()
            }
            Self::Values { c, tube, .. } => {
                Positive::new("c", c)?;
                tube.check()
            }
            Self::Region { nu } | Self::Ball { nu } => Ok(Decay::new("nu", nu).map(|_| ())?),
        }
    }

    /// The same goal with another quantile level; unchanged without quantile.
    pub(super) fn with_level(self, level: f64) -> Self {
        match self {
            Self::Values { targets, c, tube: Tube::Quantile(_) } => {
                Self::Values { targets, c, tube: Tube::Quantile(level) }
            }
            other => other,
        }
    }

    /// Fails for goals that dual coordinate descent on features does not support.
    pub(super) fn check_features(&self, squared: bool) -> Result<(), Error> {
        if squared && matches!(self, Self::Values { tube: Tube::Quantile(_), .. }) {
            let what = "the squared loss of a quantile";
            return Err(Error::Unsupported { what, instead: "do not use squared" });
        }
        if self.has_nu() {
            let instead = "use c, or epsilon, or a machine on a kernel";
            return Err(Error::Unsupported { what: "nu on features", instead });
        }
        if let Self::Classes { formulation, .. } = self {
            Positive::new("c", formulation.penalty())?;
        }
        Ok(())
    }
}

/// The formulation of classification.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Formulation {
    /// C-SVC with a finite penalty.
    C(f64),
    /// C-SVC with a hard margin. A variant of its own, because not every file format can store
    /// infinity.
    Hard,
    /// ν-SVC.
    Nu(f64),
}

impl Formulation {
    pub(super) fn of(c: f64) -> Self {
        if c.is_infinite() && c > 0.0 { Self::Hard } else { Self::C(c) }
    }

    /// The penalty C; 1 for ν-SVC, as in LIBSVM.
    pub(super) fn penalty(self) -> f64 {
        match self {
            Self::C(c) => c,
            Self::Hard => f64::INFINITY,
            Self::Nu(_) => 1.0,
        }
    }

    fn check(self) -> Result<(), Error> {
        match self {
            Self::C(c) => Positive::new("c", c).map(|_| ())?,
            Self::Hard => (),
            Self::Nu(nu) => Decay::new("nu", nu).map(|_| ())?,
        }
        Ok(())
    }
}

/// The domain of C; infinity is a name.
const PENALTIES: Domain = Domain::NameOr(&["infinite"], const { &Domain::positive() });

named_values!(@value Formulation { "infinite" => Hard, "nu" => Nu(0.5) } or C(f64) in Domain::positive());
fields!(Formulation {
    Self::Nu(nu) => { "nu": nu in Domain::fraction() }
    penalty => { "c": penalty in PENALTIES }
});

/// The loss of regression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Tube {
    /// ε-insensitive with this half-width.
    Epsilon(f64),
    /// ε-insensitive with a half-width determined by this fraction ν.
    Nu(f64),
    /// The quantile (pinball) loss of this level: positive residuals cost this factor, negative
    /// ones 1 minus it.
    Quantile(f64),
}

/// The domain of quantile levels; at 0 and 1 the quantiles would be infinite.
const LEVELS: Domain =
    Domain::Real { smallest: 0.0, largest: 1.0_f64.next_down(), open: true, scale: Scale::Linear };

impl Tube {
    fn check(self) -> Result<(), Error> {
        match self {
            Self::Epsilon(epsilon) => NonNegative::new("epsilon", epsilon).map(|_| ())?,
            Self::Nu(nu) => Decay::new("nu", nu).map(|_| ())?,
            Self::Quantile(level) => LEVELS.accept("quantile", &level.into()).map(|_| ())?,
        }
        Ok(())
    }

    /// The bounds l ≤ 0 ≤ u of a coefficient whose point has penalty `c`.
    pub(super) fn bounds(self, c: f64) -> (f64, f64) {
        match self {
            Self::Quantile(level) => ((level - 1.0) * c, level * c),
            _ => (-c, c),
        }
    }
}

fields!(Tube {
    Self::Epsilon(width) => { "epsilon": width in Domain::non_negative() }
    Self::Nu(nu) => { "nu": nu in Domain::fraction() }
    Self::Quantile(level) => { "quantile": level in LEVELS }
});

settings! {
    /// The settings of novelty detection.
    pub(super) struct Region in region;

    OneClass, Svdd {
        /// The fraction ν in (0, 1]. Default: 0.5.
        #[doc(alias = "outlier fraction")]
        #[doc(alias = "contamination")]
        nu: f64 = 0.5, Domain::fraction();
    }
}

settings! {
    /// The settings that all SVM estimators share.
    pub(super) struct Stopping in stopping;

    Svc, Svr, OneClass, Svdd {
        /// The largest allowed violation of the optimality conditions, in units of the margin, or
        /// of the squared radius for SVDD. Default: 1e-3, as in LIBSVM. In addition, the relative
        /// duality gap must be at most 1 %, or the violation if that is larger. If the gap is at
        /// most `tolerance` (or the violation, if `tolerance` is not set), the status is
        /// [`Status::Converged`](crate::Status::Converged), otherwise
        /// [`Status::ConvergedByViolation`](crate::Status::ConvergedByViolation).
        ///
        /// If rounding makes this violation unattainable, the fit ends with
        /// [`Status::Stalled`](crate::Status::Stalled) or
        /// [`Status::IterationsDone`](crate::Status::IterationsDone), and reports the violation it
        /// reached.
        #[doc(alias = "tol")]
        #[doc(alias = "tolerance")]
        #[doc(alias = "epsilon")]
        violation: f64 = DEFAULT_VIOLATION, Domain::positive();
        /// The relative duality gap at which a fit also stops. Default: not set.
        tolerance: f64, Domain::non_negative().log();
        /// The largest number of steps for each problem. A fit that reaches it has the status
        /// [`Status::IterationsDone`](crate::Status::IterationsDone). Default: 10⁷ or 100 per
        /// variable, whichever is larger, as in LIBSVM.
        max_iterations: usize;
    }
    Svc, Svr {
        /// Fits an intercept b, which is not penalised. Without one the coefficients are not
        /// coupled, and dual coordinate ascent solves the problem. Default: true.
        intercept: bool = true;
    }
    Svc, Svr on OnFeatures, OnLandmarks, OnSparse {
        /// Squared losses, C Σξᵢ² instead of C Σξᵢ, as in LIBLINEAR. Default: false.
        squared: bool = false;
    }
    Svc, Svr, OneClass, Svdd on OnFeatures, OnLandmarks, OnSparse {
        /// The random seed of the order in which coefficients are visited. Default: 0.
        seed: u64 = 0;
    }
}

impl Stopping {
    /// The largest number of steps of a problem of n variables.
    pub(super) fn most_steps(&self, n: usize) -> usize {
        let default = || STEPS_PER_VARIABLE.saturating_mul(n).max(SMALLEST_STEPS);
        self.max_iterations.unwrap_or_else(default)
    }

    /// The stopping rules for problems of n variables.
    pub(super) fn control<'o>(
        &self,
        n: usize,
        observer: Option<&'o mut dyn Observer>,
    ) -> Control<'o> {
        let max_iterations = self.most_steps(n);
        Control { violation: self.violation, gap: self.tolerance, max_iterations, observer }
    }
}

/// The stopping rules of a fit.
pub(super) struct Control<'o> {
    pub(super) violation: f64,
    /// Relative to the primal objective.
    pub(super) gap: Option<f64>,
    pub(super) max_iterations: usize,
    pub(super) observer: Option<&'o mut dyn Observer>,
}
