//! Approximation of functions on [0, ∞) by piecewise polynomials, with adaptive bisection.

use super::legendre::{N, Rule, evaluate, integral};
use crate::Error;
use crate::tolerance;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A polynomial on the interval [start, end].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Coefficients in Legendre polynomials on [−1, 1].
    pub(super) coefficients: [f64; N],
}

impl Piece {
    pub(super) fn half(&self) -> f64 {
        0.5 * (self.end - self.start)
    }

    pub(super) fn centre(&self) -> f64 {
        self.start + self.half()
    }

    fn place(&self, x: f64) -> f64 {
        (x - self.centre()) / self.half()
    }

    pub(super) fn value(&self, x: f64) -> f64 {
        evaluate(&self.coefficients, self.place(x))
    }

    /// The integral from the start of the piece to x.
    pub(super) fn integral_to(&self, x: f64) -> f64 {
        self.half() * integral(&self.coefficients, self.place(x))
    }
}

/// A piece with its estimated error, and the function at the nodes of both halves.
struct Measured {
    piece: Piece,
    halves: [[f64; N]; 2],
    /// ∫|f − q|, estimated.
    error: f64,
    /// ∫|f|, estimated.
    magnitude: f64,
    largest: f64,
}

impl Measured {
    /// True if bisection cannot reduce the error: it is rounding, or the interval has only a few
    /// doubles.
    fn is_final(&self) -> bool {
        let width = self.piece.end - self.piece.start;
        self.error <= tolerance::PROFILE_ROUNDING * self.largest * width
            || width <= 64.0 * f64::EPSILON * self.piece.end
    }
}

/// The largest error first; of equal ones the leftmost.
impl Ord for Measured {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_place = || other.piece.start.total_cmp(&self.piece.start);
        self.error.total_cmp(&other.error).then_with(by_place)
    }
}

impl PartialOrd for Measured {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Measured {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Measured {}

/// Limits of an approximation: its cost, and the accuracy that suffices.
pub(super) struct Limits {
    /// The end of the first interval. Each further interval is as long as all before it together.
    pub(super) first: f64,
    /// The parts of each interval before bisection starts.
    pub(super) parts: usize,
    /// The largest number of intervals.
    pub(super) octaves: usize,
    /// No further intervals once ∫|f| has reached the first value and |f| does not exceed the
    /// second within an interval.
    pub(super) floor: (f64, f64),
    /// The error that suffices, relative to ∫|f|.
    pub(super) tolerance: f64,
    /// The largest number of bisections.
    pub(super) bisections: usize,
}

/// The pieces from 0 on, with an estimate of ∫|f − q|.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// ∫|f − q| within them.
    pub(super) error: f64,
    /// ∫|f| within them.
    pub(super) magnitude: f64,
    /// ∫|f| beyond them, extrapolated from the decrease of the intervals; ∞ if they do not
    /// decrease.
    pub(super) beyond: f64,
}

struct Approximation<F> {
    f: F,
    rule: Rule,
    /// Pieces that may be bisected.
    open: BinaryHeap<Measured>,
    closed: Vec<Measured>,
}

impl<F: FnMut(f64) -> Result<f64, Error>> Approximation<F> {
    fn values(&mut self, start: f64, end: f64) -> Result<[f64; N], Error> {
        let (centre, half) = (0.5 * (start + end), 0.5 * (end - start));
        let mut values = [0.0; N];
        for (value, t) in values.iter_mut().zip(self.rule.nodes) {
            *value = (self.f)(centre + half * t)?;
        }
        Ok(values)
    }

    fn measure(&mut self, start: f64, end: f64, values: &[f64; N]) -> Result<Measured, Error> {
        let piece = Piece { start, end, coefficients: self.rule.coefficients(values) };
        let centre = piece.centre();
        let halves = [self.values(start, centre)?, self.values(centre, end)?];
        let (mut error, mut magnitude) = (0.0, 0.0);
        let mut largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for (values, offset) in halves.iter().zip([-0.5, 0.5]) {
            for (i, &value) in values.iter().enumerate() {
                let at = offset + 0.5 * self.rule.nodes[i];
                let weight = 0.5 * piece.half() * self.rule.weights[i];
                error += weight * (value - evaluate(&piece.coefficients, at)).abs();
                magnitude += weight * value.abs();
                largest = largest.max(value.abs());
            }
        }
        Ok(Measured { piece, halves, error, magnitude, largest })
    }

