//! A mixture of regressors as a model: its mean, its density, and the responsibilities of its
//! components.
//!
//! The responsibilities and the likelihood are also the expectation step of [expectation
//! maximisation](super::expectation_maximisation).

use crate::model::{Arity, Decision, Format, models};
use crate::{DecisionValues, Error, Report};
use faer::{Mat, MatRef, RowRef};
use kern_core::{Points, Positive, Scalar};
use serde::{Deserialize, Serialize};

/// A mixture of regressors: y is normal with mean f_k(x) and variance σ²_k, with probability π_k.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::ridge_mixture::RidgeMixture;
/// let x = Samples::from_row_major(1, (1..=12).map(f64::from).collect())?;
/// // Every third point is on the line y = −x, the others on y = 2x.
/// let y: Vec<f64> = (1..=12).map(f64::from).map(|x| if x % 3.0 == 0.0 { -x } else { 2.0 * x }).collect();
/// let model = RidgeMixture::on_kernel(Linear, 2).lambda(1e-3).fit(&x, &y)?;
/// let mut shares = model.weights().to_vec();
/// shares.sort_by(f64::total_cmp);
/// assert!((shares[0] - 1.0 / 3.0).abs() < 1e-3);
/// // ⅔·2x − ⅓·x
/// assert!((model.predict(&x)?[3] - 4.0).abs() < 0.01);
/// // A target between the lines is less likely than one on either.
/// let seven = Samples::from_rows(&[[7.0], [7.0]])?;
/// let log = model.log_density(&seven, &[14.0, 3.0])?;
/// assert!(log[0] > log[1] + 100.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct RegressorMixture<D> {
    format: Format<Self>,
    decision: D,
    shares: Vec<f64>,
    variances: Vec<f64>,
    report: Report,
}

kern_core::named! { [D] RegressorMixture<D> = "regressor_mixture"; }

/// A deserialised mixture, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<RegressorMixture<D>>,
    decision: D,
    shares: Vec<f64>,
    variances: Vec<f64>,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for RegressorMixture<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked { decision, shares, variances, report, .. } = read;
        for (what, given) in [("shares", shares.len()), ("variances", variances.len())] {
            let expected = decision.arity();
            if given != expected || given == 0 {
                return Err(Error::Length { what, expected, given });
            }
        }
        for &variance in &variances {
            Positive::new("a variance", variance)?;
        }
        let sum: f64 = shares.iter().sum();
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        if !shares.iter().all(is_share) || (sum - 1.0).abs() > crate::tolerance::SHARES {
            return Err(Error::Range { what: "the sum of the shares", given: sum });
        }
        Ok(Self::new(decision, Components { shares, variances }, report))
    }
}

impl<D> RegressorMixture<D> {
    pub(super) fn new(decision: D, components: Components, report: Report) -> Self {
        let Components { shares, variances } = components;
        Self { format: Format::default(), decision, shares, variances, report }
    }

    /// The functions f_k, an output each.
    pub const fn decision(&self) -> &D {
        &self.decision
    }

    /// The probabilities π_k of components, which add up to 1.
    pub fn weights(&self) -> &[f64] {
        &self.shares
    }

