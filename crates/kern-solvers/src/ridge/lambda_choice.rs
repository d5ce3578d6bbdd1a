//! The automatic choice of λ, by leave-one-out error or generalised cross-validation.

use super::generalised_cross_validation::{self as gcv, Shape};
use super::{Criterion, Ridge, RidgeSpectrum};
use crate::model::Regression;
use crate::space::{OnKernel, OnLandmarks};
use crate::{Data, Error, Run};
use faer::MatRef;
use kern_approx::Nystrom;
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::{FeatureMap, Mercer, Points};
use kern_gram::MemoryBudget;

/// The decades of λ among which ridge regression chooses, and the number of them in a decade: below, rounding of the kernel
/// matrix is as large as the penalty, and above, a function of a kernel with values up to 1 is nearly constant.
const SMALLEST_LAMBDA: i32 = -8;
const LARGEST_LAMBDA: i32 = 1;
const LAMBDAS_PER_DECADE: f64 = 2.0;

/// The numbers of points up to which one eigendecomposition serves all λ, and up to which the
/// matrix is factorised for a few λ.
const DECOMPOSED: usize = 1000;
const FACTORISED: usize = 3000;

/// The number of landmarks for more points than that.
const LANDMARKS: usize = 1000;

/// A λ chosen from the data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LambdaChoice {
    /// The λ with the smallest error.
    pub lambda: f64,
    /// The criterion.
    pub criterion: Criterion,
    /// Its value: the estimated mean squared error of predictions, by weights, summed over outputs.
    pub error: f64,
}

impl<K> Ridge<OnKernel<K>> {
    /// The λ from 10⁻⁸ to 10, in half decades, with the smallest leave-one-out error; the λ that
    /// was set is ignored.
    ///
    /// Up to 3000 points the residuals are those of the exact problem: for all λ up to 1000 points,
    /// and beyond that for whole decades, from 10⁻³ in the direction of the smaller error. For more
    /// points, the criterion is [`Criterion::Gcv`] of the problem on 1000 landmarks. The
    /// [deadline](Run::deadline) of the run ends the search for a better λ.
    ///
    /// # Errors
    /// As [`decompose`](Ridge::decompose) and [`factor`](Ridge::factor);
    /// [`Error::NotPositiveDefinite`] if the matrix is not positive definite for any λ.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::{Data, Run, ridge::Ridge};
    /// let x = Samples::from_row_major(1, (0..40).map(|i| f64::from(i) / 4.0).collect())?;
    /// let noisy: Vec<f64> = (0..40).map(|i| (f64::from(i) / 4.0).sin() + f64::from(i * 7 % 5)).collect();
    /// let ridge = Ridge::on_kernel(Rbf::new(1.0)?).intercept(true);
    /// let chosen = ridge.choose_lambda(&Data::new(&x, &noisy)?, &mut Run::new())?;
    /// assert!(chosen.lambda > 1e-3);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn choose_lambda<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<LambdaChoice, Error>
    where
        P: Points,
        Y: Regression<Scalar = P::Scalar>,
        K: Mercer<P> + Clone,
    {
        let used = (0..data.len()).filter(|&i| data.weight(i) > 0.0).count();
        let targets = data.targets().matrix();
        let targets = targets.as_ref();
        if used <= DECOMPOSED {
            return of_spectrum(&self.decompose(data, run)?, targets);
        }
        if used <= FACTORISED {
            let score = |lambda: f64, run: &mut Run<'_>| {
                let factor = self.clone().lambda(lambda).factor(data, run)?;
                factor.system().leave_one_out_error(targets)
            };
            return downhill(score, run);
        }
        let nystrom = Nystrom::new(self.space.kernel.clone()).landmarks(LANDMARKS);
        let nystrom = nystrom.seed(self.settings.seed);
        on_landmarks(&OnLandmarks::new(nystrom), data, self.settings.intercept, run)
    }
}

impl<K> Ridge<OnLandmarks<K>> {
    /// The λ from 10⁻⁸ to 10, in half decades, with the smallest generalised cross-validation score
    /// on these landmarks; the λ that was set is ignored.
    ///
    /// # Complexity
    /// nm² + 9m³ flops for m landmarks, once for all λ, and m² values in memory.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn); [`Error::NoEigenvalues`].
    pub fn choose_lambda<P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<LambdaChoice, Error>
    where
        P: Points,
        Y: Regression<Scalar = P::Scalar>,
        K: Mercer<P> + Clone,
    {
        on_landmarks(&self.space, data, self.settings.intercept, run)
    }
}

/// The grid of λ, in ascending order.
fn grid() -> Vec<f64> {
    let decades = f64::from(LARGEST_LAMBDA - SMALLEST_LAMBDA);
    let last = (decades * LAMBDAS_PER_DECADE).round() as i32;
    let exponent = |i: i32| f64::from(SMALLEST_LAMBDA) + f64::from(i) / LAMBDAS_PER_DECADE;
    (0..=last).map(|i| 10.0_f64.powf(exponent(i))).collect()
}

