//! Ridge regression in the primal: on the features of a map, and on landmarks by their Nyström
//! features.
//!
//! # Definition
//! f(x) = b + wᵀψ(x) minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖w‖². With Z = [ψ(x₁) … ψ(xₙ)],
//! B = diag(β), s = Zβ and W = Σβᵢ,
//!
//! (ZBZᵀ − ssᵀ/W + nλI) w = ZBy − s·(βᵀy)/W, b = (βᵀy − sᵀw)/W.
//!
//! Without an intercept, the terms in s are dropped and b = 0. For features that reproduce a
//! kernel, this is ridge regression on that kernel with the same λ. For the features of a Nyström
//! map it is Nyström ridge regression, the problem that Falkon solves by iteration.
//!
//! With fewer points than features the dual is solved, with an n × n matrix. Otherwise the D × D
//! matrix is formed and factorised (both in `normal_equations`), or, for many points and features,
//! conjugate gradients solve H w = ZBy, H = ZBZᵀ + nλI (centred if there is an intercept) in passes
//! over the features, without forming H (`falkon`). The preconditioner is the Cholesky factor of
//! the same matrix for s sampled points, S = (n/s) Z_sB_sZ_sᵀ + nλI; with s = n, one iteration
//! solves the problem. After every run of conjugate gradients the residual is recomputed, and the
//! next run starts from it. If features are a linear map of cheaper values, z = Rᵀk, the iteration
//! does not compute them: Zᵀw = KᵀRw and Zr = RᵀKr.
//!
//! # References
//! Rudi, Camoriano & Rosasco (2015), *Less is More: Nyström Computational Regularization*, (10),
//! for the Nyström case.

mod falkon;
mod gradient_bound;
mod normal_equations;
mod ridge_on_features;

pub(super) use ridge_on_features::is_iterated;
pub(crate) use ridge_on_features::solve_sums;
