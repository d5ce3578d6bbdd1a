//! Validation: splits of data, scores of models, and cross-validation of any learner.
//!
//! Everything here is built on the estimator traits, so it works with custom learners as well as
//! with those of this library, on any points.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::validation::{Accuracy, Split, cross_validate};
//! use kern_solvers::{Data, ridge::Ridge};
//! let x = Samples::from_row_major(1, (0..40).map(f64::from).collect())?;
//! let y: Vec<&str> = (0..40).map(|i| if i < 20 { "low" } else { "high" }).collect();
//! let ridge = Ridge::on_kernel(Rbf::new(0.1)?).lambda(1e-3);
//! let scores = cross_validate(&ridge, &Data::new(&x, &y)?, &Split::stratified(5).shuffle(1), &Accuracy)?;
//! assert_eq!(scores.folds().len(), 5);
//! assert!(scores.mean() > 0.9);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod cross_validate;
mod scores_of_classes;
mod scores_of_clusters;
mod scores_of_numbers;
mod scores_of_probabilities;
mod split;

pub use cross_validate::{CrossValidation, FoldAnswers, FoldScore, cross_predict, cross_validate};
pub use scores_of_classes::{Accuracy, Average, BalancedAccuracy, F1};
pub use scores_of_clusters::{adjusted_rand_index, recall_at_k, silhouette};
pub use scores_of_numbers::{MeanAbsoluteError, R2, RootMeanSquaredError};
pub use scores_of_probabilities::{Auc, Brier, LogLoss, area_under_roc};
pub use split::{Fold, Split};

use crate::{Data, Error};
use kern_core::Points;

/// A score of models `M` fitted to targets `Y` of points `P`. Sample weights are taken into
/// account.
///
/// [`score`](Score::score) can be called for any fitted model with suitable predictions, also for
/// that of a pipeline or a search: `Accuracy.score(&model, &data)?`.
///
/// # Examples
/// A custom score:
/// ```
/// use kern_core::{Points, Samples, kernels::Linear};
/// use kern_solvers::validation::Score;
/// use kern_solvers::{Data, Error, Model, Values, ridge::Ridge};
/// struct Worst;
/// impl<P: Points, M: Model<P, Answer = Vec<f64>>> Score<P, Values<f64>, M> for Worst {
///     fn name(&self) -> &'static str {
///         "largest error"
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

    /// Returns true if larger scores are better. Default: true.
    fn greater_is_better(&self) -> bool {
        true
    }

    /// The score of a model on unseen data.
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
