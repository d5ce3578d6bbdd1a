//! Mistakes of a perceptron: their margins and directions, and passes over the points until a pass
//! makes none.
//!
//! The margin of a point is the value of the output that an update would increase, minus that of
//! the output that it would decrease. A point whose margin is not positive is a mistake. With more
//! than two classes, an update increases the output of the correct class and decreases that of its
//! rival (Crammer & Singer).

use super::rosenblatt_perceptron::{Order, PerceptronOptions};
use crate::{Error, Progress, Run, Status};
use kern_core::Scalar;
use kern_gram::GramOperator;
use kern_gram::numerics::arithmetic::finite_diagonal;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// The training points of a pass, with their classes and weights.
pub(super) struct Lesson<'a> {
    /// The training points, as a range of the points of the operator.
    pub(super) points: Range<usize>,
    /// The class of each training point.
    pub(super) classes: &'a [usize],
    /// β of all points of the operator, unless all are 1.
    pub(super) weights: Option<&'a [f64]>,
    /// The number of functions (outputs).
    pub(super) outputs: usize,
    pub(super) options: &'a PerceptronOptions,
}

impl Lesson<'_> {
    /// The direction and the margin of point `i`, where the functions have the values `f`.
    pub(super) fn judge(&self, i: usize, f: &[f64]) -> Result<(Direction, f64), Error> {
        let direction = Direction::new(f, self.classes[i - self.points.start]);
        let margin = direction.along(f);
        // The difference of finite values may overflow.
        let numbers = f.iter().copied().chain([margin]).enumerate();
        if let Some((col, given)) = numbers.into_iter().find(|(_, f)| !f.is_finite()) {
            return Err(kern_gram::Error::ProductNotFinite { row: i, col, given }.into());
        }
        Ok((direction, margin))
    }

    /// β of point `i`.
    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// βᵢβⱼ(K + offset) for two points with the kernel value K: the kernel of their weighted
    /// features.
    pub(super) fn weighted<T: Scalar>(&self, k: T, (i, j): (usize, usize)) -> f64 {
        let k = k.to_f64() + self.options.offset();
        self.weights.map_or(k, |weights| k * weights[i] * weights[j])
    }

    /// The weighted kernel values of all points with themselves.
    pub(super) fn diagonal<T: Scalar>(
        &self,
        gram: &dyn GramOperator<T>,
    ) -> Result<Vec<f64>, Error> {
        let own = gram.diag().into_iter().enumerate();
        Ok(finite_diagonal(own.map(|(i, k)| self.weighted(k, (i, i))))?)
    }
}

/// The outputs that an update increases and decreases. With two classes the only output increases
/// or decreases; with more classes that of the correct class increases, and that of its rival
/// decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    rising: Option<usize>,
    falling: Option<usize>,
}

impl Direction {
    /// The direction for a point of this class, where the functions have the values `f`.
    fn new(f: &[f64], class: usize) -> Self {
        if f.len() == 1 {
            let right = class == 1;
            return Self { rising: right.then_some(0), falling: (!right).then_some(0) };
        }
        let mut rival = usize::from(class == 0);
        for c in rival + 1..f.len() {
            if c != class && f[c] > f[rival] {
                rival = c;
            }
        }
        Self { rising: Some(class), falling: Some(rival) }
    }

    /// The direction of the update that produced these coefficients.
    pub(super) fn of(coefficients: &[f64]) -> Self {
        let rising = coefficients.iter().position(|&a| a > 0.0);
        Self { rising, falling: coefficients.iter().position(|&a| a < 0.0) }
    }

    /// The margin: the value of the increasing output minus that of the decreasing one.
    pub(super) fn along(self, f: &[f64]) -> f64 {
        let value = |output: Option<usize>| output.map_or(0.0, |k| f[k]);
        value(self.rising) - value(self.falling)
    }

    /// The updated outputs with their signs.
    pub(super) fn signs(self) -> impl Iterator<Item = (usize, f64)> {
        let rising = self.rising.into_iter().map(|k| (k, 1.0));
        rising.chain(self.falling.into_iter().map(|k| (k, -1.0)))
    }

    /// The squared length: the number of updated outputs.
    pub(super) fn squared_length(self) -> f64 {
        f64::from(u8::from(self.rising.is_some()) + u8::from(self.falling.is_some()))
    }
}

/// The outcome of several passes.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) status: Status,
    /// The number of mistakes in each pass.
    pub(super) mistakes: Vec<usize>,
    /// The number of points that each pass visits.
    pub(super) visits: usize,
}

/// A perceptron that can be trained by passes over points.
pub(super) trait Visitor {
    /// Visits the points in this order, and returns the number of mistakes.
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error>;
}

/// Makes passes until one is free of mistakes, the limit is reached, or the observer stops the fit.
pub(super) fn pass_by_pass(
    visitor: &mut dyn Visitor,
    lesson: &Lesson<'_>,
    run: &mut Run<'_>,
) -> Result<Ended, Error> {
    let &PerceptronOptions { max_iterations: total, order: visits, seed, .. } = lesson.options;
    let mut order: Vec<usize> = lesson.points.clone().collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut mistakes = Vec::new();
    loop {
        if visits == Order::Shuffled {
            order.shuffle(&mut rng);
        }
        let made = visitor.pass(&order)?;
        mistakes.push(made);
        let loss = made as f64 / order.len() as f64;
        let stopped = run.observe(&Progress::new(mistakes.len(), total, loss)).is_break();
        let status = if made == 0 {
            Status::Converged
        } else if stopped {
            Status::Stopped
        } else if mistakes.len() == total {
            Status::IterationsDone
        } else {
            continue;
        };
        return Ok(Ended { status, mistakes, visits: order.len() });
    }
}
