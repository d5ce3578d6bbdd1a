//! Logistic regression on landmarks by Newton's method with preconditioned conjugate gradients.
//!
//! # Definition
//! f(x) = b + Σⱼ cⱼK(x, xⱼ) over m landmarks minimises J = (1/n) Σᵢ βᵢ ln(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖f − b‖². With the
//! Nyström features z = Rᵀk of the landmarks (RRᵀ = K_mm⁻¹, c = Rw) this is logistic regression on features, and the
//! certificate is the one on features. More than two classes are learned each against the rest.
//!
//! # Method
//! H = Z diag(h) Zᵀ − (Zh)(Zh)ᵀ/s + nλI is never formed: a product with it is one pass over the kernel values between
//! landmarks and points, which are stored if the budget allows and computed again in every pass if it does not. The
//! preconditioner is the same matrix of sampled points, by its Cholesky factor, for the h of each step. Penalties
//! fall by a factor of ten from step to step, down to λ, where the iteration goes on until it has converged: so no step
//! starts far from the minimum that it aims at.
//!
//! # References
//! Marteau-Ferey, Bach & Rudi (2019), *Globally Convergent Newton Methods for Ill-conditioned Generalized
//! Self-concordant Losses*, §4 (Falkon-GSC).

mod class;
mod fit;
