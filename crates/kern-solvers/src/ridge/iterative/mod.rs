//! Kernel ridge by preconditioned conjugate gradients: exact, for kernel matrices that do not fit, or
//! take too long to factorise.
//!
//! # Definition
//! With M = B^½KB^½ + nλI and s = √β, the right-hand sides B^½y of all outputs and, if there is an intercept,
//! s itself are solved together: w = M⁻¹B^½y, u = M⁻¹s, b = sᵀw/(sᵀu), γ = w − bu. The residual
//! ρ = B^½(y − b) − Mγ is what the duality gap is made of: ‖ρ‖²/n, as sᵀγ = 0 whatever the errors of w and u.
//!
//! `params` holds the parameters, `preconditioner` makes the factor and applies it, `products` multiplies
//! with K in both precisions, `iterate` runs conjugate gradients, `fit` puts it together for points, `gram` for a Gram matrix.
//! `plan` predicts times from `rates` that are measured.

mod fit;
mod gram;
mod iterate;
mod params;
mod plan;
mod preconditioner;
mod products;
mod rates;

pub(super) use fit::{fit, fit_planned, planned};
pub use gram::RidgeCoefficients;
pub use params::{ConjugateGradients, RidgeSolver};
pub use plan::{RidgePlan, RidgePrediction, RidgeRates, RidgeSizes, RidgeWay};
