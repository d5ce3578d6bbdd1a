//! Pipelines: transformers fitted to the data, followed by a learner.
//!
//! A [`Pipeline`] is itself a learner, so its transformers are fitted inside each fold:
//! cross-validation never leaks a mean or a range of held-out points. The fitted result, a
//! [`Piped`] model, is saved as one.
//!
//! | map | of samples x of Rᵈ | learned |
//! |---|---|---|
//! | [`Standardize`] | (x − μ)/σ, coordinate by coordinate | weighted means μ and std σ |
//! | [`MinMax`] | a + (b − a)·(x − min)/(max − min) | smallest and largest values |
//! | [`Featurize`] | ψ(x) | nothing: the feature map is given |
//! | [`Encode`] of table rows | numbers, and categories one-hot or ordinal | the categories |
//! | [`Terms`] of texts | counts of words or character n-grams, optionally weighted | the terms |
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::pipeline::Standardize;
//! use kern_solvers::svm::Svc;
//! // Metres beside grams.
//! let x = Samples::from_rows(&[[1.2, 900.0], [1.3, 3100.0], [1.8, 1000.0], [1.9, 3000.0]])?;
//! let pipeline = Standardize::new().then(Svc::on_kernel(Rbf::new(0.5)?));
//! let model = pipeline.fit(&x, &["short", "short", "tall", "tall"])?;
//! assert_eq!(model.predict(&Samples::from_rows(&[[1.25, 2000.0]])?)?, ["short"]);
//! # Ok::<(), kern_solvers::Error>(())
//! ```

mod chain;
mod encode;
mod featurize;
mod min_max;
mod scaling;
mod standardize;
mod terms;

pub use chain::{Piped, Pipeline};
pub use encode::{Encode, Encoding};
pub use featurize::Featurize;
pub use min_max::MinMax;
pub use scaling::Scaling;
pub use standardize::{Standardize, is_constant};
pub use terms::{Terms, Vocabulary};
