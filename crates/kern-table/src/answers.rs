//! Answers.

use crate::Error;

/// The answers for the rows of a table, in their order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answers {
    /// Classes.
    Classes(Vec<String>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// True for a row that is like those that were learned from.
    Known(Vec<bool>),
    /// The numbers of clusters, from 0.
    Clusters(Vec<usize>),
    /// Principal components, a list for each row.
    Coordinates(Vec<Vec<f64>>),
}

impl Answers {
    /// The number of answers.
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

    /// Tells whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the answers for further rows, of the same model.
    ///
    /// # Errors
    /// [`Error::NotHere`] for answers of another kind: those of one model are of one.
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

    /// An answer as text, if there are as many.
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

/// The probabilities of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    /// The classes.
    pub classes: Vec<String>,
    /// For each row the probability of each class.
    pub rows: Vec<Vec<f64>>,
}
