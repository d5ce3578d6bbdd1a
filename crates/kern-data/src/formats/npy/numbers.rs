//! The data types of array values.

use crate::schema::Measure;
use crate::times::{DAY, Unit, days};

/// A function that decodes values from their bytes.
type Decode = fn(&[u8], &mut [f64]);

/// A data type with its byte order.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// The bytes of a value.
    pub(super) size: usize,
    decode: Decode,
    times: Option<Times>,
}

/// Times as integers in a unit.
#[derive(Clone, Copy)]
struct Times {
    measure: Measure,
    is_big: bool,
    unit: Step,
}

impl Times {
    /// The measure of a temporal data type.
    fn measure(kind: &str) -> Option<Measure> {
        match kind {
            "M8" => Some(Measure::Instant),
            "m8" => Some(Measure::Duration),
            _ => None,
        }
    }
}

/// The unit of a time.
#[derive(Clone, Copy)]
enum Step {
    Of(Unit),
    /// This many months, for dates only: months have no fixed length.
    Months(i64),
}

impl Step {
    /// The unit with a NumPy name.
    fn named(name: &str, measure: Measure) -> Option<Self> {
        if let Some(unit) = Unit::named(name) {
            return Some(Self::Of(unit));
        }
        let (count, name) = name.split_at(name.find(|c: char| !c.is_ascii_digit())?);
        let count: u32 = if count.is_empty() { 1 } else { count.parse().ok()? };
        let months = match name {
            "M" => 1,
            "Y" => 12,
            _ => return None,
        };
        (measure == Measure::Instant).then_some(Self::Months(months * i64::from(count)))
    }

    fn seconds(self, value: i64) -> f64 {
        match self {
            Self::Of(unit) => unit.seconds(value),
            // Beyond all calendars, where products would overflow.
            Self::Months(_) if value.unsigned_abs() > 1 << 32 => f64::NAN,
            Self::Months(months) => Unit::SECOND.seconds(days(1970, value * months, 1) * DAY),
        }
    }
}

impl Numbers {
    /// The type with a NumPy name such as `<f8`; `None` if it is not supported. Booleans are 0
    /// and 1.
    pub(super) fn named(name: &str) -> Option<Self> {
        let mut letters = name.chars();
        let order = letters.next()?;
        let kind = letters.as_str();
        let is_big = match order {
            '<' => false,
            '>' => true,
            '=' => cfg!(target_endian = "big"),
            '|' => kind.ends_with('1').then_some(false)?,
            _ => return None,
        };
        let (kind, unit) = kind.split_once('[').unwrap_or((kind, ""));
        let times = match Times::measure(kind) {
            Some(measure) => {
                let unit = Step::named(unit.strip_suffix(']')?, measure)?;
                Some(Times { measure, is_big, unit })
            }
            None => None,
        };
        macro_rules! numbers {
            ($t:ty) => {
                Self {
                    size: size_of::<$t>(),
                    times,
                    decode: if is_big {
                        |bytes, numbers| each(bytes, numbers, |b| <$t>::from_be_bytes(b) as f64)
                    } else {
                        |bytes, numbers| each(bytes, numbers, |b| <$t>::from_le_bytes(b) as f64)
                    },
                }
            };
        }
        let halves = |decode: Decode| Self { size: 2, times, decode };
        Some(match (kind, unit.ends_with(']')) {
            ("f8", false) => numbers!(f64),
            ("f4", false) => numbers!(f32),
            ("i8", false) | ("m8" | "M8", true) => numbers!(i64),
            ("i4", false) => numbers!(i32),
            ("i2", false) => numbers!(i16),
            ("i1", false) => numbers!(i8),
            ("u8", false) => numbers!(u64),
            ("u4", false) => numbers!(u32),
            ("u2", false) => numbers!(u16),
            ("u1", false) => numbers!(u8),
            ("b1", false) => Self {
                size: 1,
                times,
                decode: |bytes, numbers| each(bytes, numbers, |[b]| f64::from(u8::from(b != 0))),
            },
            ("f2", false) if is_big => {
                halves(|bytes, numbers| each(bytes, numbers, |b| half(u16::from_be_bytes(b))))
            }
            ("f2", false) => {
                halves(|bytes, numbers| each(bytes, numbers, |b| half(u16::from_le_bytes(b))))
            }
            _ => return None,
        })
    }

    /// The measure of the values.
    pub(super) fn measure(&self) -> Measure {
        self.times.map_or(Measure::Number, |times| times.measure)
    }

