//! Spaces: the representation of learned functions.
//!
//! | space | function | fits |
//! |---|---|---|
//! | [`OnKernel`] | f(x) = b + Σᵢ αᵢK(x, xᵢ) over the training points | exact; O(n²) to O(n³) |
//! | [`OnLandmarks`] | f(x) = b + Σⱼ cⱼK(x, zⱼ) over m landmarks | O(nm) to O(nm²) |
//! | [`OnFeatures`] | f(x) = b + wᵀψ(x) for a feature map ψ: 𝒳 → R^D | O(nD) to O(nD²) |
//! | [`OnSparse`] | f(x) = b + wᵀφ(x) for a map φ to sparse vectors | O(nonzeros) |
//! | [`Auto`] | in one of these, as planned within the limits of the run | |
//!
//! A learner takes its space as a parameter: `Ridge::on_kernel(kernel)`,
//! `Ridge::on_landmarks(nystrom)`, `Ridge::on_features(map)`, `Ridge::auto(kernel)`.

use crate::design::weighty;
use crate::model::{Decision, EitherFunction, FeatureExpansion, KernelExpansion, SparseExpansion};
use crate::plan::{Algorithm, Count, Effort, Work, enough_landmarks, within};
use crate::{Error, Run};
use faer::MatMut;
use kern_approx::{Nystrom, NystromMap};
use kern_core::parameters::{Domain, Parameters};
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scratch, SparseTransform, named_parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use web_time::Instant;

/// A representation of functions on the points `P`.
pub trait Space<P: Points>: Clone + Send + Sync {
    /// The functions.
    type Function: Decision<P>;
}

/// A space with named hyper-parameters: those of its kernel are `kernel.…`.
///
/// A fixed feature map has none.
pub trait NamedSpace: Parameters {
    /// The name of the space, by which a learner selects the hyper-parameters that are effective in
    /// it.
    const NAME: &'static str;
}

/// Flops per nm² + m³ of the smallest work of a solver on m landmarks: the features of all points
/// once, and their eigenvectors.
const FLOPS: f64 = 4.0;

/// Functions f(x) = b + Σᵢ αᵢK(x, xᵢ) over the training points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnKernel<K> {
    pub(crate) kernel: K,
}

impl<K> OnKernel<K> {
    /// Functions of this kernel.
    pub const fn new(kernel: K) -> Self {
        Self { kernel }
    }

    /// The kernel.
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }
}

impl<P: Points, K: Kernel<P> + Clone> Space<P> for OnKernel<K> {
    type Function = KernelExpansion<P, K>;
}

named_parameters!([K: Parameters] OnKernel<K> {} with kernel under "kernel");

impl<K: Parameters> NamedSpace for OnKernel<K> {
    const NAME: &'static str = "OnKernel";
}

/// Functions f(x) = b + Σⱼ cⱼK(x, zⱼ) over landmarks zⱼ chosen from the training points.
#[doc(alias = "Falkon")]
#[doc(alias = "Nyström")]
#[doc(alias = "Nystroem")]
#[doc(alias = "inducing points")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnLandmarks<K> {
    pub(crate) nystrom: Nystrom<K>,
}

impl<K> OnLandmarks<K> {
    /// Functions on the landmarks selected by these parameters.
    pub const fn new(nystrom: Nystrom<K>) -> Self {
        Self { nystrom }
    }

    /// The selection of landmarks.
    pub const fn nystrom(&self) -> &Nystrom<K> {
        &self.nystrom
    }

    /// The same selection with a reference to the kernel as a trait object.
    pub(crate) fn erased<P: Points>(&self) -> OnLandmarks<&dyn Mercer<P>>
    where
        K: Mercer<P>,
    {
        OnLandmarks::new(self.nystrom.erased())
    }

    /// The features of landmarks chosen from the points of nonzero weight, unless the computation
    /// is predicted to exceed the deadline of the run.
    pub(crate) fn features<P>(
        &self,
        points: &P,
        weights: Option<&[f64]>,
        run: &Run<'_>,
    ) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        let (nystrom, budget) = (self.nystrom.clone(), run.budget());
        if let Some(end) = run.ends_at() {
            let left = end.saturating_duration_since(Instant::now());
            let [n, m] = [points.len(), nystrom.count()].map(|count| count as f64);
            let parts = vec![
                (Work::KernelValues, Count::values(n * m)),
                (Work::Products, Count::flops(FLOPS * (n * m * m + m.powi(3)))),
            ];
            let effort = Effort::counted(Algorithm::Landmarks, parts);
            within((Some(left), &budget), nystrom.kernel(), points, &[effort], &[])?;
        }
        Ok(match weights.and_then(weighty) {
            Some(used) => nystrom.fit(&points.select(&used)?, &budget)?,
            None => nystrom.fit(points, &budget)?,
        })
    }
}

