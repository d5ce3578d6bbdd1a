//! Soft clusters as they stand, and their free energy.

use crate::Error;
use crate::kmeans::kernel::WeightedGram;
use crate::model::share;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::{GramOperator, zeros};

/// Clusters by their shares, with centres in terms of the points.
pub(super) struct Mixture<T: Scalar> {
    /// `π_c`.
    pub(super) sizes: Vec<f64>,
    /// ‖μ_c‖².
    pub(super) norms: Vec<f64>,
    /// The coefficients of the centres, n × k: `w_i·r_ic/W_c`.
    pub(super) coefficients: Mat<T>,
    /// The shares `r_ic` with these centres.
    pub(super) shares: Mat<f64>,
    /// F with them.
    pub(super) energy: f64,
}

impl<T: Scalar> Mixture<T> {
    /// The centres of these shares, and the shares with these centres.
    pub(super) fn new(
        (operator, gram): (&dyn GramOperator<T>, &WeightedGram<'_, T>),
        shares: &Mat<f64>,
        beta: f64,
    ) -> Result<Self, Error> {
        let (n, k) = shares.shape();
        let total: f64 = gram.weights.iter().sum();
        let mut coefficients: Mat<T> = zeros(n, k)?;
        let mut sizes = Vec::with_capacity(k);
        for c in 0..k {
            let terms = || shares.col_as_slice(c).iter().zip(gram.weights).map(|(r, w)| r * w);
            let mass: f64 = terms().sum();
            if mass > 0.0 {
                let column = coefficients.col_as_slice_mut(c).iter_mut();
                column.zip(terms()).for_each(|(to, term)| *to = T::from_f64(term / mass));
            }
            sizes.push(mass / total);
        }
        let products = operator.apply(coefficients.as_ref())?;
        let norm = |c: usize| -> f64 {
            let pairs = coefficients.col_as_slice(c).iter().zip(products.col_as_slice(c));
            pairs.map(|(a, b)| a.to_f64() * b.to_f64()).sum()
        };
        let norms = (0..k).map(norm).collect();
        let mut mixture = Self { sizes, norms, coefficients, shares: zeros(n, k)?, energy: 0.0 };
        mixture.share_out(gram, &products, beta)?;
        Ok(mixture)
    }

    /// The shares of all points by ⟨φ(xᵢ), μ_c⟩, and the free energy with them.
    fn share_out(
        &mut self,
        gram: &WeightedGram<'_, T>,
        products: &Mat<T>,
        beta: f64,
    ) -> Result<(), Error> {
        let mut row = vec![0.0; self.sizes.len()];
        for (i, products) in products.row_iter().enumerate() {
            let centres = self.sizes.iter().zip(&self.norms);
            for ((value, product), (&size, norm)) in
                row.iter_mut().zip(products.iter()).zip(centres)
            {
                *value = if size > 0.0 { norm - 2.0 * product.to_f64() } else { f64::INFINITY };
            }
            let own = gram.diagonal[i] + share(&self.sizes, beta, &mut row);
            if gram.weights[i] > 0.0 {
                self.energy += gram.weights[i] * own;
            }
            self.shares.row_mut(i).iter_mut().zip(&row).for_each(|(to, &share)| *to = share);
        }
        if self.energy.is_finite() {
            return Ok(());
        }
        let given = self.energy;
        Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given }.into())
    }
}
