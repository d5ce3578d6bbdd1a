//! Evaluation of a fit: its score next to that of a constant prediction, and notes for the user.

use crate::evidence::{Evidence, Note, Scored};
use crate::fitted::Fitted;
use crate::{Answers, Error, Rows, Search, Task, Training};
use kern_data::{Column, Values};
use std::collections::BTreeMap;

/// Limit on kernel evaluations for a score on training rows, and the bounds on the number of these
/// rows.
const VALUES: usize = 4_000_000;
const FEWEST: usize = 100;
const MOST: usize = 2000;

/// A class is rare below this fraction of the size it would have if all classes were equally large.
const RARE: f64 = 0.2;

/// The recall of a rare class from which on no note is given.
const FOUND: f64 = 0.9;

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
        Some(Evidence { score: score.to_string(), value, constant, scored })
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
