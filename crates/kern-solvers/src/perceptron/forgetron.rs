//! The Forgetron: all coefficients shrink before the oldest support vector is removed.
//!
//! A mistake with a full budget sets f ← φ·(f ± K(·, x)) and removes the term of the oldest support
//! vector. The factor φ ≤ 1 is the largest that keeps the cost of removals at most 15/32 of the
//! number of mistakes.

use super::averaged_perceptron::State;
use super::mistakes::Direction;
use super::online_perceptron::{Stream, Visit};
use crate::Error;
use kern_core::Scalar;

/// The cost of removals is at most this fraction of the number of mistakes.
const SHARE: f64 = 15.0 / 32.0;

/// The cost of removals so far, Q = Σ Ψ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Forgetron {
    spent: f64,
}

impl Forgetron {
    /// The largest φ ≤ 1 with Q + Ψ(σφ, φμ) ≤ (15/32)M, where Ψ(λ, μ) = λ² + 2λ − 2λμ. Adds Ψ to Q.
    ///
    /// The constraint is aφ² + bφ + c ≤ 0 with b > 0 and c < 0, since Q ≤ (15/32)(M − 1) after the
    /// last removal.
    fn shrink(&mut self, sigma: f64, mu: f64, mistakes: usize) -> f64 {
        let (a, b) = (sigma * (sigma - 2.0 * mu), 2.0 * sigma);
        let c = self.spent - SHARE * mistakes as f64;
        let phi = if a + b + c <= 0.0 {
            1.0
        } else {
            // The only root in (0, 1), where the parabola increases; this form avoids cancellation.
            (-2.0 * c / (b + (b * b - 4.0 * a * c).max(0.0).sqrt())).min(1.0)
        };
        self.spent += phi * (a * phi + b);
        phi
    }
}

impl<T: Scalar> Stream<'_, T> {
    /// f ← φ·(f ± K(·, x)), without the oldest support vector. Returns the place of the new one.
    pub(super) fn replace_oldest(&mut self, visit: Visit) -> Result<usize, Error> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_is_the_least_that_the_bound_allows() {
        let mut mistakes = 1;
        for sigma in [0.05, 0.5, 1.0, 3.0] {
            for mu in [-5.0, -0.5, 0.0, 0.5 * sigma, 0.4, 5.0] {
                let mut forgetron = Forgetron::default();
                for _ in 0..20 {
                    let before = forgetron;
                    let phi = forgetron.shrink(sigma, mu, mistakes);
                    let psi = |phi: f64| {
                        let (lambda, mu) = (sigma * phi, phi * mu);
                        lambda * lambda + 2.0 * lambda - 2.0 * lambda * mu
                    };
                    let allowed = SHARE * mistakes as f64;
                    assert!(phi > 0.0 && phi <= 1.0, "{sigma} {mu}: {phi}");
                    assert!(before.spent + psi(phi) <= allowed + 1e-12 * allowed.max(1.0));
                    assert!(phi >= 1.0 || before.spent + psi(1.01 * phi) > allowed);
                    mistakes += 1;
                }
            }
        }
    }
}
