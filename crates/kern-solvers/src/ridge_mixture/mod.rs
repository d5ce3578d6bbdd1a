//! Mixtures of ridge regressors: several functions, of which each point follows one that nobody has seen.
//!
//! # Definition
//! Given its component zᵢ = k, which has probability π_k, yᵢ is normal with mean f_k(xᵢ) and variance σ²_k. The functions
//! f_k = Σᵢ αᵢₖK(·, xᵢ), shares π and variances maximise the penalised likelihood
//!
//! L = Σᵢ wᵢ ln Σ_k π_k N(yᵢ; f_k(xᵢ), σ²_k) − (λ/2) Σ_k ‖f_k‖²,
//!
//! with σ²_k no less than a share of the variance of the targets: without that bound, a function through one point of
//! variance 0 would make L infinite. exp(−(λ/2)‖f‖²) is the density of a Gaussian process with covariance K/λ, so L is the posterior
//! of the functions; the objective of the report is −L. The weights w are 1 unless given. There is no intercept: add a constant to the
//! kernel.
//!
//! # Method
//! Expectation maximisation. With the responsibilities r_ik ∝ π_k N(yᵢ; f_k(xᵢ), σ²_k), Σ_k r_ik = 1, and
//! R_k = diag(wᵢrᵢₖ), a round sets
//!
//! f_k: (R_kK + λσ²_kI)α_k = R_ky, π_k = Σᵢ wᵢrᵢₖ/Σw, σ²_k = Σᵢ wᵢrᵢₖ(yᵢ − f_k(xᵢ))²/Σᵢ wᵢrᵢₖ.
//!
//! The first is [ridge regression](crate::ridge) with the weights R_k, and λσ²_k in the place of its nλ, solved in its symmetric form by the Cholesky
//! factor of R_k^½KR_k^½ + λσ²_kI, which divides by no responsibility. Functions are found for the variances before, and variances for the
//! functions after, each of which raises the expected likelihood; so L never falls, but for rounding. It may end in a local maximum, and
//! runs from several random starts are made, of which the best is kept.
//!
//! # Complexity
//! n²/2 kernel evaluations, and for each of k components and each round n³/3 flops and a product with K, 2n². Memory: the kernel
//! matrix, and one factor in double precision.
//!
//! # References
//! Quandt & Ramsey (1978), *Estimating Mixtures of Normal Distributions and Switching Regressions*; DeSarbo & Cron (1988), *A
//! Maximum Likelihood Methodology for Clusterwise Linear Regression*, for expectation maximisation; Meng & Rubin (1993), *Maximum
//! Likelihood Estimation via the ECM Algorithm*, for rounds in two parts; Hathaway (1985), *A Constrained Formulation of
//! Maximum-Likelihood Estimation for Normal Mixture Distributions*, for the bound on variances.

mod expectation_maximisation;
mod mixture_of_regressions;
mod regressor_mixture;

pub use mixture_of_regressions::{MixtureStart, RidgeMixture, RidgeMixtureSpace};
pub use regressor_mixture::RegressorMixture;
