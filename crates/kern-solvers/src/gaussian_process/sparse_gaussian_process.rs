//! Sparse Gaussian process regression: the fit on landmarks, which maximises the variational bound.

use super::gaussian_process_regression::{GaussianProcess, Settings, Units};
use super::hyperparameter_search::{Hyper, evaluations, search};
use super::marginal_likelihood::Objective;
use super::posterior::Posterior;
use super::stored_cholesky::Factor;
use super::variational_bound::{Known, Sparse, panel_budget};
use crate::design::Design;
use crate::estimator::check;
use crate::model::{Regression, learned};
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::report::Details;
use crate::space::OnLandmarks;
use crate::{Data, Error, Learner, Progress, Report, Run, Status};
use kern_core::gradient::Differentiable;
use kern_core::{Kernel, Mercer, Points, Scalar};

/// # Errors
/// Those of a fit on all points; [`Error::Approx`] if the landmarks cannot be selected;
/// [`Error::Unsupported`] for [`Objective::LeaveOneOut`].
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
        // The design leaves out points of weight 0.
        let map = self.space.features(design.points(), None, run)?;
        let (kernel, landmarks) = (map.kernel(), map.landmarks());
        let budget = panel_budget::<P>(design.points().len(), landmarks.len(), y.ncols(), run)?;
        check_landmarks(&self.settings, kernel, design.points(), landmarks.len(), run)?;
        let normalised = units.normalised(y)?;
        let sparse = Sparse::new(&design, landmarks, normalised.as_ref(), budget)?;
        let fit = Fit { settings: &self.settings, sparse, units };
        let (function, report) = learned(fit.learn(kernel, run)?)?;
        Ok(Y::model(function, report))
    }
}

/// Data and settings of a fit whose kernel is still to be learned.
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
            let (function, report) = self.posterior(start, self.settings.noise, report)?;
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
        self.posterior(&kernel, noise, report)
    }

    /// Returns the posterior at given parameters, and the report with their objective.
    fn posterior<K: Kernel<P> + Clone>(
        &self,
        kernel: &K,
        noise: f64,
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

/// Fails if a fit on m landmarks is predicted to exceed its time limit.
fn check_landmarks<P, K>(
    settings: &Settings,
    kernel: &K,
    points: &P,
    m: usize,
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let evaluations = evaluations(settings);
    let (n, m) = (points.len() as f64, m as f64);
    let parts = vec![
        (Work::KernelValues, Count::values((2.0 * evaluations + 1.0) * n * m)),
        (Work::Factors, Count::flops((4.0 * evaluations + 2.0) * (n * m * m + m.powi(3)))),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), &run.budget()), kernel, points, &[effort], &[])
}
