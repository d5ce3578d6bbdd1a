//! Gram matrices as operators, within a memory budget.

#[doc(inline)]
pub use kern_gram::parallel::sequentially;
#[doc(inline)]
pub use kern_gram::{
    BlockedGram, CacheStatistics, Columns, CrossGram, CrossOperator, DenseGram, Error, GramExt,
    GramOperator, LazyGram, LowRankGram, MemoryBudget, PackedGram, PrecomputedCross,
    PrecomputedGram, Representation, Rows, views,
};
