//! Scores of fits next to those of a constant prediction, and notes for the user.

use crate::fitted::Fitted;
use crate::{Answers, Error, Metric, Rows, Task, Training};
use kern_data::{Column, Values};
use kern_solvers::search::Trial;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Limit on kernel evaluations for a score on training rows, and the bounds on the number of these
/// rows.
const VALUES: usize = 4_000_000;
const FEWEST: usize = 100;
const MOST: usize = 2000;

/// A class is rare below this fraction of the size it would have if all classes were equally large.
const RARE: f64 = 0.2;

/// The recall of a rare class from which on no note is given.
const FOUND: f64 = 0.9;

/// The rows that a score was computed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scored {
    /// Held-out rows, by cross-validation.
    CrossValidation,
    /// Each row, predicted by the model fitted without it.
    LeaveOneOut,
    /// Generalised cross-validation, an estimate for unseen rows.
    Gcv,
    /// Training rows: expect a lower score on unseen rows.
    TrainingRows,
}

/// A score of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The name of the score: `accuracy`, `R²`, or another [`Metric`].
    pub score: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, of a contest: the score on new rows is expected within two of them.
    pub standard_error: Option<f64>,
    /// The score of the best constant prediction: the share of the most frequent class, or 0.
    pub constant: f64,
    /// The rows that the score was computed on.
    pub scored: Scored,
}

/// A warning or remark about a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// All predictions are the same class.
    SameClass {
        /// The class.
        class: String,
    },
    /// The score is not above that of a constant prediction.
    NoBetter(Evidence),
    /// A class has few rows, and the model finds few of them.
    RareClass {
        /// The class.
        class: String,
        /// The number of its rows.
        rows: usize,
        /// The number of all rows.
        of: usize,
        /// True if these numbers refer to a sample of the rows.
        is_sample: bool,
        /// The recall of this class on the training set.
        found: f64,
    },
    /// A class has fewer rows than the search has folds.
    FewRows {
        /// The class.
        class: String,
        /// The number of its rows.
        rows: usize,
        /// The number of folds.
        folds: usize,
    },
    /// A search ended before all candidates were tried.
    SearchEnded {
        /// The number of candidates that were tried on all folds.
        tried: usize,
        /// The number of rows that the model was trained on: one fold if there was no time for all
        /// rows.
        rows: usize,
        /// The number of all rows.
        of: usize,
    },
    /// The exact kernel was predicted to take longer than the time limit.
    Landmarks {
        /// The number of landmarks used instead.
        landmarks: usize,
    },
    /// The solver reached its iteration limit before it converged.
    Stopped,
}

/// The results of a search for hyper-parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Search {
    /// The name of the score that compares the candidates.
    pub score: String,
    /// The names of the hyper-parameters.
    pub names: Vec<String>,
    /// The candidates, in the order in which they were tried.
    pub trials: Vec<Trial>,
    /// The index of the best candidate.
    pub best: Option<usize>,
}

impl fmt::Display for Scored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CrossValidation => "by cross-validation",
            Self::LeaveOneOut => "by leave-one-out",
            Self::Gcv => "by generalised cross-validation",
            Self::TrainingRows => "on training rows",
        })
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, value, standard_error, constant, scored } = self;
        write!(f, "{score} {value:.4} ")?;
        if let Some(error) = standard_error {
            write!(f, "± {:.4} ", 2.0 * error)?;
        }
        write!(f, "{scored} (a constant answer has {constant:.4})")
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameClass { class } => {
                write!(f, "the model answers `{class}` for every row: ")?;
                f.write_str("search for hyper-parameters, or take balanced class weights")
            }
            Self::NoBetter(evidence) => {
                write!(f, "the model is no better than a constant answer: {evidence}")
            }
            Self::RareClass { class, rows, of, is_sample, found } => {
                let (share, found) = (100.0 * *rows as f64 / *of as f64, 100.0 * found);
                let sampled = if *is_sample { "sampled " } else { "" };
                write!(f, "only {rows} of {of} {sampled}rows ({share:.1} %) are of the class ")?;
                write!(f, "`{class}`, and ")?;
                write!(f, "the model finds {found:.0} % of them among its training rows: ")?;
                f.write_str(
                    "balanced class weights count the classes alike (--class-weights balanced)",
                )
            }
            Self::FewRows { class, rows, folds } => {
                write!(f, "the class `{class}` has {rows} rows, fewer than the {folds} folds: ")?;
                f.write_str("its part of the scores is of little worth")
            }
            Self::SearchEnded { tried, rows, of } => {
                let plural = if *tried == 1 { "" } else { "s" };
                write!(
                    f,
                    "the search was ended after {tried} candidate{plural}: the model is the best of them"
                )?;
                if rows < of {
                    write!(f, ", of a fold of {rows} rows for lack of time to fit all {of}")?;
                }
                Ok(())
            }
            Self::Landmarks { landmarks } => {
                write!(f, "the exact kernel is predicted to take longer than the time limit: ")?;
                write!(f, "learned on {landmarks} landmarks")
            }
            Self::Stopped => f.write_str(
                "stopped before the solver had converged: the model is what was reached",
            ),
        }
    }
}

