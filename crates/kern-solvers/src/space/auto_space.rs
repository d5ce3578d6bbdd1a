//! Functions in a space chosen by a plan.

use super::{NamedSpace, Space};
use crate::model::EitherFunction;
use crate::plan::{Algorithm, enough_landmarks};
use faer::MatMut;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{FeatureMap, Mercer, Points, Scratch, named_parameters};
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