    /// Fills `numbers` from the bytes of as many values. Times are in seconds.
    pub(super) fn decode(&self, bytes: &[u8], numbers: &mut [f64]) {
        let Some(Times { is_big, unit, .. }) = self.times else {
            return (self.decode)(bytes, numbers);
        };
        each(bytes, numbers, |bytes| {
            let value = if is_big { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) };
            // NaT.
            if value == i64::MIN { f64::NAN } else { unit.seconds(value) }
        });
    }
}

/// The half-precision number with these bits.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * (-14_f64).exp2(),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1.0 + fraction) * f64::from(exponent - 15).exp2(),
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn each<const N: usize>(bytes: &[u8], numbers: &mut [f64], value: impl Fn([u8; N]) -> f64) {
    let (values, _) = bytes.as_chunks::<N>();
    numbers.iter_mut().zip(values).for_each(|(number, bytes)| *number = value(*bytes));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "exact values")]

    use super::*;

    fn decoded(name: &str, bytes: &[u8]) -> Vec<f64> {
        let numbers = Numbers::named(name).unwrap();
        let mut found = vec![0.5; bytes.len() / numbers.size];
        numbers.decode(bytes, &mut found);
        found
    }

    #[test]
    fn numbers_have_all_types_in_both_orders() {
        macro_rules! check {
            ($($name:literal: $t:ty, [$($value:expr),*];)*) => {$({
                let values: [$t; _] = [$($value),*];
                let expected: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                let little: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                let big: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
                let native: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
                for (order, bytes) in [("<", little), (">", big), ("=", native)] {
                    assert_eq!(decoded(&format!("{order}{}", $name), &bytes), expected, "{order}{}", $name);
                }
            })*};
        }
        check! {
            "f8": f64, [1.5, -0.0, f64::MIN_POSITIVE, f64::INFINITY];
            "f4": f32, [1.5, -2.25, f32::MAX];
            "i8": i64, [1, -2, i64::MIN, i64::MAX];
            "i4": i32, [1, -2, i32::MIN];
            "i2": i16, [1, -2, i16::MIN];
            "i1": i8, [1, -2, i8::MIN];
            "u8": u64, [1, u64::MAX];
            "u4": u32, [1, u32::MAX];
            "u2": u16, [1, u16::MAX];
            "u1": u8, [1, u8::MAX];
        }
        assert_eq!(decoded("|i1", &[1, 255]), [1.0, -1.0]);
        assert_eq!(decoded("|b1", &[1, 0, 2]), [1.0, 0.0, 1.0]);
        assert_eq!(
            decoded("<f2", &[0, 0x3c, 0, 0xc0, 0xff, 0x7b, 1, 0]),
            [1.0, -2.0, 65504.0, 2.0_f64.powi(-24)]
        );
        assert_eq!(decoded(">f2", &[0x3c, 0, 0x7c, 0]), [1.0, f64::INFINITY]);
        assert_eq!(decoded("|u1", &[1, 255]), [1.0, 255.0]);
        assert!(decoded("<f8", &f64::NAN.to_le_bytes())[0].is_nan());
    }

    /// Times become seconds in every unit; NaT is missing.
    #[test]
    fn times_are_seconds() {
        let seconds = |name: &str, value: i64| decoded(name, &value.to_le_bytes())[0];
        for (name, value) in [
            ("<M8[ns]", 1_709_164_800_000_000_000),
            ("<M8[ms]", 1_709_164_800_000),
            ("<M8[s]", 1_709_164_800),
            ("<M8[D]", 19_782),
        ] {
            assert_eq!(seconds(name, value), 1_709_164_800.0, "{name}");
        }
        assert_eq!(seconds("<M8[M]", 14), 424.0 * 86_400.0);
        assert_eq!(seconds("<M8[Y]", -1), -365.0 * 86_400.0);
        assert_eq!(seconds("<m8[25s]", -2), -50.0);
        assert_eq!(decoded(">m8[h]", &2_i64.to_be_bytes()), [7200.0]);
        assert!(seconds("<M8[ns]", i64::MIN).is_nan() && seconds("<M8[Y]", i64::MAX).is_nan());
        assert_eq!(Numbers::named("<M8[us]").unwrap().measure(), Measure::Instant);
    }

    #[test]
    fn other_types_have_no_numbers() {
        for name in [
            "", "<", "f8", "|f8", "<m8[Y]", "<M8[x]", "<f16", "<c16", "|S7", "<U3", "|O", "|V1",
            "<M8", "<f8[s]", "<i8]", "é8",
        ] {
            assert!(Numbers::named(name).is_none(), "{name}");
        }
    }
}
