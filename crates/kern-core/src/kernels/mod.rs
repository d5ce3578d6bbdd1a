//! The kernels, one per file.
//!
//! | kernel | K(x, y) | Mercer | shift-invariant |
//! |---|---|---|---|
//! | [`Linear`] | xᵀy | yes | |
//! | [`Polynomial`] | (γxᵀy + r)^p | yes | |
//! | [`Rbf`] | exp(−γ‖x − y‖₂²) | yes | yes |
//! | [`Laplacian`] | exp(−γ‖x − y‖₁) | yes | yes |
//! | [`Sigmoid`] | tanh(γxᵀy + r) | **no** | |
//! | [`FnKernel`] | any function | unless [assumed](crate::closure::AssumeMercer), no | |

mod function;
mod laplacian;
mod linear;
mod polynomial;
mod rbf;
mod sigmoid;

pub use function::FnKernel;
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use polynomial::Polynomial;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;

crate::impl_kernel_ops!(
    [] Linear;
    [] Polynomial;
    [] Rbf;
    [] Laplacian;
    [] Sigmoid;
    [F] FnKernel<F>;
);

/// Whether exp(−γd) may be computed with γ and d rounded to `T`: γ is a number there, and so is
/// 1000/γ. Then a distance d that overflows has the value exp(−γ·∞) = 0, which is right.
fn decays_within<T: crate::Scalar>(gamma: f64) -> bool {
    T::from_f64(gamma).is_finite_number() && T::from_f64(1e3 / gamma).is_finite_number()
}

/// Σₖ x_k·y_k in double precision.
fn inner_product<T: crate::Scalar>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.to_f64() * y.to_f64()).sum()
}
