//! The kind of a processor: who made it, and its generation. Ratios depend on it, so reports name it.

use serde::{Deserialize, Serialize};
use std::fs;

/// The numbers of a processor, as it says them itself. On Arm the vendor is the number of the implementer, the model that
/// of the part, and the family that of the architecture.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Processor {
    /// The vendor's name for itself, e.g. `AuthenticAMD`.
    pub vendor: String,
    /// The family.
    pub family: u32,
    /// The model.
    pub model: u32,
}

impl Processor {
    /// The processor of this machine, where the system tells (Linux).
    #[must_use]
    pub fn this() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/cpuinfo").ok()?)
    }

    /// The first processor of a text of `name : value` lines.
    fn read(text: &str) -> Option<Self> {
        let pairs = || text.lines().filter_map(|line| line.split_once(':'));
        let find = |name| pairs().find(|(key, _)| key.trim() == name).map(|(_, v)| v.trim());
        let [vendor, family, model] = match find("vendor_id") {
            Some(vendor) => [Some(vendor), find("cpu family"), find("model")],
            None => [find("CPU implementer"), find("CPU architecture"), find("CPU part")],
        };
        let (vendor, family, model) = (vendor?.to_owned(), number(family?)?, number(model?)?);
        Some(Self { vendor, family, model })
    }

    /// The name of maker and generation; vendor and numbers if it is not known here.
    #[must_use]
    pub fn name(&self) -> String {
        let known = match self.vendor.as_str() {
            "AuthenticAMD" => amd(self.family, self.model).map(|name| format!("AMD {name}")),
            "GenuineIntel" => intel(self.family, self.model).map(|name| format!("Intel {name}")),
            "0x41" => arm(self.model).map(|name| format!("Arm {name}")),
            _ => None,
        };
        let Self { vendor, family, model } = self;
        known.unwrap_or_else(|| format!("{vendor} family {family} model {model}"))
    }
}

/// A decimal number, or a hexadecimal one with its mark.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn amd(family: u32, model: u32) -> Option<&'static str> {
    Some(match (family, model) {
        (23, 0x00..=0x2f) => "Zen",
        (23, _) => "Zen 2",
        (25, 0x00..=0x0f | 0x20..=0x2f | 0x40..=0x5f) => "Zen 3",
        (25, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => "Zen 4",
        (26, _) => "Zen 5",
        _ => return None,
    })
}

fn intel(family: u32, model: u32) -> Option<&'static str> {
    Some(match (family, model) {
        (6, 85) => "Skylake or Cascade Lake",
        (6, 106 | 108) => "Ice Lake",
        (6, 143) => "Sapphire Rapids",
        (6, 173 | 174) => "Granite Rapids",
        (6, 207) => "Emerald Rapids",
        _ => return None,
    })
}

fn arm(part: u32) -> Option<&'static str> {
    Some(match part {
        0xd0c => "Neoverse N1",
        0xd40 => "Neoverse V1",
        0xd49 => "Neoverse N2",
        0xd4f => "Neoverse V2",
        0xd84 => "Neoverse V3",
        0xd8e => "Neoverse N3",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(vendor: &str, family: u32, model: u32) -> String {
        Processor { vendor: vendor.into(), family, model }.name()
    }

    #[test]
    fn generations_are_told_by_family_and_model() {
        let names = [(23, 1), (23, 0x31), (25, 1), (25, 17), (25, 0x50), (25, 0x61), (26, 2)];
        let names = names.map(|(family, model)| named("AuthenticAMD", family, model));
        let expected = ["Zen", "Zen 2", "Zen 3", "Zen 4", "Zen 3", "Zen 4", "Zen 5"];
        assert_eq!(names, expected.map(|name| format!("AMD {name}")));
        let names = [143, 207, 106, 85, 173].map(|model| named("GenuineIntel", 6, model));
        let expected = ["Sapphire Rapids", "Emerald Rapids", "Ice Lake"];
        assert_eq!(names[..3], expected.map(|name| format!("Intel {name}")));
        assert_eq!(names[3..], ["Intel Skylake or Cascade Lake", "Intel Granite Rapids"]);
    }

    #[test]
    fn what_is_not_known_keeps_its_numbers() {
        assert_eq!(named("GenuineIntel", 6, 1), "GenuineIntel family 6 model 1");
        assert_eq!(named("HygonGenuine", 24, 0), "HygonGenuine family 24 model 0");
        assert_eq!(named("AuthenticAMD", 25, 0x30), "AuthenticAMD family 25 model 48");
    }

    #[test]
    fn both_forms_of_the_system_s_text_are_read() {
        let text = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\
                    model name\t: AMD EPYC\n\nprocessor\t: 1\nvendor_id\t: other\n";
        let found = Processor::read(text).map(|processor| processor.name());
        assert_eq!(found.as_deref(), Some("AMD Zen 4"));
        let text = "processor : 0\nCPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd40\n";
        let found = Processor::read(text).map(|processor| processor.name());
        assert_eq!(found.as_deref(), Some("Arm Neoverse V1"));
        assert_eq!(Processor::read("model : 17\n"), None);
    }
}
