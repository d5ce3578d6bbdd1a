//! The rows of a fit, in the views that candidates take of them.

use super::candidates::View;
use super::race::Race;
use super::relevance;
use crate::fitted::ColumnMap;
use crate::table_fit::weighted;
use crate::{Error, Prepare, Rows};
use kern_solvers::{Learner, Run, Transformer};
use std::collections::BTreeMap;

/// The rows of a fit.
pub(super) struct Part {
    pub(super) places: Vec<usize>,
    pub(super) weights: Option<Vec<f64>>,
    rows: Rows,
    /// The views that were needed so far; without the metrics that could not be learned.
    views: BTreeMap<View, Viewed>,
}

/// The rows in a view.
pub(super) struct Viewed {
    pub(super) map: ColumnMap,
    /// With mapped columns.
    pub(super) rows: Rows,
    pub(super) prepare: Prepare,
    /// The mapped rows, prepared.
    pub(super) ready: Rows,
}

impl Part {
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn view(&self, view: View) -> Result<&Viewed, Error> {
        self.views.get(&view).ok_or(Error::NotHere("no metric was learned"))
    }
}

impl Race<'_> {
    /// The rows with these indices, without a view.
    pub(super) fn part(&self, places: Vec<usize>) -> Part {
        let rows: Rows = places.iter().map(|&i| self.columns.rows[i].clone()).collect();
        let weight = |weights: &[f64]| places.iter().map(|&i| weights[i]).collect();
        let weights = self.columns.weights.map(weight);
        Part { places, weights, rows, views: BTreeMap::new() }
    }

    /// Adds a view to a part, unless it is there.
    pub(super) fn look(&self, part: &mut Part, view: View) -> Result<(), Error> {
        if part.views.contains_key(&view) {
            return Ok(());
        }
        let plain = View { has_metric: false, ..view };
        if view.has_metric {
            self.look(part, plain)?;
        }
        let prepare = Prepare::new().standardized(self.training.standardized);
        let (map, rows, prepare) = match part.views.get(&plain) {
            None => {
                let map = ColumnMap::learn(view.shape, &part.rows);
                let rows = map.transform(&part.rows);
                (map, rows, prepare)
            }
            Some(Viewed { map, rows, ready, .. }) => {
                let (limits, seed) = ((self.memory, self.end), self.training.seed);
                let known = (ready, part.places.as_slice());
                let factors =
                    relevance::factors(self.columns.schema, self.goal, known, limits, seed);
                // Without a metric its candidates fail, and the others compete on.
                let Ok(factors) = factors else { return Ok(()) };
                (map.clone(), rows.clone(), prepare.stretched(factors))
            }
        };
        let data = weighted(&rows, part.weights.as_deref())?;
        let ready = prepare.learn(&data, &mut Run::new())?.transform(&rows)?;
        part.views.insert(view, Viewed { map, rows, prepare, ready });
        Ok(())
    }
}
