//! The types of class labels, whose predictions are text.

use serde::{Deserialize, Serialize};

/// The type of the classes in the target column. [`Answers`](crate::Answers) hold classes as text;
/// this type lets a caller convert them back to the type of the targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassType {
    /// Strings, or numbers whose spelling matters, such as `007`.
    #[default]
    Word,
    /// Booleans.
    Boolean,
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Real,
}

impl ClassType {
    /// The type of these labels; `numbers` tells whether the column was numeric. Numbers that would
    /// not be written back as they were read are words.
    pub(crate) fn of(labels: &[String], numbers: bool) -> Self {
        let all = |test: fn(&str) -> bool| labels.iter().all(|label| test(label));
        let is_written = |label: &str| label.parse().is_ok_and(|v: i128| v.to_string() == label);
        let is_truth =
            |label: &str| ["true", "false"].iter().any(|t| label.eq_ignore_ascii_case(t));
        match numbers {
            true if all(is_written) => Self::Integer,
            true if all(|label| label.parse().is_ok_and(|v: f64| v.to_string() == label)) => {
                Self::Real
            }
            false if all(is_truth) => Self::Boolean,
            _ => Self::Word,
        }
    }

    /// The name of the type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Real => "real",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Word, Self::Boolean, Self::Integer, Self::Real];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[&str], numbers: bool) -> ClassType {
        ClassType::of(&labels.iter().map(ToString::to_string).collect::<Vec<_>>(), numbers)
    }

    #[test]
    fn numbers_are_numbers_only_where_their_spelling_says_nothing() {
        assert_eq!(of(&["0", "-1", "9007199254740993"], true), ClassType::Integer);
        assert_eq!(of(&["0.5", "1"], true), ClassType::Real);
        assert_eq!(of(&["007", "10"], true), ClassType::Word);
        assert_eq!(of(&["1e5", "2"], true), ClassType::Word);
        assert_eq!(of(&["0", "1"], false), ClassType::Word);
        assert_eq!(of(&["True", "false"], false), ClassType::Boolean);
        assert_eq!(of(&["True", "yes"], false), ClassType::Word);
    }
}
