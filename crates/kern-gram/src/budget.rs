//! The memory that a computation may use.

use crate::{Error, matrix_bytes};
#[cfg(feature = "system")]
use std::sync::OnceLock;

/// A bound in bytes on what one call may allocate beyond its inputs and O(n) vectors.
///
/// It is checked before anything is allocated. A budget beyond what the machine has is no reason to
/// abort: what the system refuses to allocate is a [`kern_core::Error::Allocation`].
///
/// # Examples
/// ```
/// use kern_gram::MemoryBudget;
/// let budget = MemoryBudget::mebibytes(100);
/// assert_eq!(budget.as_bytes(), 104_857_600);
/// assert!(budget.check::<f64>("a matrix", 1000, 1000, "").is_ok());
/// assert!(budget.check::<f64>("a matrix", 10_000, 10_000, "take less").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    bytes: u64,
}

impl MemoryBudget {
    /// So many bytes.
    #[must_use]
    pub const fn bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// So many times 2²⁰ bytes.
    #[must_use]
    pub const fn mebibytes(mebibytes: u64) -> Self {
        Self { bytes: mebibytes.saturating_mul(1 << 20) }
    }

    /// Four fifths of the memory that this machine has free at this moment, or the control group that the process is
    /// confined to, or its address space where that is limited (`ulimit -v`, on Linux), whichever is the least;
    /// four fifths of 1 GiB where the system does not tell, or is not asked (without the feature `system`). Files
    /// that the system keeps in memory in case they are read again count as free.
    #[must_use]
    pub fn available() -> Self {
        Self { bytes: free().unwrap_or(1 << 30) / 5 * 4 }
    }

    /// The bound in bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> u64 {
        self.bytes
    }

    /// Tells whether so many bytes fit.
    #[must_use]
    pub const fn fits(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// Checks that all that a call is going to allocate fits: `needed` bytes, the sum of its pieces (see
    /// [`matrix_bytes`]). `what` names them, `instead` says what the caller could do.
    ///
    /// # Errors
    /// [`Error::Budget`] with the size, the budget and the alternative.
    pub fn require(
        &self,
        what: &'static str,
        needed: u64,
        instead: &'static str,
    ) -> Result<(), Error> {
        if self.fits(needed) {
            Ok(())
        } else {
            Err(Error::Budget { what, needed, allowed: self.bytes, instead })
        }
    }

    /// [`require`](MemoryBudget::require) for `rows` × `cols` numbers of type `T`.
    ///
    /// # Errors
    /// [`Error::Budget`] with the size, the budget and the alternative.
    pub fn check<T>(
        &self,
        what: &'static str,
        rows: usize,
        cols: usize,
        instead: &'static str,
    ) -> Result<(), Error> {
        self.require(what, matrix_bytes::<T>(rows, cols), instead)
    }
}

/// The bytes that are free, if the system tells.
#[cfg(feature = "system")]
fn free() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    let of_group = left_to_group(&mut system);
    let limits = [of_group, address_space_left(), Some(system.available_memory())];
    limits.into_iter().flatten().min()
}

/// The bytes that are left to the control group of this process, if it has a limit.
#[cfg(feature = "system")]
fn left_to_group(system: &mut sysinfo::System) -> Option<u64> {
    /// The first answer. If it is no, nobody asks again: that takes a tenth of a millisecond.
    static IS_LIMITED: OnceLock<bool> = OnceLock::new();
    if IS_LIMITED.get() == Some(&false) {
        return None;
    }
    let limits = limits_of_group(system);
    IS_LIMITED.get_or_init(|| limits.is_some());
    // What a group has in use contains the files that it has read or written, which leave when memory is asked for.
    limits.map(|limits| limits.total_memory.saturating_sub(limits.rss))
}

/// The limits of the group that this process is in, or of the machine's, if they tell.
#[cfg(feature = "system")]
fn limits_of_group(system: &mut sysinfo::System) -> Option<sysinfo::CGroupLimits> {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate};
    let own = sysinfo::get_current_pid().ok()?;
    let kind = ProcessRefreshKind::nothing().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, kind);
    let of_process = system.process(own).and_then(sysinfo::Process::cgroup_limits);
    of_process.or_else(|| system.cgroup_limits())
}

/// Nobody is asked.
#[cfg(not(feature = "system"))]
const fn free() -> Option<u64> {
    None
}

/// The bytes that the process may still map, if there is a limit.
#[cfg(all(feature = "system", target_os = "linux"))]
fn address_space_left() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(pages.saturating_mul(rustix::param::page_size() as u64)))
}

/// The bytes that the process may still map: no other system tells.
#[cfg(all(feature = "system", not(target_os = "linux")))]
const fn address_space_left() -> Option<u64> {
    None
}

impl Default for MemoryBudget {
    /// [`MemoryBudget::available`].
    fn default() -> Self {
        Self::available()
    }
}