impl<P: Points, K: Kernel<P> + Clone> Space<P> for OnLandmarks<K> {
    type Function = KernelExpansion<P, K>;
}

named_parameters!([K: Parameters] OnLandmarks<K> {} with nystrom);

impl<K: Parameters> NamedSpace for OnLandmarks<K> {
    const NAME: &'static str = "OnLandmarks";
}

/// Functions f(x) = b + wᵀψ(x) of a feature map ψ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnFeatures<M> {
    pub(crate) map: M,
}

impl<M> OnFeatures<M> {
    /// Functions of these features.
    pub const fn new(map: M) -> Self {
        Self { map }
    }

    /// The feature map.
    pub const fn map(&self) -> &M {
        &self.map
    }
}

impl<P: Points, M: FeatureMap<P> + Clone> Space<P> for OnFeatures<M> {
    type Function = FeatureExpansion<M, P::Scalar>;
}

/// No hyper-parameters: the map is fixed.
impl<M> Parameters for OnFeatures<M> {}

impl<M> NamedSpace for OnFeatures<M> {
    const NAME: &'static str = "OnFeatures";
}

/// Functions f(x) = b + wᵀφ(x) of a sparse feature map φ, whose zeros are skipped.
///
/// A visit of a point costs as many products as it has nonzero features: the dual of an SVM with
/// the linear kernel on these features, collapsed to w. [`Identity`](kern_core::Identity) is the
/// map of sparse vectors, and a [`SparseMap`](kern_core::SparseMap) that of texts, strings, sets
/// and graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnSparse<M> {
    pub(crate) map: M,
}

impl<M> OnSparse<M> {
    /// Functions of these features.
    pub const fn new(map: M) -> Self {
        Self { map }
    }

    /// The feature map.
    pub const fn map(&self) -> &M {
        &self.map
    }
}

impl<P: Points, M: SparseTransform<P> + Clone> Space<P> for OnSparse<M> {
    type Function = SparseExpansion<M, P::Scalar>;
}

/// No hyper-parameters: the map is fixed.
impl<M> Parameters for OnSparse<M> {}

impl<M> NamedSpace for OnSparse<M> {
    const NAME: &'static str = "OnSparse";
}

/// Features of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Features<M> {
    /// Their inner product equals the kernel: the model is the same.
    Exact(M),
    /// Their inner product approximates the kernel: the model differs, which is accepted.
    Approximate(M),
}

impl<M> Features<M> {
    /// The feature map.
    pub const fn map(&self) -> &M {
        match self {
            Self::Exact(map) | Self::Approximate(map) => map,
        }
    }
}

/// Placeholder for an absent feature map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoFeatures {}

kern_core::named! { [] NoFeatures = "no_features"; }

impl<P: Points> FeatureMap<P> for NoFeatures {
    fn dim(&self) -> usize {
        match *self {}
    }

    fn transform_into(
        &self,
        _: &P,
        _: Range<usize>,
        _: MatMut<'_, P::Scalar>,
        _: &mut Scratch<P::Scalar>,
    ) {
        match *self {}
    }
}

/// Functions of a kernel in the space chosen by a plan: on the kernel itself, on given features of
/// it, or on landmarks.
///
/// # Definition
/// The fastest method on the kernel or the features is chosen that is within the memory and the
/// [time limit](crate::Run::time_limit) of the run, or one minute if it has no limit. If there is
/// none, landmarks are drawn by random pivots, m = √n·ln n of them or as many as the limits allow
/// (Rudi, Camoriano & Rosasco 2015, *Less is More*: of the order of √n·ln n suffice for the
/// learning rate of the exact kernel).
///
/// The choice uses counted work on [`Machine::NOMINAL`](crate::plan::Machine::NOMINAL), so it does
/// not depend on the machine. The details of the report state the chosen method and the reason:
/// [`Planned`](crate::Planned).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, plan::Algorithm, ridge::Ridge};
/// let x = Samples::from_row_major(1, (0..50).map(|i| f64::from(i) / 10.0).collect())?;
/// let y: Vec<f64> = (0..50).map(|i| (f64::from(i) / 10.0).sin()).collect();
/// let model = Ridge::auto(Rbf::new(1.0)?).lambda(1e-3).fit(&x, &y)?;
/// let Details::Planned(planned) = &model.report().details else { unreachable!() };
/// assert_eq!(planned.algorithm, Algorithm::Cholesky);
/// println!("{}", planned.reason);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Auto<K, M = NoFeatures> {
    pub(crate) kernel: K,
    pub(crate) features: Option<Features<M>>,
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) landmarks: Option<usize>,
}

