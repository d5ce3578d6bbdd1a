//! Passes in which the functions are evaluated at each visit, as they are in a stream and under a budget.

use super::Budget;
use super::direction::Direction;
use super::engine::{Lesson, Visitor};
use super::expansion::State;
use super::window::{BLOCK, Window};
use crate::{Error, tolerance};
use kern_core::Scalar;
use kern_gram::{GramOperator, MemoryBudget, Rows, zeros};
use rand::RngExt;

/// A state that learns from points among those of an operator; all that it knows of them is of features times weights.
pub(super) struct Stream<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    lesson: &'a Lesson<'a>,
    diag: Vec<f64>,
    state: &'a mut State,
    most: Most,
    /// Kernel values of the point with the support vectors.
    k: Vec<f64>,
    /// The values of the functions at the point.
    f: Vec<f64>,
}

/// The memory for support vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) bytes: u64,
    /// The bytes of each.
    pub(super) each: u64,
}

impl Most {
    /// Refuses one more than so many, if there is no memory for it.
    fn check(self, vectors: usize) -> Result<(), Error> {
        let needed = self.each.saturating_mul(vectors as u64 + 1);
        let instead = "take a smaller budget of them";
        Ok(MemoryBudget::bytes(self.bytes).require("the support vectors", needed, instead)?)
    }
}

/// A point that is visited.
#[derive(Clone, Copy)]
struct Visit {
    i: usize,
    direction: Direction,
    margin: f64,
}

impl<'a, T: Scalar> Stream<'a, T> {
    pub(super) fn new(
        gram: &'a dyn GramOperator<T>,
        (lesson, most): (&'a Lesson<'a>, Most),
        state: &'a mut State,
    ) -> Result<Self, Error> {
        let diag = lesson.diagonal(gram)?;
        Ok(Self { gram, lesson, diag, state, most, k: Vec::new(), f: vec![0.0; lesson.outputs] })
    }

    fn visit(&mut self, window: &mut Window<'_, T>, j: usize, i: usize) -> Result<bool, Error> {
        window.values(j, &mut self.k);
        evaluate(self.state, &self.k, &mut self.f);
        let (direction, margin) = self.lesson.judge(i, &self.f)?;
        let tally = &mut self.state.tally;
        tally.squared_radius = tally.squared_radius.max(self.diag[i]);
        let visit = Visit { i, direction, margin };
        let mistake = margin <= 0.0;
        if mistake {
            tally.mistakes += 1;
            if let Some(place) = self.learn(visit)? {
                window.place(place, j);
            }
        } else if let Budget::ProjectionPlus { distance, .. } = self.lesson.options.budget {
            self.widen(visit, distance);
        }
        self.state.tally.steps += 1;
        Ok(mistake)
    }

    /// Learns from a mistake; says at which place its point is now, if it has one.
    fn learn(&mut self, visit: Visit) -> Result<Option<usize>, Error> {
        let budget = self.lesson.options.budget;
        let full = self.state.expansion.len() >= budget.vectors();
        let place = match budget {
            Budget::Random { .. } if full => self.replace_random(visit)?,
            Budget::Oldest { .. } if full => self.replace_oldest(visit)?,
            Budget::Projection { distance, .. } | Budget::ProjectionPlus { distance, .. } => {
                let squared = self.state.projection.project(&self.k);
                let left = self.diag[visit.i] - squared;
                let (size, k) = (self.state.projection.size(), self.diag[visit.i]);
                let floor = tolerance::projection_floor::<T>(size, k);
                if full || left <= floor.max(distance * distance) {
                    self.add_projection(visit, 1.0, squared);
                    return Ok(None);
                }
                self.state.projection.grow(left);
                self.append(visit)?
            }
            _ => self.append(visit)?,
        };
        Ok(Some(place))
    }

    /// f ← f + the point, at a new place.
    fn append(&mut self, visit: Visit) -> Result<usize, Error> {
        let place = self.state.expansion.len();
        self.most.check(place)?;
        self.state.expansion.push(visit.i);
        self.put(visit, place, 1.0);
        self.state.tally.squared_norm += self.growth(visit);
        Ok(place)
    }

    /// The growth of ‖f‖² when the point is added.
    fn growth(&self, visit: Visit) -> f64 {
        2.0 * visit.margin + visit.direction.squared_length() * self.diag[visit.i]
    }

    /// The coefficients at a place change in the direction of the visit.
    fn put(&mut self, visit: Visit, place: usize, size: f64) {
        let steps = self.state.tally.steps;
        for (k, sign) in visit.direction.signs() {
            self.state.expansion.add((place, k), size * sign, steps);
        }
    }

