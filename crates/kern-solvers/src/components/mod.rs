//! Kernel PCA: principal components in feature space.
//!
//! # Definition
//! With weights β, W = Σβᵢ and the mean μ = Σβᵢφ(xᵢ)/W, the directions v_p of largest variance are
//! eigenvectors of Σβᵢ(φ(xᵢ) − μ)(φ(xᵢ) − μ)ᵀ, and z_p(x) = ⟨φ(x) − μ, v_p⟩ are the components of
//! x. On a kernel they come from the centred Gram matrix, which has the same eigenvalues λ_p: with
//! its eigenvectors u_p, v_p = λ_p^{−½} Σ √βᵢ·u_ip(φ(xᵢ) − μ).
//!
//! | space | method | flops |
//! |---|---|---|
//! | a kernel, a few hundred points or many components | dense eigendecomposition | 9n³ |
//! | a kernel | block Krylov space; half of the matrix is stored if the memory allows | about 10 products with 8 to 32 vectors |
//! | landmarks, features | eigenvectors of their covariance, from sums over points | nD² + 9D³ |
//!
//! # References
//! Schölkopf, Smola & Müller (1998), *Nonlinear Component Analysis as a Kernel Eigenvalue Problem*.

pub(crate) mod block_krylov;
mod feature_covariance;
mod kernel_pca;
pub(crate) mod leading_eigenvectors;
mod pre_images;
mod principal_components;

pub(crate) use feature_covariance::Axes;
pub use kernel_pca::{ComponentSpace, Fitted, KernelPca};
pub use pre_images::PreImages;
pub use principal_components::Components;
