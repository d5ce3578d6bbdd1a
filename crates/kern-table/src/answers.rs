//! Predictions of table models, and the types of class labels, whose predictions are text.

use crate::Error;
use serde::{Deserialize, Serialize};

/// The predictions for the rows of a table, in the order of the rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answers {
    /// Class labels.
    Classes(Vec<String>),
    /// Regression values.
    Numbers(Vec<f64>),
    /// True for inliers: rows that resemble the training rows.
    Known(Vec<bool>),
    /// Cluster indices, from 0.
    Clusters(Vec<usize>),
    /// Principal components, one list per row.
    Coordinates(Vec<Vec<f64>>),
}

impl Answers {
    /// The number of predictions.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Classes(answers) => answers.len(),
            Self::Numbers(answers) => answers.len(),
            Self::Known(answers) => answers.len(),
            Self::Clusters(answers) => answers.len(),
            Self::Coordinates(answers) => answers.len(),
        }
    }

    /// Returns true if there are no predictions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the predictions for further rows of the same model.
    ///
    /// # Errors
    ///
    /// [`Error::NotHere`] for predictions of another kind, which the same model never makes.
    pub fn append(&mut self, further: Self) -> Result<(), Error> {
        match (self, further) {
            (Self::Classes(answers), Self::Classes(further)) => answers.extend(further),
            (Self::Numbers(answers), Self::Numbers(further)) => answers.extend(further),
            (Self::Known(answers), Self::Known(further)) => answers.extend(further),
            (Self::Clusters(answers), Self::Clusters(further)) => answers.extend(further),
            (Self::Coordinates(answers), Self::Coordinates(further)) => answers.extend(further),
            _ => return Err(Error::NotHere("answers of two models are not put together")),
        }
        Ok(())
    }

    /// One prediction as text; `None` if the index is out of range.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Classes(answers) => answers.get(row).cloned(),
            Self::Numbers(answers) => answers.get(row).map(f64::to_string),
            Self::Known(answers) => answers.get(row).map(bool::to_string),
            Self::Clusters(answers) => answers.get(row).map(usize::to_string),
            Self::Coordinates(answers) => {
                let text =
                    |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
                answers.get(row).map(text)
            }
        }
    }
}

/// Class probabilities.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Probabilities {
    /// The classes.
    pub classes: Vec<String>,
    /// The probability of each class, for each row.
    pub rows: Vec<Vec<f64>>,
}

/// The type of the classes in the target column. [`Answers`] hold classes as text;
/// this type lets a caller convert them back to the type of the targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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
