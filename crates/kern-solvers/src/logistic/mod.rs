//! Logistic regression: classification with probabilities.
//!
//! # Definition
//! Two classes, yᵢ = ±1: f = Σᵢ αᵢK(·, xᵢ) minimises
//!
//! J = (1/n) Σᵢ βᵢ ln(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖f‖², and P(+1 | x) = σ(f(x)) = 1/(1 + exp(−f(x))).
//!
//! More classes, [`MultiClass::Softmax`](crate::MultiClass::Softmax): one function f_c per class,
//! P(c | x) = exp f_c(x)/Σ_k exp f_k(x),
//!
//! J = (1/n) Σᵢ βᵢ(ln Σ_c exp f_c(xᵢ) − f_{yᵢ}(xᵢ)) + (λ/2) Σ_c‖f_c‖².
//!
//! With two classes this would be the first problem with λ/2 for λ and f = f₁ − f₀; two classes are
//! always learned by the first. [`MultiClass::OneVsRest`](crate::MultiClass::OneVsRest) learns each
//! class against the rest by the first problem, and divides the probabilities by their sum. The
//! sample weights β default to 1; n counts all points, including those of weight zero. The C of
//! scikit-learn and LIBSVM is 1/(nλ).
//!
//! | problem | method | flops per step |
//! |---|---|---|
//! | the whole kernel matrix | [`Logistic::on_kernel`] | n³/3, or a few n² with an earlier factor |
//! | features, any number of points | [`Logistic::on_features`]: passes over the points | nD² + D³/3 |
//! | landmarks, any number of points | [`Logistic::on_landmarks`]: conjugate gradients | about 40nm + 8m³ |
//!
//! On features and landmarks, each of more than two classes is learned against the rest.
//!
//! # Method
//! Newton's method on α, which for two classes is iteratively reweighted ridge regression. With
//! gᵢ = βᵢℓ'(f(xᵢ)), W = diag(βᵢℓ''(f(xᵢ))) and r = g + nλα the step solves (nλI + WK)d = −r.
//! Entries of W may vanish, because the identity
//!
//! (nλI + VK)⁻¹ = V^½(V^½KV^½ + nλI)⁻¹V^−½
//!
//! is used for V = max(W, a floor far below the largest weight). The matrix in the middle is that
//! of weighted ridge regression. Its Cholesky factor also serves later steps, as a preconditioner
//! of conjugate gradients in the inner product of the RKHS, until these take too many iterations:
//! then V is renewed. The classes of a multinomial problem share it: Vᵢ is the mean curvature of
//! point i. Steps are shortened until J decreases. [`LogisticSolver::GradientDescent`] makes steps
//! of gradient descent instead, α ← α − r/(nL), for comparison.
//!
//! # Certificate
//! gᵢ/(−nλ) is feasible for the dual problem, and the duality gap at α is exactly
//!
//! J(α) − D = rᵀKr/(2n²λ) = ‖∇J‖²/(2λ) (norm of the RKHS, summed over classes),
//!
//! so without an intercept one value bounds both the gradient and the distance of J from its
//! minimum. A fit has converged when gap ≤ tolerance·J, evaluated for a freshly computed Kα.
//!
//! With intercepts b, the loss contains f + b instead of f, and gradients are feasible only if they
//! sum to zero over the points. With ρ = Σg and S = ΣW the probabilities are shifted by −W S⁻¹ρ,
//! which gives probabilities as long as no entry of S⁻¹ρ exceeds 1 (½ for more than two classes).
//! The gap is then at most
//!
//! ρᵀS⁻¹ρ/n + r̃ᵀKr̃/(2n²λ), r̃ = r − W S⁻¹ρ,
//!
//! since the loss of dual probabilities q is a divergence KL(q‖p) ≤ χ²(q‖p). r̃ is also the
//! right-hand side of Newton's equations after the intercept is eliminated.
//!
//! # References
//! Zhu & Hastie (2005), *Kernel Logistic Regression and the Import Vector Machine*; Rasmussen &
//! Williams (2006), *Gaussian Processes for Machine Learning*, §3.4 and §3.5; Keerthi, Duan,
//! Shevade & Poo (2005), *A Fast Dual Algorithm for Kernel Logistic Regression*, for the dual;
//! Dembo, Eisenstat & Steihaug (1982), *Inexact Newton Methods*.

mod damped_newton;
mod kernel_logistic;
mod logistic_loss;
mod logistic_on_features;
mod logistic_on_landmarks;
mod logistic_regression;
mod newton_step;
mod primal_newton;

pub use logistic_regression::{Logistic, LogisticSolver, LogisticSpace};
