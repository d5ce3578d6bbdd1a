//! Kernel ridge on landmarks by preconditioned conjugate gradients.
//!
//! # Definition
//! f(x) = b + Σⱼ cⱼK(x, xⱼ) over m landmarks minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖f − b‖². With the
//! Nyström features z = Rᵀk of the landmarks (RRᵀ = K_mm⁻¹, c = Rw) this is ridge regression on features, by the iteration
//! of [`feature`](super::feature). A product with its matrix is one pass over the kernel values between landmarks and points,
//! which are stored if the budget allows and computed again in every pass if it does not.
//!
//! Falkon makes the preconditioner of the landmarks themselves; several times as many points cost one product of m × s
//! features, and leave few iterations to do.
//!
//! # References
//! Rudi, Carratino & Rosasco (2017), *FALKON: An Optimal Large Scale Kernel Method*, §3.

mod fit;
