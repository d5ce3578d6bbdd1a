//! What a fit says about itself: a score next to that of a constant answer, and notes on what its user should know.

use crate::fitted::Fitted;
use crate::{Answers, Error, Rows, Search, Training};
use kern_data::{Column, Values};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Kernel values that a score on training rows may take, and the bounds of their number.
const VALUES: usize = 4_000_000;
const FEWEST: usize = 100;
const MOST: usize = 2000;

/// A class is rare below this share of what it would have if all classes were alike.
const RARE: f64 = 0.2;

/// The share of a rare class's rows that a model has to find to be silent about it.
const FOUND: f64 = 0.9;

/// The rows that a score is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scored {
    /// Rows that were held out, fold by fold.
    CrossValidation,
    /// Each row, by the model without it.
    LeaveOneOut,
    /// Generalised cross-validation, an estimate for rows that the model has not seen.
    Gcv,
    /// Rows of the training set: the score for others is lower.
    TrainingRows,
}

/// A score of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The name of the score: `accuracy` or `R²`.
    pub score: String,
    /// Its value.
    pub value: f64,
    /// The value of the best constant answer: the share of the most frequent class, or 0.
    pub constant: f64,
    /// The rows that it is of.
    pub scored: Scored,
}

/// A thing that the user of a fit should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// All answers are the same class.
    SameClass {
        /// The class.
        class: String,
    },
    /// The score is not above that of a constant answer.
    NoBetter(Evidence),
    /// A class has few rows, and the model finds few of them.
    RareClass {
        /// The class.
        class: String,
        /// The number of its rows, and of all rows.
        rows: usize,
        /// The number of all rows.
        of: usize,
        /// The share of its rows in the training set that the model finds.
        found: f64,
    },
    /// A class has fewer rows than there are folds of a search.
    FewRows {
        /// The class.
        class: String,
        /// The number of its rows.
        rows: usize,
        /// The number of folds.
        folds: usize,
    },
    /// A search was ended before all candidates were tried.
    SearchEnded {
        /// The number of candidates that were tried on all folds.
        tried: usize,
        /// The number of rows that the model was learned from: those of one fold if there was no time for all.
        rows: usize,
        /// The number of all rows.
        of: usize,
    },
    /// The exact kernel was predicted to take longer than the time limit.
    Landmarks {
        /// The number of landmarks that were taken instead.
        landmarks: usize,
    },
    /// The iterations ended before the solver had converged.
    Stopped,
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
        let Self { score, value, constant, scored } = self;
        write!(f, "{score} {value:.4} {scored} (a constant answer has {constant:.4})")
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
            Self::RareClass { class, rows, of, found } => {
                let (share, found) = (100.0 * *rows as f64 / *of as f64, 100.0 * found);
                write!(
                    f,
                    "only {rows} of {of} rows ({share:.1} %) are of the class `{class}`, and "
                )?;
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

/// What is known of a fit besides its model.
pub(crate) struct Known<'k> {
    pub(crate) training: &'k Training,
    pub(crate) rows: &'k Rows,
    pub(crate) target: Option<&'k Column>,
    pub(crate) weights: Option<&'k [f64]>,
    pub(crate) search: Option<&'k Search>,
    /// The error of a chosen λ, and the rows that it is of.
    pub(crate) estimated: Option<(f64, Scored)>,
}

impl Known<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// The score, if the task has one, and the notes.
    pub(crate) fn judge(&self, fitted: &Fitted) -> Result<(Option<Evidence>, Vec<Note>), Error> {
        let Some(target) = self.target else { return Ok((None, Vec::new())) };
        if self.training.task == crate::Task::Regress {
            let evidence = self.of_numbers(fitted, target.numbers()?)?;
            let notes = evidence.iter().filter(|evidence| evidence.is_idle()).cloned();
            let notes = notes.map(Note::NoBetter).collect();
            return Ok((evidence, notes));
        }
        self.of_classes(fitted, &target.labels()?)
    }

    /// The score of the search, if there was one.
    fn searched(&self, score: &str, constant: f64) -> Option<Evidence> {
        let search = self.search?;
        let value = search.trials.get(search.best?)?.mean()?;
        let scored = Scored::CrossValidation;
        Some(Evidence { score: score.to_string(), value, constant, scored })
    }

    fn of_numbers(&self, fitted: &Fitted, truth: &[f64]) -> Result<Option<Evidence>, Error> {
        let all: Vec<usize> = (0..truth.len()).collect();
        let evidence =
            |value: f64, scored| Evidence {
                score: "R²".to_string(), value, constant: 0.0, scored
            };
        if let Some(found) = self.searched("R²", 0.0) {
            return Ok(Some(found));
        }
        if let Some((error, scored)) = self.estimated {
            let variance = self.variance(truth, &all);
            return Ok((variance > 0.0).then(|| evidence(1.0 - error / variance, scored)));
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
        Ok((variance > 0.0).then(|| evidence(value, Scored::TrainingRows)))
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
        // That of the sample is compared with a constant answer for the sample.
        let evidence = self.searched("accuracy", most / total).unwrap_or_else(|| Evidence {
            score: "accuracy".to_string(),
            value: hits / all,
            constant: constant / all,
            scored: Scored::TrainingRows,
        });
        let mut notes = self.few_rows(&members);
        match answers.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => {
                notes.push(Note::SameClass { class: first.clone() });
            }
            _ if evidence.is_idle() => notes.push(Note::NoBetter(evidence.clone())),
            _ => {}
        }
        notes.extend(self.rare_class(fitted, &members, (truth.len(), total))?);
        Ok((Some(evidence), notes))
    }

    /// Classes with fewer rows than the search has folds.
    fn few_rows(&self, members: &BTreeMap<&String, (Vec<usize>, f64)>) -> Vec<Note> {
        let Some(folds) = self.training.folds.filter(|_| self.training.groups.is_none()) else {
            return Vec::new();
        };
        let few = members.iter().filter(|(_, (rows, _))| rows.len() < folds);
        few.map(|(class, (rows, _))| {
            let (class, rows) = ((*class).clone(), rows.len());
            Note::FewRows { class, rows, folds }
        })
        .collect()
    }

    /// The rarest class, if it is far behind the others and the model does not find it.
    fn rare_class(
        &self,
        fitted: &Fitted,
        members: &BTreeMap<&String, (Vec<usize>, f64)>,
        (of, total): (usize, f64),
    ) -> Result<Option<Note>, Error> {
        let set = self.training.settings.iter().any(|(name, _)| name == "class_weights");
        let rarest = members.iter().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let Some((class, (rows, weight))) = rarest.filter(|_| !set) else { return Ok(None) };
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
        Ok((found < FOUND).then_some(Note::RareClass { class, rows, of, found }))
    }

    fn most(&self) -> usize {
        (VALUES / self.rows.len().max(1)).clamp(FEWEST, MOST)
    }

    fn select(&self, sample: &[usize]) -> Rows {
        sample.iter().map(|&i| self.rows[i].clone()).collect()
    }
}

impl Evidence {
    /// True if a constant answer does as well.
    fn is_idle(&self) -> bool {
        self.value <= self.constant
    }
}

/// At most so many of these, at equal distances.
fn spread(all: &[usize], most: usize) -> Vec<usize> {
    all.iter().copied().step_by(all.len().div_ceil(most).max(1)).collect()
}

/// The rows of positive weight of a table, unless that is all of them or none.
pub(crate) fn weighty(values: &Values) -> Option<Vec<usize>> {
    let Values::Numbers(weights) = values else { return None };
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    (!used.is_empty() && used.len() < weights.len()).then_some(used)
}
