//! Predictions and plans.

use super::Way;
use super::recommend::{Terms, recommend};
use kern_gram::MemoryBudget;
use serde::{Deserialize, Serialize};

/// The kinds of work that a prediction is a sum of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Features of points.
    Features,
    /// Kernel values, and what a kernel does per point before them.
    KernelValues,
    /// Memory that is touched for the first time.
    Memory,
    /// Factors of matrices: of the kernel matrix, of a preconditioner, of normal equations.
    Factors,
    /// Products of kernel values with coefficients, and all that an iteration does beside.
    Products,
    /// The steps: dot products with features and their addition to w, losses, the drawing of samples.
    Steps,
    /// The overhead of each block of upcoming samples.
    Blocks,
    /// The objective at the end, or the certificate.
    Objective,
    /// The overhead of each fit.
    Start,
}

impl Work {
    /// Its name in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::KernelValues => "kernel values",
            Self::Memory => "memory",
            Self::Factors => "factors",
            Self::Products => "products",
            Self::Steps => "steps",
            Self::Blocks => "blocks",
            Self::Objective => "objective",
            Self::Start => "start",
        }
    }
}

/// A part of the time of a way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The kind of work.
    pub work: Work,
    /// The time that it takes.
    pub seconds: f64,
}

/// The predicted time and memory of a way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    pub(crate) way: Way,
    pub(crate) terms: Vec<Term>,
    pub(crate) bytes: u64,
    pub(crate) fits: bool,
}

impl Prediction {
    /// The way.
    #[must_use]
    pub fn way(&self) -> Way {
        self.way
    }

    /// The parts of its time, in the order in which they begin.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The sum of the terms.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.terms.iter().map(|term| term.seconds).sum()
    }

    /// The term of one kind; 0 if the way has no such work.
    #[must_use]
    pub fn seconds_of(&self, work: Work) -> f64 {
        self.terms.iter().filter(|term| term.work == work).map(|term| term.seconds).sum()
    }

    /// Memory beyond the data, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tells whether the memory is within the budget.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.fits
    }

    pub(super) fn within(mut self, budget: &MemoryBudget) -> Self {
        self.fits = budget.fits(self.bytes);
        self
    }
}

/// The predictions, the recommendation and its reason. Printed, it is a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub(super) task: String,
    pub(super) budget: u64,
    pub(super) predictions: Vec<Prediction>,
    pub(super) recommended: Option<Way>,
    pub(super) reason: String,
}

impl Plan {
    /// The plan of a task from predictions for its ways.
    pub(crate) fn new(task: String, predictions: Vec<Prediction>, terms: &Terms<'_>) -> Self {
        let budget = terms.budget.as_bytes();
        let predictions: Vec<Prediction> =
            predictions.into_iter().map(|prediction| prediction.within(terms.budget)).collect();
        let (recommended, reason) = recommend(&predictions, terms);
        Self { task, budget, predictions, recommended, reason }
    }

    /// The planned task, in words.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }

    /// A prediction for every way that the task has.
    #[must_use]
    pub fn predictions(&self) -> &[Prediction] {
        &self.predictions
    }

    /// The prediction for one way, if the task has it.
    #[must_use]
    pub fn prediction(&self, way: Way) -> Option<&Prediction> {
        self.predictions.iter().find(|prediction| prediction.way == way)
    }

    /// Tells whether a way fits the budget and is predicted to take no longer than another one.
    #[must_use]
    pub fn is_faster(&self, way: Way, other: Way) -> bool {
        let seconds = |way| Some(self.prediction(way)?.seconds());
        let fits = self.prediction(way).is_some_and(Prediction::fits);
        fits && seconds(way).zip(seconds(other)).is_none_or(|(a, b)| a <= b)
    }

    /// The way to take; none if no way fits.
    #[must_use]
    pub fn recommended(&self) -> Option<Way> {
        self.recommended
    }

    /// The reason, in words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}