    /// The variances σ²_k of targets around their function.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The report of the fit; its objective is the negative penalised likelihood.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The mean of the mixture, Σ_k π_kf_k(x), at each point. It lies between the functions and
    /// need not be near any of them.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        let values = self.decision.decide(points)?;
        let mean = |row: RowRef<'_, P::Scalar>| {
            let terms = row.iter().zip(&self.shares);
            P::Scalar::from_f64(terms.map(|(f, share)| share * f.to_f64()).sum())
        };
        Ok(values.row_iter().map(mean).collect())
    }

    /// The values of all functions: points × components.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn decision_values<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        self.decision.decide(points)
    }

    /// ln p(y | x) = ln Σ_k π_k N(y; f_k(x), σ²_k) of each target.
    ///
    /// # Errors
    /// As [`Decision::decide`]; [`Error::Length`] if the number of targets is not that of points;
    /// [`Error::Range`] for a non-finite target.
    pub fn log_density<P: Points>(
        &self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<Vec<f64>, Error>
    where
        D: Decision<P>,
    {
        let mut densities = Vec::with_capacity(points.len());
        self.for_each(points, targets, |_, density, _| densities.push(density))?;
        Ok(densities)
    }

    /// The probability of each component once the target is known, r_k ∝ π_k N(y; f_k(x), σ²_k):
    /// points × components; every row adds up to 1.
    ///
    /// # Errors
    /// As [`log_density`](Self::log_density).
    pub fn predict_responsibilities<P: Points>(
        &self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<Mat<f64>, Error>
    where
        D: Decision<P>,
    {
        let mut out: Mat<f64> = kern_gram::zeros(points.len(), self.shares.len())?;
        self.for_each(points, targets, |i, _, shares| {
            out.row_mut(i).iter_mut().zip(shares).for_each(|(to, &share)| *to = share);
        })?;
        Ok(out)
    }

    /// Calls `f` with the number, log density and responsibilities of each point.
    fn for_each<P: Points>(
        &self,
        points: &P,
        targets: &[P::Scalar],
        mut f: impl FnMut(usize, f64, &[f64]),
    ) -> Result<(), Error>
    where
        D: Decision<P>,
    {
        Error::check_equal("targets", points.len(), targets.len())?;
        if let Some(target) = targets.iter().find(|y| !y.is_finite_number()) {
            return Err(Error::Range { what: "a target", given: target.to_f64() });
        }
        let values = self.decision.decide(points)?;
        let (shares, variances) = (self.shares.clone(), self.variances.clone());
        let components = Components { shares, variances };
        let mut row = vec![0.0; components.shares.len()];
        for (i, y) in targets.iter().enumerate() {
            let density = components.weigh(y.to_f64(), values.row(i), &mut row);
            f(i, density, &row);
        }
        Ok(())
    }
}

models! { [] RegressorMixture<D> => Vec<P::Scalar>; }

impl<P: Points, D: Decision<P>> DecisionValues<P> for RegressorMixture<D> {
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.decision_values(points)
    }
}

/// Shares and variances of components.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Components {
    /// π, which adds up to 1.
    pub(super) shares: Vec<f64>,
    /// σ².
    pub(super) variances: Vec<f64>,
}

impl Components {
    /// ln Σ_k π_k N(y; `f_k`, σ²_k), and the responsibilities in `out`. If y is so far from all
    /// functions that every log density is −∞, these are the shares.
    pub(super) fn weigh<T: Scalar>(&self, y: f64, f: RowRef<'_, T>, out: &mut [f64]) -> f64 {
        for (k, (out, f)) in out.iter_mut().zip(f.iter()).enumerate() {
            *out = self.joint(k, y - f.to_f64());
        }
        let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            out.copy_from_slice(&self.shares);
            return largest;
        }
        out.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|value| *value /= sum);
        largest + sum.ln()
    }

    /// ln π_k N(residual; 0, σ²_k); −∞ for a component without a share.
    fn joint(&self, k: usize, residual: f64) -> f64 {
        let variance = self.variances[k];
        let square = residual * (residual / variance);
        self.shares[k].ln() - 0.5 * ((2.0 * std::f64::consts::PI).ln() + variance.ln() + square)
    }

    /// Responsibilities, points × components, and Σᵢ wᵢ ln p(yᵢ).
    pub(super) fn weigh_all<T: Scalar>(
        &self,
        y: &[f64],
        weights: &[f64],
        f: MatRef<'_, T>,
        responsibilities: &mut Mat<f64>,
    ) -> f64 {
        let mut row = vec![0.0; self.shares.len()];
        let mut likelihood = 0.0;
        for (i, (&y, weight)) in y.iter().zip(weights).enumerate() {
            likelihood += weight * self.weigh(y, f.row(i), &mut row);
            let to = responsibilities.row_mut(i).iter_mut().zip(&row);
            to.for_each(|(to, &share)| *to = share);
        }
        likelihood
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    /// Two densities by hand, and a component without a share, for residuals up to overflow.
    #[test]
    fn responsibilities_are_the_shares_of_densities() {
        let components =
            Components { shares: vec![0.25, 0.75, 0.0], variances: vec![1.0, 4.0, 1.0] };
        let f = mat![[1.0, 0.0, 2.0]];
        let mut shares = [0.0; 3];
        let log = components.weigh(2.0, f.row(0), &mut shares);
        let density =
            |d: f64, s: f64| (-0.5 * d * d / (s * s)).exp() / (s * 2.506_628_274_631_000_5);
        let (a, b) = (0.25 * density(1.0, 1.0), 0.75 * density(2.0, 2.0));
        assert!((log - (a + b).ln()).abs() < 1e-14);
        assert!((shares[0] - a / (a + b)).abs() < 1e-15 && shares[2] == 0.0);
        let log = components.weigh(1e100, f.row(0), &mut shares);
        assert!(log < -1e198 && (shares[1] - 1.0).abs() < 1e-15);
        let log = components.weigh(1e300, f.row(0), &mut shares);
        assert_eq!((log, shares), (f64::NEG_INFINITY, [0.25, 0.75, 0.0]));
    }
}
