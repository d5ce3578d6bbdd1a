//! Shares of points in clusters, and their free energy.

use crate::Error;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::{GramOperator, zeros};

/// Clusters as a query sees them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Mixture {
    pub(super) beta: f64,
    /// `π_c`.
    pub(super) sizes: Vec<f64>,
    /// ‖μ_c‖².
    pub(super) norms: Vec<f64>,
}

impl Mixture {
    /// The shares of a point with K(x, x) = `own` by ⟨φ(x), μ_c⟩, written over these; and
    /// −ln(Σ_c `π_c`·exp(−β·d²))/β, its part of the free energy.
    pub(super) fn shares(&self, own: f64, products: &mut [f64]) -> f64 {
        let clusters = self.sizes.iter().zip(&self.norms);
        for (value, (size, norm)) in products.iter_mut().zip(clusters) {
            // −∞ for an empty cluster.
            *value = size.ln() - self.beta * (own - 2.0 * *value + norm);
        }
        let greatest = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        products.iter_mut().for_each(|value| *value = (*value - greatest).exp());
        let sum: f64 = products.iter().sum();
        products.iter_mut().for_each(|value| *value /= sum);
        -(greatest + sum.ln()) / self.beta
    }
}

/// The clusters of these shares; and the coefficients of their centres, n × k: `w_i·r_ic/W_c`.
pub(super) fn maximise<T: Scalar>(
    gram: &dyn GramOperator<T>,
    shares: &Mat<f64>,
    weights: &[f64],
    beta: f64,
) -> Result<(Mixture, Mat<T>, Mat<T>), Error> {
    let (n, k) = shares.shape();
    let total: f64 = weights.iter().sum();
    let mut coefficients: Mat<T> = zeros(n, k)?;
    let mut sizes = Vec::with_capacity(k);
    for c in 0..k {
        let terms = || shares.col_as_slice(c).iter().zip(weights).map(|(r, w)| r * w);
        let mass: f64 = terms().sum();
        if mass > 0.0 {
            let column = coefficients.col_as_slice_mut(c).iter_mut();
            column.zip(terms()).for_each(|(to, term)| *to = T::from_f64(term / mass));
        }
        sizes.push(mass / total);
    }
    let products = gram.apply(coefficients.as_ref())?;
    let norm = |c: usize| inner(coefficients.as_ref(), products.as_ref(), c);
    let norms = (0..k).map(norm).collect();
    Ok((Mixture { beta, sizes, norms }, coefficients, products))
}

fn inner<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>, c: usize) -> f64 {
    a.col(c).iter().zip(b.col(c).iter()).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
}