impl<K> Auto<K> {
    /// Functions of this kernel.
    pub const fn new(kernel: K) -> Self {
        Self { kernel, features: None, algorithm: None, landmarks: None }
    }
}

impl<K, M> Auto<K, M> {
    /// Adds features of the kernel as an alternative. Default: none.
    pub fn features<N>(self, features: Features<N>) -> Auto<K, N> {
        let Self { kernel, algorithm, landmarks, .. } = self;
        Auto { kernel, features: Some(features), algorithm, landmarks }
    }

    /// Sets the method, overriding the plan. Default: as planned.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = Some(algorithm);
        self
    }

    /// Sets the number m of landmarks, if they are used. Default: √n·ln n, or as many as the limits
    /// of the run allow.
    #[must_use]
    pub fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = Some(landmarks);
        self
    }

    /// The kernel.
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The largest number of landmarks within the limits, up to the one that was set or √n·ln n.
    pub(crate) fn count(&self, n: usize, within: impl Fn(usize) -> bool) -> usize {
        if let Some(landmarks) = self.landmarks {
            return landmarks;
        }
        let most = enough_landmarks(n);
        if within(most) {
            return most;
        }
        let (mut fits, mut beyond) = (1, most);
        while beyond - fits > 1 {
            let count = fits.midpoint(beyond);
            if within(count) { fits = count } else { beyond = count }
        }
        fits
    }
}

impl<P, K, M> Space<P> for Auto<K, M>
where
    P: Points,
    K: Mercer<P> + Clone,
    M: FeatureMap<P> + Clone,
{
    type Function = EitherFunction<P, K, M>;
}

named_parameters! {
    [K: Parameters, M] Auto<K, M> { landmarks("landmarks", const { Some(&Domain::count(1)) }) }
    with kernel under "kernel"
}

impl<K: Parameters, M> NamedSpace for Auto<K, M> {
    const NAME: &'static str = "Auto";
}

/// Implements named hyper-parameters of learners: those of their settings, and those of their
/// space.
macro_rules! named_learners {
    ($($learner:ident: $($settings:ident),+;)+) => {$(
        kern_core::named_parameters! {
            /// The learner's own hyper-parameters, and those of its space: `kernel.gamma`.
            [S: $crate::space::NamedSpace] $learner<S> {
                $($settings(stringify!($learner), S::NAME)),+
            }
            with space
        }
    )+};
}

/// Declares the documented constructors of a learner in its spaces; arguments besides the space are
/// given in parentheses: `KMeans(k: usize);`.
macro_rules! constructors {
    ($learner:ident; $($rest:tt)+) => {
        constructors! { $learner(); $($rest)+ }
    };
    ($learner:ident $more:tt; $($(#[$doc:meta])* $space:ident;)+) => {
        $(constructors! { @$space $learner $more [$(#[$doc])*] })+
    };
    (@on_kernel $($rest:tt)+) => {
        constructors! { @new [K] OnKernel on_kernel(kernel: K) $($rest)+ }
    };
    (@on_landmarks $($rest:tt)+) => {
        constructors! {
            @new [K] OnLandmarks on_landmarks(nystrom: kern_approx::Nystrom<K>) $($rest)+
        }
    };
    (@on_features $($rest:tt)+) => {
        constructors! { @new [M] OnFeatures on_features(map: M) $($rest)+ }
    };
    (@on_sparse $($rest:tt)+) => {
        constructors! { @new [M] OnSparse on_sparse(map: M) $($rest)+ }
    };
    (@auto $($rest:tt)+) => {
        constructors! { @new [K] Auto auto(kernel: K) $($rest)+ }
    };
    (
        @new [$parameter:ident] $space:ident $name:ident($part:ident: $type:ty)
        $learner:ident($($more:ident: $more_type:ty)?) [$(#[$doc:meta])*]
    ) => {
        impl<$parameter> $learner<$space<$parameter>> {
            $(#[$doc])*
            pub fn $name($part: $type $(, $more: $more_type)?) -> Self {
                Self::on($space::new($part) $(, $more)?)
            }
        }
    };
}

pub(crate) use {constructors, named_learners};
