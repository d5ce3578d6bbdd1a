//! The kind of machine that a report is of: the kind of its processor, and the extensions in use.

use crate::machine::Machine;

/// A kind of machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, e.g. `AMD Zen 5 (AVX-512)`.
    pub name: String,
    /// The side of the comparison that it stands on.
    pub side: Side,
    /// True if the targets below the common bar hold on it, which were set on a Zen 5.
    pub has_lower_targets: bool,
}

/// The sides whose ratios are shown beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// AMD's.
    Zen,
    /// Intel's.
    Intel,
    /// Any processor of the Arm architecture.
    Arm,
    /// Unknown.
    Other,
}

impl Kind {
    /// The kind of a machine. Records of older versions do not tell the numbers of the processor: of those,
    /// its brand and its extensions have to do.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let has = |name: &str| machine.features.iter().any(|feature| feature == name);
        let side = side(machine);
        let processor = match &machine.processor {
            Some(processor) => processor.name(),
            None => by_brand(machine, side, has("avx512f")),
        };
        let extensions = match () {
            () if has("avx512f") => " (AVX-512)",
            () if has("avx2") => " (AVX2)",
            () => "",
        };
        // Who may be a Zen 5 is not let off.
        let has_lower_targets = processor.ends_with("Zen 5");
        Self { name: processor + extensions, side, has_lower_targets }
    }
}

fn side(machine: &Machine) -> Side {
    let vendor = machine.processor.as_ref().map(|processor| processor.vendor.as_str());
    let is_from = |name: &str, brand: &str| match vendor {
        Some(vendor) => vendor == name,
        None => machine.cpu.contains(brand),
    };
    match () {
        () if machine.arch == "aarch64" => Side::Arm,
        () if is_from("AuthenticAMD", "AMD") => Side::Zen,
        () if is_from("GenuineIntel", "Intel") => Side::Intel,
        () => Side::Other,
    }
}

fn by_brand(machine: &Machine, side: Side, has_avx512: bool) -> String {
    match side {
        Side::Zen if has_avx512 => "AMD Zen 4 or Zen 5".to_owned(),
        Side::Zen => "AMD Zen".to_owned(),
        _ if machine.cpu.is_empty() => format!("unknown processor, {}", machine.arch),
        _ => machine.cpu.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::processor::Processor;

    /// A machine with AVX-512 of such a processor.
    pub(crate) fn machine(vendor: &str, family: u32, model: u32) -> Machine {
        let processor = Some(Processor { vendor: vendor.into(), family, model });
        let features = vec!["avx2".into(), "avx512f".into()];
        Machine { processor, features, arch: "x86_64".into(), ..Machine::this() }
    }

    fn unrecorded(cpu: &str, arch: &str, features: &[&str]) -> Kind {
        let features = features.iter().map(|&name| name.into()).collect();
        let (cpu, arch) = (cpu.into(), arch.into());
        Kind::of(&Machine { processor: None, cpu, arch, features, ..Machine::this() })
    }

    #[test]
    fn the_name_says_generation_and_extensions() {
        let kind = Kind::of(&machine("AuthenticAMD", 26, 2));
        assert_eq!(kind.name, "AMD Zen 5 (AVX-512)");
        assert!(kind.side == Side::Zen && kind.has_lower_targets);
        let kind = Kind::of(&machine("GenuineIntel", 6, 143));
        assert_eq!(kind.name, "Intel Sapphire Rapids (AVX-512)");
        assert!(kind.side == Side::Intel && !kind.has_lower_targets);
        let old = Machine { features: vec!["avx2".into()], ..machine("AuthenticAMD", 25, 1) };
        assert_eq!(Kind::of(&old).name, "AMD Zen 3 (AVX2)");
        assert!(!Kind::of(&old).has_lower_targets);
    }

    #[test]
    fn records_without_numbers_are_judged_by_brand() {
        let kind = unrecorded("AMD EPYC", "x86_64", &["avx2", "avx512f"]);
        assert_eq!(kind.name, "AMD Zen 4 or Zen 5 (AVX-512)");
        assert!(kind.side == Side::Zen && kind.has_lower_targets);
        let kind = unrecorded("Intel(R) Xeon(R) Processor", "x86_64", &["avx512f"]);
        assert_eq!(kind.name, "Intel(R) Xeon(R) Processor (AVX-512)");
        assert!(kind.side == Side::Intel && !kind.has_lower_targets);
        assert_eq!(unrecorded("Apple M1", "aarch64", &[]).side, Side::Arm);
        let kind = unrecorded("", "riscv64", &[]);
        assert_eq!((kind.name.as_str(), kind.side), ("unknown processor, riscv64", Side::Other));
    }
}
