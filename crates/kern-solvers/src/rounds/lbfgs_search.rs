//! L-BFGS for one group of functions, with one trial point per round, until the duality gap is
//! small enough.

use super::descent_certificate::Parts;
use crate::Error;
use faer::{Mat, MatRef};
use kern_core::serde_mat;
use serde::{Deserialize, Serialize};

/// The decrease of the objective along a step, relative to what its slope promises, below which the step is shortened (Nocedal &
/// Wright 2006, (3.4)).
const ROUNDS_PROGRESS: f64 = 1e-4;

/// The rise of the objective that is none, relative to it: sums of 10⁹ samples in blocks err by some hundred units.
const ROUNDS_ROUNDING: f64 = 1e-14;

/// The shortest step, relative to that of Newton's method in its metric: a shorter one is rounding.
const ROUNDS_STEP: f64 = 1e-8;

/// Maximum number of stored pairs of a step and the change of the gradient.
const PAIRS: usize = 20;

/// Fraction of the tolerated gap at which an estimate leads to the certificate.
const CAUTION: f64 = 0.5;

/// State of a search: the point reached, and the step that is tried.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Search {
    /// (D + 1) × functions.
    #[serde(with = "serde_mat")]
    at: Mat<f64>,
    #[serde(with = "serde_mat")]
    direction: Mat<f64>,
    step: f64,
    /// The objective at the point, once it has been evaluated.
    known: Option<Known>,
    pairs: Vec<Pair>,
    end: Option<End>,
    /// Fraction of the tolerance that an estimate must reach, reduced where a certificate was worse
    /// than its estimate.
    caution: f64,
    /// The certified gap.
    gap: Option<f64>,
}

