//! Intervals, and the ranks that they end at.

use crate::Error;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_core::parameters::{Domain, Scale};

/// The coverages that can be asked for.
const COVERAGES: Domain =
    Domain::Real { least: 0.0, greatest: 1.0_f64.next_down(), open: true, scale: Scale::Linear };

/// An interval for each query and output. An end is infinite where there are too few points for the coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals<T> {
    lower: Mat<T>,
    upper: Mat<T>,
}

impl<T: Scalar> Intervals<T> {
    pub(super) fn new(lower: Mat<T>, upper: Mat<T>) -> Self {
        Self { lower, upper }
    }

    /// The lower ends, queries × outputs.
    #[must_use]
    pub fn lower(&self) -> MatRef<'_, T> {
        self.lower.as_ref()
    }

    /// The upper ends, queries × outputs.
    #[must_use]
    pub fn upper(&self) -> MatRef<'_, T> {
        self.upper.as_ref()
    }

    /// The share of these targets, queries × outputs, that lies in its interval, for each output.
    ///
    /// # Errors
    /// [`Error::Statistics`] unless there is a finite target for each interval.
    pub fn coverage(&self, targets: MatRef<'_, T>) -> Result<Vec<f64>, Error> {
        kern_approx::statistics::check_targets(self.lower.nrows(), targets)?;
        super::bounds::check_outputs(self.lower.ncols(), targets.ncols())?;
        let inside = |i: usize, j: usize| {
            self.lower[(i, j)] <= targets[(i, j)] && targets[(i, j)] <= self.upper[(i, j)]
        };
        let share = |j: usize| {
            let count = (0..targets.nrows()).filter(|&i| inside(i, j)).count();
            count as f64 / targets.nrows() as f64
        };
        Ok((0..targets.ncols()).map(share).collect())
    }
}

/// Refuses another number of outputs.
pub(super) fn check_outputs(expected: usize, given: usize) -> Result<(), Error> {
    let (name, allowed) = ("the number of outputs", "that of the model");
    if given == expected { Ok(()) } else { Err(Error::Count { name, given, allowed }) }
}

/// The number k = ⌈c(n + 1)⌉ of the order statistic, from 1, that a new value of the same kind is at most with a probability
/// of at least c; none if k > n.
///
/// # Errors
/// [`Error::Core`] unless 0 < c < 1.
pub(super) fn rank(coverage: f64, n: usize) -> Result<Option<usize>, Error> {
    COVERAGES.accept("coverage", &coverage.into())?;
    // A product that is a whole number but for rounding is that number.
    let k = (coverage * (n as f64 + 1.0) * (1.0 - 4.0 * f64::EPSILON)).ceil() as usize;
    Ok((k <= n).then_some(k.max(1)))
}

/// The k-th smallest of these numbers, none of which is a NaN; their order is lost.
pub(super) fn smallest<T: Scalar>(values: &mut [T], k: usize) -> T {
    let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    *values.select_nth_unstable_by(k - 1, order).1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

    use super::*;

    #[test]
    fn ranks_are_those_of_exact_arithmetic() {
        for n in 1..400_usize {
            for percent in 1..100_usize {
                let exact = (percent * (n + 1)).div_ceil(100);
                let found = rank(percent as f64 / 100.0, n).unwrap();
                assert_eq!(found, (exact <= n).then_some(exact), "{percent} {n}");
            }
        }
        for wrong in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(rank(wrong, 5).is_err());
        }
    }
}
