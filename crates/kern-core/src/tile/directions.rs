//! Norms and unit directions of vectors, without overflow of squares.

use crate::{Entry, Scalar};

/// A norm as (m, r): ‖x‖ = m·r, where m is the largest magnitude (or 1 if that is 0), and r is 0
/// for the zero vector and in [1, √d] for any other.
pub(crate) fn norm(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
    let m = if largest > 0.0 { largest } else { 1.0 };
    (m, values.map(|v| (v / m) * (v / m)).sum::<f64>().sqrt())
}

pub(crate) fn dense<T: Scalar>(x: &[T]) -> impl Iterator<Item = f64> + Clone {
    x.iter().map(|v| v.to_f64())
}

pub(crate) fn sparse<T: Scalar>(x: &[Entry<T>]) -> impl Iterator<Item = f64> + Clone {
    x.iter().map(|e| e.value.to_f64())
}

/// x/‖x‖, or 0.
pub(crate) fn direction<T: Scalar>(x: &[T], to: &mut [T]) {
    let (m, r) = norm(dense(x));
    for (to, x) in to.iter_mut().zip(x) {
        *to = if r > 0.0 { T::from_f64(x.to_f64() / m / r) } else { T::ZERO };
    }
}