/// The objective at a point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) value: f64,
    #[serde(with = "serde_mat")]
    pub(super) gradient: Mat<f64>,
    /// An estimate of the gap.
    pub(super) estimate: f64,
    pub(super) parts: Parts,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pair {
    #[serde(with = "serde_mat")]
    step: Mat<f64>,
    #[serde(with = "serde_mat")]
    change: Mat<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum End {
    Converged,
    Stalled,
}

impl Search {
    pub(super) fn new(at: Mat<f64>) -> Self {
        let direction = Mat::zeros(at.nrows(), at.ncols());
        Self {
            at,
            direction,
            step: 0.0,
            known: None,
            pairs: Vec::new(),
            end: None,
            caution: CAUTION,
            gap: None,
        }
    }

    /// True if all matrices have this shape, and sums this number of parts.
    pub(super) fn fits(&self, shape: (usize, usize), parts: usize) -> bool {
        let known = self.known.as_ref().is_none_or(|known| {
            known.gradient.shape() == shape && known.parts.fit((parts, shape.1))
        });
        let of_pair = |pair: &Pair| pair.step.shape() == shape && pair.change.shape() == shape;
        let points = self.at.shape() == shape && self.direction.shape() == shape;
        points && known && self.pairs.iter().all(of_pair)
    }

    pub(super) fn at(&self) -> MatRef<'_, f64> {
        self.at.as_ref()
    }

    /// The point to evaluate.
    pub(super) fn trial(&self) -> Mat<f64> {
        Mat::from_fn(self.at.nrows(), self.at.ncols(), |i, k| {
            self.at[(i, k)] + self.step * self.direction[(i, k)]
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.end.is_some()
    }

    pub(super) fn has_converged(&self) -> bool {
        self.end == Some(End::Converged)
    }

    pub(super) fn value(&self) -> Option<f64> {
        self.known.as_ref().map(|known| known.value)
    }

    /// The certified gap, or an estimate of it.
    pub(super) fn gap(&self) -> Option<f64> {
        self.gap.or(self.known.as_ref().map(|known| known.estimate))
    }

    pub(super) fn scales(&self) -> Vec<f64> {
        self.known.as_ref().map_or_else(Vec::new, |known| known.parts.scales())
    }

    /// Continues with the objective at the trial point: computes the next trial point, or ends the
    /// search. `tolerated` is the gap that ends it.
    pub(super) fn take(
        &mut self,
        known: Known,
        tolerated: f64,
        solve: impl FnMut(Mat<f64>) -> Result<Mat<f64>, Error>,
    ) -> Result<(), Error> {
        if let Some(before) = &self.known {
            let slope = dot(before.gradient.as_ref(), self.direction.as_ref());
            let wanted = ROUNDS_PROGRESS * self.step * slope;
            if known.value > before.value + wanted + ROUNDS_ROUNDING * before.value {
                self.shorten(known.value - before.value, slope);
                return Ok(());
            }
        }
        self.accept(known);
        // This is needed even at the end, because a certificate may continue the search.
        self.turn(solve)?;
        let estimate = self.known.as_ref().map_or(f64::INFINITY, |known| known.estimate);
        if estimate <= self.caution * tolerated {
            self.end = Some(End::Converged);
        }
        Ok(())
    }

    /// Shortens the step to the minimum of the interpolating parabola.
    fn shorten(&mut self, rise: f64, slope: f64) {
        let parabola = -0.5 * slope * self.step * self.step / (rise - slope * self.step);
        let range = (0.1 * self.step, 0.5 * self.step);
        self.step = if parabola.is_finite() { parabola.clamp(range.0, range.1) } else { range.0 };
        if self.step < ROUNDS_STEP {
            self.end = Some(End::Stalled);
        }
    }

    /// Moves to the trial point, and stores a pair.
    fn accept(&mut self, known: Known) {
        let trial = self.trial();
        if let Some(before) = &self.known {
            let pair = Pair { step: &trial - &self.at, change: &known.gradient - &before.gradient };
            // Convex functions have no negative curvature, but rounding errors may suggest one.
            let curvature = dot(pair.step.as_ref(), pair.change.as_ref());
            let size = dot(pair.change.as_ref(), pair.change.as_ref());
            if curvature > f64::EPSILON * size {
                self.pairs.push(pair);
            }
            if self.pairs.len() > PAIRS {
                self.pairs.remove(0);
            }
        }
        (self.at, self.known) = (trial, Some(known));
    }

    /// Computes the direction at the point by the two-loop recursion over the pairs.
    fn turn(
        &mut self,
        mut solve: impl FnMut(Mat<f64>) -> Result<Mat<f64>, Error>,
    ) -> Result<(), Error> {
        let Some(known) = &self.known else { return Ok(()) };
        let mut direction = known.gradient.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for Pair { step, change } in self.pairs.iter().rev() {
            let share =
                dot(step.as_ref(), direction.as_ref()) / dot(step.as_ref(), change.as_ref());
            add(&mut direction, -share, change.as_ref());
            shares.push(share);
        }
        direction = solve(direction)?;
        for (Pair { step, change }, share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back =
                dot(change.as_ref(), direction.as_ref()) / dot(step.as_ref(), change.as_ref());
            add(&mut direction, share - back, step.as_ref());
        }
        direction.col_iter_mut().for_each(|v| v.iter_mut().for_each(|v| *v = -*v));
        if dot(direction.as_ref(), known.gradient.as_ref()) >= 0.0 {
            self.end = Some(End::Stalled);
        }
        (self.direction, self.step) = (direction, 1.0);
        Ok(())
    }

    /// Computes the certified gap from `square`, ‖Σsβgz‖²/(2λn²); true if the search must continue.
    pub(super) fn certify(&mut self, square: f64, count: f64, tolerance: f64) -> bool {
        let Some(known) = &self.known else { return true };
        let gap = known.value + known.parts.conjugate(&known.parts.scales(), count) + square;
        self.gap = Some(gap.max(0.0));
        let is_closed = gap <= tolerance * known.value;
        match self.end {
            Some(_) if is_closed => {
                self.end = Some(End::Converged);
                false
            }
            Some(End::Converged) => {
                /// Below this fraction of the tolerance, rounding errors dominate an estimate that
                /// fails.
                const SMALLEST: f64 = 1e-6;
                self.caution *= 0.1;
                self.end = (self.caution < SMALLEST).then_some(End::Stalled);
                self.end.is_none()
            }
            Some(_) => false,
            None => true,
        }
    }
}

fn dot(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    let columns = a.col_iter().zip(b.col_iter());
    columns.map(|(a, b)| a.iter().zip(b.iter()).map(|(a, b)| a * b).sum::<f64>()).sum()
}

/// a ← a + s·b.
fn add(a: &mut Mat<f64>, s: f64, b: MatRef<'_, f64>) {
    for (a, b) in a.col_iter_mut().zip(b.col_iter()) {
        a.iter_mut().zip(b.iter()).for_each(|(a, b)| *a += s * b);
    }
}
