//! Stochastic gradient descent on the coefficients of a kernel expansion (u-space) or on the
//! weights of a feature map (w-space).
//!
//! # Definition
//! Minimises f(w) = (1/n) Σᵢ βᵢ·ℓ(wᵀφ(xᵢ); yᵢ) + (λ/2)‖w‖² from w₀ = 0. At step t a sample i is drawn
//! uniformly (or a batch of them, whose gradients are averaged), and
//!
//! - w-space: w ← (1 − α_tλ)·w − α_t·βᵢ·ℓ'(wᵀφ(xᵢ); yᵢ)·φ(xᵢ)
//! - u-space: u ← (1 − α_tλ)·u, then u_i ← u_i − α_t·βᵢ·ℓ'(Σⱼ K(xᵢ, xⱼ)uⱼ; yᵢ)
//!
//! With w = Σᵢ uᵢφ(xᵢ) these are the same steps, so for the same seed the four exact ways give the
//! same model up to rounding; with approximate features, of another kernel that is close, there are
//! six:
//!
//! | way | time | memory beyond the data |
//! |---|---|---|
//! | 1 features on the fly | O(d·D·T) | O(D) |
//! | 2 features stored | O(n·d·D + D·T) | O(n·D) |
//! | 3 kernel on the fly | O(n·d·T) | O(n) |
//! | 4 Gram matrix stored | O(n²·d + n·T) | O(n²) |
//! | 5 approximate features on the fly | as 1 | as 1, and the map |
//! | 6 approximate features stored | as 2 | as 2, and the map |
//!
//! [`Storage::Partial`] stores what the memory budget holds, and [`Sgd::auto`] goes the way that
//! the [planner](crate::plan) recommends; on landmarks, w-space is that of their features.
//!
//! With [`Sgd::project`], w is scaled back into the ball ‖w‖ ≤ √(L₀/λ) after each step, L₀ the mean loss of w = 0: 1/√λ for the
//! hinge loss. The optimum is in it, by strong duality: with the conjugate losses ℓ*, the dual objective is
//! (1/n)Σ −βᵢℓ*(−aᵢ) − (λ/2)‖w‖² ≤ L₀ − (λ/2)‖w‖², and the primal at least (λ/2)‖w‖². With [`Sgd::intercept`], f has a number b of
//! each output, which descends by the same steps and is not penalised. [`Schedule::Pegasos`] with the hinge loss, both and
//! [`Averaging::Uniform`] is Pegasos, whose mean iterate is within (√λ + R)²(1 + ln T)/(2λT) of the optimum for features of norm
//! at most R, in expectation over the samples and without an intercept.
//!
//! "On the fly" computes a block of upcoming samples at once, as one matrix product: the sequence
//! is known in advance, and features and kernel values do not depend on the iterate. In u-space T
//! counts only the steps that change something: the margins of all points are kept up to date, so a
//! step of the hinge loss beyond the margin takes O(1).
//!
//! # References
//! Shalev-Shwartz, Singer, Srebro & Cotter (2011), *Pegasos*, theorem 2 and section 6; Kivinen, Smola & Williamson (2004),
//! *Online Learning with Kernels*; De Sa, *Kernels and Feature Extraction* (Cornell CS6787), the six ways.

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
