//! Support vector regression on features.

use super::super::problem::{Coupling, Problem, whole};
use super::super::settings::{Settings, bound, common_setters};
use super::FeatureSvmRegressor;
use super::expand::{self, Expanded, shuffled};
use super::params::feature_setters;
use super::solve::solve;
use super::task::Task;
use crate::labels::check_targets;
use crate::model::FeatureModel;
use crate::{Error, Observer, tolerance};
use faer::{Mat, MatRef};
use kern_core::{FeatureMap, NonNegative, Points, Positive, Scalar};

/// A regressor and the coefficients of its points.
type WithCoefficients<M, T> = (FeatureSvmRegressor<M, T>, Mat<f64>);

/// Support vector regression on the features of a map: ε-SVR by dual coordinate descent.
///
/// f(x) = b + wᵀφ(x) minimises ½‖w‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε), which for features that reproduce a kernel is the
/// problem of [`Svr`](crate::svm::Svr) with the same C.
///
/// # Complexity
/// As [`FeatureSvc`](super::FeatureSvc): one variable per point.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::svm::FeatureSvr;
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let svr = FeatureSvr::new(Identity::new(1)).c(10.0).epsilon(0.0).tolerance(1e-9);
/// let model = svr.fit(&x, &[1.0, 3.0, 5.0, 70.0])?;
/// // The outlier has no say: least absolute deviations.
/// assert!((model.predict(&x)?[3] - 7.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSvr<M> {
    map: M,
    c: f64,
    epsilon: f64,
    squared: bool,
    seed: u64,
    settings: Settings,
    weights: Option<Vec<f64>>,
}

impl<M> FeatureSvr<M> {
    /// Regression on the features of this map with C = 1 and ε = 0.1.
    pub fn new(map: M) -> Self {
        Self {
            map,
            c: 1.0,
            epsilon: tolerance::DEFAULT_TUBE,
            squared: false,
            seed: 0,
            settings: Settings::default(),
            weights: None,
        }
    }

    /// The penalty C > 0 of residuals beyond ε, or of their squares, as in LIBLINEAR; finite. Default: 1.
    #[must_use]
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// ε ≥ 0: residuals up to it cost nothing. Default: 0.1.
    #[must_use]
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    common_setters!();
    feature_setters!();

    /// Learns a function.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; [`Error::Weight`] and
    /// [`Error::NoWeight`] for the weights; [`Error::Core`] for a C that is not finite and positive, ε < 0, a
    /// tolerance ≤ 0, points that the map refuses or features that are not finite; [`Error::Count`] for a map without
    /// features; [`Error::Gram`] if not even the features of 256 points fit the budget.
    pub fn fit<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<FeatureSvmRegressor<M, P::Scalar>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        Ok(self.run(points, targets, None)?.0)
    }

    /// [`fit`](FeatureSvr::fit), watched by an observer before each pass: its loss is the negative dual objective, of
    /// coefficients whose sum need not be zero yet; so it may rise.
    ///
    /// # Errors
    /// As [`fit`](FeatureSvr::fit).
    pub fn fit_observed<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        observer: &mut dyn Observer,
    ) -> Result<FeatureSvmRegressor<M, P::Scalar>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        Ok(self.run(points, targets, Some(observer))?.0)
    }

    /// [`fit`](FeatureSvr::fit), and the dual coefficients β with w = Σβᵢφ(xᵢ): n × 1.
    /// [`Svr::fit_from`](crate::svm::Svr::fit_from) can start from them.
    ///
    /// # Errors
    /// As [`fit`](FeatureSvr::fit).
    pub fn fit_dual<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<WithCoefficients<M, P::Scalar>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        self.run(points, targets, None)
    }

    fn run<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
        observer: Option<&mut dyn Observer>,
    ) -> Result<WithCoefficients<M, P::Scalar>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
    {
        let Self { map, c, epsilon, squared, seed, settings, weights } = self;
        let c = Positive::new("c", c)?.get();
        NonNegative::new("epsilon", epsilon)?;
        settings.check()?;
        check_targets(points.len(), MatRef::from_column_major_slice(targets, targets.len(), 1))?;
        map.check(points)?;
        let order = shuffled(points.len(), weights.as_deref(), seed)?;
        let selected = points.select(&order)?;
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let upper = order.iter().map(|&i| bound(c, weight(i)));
        let upper = upper.collect::<Result<Vec<f64>, Error>>()?;
        let problem = Problem {
            segments: whole(order.len()),
            linear: order.iter().map(|&i| targets[i].to_f64()).collect(),
            lower: upper.iter().map(|c| -c).collect(),
            upper,
            epsilon,
            coupling: if settings.bias { Coupling::Sum } else { Coupling::Free },
            start: Vec::new(),
        };
        let tasks = vec![Task::new(problem, squared)];
        let bounds = expand::bounds(&tasks);
        let solved = solve((&map, &selected), tasks, (&settings, seed), observer)
            .map_err(|error| expand::renumbered(error, &order))?;
        let on = (points.len(), &*order);
        let Expanded { w, biases, coefficients, report } =
            expand::expand::<P::Scalar>(solved, &bounds, on, map.dim())?;
        let decision = FeatureModel::new(map, w).with_intercepts(biases);
        Ok((FeatureSvmRegressor::new(decision, epsilon, report), coefficients))
    }
}
