//! Conditional quantile curves.

use super::conformal::COVERAGES as LEVELS;
use crate::model::{Decision, Format, Regressor};
use crate::svm::{SvmSpace, Svr};
use crate::{Data, Error, Learner, Run, Values};
use faer::Mat;
use kern_core::parameters::Setting;
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// Conditional quantile curves: one quantile regression per level.
///
/// Curves fitted separately may cross if points are few.
/// [`predict_sorted`](QuantileCurves::predict_sorted) sorts the values of each query, which never
/// moves them away from the true quantiles.
///
/// # References
/// Chernozhukov, Fernández-Val & Galichon (2010), *Quantile and Probability Curves Without
/// Crossing*, for sorting.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, intervals::QuantileCurves, svm::Svr};
/// let x = Samples::from_rows(&(0..60).map(|i| [0.1 * f64::from(i)]).collect::<Vec<_>>())?;
/// let noise = |i: usize| f64::from((i * 37 % 60) as u32) / 60.0;
/// let y: Vec<f64> = (0..60).map(|i| noise(i) * (1.0 + 0.1 * i as f64)).collect();
/// let svr = Svr::on_kernel(Rbf::new(0.1)?).c(10.0);
/// let curves = QuantileCurves::learn(&svr, &[0.1, 0.5, 0.9], &Data::new(&x, &y)?, &mut Run::new())?;
/// let values = curves.predict_sorted(&x)?;
/// // The noise grows.
/// assert!(values[(50, 2)] - values[(50, 0)] > 2.0 * (values[(5, 2)] - values[(5, 0)]));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "quantile regression")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<D>",
    bound(serialize = "Regressor<D>: Serialize", deserialize = "Regressor<D>: Deserialize<'de>")
)]
pub struct QuantileCurves<D> {
    format: Format<Self>,
    levels: Vec<f64>,
    curves: Vec<Regressor<D>>,
}

kern_core::named! { [D] QuantileCurves<D> = "quantile_curves"; }

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "Regressor<D>: Deserialize<'de>"))]
struct Unchecked<D> {
    format: Format<QuantileCurves<D>>,
    levels: Vec<f64>,
    curves: Vec<Regressor<D>>,
}

impl<D> TryFrom<Unchecked<D>> for QuantileCurves<D> {
    type Error = Error;

    fn try_from(Unchecked { format, levels, curves }: Unchecked<D>) -> Result<Self, Error> {
        check_levels(&levels)?;
        for &level in &levels {
            LEVELS.accept("quantile", &level.into())?;
        }
        Error::check_equal("curves of quantiles", levels.len(), curves.len())?;
        Ok(Self { format, levels, curves })
    }
}

/// The first of levels in ascending order.
fn check_levels(levels: &[f64]) -> Result<f64, Error> {
    let rising = levels.windows(2).all(|pair| pair[0] < pair[1]);
    match levels.first() {
        Some(&first) if rising => Ok(first),
        _ => {
            let (name, allowed) = ("levels", "one or more, in ascending order");
            Err(Error::Count { name, given: levels.len(), allowed })
        }
    }
}

impl<D> QuantileCurves<D> {
    /// Fits one curve per level with the settings of `svr`; its own ε, ν or level is ignored.
    ///
    /// On a kernel, the fits share the kernel matrix.
    ///
    /// # Errors
    /// [`Error::Count`] without levels, or if they are not ascending; those of [`Svr`].
    pub fn learn<P, S>(
        svr: &Svr<S>,
        levels: &[f64],
        data: &Data<'_, P, Values<P::Scalar>>,
        run: &mut Run<'_>,
    ) -> Result<Self, Error>
    where
        P: Points,
        S: SvmSpace<P, Function = D> + Clone,
    {
        let first = check_levels(levels)?;
        let machine = |level| svr.clone().quantile(level);
        let first = machine(first);
        let curves = if Learner::<P, Values<P::Scalar>>::has_path(&first, "quantile") {
            let values: Vec<Setting> = levels.iter().map(|&level| level.into()).collect();
            first.learn_path("quantile", &values, data, run)?
        } else {
            let curves = levels.iter().map(|&level| machine(level).learn(data, run));
            curves.collect::<Result<_, _>>()?
        };
        Ok(Self { format: Format::default(), levels: levels.to_vec(), curves })
    }

    /// The levels, in ascending order.
    #[must_use]
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// The fitted regressor of each level.
    #[must_use]
    pub fn curves(&self) -> &[Regressor<D>] {
        &self.curves
    }

    /// The predicted quantiles, queries × levels.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, queries: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        let columns = self.curves.iter().map(|curve| curve.predict(queries));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        Ok(Mat::from_fn(queries.len(), columns.len(), |i, j| columns[j][i]))
    }

    /// The predicted quantiles, sorted in ascending order for each query.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict_sorted<P: Points>(&self, queries: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Decision<P>,
    {
        let values = self.predict(queries)?;
        let mut rows = vec![vec![P::Scalar::ZERO; values.ncols()]; values.nrows()];
        for (row, from) in rows.iter_mut().zip(values.row_iter()) {
            row.iter_mut().zip(from.iter()).for_each(|(value, from)| *value = *from);
            row.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        }
        Ok(Mat::from_fn(values.nrows(), values.ncols(), |i, j| rows[i][j]))
    }
}
