//! Closure rules: kernels from kernels. One rule per file.
//!
//! | rule | written | Mercer if | spectrum |
//! |---|---|---|---|
//! | [`Sum`] | `a + b` | both are | mixture by mass |
//! | [`Product`] | `a * b` | both are (Schur 1911) | sum of frequencies |
//! | [`Scaled`] | `0.5 * k` | k is, weight ≥ 0 | the same, scaled mass |
//! | [`PullBack`] | `PullBack::new(f, k)` | k is | |
//! | [`AssumeMercer`] | `AssumeMercer(k)` | you say so | |
//!
//! Each acts on everything that a kernel has: value, block, diagonal, domain check, and its marks.

mod assume;
mod ops;
mod product;
mod pull_back;
mod scaled;
mod sum;

pub use assume::AssumeMercer;
pub use product::Product;
pub use pull_back::PullBack;
pub use scaled::Scaled;
pub use sum::Sum;

crate::impl_kernel_ops!(
    [A, B] Sum<A, B>;
    [A, B] Product<A, B>;
    [K] Scaled<K>;
    [F, K, Q] PullBack<F, K, Q>;
    [K] AssumeMercer<K>;
);
