//! Regression scores; for several outputs the mean over outputs.

use super::{Score, weighted_mean};
use crate::model::Regression;
use crate::{Data, Error, Model};
use faer::{Mat, MatRef};
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// Numeric predictions.
pub trait NumericPredictions<T: Scalar> {
    /// The values: points × outputs.
    fn matrix(&self) -> MatRef<'_, T>;
}

impl<T: Scalar> NumericPredictions<T> for Vec<T> {
    fn matrix(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(self, self.len(), 1)
    }
}

impl<T: Scalar> NumericPredictions<T> for Mat<T> {
    fn matrix(&self) -> MatRef<'_, T> {
        self.as_ref()
    }
}

/// The coefficient of determination R² = 1 − Σw(y − f)²/Σw(y − ȳ)²: at most 1, and 0 for predicting
/// the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct R2;

/// The root mean squared error √(Σw(y − f)²/Σw).
#[doc(alias = "RMSE")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootMeanSquaredError;

/// The mean absolute error Σw|y − f|/Σw.
#[doc(alias = "MAE")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeanAbsoluteError;

/// The mean over outputs of a score of targets and predictions.
fn over_outputs<P, Y, M>(
    model: &M,
    data: &Data<'_, P, Y>,
    score: impl Fn(&dyn Fn(usize) -> f64, &dyn Fn(usize) -> f64) -> Result<f64, Error>,
) -> Result<f64, Error>
where
    P: Points,
    Y: Regression,
    M: Model<P, Answer: NumericPredictions<Y::Scalar>>,
{
    let (answers, y) = (model.predict(data.points())?, data.targets().matrix());
    let f = answers.matrix();
    let mut sum = 0.0;
    for k in 0..y.ncols() {
        sum += score(&|i| y[(i, k)].to_f64(), &|i| f[(i, k)].to_f64())?;
    }
    Ok(sum / y.ncols() as f64)
}

impl<P, Y, M> Score<P, Y, M> for R2
where
    P: Points,
    Y: Regression,
    M: Model<P, Answer: NumericPredictions<Y::Scalar>>,
{
    fn name(&self) -> &'static str {
        "R2"
    }

    fn score(&self, model: &M, data: &Data<'_, P, Y>) -> Result<f64, Error> {
        over_outputs(model, data, |y, f| {
            let mean = weighted_mean(data, y);
            let variance = weighted_mean(data, |i| (y(i) - mean).powi(2));
            if variance > 0.0 {
                Ok(1.0 - weighted_mean(data, |i| (y(i) - f(i)).powi(2)) / variance)
            } else {
                let reason = "the targets of all points that were held out are equal";
                Err(Error::Score { score: "R2", reason })
            }
        })
    }
}

impl<P, Y, M> Score<P, Y, M> for RootMeanSquaredError
where
    P: Points,
    Y: Regression,
    M: Model<P, Answer: NumericPredictions<Y::Scalar>>,
{
    fn name(&self) -> &'static str {
        "root mean squared error"
    }

    fn greater_is_better(&self) -> bool {
        false
    }

    fn score(&self, model: &M, data: &Data<'_, P, Y>) -> Result<f64, Error> {
        let square =
            |i: usize, y: &dyn Fn(usize) -> f64, f: &dyn Fn(usize) -> f64| (y(i) - f(i)).powi(2);
        over_outputs(model, data, |y, f| Ok(weighted_mean(data, |i| square(i, y, f)).sqrt()))
    }
}

impl<P, Y, M> Score<P, Y, M> for MeanAbsoluteError
where
    P: Points,
    Y: Regression,
    M: Model<P, Answer: NumericPredictions<Y::Scalar>>,
{
    fn name(&self) -> &'static str {
        "mean absolute error"
    }

    fn greater_is_better(&self) -> bool {
        false
    }

    fn score(&self, model: &M, data: &Data<'_, P, Y>) -> Result<f64, Error> {
        over_outputs(model, data, |y, f| Ok(weighted_mean(data, |i| (y(i) - f(i)).abs())))
    }
}
