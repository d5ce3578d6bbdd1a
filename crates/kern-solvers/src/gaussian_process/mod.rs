//! Gaussian processes: regression and classification with learned kernels, and a predictive
//! distribution for each query.
//!
//! f has the prior covariance K, and yᵢ is f(xᵢ) plus noise of variance σ²/βᵢ. The posterior mean
//! is kernel ridge regression with nλ = σ². Unlike with [`Ridge`](crate::ridge::Ridge), all
//! parameters are learned from the training set at once, by the [likelihood](log_likelihood) of the
//! targets and its gradient.
//!
//! | task | API |
//! |---|---|
//! | a posterior with learned parameters | [`GaussianProcess::on_kernel`], [`fit`](GaussianProcess::fit) or [`learn`](crate::Learner::learn) |
//! | the same with fixed parameters | [`GaussianProcess::fixed`] |
//! | mean, variance, covariance, samples | `predict`, and the methods of [`Posterior`], which models have, too |
//! | the kernel, the noise and the likelihood | [`Posterior::kernel`], [`Posterior::noise`], [`Posterior::log_likelihood`], of `model.decision()` |
//! | many points | [`GaussianProcess::on_landmarks`]; [`Posterior::likelihood_bounds`] bounds the loss in likelihood |
//! | classes, with probabilities | [`GaussianProcessClassifier::on_kernel`] |
//! | bounds of a likelihood, for many points | [`likelihood_bounds`] |
//! | samples of the prior | [`sample_prior`] |
//! | likelihoods with gradients, for an optimiser of your own | [`log_likelihood`], [`leave_one_out_likelihood`], [`lower_bound`], [`laplace_likelihood`] |
//!
//! # References
//! Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, chapters 2 and 5;
//! Titsias (2009), *Variational Learning of Inducing Variables in Sparse Gaussian Processes*.

pub(crate) mod adjoint;
mod gaussian_process_classification;
mod gaussian_process_regression;
mod hyperparameter_search;
mod laplace_approximation;
mod latent_posterior;
mod marginal_likelihood;
mod posterior;
mod sampling;
mod sparse_gaussian_process;
mod stored_cholesky;
mod variational_bound;
mod variational_bound_gradient;

pub use gaussian_process_classification::GaussianProcessClassifier;
pub use gaussian_process_regression::GaussianProcess;
pub use hyperparameter_search::Fixed;
pub use laplace_approximation::laplace_likelihood;
pub use latent_posterior::LatentPosterior;
pub use marginal_likelihood::{LogLikelihood, Objective, leave_one_out_likelihood, log_likelihood};
pub use posterior::{Draws, Noise, Posterior};
pub use sampling::sample_prior;
pub use variational_bound::{LikelihoodBounds, likelihood_bounds};
pub use variational_bound_gradient::lower_bound;
