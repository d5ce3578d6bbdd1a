//! Variables that want to stay at their bounds are left out for a while: a round whose set is all others, solved
//! by the same rounds on the columns of their points alone.
//!
//! Those columns are shorter by what is left out, and more of them stay in memory. Afterwards the gradient of all
//! variables learns of the changes as after any round, so nothing is ever taken for granted. Joachims (1999) left out
//! variables by how long they were optimal; Chang & Lin (2011), section 5.1, by the rule used here.

use super::{Control, State};
use crate::svm::certificate::Range;
use crate::svm::working_set;
use crate::{Error, Status, tolerance};
use kern_core::Scalar;

/// Rounds before variables are left out.
pub(super) const EVERY: usize = 16;
/// The greatest share of variables that may be left for it to be worth the work.
const MOST_LEFT: f64 = 0.75;

impl<T: Scalar> State<'_, T> {
    /// Solves for the variables that may want to move, if they are few; how that ended.
    pub(super) fn shrink(
        &mut self,
        ranges: &[Range],
        violation: f64,
        control: &mut Control<'_>,
    ) -> Result<Option<Status>, Error> {
        // The margin that is left of a hard one is that of all points.
        if !control.shrinking || self.problem.is_hard() || self.rounds < self.next_shrinking {
            return Ok(None);
        }
        self.next_shrinking = self.rounds + EVERY;
        let active = working_set::active(self.problem, (&self.beta, &self.gradient), ranges);
        let most = MOST_LEFT * self.problem.len() as f64;
        if active.len() as f64 > most || active.len() <= self.block {
            return Ok(None);
        }
        let before = self.steps;
        let status = self.solve_for(&active, violation, control)?;
        // Where that is not possible, or leads nowhere, all variables stay.
        if status.is_none() || self.steps == before {
            self.next_shrinking = usize::MAX;
        }
        Ok(status.filter(|_| self.steps > before))
    }

    /// Minimises over some variables, if their columns are to be had.
    fn solve_for(
        &mut self,
        active: &[usize],
        violation: f64,
        control: &mut Control<'_>,
    ) -> Result<Option<Status>, Error> {
        let problem = self.problem.restricted(active, &self.beta);
        let rows: Vec<usize> = active.iter().map(|&v| self.rows[v]).collect();
        let gradient: Vec<f64> = active.iter().map(|&v| self.gradient[v]).collect();
        let (value, steps, rounds) = (self.value, self.steps, self.rounds);
        let mut found = None;
        self.columns.narrowed(&rows, &mut |columns| {
            let state = State::at(columns, &problem, gradient.clone())?;
            let next_shrinking = rounds + EVERY;
            let mut state = State { value, steps, rounds, next_shrinking, ..state };
            let mut control = Control {
                tolerance: control.tolerance.max(tolerance::INNER_SHARE * violation),
                relative_gap: None,
                max_iterations: control.max_iterations,
                shrinking: control.shrinking,
                observer: control.observer.as_mut().map(|observer| &mut **observer as _),
            };
            let status = state.run(&mut control)?;
            found = Some((status, state.beta, state.value, state.steps, state.rounds));
            Ok(())
        })?;
        let Some((status, beta, value, steps, rounds)) = found else { return Ok(None) };
        (self.value, self.steps, self.rounds) = (value, steps, rounds);
        let (mut changed, mut by) = (Vec::new(), Vec::new());
        for (&v, &new) in active.iter().zip(&beta) {
            if new != self.beta[v] {
                changed.push(v);
                by.push(new - self.beta[v]);
                self.beta[v] = new;
            }
        }
        self.learn(&changed, &by)?;
        Ok(Some(status))
    }
}
