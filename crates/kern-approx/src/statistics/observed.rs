//! Targets and sample weights β, and their validation.

use super::Error;
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
    /// Targets with weight 1 each.
    #[must_use]
    pub fn new(targets: MatRef<'a, T>) -> Self {
        Self { targets, weights: None }
    }

    /// Targets with these weights, one per point, or with weight 1 each without them.
    #[must_use]
    pub fn weighted(targets: MatRef<'a, T>, weights: Option<&'a [f64]>) -> Self {
        Self { targets, weights }
    }

    /// Sets the weights, one per point.
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

    /// Returns true if there are weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Checks that targets and weights match the `n` points of a batch.
    pub(super) fn check(&self, n: usize) -> Result<(), Error> {
        check_targets(n, self.targets)?;
        self.weights.map_or(Ok(()), |weights| check_batch_weights(n, weights))
    }

    /// As for a batch, and refuses weights that are all zero.
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

/// Checks that there is one weight per point, and that weights are non-negative, finite, and not
/// all zero.
pub fn check_weights(n: usize, weights: &[f64]) -> Result<(), Error> {
    check_length("sample weights", n, weights.len())?;
    let allowed = |weight: f64| weight >= 0.0 && weight.is_finite();
    if let Some(point) = weights.iter().position(|&weight| !allowed(weight)) {
        return Err(Error::Weight { point, given: weights[point] });
    }
    if weights.iter().all(|&weight| weight <= 0.0) {
        return Err(Error::NoWeight { points: n });
    }
    Ok(())
}

/// The same, except that all weights may be zero, which is allowed for a batch.
pub fn check_batch_weights(n: usize, weights: &[f64]) -> Result<(), Error> {
    match check_weights(n, weights) {
        Err(Error::NoWeight { .. }) => Ok(()),
        other => other,
    }
}

/// Checks that there are points, and as many labels or targets.
pub fn check_length(what: &'static str, n: usize, given: usize) -> Result<(), Error> {
    if n == 0 {
        Err(Error::Empty)
    } else if n != given {
        Err(Error::Length { what, expected: n, given })
    } else {
        Ok(())
    }
}

/// Checks that there are as many targets as points, and that they are finite.
pub fn check_targets<T: Scalar>(n: usize, y: MatRef<'_, T>) -> Result<(), Error> {
    check_length("targets", n, y.nrows())?;
    check_finite(y)
}

/// Checks that values (points × outputs) are finite.
pub fn check_finite<T: Scalar>(y: MatRef<'_, T>) -> Result<(), Error> {
    for output in 0..y.ncols() {
        if let Some(point) = (0..y.nrows()).find(|&i| !y[(i, output)].is_finite_number()) {
            return Err(Error::NotFinite { point, output, given: y[(point, output)].to_f64() });
        }
    }
    Ok(())
}
