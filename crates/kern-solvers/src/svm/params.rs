//! Parameters of support vector machines.

use super::goal::{Formulation, Tube};
use super::stopping::Stopping;
use crate::space::{OnFeatures, OnKernel, OnLandmarks, OnSparse, constructors, named_learners};
use crate::{ClassWeights, MultiClass, fit_sugar, tolerance};
use kern_core::parameters::Domain;
use kern_core::settings;
use serde::{Deserialize, Serialize};

/// Support vector classification, on a kernel, on landmarks or on features: C-SVC, or ν-SVC once ν is set.
///
/// # Definition
/// C-SVC minimises ½‖f‖² + C Σ max(0, 1 − yᵢ(f(xᵢ) + b)), with C as in LIBSVM. ν-SVC minimises ½‖f‖² − νnρ +
/// Σ max(0, ρ − yᵢ(f(xᵢ) + b)), in the units of LIBSVM, and the function is then scaled so that the margin ρ is 1: at
/// most a share ν of the points (of each binary problem) lies on the wrong side of its margin, and at least a share ν are
/// support vectors. The report of ν-SVC is about the problem before scaling.
///
/// # Complexity
/// On a kernel n²/2 kernel evaluations and n² numbers if they fit the memory, else n evaluations for every column that
/// a point of a block needs, of which as many are kept as fit. A step takes time proportional to its block, at most
/// 1024 points; a round, 2n for each coefficient that changed. On D features 2D flops for a visit and as many for a step, n
/// visits in the first pass and fewer in later ones; nD numbers if they fit, else blocks of features, computed
/// again in every pass. Landmarks are features until the end, and then a pass over the kernel values.
///
/// # References
/// Cortes & Vapnik (1995), *Support-Vector Networks*; Schölkopf, Smola, Williamson & Bartlett (2000), *New Support Vector
/// Algorithms*; Crisp & Burges (2000), *A Geometric Interpretation of ν-SVM Classifiers*, for which ν there is a solution.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, svm::Svc};
/// let x = Samples::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])?;
/// let y = ["same", "same", "different", "different"];
/// let model = Svc::on_kernel(Rbf::new(1.0)?).c(10.0).fit(&x, &y)?;
/// assert_eq!(model.predict(&x)?, y);
/// let Details::Svm(details) = &model.report().details else { panic!() };
/// assert_eq!(details.support, [2, 3, 0, 1]); // by classes
/// assert_eq!(Svc::on_kernel(Rbf::new(1.0)?).nu(0.5).fit(&x, &y)?.predict(&x)?, y);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
/// On landmarks, and on their features; here all points are landmarks, so the problem is the same:
/// ```
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::svm::Svc;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = ["no", "yes", "yes", "no"];
/// let nystrom = Nystrom::new(Rbf::new(0.5)?).landmarks(4);
/// let exact = Svc::on_kernel(Rbf::new(0.5)?).c(10.0).violation(1e-9).fit(&x, &y)?;
/// let landmarks = Svc::on_landmarks(nystrom.clone()).c(10.0).violation(1e-7).fit(&x, &y)?;
/// assert!((landmarks.report().objective / exact.report().objective - 1.0).abs() < 1e-6);
/// let map = nystrom.fit(&x, &MemoryBudget::mebibytes(1))?;
/// let features = Svc::on_features(map).c(10.0).violation(1e-9).fit(&x, &y)?;
/// assert!((features.report().objective / exact.report().objective - 1.0).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "SVM")]
#[doc(alias = "support vector machine")]
#[doc(alias = "LIBSVM")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svc<S> {
    pub(super) space: S,
    pub(super) classes: Classes,
    pub(super) stopping: Stopping,
}

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
/// As [`Svc`]: one variable per point and output, two for ν-SVR.
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
    pub(super) space: S,
    pub(super) values: Values,
    pub(super) stopping: Stopping,
}

/// The region where most points lie: a one-class support vector machine.
///
/// At most a share ν of the points lies outside, and at least a share ν are support vectors.
///
/// # Definition
/// minimise ½‖f‖² − νnρ + Σ max(0, ρ − f(xᵢ)); inside is f(x) > ρ. In the dual 0 ≤ αᵢ ≤ 1 and Σα = νn, as in LIBSVM.
///
/// # Complexity
/// As [`Svc`].
///
/// # References
/// Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001), *Estimating the Support of a High-Dimensional
/// Distribution*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::svm::OneClass;
/// let rows: Vec<[f64; 1]> = (0..20).map(|i| [0.1 * f64::from(i)]).collect();
/// let model = OneClass::on_kernel(Rbf::new(1.0)?).nu(0.1).fit(&Samples::from_rows(&rows)?)?;
/// assert_eq!(model.predict(&Samples::from_rows(&[[1.0], [5.0]])?)?, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "one-class SVM")]
#[doc(alias = "OCSVM")]
#[doc(alias = "novelty")]
#[doc(alias = "novelty detection")]
#[doc(alias = "outlier detection")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClass<S> {
    pub(super) space: S,
    pub(super) region: Region,
    pub(super) stopping: Stopping,
}

