//! The machine of a report.

use serde::{Deserialize, Serialize};
use std::thread::available_parallelism;
use sysinfo::System;

/// What absolute times depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name for itself; empty where the system does not tell.
    pub cpu: String,
    /// The instruction set, e.g. `x86_64`.
    pub arch: String,
    /// Extensions of it that the processor has, of those that the library makes use of.
    pub features: Vec<String>,
    /// Threads that can run at once.
    pub cores: usize,
    /// Memory.
    pub memory_mib: Option<u64>,
    /// Operating system and version.
    pub os: String,
    /// Runnable processes over the last minute before the run: above 0, others were at work.
    pub load_before: Option<f64>,
    /// The version of the library.
    pub kern: String,
}

impl Machine {
    /// This machine, now.
    #[must_use]
    pub fn this() -> Self {
        let mut system = System::new().ok();
        if let Some(system) = &mut system {
            system.refresh_memory();
            system.refresh_cpu_all();
        }
        let cpu = system.as_ref().and_then(|system| system.cpus().first());
        Self {
            cpu: cpu.map(|cpu| cpu.brand().to_owned()).unwrap_or_default(),
            arch: std::env::consts::ARCH.to_owned(),
            features: features(),
            cores: available_parallelism().map_or(1, usize::from),
            memory_mib: system.as_ref().map(|system| system.total_memory() >> 20),
            os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned()),
            load_before: System::load_average().ok().map(|load| load.one),
            kern: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<String> {
    let all = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
    ];
    all.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<String> {
    Vec::new()
}
