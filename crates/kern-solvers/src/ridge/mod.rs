//! Kernel ridge regression, and classification on ±1 targets.
//!
//! # Definition
//! f(x) = b + Σᵢ αᵢK(x, xᵢ) minimises J = (1/n) Σᵢ βᵢ(yᵢ − f(xᵢ))² + λ‖f − b‖². The sample weights
//! β default to 1, and the intercept b is 0 unless enabled. With B = diag(β) and M = B^½KB^½ + nλI,
//!
//! α = B^½M⁻¹B^½(y − b·1), b = sᵀM⁻¹B^½y/(sᵀM⁻¹s), s = √β.
//!
//! Without weights and intercept this is (K + nλI)α = y. The form is symmetric and never divides by
//! a weight; points of weight zero are left out of the matrix. λ is per sample: scikit-learn's
//! `alpha` is nλ, its `sample_weight` is β. n counts all points, including those of weight zero.
//!
//! | task | method | flops |
//! |---|---|---|
//! | a model on a kernel | [`Ridge::on_kernel`]: Cholesky factorisation | n³/3 |
//! | the same model for more points | the same, by conjugate gradients where [`RidgeTask`] predicts less work | about 20n² to 200n² |
//! | a conditional expectile instead of the mean | [`Expectile`], in any of these spaces | about five times as many |
//! | more targets, leave-one-out and k-fold residuals, posterior variances | [`Ridge::factor`] | n³/3, n³/3 to n³ |
//! | a model on features, any number of points | [`Ridge::on_features`]: normal equations, the Gram matrix if n < D, or conjugate gradients | nD² + D³/3, n²D + n³/3, or about 80nD + 8D³ |
//! | a model on landmarks, any number of points | [`Ridge::on_landmarks`]: conjugate gradients | about 60nm |
//! | a choice of λ | [`Ridge::choose_lambda`]: leave-one-out error, or generalised cross-validation on landmarks | 9n³, or nm² |
//! | models for all λ, and the choice among them | [`Ridge::decompose`]: eigendecomposition | 9n³ |
//!
//! Every model reports the duality gap of its problem, computed from kernel values that no
//! factorisation has overwritten.
//!
//! # References
//! Saunders, Gammerman & Vovk (1998), *Ridge Regression Learning Algorithm in Dual Variables*;
//! Suykens et al. (2002), *Least Squares Support Vector Machines*, (3.5), for intercept and
//! weights.

mod cholesky;
mod conjugate_gradients;
mod expectile;
mod falkon;
mod generalised_cross_validation;
mod gradient_bound;
mod gradients_or_factor;
mod kernel_ridge;
mod lambda_choice;
mod leave_one_out;
mod linear_system;
mod mixed_precision;
mod normal_equations;
mod planned_ridge;
mod ridge_duality_gap;
mod ridge_on_features;
mod ridge_regression;
mod ridge_task;
mod spectral_path;

pub use cholesky::FactoredRidge;
pub use expectile::Expectile;
pub use lambda_choice::LambdaChoice;
pub(crate) use lambda_choice::lambda_of_sums;
pub(crate) use leave_one_out::LeftOut;
pub(crate) use linear_system::Solution;
pub(crate) use mixed_precision::Memory;
pub(crate) use normal_equations::solve_sums;
pub use ridge_regression::{Ridge, RidgeSolver, RidgeSpace};
pub use ridge_task::RidgeTask;
pub use spectral_path::{Choice, Criterion, RidgeSpectrum};
