//! Cache lines, and software prefetching.

pub use crate::simd::CACHE_LINE;

/// Prefetches the cache lines of the first `bytes` of a slice, without waiting for them. It affects
/// nothing but time, and does nothing on processors whose prefetch instruction requires `unsafe`.
///
/// It pays for accesses that the processor cannot predict, such as rows in random order, if there
/// is other work to do in the meantime.
///
/// # Examples
/// ```
/// use kern_core::memory::prefetch;
/// let rows = [vec![1.0; 64], vec![2.0; 64]];
/// let order = [1, 0];
/// let mut sums = Vec::new();
/// for (at, &i) in order.iter().enumerate() {
///     if let Some(&next) = order.get(at + 1) {
///         prefetch(&rows[next], 512);
///     }
///     sums.push(rows[i].iter().sum::<f64>());
/// }
/// assert_eq!(sums, [128.0, 64.0]);
/// ```
#[inline(always)]
pub fn prefetch<T>(items: &[T], bytes: usize) {
    let size = size_of::<T>().max(1);
    let first = &items[..items.len().min(bytes / size)];
    for item in first.iter().step_by((CACHE_LINE / size).max(1)) {
        #[cfg(target_arch = "x86_64")]
        safe_arch::prefetch_t0(item);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = item;
    }
}
