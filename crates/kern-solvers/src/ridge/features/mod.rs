//! Ridge regression in the primal: on the features of a map, and on landmarks by their Nyström features.
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
//! Of fewer points than features the dual is solved, with a matrix of n × n numbers. Else the matrix is formed and
//! factorised (both in `normal_equations`), or, for many points and features, conjugate gradients go over the features
//! in passes (`falkon`): H w = ZBy, H = ZBZᵀ + nλI, centred if there is an intercept, of which H is never formed. The
//! preconditioner is the same matrix of some of the points, S = (n/s) Z_sB_sZ_sᵀ + nλI, by its Cholesky factor; with s = n one
//! iteration solves the problem. After every run of conjugate gradients the residual is computed afresh, and the next run
//! starts from it. Features that are a linear map of cheaper values, z = Rᵀk, are not computed then: Zᵀw = KᵀRw and
//! Zr = RᵀKr.
//!
//! # References
//! Rudi, Camoriano & Rosasco (2015), *Less is More: Nyström Computational Regularization*, (10), for the
//! Nyström case.

mod falkon;
mod gradient_bound;
mod normal_equations;
mod ridge_on_features;

pub(super) use ridge_on_features::is_iterated;
pub(crate) use ridge_on_features::solve_sums;
