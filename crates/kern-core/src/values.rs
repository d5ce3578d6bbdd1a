//! Values of hyper-parameters and their domains, as they are shown in error messages.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;

/// The magnitudes that are printed without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-9..1e16;

/// The scale of a search over a hyper-parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
}

/// The allowed values of a hyper-parameter, and the scale of a search over them.
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
    /// Real values in a finite interval.
    Real {
        /// The smallest value.
        smallest: f64,
        /// The largest value; [`f64::MAX`] if there is no upper bound.
        largest: f64,
        /// Whether the smallest value is excluded.
        open: bool,
        /// The scale of a search.
        scale: Scale,
    },
    /// Integers in an interval.
    Count {
        /// The smallest value.
        smallest: u64,
        /// The largest value; [`u64::MAX`] if there is no upper bound.
        largest: u64,
        /// The scale of a search.
        scale: Scale,
    },
    /// A Boolean.
    Flag,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A non-empty list of finite values ≥ 0.
    List,
    /// One of these names, or a value of another domain. A value that the library chooses has the
    /// name `auto`.
    NameOr(&'static [&'static str], &'static Domain),
}

impl Domain {
    /// Finite values > 0, on a logarithmic scale.
    #[must_use]
    pub const fn positive() -> Self {
        Domain::Real { smallest: 0.0, largest: f64::MAX, open: true, scale: Scale::Log }
    }

    /// Finite values ≥ 0.
    #[must_use]
    pub const fn non_negative() -> Self {
        Self::real(0.0, f64::MAX)
    }

    /// All finite values.
    #[must_use]
    pub const fn finite() -> Self {
        Self::real(f64::MIN, f64::MAX)
    }

    /// Values > 0 and ≤ 1.
    #[must_use]
    pub const fn fraction() -> Self {
        Domain::Real { smallest: 0.0, largest: 1.0, open: true, scale: Scale::Linear }
    }

    /// Values from `smallest` to `largest`, both included.
    #[must_use]
    pub const fn real(smallest: f64, largest: f64) -> Self {
        Domain::Real { smallest, largest, open: false, scale: Scale::Linear }
    }

    /// Integers from `smallest` on.
    #[must_use]
    pub const fn count(smallest: u64) -> Self {
        Self::count_to(smallest, u64::MAX)
    }

    /// Integers from `smallest` to `largest`, both included.
    #[must_use]
    pub const fn count_to(smallest: u64, largest: u64) -> Self {
        Domain::Count { smallest, largest, scale: Scale::Linear }
    }

    /// The same values on a logarithmic scale.
    #[must_use]
    pub const fn log(self) -> Self {
        match self {
            Domain::Real { smallest, largest, open, .. } => {
                Domain::Real { smallest, largest, open, scale: Scale::Log }
            }
            Domain::Count { smallest, largest, .. } => {
                Domain::Count { smallest, largest, scale: Scale::Log }
            }
            other => other,
        }
    }
}

impl fmt::Display for Domain {
    /// Prints the allowed values as in an error message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Domain::Real { smallest, largest, open, .. } => {
                let sign = if open { ">" } else { ">=" };
                match (smallest > f64::MIN, largest < f64::MAX) {
                    (true, true) => write!(f, "a number {sign} {smallest} and <= {largest}"),
                    (true, false) => write!(f, "a finite number {sign} {smallest}"),
                    (false, true) => write!(f, "a finite number <= {largest}"),
                    (false, false) => f.write_str("a finite number"),
                }
            }
            Domain::Count { smallest, largest: u64::MAX, .. } => {
                write!(f, "a whole number >= {smallest}")
            }
            Domain::Count { smallest, largest, .. } => {
                write!(f, "a whole number from {smallest} to {largest}")
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
    /// A real value.
    Real(f64),
    /// A non-negative integer.
    Count(u64),
    /// A Boolean.
    Flag(bool),
    /// One of several names.
    Choice(String),
    /// A list of real values.
    List(Vec<f64>),
}

impl Setting {
    /// The value as a float, if it is real or an integer.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Setting::Real(value) => Some(*value),
            Setting::Count(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The value as an integer, if it is one. Real values from 2⁵³ on are not, since they are no
    /// longer exact.
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

    /// The value, if it is a Boolean.
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

    /// The list of values, or a single value as a list.
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

/// Prints a number as `{}` does, but with an exponent instead of a long row of zeros. Parsing
/// returns the same number.
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
