//! The memory that is free, by the crate `sysinfo`.

use sysinfo::System;

/// The bytes that are free, if the system tells.
pub(super) fn free() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    Some(system.available_memory())
}
