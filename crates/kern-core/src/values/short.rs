//! Numbers in messages and formulas.

use std::fmt;

/// The least and the greatest number that are written without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-9..1e16;

/// A number as `{}` writes it, but with an exponent where that would be a row of zeros. What is read back is the same number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short(pub(crate) f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_long = self.0.is_finite() && self.0 != 0.0 && !PLAIN.contains(&self.0.abs());
        if is_long { fmt::LowerExp::fmt(&self.0, f) } else { fmt::Display::fmt(&self.0, f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_zeros_have_an_exponent_instead() {
        let written = |v: f64| Short(v).to_string();
        assert_eq!(written(0.0), "0");
        assert_eq!(written(-1.0), "-1");
        assert_eq!(written(1e-6), "0.000001");
        assert_eq!(written(-1e-300), "-1e-300");
        assert_eq!(written(f64::MIN_POSITIVE), "2.2250738585072014e-308");
        assert_eq!(written(1e300), "1e300");
        for v in [1e-300, 0.1, 1e300, f64::MIN_POSITIVE] {
            assert_eq!(written(v).parse(), Ok(v));
        }
    }
}
