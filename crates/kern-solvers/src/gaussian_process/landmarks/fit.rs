//! Fits on landmarks, and bounds with parameters that are known.

use super::LikelihoodBounds;
use super::bounds::{Known, Sparse};
use crate::design::Design;
use crate::estimator::check;
use crate::gaussian_process::factor::Factor;
use crate::gaussian_process::hyper::Hyper;
use crate::gaussian_process::limit;
use crate::gaussian_process::normalise::Units;
use crate::gaussian_process::params::{Objective, Settings};
use crate::gaussian_process::search::search;
use crate::gaussian_process::{GaussianProcess, LogLikelihood, Posterior};
use crate::model::{Regression, learned};
use crate::report::Details;
use crate::space::OnLandmarks;
use crate::{Data, Error, Learner, Progress, Report, Run, Status};
use kern_core::gradient::Differentiable;
use kern_core::{Kernel, Mercer, Points, Positive, Scalar};

/// Bounds of the log marginal likelihood of targets under a Gaussian process with this kernel and noise of this variance σ², by
/// what landmarks know of the points.
///
/// # Complexity
/// 2nm² flops for m landmarks, and O(m²) numbers.
///
/// # Errors
/// [`Error::Core`] unless σ² is positive and finite, and if the kernel refuses the points; [`Error::Empty`] without landmarks;
/// [`Error::Gram`] for kernel values that are not finite or beyond the memory of the run; [`Error::NotPositiveDefinite`];
/// [`Error::Range`] for a bound that is not finite.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::{likelihood_bounds, log_likelihood};
/// use kern_solvers::{Data, Run};
/// let rows: Vec<[f64; 1]> = (0..100).map(|i| [0.05 * f64::from(i)]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| x.sin()).collect();
/// let x = Samples::from_rows(&rows)?;
/// let (data, kernel, run) = (Data::new(&x, &y)?, Rbf::new(1.0)?, Run::new());
/// let landmarks = x.select(&[0, 20, 40, 60, 80, 99])?;
/// let bounds = likelihood_bounds(&kernel, 0.01, &landmarks, &data, &run)?;
/// let exact = log_likelihood(&kernel, 0.01, &data, &run)?.value;
/// assert!(bounds.lower < exact && exact < bounds.upper);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn likelihood_bounds<P, Y, K>(
    kernel: &K,
    noise: f64,
    landmarks: &P,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LikelihoodBounds, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P>,
{
    with_sparse((kernel, noise, landmarks), data, run, |sparse| {
        let bounds = sparse.bounds(&sparse.gather(kernel, noise)?)?;
        bounds.check()?;
        Ok(bounds)
    })
}

