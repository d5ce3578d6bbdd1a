//! Passes over the points, however a point is visited.

use super::direction::Direction;
use super::params::{Order, Settings};
use crate::arithmetic::finite_diagonal;
use crate::{Error, Observer, Progress, Status};
use kern_core::Scalar;
use kern_gram::GramOperator;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// What is learned.
pub(super) struct Task<'a> {
    /// The points that are visited, among those at hand.
    pub(super) points: Range<usize>,
    /// The class of each.
    pub(super) classes: &'a [usize],
    pub(super) outputs: usize,
    pub(super) settings: &'a Settings,
}

impl Task<'_> {
    /// Where the functions have the values `f` at point `i`: the direction and the margin.
    pub(super) fn judge(&self, i: usize, f: &[f64]) -> Result<(Direction, f64), Error> {
        let direction = Direction::new(f, self.classes[i - self.points.start]);
        let margin = direction.along(f);
        // A difference of finite values may overflow, too.
        let numbers = f.iter().copied().chain([margin]).enumerate();
        if let Some((col, given)) = numbers.into_iter().find(|(_, f)| !f.is_finite()) {
            return Err(kern_gram::Error::ProductNotFinite { row: i, col, given }.into());
        }
        Ok((direction, margin))
    }
}

/// One that learns from points, in an order.
pub(super) trait Learner {
    /// Visits the points; says how many were mistakes.
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error>;
}

/// Passes until one is without mistakes, all are done, or the observer has seen enough: how it ended, and the mistakes
/// of each.
pub(super) fn run(
    learner: &mut dyn Learner,
    task: &Task<'_>,
    mut observer: Option<&mut dyn Observer>,
) -> Result<(Status, Vec<usize>), Error> {
    let Settings { max_passes, order: visits, seed, .. } = *task.settings;
    let mut order: Vec<usize> = task.points.clone().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut mistakes = Vec::new();
    loop {
        if visits == Order::Shuffled {
            order.shuffle(&mut rng);
        }
        let made = learner.pass(&order)?;
        mistakes.push(made);
        let loss = made as f64 / order.len() as f64;
        let progress = Progress { iteration: mistakes.len(), total: max_passes, loss };
        let stopped = observer.as_mut().is_some_and(|o| o.observe(&progress).is_break());
        if made == 0 {
            return Ok((Status::Converged, mistakes));
        } else if stopped {
            return Ok((Status::Stopped, mistakes));
        } else if mistakes.len() == max_passes {
            return Ok((Status::IterationsDone, mistakes));
        }
    }
}

/// K(x, x) + offset of all points.
pub(super) fn diagonal<T: Scalar>(
    gram: &dyn GramOperator<T>,
    offset: f64,
) -> Result<Vec<f64>, Error> {
    finite_diagonal(gram.diag().into_iter().map(|k| k.to_f64() + offset))
}
