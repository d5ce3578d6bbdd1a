//! Kernels on vectors: dense [`Samples`](crate::Samples) and
//! [`SparseSamples`](crate::SparseSamples).

mod laplacian;
mod linear;
mod polynomial;
mod rbf;
mod sigmoid;

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
