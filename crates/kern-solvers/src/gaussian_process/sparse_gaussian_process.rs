//! Sparse Gaussian process regression: the fit on landmarks, which maximises the variational bound.

use super::gaussian_process_regression::{GaussianProcess, ProcessSettings, Units};
use super::hyperparameter_search::{Hyper, Inference, learn};
use super::marginal_likelihood::{LogLikelihood, Objective};
use super::posterior::Posterior;
use super::stored_cholesky::Factor;
use super::variational_bound::{Known, Sparse, panel_budget};
use crate::design::Design;
use crate::estimator::check;
use crate::model::{Regression, learned};
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::space::OnLandmarks;
use crate::{Data, Error, Learner, Run};
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
        check(&self.search)?;
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
        let evaluations = self.search.evaluations(self.settings.fixed);
        check_landmarks(evaluations, kernel, design.points(), landmarks.len(), run)?;
        let normalised = units.normalised(y)?;
        let sparse = Sparse::new(&design, landmarks, normalised.as_ref(), budget)?;
        let ProcessSettings { noise, fixed, .. } = self.settings;
        let hyper = Hyper::new(kernel, noise, fixed, &self.search);
        let mut fit = Fit { sparse, units };
        let (function, report) = learned(learn(&mut fit, &hyper, &self.search, run)?)?;
        Ok(Y::model(function, report))
    }
}

/// Data of a fit whose kernel is still to be learned.
struct Fit<'f, 'a, P: Points> {
    sparse: Sparse<'f, 'a, P>,
    units: Units,
}

impl<P: Points, K: Differentiable<P> + Clone> Inference<K> for Fit<'_, '_, P> {
    type Points = P;
    type Posterior = Posterior<P, K>;

    fn likelihood(&mut self, kernel: &K, noise: f64) -> Result<LogLikelihood, Error> {
        self.sparse.likelihood(kernel, noise)
    }

    fn posterior(&mut self, kernel: K, noise: f64) -> Result<(Posterior<P, K>, f64), Error> {
        let known = self.sparse.gather(&kernel, noise)?;
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
        Ok((function, -bounds.lower))
    }
}

/// Fails if a fit on m landmarks, with this many evaluations of the bound, is predicted to exceed
/// its time limit.
fn check_landmarks<P, K>(
    evaluations: f64,
    kernel: &K,
    points: &P,
    m: usize,
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let (n, m) = (points.len() as f64, m as f64);
    let parts = vec![
        (Work::KernelValues, Count::values((2.0 * evaluations + 1.0) * n * m)),
        (Work::Factors, Count::flops((4.0 * evaluations + 2.0) * (n * m * m + m.powi(3)))),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), &run.budget()), kernel, points, &[effort], &[])
}
