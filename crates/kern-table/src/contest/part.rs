//! The rows of a fit, in the views that candidates take of them.

use super::candidates::View;
use super::race::Race;
use super::relevance;
use crate::fitted::{ColumnMap, Shape};
use crate::table_fit::weighted;
use crate::{Error, Prepare, Rows};
use kern_solvers::{Learner, Run, Transformer};
use std::collections::BTreeMap;
use std::time::Duration;
use web_time::Instant;

/// The view that metrics are learned in.
const RANKS: View = View { shape: Shape::Ranks, has_metric: false };

/// The rows of a fit, and those that it is tested on.
pub(super) struct Part {
    pub(super) places: Vec<usize>,
    pub(super) weights: Option<Vec<f64>>,
    rows: Rows,
    test_rows: Rows,
    /// The maps that were needed so far.
    mapped: BTreeMap<Shape, Mapped>,
    /// The views that were needed so far; without the metrics that could not be learned.
    views: BTreeMap<View, Viewed>,
    /// The factors of the columns by the learned metric, once they were needed; none if they could
    /// not be learned.
    factors: Option<Option<Vec<f64>>>,
}

/// The rows with mapped columns.
pub(super) struct Mapped {
    pub(super) map: ColumnMap,
    pub(super) rows: Rows,
    pub(super) test_rows: Rows,
}

/// The mapped rows in a view.
pub(super) struct Viewed {
    pub(super) prepare: Prepare,
    /// Prepared.
    pub(super) ready: Rows,
}

impl Part {
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    /// The factors of the columns by the metric, if one was learned.
    pub(super) fn learned_factors(&self) -> Option<Vec<f64>> {
        self.factors.clone().flatten()
    }

    pub(super) fn mapped(&self, shape: Shape) -> Result<&Mapped, Error> {
        self.mapped.get(&shape).ok_or(Error::NotHere("the columns were not mapped"))
    }

    pub(super) fn view(&self, view: View) -> Result<&Viewed, Error> {
        self.views.get(&view).ok_or(Error::NotHere("no metric was learned"))
    }
}

impl Race<'_> {
    /// The rows with these indices, and those to test on, without a view.
    pub(super) fn part(&self, places: Vec<usize>, test: &[usize]) -> Part {
        let at = |places: &[usize]| places.iter().map(|&i| self.columns.rows[i].clone()).collect();
        let (rows, test_rows) = (at(&places), at(test));
        let weight = |weights: &[f64]| places.iter().map(|&i| weights[i]).collect();
        let weights = self.columns.weights.map(weight);
        let (mapped, views) = (BTreeMap::new(), BTreeMap::new());
        Part { places, weights, rows, test_rows, mapped, views, factors: None }
    }

    /// Adds a view to a part, unless it is there. A metric is learned until `end` at the latest.
    pub(super) fn look(
        &self,
        part: &mut Part,
        view: View,
        end: Option<Instant>,
    ) -> Result<(), Error> {
        if part.views.contains_key(&view) {
            return Ok(());
        }
        let mut prepare = Prepare::new().standardized(self.training.standardized);
        if view.has_metric {
            // Without a metric its candidates fail, and the others compete on.
            let Some(factors) = self.factors(part, end)? else { return Ok(()) };
            prepare = prepare.stretched(factors);
        }
        let Mapped { rows, .. } = part.mapped.entry(view.shape).or_insert_with(|| {
            let map = ColumnMap::learn(view.shape, &part.rows);
            let (rows, test_rows) = (map.transform(&part.rows), map.transform(&part.test_rows));
            Mapped { map, rows, test_rows }
        });
        let data = weighted(rows, part.weights.as_deref())?;
        let ready = prepare.learn(&data, &mut Run::new())?.transform(rows)?;
        part.views.insert(view, Viewed { prepare, ready });
        Ok(())
    }

    /// All rows, in these views. Their metric is the geometric mean of those that were tested, if
    /// these have as many columns.
    pub(super) fn all_rows(&self, views: &[View], factors: &[Vec<f64>]) -> Result<Part, Error> {
        let race = self.without_end();
        let mut part = race.part((0..self.columns.rows.len()).collect(), &[]);
        race.look(&mut part, RANKS, None)?;
        let width = part.mapped(RANKS.shape)?.map.output_width();
        let known: Vec<_> = factors.iter().filter(|factors| factors.len() == width).collect();
        if !known.is_empty() {
            let mean = |k: usize| known.iter().map(|factors| factors[k].ln()).sum::<f64>();
            let mean = |k: usize| (mean(k) / known.len() as f64).exp();
            part.factors = Some(Some((0..width).map(mean).collect()));
        }
        views.iter().try_for_each(|&view| race.look(&mut part, view, None))?;
        Ok(part)
    }

    /// The factors of the columns by the metric of a part, which is learned once, from ranks: they
    /// are not stretched by heavy tails.
    fn factors(&self, part: &mut Part, end: Option<Instant>) -> Result<Option<Vec<f64>>, Error> {
        if let Some(factors) = &part.factors {
            return Ok(factors.clone());
        }
        self.look(part, RANKS, end)?;
        let (schema, seed) = (self.columns.schema, self.training.seed);
        let known = (&part.view(RANKS)?.ready, part.places.as_slice());
        let factors = relevance::factors(schema, self.goal, known, (self.memory, end), seed).ok();
        part.factors = Some(factors.clone());
        Ok(factors)
    }

    /// The end of the search for one of several metrics in this many rounds: together they take a
    /// quarter of the remaining time.
    pub(super) fn end_of_metric(&self, metrics: usize, rounds: usize) -> Option<Instant> {
        /// The share of the remaining time.
        const SHARE: f64 = 0.25;
        let seconds = SHARE * self.remaining()?.as_secs_f64() / (metrics * rounds).max(1) as f64;
        Instant::now().checked_add(Duration::from_secs_f64(seconds))
    }
}
