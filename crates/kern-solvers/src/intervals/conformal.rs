//! Split conformal prediction, and the order statistic of conformal intervals.

use crate::Error;
use crate::model::{Decision, Format};
use faer::{Mat, MatRef};
use kern_approx::statistics::check_targets;
use kern_core::parameters::{Domain, Scale};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// The domain of coverages, and of the levels of quantiles.
pub(super) const COVERAGES: Domain =
    Domain::Real { smallest: 0.0, largest: 1.0_f64.next_down(), open: true, scale: Scale::Linear };

/// Split conformal prediction: intervals of constant width around a function, from its residuals on
/// held-out points.
///
/// # Definition
/// The interval is f(x) ± q, where q is the ⌈(1 − a)(n + 1)⌉-th smallest of the n absolute
/// residuals |yᵢ − f(xᵢ)|. A new target lies in its interval with probability at least 1 − a and,
/// if no two residuals are equal, at most 1 − a + 1/(n + 1).
///
/// # References
/// Papadopoulos, Proedrou, Vovk & Gammerman (2002), *Inductive Confidence Machines for Regression*;
/// Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), *Distribution-Free Predictive Inference for
/// Regression*, theorem 2.2.
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
#[serde(try_from = "Unchecked<T>", bound(deserialize = "T: Scalar"))]
pub struct SplitConformal<T> {
    format: Format<Self>,
    /// The absolute residuals of each output, in ascending order.
    residuals: Vec<Vec<T>>,
}

kern_core::named! { [T] SplitConformal<T> = "split_conformal"; }

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Scalar"))]
struct Unchecked<T> {
    #[serde(rename = "format")]
    _format: Format<SplitConformal<T>>,
    residuals: Vec<Vec<T>>,
}

impl<T: Scalar> TryFrom<Unchecked<T>> for SplitConformal<T> {
    type Error = Error;

    fn try_from(Unchecked { residuals, .. }: Unchecked<T>) -> Result<Self, Error> {
        let n = residuals.first().map_or(0, Vec::len);
        for sizes in &residuals {
            Error::check_equal("residuals of an output", n, sizes.len())?;
        }
        // Sorts what a file has in another order, and refuses what is no residual.
        Self::new(Mat::from_fn(n, residuals.len(), |i, j| residuals[j][i]).as_ref())
    }
}

impl<T: Scalar> SplitConformal<T> {
    /// Intervals from residuals, points × outputs.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Statistics`] for a non-finite residual.
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
        let residuals = residuals.col_iter().map(sorted).collect();
        Ok(Self { format: Format::default(), residuals })
    }

    /// Calibrates intervals around a fitted function, with held-out points and their targets.
    ///
    /// # Errors
    /// As [`new`](SplitConformal::new) and [`Decision::decide`]; [`Error::Count`] if the numbers of
    /// outputs differ.
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

    /// The intervals around the function values at these points.
    ///
    /// # Errors
    /// As [`widths`](SplitConformal::widths) and [`Decision::decide`]; [`Error::Count`] if the
    /// numbers of outputs differ.
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

/// One interval per query and output. Ends are infinite if there are too few points for the
/// coverage.
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

    /// The empirical coverage for each output: the share of these targets, queries × outputs, that
    /// lie in their intervals.
    ///
    /// # Errors
    /// [`Error::Statistics`] unless there is one finite target per interval.
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

/// Fails if the number of outputs differs from that of the model.
fn check_outputs(expected: usize, given: usize) -> Result<(), Error> {
    let (name, allowed) = ("the number of outputs", "that of the model");
    if given == expected { Ok(()) } else { Err(Error::Count { name, given, allowed }) }
}

/// The rank k = ⌈c(n + 1)⌉, from 1, of the order statistic that a new exchangeable value does not
/// exceed with probability at least c; `None` if k > n.
///
/// # Errors
/// [`Error::Core`] unless 0 < c < 1.
pub(super) fn rank(coverage: f64, n: usize) -> Result<Option<usize>, Error> {
    COVERAGES.accept("coverage", &coverage.into())?;
    // A product that is an integer up to rounding counts as that integer.
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
