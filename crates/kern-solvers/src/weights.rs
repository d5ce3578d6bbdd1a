//! Sample weights β, and what is allowed of them.

use crate::Error;
use crate::labels::check_length;

/// Refuses weights that are not one per point, negative, not finite, or all zero.
pub(crate) fn check_weights(n: usize, weights: &[f64]) -> Result<(), Error> {
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
