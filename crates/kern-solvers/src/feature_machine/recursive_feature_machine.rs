//! Recursive feature machine: the learner with its settings, for regression and classification.

use super::metric_tree::{self, MetricExpansion};
use super::recursion::MetricProblem;
use crate::classes::Encoded;
use crate::estimator::check;
use crate::model::{Classifier, Regression, Vote, learned};
use crate::space::{NamedSpace, OnKernel, constructors, named_learners};
use crate::{
    ClassWeights, Data, Error, Label, Labels, Learner, Report, Run, Targets, fit_sugar, tolerance,
};
use faer::MatRef;
use kern_core::gradient::PointGradient;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Kernel, Mercer, Points, Samples, Scalar, named_values, settings};
use serde::{Deserialize, Serialize};

/// Default rounds of a recursive feature machine: on eight real sets of at most 600 points the least errors came after none to
/// four rounds; more were not tried.
const FEATURE_ROUNDS: usize = 4;

/// Default folds that judge the rounds of a recursive feature machine.
const FEATURE_FOLDS: usize = 5;

/// Default greatest number of points of one recursive feature machine: its kernel matrix in double precision takes 2 GiB.
const FEATURE_LEAF: usize = 16_000;

/// Regression and classification by a recursive feature machine: kernel ridge regression in a
/// learned metric. See the [module](crate::feature_machine).
///
/// Points are dense vectors whose features have comparable scales; the kernel is one with a
/// [gradient in its points](kern_core::gradient::PointGradient), such as
/// [`Exponential`](kern_core::kernels::Exponential), [`Matern52`](kern_core::kernels::Matern52), or
/// [`Laplacian`](kern_core::kernels::Laplacian) where individual features are meaningful. Its
/// length scale need not be tuned, because the spread is chosen.
///
/// # Complexity
/// For each round with n points in d dimensions and one output: about five Cholesky factorisations
/// with diagonals of inverses, ⅔n³ flops each, if λ and the spread are chosen; 5n²d flops for the
/// gradients; memory for n² values. Cross-validation takes another n³/6 flops for each fold and
/// round. [`FeatureMetric::Either`] learns twice, except for the first round.
///
/// # Numerics
/// Computations are in the precision of the points; M and its eigenvectors are in double precision.
/// From 1024 points in double precision on, where nλ is large compared with single-precision
/// rounding errors, factors are in single precision and precondition the coefficients in double
/// precision: leave-one-out residuals, by which rounds are chosen, then have relative errors of at
/// most 0.001.
///
/// # Examples
/// The second feature is irrelevant, and its entry of M is small:
/// ```
/// use kern_core::{Samples, kernels::Exponential};
/// use kern_solvers::feature_machine::FeatureMachine;
/// let row = |i: usize| [(i % 8) as f64, (i * 5 % 7) as f64];
/// let x = Samples::from_rows(&(0..56).map(row).collect::<Vec<_>>())?;
/// let y: Vec<f64> = (0..56).map(|i| ((i % 8) as f64).sin()).collect();
/// let model = FeatureMachine::on_kernel(Exponential::new(0.5)?).fit(&x, &y)?;
/// let m = model.decision().feature_matrix();
/// assert!(m[(1, 1)] < 0.1 * m[(0, 0)]);
/// assert!((model.predict(&Samples::from_rows(&[[2.0, 3.5]])?)?[0] - 2.0_f64.sin()).abs() < 0.05);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "RFM")]
#[doc(alias = "AGOP")]
#[doc(alias = "recursive feature machine")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureMachine<S> {
    space: S,
    settings: FeatureMachineSettings,
}

