//! Validation: splits of data, scores of models, and cross-validation of any learner.
//!
//! Everything here is written against the traits of estimators, so it serves learners of the user as it serves those of
//! this library, on any points.
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
mod score;
mod split;

pub use cross_validate::{CrossValidation, FoldAnswers, FoldScore, cross_predict, cross_validate};
pub use score::{
    Accuracy, Auc, Average, BalancedAccuracy, Brier, F1, LogLoss, MeanAbsoluteError, R2,
    RootMeanSquaredError, Score, adjusted_rand_index, recall_at_k, silhouette,
};
pub use split::{Fold, Split};
