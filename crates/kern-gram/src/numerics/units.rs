//! Formatting of seconds and bytes.

use std::fmt;

/// Displays seconds with three digits and a unit.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")];
        let (scale, unit) =
            UNITS.into_iter().find(|(scale, _)| self.0 * scale >= 1.0).unwrap_or(UNITS[3]);
        f.pad(&format!("{} {unit}", three_digits(self.0 * scale)))
    }
}

/// Displays bytes with three digits and a unit.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        let text = match UNITS.into_iter().find(|(bits, _)| self.0 >> bits > 0) {
            Some((bits, unit)) => {
                format!("{} {unit}", three_digits(self.0 as f64 / (1_u64 << bits) as f64))
            }
            None => format!("{} B", self.0),
        };
        f.pad(&text)
    }
}

fn three_digits(value: f64) -> String {
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$}")
}
