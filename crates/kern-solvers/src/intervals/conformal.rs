//! Split conformal prediction.

use super::Intervals;
use super::bounds::{check_outputs, rank};
use crate::Error;
use crate::model::Decision;
use faer::{Mat, MatRef};
use kern_approx::statistics::check_targets;
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

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
