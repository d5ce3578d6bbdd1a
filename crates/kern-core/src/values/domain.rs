//! The values that a hyper-parameter may have.

use std::fmt;

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