/// The better of two λ by their scores; the larger λ if they tie.
fn better(best: Option<(f64, f64)>, (lambda, score): (f64, f64)) -> Option<(f64, f64)> {
    match best {
        Some((_, smallest)) if score > smallest || score.is_nan() => best,
        _ => Some((lambda, score)),
    }
}

fn of_spectrum<P, K>(
    spectrum: &RidgeSpectrum<'_, P, K>,
    targets: MatRef<'_, P::Scalar>,
) -> Result<LambdaChoice, Error>
where
    P: Points,
    K: Mercer<P>,
{
    let criterion = Criterion::LeaveOneOut;
    let (mut best, mut failure) = (None, None);
    for lambda in grid() {
        match spectrum.score(lambda, targets, criterion) {
            Ok(score) => best = better(best, (lambda, score)),
            Err(error @ Error::NotPositiveDefinite { .. }) => failure = Some(error),
            Err(error) => return Err(error),
        }
    }
    chosen(best, failure, criterion)
}

/// Searches from 10⁻³ to the nearest minimum over decades.
fn downhill(
    mut score: impl FnMut(f64, &mut Run<'_>) -> Result<f64, Error>,
    run: &mut Run<'_>,
) -> Result<LambdaChoice, Error> {
    const START: i32 = -3;
    let mut failure = None;
    let mut at = |decade: i32, run: &mut Run<'_>| match score(10.0_f64.powi(decade), run) {
        Ok(score) => Ok(score),
        Err(error @ Error::NotPositiveDefinite { .. }) => {
            failure = Some(error);
            Ok(f64::INFINITY)
        }
        Err(error) => Err(error),
    };
    let mut best = (START, at(START, run)?);
    for step in [1, -1] {
        let begin = best.0;
        while (SMALLEST_LAMBDA..=LARGEST_LAMBDA).contains(&(best.0 + step)) && !run.is_late() {
            let next = at(best.0 + step, run)?;
            // Ties go to the larger λ, and the upward search passes a λ that cannot be factorised.
            let is_worse = if step < 0 { next >= best.1 } else { next > best.1 };
            if is_worse {
                break;
            }
            best = (best.0 + step, next);
        }
        if best.0 != begin {
            break;
        }
    }
    let found = best.1.is_finite().then(|| (10.0_f64.powi(best.0), best.1));
    chosen(found, failure, Criterion::LeaveOneOut)
}

fn chosen(
    best: Option<(f64, f64)>,
    failure: Option<Error>,
    criterion: Criterion,
) -> Result<LambdaChoice, Error> {
    let found = best.map(|(lambda, error)| LambdaChoice { lambda, criterion, error });
    found.ok_or_else(|| failure.unwrap_or(Error::Empty))
}

fn on_landmarks<P, Y, K>(
    space: &OnLandmarks<K>,
    data: &Data<'_, P, Y>,
    intercept: bool,
    run: &mut Run<'_>,
) -> Result<LambdaChoice, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Clone,
{
    let budget = run.budget();
    let targets = data.targets().matrix();
    let observed = Observed::weighted(targets.as_ref(), data.sample_weights());
    observed.check_fit(data.len())?;
    let map = space.features(data.points(), data.sample_weights(), run)?;
    let rest = beside_choice(map.dim(), &budget)?;
    let fingerprint = Fingerprint::new(0);
    let mut sums = NormalEquations::new(map.dim(), observed.outputs(), fingerprint, &rest)?;
    sums.absorb(&map, data.points(), &observed, &rest)?;
    of_sums(&sums, intercept)
}

/// The memory left by the choice of λ from the sums of `dim` features.
fn beside_choice(dim: usize, memory: &MemoryBudget) -> Result<MemoryBudget, Error> {
    let own = gcv::bytes(dim);
    memory.require("the choice of lambda", own, "set lambda, or take fewer landmarks")?;
    Ok(MemoryBudget::bytes(memory.as_bytes() - own))
}

/// The λ from 10⁻⁸ to 10 with the smallest generalised cross-validation score of these sums.
fn of_sums(sums: &NormalEquations, intercept: bool) -> Result<LambdaChoice, Error> {
    let points = usize::try_from(sums.count()).unwrap_or(usize::MAX);
    let lambdas = grid();
    let scores = gcv::scores(sums, &Shape { points, intercept }, &lambdas)?;
    let best = lambdas.into_iter().zip(scores).fold(None, better);
    chosen(best.filter(|(_, score)| score.is_finite()), None, Criterion::Gcv)
}

/// The same λ, and the fraction of the variance of the targets that it leaves unexplained.
pub(crate) fn lambda_of_sums(
    sums: &NormalEquations,
    intercept: bool,
    memory: &MemoryBudget,
) -> Result<(f64, f64), Error> {
    beside_choice(sums.dim(), memory)?;
    let LambdaChoice { lambda, error, .. } = of_sums(sums, intercept)?;
    Ok((lambda, error / gcv::variance(sums, intercept)))
}
