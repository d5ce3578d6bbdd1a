//! The types of numbers in an array.

/// Numbers from their bytes.
type Decode = fn(&[u8], &mut [f64]);

/// A type of numbers, with the order of their bytes.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    /// The bytes of a number.
    pub(super) size: usize,
    decode: Decode,
}

impl Numbers {
    /// The type with a name of NumPy, such as `<f8`; none if it is not among those that are read. Times and dates are whole
    /// numbers of their units.
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
        macro_rules! numbers {
            ($t:ty) => {
                Self {
                    size: size_of::<$t>(),
                    decode: if is_big {
                        |bytes, numbers| each(bytes, numbers, |b| <$t>::from_be_bytes(b) as f64)
                    } else {
                        |bytes, numbers| each(bytes, numbers, |b| <$t>::from_le_bytes(b) as f64)
                    },
                }
            };
        }
        let (kind, unit) = kind.split_once('[').unwrap_or((kind, ""));
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
            _ => return None,
        })
    }

    /// As many numbers as there is room for, from the bytes of as many.
    pub(super) fn decode(&self, bytes: &[u8], numbers: &mut [f64]) {
        (self.decode)(bytes, numbers);
    }
}

fn each<const N: usize>(bytes: &[u8], numbers: &mut [f64], value: impl Fn([u8; N]) -> f64) {
    let (values, _) = bytes.as_chunks::<N>();
    numbers.iter_mut().zip(values).for_each(|(number, bytes)| *number = value(*bytes));
}

#[cfg(test)]
mod tests {
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
            "M8[ns]": i64, [1, -2];
            "m8[25s]": i64, [1, -2];
            "i4": i32, [1, -2, i32::MIN];
            "i2": i16, [1, -2, i16::MIN];
            "i1": i8, [1, -2, i8::MIN];
            "u8": u64, [1, u64::MAX];
            "u4": u32, [1, u32::MAX];
            "u2": u16, [1, u16::MAX];
            "u1": u8, [1, u8::MAX];
        }
        assert_eq!(decoded("|i1", &[1, 255]), [1.0, -1.0]);
        assert_eq!(decoded("|u1", &[1, 255]), [1.0, 255.0]);
        assert!(decoded("<f8", &f64::NAN.to_le_bytes())[0].is_nan());
    }

    #[test]
    fn other_types_have_no_numbers() {
        for name in [
            "", "<", "f8", "|f8", "|b1", "<f2", "<f16", "<c16", "|S7", "<U3", "|O", "|V1", "<M8",
            "<f8[s]", "<i8]", "é8",
        ] {
            assert!(Numbers::named(name).is_none(), "{name}");
        }
    }
}
