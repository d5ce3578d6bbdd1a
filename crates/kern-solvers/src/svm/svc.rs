//! Support vector classification: C-SVC and ν-SVC, on a kernel, landmarks or features.

use super::training::{
    Formulation, Goal, Stopping, SvmSpace, Training, check_path, numbers, train, train_path,
};
use crate::classes::Encoded;
use crate::model::{Classifier, KernelExpansion, Vote};
use crate::space::{OnFeatures, OnKernel, OnLandmarks, OnSparse, constructors, named_learners};
use crate::{ClassWeights, Data, Error, Label, Labels, Learner, MultiClass, Run, fit_sugar};
use kern_core::parameters::Setting;
use kern_core::{Mercer, Points, settings};
use serde::{Deserialize, Serialize};

/// Support vector classification (C-SVC, or ν-SVC if ν is set) on a kernel, landmarks or features.
///
/// # Definition
/// C-SVC minimises ½‖f‖² + C Σ max(0, 1 − yᵢ(f(xᵢ) + b)), with C as in LIBSVM. ν-SVC minimises
/// ½‖f‖² − νnρ + Σ max(0, ρ − yᵢ(f(xᵢ) + b)), in the units of LIBSVM, and then scales the function
/// so that the margin ρ is 1: at most a fraction ν of the points (of each binary problem) lies on
/// the wrong side of its margin, and at least a fraction ν are support vectors. The report of ν-SVC
/// refers to the problem before scaling.
///
/// # Complexity
/// On a kernel: n²/2 kernel evaluations and n² floats if the matrix fits the memory, otherwise n
/// evaluations for each column that is needed, with as many columns cached as fit. An SMO step
/// takes time proportional to its block of at most 4096 points; an outer iteration takes 2n flops
/// for each changed coefficient. On D features: 2D flops per visit and as many per step, with n
/// visits in the first pass and fewer in later ones; nD floats if they fit, otherwise blocks of
/// features, recomputed in every pass. On landmarks: as on their features, and finally one pass
/// over the kernel values.
///
/// # References
/// Cortes & Vapnik (1995), *Support-Vector Networks*; Schölkopf, Smola, Williamson & Bartlett
/// (2000), *New Support Vector Algorithms*; Crisp & Burges (2000), *A Geometric Interpretation of
/// ν-SVM Classifiers*, for the feasible values of ν.
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
/// On landmarks, and on their features; here all points are landmarks, so the problems are the
/// same:
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
    space: S,
    classes: Classes,
    pub(super) stopping: Stopping,
}

settings! {
    /// The settings of classification.
    struct Classes in classes;

    Svc by hand {
        formulation: Formulation = Formulation::C(1.0);
    }
    Svc {
        /// Class weights; each multiplies the sample weights of its class. Default:
        /// [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// The binary problems of more than two classes: [`MultiClass::OneVsOne`] (default on a
        /// kernel) or [`MultiClass::OneVsRest`] (default on features and landmarks, where each is
        /// solved by its own thread).
        multi_class: MultiClass = MultiClass::OneVsRest;
    }
}

named_learners! { Svc: classes, stopping; }

constructors! {
    Svc;
    /// Classification on the landmarks of this Nyström approximation, with C = 1; more than two
    /// classes one-versus-rest.
    on_landmarks;
    /// Classification on the features of this map, with C = 1; more than two classes
    /// one-versus-rest.
    on_features;
    /// Classification on the sparse features of this map, with C = 1; more than two classes
    /// one-versus-rest.
    on_sparse;
}

impl<K> Svc<OnKernel<K>> {
    /// Classification with this kernel and C = 1; more than two classes one-versus-one.
    pub fn on_kernel(kernel: K) -> Self {
        Self::on(OnKernel::new(kernel)).multi_class(MultiClass::OneVsOne)
    }
}

impl<S> Svc<S> {
    fn on(space: S) -> Self {
        Self { space, classes: Classes::default(), stopping: Stopping::default() }
    }

    /// The penalty C > 0 of Σξᵢ, as in LIBSVM; C = 1/(nλ) for the λ of [`Sgd`](crate::sgd::Sgd). On
    /// a kernel it may be infinite, for a hard margin. Replaces ν. Default: 1.
    #[doc(alias = "cost")]
    #[doc(alias = "penalty")]
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.classes.formulation = Formulation::of(c);
        self
    }

    /// The fraction ν in (0, 1], at most twice the share of the smaller class. Replaces C. Requires
    /// a kernel and an intercept, and no class weights: ν fixes the sum of the coefficients of each
    /// class.
    #[doc(alias = "NuSVC")]
    #[doc(alias = "nu-SVC")]
    #[must_use]
    pub fn nu(mut self, nu: f64) -> Self {
        self.classes.formulation = Formulation::Nu(nu);
        self
    }

    fit_sugar!(supervised);
}

