//! Memory budgets, and the free memory of the machine.

#[cfg(all(feature = "system", any(target_os = "android", target_os = "linux")))]
use crate::linux_memory::free;
use crate::{Error, matrix_bytes};
#[cfg(all(feature = "system", not(any(target_os = "android", target_os = "linux"))))]
use sysinfo::System;

/// An upper bound in bytes on what one call may allocate beyond its inputs and O(n) vectors.
///
/// It is checked before anything is allocated. A budget larger than the memory of the machine does
/// not cause an abort: an allocation that the system refuses is a [`kern_core::Error::Allocation`].
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
    /// A budget in bytes.
    #[must_use]
    pub const fn bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// A budget in units of 2²⁰ bytes.
    #[must_use]
    pub const fn mebibytes(mebibytes: u64) -> Self {
        Self { bytes: mebibytes.saturating_mul(1 << 20) }
    }

    /// 80 % of the memory that is free at this moment: on the machine, in the control group of the
    /// process, or in its address space where that is limited (`ulimit -v`, on Linux), whichever is
    /// smallest. 80 % of 1 GiB where the system does not report it, or without the feature
    /// `system`. Memory that the system uses as a file cache counts as free.
    #[must_use]
    pub fn available() -> Self {
        Self { bytes: free().unwrap_or(1 << 30) / 5 * 4 }
    }

    /// The bound in bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if this many bytes fit.
    #[must_use]
    pub const fn fits(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// Checks that everything a call will allocate fits: `needed` bytes, the sum of its pieces (see
    /// [`matrix_bytes`]). `what` names them, `instead` tells the caller what would fit.
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

    /// [`require`](MemoryBudget::require) for `rows` × `cols` values of type `T`.
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

/// Free bytes as reported by the crate `sysinfo`, if available.
#[cfg(all(feature = "system", not(any(target_os = "android", target_os = "linux"))))]
fn free() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory())
}

/// Fallback: free memory is unknown.
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