/// The lower one of the [bounds](likelihood_bounds), and its gradient in the logarithms of all parameters, while the landmarks
/// stay.
///
/// # Complexity
/// Some 4nm² flops for m landmarks, and O(m²) numbers.
///
/// # Errors
/// As [`likelihood_bounds`].
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::{log_likelihood, lower_bound};
/// use kern_solvers::{Data, Run};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
/// let (data, kernel, run) = (Data::new(&x, &[1.0, -1.0, 0.5])?, Rbf::new(1.0)?, Run::new());
/// // With all points as landmarks nothing is lost.
/// let bound = lower_bound(&kernel, 0.1, &x, &data, &run)?;
/// let exact = log_likelihood(&kernel, 0.1, &data, &run)?;
/// assert!((bound.value - exact.value).abs() < 1e-7);
/// assert!((bound.gradient[0] - exact.gradient[0]).abs() < 1e-7);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "ELBO")]
#[doc(alias = "SGPR")]
#[doc(alias = "Titsias")]
pub fn lower_bound<P, Y, K>(
    kernel: &K,
    noise: f64,
    landmarks: &P,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P>,
{
    with_sparse((kernel, noise, landmarks), data, run, |sparse| sparse.likelihood(kernel, noise))
}

/// Hands points and landmarks on, checked.
fn with_sparse<P, Y, K, R>(
    (kernel, noise, landmarks): (&K, f64, &P),
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
    work: impl FnOnce(&Sparse<'_, '_, P>) -> Result<R, Error>,
) -> Result<R, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P>,
{
    Positive::new("noise", noise)?;
    if landmarks.is_empty() {
        return Err(Error::Empty);
    }
    landmarks.check_compatible(data.points())?;
    kernel.check(landmarks)?;
    kernel.check(data.points())?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    let design = Design::new((), data.points(), weights, false)?;
    let y = data.targets().matrix();
    let budget =
        limit::on_landmarks::<P>((design.points().len(), landmarks.len(), y.ncols()), run)?;
    work(&Sparse::new((&design, landmarks), y, budget)?)
}

/// # Errors
/// Those of a fit on all points; [`Error::Approx`] for landmarks that cannot be chosen; [`Error::Unsupported`] for
/// [`Objective::LeaveOneOut`].
impl<P, Y, K> Learner<P, Y> for GaussianProcess<OnLandmarks<K>>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P> + Clone,
{
    type Model = Y::Model<Posterior<P, K>>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        if self.settings.objective != Objective::Likelihood {
            return Err(Error::Unsupported {
                what: "this objective of a Gaussian process on landmarks",
                instead: "take the likelihood, or a process on the kernel",
            });
        }
        let weights = data.sample_weights().map(<[f64]>::to_vec);
        let design = Design::new((), data.points(), weights, false)?;
        let y = data.targets().matrix();
        let units = match self.settings.normalize {
            true => Units::of(y, |i| data.weight(i))?,
            false => Units::given(y.ncols()),
        };
        // Points of weight 0 are none of the design.
        let map = self.space.features((design.points(), None), run)?;
        let (kernel, landmarks) = (map.kernel(), map.landmarks());
        let sizes = (design.points().len(), landmarks.len(), y.ncols());
        let budget = limit::on_landmarks::<P>(sizes, run)?;
        limit::check_landmarks(&self.settings, (kernel, design.points(), landmarks.len()), run)?;
        let normalised = units.normalised(y)?;
        let sparse = Sparse::new((&design, landmarks), normalised.as_ref(), budget)?;
        let fit = Fit { settings: &self.settings, sparse, units };
        let (function, report) = learned(fit.learn(kernel, run)?)?;
        Ok(Y::model(function, report))
    }
}

/// A fit, before its kernel is known.
struct Fit<'f, 'a, P: Points> {
    settings: &'f Settings,
    sparse: Sparse<'f, 'a, P>,
    units: Units,
}

impl<P: Points> Fit<'_, '_, P> {
    fn learn<K: Mercer<P> + Differentiable<P> + Clone>(
        &self,
        start: &K,
        run: &mut Run<'_>,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let hyper = Hyper::new(start, self.settings);
        if !hyper.is_free() {
            let report = Report::new(Status::Converged, 1, 0.0, None);
            let (function, report) = self.posterior((start, self.settings.noise), report)?;
            let Report { iterations, objective, .. } = report;
            let _ = run.observe(&Progress { iteration: 1, total: iterations, loss: objective });
            return Ok((function, report));
        }
        let mut function = |logarithms: &[f64]| {
            let (kernel, noise) = hyper.at(logarithms)?;
            let found = self.sparse.likelihood(&kernel, noise)?;
            let slopes = hyper.gradient(&found).into_iter().map(|slope| -slope);
            Ok((-found.value, slopes.collect()))
        };
        let best = search::<P::Scalar, _>(self.settings, &hyper, &mut function, run)?;
        let (kernel, noise) = hyper.at(&best.minimum.at)?;
        let report = Report::new(best.minimum.status, best.iterations, 0.0, None);
        let report = report.with_details(Details::GaussianProcess(best.details));
        self.posterior((&kernel, noise), report)
    }

    /// The posterior at parameters that are known, and the report with their objective.
    fn posterior<K: Kernel<P> + Clone>(
        &self,
        (kernel, noise): (&K, f64),
        report: Report,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let known = self.sparse.gather(kernel, noise)?;
        let bounds = self.sparse.bounds(&known)?;
        bounds.check()?;
        let Known { map, factor, .. } = &known;
        let mut coefficients = known.coefficients()?;
        for (column, &scale) in coefficients.as_mut().col_iter_mut().zip(&self.units.scales) {
            let scale = P::Scalar::from_f64(scale);
            column.iter_mut().for_each(|c| *c *= scale);
        }
        let offsets = self.units.offsets.iter().map(|&offset| P::Scalar::from_f64(offset));
        let function = Posterior {
            mean: map.expansion(coefficients)?.with_intercepts(offsets.collect()),
            factor: Factor::narrowed(&map.factor)?,
            refined: Some(Factor::narrowed(factor)?),
            weights: None,
            noise,
            scales: self.units.scales.clone(),
            bounds,
        };
        Ok((function, Report { objective: -bounds.lower, ..report }))
    }
}