    fn add(&mut self, start: f64, end: f64, values: &[f64; N]) -> Result<(f64, f64), Error> {
        let measured = self.measure(start, end, values)?;
        let found = (measured.magnitude, measured.largest);
        if measured.is_final() {
            self.closed.push(measured);
        } else {
            self.open.push(measured);
        }
        Ok(found)
    }

    fn bisect(&mut self, whole: &Measured) -> Result<(), Error> {
        let (start, end, centre) = (whole.piece.start, whole.piece.end, whole.piece.centre());
        self.add(start, centre, &whole.halves[0])?;
        self.add(centre, end, &whole.halves[1])?;
        Ok(())
    }

    /// Adds an interval in parts; returns its ∫|f| and largest |f|.
    fn interval(&mut self, start: f64, end: f64, parts: usize) -> Result<(f64, f64), Error> {
        let (mut magnitude, mut largest) = (0.0, 0.0_f64);
        let at = |k: usize| start + (end - start) * (k as f64 / parts as f64);
        for k in 0..parts {
            let values = self.values(at(k), at(k + 1))?;
            let part = self.add(at(k), at(k + 1), &values)?;
            magnitude += part.0;
            largest = largest.max(part.1);
        }
        Ok((magnitude, largest))
    }

    /// Adds intervals, each as long as all before it together, until the tail is negligible.
    /// Returns an estimate of the tail.
    fn intervals(&mut self, limits: &Limits) -> Result<f64, Error> {
        let (mut start, mut end) = (0.0, limits.first);
        let (mut total, mut last, mut beyond) = (0.0, [f64::INFINITY; 3], f64::INFINITY);
        for _ in 0..limits.octaves {
            let (magnitude, largest) = self.interval(start, end, limits.parts)?;
            total += magnitude;
            last = [last[1], last[2], magnitude];
            beyond = left_over(last, total);
            let (enough, floor) = limits.floor;
            let is_found = total >= enough && largest <= floor;
            if beyond <= tolerance::PROFILE_TAIL * total || is_found {
                break;
            }
            (start, end) = (end, 2.0 * end);
        }
        Ok(beyond)
    }

    /// Bisects the piece with the largest error until the total error is small, or the limit is
    /// reached.
    fn refine(&mut self, limits: &Limits) -> Result<(), Error> {
        for bisections in 0..limits.bisections {
            // An updated sum would accumulate rounding errors, so it is recomputed, but not in each
            // step.
            if bisections % 16 == 0 {
                let magnitude: f64 = self.all().map(|m| m.magnitude).sum();
                let open: f64 = self.open.iter().map(|m| m.error).sum();
                if open <= limits.tolerance * magnitude {
                    break;
                }
            }
            let Some(worst) = self.open.pop() else { break };
            self.bisect(&worst)?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Measured> {
        self.open.iter().chain(&self.closed)
    }

    fn finish(self, beyond: f64) -> Pieces {
        let error = self.all().map(|m| m.error).sum();
        let magnitude = self.all().map(|m| m.magnitude).sum();
        let mut pieces: Vec<_> =
            self.open.into_iter().chain(self.closed).map(|m| m.piece).collect();
        pieces.sort_by(|a, b| a.start.total_cmp(&b.start));
        Pieces { pieces, error, magnitude, beyond }
    }
}

/// The integral beyond intervals of these last magnitudes, as a geometric series of the slowest
/// decrease among them.
fn left_over([a, b, c]: [f64; 3], total: f64) -> f64 {
    if [a, b, c].into_iter().all(|m| m <= tolerance::PROFILE_TAIL * total) {
        return c;
    }
    let ratio = if a.is_finite() { (b / a).max(c / b) } else { f64::INFINITY };
    if ratio < tolerance::PROFILE_DECREASE { c * ratio / (1.0 - ratio) } else { f64::INFINITY }
}

/// Approximates `f` by piecewise polynomials; stops at the first error of `f`.
pub(super) fn approximate<F>(f: F, limits: &Limits) -> Result<Pieces, Error>
where
    F: FnMut(f64) -> Result<f64, Error>,
{
    let (open, closed) = (BinaryHeap::new(), Vec::new());
    let mut approximation = Approximation { f, rule: Rule::new(), open, closed };
    let beyond = approximation.intervals(limits)?;
    approximation.refine(limits)?;
    Ok(approximation.finish(beyond))
}
