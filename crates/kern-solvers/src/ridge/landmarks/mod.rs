//! Kernel ridge on landmarks by preconditioned conjugate gradients.
//!
//! # Definition
//! f(x) = b + Σⱼ cⱼK(x, xⱼ) over m landmarks minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖f − b‖². With the
//! Nyström features z = Rᵀk of the landmarks (RRᵀ = K_mm⁻¹, c = Rw) this is ridge regression on features,
//! H w = ZBy, H = ZBZᵀ + nλI, centred if there is an intercept. H is never formed. A product with it is one
//! pass over the kernel values between landmarks and points, which are stored if the budget allows and
//! computed again in every pass if it does not.
//!
//! The preconditioner is the same matrix of some of the points, S = (n/s) Z_sB_sZ_sᵀ + nλI, by its Cholesky factor.
//! Falkon takes the landmarks themselves for these points; several times as many cost one product of
//! m × s features, and leave few iterations to do. With s = n one iteration solves the problem.
//!
//! After every run of conjugate gradients the residual is computed afresh, and the next run starts from it.
//!
//! # References
//! Rudi, Carratino & Rosasco (2017), *FALKON: An Optimal Large Scale Kernel Method*, §3.

mod fit;
mod iterate;
