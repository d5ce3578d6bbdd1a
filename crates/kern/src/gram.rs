//! Gram matrices as operators, within a memory budget.

#[doc(inline)]
pub use kern_gram::parallel::sequentially;
#[doc(inline)]
pub use kern_gram::{CrossGram, DenseGram, Error, GramOperator, LazyGram, MemoryBudget};
