//! Conformal intervals: the order statistic that they end at, and split conformal prediction.

use crate::Error;
use crate::model::Decision;
use faer::{Mat, MatRef};
use kern_approx::statistics::check_targets;
use kern_core::parameters::{Domain, Scale};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// The coverages that can be asked for.
const COVERAGES: Domain =
    Domain::Real { least: 0.0, greatest: 1.0_f64.next_down(), open: true, scale: Scale::Linear };

/// Intervals of constant width around a function, from its residuals on points that it has not learned from.
///
/// # Definition
/// f(x) ± q, where q is the ⌈(1 − a)(n + 1)⌉-th smallest of the n absolute residuals |yᵢ − f(xᵢ)|. A new target lies in its
/// interval with a probability of at least 1 − a and, if no two residuals are equal, at most 1 − a + 1/(n + 1).
///
/// # References
/// Papadopoulos, Proedrou, Vovk & Gammerman (2002), *Inductive Confidence Machines for Regression*; Lei, G'Sell, Rinaldo,
/// Tibshirani & Wasserman (2018), *Distribution-Free Predictive Inference for Regression*, theorem 2.2.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::Col, kernels::Rbf};
/// use kern_solvers::{intervals::SplitConformal, ridge::Ridge};
/// let points = |from: f64| Samples::from_rows(&(0..50).map(|i| [from + 0.1 * f64::from(i)]).collect::<Vec<_>>());
/// let wave = |x: &Samples<f64>| x.as_slice().iter().map(|x| x.sin() + 0.1 * (40.0 * x).cos()).collect::<Vec<f64>>();
/// let (seen, fresh) = (points(0.0)?, points(0.05)?);
/// let model = Ridge::on_kernel(Rbf::new(1.0)?).lambda(1e-3).fit(&seen, &wave(&seen))?;
///
/// let y = Col::from_fn(fresh.len(), |i| wave(&fresh)[i]);
/// let conformal = SplitConformal::calibrate(model.decision(), &fresh, y.as_mat())?;
/// let intervals = conformal.predict(model.decision(), &fresh, 0.9)?;
/// assert!(intervals.coverage(y.as_mat())?[0] >= 0.9);
/// # use kern_core::Points;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "conformal prediction")]
#[doc(alias = "prediction interval")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplitConformal<T> {
    /// The absolute residuals of each output, in ascending order.
    residuals: Vec<Vec<T>>,
}

impl<T: Scalar> SplitConformal<T> {
    /// The intervals of these residuals, points × outputs.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Statistics`] for a residual that is no number.
    pub fn new(residuals: MatRef<'_, T>) -> Result<Self, Error> {
        if residuals.nrows() == 0 {
            return Err(Error::Empty);
        }
        check_targets(residuals.nrows(), residuals)?;
        let sorted = |column: faer::ColRef<'_, T>| {
            let mut sizes: Vec<T> =
                column.iter().map(|&r| if r < T::ZERO { -r } else { r }).collect();
            sizes.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            sizes
        };
        Ok(Self { residuals: residuals.col_iter().map(sorted).collect() })
    }

    /// The intervals around a learned function, by points that it has not learned from and their targets.
    ///
    /// # Errors
    /// Those of [`new`](SplitConformal::new) and of [`Decision::decide`]; [`Error::Count`] for another number of outputs.
    pub fn calibrate<P: Points<Scalar = T>>(
        function: &impl Decision<P>,
        points: &P,
        targets: MatRef<'_, T>,
    ) -> Result<Self, Error> {
        check_outputs(function.outputs(), targets.ncols())?;
        check_targets(points.len(), targets)?;
        let values = function.decide(points)?;
        Self::new((targets - values).as_ref())
    }

    /// The half-width of the intervals of each output; infinite if there are too few residuals.
    ///
    /// # Errors
    /// [`Error::Core`] unless 0 < coverage < 1.
    pub fn widths(&self, coverage: f64) -> Result<Vec<T>, Error> {
        let width = |sizes: &Vec<T>| {
            let rank = rank(coverage, sizes.len())?;
            Ok(rank.map_or(T::from_f64(f64::INFINITY), |rank| sizes[rank - 1]))
        };
        self.residuals.iter().map(width).collect()
    }

    /// The intervals around the values of the function at these points.
    ///
    /// # Errors
    /// Those of [`widths`](SplitConformal::widths) and of [`Decision::decide`]; [`Error::Count`] for another number of
    /// outputs.
    pub fn predict<P: Points<Scalar = T>>(
        &self,
        function: &impl Decision<P>,
        queries: &P,
        coverage: f64,
    ) -> Result<Intervals<T>, Error> {
        check_outputs(self.residuals.len(), function.outputs())?;
        let (widths, values) = (self.widths(coverage)?, function.decide(queries)?);
        let end = |sign: T| {
            Mat::from_fn(values.nrows(), values.ncols(), |i, j| values[(i, j)] + sign * widths[j])
        };
        Ok(Intervals::new(end(-T::ONE), end(T::ONE)))
    }
}

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
        check_targets(self.lower.nrows(), targets)?;
        check_outputs(self.lower.ncols(), targets.ncols())?;
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
fn check_outputs(expected: usize, given: usize) -> Result<(), Error> {
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
