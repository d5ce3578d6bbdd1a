//! The memory that a computation may use.

#[cfg(all(feature = "system", any(target_os = "android", target_os = "linux")))]
use crate::linux_memory::free;
use crate::{Error, matrix_bytes};
#[cfg(all(feature = "system", not(any(target_os = "android", target_os = "linux"))))]
use sysinfo::System;

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

/// The bytes that are free, if the system tells the crate `sysinfo`.
#[cfg(all(feature = "system", not(any(target_os = "android", target_os = "linux"))))]
fn free() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory())
}

/// The bytes that are free: the system is not asked.
#[cfg(not(feature = "system"))]
const fn free() -> Option<u64> {
    None
}

impl Default for MemoryBudget {
    /// [`MemoryBudget::available`].
    fn default() -> Self {
        Self::available()
    }
}
