//! Mixtures of ridge regressors: each point follows one of several functions, and which one is
//! unknown.
//!
//! # Definition
//! Given its component zᵢ = k, which has probability π_k, yᵢ is normal with mean f_k(xᵢ) and
//! variance σ²_k. The functions f_k = Σᵢ αᵢₖK(·, xᵢ), shares π and variances maximise the penalised
//! likelihood
//!
//! L = Σᵢ wᵢ ln Σ_k π_k N(yᵢ; f_k(xᵢ), σ²_k) − (λ/2) Σ_k ‖f_k‖²,
//!
//! where σ²_k is at least a given fraction of the variance of the targets. Without that bound, a
//! function through one point with variance 0 would make L infinite. exp(−(λ/2)‖f‖²) is the density
//! of a Gaussian process with covariance K/λ, so L is the log posterior of the functions, up to a
//! constant. The objective of the report is −L. The sample weights w default to 1. There is no
//! intercept; add a constant to the kernel instead.
//!
//! # Method
//! Expectation maximisation. With the responsibilities r_ik ∝ π_k N(yᵢ; f_k(xᵢ), σ²_k), Σ_k
//! r_ik = 1, and R_k = diag(wᵢrᵢₖ), each iteration sets
//!
//! f_k: (R_kK + λσ²_kI)α_k = R_ky, π_k = Σᵢ wᵢrᵢₖ/Σw, σ²_k = Σᵢ wᵢrᵢₖ(yᵢ − f_k(xᵢ))²/Σᵢ wᵢrᵢₖ.
//!
//! The first is [ridge regression](crate::ridge) with the weights R_k, and with λσ²_k instead of
//! nλ. It is solved in its symmetric form by the Cholesky factor of R_k^½KR_k^½ + λσ²_kI, which
//! never divides by a responsibility. The functions are computed with the previous variances, and
//! the variances with the new functions. Each of these updates increases the expected likelihood,
//! so L never decreases, except by rounding. The iteration may end in a local maximum, so it is run
//! from several random starts, and the best run is kept.
//!
//! # Complexity
//! n²/2 kernel evaluations, and for each of k components and each iteration n³/3 flops and a
//! product with K, 2n² flops. Memory: the kernel matrix, and one factor in double precision.
//!
//! # References
//! Quandt & Ramsey (1978), *Estimating Mixtures of Normal Distributions and Switching Regressions*;
//! DeSarbo & Cron (1988), *A Maximum Likelihood Methodology for Clusterwise Linear Regression*, for
//! expectation maximisation; Meng & Rubin (1993), *Maximum Likelihood Estimation via the ECM
//! Algorithm*, for iterations in two parts; Hathaway (1985), *A Constrained Formulation of
//! Maximum-Likelihood Estimation for Normal Mixture Distributions*, for the bound on variances.

mod expectation_maximisation;
mod mixture_of_regressions;
mod regressor_mixture;

pub use mixture_of_regressions::{MixtureStart, RidgeMixture, RidgeMixtureSpace};
pub use regressor_mixture::RegressorMixture;
