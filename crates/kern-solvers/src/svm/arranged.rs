//! The training points in the order of a fit, and the dual problems on them.

use super::dual_problem::{
    Coupling, Dual, Reading, ball, bound, region, regression, restrict, whole,
};
use super::kernel_columns::Sizes;
use super::training::{Formulation, Goal, Tube};
use crate::classes::pairs_of_classes;
use crate::{Error, MultiClass};
use kern_approx::statistics::check_weights;
use kern_core::{Points, Scalar};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// The points with positive weight, in the order of a fit.
pub(super) struct Arranged {
    /// Their indices among all points.
    pub(super) order: Vec<usize>,
    /// Their weights.
    weights: Vec<f64>,
    /// Their classes; empty without classes.
    class_of: Vec<usize>,
    /// The row ranges of each class.
    classes: Vec<Vec<Range<usize>>>,
}

impl Arranged {
    /// Sorts points by class, so that each pair of classes covers few contiguous row ranges.
    pub(super) fn by_class<T>(
        goal: &Goal<'_, T>,
        n: usize,
        weights: Option<&[f64]>,
    ) -> Result<Self, Error> {
        let mut order = used(n, weights)?;
        if let Goal::Classes { labels, .. } = goal {
            order.sort_by_key(|&i| labels[i]);
        }
        Ok(Self::in_order(order, goal, weights))
    }

    /// Shuffles the points, so that a block contains points of all classes.
    pub(super) fn shuffled<T>(
        goal: &Goal<'_, T>,
        n: usize,
        weights: Option<&[f64]>,
        seed: u64,
    ) -> Result<Self, Error> {
        let mut order = used(n, weights)?;
        // The other streams of this seed belong to the problems.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::MAX);
        order.shuffle(&mut rng);
        Ok(Self::in_order(order, goal, weights))
    }

    fn in_order<T>(order: Vec<usize>, goal: &Goal<'_, T>, weights: Option<&[f64]>) -> Self {
        let weight = |&i: &usize| weights.map_or(1.0, |weights| weights[i]);
        let weights = order.iter().map(weight).collect();
        let Goal::Classes { labels, classes, .. } = goal else {
            return Self { weights, order, class_of: Vec::new(), classes: Vec::new() };
        };
        let class_of: Vec<usize> = order.iter().map(|&i| labels[i]).collect();
        let mut classes = vec![Vec::new(); *classes];
        let mut start = 0;
        for run in class_of.chunk_by(|a, b| a == b) {
            classes[run[0]].push(start..start + run.len());
            start += run.len();
        }
        Self { weights, order, class_of, classes }
    }

    /// The sizes of the problems, if `models` sets of solutions are kept.
    pub(super) fn sizes<T>(&self, goal: &Goal<'_, T>, models: usize) -> Sizes {
        let points = self.order.len();
        let (variables, largest, functions) = match goal {
            Goal::Classes { multi_class, .. } => self.class_sizes(*multi_class),
            Goal::Values { targets, tube, .. } => {
                let each = if matches!(tube, Tube::Nu(_)) { 2 * points } else { points };
                (each.saturating_mul(targets.ncols()), each, targets.ncols())
            }
            Goal::Region { .. } | Goal::Ball { .. } => (points, points, 1),
        };
        Sizes { points, variables, largest, functions, models }
    }

    fn class_sizes(&self, multi_class: MultiClass) -> (usize, usize, usize) {
        let (points, classes) = (self.order.len(), self.classes.len());
        let of_class = |class: &Vec<Range<usize>>| class.iter().map(Range::len).sum::<usize>();
        let mut counts: Vec<usize> = self.classes.iter().map(of_class).collect();
        counts.sort_unstable();
        match (classes, multi_class) {
            (2, _) => (points, points, 1),
            (_, MultiClass::OneVsOne) => {
                let largest = counts.iter().rev().take(2).sum();
                (points * (classes - 1), largest, classes * (classes - 1) / 2)
            }
            _ => (points * classes, points, classes),
        }
    }

