//! The checks of targets and of sample weights β.

use super::Error;
use faer::MatRef;
use kern_core::Scalar;

/// Refuses weights that are not one per point, negative, not finite, or all zero.
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

/// The same, but that all weights may be zero: of a batch this is no mistake.
pub fn check_batch_weights(n: usize, weights: &[f64]) -> Result<(), Error> {
    match check_weights(n, weights) {
        Err(Error::NoWeight { .. }) => Ok(()),
        other => other,
    }
}

/// Refuses no points at all, and a number of labels or targets other than that of the points.
pub fn check_length(what: &'static str, n: usize, given: usize) -> Result<(), Error> {
    if n == 0 {
        Err(Error::Empty)
    } else if n != given {
        Err(Error::Length { what, expected: n, given })
    } else {
        Ok(())
    }
}

/// Refuses another number of targets than of points, and targets that are not finite.
pub fn check_targets<T: Scalar>(n: usize, y: MatRef<'_, T>) -> Result<(), Error> {
    check_length("targets", n, y.nrows())?;
    check_finite(y)
}

/// Refuses values that are not finite, points × outputs.
pub fn check_finite<T: Scalar>(y: MatRef<'_, T>) -> Result<(), Error> {
    for output in 0..y.ncols() {
        if let Some(point) = (0..y.nrows()).find(|&i| !y[(i, output)].is_finite_number()) {
            return Err(Error::NotFinite { point, output, given: y[(point, output)].to_f64() });
        }
    }
    Ok(())
}
