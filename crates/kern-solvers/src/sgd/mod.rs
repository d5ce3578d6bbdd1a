//! Stochastic gradient descent on the coefficients of a kernel expansion (u-space) or on the
//! weights of a feature map (w-space).
//!
//! # Definition
//! Minimises f(w) = (1/n) Σᵢ βᵢ·ℓ(wᵀφ(xᵢ); yᵢ) + (λ/2)‖w‖² from w₀ = 0. Step t draws a sample i
//! uniformly (or a batch of samples, whose gradients are averaged) and sets
//!
//! - w-space: w ← (1 − α_tλ)·w − α_t·βᵢ·ℓ'(wᵀφ(xᵢ); yᵢ)·φ(xᵢ)
//! - u-space: u ← (1 − α_tλ)·u, then u_i ← u_i − α_t·βᵢ·ℓ'(Σⱼ K(xᵢ, xⱼ)uⱼ; yᵢ)
//!
//! With w = Σᵢ uᵢφ(xᵢ) these are the same steps, so for the same seed the four exact algorithms
//! give the same model up to rounding. Approximate features, whose kernel is close to the given
//! one, add two more algorithms. For n points of dimension d, D features and T steps:
//!
//! | algorithm | time | memory beyond the data |
//! |---|---|---|
//! | 1 features on the fly | O(d·D·T) | O(D) |
//! | 2 features stored | O(n·d·D + D·T) | O(n·D) |
//! | 3 kernel on the fly | O(n·d·T) | O(n) |
//! | 4 Gram matrix stored | O(n²·d + n·T) | O(n²) |
//! | 5 approximate features on the fly | as 1 | as 1, and the map |
//! | 6 approximate features stored | as 2 | as 2, and the map |
//!
//! [`Storage::Partial`] stores as much as the memory budget allows, and [`Sgd::auto`] takes the
//! algorithm that the [planner](crate::plan) recommends. On landmarks, SGD runs in w-space on the
//! features of the landmarks.
//!
//! With [`Sgd::project`], w is scaled back into the ball ‖w‖ ≤ √(L₀/λ) after each step, where L₀ is
//! the mean loss at w = 0; for the hinge loss the radius is 1/√λ. The ball contains the optimum by
//! strong duality: with the conjugate losses ℓ*, the dual objective is (1/n)Σ −βᵢℓ*(−aᵢ) −
//! (λ/2)‖w‖² ≤ L₀ − (λ/2)‖w‖², and the primal objective is at least (λ/2)‖w‖². With
//! [`Sgd::intercept`], each output has an unpenalised intercept b, which takes the same steps.
//!
//! [`Schedule::Pegasos`] with the hinge loss, a projection, an intercept and [`Averaging::Uniform`]
//! is Pegasos. In expectation over the samples and without an intercept, the objective of its mean
//! iterate is within (√λ + R)²(1 + ln T)/(2λT) of the optimum for features of norm at most R.
//!
//! "On the fly" computes features or kernel values for a block of upcoming samples at once, as one
//! matrix product. This is possible because the sequence of samples is known in advance, and
//! features and kernel values do not depend on the iterate. In u-space, T counts only the steps
//! that change the iterate: the margins of all points are kept up to date, so a step on a point
//! with zero hinge loss takes O(1).
//!
//! # References
//! Shalev-Shwartz, Singer, Srebro & Cotter (2011), *Pegasos*, theorem 2 and section 6; Kivinen,
//! Smola & Williamson (2004), *Online Learning with Kernels*; De Sa, *Kernels and Feature
//! Extraction* (Cornell CS6787), the six algorithms.

mod averaging;
mod cost_model;
mod early_stop;
mod gradient_step;
mod intercepts;
mod loss;
mod online_sgd;
mod regularised_risk;
mod sgd_plan;
mod step_size;
mod stochastic_gradient_descent;
mod u_space;
mod w_space;

pub(crate) use cost_model::check_features;

pub use averaging::Averaging;
pub use early_stop::EarlyStopping;
pub use loss::Loss;
pub use online_sgd::{OnlineClassifier, OnlineRegressor, Resume};
pub use sgd_plan::SgdTask;
pub use step_size::{Schedule, StepFunction};
pub use stochastic_gradient_descent::{Sgd, SgdSpace, Storage};