impl Evidence {
    /// An R² score; predicting the mean gives 0.
    pub(crate) fn of_variance(value: f64, scored: Scored) -> Self {
        let score = Metric::R2.name().to_string();
        Self { score, value, standard_error: None, constant: 0.0, scored }
    }

    /// The note that a constant prediction does as well, if that is the case.
    pub(crate) fn idle_note(&self) -> Option<Note> {
        let is_loss = self.score.parse().is_ok_and(Metric::is_loss);
        let (value, constant) = (self.value, self.constant);
        let is_idle = if is_loss { value >= constant } else { value <= constant };
        is_idle.then(|| Note::NoBetter(self.clone()))
    }
}

/// Everything about a fit except its model.
pub(crate) struct Known<'k> {
    pub(crate) task: Task,
    /// The number of folds of a search, unless the folds are given by groups.
    pub(crate) folds: Option<usize>,
    /// True if the user has set class weights.
    pub(crate) has_class_weights: bool,
    /// All rows, or a sample of them.
    pub(crate) rows: &'k Rows,
    pub(crate) is_sample: bool,
    pub(crate) target: Option<&'k Column>,
    pub(crate) weights: Option<&'k [f64]>,
    pub(crate) search: Option<&'k Search>,
    /// The error at the selected λ, and the rows that it was computed on.
    pub(crate) estimated: Option<(f64, Scored)>,
}

impl<'k> Known<'k> {
    /// A fit of these rows after this search; all other fields are empty.
    pub(crate) fn of(training: &Training, rows: &'k Rows, search: Option<&'k Search>) -> Self {
        Self {
            task: training.task,
            folds: training.folds.filter(|_| training.groups.is_none()),
            has_class_weights: training.settings.iter().any(|(name, _)| name == "class_weights"),
            rows,
            is_sample: false,
            target: None,
            weights: None,
            search,
            estimated: None,
        }
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// Computes the score, if the task has one, and the notes.
    pub(crate) fn judge(&self, fitted: &Fitted) -> Result<(Option<Evidence>, Vec<Note>), Error> {
        let Some(target) = self.target else { return Ok((None, Vec::new())) };
        if self.task == Task::Regress {
            let evidence = self.of_numbers(fitted, target.numbers()?)?;
            let notes = evidence.iter().filter_map(Evidence::idle_note).collect();
            return Ok((evidence, notes));
        }
        self.of_classes(fitted, &target.labels()?)
    }

    /// The score of the search, if there was one.
    fn searched(&self, score: &str, constant: f64) -> Option<Evidence> {
        let search = self.search?;
        let value = search.trials.get(search.best?)?.mean()?;
        let scored = Scored::CrossValidation;
        Some(Evidence { score: score.to_string(), value, standard_error: None, constant, scored })
    }

    fn of_numbers(&self, fitted: &Fitted, truth: &[f64]) -> Result<Option<Evidence>, Error> {
        let all: Vec<usize> = (0..truth.len()).collect();
        if let Some(found) = self.searched("R²", 0.0) {
            return Ok(Some(found));
        }
        if let Some((error, scored)) = self.estimated {
            let variance = self.variance(truth, &all);
            return Ok(
                (variance > 0.0).then(|| Evidence::of_variance(1.0 - error / variance, scored))
            );
        }
        let sample = spread(&all, self.most());
        let Answers::Numbers(answers) = fitted.predict(&self.select(&sample))? else {
            return Ok(None);
        };
        let variance = self.variance(truth, &sample);
        let squares = sample.iter().zip(&answers);
        let squares = squares.map(|(&i, f)| (self.weight(i), (truth[i] - f).powi(2)));
        let (total, sum) = squares.fold((0.0, 0.0), |(n, s), (w, square)| (n + w, s + w * square));
        let value = 1.0 - sum / total / variance;
        Ok((variance > 0.0).then(|| Evidence::of_variance(value, Scored::TrainingRows)))
    }

    fn variance(&self, truth: &[f64], sample: &[usize]) -> f64 {
        let total: f64 = sample.iter().map(|&i| self.weight(i)).sum();
        let mean = sample.iter().map(|&i| self.weight(i) * truth[i]).sum::<f64>() / total;
        let square = |&i: &usize| self.weight(i) * (truth[i] - mean).powi(2);
        sample.iter().map(square).sum::<f64>() / total
    }

    fn of_classes(
        &self,
        fitted: &Fitted,
        truth: &[String],
    ) -> Result<(Option<Evidence>, Vec<Note>), Error> {
        let mut members = BTreeMap::<&String, (Vec<usize>, f64)>::new();
        for (i, class) in truth.iter().enumerate() {
            let (rows, weight) = members.entry(class).or_default();
            rows.push(i);
            *weight += self.weight(i);
        }
        let total: f64 = members.values().map(|(_, weight)| weight).sum();
        let frequent = members.iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let (frequent, most) = frequent.map_or((None, 0.0), |(class, (_, w))| (Some(*class), *w));
        let all: Vec<usize> = (0..truth.len()).collect();
        let sample = spread(&all, self.most());
        let Answers::Classes(answers) = fitted.predict(&self.select(&sample))? else {
            return Ok((None, Vec::new()));
        };
        let (mut all, mut hits, mut constant) = (0.0, 0.0, 0.0);
        for (&i, answer) in sample.iter().zip(&answers) {
            let weight = self.weight(i);
            all += weight;
            hits += if *answer == truth[i] { weight } else { 0.0 };
            constant += if Some(&truth[i]) == frequent { weight } else { 0.0 };
        }
        // The score of the sample is compared with a constant prediction on the same sample.
        let evidence = self.searched("accuracy", most / total).unwrap_or_else(|| Evidence {
            score: "accuracy".to_string(),
            value: hits / all,
            standard_error: None,
            constant: constant / all,
            scored: Scored::TrainingRows,
        });
        let mut notes = self.few_rows(&members);
        match answers.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => {
                notes.push(Note::SameClass { class: first.clone() });
            }
            _ => notes.extend(evidence.idle_note()),
        }
        notes.extend(self.rare_class(fitted, &members, truth.len(), total)?);
        Ok((Some(evidence), notes))
    }