/// # Errors
/// [`Error::OneClass`]; [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`]
/// for weights; [`Error::Core`] for C ≤ 0, ν outside of (0, 1], a violation ≤ 0, points that the
/// kernel or the map does not accept, and on features for an infinite C; [`Error::Nu`] if ν is too
/// large for a pair of classes; [`Error::Unsupported`] for softmax, and for ν without an intercept,
/// with class weights or on features; [`Error::Count`] for a map without features or a start of the
/// wrong shape; [`Error::Range`] for overflow; [`Error::Gram`] if two columns of the kernel matrix,
/// or the features of 256 points, do not fit the memory of the run.
impl<P, L, S> Learner<P, Labels<L>> for Svc<S>
where
    P: Points,
    L: Label,
    S: SvmSpace<P>,
{
    type Model = Classifier<S::Function, L>;

    fn learn(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        check_weights(self.classes.formulation, &self.classes.class_weights)?;
        let (labels, weights) = self.encode(data)?;
        let goal = classes(&labels, self.classes.multi_class, self.classes.formulation);
        let (points, stopping) = (data.points(), &self.stopping);
        let training = Training { points, weights: weights.as_deref(), goal, stopping };
        let (function, report) = train(&self.space, &training, run)?;
        Ok(Classifier::new(function, labels.classes, self.vote(), report))
    }

    /// On a kernel, fits for several `c` share the kernel matrix, and each starts from the previous
    /// solution.
    fn has_path(&self, name: &str) -> bool {
        S::HAS_PATH && name == "c" && !matches!(self.classes.formulation, Formulation::Nu(_))
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        check_path(Learner::<P, Labels<L>>::has_path(self, name))?;
        self.classifiers(data, &numbers(values)?, run)
    }
}

/// One classifier per penalty.
type Path<P, K, L> = Vec<Classifier<KernelExpansion<P, K>, L>>;

impl<K> Svc<OnKernel<K>> {
    /// Fits a regularisation path: one classifier per value of C. The fits share the kernel matrix,
    /// and each starts from the previous solution, scaled with C. The configured C or ν is ignored.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn), for any value of C.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::{Data, Run, svm::Svc};
    /// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let (data, svc) = (Data::new(&x, &[0, 1, 0, 1])?, Svc::on_kernel(Rbf::new(1.0)?));
    /// let models = svc.path(&data, &[0.1, 1.0, 10.0], &mut Run::new())?;
    /// let alone = svc.c(10.0).fit(&x, &[0, 1, 0, 1])?;
    /// assert!((models[2].report().objective - alone.report().objective).abs() < 1e-2);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn path<P, L>(
        &self,
        data: &Data<'_, P, Labels<L>>,
        penalties: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Path<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
        L: Label,
    {
        self.classifiers(data, penalties, run)
    }
}

impl<S> Svc<S> {
    /// Encodes the classes as integers, and multiplies sample weights by class weights.
    fn encode<P: Points, L: Label>(
        &self,
        data: &Data<'_, P, Labels<L>>,
    ) -> Result<(Encoded<L>, Option<Vec<f64>>), Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.classes.class_weights.combine(&labels, data.sample_weights())?;
        Ok((labels, weights))
    }

    /// The decision rule for several classes.
    fn vote(&self) -> Vote {
        if self.classes.multi_class == MultiClass::OneVsOne { Vote::Pairs } else { Vote::Argmax }
    }

    /// Fits one classifier per penalty.
    fn classifiers<P: Points, L: Label>(
        &self,
        data: &Data<'_, P, Labels<L>>,
        penalties: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Vec<Classifier<S::Function, L>>, Error>
    where
        S: SvmSpace<P>,
    {
        let (labels, weights) = self.encode(data)?;
        let goal = classes(&labels, self.classes.multi_class, Formulation::C(1.0));
        let (points, stopping) = (data.points(), &self.stopping);
        let training = Training { points, weights: weights.as_deref(), goal, stopping };
        let other = |&c: &f64| Training { goal: goal.with_penalty(c), ..training };
        let path: Vec<_> = penalties.iter().map(other).collect();
        let learned = train_path(&self.space, &path, run)?;
        let model = |(function, report)| {
            Classifier::new(function, labels.classes.clone(), self.vote(), report)
        };
        Ok(learned.into_iter().map(model).collect())
    }
}

/// The goal for these labels.
fn classes<'t, L, T>(
    labels: &'t Encoded<L>,
    multi_class: MultiClass,
    formulation: Formulation,
) -> Goal<'t, T> {
    let classes = labels.classes.len();
    Goal::Classes { labels: &labels.indices, classes, multi_class, formulation }
}

/// Fails for class weights with ν, which already fixes the share of each class.
fn check_weights(formulation: Formulation, weights: &ClassWeights) -> Result<(), Error> {
    match (formulation, weights) {
        (Formulation::Nu(_), ClassWeights::Balanced | ClassWeights::Each(_)) => {
            let what = "nu, which fixes the sum of each class, with weights of classes";
            Err(Error::Unsupported { what, instead: "use c" })
        }
        _ => Ok(()),
    }
}
