//! Preconditioned conjugate gradients for several right-hand sides, which share the products.

use crate::tolerance::CG_DRIFT;
use crate::zeros;
use faer::Mat;
use kern_core::Error;
use std::cell::RefCell;

/// The product v ↦ Hv.
pub type Product<'o, E> = dyn Fn(&Mat<f64>) -> Result<Mat<f64>, E> + 'o;

/// A symmetric positive definite matrix and its preconditioner; both may fail with errors of type
/// `E`.
#[allow(missing_debug_implementations, reason = "closures have none")]
pub struct Operator<'o, E> {
    /// v ↦ Hv.
    pub product: &'o Product<'o, E>,
    /// v ↦ S⁻¹v.
    pub precondition: &'o dyn Fn(Mat<f64>) -> Result<Mat<f64>, E>,
}

/// aₖᵀbₖ for all columns k.
#[inline]
#[must_use]
pub fn inner(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    (0..a.ncols()).map(|k| dot(a.col_as_slice(k), b.col_as_slice(k))).collect()
}

/// The conjugate gradient iterates: d with Hd ≈ r for all columns r.
#[derive(Debug)]
pub struct Conjugate {
    solution: Mat<f64>,
    residual: Mat<f64>,
    direction: Mat<f64>,
    columns: Vec<Column>,
}

/// The state of one right-hand side.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    /// rᵀS⁻¹r of the residual that the direction was computed from; `None` to restart.
    energy: Option<f64>,
    /// True if the direction belongs to the current residual.
    ready: bool,
    /// True if rounding left no curvature to divide by.
    broken: bool,
}

impl Conjugate {
    /// Starts at d = 0.
    pub fn new(residual: Mat<f64>) -> Result<Self, Error> {
        let (rows, columns) = residual.shape();
        let (solution, direction) = (zeros(rows, columns)?, zeros(rows, columns)?);
        Ok(Self { solution, residual, direction, columns: vec![Column::default(); columns] })
    }

    /// The solution d.
    #[must_use]
    pub fn solution(&self) -> &Mat<f64> {
        &self.solution
    }

    /// The residual r − Hd, updated rather than recomputed.
    #[must_use]
    pub fn residual(&self) -> &Mat<f64> {
        &self.residual
    }

    /// The solution so far.
    #[must_use]
    pub fn into_solution(self) -> Mat<f64> {
        self.solution
    }

    /// Iterates, at most `most` times, the columns for which `open(column, rᵀr, rᵀS⁻¹r)` is true;
    /// the others are left unchanged and out of the products. Returns the number of products.
    pub fn advance<E: From<Error>>(
        &mut self,
        operator: &Operator<'_, E>,
        most: usize,
        open: &dyn Fn(usize, f64, f64) -> bool,
    ) -> Result<usize, E> {
        for iteration in 0..most {
            self.find_directions(operator)?;
            let squares = inner(&self.residual, &self.residual);
            let is_open = |&k: &usize| {
                let Column { energy, broken, .. } = self.columns[k];
                !broken && energy.is_some_and(|energy| open(k, squares[k], energy))
            };
            let active: Vec<usize> = (0..squares.len()).filter(is_open).collect();
            if active.is_empty() {
                return Ok(iteration);
            }
            let product = (operator.product)(&gathered(&self.direction, &active)?)?;
            for (at, &k) in active.iter().enumerate() {
                self.step(k, product.col_as_slice(at));
            }
        }
        Ok(most)
    }

    /// Iterates, at most `most` times, until rᵀS⁻¹r of each column is at most `factor` times its
    /// present value.
    pub fn reduce<E: From<Error>>(
        &mut self,
        operator: &Operator<'_, E>,
        most: usize,
        factor: f64,
    ) -> Result<usize, E> {
        let first = RefCell::new(vec![None; self.columns.len()]);
        self.advance(operator, most, &|k, _, energy| {
            let first = *first.borrow_mut()[k].get_or_insert(energy);
            energy > factor * first
        })
    }

    /// Moves to the minimum along the direction.
    fn step(&mut self, k: usize, product: &[f64]) {
        let direction = self.direction.col_as_slice(k);
        let curvature = dot(direction, product);
        let step = dot(self.residual.col_as_slice(k), direction) / curvature;
        if !(curvature > 0.0 && step.is_finite()) {
            self.columns[k].broken = true;
            return;
        }
        axpy(step, direction, self.solution.col_as_slice_mut(k));
        axpy(-step, product, self.residual.col_as_slice_mut(k));
        self.columns[k].ready = false;
    }

    /// p ← z + βp, z = S⁻¹r, for the columns whose residual has changed.
    fn find_directions<E: From<Error>>(&mut self, operator: &Operator<'_, E>) -> Result<(), E> {
        let stale: Vec<usize> =
            (0..self.columns.len()).filter(|&k| !self.columns[k].ready).collect();
        if stale.is_empty() {
            return Ok(());
        }
        let z = (operator.precondition)(gathered(&self.residual, &stale)?)?;
        for (at, &k) in stale.iter().enumerate() {
            let z = z.col_as_slice(at);
            let energy = dot(self.residual.col_as_slice(k), z);
            let beta = match self.columns[k].energy {
                Some(last) if last > 0.0 => energy / last,
                _ => 0.0,
            };
            let pairs = self.direction.col_as_slice_mut(k).iter_mut().zip(z);
            pairs.for_each(|(p, z)| *p = z + beta * *p);
            self.columns[k] = Column { energy: Some(energy), ready: true, ..self.columns[k] };
        }
        Ok(())
    }

    /// Continues from a recomputed residual. If it differs from the updated one, the directions are
    /// no longer conjugate, and the iteration restarts.
    pub fn refresh(&mut self, residual: Mat<f64>) {
        for k in 0..self.columns.len() {
            let (fresh, known) = (residual.col_as_slice(k), self.residual.col_as_slice(k));
            let drift: f64 = fresh.iter().zip(known).map(|(a, b)| (a - b) * (a - b)).sum();
            if drift > CG_DRIFT * dot(fresh, fresh) {
                self.columns[k] = Column::default();
            } else {
                self.columns[k].broken = false;
            }
        }
        self.residual = residual;
    }
}

/// Some columns.
fn gathered(from: &Mat<f64>, columns: &[usize]) -> Result<Mat<f64>, Error> {
    let mut to = zeros(from.nrows(), columns.len())?;
    for (at, &k) in columns.iter().enumerate() {
        to.col_as_slice_mut(at).copy_from_slice(from.col_as_slice(k));
    }
    Ok(to)
}

/// aᵀb, term by term.
#[inline]
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}
