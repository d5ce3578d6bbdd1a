//! Validated scalars: the parameter types of kernels.
//!
//! A kernel that holds a [`Positive`] cannot have an invalid value, whether it was constructed in
//! code or read from a file, because deserialisation performs the same check as construction.

use crate::Error;
use crate::values::Setting;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! validated {
    ($(#[$doc:meta])* $name:ident, $allowed:literal, |$v:ident| $valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Checks `given`; `name` is the parameter's name in the error.
            ///
            /// # Errors
            #[doc = concat!("[`Error::Parameter`] unless `given` is ", $allowed, ".")]
            pub fn new(name: &'static str, given: f64) -> Result<Self, Error> {
                let $v = given;
                if $valid {
                    Ok(Self(given))
                } else {
                    Err(Error::Parameter { name, given, allowed: $allowed })
                }
            }

            /// The value.
            #[must_use]
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Error;
            fn try_from(given: f64) -> Result<Self, Error> {
                Self::new("the value", given)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }

        impl From<&$name> for Setting {
            fn from(value: &$name) -> Self {
                Self::Real(value.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

validated!(
    /// A finite value > 0.
    ///
    /// # Examples
    /// ```
    /// use kern_core::Positive;
    /// assert_eq!(Positive::new("gamma", 0.5)?.get(), 0.5);
    /// assert!(Positive::new("gamma", 0.0).is_err());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    Positive, "a finite number > 0", |v| v > 0.0 && v.is_finite()
);

validated!(
    /// A finite value ≥ 0.
    ///
    /// # Examples
    /// ```
    /// use kern_core::NonNegative;
    /// assert_eq!(NonNegative::new("coef0", 0.0)?.get(), 0.0);
    /// assert!(NonNegative::new("coef0", f64::NAN).is_err());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    NonNegative, "a finite number >= 0", |v| v >= 0.0 && v.is_finite()
);

validated!(
    /// A finite value of any sign.
    ///
    /// # Examples
    /// ```
    /// use kern_core::Finite;
    /// assert_eq!(Finite::new("coef0", -2.0)?.get(), -2.0);
    /// assert!(Finite::new("coef0", f64::INFINITY).is_err());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    Finite, "a finite number", |v| v.is_finite()
);

validated!(
    /// A value in (0, 1]: the decay λ of kernels on strings and trees.
    ///
    /// # Examples
    /// ```
    /// use kern_core::Decay;
    /// assert_eq!(Decay::new("lambda", 1.0)?.get(), 1.0);
    /// assert!(Decay::new("lambda", 0.0).is_err());
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    Decay, "a number > 0 and <= 1", |v| v > 0.0 && v <= 1.0
);
