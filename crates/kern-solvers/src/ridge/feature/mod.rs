//! Ridge regression on the features of a map, in the primal.
//!
//! # Definition
//! f(x) = b + wᵀψ(x) minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖w‖². With Z = [ψ(x₁) … ψ(xₙ)], B = diag(β),
//! s = Zβ and W = Σβᵢ,
//!
//! (ZBZᵀ − ssᵀ/W + nλI) w = ZBy − s·(βᵀy)/W, b = (βᵀy − sᵀw)/W,
//!
//! without the terms in s, and b = 0, unless there is an intercept. For features that reproduce a kernel this is
//! the problem of ridge regression on it with the same λ; for those of a Nyström map it is
//! Nyström ridge, the problem that Falkon solves by iteration.
//!
//! # References
//! Rudi, Camoriano & Rosasco (2015), *Less is More: Nyström Computational Regularization*, (10), for the
//! Nyström case.

pub(super) mod certificate;
mod fit;
pub(super) mod solution;

pub(crate) use fit::solve_sums;
