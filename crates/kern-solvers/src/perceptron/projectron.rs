//! The Projectron: a mistake near the span of the support vectors adds only its projection onto it.
//!
//! The projection has the coefficients d = K_SS⁻¹k, from a Cholesky factor of K_SS that grows with
//! the support vectors. Projectron++ also updates on correct predictions with a margin below 1.

use super::averaged_perceptron::State;
use super::online_perceptron::{Stream, Visit};
use crate::tolerance;
use kern_core::Scalar;

/// The Cholesky factor L of K_SS, which grows by a row with each support vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Projection {
    /// The rows of L, one after the other.
    lower: Vec<f64>,
    size: usize,
    /// L⁻¹k of the last projected point.
    z: Vec<f64>,
    /// The coefficients d of its projection.
    d: Vec<f64>,
}

impl Projection {
    /// The number of support vectors that span the space.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Removes all but the first `size` support vectors.
    pub(super) fn truncate(&mut self, size: usize) {
        self.size = size;
        self.lower.truncate(start(size));
    }

    /// Projects a point, given its kernel values `k` with the support vectors, onto their span;
    /// returns ‖p‖² of the projection p.
    pub(super) fn project(&mut self, k: &[f64]) -> f64 {
        self.z.clear();
        for (s, &k) in k.iter().enumerate() {
            let row = &self.lower[start(s)..=start(s) + s];
            let known: f64 = row.iter().zip(&self.z).map(|(l, z)| l * z).sum();
            self.z.push((k - known) / row[s]);
        }
        self.z.iter().map(|z| z * z).sum()
    }

    /// The coefficients d = K_SS⁻¹k of the last projection.
    fn coefficients(&mut self) -> &[f64] {
        self.d.clear();
        self.d.extend_from_slice(&self.z);
        for s in (0..self.size).rev() {
            let row = &self.lower[start(s)..=start(s) + s];
            let d = self.d[s] / row[s];
            self.d[s] = d;
            self.d[..s].iter_mut().zip(row).for_each(|(sum, l)| *sum -= l * d);
        }
        &self.d
    }

    /// Makes the last projected point a support vector, given its squared distance from the span of
    /// the others.
    pub(super) fn grow(&mut self, squared_distance: f64) {
        self.lower.extend_from_slice(&self.z);
        self.lower.push(squared_distance.sqrt());
        self.size += 1;
    }
}

impl<T: Scalar> Stream<'_, T> {
    /// f ← f ± size·p, with p the projection of the point.
    pub(super) fn add_projection(&mut self, visit: Visit, size: f64, squared: f64) {
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

    /// The Projectron++ update on a correct prediction with a margin below 1.
    pub(super) fn widen(&mut self, visit: Visit, distance: f64) {
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
}

/// The index where row `s` begins.
fn start(s: usize) -> usize {
    s * (s + 1) / 2
}
