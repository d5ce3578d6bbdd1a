//! Fits of Gaussian processes.

use super::evidence::{Evidence, Solved};
use super::factor::Factor;
use super::hyper::Hyper;
use super::landmarks::LikelihoodBounds;
use super::normalise::Units;
use super::params::{Objective, Settings};
use super::search::search;
use super::{GaussianProcess, Posterior, limit};
use crate::design::Design;
use crate::estimator::check;
use crate::model::{KernelExpansion, Regression, learned};
use crate::report::Details;
use crate::space::OnKernel;
use crate::{Data, Error, Learner, Progress, Report, Run, Status};
use faer::MatRef;
use kern_core::gradient::Differentiable;
use kern_core::{Mercer, Points, Scalar};

/// # Errors
/// [`Error::Core`] for a hyper-parameter outside of its domain or points that the kernel refuses; [`Error::Gram`] beyond the
/// memory of the run or for kernel values that are not finite; [`Error::NotPositiveDefinite`] and [`Error::Range`] if there is no
/// likelihood at the start; [`Error::TooLong`].
impl<P, Y, K> Learner<P, Y> for GaussianProcess<OnKernel<K>>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P> + Clone,
{
    type Model = Y::Model<Posterior<P, K>>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        check(&self.settings)?;
        let weights = data.sample_weights().map(<[f64]>::to_vec);
        let design = Design::new((), data.points(), weights, false)?;
        let (kernel, y) = (&self.space.kernel, data.targets().matrix());
        kernel.check(design.points())?;
        limit::check(&self.settings, (kernel, design.points(), y.ncols()), run)?;
        let units = match self.settings.normalize {
            true => Units::of(y, |i| data.weight(i))?,
            false => Units::given(y.ncols()),
        };
        let normalised = units.normalised(y)?;
        let fit = Fit { settings: &self.settings, design: &design, units };
        let (function, report) = learned(fit.learn(kernel, normalised.as_ref(), run)?)?;
        Ok(Y::model(function, report))
    }
}

/// A fit, before its kernel is known.
struct Fit<'f, 'a, P: Points> {
    settings: &'f Settings,
    design: &'f Design<'a, P, ()>,
    units: Units,
}

impl<P: Points> Fit<'_, '_, P> {
    fn learn<K: Mercer<P> + Differentiable<P> + Clone>(
        &self,
        start: &K,
        y: MatRef<'_, P::Scalar>,
        run: &mut Run<'_>,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let hyper = Hyper::new(start, self.settings);
        let mut evidence = Evidence::new(self.design, y)?;
        let objective = self.settings.objective;
        if !hyper.is_free() {
            let solved = evidence.solve(start, self.settings.noise)?;
            let report = Report::new(Status::Converged, 1, 0.0, None);
            let known = (start.clone(), self.settings.noise, report);
            let (function, report) = self.posterior(known, solved, &evidence)?;
            let Report { iterations, objective, .. } = report;
            let _ = run.observe(&Progress { iteration: 1, total: iterations, loss: objective });
            return Ok((function, report));
        }
        let best = search::<P::Scalar, _>(
            self.settings,
            &hyper,
            &mut |logarithms| {
                let (kernel, noise) = hyper.at(logarithms)?;
                let found = evidence.likelihood((&kernel, noise), objective)?;
                let slopes = hyper.gradient(&found).into_iter().map(|slope| -slope);
                Ok((-found.value, slopes.collect()))
            },
            run,
        )?;
        let (kernel, noise) = hyper.at(&best.minimum.at)?;
        let solved = evidence.solve(&kernel, noise)?;
        let report = Report::new(best.minimum.status, best.iterations, 0.0, None);
        let report = report.with_details(Details::GaussianProcess(best.details));
        self.posterior((kernel, noise, report), solved, &evidence)
    }

    /// The posterior at parameters that are known, and the report with their objective.
    fn posterior<K: Mercer<P>>(
        &self,
        (kernel, noise, report): (K, f64, Report),
        solved: Solved<P::Scalar>,
        evidence: &Evidence<'_, '_, P>,
    ) -> Result<(Posterior<P, K>, Report), Error> {
        let log_likelihood = evidence.value(&solved, Objective::Likelihood)?;
        let objective = match self.settings.objective {
            Objective::Likelihood => log_likelihood,
            other => evidence.value(&solved, other)?,
        };
        let mut alpha = self.design.unwhiten(solved.gamma);
        for (column, &scale) in alpha.as_mut().col_iter_mut().zip(&self.units.scales) {
            let scale = P::Scalar::from_f64(scale);
            column.iter_mut().for_each(|alpha| *alpha *= scale);
        }
        let points = self.design.points();
        let offsets = self.units.offsets.iter().map(|&offset| P::Scalar::from_f64(offset));
        let mean = KernelExpansion::of_all(kernel, points, alpha)?;
        let function = Posterior {
            mean: mean.with_intercepts(offsets.collect()),
            factor: Factor::new(solved.factor),
            refined: None,
            weights: self.design.weights(),
            noise,
            scales: self.units.scales.clone(),
            bounds: LikelihoodBounds::exact(log_likelihood),
        };
        Ok((function, Report { objective: -objective, ..report }))
    }
}
