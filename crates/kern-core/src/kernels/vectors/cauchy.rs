//! The product Cauchy kernel.

use super::decay::recompute_below;
use super::frequencies::laplace_quantile;
use crate::kernels::declaration::declared;
use crate::parameters::Domain;
use crate::simd::dispatched;
use crate::simd::exp;
use crate::simd::lanes::Number;
use crate::tile::{self, Scratch, Term, Tile};
use crate::{Entry, Error, Kernel, Mercer, Positive, Samples, Scalar, SparseSamples, Spectral};
use faer::MatMut;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The Cauchy kernel, as a product over features.
///
/// # Definition
/// K(x, y) = ∏ⱼ 1/(1 + γ²(x_j − y_j)²), γ > 0. Mercer, because each factor has a positive spectral
/// density. (The form 1/(1 + γ²‖x − y‖₂²), which is not a product, is
/// [`RationalQuadratic`](super::RationalQuadratic) with α = 1 and ℓ = 1/(√2·γ).)
///
/// # Numerics
/// Dense: the product of the denominators, inverted once; a product that overflows gives 0. Sparse:
/// exp(−Σⱼ ln(1 + γ²(x_j − y_j)²)), so that features that only one of the samples has take no time
/// per pair.
///
/// # Spectrum
/// ω_j ~ Laplace(0, γ), independent: density ∏ⱼ exp(−|ω_j|/γ)/(2γ).
///
/// # References
/// Rahimi & Recht (2007), figure 1, with γ = 1 (whose table prints ∏ 2/(1 + δ²); with that density
/// K(x, x) is 1).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Cauchy};
/// let k = Cauchy::new(0.5)?;
/// assert_eq!(Kernel::<Samples<f64>>::eval(&k, &[2.0, 0.0], &[0.0, 2.0]), 0.25);
/// assert_eq!(k.to_string(), "cauchy(gamma=0.5)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cauchy {
    gamma: Positive,
}

declared! {
    Cauchy = "cauchy", [stationary, spectral];
    gamma: Domain::positive();
    => Self::new(gamma)
}

impl Cauchy {
    /// ∏ⱼ 1/(1 + gamma²·(x_j − y_j)²).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `gamma` is finite and > 0.
    pub fn new(gamma: f64) -> Result<Self, Error> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }

    /// γ.
    #[doc(alias = "bandwidth")]
    #[doc(alias = "sigma")]
    #[doc(alias = "length scale")]
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma.get()
    }

    /// Minus the logarithm of one factor.
    fn log(&self) -> impl Fn(u32, f64, f64) -> f64 {
        let gamma = self.gamma();
        move |_, x, y| {
            let scaled = gamma * (x - y);
            (scaled * scaled).ln_1p()
        }
    }
}

/// The denominators 1 + γ²(x − y)², multiplied.
#[derive(Clone, Copy)]
struct Denominator {
    gamma: f64,
}

impl Term for Denominator {
    crate::products::compiled_loops!(Denominator);

    const START: f64 = 1.0;

    #[inline(always)]
    fn of<N: Number>(self, x: N, y: N) -> N {
        let scaled = x.constant(self.gamma) * (x - y);
        scaled.fma(scaled, x.constant(1.0))
    }

    #[inline(always)]
    fn join<N: Number>(self, product: N, x: N, y: N, _: usize) -> N {
        product * self.of(x, y)
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Cauchy {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        T::from_f64(Denominator { gamma: self.gamma() }.pair(x, y).recip())
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        if !T::from_f64(self.gamma()).is_finite_number() {
            return tile.fill_pointwise(out, |x, y| Kernel::<Samples<T>>::eval(self, x, y));
        }
        let term = Denominator { gamma: self.gamma() };
        tile::fold_coordinates(tile, out, scratch, term, &mut |column| reciprocals(column));
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }
}

dispatched! {
    /// v ← 1/v.
    fn reciprocals<'a, T>(v: &'a mut [T]) -> () {
        for v in v {
            *v = T::ONE / *v;
        }
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Cauchy {}

impl<T: Scalar> Kernel<SparseSamples<T>> for Cauchy {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        T::from_f64(exp::single(-tile::united(x, y, self.log())))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        mut out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let below = |error| recompute_below::<T>(1.0, error);
        tile::sparse_distance(tile, out.as_mut(), scratch, self.log(), below);
        tile::for_each_column(out, scratch, |_, column| T::exp_scaled(column, -T::ONE));
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Cauchy {}

impl Spectral for Cauchy {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for w in omega {
            let u: f64 = (&mut rng).sample(rand_distr::Open01);
            *w += self.gamma() * laplace_quantile(u);
        }
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        Some(dim)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        for (w, &u) in omega.iter_mut().zip(uniforms) {
            *w += self.gamma() * laplace_quantile(u);
        }
    }
}
