//! Kernel ridge regression, and classification on ±1 targets.
//!
//! # Definition
//! f(x) = Σᵢ αᵢK(x, xᵢ) minimises J = (1/n) Σᵢ (yᵢ − f(xᵢ))² + λ‖f‖², so (K + nλI) α = y.
//! λ is per sample: scikit-learn's `alpha` is nλ.
//!
//! # References
//! Saunders, Gammerman & Vovk (1998), *Ridge Regression Learning Algorithm in Dual Variables*.

mod fit;
mod params;

pub use params::KernelRidge;
