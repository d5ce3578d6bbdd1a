//! Predictions of table models.

use crate::Error;

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
pub struct Probabilities {
    /// The classes.
    pub classes: Vec<String>,
    /// The probability of each class, for each row.
    pub rows: Vec<Vec<f64>>,
}