settings! {
    /// All settings besides those of the space.
    pub(super) struct FeatureMachineSettings in settings;

    FeatureMachine {
        /// Penalty λ > 0 of ‖f‖², per sample. Default: in each round that of the smallest
        /// leave-one-out error, in steps of √10.
        #[doc(alias = "alpha")]
        #[doc(alias = "regularization")]
        lambda: f64, Domain::positive();
        /// Root mean square distance of all pairs of mapped points, relative to that of the
        /// original points: with 1 and no rounds, the machine is ridge regression on the kernel.
        /// Default: in each round that of the smallest leave-one-out error, among powers of two.
        spread: f64, Domain::positive();
        /// Number of iterations in which M is learned; 0 keeps M = I. Default: 4.
        rounds: usize = FEATURE_ROUNDS, Domain::count(0);
        /// Kind of M. Default: [`FeatureMetric::Either`].
        metric: FeatureMetric = FeatureMetric::Either;
        /// Number of cross-validation folds to compare rounds; 0 for leave-one-out errors. M
        /// depends on all targets, so leave-one-out errors are optimistic after the first round;
        /// the M of a fold does not depend on its targets. Default: 5.
        folds: usize = FEATURE_FOLDS, Domain::count(0);
        /// Uses a weighted mean of rounds instead of the best one: that of the smallest
        /// cross-validation error, or leave-one-out error with `folds(0)`. The model then has a
        /// function for each round of positive weight. Default: false.
        stacked: bool = false;
        /// Share ρ ≥ 0 of the mean of M's diagonal that is added to the diagonal. Default: 0.05.
        shrinkage: f64 = tolerance::FEATURE_SHRINKAGE, Domain::non_negative();
        /// Adds an intercept to f, which is not penalised. Default: true.
        intercept: bool = true;
        /// Class weights, multiplied by the sample weights. Default: [`ClassWeights::Equal`].
        class_weights: ClassWeights = ClassWeights::Equal;
        /// Maximum number of points in a leaf; larger sets are split, unless all their projections
        /// are equal. Default: 16 000.
        leaf: usize = FEATURE_LEAF, Domain::count(2);
        /// Seed of the folds, and of the samples that determine splits. Default: 0.
        seed: u64 = 0;
    }
}

/// Kind of a learned metric M.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FeatureMetric {
    /// A symmetric matrix, which can weight any direction.
    Full,
    /// A diagonal matrix with a weight for each feature: for few points and many features, or if
    /// individual features are meaningful.
    Diagonal,
    /// Tries both, and keeps the better one.
    #[default]
    Either,
}

named_values!(FeatureMetric { "full" => Full, "diagonal" => Diagonal, "either" => Either });

named_learners! { FeatureMachine: settings; }

constructors! {
    FeatureMachine;
    /// Creates a machine with this kernel and the default settings.
    on_kernel;
}

impl<S> FeatureMachine<S> {
    fn on(space: S) -> Self {
        Self { space, settings: FeatureMachineSettings::default() }
    }
}

impl<K> FeatureMachine<OnKernels<K>> {
    /// Creates a machine that tries each of these kernels, and uses that of the best round or
    /// [stacks](FeatureMachine::stacked) them. With
    /// [`MetricKernel`](kern_core::gradient::MetricKernel), they may be of several families.
    ///
    /// # Examples
    /// ```
    /// use kern_core::gradient::MetricKernel;
    /// use kern_core::{Samples, kernels::{Laplacian, Matern52}};
    /// use kern_solvers::feature_machine::FeatureMachine;
    /// let x = Samples::from_row_major(1, (0..24).map(f64::from).collect())?;
    /// let y: Vec<f64> = (0..24).map(|i| (f64::from(i) / 3.0).sin()).collect();
    /// let kernels: Vec<MetricKernel> =
    ///     vec![Laplacian::new(0.1)?.into(), Matern52::new(5.0)?.into()];
    /// let model = FeatureMachine::on_kernels(kernels).rounds(1).stacked(true).fit(&x, &y)?;
    /// let error = model.predict(&Samples::from_rows(&[[10.5]])?)?[0] - 3.5_f64.sin();
    /// assert!(error.abs() < 0.02);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn on_kernels(kernels: impl Into<Vec<K>>) -> Self {
        Self::on(OnKernels { kernels: kernels.into() })
    }
}

/// The space of functions of one of several kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnKernels<K> {
    kernels: Vec<K>,
}

/// There are none: the spread chooses length scales.
impl<K> Parameters for OnKernels<K> {}

impl<K> NamedSpace for OnKernels<K> {
    const NAME: &'static str = "OnKernels";
}

/// The kernels of a space in which a feature machine learns.
pub trait Kernels {
    /// The type of the kernels.
    type Kernel;

    /// All kernels.
    fn kernels(&self) -> &[Self::Kernel];
}

impl<K> Kernels for OnKernel<K> {
    type Kernel = K;

    fn kernels(&self) -> &[K] {
        std::slice::from_ref(&self.kernel)
    }
}

