//! Gram matrices as operators, within a memory budget.
//!
//! The Gram matrix of points x₁ … x_n is G_ij = K(x_i, x_j). A solver rarely needs all of it at
//! once: it asks for its size, its diagonal, some columns or a product G·V. That is
//! [`GramOperator`], and there are several ways to be one:
//!
//! - [`DenseGram`]: n² numbers are stored; everything is fast.
//! - [`LazyGram`]: nothing is stored; products are computed tile by tile.
//!
//! [`CrossGram`] is the rectangular K(a_i, b_j) that prediction needs. All of them fill tiles
//! through one path: cut into cache-sized tiles, computed by
//! [`Kernel::block`](kern_core::Kernel::block) in parallel on the current rayon pool, with the
//! same bits for any number of threads. Nothing allocates more than its [`MemoryBudget`].
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

mod budget;
mod cross;
mod dense;
mod error;
mod lazy;
mod operator;
mod parallel;
mod product;
mod tiling;

pub use budget::MemoryBudget;
pub use cross::CrossGram;
pub use dense::DenseGram;
pub use error::Error;
pub use lazy::LazyGram;
pub use operator::GramOperator;
pub use parallel::parallelism;
pub use tiling::{TILE_EDGE, tile_ranges};
