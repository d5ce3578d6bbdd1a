//! The plan of a fit: the recommended method, and the reason.
//!
//! The recommendation is the fastest method that is within the memory and time limits and gives the
//! requested kind of result. The reason names the next best method, and why faster ones are ruled
//! out.

use super::{Algorithm, Prediction};
use kern_gram::MemoryBudget;
use kern_gram::numerics::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The predictions, the recommendation and its reason. `Display` formats a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    task: String,
    budget: u64,
    predictions: Vec<Prediction>,
    recommended: Option<Algorithm>,
    reason: String,
}

impl Plan {
    /// The plan of a task from the predictions of its methods.
    pub(crate) fn new(task: String, predictions: Vec<Prediction>, terms: &Terms<'_>) -> Self {
        let budget = terms.budget.as_bytes();
        let predictions: Vec<Prediction> =
            predictions.into_iter().map(|prediction| prediction.within(terms.budget)).collect();
        let (recommended, reason) = recommend(&predictions, terms);
        Self { task, budget, predictions, recommended, reason }
    }

    /// A description of the planned task.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }

    /// A prediction for every method of the task.
    #[must_use]
    pub fn predictions(&self) -> &[Prediction] {
        &self.predictions
    }

    /// The prediction for one method, if the task has it.
    #[must_use]
    pub fn prediction(&self, algorithm: Algorithm) -> Option<&Prediction> {
        self.predictions.iter().find(|prediction| prediction.algorithm == algorithm)
    }

    /// Returns true if a method fits in the budget and is predicted to be at least as fast as
    /// another one.
    #[must_use]
    pub fn is_faster(&self, algorithm: Algorithm, other: Algorithm) -> bool {
        let seconds = |algorithm| Some(self.prediction(algorithm)?.seconds());
        let fits = self.prediction(algorithm).is_some_and(Prediction::fits);
        fits && seconds(algorithm).zip(seconds(other)).is_none_or(|(a, b)| a <= b)
    }

    /// The recommended method; `None` if no method fits.
    #[must_use]
    pub fn recommended(&self) -> Option<Algorithm> {
        self.recommended
    }

    /// A readable reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; memory budget {}", self.task, Bytes(self.budget))?;
        writeln!(f, "  {:<31} {:>8} {:>9}   terms", "algorithm", "time", "memory")?;
        for prediction in &self.predictions {
            let mark = if self.recommended == Some(prediction.algorithm) { '>' } else { ' ' };
            writeln!(f, "{mark} {prediction}")?;
        }
        if self.predictions.iter().any(|prediction| !prediction.fits) {
            writeln!(f, "  (!: more than the memory budget)")?;
        }
        write!(f, "{}", self.reason)
    }
}

/// The acceptance of methods that give another result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// Exact methods only.
    Exact,
    /// All methods alike.
    All,
    /// Landmarks only if no other method is within the limits.
    Resort,
}

/// The constraints on the choice of a method.
pub(crate) struct Terms<'t> {
    pub(crate) budget: &'t MemoryBudget,
    /// The time limit in seconds, if set.
    pub(crate) limit: Option<f64>,
    pub(crate) open: Open,
}

impl Terms<'_> {
    fn is_open(&self, prediction: &Prediction) -> bool {
        match self.open {
            Open::Exact => prediction.algorithm.is_exact(),
            Open::All => true,
            Open::Resort => prediction.algorithm != Algorithm::Landmarks,
        }
    }

    fn is_within(&self, prediction: &Prediction) -> bool {
        prediction.fits && self.limit.is_none_or(|limit| prediction.seconds() <= limit)
    }

    /// The limits that matter to some of the methods, as text.
    fn limits(&self, predictions: &[Prediction]) -> String {
        let memory = Bytes(self.budget.as_bytes());
        let fit = predictions.iter().all(|prediction| prediction.fits);
        match self.limit {
            Some(limit) if fit => Seconds(limit).to_string(),
            Some(limit) => format!("{memory} and {}", Seconds(limit)),
            None => memory.to_string(),
        }
    }

    /// The reason that rules out a faster method.
    fn obstacle(&self, faster: &Prediction) -> String {
        if !faster.fits {
            let allowed = Bytes(self.budget.as_bytes());
            return format!("but needs {} of the {allowed} allowed", Bytes(faster.bytes));
        }
        let reason = match self.open {
            Open::Resort => "is taken only if no other way is within the limits",
            Open::Exact | Open::All => "approximation is not said to be welcome",
        };
        format!("but gives another answer, and {reason}")
    }
}

/// The fastest method within the limits that gives the requested kind of result, and the reason.
fn recommend(predictions: &[Prediction], terms: &Terms<'_>) -> (Option<Algorithm>, String) {
    let within = || predictions.iter().filter(|p| terms.is_within(p));
    let asked = fastest(within().filter(|p| terms.is_open(p)));
    let resort = || fastest(within().filter(|_| terms.open == Open::Resort));
    let Some(best) = asked.or_else(resort) else {
        return (None, nothing_fits(terms, predictions));
    };
    let mut sentences = vec![because(best)];
    let others = predictions.iter().filter(|p| p.algorithm != best.algorithm);
    if asked.is_none() {
        sentences.push(format!("No other way is within {}.", terms.limits(predictions)));
    }
    let next = fastest(others.clone().filter(|p| terms.is_open(p) && terms.is_within(p)));
    sentences.extend(next.map(|next| {
        format!("The next, {}, is predicted to take {}.", next.algorithm, Seconds(next.seconds()))
    }));
    for faster in others.filter(|p| p.seconds() < best.seconds()) {
        let (algorithm, seconds) =
            (capitalized(faster.algorithm.name()), Seconds(faster.seconds()));
        sentences.push(format!("{algorithm} would take {seconds}, {}.", terms.obstacle(faster)));
    }
    (Some(best.algorithm), sentences.join(" "))
}

/// The first of the fastest predictions.
fn fastest<'a>(predictions: impl Iterator<Item = &'a Prediction>) -> Option<&'a Prediction> {
    predictions.min_by(|a, b| a.seconds().total_cmp(&b.seconds()))
}

/// The time of a method and its largest part.
fn because(best: &Prediction) -> String {
    let largest = best.terms.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let part = largest.map_or_else(String::new, |term| {
        format!(", of which {} are {}", Seconds(term.seconds), term.work.name())
    });
    let (name, seconds) = (capitalized(best.algorithm.name()), Seconds(best.seconds()));
    format!("{name}: the fastest that fits, predicted to take {seconds}{part}.")
}

fn nothing_fits(terms: &Terms<'_>, predictions: &[Prediction]) -> String {
    let open = predictions.iter().filter(|p| terms.is_open(p));
    let allowed = terms.limits(predictions);
    match open.min_by_key(|p| p.bytes) {
        Some(smallest) => format!(
            "No way fits: the least memory is that of {}, {}, and {allowed} are allowed.",
            smallest.algorithm,
            Bytes(smallest.bytes)
        ),
        None => "There is no way.".to_owned(),
    }
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
