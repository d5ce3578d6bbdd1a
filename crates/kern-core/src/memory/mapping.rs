//! Memory mapped from the system, in huge pages where available, and kept for the next fit.

use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Smaller memory is left to the heap. Memory of this size is mostly a matrix of some 400 points: a
/// first fit of so many waits as long for 400 small pages as for all of its arithmetic.
const SMALLEST: usize = HUGE_PAGE / 2;

/// Idle memory that the process keeps: as much as glibc keeps of its heap. A fit that gets its
/// memory from the system each time waits for it as long as it computes: for 1200 points with 11
/// MiB that was two fifths of the time.
const KEPT_BYTES: usize = 32 << 20;

/// A reused mapping is at most this many times as large as what is asked for.
const LARGEST_FACTOR: usize = 4;

/// Mapped memory that nobody uses.
static IDLE: Mutex<Vec<MmapMut>> = Mutex::new(Vec::new());

/// Mapped memory, which returns to the idle memory when it is dropped; `None` only then.
pub(super) struct Mapping(Option<MmapMut>);

impl Mapping {
    /// At least this many zeroed bytes; `None` if that is less than half a huge page, or if the
    /// system maps no memory.
    pub(super) fn zeroed(bytes: u64) -> Option<Self> {
        let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes >= SMALLEST)?;
        if let Some(mut map) = idle_mapping(bytes) {
            map[..bytes].fill(0);
            return Some(Self(Some(map)));
        }
        // Idle memory is in nobody's budget, so what does not fit this call goes before it grows.
        idle().clear();
        // The system aligns whole huge pages.
        let map = MmapMut::map_anon(bytes.checked_next_multiple_of(HUGE_PAGE)?).ok()?;
        #[cfg(target_os = "linux")]
        // A hint: a kernel without huge pages refuses it, and the memory is usable nevertheless. A
        // last page of which less than half is asked for stays small: nobody counts the rest.
        let _ = map.advise_range(
            memmap2::Advice::HugePage,
            0,
            (bytes + SMALLEST) / HUGE_PAGE * HUGE_PAGE,
        );
        Some(Self(Some(map)))
    }
}

/// The smallest idle mapping of at least this size, unless it is much larger.
fn idle_mapping(bytes: usize) -> Option<MmapMut> {
    let mut idle = idle();
    let fitting = bytes..=bytes.saturating_mul(LARGEST_FACTOR);
    let sizes = idle.iter().map(|map| map.len()).enumerate();
    let (found, _) = sizes.filter(|(_, size)| fitting.contains(size)).min_by_key(|&(_, s)| s)?;
    Some(idle.swap_remove(found))
}

fn idle() -> MutexGuard<'static, Vec<MmapMut>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let Some(map) = self.0.take() else { return };
        let mut idle = idle();
        let kept: usize = idle.iter().map(|map| map.len()).sum();
        if kept + map.len() <= KEPT_BYTES {
            idle.push(map);
        }
    }
}

impl Deref for Mapping {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl DerefMut for Mapping {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.as_deref_mut().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn reused_memory_is_zero_again() {
        for size in [SMALLEST, HUGE_PAGE, HUGE_PAGE + 1, 3 * HUGE_PAGE, KEPT_BYTES + 1] {
            for _ in 0..3 {
                let mut map = Mapping::zeroed(size as u64).unwrap();
                assert!(map.len() >= size && map[..size].iter().all(|&byte| byte == 0));
                map.fill(7);
            }
        }
        let kept: usize = idle().iter().map(|map| map.len()).sum();
        assert!(kept <= KEPT_BYTES);
        assert!(Mapping::zeroed(SMALLEST as u64 - 1).is_none());
        assert!(Mapping::zeroed(u64::MAX).is_none());
    }
}
