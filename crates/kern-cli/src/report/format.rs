//! Numbers as text.

/// The significant digits of a number.
const DIGITS: i32 = 4;

/// The range of magnitudes written without an exponent.
const SMALL: f64 = 1e-4;
const LARGE: f64 = 1e6;

/// Four significant digits.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_string() } else { value.to_string() };
    }
    if !(SMALL..LARGE).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = (DIGITS - 1 - size.log10().floor() as i32).max(0);
    format!("{value:.*}", decimals as usize)
}

/// A number, or a dash if there is none.
pub(crate) fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_string(), number)
}

/// An interval.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", number(low), number(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        let all = [0.0, 0.123_456, -12.3456, 123_456.7, 1e9, 2e-7];
        let texts: Vec<String> = all.into_iter().map(number).collect();
        assert_eq!(texts, ["0", "0.1235", "-12.35", "123457", "1.000e9", "2.000e-7"]);
    }
}
