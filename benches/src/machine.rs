//! The machine of a report.

use crate::limits::Limits;
use crate::processor::Processor;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use std::hash::{Hash, Hasher};
use std::thread::available_parallelism;
use sysinfo::System;

/// The machine on which absolute times depend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name for itself; empty where the system does not tell.
    pub cpu: String,
    /// The numbers that tell its kind; unknown in reports of older versions, and where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<Processor>,
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
    /// Its limits, for each number of threads that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limits>,
}

impl Machine {
    /// A short name that is the same on equal machines: a hash of the processor, its kind, its extensions, the
    /// number of cores and the memory in GiB. Whether others are at work, and what was measured, is not
    /// in it.
    #[must_use]
    pub fn name(&self) -> String {
        const MIB_PER_GIB: f64 = 1024.0;
        let gib = self.memory_mib.map(|mib| (mib as f64 / MIB_PER_GIB).round() as u64);
        let mut hasher = SipHasher13::new();
        (&self.cpu, &self.processor, &self.arch, &self.features, self.cores, gib).hash(&mut hasher);
        format!("{:08x}", hasher.finish() as u32)
    }

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
            processor: Processor::this(),
            arch: std::env::consts::ARCH.to_owned(),
            features: features(),
            cores: available_parallelism().map_or(1, usize::from),
            memory_mib: system.as_ref().map(|system| system.total_memory() >> 20),
            os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned()),
            load_before: System::load_average().ok().map(|load| load.one),
            kern: env!("CARGO_PKG_VERSION").to_owned(),
            limits: Vec::new(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::tests::machine as of_kind;

    #[test]
    fn a_machine_has_one_name_whatever_it_is_doing() {
        let machine = Machine { load_before: Some(0.0), ..Machine::this() };
        let busy = Machine { load_before: Some(9.0), kern: "9.9.9".into(), ..machine.clone() };
        assert_eq!(machine.name(), busy.name());
        assert_eq!(machine.name().len(), 8);
        let other = Machine { cores: machine.cores + 1, ..machine.clone() };
        assert_ne!(machine.name(), other.name());
        // Processors of two generations may have one name for themselves.
        let [old, new] = [of_kind("AuthenticAMD", 25, 17), of_kind("AuthenticAMD", 26, 2)];
        assert_eq!(old.cpu, new.cpu);
        assert_ne!(old.name(), new.name());
    }
}
