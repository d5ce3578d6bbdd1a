//! Hyper-parameter search by cross-validation.
//!
//! [`Tune`] is itself a learner: it evaluates candidates on folds of its data, selects the best,
//! and refits it on all of the data. A tuned learner is therefore scored like any other, by nested
//! cross-validation that searches within each fold.
//!
//! Hyper-parameters are set by their [names](kern_core::Parameters): `lambda`, `c`, `kernel.gamma`,
//! `map.scaled`.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::ridge::Ridge;
//! use kern_solvers::search::{Axis, Tune};
//! use kern_solvers::validation::R2;
//! let x = Samples::from_row_major(1, (0..30).map(|i| f64::from(i) / 3.0).collect())?;
//! let y: Vec<f64> = (0..30).map(|i| (f64::from(i) / 3.0).sin()).collect();
//! let tune = Tune::new(Ridge::on_kernel(Rbf::new(1.0)?), R2)
//!     .over("kernel.gamma", Axis::log(0.01, 100.0, 5))
//!     .over("lambda", [1e-6, 1e-3, 1.0]);
//! let model = tune.fit(&x, &y)?;
//! assert_eq!(model.trials().len(), 15);
//! assert!(model.best().and_then(|best| best.mean()).is_some_and(|mean| mean > 0.99));
//! assert!((model.predict(&x)?[6] - 2.0_f64.sin()).abs() < 0.05);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod attempts;
mod grid;
mod halving;
mod tune;
mod tuned;

pub use grid::{Axis, Range, ranges};
pub use tune::Tune;
pub use tuned::{Trial, Tuned};
