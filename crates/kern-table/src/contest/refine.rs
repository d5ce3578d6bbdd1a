//! Variations of the best candidates, for as long as there is time and they help.

use super::candidates::{Candidate, View};
use super::race::{End, Race, Round, sort};
use super::trial::Entrant;
use crate::Method;
use crate::fitted::Shape;
use crate::kernel::on_all_columns;
use kern_core::parameters::Setting;
use kern_solvers::{Progress, Run};

/// The candidates that are varied: the best ones.
const PARENTS: usize = 3;

/// Variations in a row that may be no better.
const PATIENCE: usize = 16;

/// A variation is better if its loss is lower by this share.
const GAIN: f64 = 1e-3;

/// The kernels of numeric columns that replace each other.
const KERNELS: [&str; 6] =
    ["rbf", "laplacian", "exponential", "matern32", "matern52", "rational_quadratic"];

/// Landmarks, at most.
const MOST_LANDMARKS: usize = 4000;

impl Race<'_> {
    /// Tries variations of the best candidates on the last rounds. The candidates are sorted before
    /// and after.
    pub(super) fn refine(
        &self,
        running: &mut Vec<Entrant>,
        rounds: &mut [Round],
        run: &mut Run<'_>,
    ) -> End {
        let rows = rounds.first().map_or(0, |round| round.part.len());
        let (at_once, memory) = self.at_once(rows);
        let race = Race { memory, ..*self };
        let cost = rounds.len() as f64;
        let mut seen: Vec<Candidate> =
            running.iter().map(|entrant| entrant.candidate.clone()).collect();
        let mut idle = 0;
        let mut is_late = false;
        while idle < PATIENCE {
            let left = self.remaining().map(|left| left.as_secs_f64() - self.refits(running));
            let mut next: Vec<Entrant> = Vec::new();
            'parents: for parent in running.iter().take(PARENTS).filter(|e| e.held.is_some()) {
                for candidate in self.variations(&parent.candidate) {
                    if next.len() == at_once {
                        break 'parents;
                    }
                    if seen.contains(&candidate) {
                        continue;
                    }
                    seen.push(candidate.clone());
                    let varied = parent.varied(candidate);
                    match left {
                        Some(left) if cost * varied.predicted(rows) >= left => {
                            is_late = true;
                        }
                        _ => next.push(varied),
                    }
                }
            }
            if next.is_empty() {
                return if is_late { End::Late } else { End::Settled };
            }
            for entrant in &next {
                let end = race.end_of_metric(rounds.len(), 1);
                for round in rounds.iter_mut() {
                    // A view that cannot be had is a failure of its candidate.
                    let _without = race.look(&mut round.part, entrant.candidate.view, end);
                }
            }
            let best = running.first().map_or(f64::INFINITY, |best| best.loss);
            let tried = race.tried_at_once(next, rounds, true);
            let found = tried.iter().map(|entrant| entrant.loss).fold(f64::INFINITY, f64::min);
            idle = if found < (1.0 - GAIN) * best { 0 } else { idle + tried.len() };
            running.extend(tried);
            sort(running);
            let progress = Progress::new(
                seen.len(),
                seen.len() + PATIENCE - idle.min(PATIENCE),
                best.min(found),
            );
            if run.observe(&progress).is_break() || self.is_late() {
                return End::Late;
            }
        }
        End::Settled
    }

    /// Candidates that differ from this one in one setting, the most promising first.
    fn variations(&self, candidate: &Candidate) -> Vec<Candidate> {
        let (schema, training) = (self.columns.schema, self.training);
        let mut all = Vec::new();
        let scaled =
            |factor: f64| Candidate { scale: factor * candidate.scale, ..candidate.clone() };
        let with = |setting| Candidate { setting: Some(setting), ..candidate.clone() };
        let of_setting = |factor: f64| match &candidate.setting {
            Some((name, Setting::Real(value))) => {
                Some(with((*name, Setting::Real(factor * value))))
            }
            Some((name, Setting::Count(k))) => {
                let k = (factor.sqrt() * *k as f64).round().max(1.0);
                Some(with((*name, Setting::Count(k as u64))))
            }
            _ if candidate.method == Method::Ridge => {
                let relative_lambda = factor * candidate.relative_lambda;
                Some(Candidate { relative_lambda, ..candidate.clone() })
            }
            _ => None,
        };
        let is_scaled = candidate.method != Method::Neighbors;
        for (of_penalty, of_scale) in [(0.3, 0.5), (3.0, 2.0)] {
            all.extend(of_setting(of_penalty));
            all.extend(is_scaled.then(|| scaled(of_scale)));
        }
        let View { shape, has_metric } = candidate.view;
        let other = if shape == Shape::Plain { Shape::Ranks } else { Shape::Plain };
        for view in [View { shape, has_metric: !has_metric }, View { shape: other, has_metric }] {
            if view.suits(schema, self.goal) {
                all.push(Candidate { view, ..candidate.clone() });
            }
        }
        let has_numbers = schema.numbers().next().is_some();
        if training.kernel.is_none() && has_numbers && is_scaled {
            for kernel in KERNELS.map(|name| on_all_columns(schema, name)) {
                all.push(Candidate { kernel, ..candidate.clone() });
            }
        }
        if self.goal.suits_logarithms() && candidate.method == Method::Ridge {
            let has_logarithms = !candidate.has_logarithms;
            all.push(Candidate { has_logarithms, ..candidate.clone() });
        }
        let rows = self.columns.rows.len();
        if candidate.landmarks(rows).is_some_and(|landmarks| 2 * landmarks <= MOST_LANDMARKS) {
            all.push(Candidate { landmarks: 2 * candidate.landmarks, ..candidate.clone() });
        }
        for factor in [0.7, 1.4] {
            all.extend(is_scaled.then(|| scaled(factor)));
        }
        all
    }
}
