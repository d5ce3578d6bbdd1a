//! Distances of the polynomial kernel.
//!
//! With a = γ‖x‖² + r, b = γ‖y‖² + r and m = γ⟨x, y⟩ + r the squared distance is aᵖ + bᵖ − 2mᵖ. Let h = (a + b)/2, e = (a − b)/2 and
//! s = γ‖x − y‖²/2, so that a = h + e, b = h − e and m = h − s, and e and s come from differences. Then
//!
//! (aᵖ + bᵖ)/2 − hᵖ = Σ C(p, k)hᵖ⁻ᵏeᵏ over even k ≥ 2, and hᵖ − mᵖ = s·Σₖ hᵖ⁻¹⁻ᵏmᵏ over k < p.

use super::parts::{Parts, fill};
use crate::tile::{Scratch, Tile};
use crate::{Kernel, Samples, Scalar};
use faer::MatMut;

/// Degrees beyond have distances from values: a sum of so many terms is rounded as often.
pub(crate) const GREATEST_DEGREE: u32 = 32;

/// −½‖φ(x) − φ(y)‖² of the features of (γ⟨x, y⟩ + r)ᵖ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolynomialDistance {
    pub(crate) gamma: f64,
    pub(crate) coef0: f64,
    pub(crate) degree: u32,
}

impl PolynomialDistance {
    fn of(&self, parts: Parts) -> f64 {
        let Self { gamma, coef0, degree } = *self;
        let h = gamma * parts.own.iter().sum::<f64>() / 2.0 + coef0;
        let (s, e) = (gamma * parts.apart / 2.0, gamma * parts.longer / 2.0);
        let m = h - s;
        // By Horner's rule: C(p, k) from C(p, k − 2), powers of h and of e side by side.
        let (mut spread, mut factor) = (0.0, 1.0);
        for k in (2..=degree).step_by(2) {
            let [p, k] = [degree, k].map(f64::from);
            factor *= (p - k + 2.0) * (p - k + 1.0) / ((k - 1.0) * k) * e * e;
            spread += factor * h.powi(degree as i32 - k as i32);
        }
        let chain = (0..degree).fold(0.0, |sum, k| sum * m + h.powi(k as i32));
        -(spread + s * chain)
    }
}

impl<T: Scalar> Kernel<Samples<T>> for PolynomialDistance {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(self.of(Parts::of(x, y)))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        fill(tile, out, scratch, |parts| self.of(parts));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ZERO
    }
}
