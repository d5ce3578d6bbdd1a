//! The value of a hyper-parameter.

use super::short::Short;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;

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