impl<K> Kernels for OnKernels<K> {
    type Kernel = K;

    fn kernels(&self) -> &[K] {
        &self.kernels
    }
}

impl<S> FeatureMachine<S> {
    fit_sugar!(supervised);
}

impl FeatureMachineSettings {
    /// Checks all settings that do not depend on the training set.
    fn check(&self) -> Result<(), Error> {
        for (name, value) in [("lambda", self.lambda), ("spread", self.spread)] {
            if let Some(value) = value {
                kern_core::Positive::new(name, value)?;
            }
        }
        if self.folds == 1 {
            let (name, given) = ("folds", self.folds);
            return Err(Error::Count {
                name,
                given,
                allowed: "0 for leave-one-out, or at least 2",
            });
        }
        check(self)
    }

    /// The kinds of M that are tried: true for a diagonal.
    pub(super) fn kinds(&self) -> &'static [bool] {
        match self.metric {
            FeatureMetric::Full => &[false],
            FeatureMetric::Diagonal => &[true],
            FeatureMetric::Either => &[false, true],
        }
    }
}

impl<S: Kernels> FeatureMachine<S> {
    fn regress<T, Y>(
        &self,
        data: &Data<'_, Samples<T>, Y>,
        targets: MatRef<'_, T>,
        weights: Option<&[f64]>,
        run: &mut Run<'_>,
    ) -> Result<(MetricExpansion<T, S::Kernel>, Report), Error>
    where
        T: Scalar,
        Y: Targets,
        S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    {
        self.settings.check()?;
        let (kernels, settings, points) = (self.space.kernels(), &self.settings, data.points());
        let Some(kernel) = kernels.first() else {
            let allowed = "at least 1";
            return Err(Error::Count { name: "the number of kernels", given: 0, allowed });
        };
        kernels.iter().try_for_each(|kernel| kernel.check(points))?;
        let problem =
            MetricProblem { kernels, kernel, settings, points, targets, weights, share: 1.0 };
        let is_used = |&i: &usize| weights.is_none_or(|weights| weights[i] > 0.0);
        let used: Vec<usize> = (0..points.len()).filter(is_used).collect();
        if used.len() == points.len() {
            return metric_tree::learn(&problem, run);
        }
        let part = problem.part(&used)?;
        let share = points.len() as f64 / used.len() as f64;
        metric_tree::learn(&MetricProblem { share, ..problem.on(&part) }, run)
    }
}

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside its domain; [`Error::Gram`] if the memory of the
/// run is exceeded; [`Error::NotPositiveDefinite`] if the matrix is not numerically positive
/// definite for any λ; [`Error::NothingLeft`] for one point with an intercept; [`Error::Range`] for
/// values so large that distances or gradients overflow.
impl<T, S, Y> Learner<Samples<T>, Y> for FeatureMachine<S>
where
    T: Scalar,
    S: NamedSpace + Kernels + Clone + Send + Sync,
    S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    Y: Regression<Scalar = T>,
{
    type Model = Y::Model<MetricExpansion<T, S::Kernel>>;

    fn learn(
        &self,
        data: &Data<'_, Samples<T>, Y>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let (targets, weights) = (data.targets().matrix(), data.sample_weights());
        let (function, report) = learned(self.regress(data, targets, weights, run)?)?;
        Ok(Y::model(function, report))
    }
}

impl<T, S, L> Learner<Samples<T>, Labels<L>> for FeatureMachine<S>
where
    T: Scalar,
    S: NamedSpace + Kernels + Clone + Send + Sync,
    S::Kernel: Mercer<Samples<T>> + PointGradient<T> + Clone,
    L: Label,
{
    type Model = Classifier<MetricExpansion<T, S::Kernel>, L>;

    fn learn(
        &self,
        data: &Data<'_, Samples<T>, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<Self::Model, Error> {
        let labels = Encoded::new(data.targets())?;
        let weights = self.settings.class_weights.combine(&labels, data.sample_weights())?;
        let signs = labels.signs(&run.budget())?;
        let fitted = self.regress(data, signs.as_ref(), weights.as_deref(), run)?;
        let (function, report) = learned(fitted)?;
        Ok(Classifier::new(function, labels.classes, Vote::Argmax, report))
    }
}
