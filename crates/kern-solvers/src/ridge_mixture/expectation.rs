//! Expectation: the responsibilities of components, and the likelihood.

use faer::{Mat, MatRef, RowRef};
use kern_core::Scalar;

/// Shares and variances of components.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Components {
    /// π, which adds up to 1.
    pub(super) shares: Vec<f64>,
    /// σ².
    pub(super) variances: Vec<f64>,
}

impl Components {
    /// ln Σ_k π_k N(y; `f_k`, σ²_k), and into `out` the responsibilities: the shares where y is so far from all that no number
    /// says how far.
    pub(super) fn weigh<T: Scalar>(&self, y: f64, f: RowRef<'_, T>, out: &mut [f64]) -> f64 {
        for (k, (out, f)) in out.iter_mut().zip(f.iter()).enumerate() {
            *out = self.joint(k, y - f.to_f64());
        }
        let greatest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if greatest == f64::NEG_INFINITY {
            out.copy_from_slice(&self.shares);
            return greatest;
        }
        out.iter_mut().for_each(|value| *value = (*value - greatest).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|value| *value /= sum);
        greatest + sum.ln()
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
        (y, weights): (&[f64], &[f64]),
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

    /// Two densities by hand, and a component without a share, which no residual is infinitely far from.
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
