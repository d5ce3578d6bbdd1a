//! The observations at points: targets and weights.

use super::Error;
use super::checks::{check_batch_weights, check_length, check_targets, check_weights};
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::zeros;
use std::ops::Range;

/// Targets (points × outputs) and, unless all are 1, weights βᵢ ≥ 0.
///
/// # Examples
/// ```
/// use kern_core::faer::mat;
/// use kern_approx::statistics::Observed;
/// let y = mat![[1.0], [2.0]];
/// let observed = Observed::new(y.as_ref()).weights(&[1.0, 0.5]);
/// assert_eq!(observed.outputs(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a, T> {
    targets: MatRef<'a, T>,
    weights: Option<&'a [f64]>,
}

impl<'a, T: Scalar> Observed<'a, T> {
    /// These targets, all of weight 1.
    #[must_use]
    pub fn new(targets: MatRef<'a, T>) -> Self {
        Self { targets, weights: None }
    }

    /// The same with these weights, one per point.
    #[must_use]
    pub fn weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.targets.ncols()
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> MatRef<'a, T> {
        self.targets
    }

    /// βᵢ.
    #[must_use]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// Tells whether there are weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Refuses what does not belong to `n` points of a batch.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        check_targets(n, self.targets)?;
        self.weights.map_or(Ok(()), |weights| check_batch_weights(n, weights))
    }

    /// Refuses weights that are all zero, too.
    #[doc(hidden)]
    pub fn check_fit(&self, n: usize) -> Result<(), Error> {
        check_length("targets", n, self.targets.nrows())?;
        check_targets(n, self.targets)?;
        self.weights.map_or(Ok(()), |weights| check_weights(n, weights))
    }

    /// [√β, B^½Y] of some points: points × (1 + outputs).
    pub(super) fn whitened<V: Scalar>(&self, range: Range<usize>) -> Result<Mat<V>, Error> {
        let mut out = zeros(range.len(), 1 + self.outputs())?;
        for (row, i) in range.enumerate() {
            let root = T::from_f64(self.weight(i).sqrt());
            out[(row, 0)] = V::from_f64(root.to_f64());
            for k in 0..self.outputs() {
                out[(row, 1 + k)] = V::from_f64((root * self.targets[(i, k)]).to_f64());
            }
        }
        Ok(out)
    }
}
