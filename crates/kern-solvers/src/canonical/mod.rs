//! Kernel canonical correlation analysis (kernel CCA): the most correlated functions of two views.
//!
//! # Definition
//! For pairs (xᵢ, yᵢ) with weights βᵢ and functions f and g of two kernels, the first canonical
//! functions maximise the covariance cov(f(x), g(y)) subject to var f(x) + κ‖f‖² = var g(y) + κ‖g‖²
//! = 1. The next ones maximise it among functions orthogonal to the earlier ones in that inner
//! product. Their covariances ρ_p ∈ \[0, 1\] are the regularised canonical correlations. In
//! features, with the covariances A of ψ(x), B of χ(y) and C between them, they are the singular
//! values of (A + κI)^{−½}C(B + κI)^{−½}. Without a penalty, kernels of full rank make every
//! correlation 1, whatever the data.
//!
//! | space | functions |
//! |---|---|
//! | landmarks of both kernels, by pivoted Cholesky factors or other [selections](kern_approx::Selection) | expansions in kernel values of the landmarks |
//! | features of both views | linear functions of features |
//!
//! With as many landmarks as points, the functions are those of exact kernel CCA.
//!
//! # References
//! Fukumizu, Bach & Gretton (2007), *Statistical Consistency of Kernel Canonical Correlation
//! Analysis*, (3), for the penalty; Bach & Jordan (2002), *Kernel Independent Component Analysis*,
//! for factors of low rank; Hardoon, Szedmak & Shawe-Taylor (2004), *Canonical Correlation
//! Analysis*.

mod canonical_correlation;
mod kernel_cca;

pub use canonical_correlation::CanonicalCorrelations;
pub use kernel_cca::{KernelCca, SecondView, Views};