/// The smallest ball around most points of a feature space, on a kernel or on features: support vector data description.
///
/// # Definition
/// minimise R² + 1/(νn) Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ and ξᵢ ≥ 0; the model's function is R² − ‖φ(x) − a‖², greater
/// than 0 inside. In the dual a = Σαᵢφ(xᵢ) with 0 ≤ αᵢ ≤ 1/(νn) and Σα = 1, where Σ αᵢK(xᵢ, xᵢ) − ‖a‖² is greatest. Points of
/// weight wᵢ have the bounds wᵢ/(νΣw). At most a share ν lies outside, and at least a share ν are support vectors.
///
/// Where K(x, x) is the same for all points, it is the region of [`OneClass`] with the same ν: with the ρ and Σα = νn of
/// that, R² − ‖φ(x) − a‖² is 2(f(x) − ρ)/(νn). Elsewhere it is another one: that of a linear kernel is a ball.
///
/// If νn ≤ 1 the ball is hard: it has all points, and every such ν has the same one. Objective and gap are then
/// those of the penalty 1, the least that makes it so. Where no αᵢ is between its bounds, every R² of an interval is optimal, and the midpoint is
/// taken; if ν = 1, where R² may be anything up to the least squared distance, that.
///
/// The radius R is that of [`Ball::radius`](crate::model::Ball::radius), and in [`SvmDetails::widths`](crate::SvmDetails::widths).
///
/// # Complexity
/// As [`Svc`].
///
/// # References
/// Tax & Duin (2004), *Support Vector Data Description*, equations (3) and (8); Chang, Lee & Lin (2013), *A Revisit to Support
/// Vector Data Description*, theorems 2 and 3, for C = 1/(νn) ≥ 1/n and the radius.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::svm::Svdd;
/// let x = Samples::from_rows(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])?;
/// let model = Svdd::on_kernel(Linear).nu(0.1).violation(1e-9).fit(&x)?;
/// // The circle through three of them.
/// assert!((model.decision().radius() - 2.0_f64.sqrt()).abs() < 1e-6);
/// let inside = model.predict(&Samples::from_rows(&[[1.0, 1.5], [2.0, 2.5]])?)?;
/// assert_eq!(inside, [true, false]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "support vector data description")]
#[doc(alias = "novelty detection")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svdd<S> {
    pub(super) space: S,
    pub(super) region: Region,
    pub(super) stopping: Stopping,
}

settings! {
    /// The classes that are told apart.
    pub(super) struct Classes in classes;

    Svc by hand {
        formulation: Formulation = Formulation::C(1.0);
    }
    Svc {
        /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The binary problems of more than two classes: [`MultiClass::OneVsOne`], the default on a kernel, or
        /// [`MultiClass::OneVsRest`], the default on features and landmarks, where each is solved by a thread of its own.
        multi_class: MultiClass = MultiClass::OneVsRest;
    }
}

settings! {
    /// The values that are regressed.
    pub(super) struct Values in values;

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

settings! {
    /// The region of most points.
    pub(super) struct Region in region;

    OneClass, Svdd {
        /// The share ν of (0, 1]. Default: 0.5.
        #[doc(alias = "outlier fraction")]
        #[doc(alias = "contamination")]
        nu: f64 = 0.5, Domain::fraction();
    }
}

named_learners! {
    Svc: classes, stopping;
    Svr: values, stopping;
    OneClass: region, stopping;
    Svdd: region, stopping;
}

constructors! {
    Svc;
    /// Classification on landmarks that these parameters choose, with C = 1, several classes each against the rest.
    on_landmarks;
    /// Classification on the features of this map with C = 1, several classes each against the rest.
    on_features;
    /// Classification on the sparse features of this map with C = 1, several classes each against the rest.
    on_sparse;
}

impl<K> Svc<OnKernel<K>> {
    /// Classification with this kernel and C = 1, several classes in pairs.
    pub fn on_kernel(kernel: K) -> Self {
        Self::on(OnKernel::new(kernel)).multi_class(MultiClass::OneVsOne)
    }
}

impl<S> Svc<S> {
    fn on(space: S) -> Self {
        Self { space, classes: Classes::default(), stopping: Stopping::default() }
    }

    /// The penalty C > 0 of Σξᵢ, as in LIBSVM; 1/(nλ) for the λ of [`Sgd`](crate::sgd::Sgd). On a kernel it may be
    /// infinite, for a hard margin. It replaces ν. Default: 1.
    #[doc(alias = "cost")]
    #[doc(alias = "penalty")]
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.classes.formulation = Formulation::of(c);
        self
    }

    /// The share ν of (0, 1], at most twice that of the rarer class, in the place of C. On a kernel, with an
    /// intercept and without weights of classes: ν fixes the sum of the coefficients of each class.
    #[doc(alias = "NuSVC")]
    #[doc(alias = "nu-SVC")]
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.classes.formulation = Formulation::Nu(nu);
        self
    }

    fit_sugar!(supervised);
}

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

constructors! {
    OneClass;
    /// The region of this kernel with ν = ½.
    on_kernel;
    /// The region on landmarks that these parameters choose, with ν = ½.
    on_landmarks;
    /// The region on the features of this map with ν = ½.
    on_features;
    /// The region on the sparse features of this map with ν = ½.
    on_sparse;
}

impl<S> OneClass<S> {
    fn on(space: S) -> Self {
        Self { space, region: Region::default(), stopping: Stopping::default() }
    }

    fit_sugar!(unsupervised);
}

constructors! {
    Svdd;
    /// The ball of this kernel with ν = ½.
    on_kernel;
    /// The ball in the space of the features of this map with ν = ½.
    on_features;
}

impl<S> Svdd<S> {
    fn on(space: S) -> Self {
        Self { space, region: Region::default(), stopping: Stopping::default() }
    }

    fit_sugar!(unsupervised);
}