    /// Classes with fewer rows than the search has folds.
    fn few_rows(&self, members: &BTreeMap<&String, (Vec<usize>, f64)>) -> Vec<Note> {
        let Some(folds) = self.folds else { return Vec::new() };
        let few = members.iter().filter(|(_, (rows, _))| rows.len() < folds);
        few.map(|(class, (rows, _))| {
            let (class, rows) = ((*class).clone(), rows.len());
            Note::FewRows { class, rows, folds }
        })
        .collect()
    }

    /// The rarest class, if it is much smaller than the others and the model rarely finds it.
    fn rare_class(
        &self,
        fitted: &Fitted,
        members: &BTreeMap<&String, (Vec<usize>, f64)>,
        of: usize,
        total: f64,
    ) -> Result<Option<Note>, Error> {
        let rarest = members.iter().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let Some((class, (rows, weight))) = rarest.filter(|_| !self.has_class_weights) else {
            return Ok(None);
        };
        if weight * members.len() as f64 >= RARE * total {
            return Ok(None);
        }
        let sample = spread(rows, self.most());
        let Answers::Classes(answers) = fitted.predict(&self.select(&sample))? else {
            return Ok(None);
        };
        let right = answers.iter().filter(|answer| answer == class).count();
        let found = right as f64 / sample.len() as f64;
        let (class, rows) = ((*class).clone(), rows.len());
        let is_sample = self.is_sample;
        Ok((found < FOUND).then_some(Note::RareClass { class, rows, of, is_sample, found }))
    }

    fn most(&self) -> usize {
        (VALUES / self.rows.len().max(1)).clamp(FEWEST, MOST)
    }

    fn select(&self, sample: &[usize]) -> Rows {
        sample.iter().map(|&i| self.rows[i].clone()).collect()
    }
}

/// At most `most` of these indices, evenly spaced.
fn spread(all: &[usize], most: usize) -> Vec<usize> {
    all.iter().copied().step_by(all.len().div_ceil(most).max(1)).collect()
}

/// The rows with a non-zero weight; `None` if these are all rows or none.
pub(crate) fn weighty(values: &Values) -> Option<Vec<usize>> {
    let Values::Numbers(weights) = values else { return None };
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    (!used.is_empty() && used.len() < weights.len()).then_some(used)
}
