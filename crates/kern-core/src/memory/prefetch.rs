//! Requests for memory that is going to be read.

/// Bytes of a cache line, of nearly all processors.
const LINE: usize = 64;

/// Asks for the cache lines of items that are going to be read, the first `bytes` of them, and does not wait for them. Nothing but time depends on it, and it does
/// nothing on processors whose requests cannot be made without `unsafe`.
///
/// It pays where the processor does not foresee the place, as of rows in a random order, and where there is something else to do
/// until they come.
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
    for item in first.iter().step_by((LINE / size).max(1)) {
        #[cfg(target_arch = "x86_64")]
        safe_arch::prefetch_t0(item);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = item;
    }
}
