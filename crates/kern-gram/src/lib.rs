//! Gram matrices as operators, within a memory budget.
//!
//! The Gram matrix of points x₁ … x_n is G_ij = K(x_i, x_j). A solver rarely needs the whole matrix
//! at once: it uses its size, its diagonal, some columns or a product G·V. This is the interface
//! [`GramOperator`], with several implementations:
//!
//! | operator | memory | good for |
//! |---|---|---|
//! | [`DenseGram`] | n² | columns and products, fast |
//! | [`PackedGram`] | n²/2 | products, twice as fast where memory is the limit |
//! | [`PrecomputedGram`] | that of the user's matrix | kernels that were evaluated elsewhere |
//! | [`BlockedGram`] | a budget | columns, with the most recently used ones cached |
//! | [`LazyGram`] | O(n) | products, computed tile by tile |
//! | [`LowRankGram`] | that of n × k features | everything, if an approximation will do |
//!
//! [`GramExt`] creates views of them: selections for cross-validation, centred and normalised
//! matrices, sums, products and ridges; and it checks that an operator is positive semi-definite.
//!
//! [`CrossGram`] is the rectangular matrix K(a_i, b_j) for prediction. All operators that evaluate
//! a kernel share one path: the matrix is cut into cache-sized tiles, computed by
//! [`Kernel::block`](kern_core::Kernel::block) in parallel on the current rayon pool, with the same
//! bits for any number of threads. Nothing allocates more than its [`MemoryBudget`].
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget};
//! let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
//! let k = Rbf::new(0.5)?;
//! let dense = DenseGram::new(&k, &x, &MemoryBudget::mebibytes(1))?;
//! let lazy = LazyGram::new(&k, &x)?;
//! let v = kern_core::faer::mat![[1.0], [0.0], [-1.0]];
//! let difference = dense.apply(v.as_ref())? - lazy.apply(v.as_ref())?;
//! assert!(difference.norm_max() < 1e-15);
//! # Ok::<(), kern_gram::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocked;
mod blocks;
mod budget;
mod check;
mod column_cache;
mod cross;
mod dense;
mod edge;
mod error;
mod given;
mod gram_ext;
pub mod interrupt;
mod lazy;
#[cfg(all(feature = "system", any(target_os = "android", target_os = "linux")))]
mod linux_memory;
mod low_rank;
pub mod numerics;
mod operator;
mod packed;
pub mod pairs;
pub mod parallel;
mod precomputed;
mod product;
mod psd;
mod representation;
mod rows;
pub mod stored;
mod tiling;
pub mod tolerance;
pub mod views;

pub use blocked::BlockedGram;
pub use budget::MemoryBudget;
pub use column_cache::{CacheStatistics, Columns};
pub use cross::{CrossGram, CrossOperator, PrecomputedCross};
pub use dense::DenseGram;
pub use edge::TILE_EDGE;
pub use error::Error;
pub use given::{GivenPoint, GivenPoints, Precomputed};
pub use gram_ext::GramExt;
pub use interrupt::interruptible;
pub use kern_core::memory::{matrix_bytes, zero_vec, zeros};
pub use lazy::LazyGram;
pub use low_rank::LowRankGram;
pub use operator::GramOperator;
pub use packed::PackedGram;
pub use parallel::{on_pool, sequentially, threads};
pub use precomputed::PrecomputedGram;
pub use representation::Representation;
pub use rows::Rows;
pub use tiling::{split_rows, tile_ranges};
