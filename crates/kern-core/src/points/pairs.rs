//! Sums over the coordinates of one pair of samples, in double precision.

use super::Entry;
use crate::Scalar;

/// ‖x − y‖², accumulated in double precision.
pub(crate) fn squared_distance<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    let differences = x.iter().zip(y).map(|(x, y)| x.to_f64() - y.to_f64());
    differences.map(|d| d * d).sum()
}

/// Σₖ term(k, x_k, y_k) over the features that either has, in double precision.
pub(crate) fn united<T: Scalar>(
    x: &[Entry<T>],
    y: &[Entry<T>],
    term: impl Fn(u32, f64, f64) -> f64,
) -> f64 {
    let (mut x, mut y) = (x, y);
    let mut sum = 0.0;
    loop {
        let next = [x, y].into_iter().filter_map(|side| side.first().map(|e| e.feature)).min();
        let Some(feature) = next else { return sum };
        let take = |side: &mut &[Entry<T>]| match side.split_first() {
            Some((entry, rest)) if entry.feature == feature => {
                *side = rest;
                entry.value.to_f64()
            }
            _ => 0.0,
        };
        sum += term(feature, take(&mut x), take(&mut y));
    }
}
