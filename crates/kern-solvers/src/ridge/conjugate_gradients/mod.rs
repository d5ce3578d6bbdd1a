//! Kernel ridge by preconditioned conjugate gradients: exact, for kernel matrices that do not fit, or
//! take too long to factorise.
//!
//! # Definition
//! With M = B^½KB^½ + nλI and s = √β, the right-hand sides B^½y of all outputs and, if there is an intercept,
//! s itself are solved together: w = M⁻¹B^½y, u = M⁻¹s, b = sᵀw/(sᵀu), γ = w − bu. The residual
//! ρ = B^½(y − b) − Mγ is what the duality gap is made of: ‖ρ‖²/n, as sᵀγ = 0 whatever the errors of w and u.
//!
//! With a randomly pivoted Cholesky factor K ≈ FFᵀ of rank k the preconditioner is B^½FFᵀB^½ + nλI, whose inverse
//! takes 4nk flops by the Woodbury identity. It leaves a condition number of at most 1 + tr(B^½(K − FFᵀ)B^½)/(nλ),
//! which is known, so the iterations that more rank would save are predicted before it is paid for.
//!
//! # Complexity
//! Each iteration n²/2 kernel evaluations (or n²/2 numbers that are read, if that many fit the budget)
//! for all outputs together; n·k evaluations, 2n·k² flops and n·k numbers for the preconditioner.
//!
//! # Numerics
//! Vectors are in double precision for `f32` points too; only products that steer are not. Every 30
//! iterations, and before convergence is declared, the residual is computed afresh, from kernel values
//! that are summed in double precision.
//!
//! [`pivoted`](kern_approx::landmarks::pivoted) makes the factor and applies it, `products` multiplies with K in both precisions, `iterate` runs
//! conjugate gradients, and `fit` puts it together; [`RidgeTask`](super::RidgeTask) counts work.
//!
//! # References
//! Díaz, Epperly, Frangella, Tropp & Webber (2023), *Robust, Randomized Preconditioning for Kernel Ridge
//! Regression*, algorithm 1; van der Vorst & Ye (2000), *Residual Replacement Strategies for Krylov Subspace
//! Iterative Methods*.

mod fit;
mod iterate;
mod products;

pub(super) use fit::{Prepared, fit, fit_planned, is_direct, is_small, planned, task};
pub(super) use kern_approx::landmarks::pivoted::bytes as preconditioner_bytes;
