//! Numbers as people read them.

/// So many significant digits, without an exponent.
#[must_use]
pub fn digits(value: f64, significant: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // The exponent after rounding: 0.9999 has the digits of 1.00.
    let rounded = format!("{value:.*e}", significant.saturating_sub(1));
    let magnitude = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let decimals = (significant as i64 - 1 - magnitude).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A ratio of times, with two digits below 1.
#[must_use]
pub fn ratio(value: f64) -> String {
    digits(value, if value < 1.0 { 2 } else { 3 })
}

/// A time in a unit that fits it.
#[must_use]
pub fn seconds(value: f64) -> String {
    const MILLI: f64 = 1e-3;
    const MICRO: f64 = 1e-6;
    // Rounded to three digits, 999.6 µs is 1 ms.
    let reaches = |unit: f64| value.abs() >= 0.9995 * unit;
    let (unit, name) = if reaches(1.0) {
        (1.0, "s")
    } else if reaches(MILLI) {
        (MILLI, "ms")
    } else {
        (MICRO, "µs")
    };
    format!("{} {name}", digits(value / unit, 3))
}

/// A figure of quality: plain where that is short, else with an exponent.
#[must_use]
pub fn figure(value: f64) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-3..1e7;
    if value.fract() == 0.0 && value.abs() < PLAIN.end {
        format!("{value}")
    } else if PLAIN.contains(&value.abs()) {
        digits(value, 5)
    } else {
        format!("{value:.2e}")
    }
}

/// A power of ten, 10⁴, or a plain number where that is as short; other numbers in front of it.
#[must_use]
pub fn power(value: f64) -> String {
    const PLAIN: std::ops::RangeInclusive<f64> = 0.01..=1000.0;
    if PLAIN.contains(&value) {
        return format!("{}", (value * 1000.0).round() / 1000.0);
    }
    let exponent = (value.log10() + f64::EPSILON).floor();
    let factor = value / 10_f64.powf(exponent);
    let raised: String = format!("{exponent}").chars().map(superscript).collect();
    if (factor - 1.0).abs() < 0.01 {
        format!("10{raised}")
    } else {
        format!("{factor:.0}·10{raised}")
    }
}

fn superscript(digit: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).and_then(|d| DIGITS.get(d as usize)).copied().unwrap_or('⁻')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let cases = [
            (12.345, "12.3 s"),
            (0.9999, "1.00 s"),
            (0.0312, "31.2 ms"),
            (0.000_999_7, "1.00 ms"),
            (4.2e-6, "4.20 µs"),
            (123.4, "123 s"),
        ];
        for (value, expected) in cases {
            assert_eq!(seconds(value), expected);
        }
    }

    #[test]
    fn figures_are_plain_or_have_an_exponent() {
        let cases = [
            (1.7e-16, "1.70e-16"),
            (0.42391, "0.42391"),
            (1.0, "1"),
            (0.0, "0"),
            (12_345.678, "12346"),
            (3e9, "3.00e9"),
            (-0.5, "-0.50000"),
        ];
        for (value, expected) in cases {
            assert_eq!(figure(value), expected);
        }
    }

    #[test]
    fn powers_are_raised() {
        let cases = [
            (1e4, "10⁴"),
            (2e4, "2·10⁴"),
            (1e-3, "10⁻³"),
            (100.0, "100"),
            (0.02, "0.02"),
            (1e12, "10¹²"),
        ];
        for (value, expected) in cases {
            assert_eq!(power(value), expected);
        }
    }
}
