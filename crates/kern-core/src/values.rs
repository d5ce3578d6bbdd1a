//! The values of hyper-parameters, and those that are allowed: what an error shows of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;

/// The least and the greatest number that are written without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-9..1e16;

/// The scale on which a search should move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By equal differences.
    Linear,
    /// By equal ratios.
    Log,
}

/// The values that are allowed, and the scale on which a search should move.
///
/// # Examples
/// ```
/// use kern_core::parameters::{Domain, Setting};
/// assert_eq!(Domain::count(1).accept("k", &3.0.into())?, Setting::Count(3));
/// let refused = Domain::positive().accept("gamma", &0.0.into()).unwrap_err();
/// assert_eq!(refused.to_string(), "gamma must be a finite number > 0, got 0");
/// static RANKS: Domain = Domain::count(1);
/// assert_eq!(Domain::NameOr(&["auto"], &RANKS).accept("rank", &"auto".into())?, "auto".into());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Numbers between two others, which are finite.
    Real {
        /// The least one.
        least: f64,
        /// The greatest one; [`f64::MAX`] if there is no other bound.
        greatest: f64,
        /// The least one is excluded.
        open: bool,
        /// The scale of a search.
        scale: Scale,
    },
    /// Whole numbers between two others.
    Count {
        /// The least one.
        least: u64,
        /// The greatest one; [`u64::MAX`] if there is no other bound.
        greatest: u64,
        /// The scale of a search.
        scale: Scale,
    },
    /// Yes or no.
    Flag,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Finite numbers, zero or greater, at least one.
    List,
    /// One of these names, or a value of another domain. What is left to the library goes by the name
    /// `auto`.
    NameOr(&'static [&'static str], &'static Domain),
}

impl Domain {
    /// Finite numbers > 0, on a logarithmic scale.
    #[must_use]
    pub const fn positive() -> Self {
        Domain::Real { least: 0.0, greatest: f64::MAX, open: true, scale: Scale::Log }
    }

    /// Finite numbers ≥ 0.
    #[must_use]
    pub const fn non_negative() -> Self {
        Self::real(0.0, f64::MAX)
    }

    /// All finite numbers.
    #[must_use]
    pub const fn finite() -> Self {
        Self::real(f64::MIN, f64::MAX)
    }

    /// Numbers > 0 and ≤ 1.
    #[must_use]
    pub const fn fraction() -> Self {
        Domain::Real { least: 0.0, greatest: 1.0, open: true, scale: Scale::Linear }
    }

    /// Numbers from `least` to `greatest`, both included.
    #[must_use]
    pub const fn real(least: f64, greatest: f64) -> Self {
        Domain::Real { least, greatest, open: false, scale: Scale::Linear }
    }

    /// Whole numbers from `least` on.
    #[must_use]
    pub const fn count(least: u64) -> Self {
        Self::count_to(least, u64::MAX)
    }

    /// Whole numbers from `least` to `greatest`, both included.
    #[must_use]
    pub const fn count_to(least: u64, greatest: u64) -> Self {
        Domain::Count { least, greatest, scale: Scale::Linear }
    }

    /// The same numbers on a logarithmic scale.
    #[must_use]
    pub const fn log(self) -> Self {
        match self {
            Domain::Real { least, greatest, open, .. } => {
                Domain::Real { least, greatest, open, scale: Scale::Log }
            }
            Domain::Count { least, greatest, .. } => {
                Domain::Count { least, greatest, scale: Scale::Log }
            }
            other => other,
        }
    }
}

impl fmt::Display for Domain {
    /// The values in words, as in an error message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Domain::Real { least, greatest, open, .. } => {
                let sign = if open { ">" } else { ">=" };
                match (least > f64::MIN, greatest < f64::MAX) {
                    (true, true) => write!(f, "a number {sign} {least} and <= {greatest}"),
                    (true, false) => write!(f, "a finite number {sign} {least}"),
                    (false, true) => write!(f, "a finite number <= {greatest}"),
                    (false, false) => f.write_str("a finite number"),
                }
            }
            Domain::Count { least, greatest: u64::MAX, .. } => {
                write!(f, "a whole number >= {least}")
            }
            Domain::Count { least, greatest, .. } => {
                write!(f, "a whole number from {least} to {greatest}")
            }
            Domain::Flag => f.write_str("true or false"),
            Domain::Choice(names) => write!(f, "one of {}", names.join(", ")),
            Domain::List => f.write_str("a list of finite numbers >= 0, at least one"),
            Domain::NameOr(names, other) => write!(f, "{}, or {other}", names.join(", ")),
        }
    }
}

/// The value of a hyper-parameter.
///
/// # Examples
/// ```
/// use kern_core::parameters::Setting;
/// assert_eq!(Setting::from(3_u64).as_f64(), Some(3.0));
/// assert_eq!(Setting::from(3.0).as_u64(), Some(3));
/// assert_eq!(Setting::from(0.5).as_u64(), None);
/// assert_eq!(Setting::List(vec![1.0, 0.5]).to_string(), "[1, 0.5]");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Setting {
    /// A number.
    Real(f64),
    /// A whole number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// One of several names.
    Choice(String),
    /// Numbers.
    List(Vec<f64>),
}

impl Setting {
    /// The number, if it is one, whole or not.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Setting::Real(value) => Some(*value),
            Setting::Count(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The whole number, if it is one. Real numbers from 2⁵³ on are none: they are no longer exact.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        let exact = 0.0..(1_u64 << f64::MANTISSA_DIGITS) as f64;
        match self {
            Setting::Count(value) => Some(*value),
            Setting::Real(value) if exact.contains(value) && value.fract() <= 0.0 => {
                Some(*value as u64)
            }
            _ => None,
        }
    }

    /// Yes or no, if it is that.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Setting::Flag(value) => Some(*value),
            _ => None,
        }
    }

    /// The name, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Setting::Choice(value) => Some(value),
            _ => None,
        }
    }

    /// The numbers; one number is a list of one.
    #[must_use]
    pub fn as_list(&self) -> Option<&[f64]> {
        match self {
            Setting::List(values) => Some(values),
            Setting::Real(value) => Some(std::slice::from_ref(value)),
            _ => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Real(value) => Short(*value).fmt(f),
            Setting::Count(value) => value.fmt(f),
            Setting::Flag(value) => value.fmt(f),
            Setting::Choice(value) => value.fmt(f),
            Setting::List(values) => {
                f.write_str("[")?;
                for (k, value) in values.iter().enumerate() {
                    write!(f, "{}{}", if k == 0 { "" } else { ", " }, Short(*value))?;
                }
                f.write_str("]")
            }
        }
    }
}

macro_rules! from {
    ($($type:ty: $value:ident => $setting:expr;)*) => {$(
        impl From<$type> for Setting {
            fn from($value: $type) -> Self {
                $setting
            }
        }
    )*};
}

from! {
    f64: value => Setting::Real(value);
    u64: value => Setting::Count(value);
    u32: value => Setting::Count(u64::from(value));
    usize: value => Setting::Count(value as u64);
    bool: value => Setting::Flag(value);
    &str: value => Setting::Choice(value.to_string());
    String: value => Setting::Choice(value);
    Vec<f64>: value => Setting::List(value);
    &Vec<f64>: value => Setting::List(value.clone());
    &NonZeroUsize: value => Setting::Count(value.get() as u64);
    &usize: value => Setting::Count(*value as u64);
    &u32: value => Setting::Count(u64::from(*value));
    &bool: value => Setting::Flag(*value);
}

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
