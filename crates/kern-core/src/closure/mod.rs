//! Closure rules, which construct kernels from kernels; one file per rule.
//!
//! | rule | written | Mercer if | spectrum |
//! |---|---|---|---|
//! | [`Sum`] | `a + b` | both are | mixture by mass |
//! | [`Product`] | `a * b` | both are (Schur 1911) | sum of frequencies |
//! | [`Scaled`] | `0.5 * k` | k is, weight ≥ 0 | the same, scaled mass |
//! | [`Power`] | `Power::new(k, 2)` | k is | |
//! | [`Exp`] | `Exp::new(k)` | k is | |
//! | [`Normalized`] | `Normalized::new(k)` | k is | |
//! | [`Conjugated`] | `Conjugated::new(f, k)` | k is | |
//! | [`PullBack`] | `PullBack::new(f, k)` | k is | |
//! | [`tensor_product`] | `tensor_product(j, k)` on pairs | both are | |
//! | [`AssumeMercer`] | `AssumeMercer(k)` | you say so | |
//!
//! Each rule applies to every aspect of a kernel: values, blocks, diagonal, domain check and marker
//! traits.

mod assume;
mod conjugated;
mod exponentiated;
pub(crate) mod feature_distances;
mod normalized;
mod ops;
mod power;
mod product;
mod pull_back;
mod scaled;
mod sum;
mod tensor;

pub use assume::AssumeMercer;
pub use conjugated::Conjugated;
pub use exponentiated::Exp;
pub use normalized::Normalized;
pub use power::Power;
pub use product::Product;
pub use pull_back::PullBack;
pub use scaled::Scaled;
pub use sum::Sum;
pub use tensor::{TensorProduct, tensor_product};

pub(crate) use power::power;
pub(crate) use product::combine as multiply;
pub(crate) use sum::combine as add;

crate::impl_kernel_ops!(
    [A, B] Sum<A, B>;
    [A, B] Product<A, B>;
    [K] Scaled<K>;
    [K] Power<K>;
    [K] Exp<K>;
    [K] Normalized<K>;
    [F, K] Conjugated<F, K>;
    [F, K, Q] PullBack<F, K, Q>;
    [K] AssumeMercer<K>;
);

crate::named! {
    [A: crate::Named, B: crate::Named] Sum<A, B> = "sum", of A, B;
    [A: crate::Named, B: crate::Named] Product<A, B> = "product", of A, B;
    [K: crate::Named] Scaled<K> = "scaled", of K;
    [K: crate::Named] Power<K> = "power", of K;
    [K: crate::Named] Exp<K> = "exp", of K;
    [K: crate::Named] Normalized<K> = "normalized", of K;
}

/// The name of the kernel alone: a file cannot carry the assumption.
impl<K: crate::Named> crate::Named for AssumeMercer<K> {
    fn name() -> std::borrow::Cow<'static, str> {
        K::name()
    }
}