    /// f ← f + size·(the projection of the point).
    fn add_projection(&mut self, visit: Visit, size: f64, squared: f64) {
        let State { expansion, projection, tally, .. } = &mut *self.state;
        for (place, d) in projection.coefficients().iter().enumerate() {
            for (k, sign) in visit.direction.signs() {
                expansion.add((place, k), size * d * sign, tally.steps);
            }
        }
        tally.projected += 1;
        let own = visit.direction.squared_length() * squared;
        tally.squared_norm += 2.0 * size * visit.margin + size * size * own;
    }

    /// Projectron++: a right answer with a margin less than 1.
    fn widen(&mut self, visit: Visit, distance: f64) {
        let loss = 1.0 - visit.margin;
        if loss <= 0.0 {
            return;
        }
        let squared = self.state.projection.project(&self.k);
        let (k, length) = (self.diag[visit.i], visit.direction.squared_length());
        let floor = tolerance::projection_floor::<T>(self.state.projection.size(), k);
        let left = k - squared;
        let far = if left <= floor { 0.0 } else { (length * left).sqrt() / distance };
        let own = length * squared;
        if loss > far && own > 0.0 {
            let size = (loss / own).min(2.0 * (loss - far) / own).min(1.0);
            self.add_projection(visit, size, squared);
        }
    }

    /// One that is drawn makes room: f ← f − its term, then + the point.
    fn replace_random(&mut self, visit: Visit) -> Result<usize, Error> {
        let place = self.state.rng.random_range(0..self.state.expansion.len());
        self.values_at(place)?;
        let removed = self.state.expansion.at(place).to_vec();
        self.forget(place, 1.0);
        // The margin of the point without what is gone.
        let gone: Vec<f64> = removed.iter().map(|a| a * self.k[place]).collect();
        let margin = visit.margin - visit.direction.along(&gone);
        let visit = Visit { margin, ..visit };
        self.state.expansion.replace(place, visit.i);
        self.put(visit, place, 1.0);
        self.state.tally.squared_norm += self.growth(visit);
        Ok(place)
    }

    /// The Forgetron: f ← φ·(f + the point), then without the oldest.
    fn replace_oldest(&mut self, visit: Visit) -> Result<usize, Error> {
        let place = self.state.oldest;
        self.values_at(place)?;
        for (k, sign) in visit.direction.signs() {
            self.f[k] += sign * self.k[place];
        }
        let growth = self.growth(visit);
        let old = Direction::of(self.state.expansion.at(place));
        let sigma = self.state.expansion.at(place).iter().fold(0.0, |s: f64, a| s.max(a.abs()));
        let State { expansion, tally, forgetron, oldest, .. } = &mut *self.state;
        let scale = tally.squared_radius * visit.direction.squared_length();
        let mu = if scale > 0.0 { old.along(&self.f) / scale } else { 0.0 };
        let phi = forgetron.shrink(sigma, mu, tally.mistakes);
        expansion.coefficients.iter_mut().for_each(|a| *a *= phi);
        tally.squared_norm = phi * phi * (tally.squared_norm + growth);
        *oldest = (place + 1) % expansion.len();
        self.forget(place, phi);
        self.state.expansion.replace(place, visit.i);
        self.put(visit, place, phi);
        Ok(place)
    }

    /// f of the point at a place, by kernel values of its own.
    fn values_at(&mut self, place: usize) -> Result<(), Error> {
        let expansion = &self.state.expansion;
        let mut values = zeros(expansion.len(), 1)?;
        let row = expansion.rows[place];
        self.gram.submatrix_into(Rows::Of(&expansion.rows), &[row], values.as_mut())?;
        let of_rows = values.col(0).iter().zip(&expansion.rows);
        let k: Vec<f64> =
            of_rows.map(|(&k, &other): (&T, _)| self.lesson.weighted(k, (other, row))).collect();
        evaluate(self.state, &k, &mut self.f);
        Ok(())
    }

    /// ‖f‖² without what is at a place, where φ·`self.f` are the values.
    fn forget(&mut self, place: usize, phi: f64) {
        let State { expansion, tally, .. } = &mut *self.state;
        let k = self.diag[expansion.rows[place]];
        for (a, f) in expansion.at(place).iter().zip(&self.f) {
            tally.squared_norm += a * (a * k - 2.0 * phi * f);
        }
        tally.removed += 1;
    }
}

/// The values of the functions at a point with these kernel values, place by place.
fn evaluate(state: &State, k: &[f64], f: &mut [f64]) {
    f.fill(0.0);
    for (a, k) in state.expansion.coefficients.chunks_exact(f.len()).zip(k) {
        f.iter_mut().zip(a).for_each(|(f, a)| *f += a * k);
    }
}

impl<T: Scalar> Visitor for Stream<'_, T> {
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error> {
        let mut mistakes = 0;
        for block in order.chunks(BLOCK) {
            let support = &self.state.expansion.rows;
            let mut window = Window::new((self.gram, self.lesson), support, block)?;
            for (j, &i) in block.iter().enumerate() {
                mistakes += usize::from(self.visit(&mut window, j, i)?);
            }
        }
        Ok(mistakes)
    }
}
