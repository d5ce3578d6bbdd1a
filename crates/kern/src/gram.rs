//! Gram matrices as operators, within a memory budget.
//!
//! # Threads
//! All loops of kern run on your pool inside [`on_pool`] or `pool.install(|| …)`, else on rayon's
//! global one. Inside [`sequentially`] they run on the calling thread and no pool is started. The
//! results have the same bits in all cases. Inside [`interruptible`] every loop can be left.
//!
//! # Examples
//! ```
//! use kern::gram::{DenseGram, MemoryBudget, on_pool, sequentially};
//! use std::sync::Arc;
//! use kern::{Samples, kernels::Rbf};
//! let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
//! let gram = || DenseGram::new(&Rbf::new(0.5)?, &x, &MemoryBudget::mebibytes(1));
//! let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
//! assert_eq!(on_pool(&pool, gram)?.as_mat(), sequentially(gram)?.as_mat());
//! # Ok::<(), kern::gram::Error>(())
//! ```

#[doc(inline)]
pub use kern_gram::parallel::{on_pool, sequentially};
#[doc(inline)]
pub use kern_gram::{
    BlockedGram, CacheStatistics, Columns, CrossGram, CrossOperator, DenseGram, Error, GivenPoint,
    GivenPoints, GramExt, GramOperator, LazyGram, LowRankGram, MemoryBudget, PackedGram,
    Precomputed, PrecomputedCross, PrecomputedGram, Representation, Rows, interruptible, views,
};
