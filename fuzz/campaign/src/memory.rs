//! An allocator that refuses what is beyond a limit.
//!
//! A refusal that the library expects is a typed error; any other ends the process, which the program reports as the finding
//! of its last case.

use cap::Cap;
use kern_core::faer::Mat;
use std::alloc::System;
use std::sync::Once;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Memory beyond a budget that is not counted: what threads keep for products, and small vectors.
const UNCOUNTED: u64 = 4 << 20;

/// Matrices of this size are multiplied by the product that packs.
const SIZE: usize = 128;

/// The memory of a computation without a budget.
const UNBUDGETED: u64 = 64 << 20;

/// Has each thread allocate what the products of faer keep once for all, so that no case is charged with it.
pub(crate) fn warm_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        unlimited();
        let product = || drop(Mat::<f64>::identity(SIZE, SIZE) * Mat::<f64>::identity(SIZE, SIZE));
        product();
        rayon::broadcast(|_| product());
    });
}

/// Refuses what is beyond the memory in use and that of a budget, give or take 5 %.
pub(crate) fn limit(budget: Option<u64>) {
    let counted = budget.map_or(UNBUDGETED, |bytes| bytes.saturating_add(bytes / 20 + UNCOUNTED));
    let limit = ALLOCATOR.allocated().saturating_add(counted.try_into().unwrap_or(usize::MAX));
    unlimited();
    // Another thread may have allocated since; then there is no limit, and nothing is found.
    let _ = ALLOCATOR.set_limit(limit);
}

/// Refuses nothing any more.
pub fn unlimited() {
    let _ = ALLOCATOR.set_limit(usize::MAX);
}

/// Bytes in use.
#[must_use]
pub fn in_use() -> usize {
    ALLOCATOR.allocated()
}