    /// The dual problems, one for each function.
    ///
    /// # Errors
    /// [`Error::Range`] if C times a weight overflows; [`Error::Nu`] if ν is too large for a pair
    /// of classes.
    pub(super) fn duals<T: Scalar>(
        &self,
        goal: &Goal<'_, T>,
        intercept: bool,
    ) -> Result<Vec<Dual>, Error> {
        match *goal {
            Goal::Classes { multi_class, formulation, .. } => {
                self.binaries(multi_class, formulation, intercept)
            }
            Goal::Values { targets, c, tube } => {
                let of = |output: usize| {
                    let values = self.order.iter().map(|&i| targets[(i, output)].to_f64());
                    regression(values.collect(), &self.weights, c, tube, intercept)
                };
                (0..targets.ncols()).map(of).collect()
            }
            Goal::Region { nu } => Ok(vec![region(&self.weights, nu)?]),
            Goal::Ball { nu } => Ok(vec![ball(&self.weights, nu)?]),
        }
    }

    fn binaries(
        &self,
        multi_class: MultiClass,
        formulation: Formulation,
        intercept: bool,
    ) -> Result<Vec<Dual>, Error> {
        let c = formulation.penalty();
        bound(c, self.weights.iter().copied().fold(0.0, f64::max))?;
        let classes = self.classes.len();
        let binaries: Vec<(Option<usize>, usize)> = match (classes, multi_class) {
            (2, _) => vec![(None, 1)],
            (_, MultiClass::OneVsOne) => {
                pairs_of_classes(classes).map(|(a, b)| (Some(a), b)).collect()
            }
            _ => (0..classes).map(|second| (None, second)).collect(),
        };
        let dual = |&(first, second): &(Option<usize>, usize)| {
            let mut dual = self.binary(first, second, c, intercept);
            match formulation {
                Formulation::Nu(nu) => restrict(&mut dual, nu).map(|()| dual),
                _ => Ok(dual),
            }
        };
        binaries.iter().map(dual).collect()
    }

    /// The binary problem of class `first` (all other classes if `None`) against class `second`.
    fn binary(&self, first: Option<usize>, second: usize, c: f64, intercept: bool) -> Dual {
        let segments = match first {
            Some(first) => [&*self.classes[first], &*self.classes[second]].concat(),
            None => whole(self.order.len()),
        };
        let sign = |row: usize| if self.class_of[row] == second { 1.0 } else { -1.0 };
        let rows: Vec<usize> = segments.iter().cloned().flatten().collect();
        let bounds = || rows.iter().map(|&row| sign(row) * (c * self.weights[row]));
        Dual {
            linear: rows.iter().map(|&row| sign(row)).collect(),
            lower: bounds().map(|b| b.min(0.0)).collect(),
            upper: bounds().map(|b| b.max(0.0)).collect(),
            start: vec![0.0; rows.len()],
            segments,
            epsilon: 0.0,
            coupling: if intercept { Coupling::Sum } else { Coupling::Free },
            reading: Reading::Plain,
        }
    }
}

/// The indices of the points with positive weight, in ascending order.
fn used(n: usize, weights: Option<&[f64]>) -> Result<Vec<usize>, Error> {
    if n == 0 {
        return Err(Error::Empty);
    }
    let Some(weights) = weights else {
        return Ok((0..n).collect());
    };
    check_weights(n, weights)?;
    Ok((0..n).filter(|&i| weights[i] > 0.0).collect())
}

/// The training points: the given collection, or a reordered copy of a selection.
pub(super) enum Chosen<'a, P> {
    All(&'a P),
    Some(P),
}

impl<'a, P: Points> Chosen<'a, P> {
    /// The points with these indices.
    pub(super) fn new(points: &'a P, order: &[usize]) -> Result<Self, Error> {
        Ok(match is_identity(order, points.len()) {
            true => Self::All(points),
            false => Self::Some(points.select(order)?),
        })
    }

    pub(super) fn get(&self) -> &P {
        match self {
            Self::All(points) => points,
            Self::Some(points) => points,
        }
    }
}

/// The bytes of the copy that [`Chosen::new`] makes.
pub(super) fn copied_bytes<P: Points>(points: &P, order: &[usize]) -> u64 {
    if is_identity(order, points.len()) { 0 } else { points.bytes() }
}

fn is_identity(order: &[usize], n: usize) -> bool {
    order.len() == n && order.iter().enumerate().all(|(place, &i)| place == i)
}
