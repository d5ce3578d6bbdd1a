//! Scores: how good the answers of a model are, each written once.

mod classes;
mod clusters;
mod numbers;
mod probabilities;

pub use classes::{Accuracy, Average, BalancedAccuracy, F1};
pub use clusters::{adjusted_rand_index, recall_at_k, silhouette};
pub use numbers::{MeanAbsoluteError, R2, RootMeanSquaredError};
pub use probabilities::{Auc, Brier, LogLoss};

use crate::{Data, Error};
use kern_core::Points;

/// A score of models `M` that learned targets `Y` of points `P`. Weights of the data count.
///
/// # Examples
/// A score of your own:
/// ```
/// use kern_core::{Points, Samples, kernels::Linear};
/// use kern_solvers::validation::Score;
/// use kern_solvers::{Data, Error, Model, Values, ridge::Ridge};
/// struct Worst;
/// impl<P: Points, M: Model<P, Answer = Vec<f64>>> Score<P, Values<f64>, M> for Worst {
///     fn name(&self) -> &'static str {
///         "greatest error"
///     }
///     fn greater_is_better(&self) -> bool {
///         false
///     }
///     fn score(&self, model: &M, data: &Data<'_, P, Values<f64>>) -> Result<f64, Error> {
///         let answers = model.predict(data.points())?;
///         let errors = answers.iter().zip(data.targets().as_slice()).map(|(f, y)| (f - y).abs());
///         Ok(errors.fold(0.0, f64::max))
///     }
/// }
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let data = Data::new(&x, &[1.0, 2.0])?;
/// let model = Ridge::on_kernel(Linear).fit(&x, &[1.0_f64, 2.0])?;
/// assert!(Worst.score(&model, &data)? < 1e-5);
/// # Ok::<(), Error>(())
/// ```
pub trait Score<P: Points, Y, M> {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Tells whether a greater score is a better one. Default: yes.
    fn greater_is_better(&self) -> bool {
        true
    }

    /// The score of a model on data that it has not seen.
    ///
    /// # Errors
    /// Those of the prediction; [`Error::Score`] where it is not defined.
    fn score(&self, model: &M, data: &Data<'_, P, Y>) -> Result<f64, Error>;
}

/// Σwᵢvᵢ/Σwᵢ over the weights of data.
fn weighted_mean<P: Points, Y: crate::Targets>(
    data: &Data<'_, P, Y>,
    value: impl Fn(usize) -> f64,
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..data.len() {
        let weight = data.weight(i);
        if weight > 0.0 {
            sum += weight * value(i);
            total += weight;
        }
    }
    sum / total
}
