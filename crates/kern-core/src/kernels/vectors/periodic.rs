//! The periodic kernel.

use super::decay::Decay;
use super::phases::{dense_block, in_periods, squared_sine};
use crate::kernels::declaration::declared;
use crate::parameters::{Domain, Setting};
use crate::simd::exp;
use crate::tile::{Scratch, Tile, united};
use crate::{Entry, Error, Kernel, Mercer, Positive, Samples, Scalar, SparseSamples, Spectral};
use faer::MatMut;
use rand::Rng;
use rand_distr::{Distribution, Poisson, StandardNormal};
use serde::{Deserialize, Serialize};

/// The periodic kernel, also called exp-sine-squared.
///
/// # Definition
/// K(x, y) = exp(−2·Σⱼ sin²(π(x_j − y_j)/p)/ℓ²), with the period p > 0 and the length scale ℓ > 0:
/// every coordinate is periodic. Mercer, because it is the RBF kernel with γ = 1/(2ℓ²) of the
/// points (cos(2πx_j/p), sin(2πx_j/p))ⱼ, whose squared distance is 4·Σ sin². (As a function of the
/// distance, sin²(π‖x − y‖/p), it would be the same in one dimension, but it is not positive
/// semi-definite in more dimensions: there, positive definite functions of the distance approach
/// their mean.)
///
/// # Numerics
/// Whole periods are subtracted from each coordinate exactly, so points far from the origin lose no
/// accuracy; a phase has an error of at most u/2 periods, as if its point had moved by one
/// round-off. Dense blocks are computed in double precision, sparse ones as those of
/// [`Laplacian`](super::Laplacian).
///
/// # Spectrum
/// ω_j = (2π/p)·(A − B) with independent A, B ~ Poisson(1/(2ℓ²)), because the Fourier coefficients
/// of one coordinate are exp(−1/ℓ²)·I_k(1/ℓ²), the distribution of that difference.
///
/// # References
/// MacKay (1998), *Introduction to Gaussian Processes*, equation 47; Rasmussen & Williams (2006),
/// equation 4.31. The distribution of the difference: Skellam (1946).
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Samples, kernels::Periodic};
/// let k = Periodic::new(2.0, 1.0)?;
/// let eval = |x: f64, y: f64| Kernel::<Samples<f64>>::eval(&k, &[x], &[y]);
/// assert!((eval(0.0, 1.0) - (-2.0_f64).exp()).abs() < 1e-15);
/// assert_eq!(eval(0.25, 1e9 + 0.25), 1.0); // half a milliard periods later
/// assert_eq!(k.to_string(), "periodic(period=2, length_scale=1)");
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "ExpSineSquared")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Periodic {
    period: Positive,
    length_scale: Positive,
}

declared! {
    Periodic = "periodic", [stationary, spectral];
    period: Domain::positive();
    length_scale: Domain::positive(), Setting::Real(1.0);
    => Self::new(period, length_scale)
}

impl Periodic {
    /// exp(−2·Σⱼ sin²(π(x_j − y_j)/period)/length_scale²).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are finite and > 0.
    pub fn new(period: f64, length_scale: f64) -> Result<Self, Error> {
        let period = Positive::new("period", period)?;
        Ok(Self { period, length_scale: Positive::new("length_scale", length_scale)? })
    }

    /// p.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.period.get()
    }

    /// ℓ.
    #[doc(alias = "lengthscale")]
    #[doc(alias = "bandwidth")]
    #[must_use]
    pub fn length_scale(&self) -> f64 {
        self.length_scale.get()
    }

    /// 2S/ℓ², S = Σ sin². Two divisions, since ℓ² may underflow.
    fn exponent(&self, sum: f64) -> f64 {
        2.0 * sum / self.length_scale() / self.length_scale()
    }

    fn at<T: Scalar>(&self, sum: f64) -> T {
        T::from_f64(exp::single(-self.exponent(sum)))
    }

    fn phase(&self, x: f64) -> f64 {
        in_periods(x, self.period())
    }

    /// sin²(π(x − y)/p).
    fn term(&self) -> impl Fn(u32, f64, f64) -> f64 {
        |_, x, y| squared_sine(self.phase(x), self.phase(y))
    }
}

impl Decay for Periodic {
    fn rate(&self) -> f64 {
        self.exponent(1.0)
    }
}

impl<T: Scalar> Kernel<Samples<T>> for Periodic {
    fn eval(&self, x: &[T], y: &[T]) -> T {
        let term = self.term();
        self.at(x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + term(0, x.to_f64(), y.to_f64())))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(&self, tile: &Tile<'_, Samples<T>>, out: MatMut<'_, T>, _: &mut Scratch<T>) {
        let add = |sum: f64, square: f64| sum + square;
        dense_block(
            tile,
            out,
            |_, x| self.phase(x),
            0.0,
            add,
            |column| {
                column.iter_mut().for_each(|sum| *sum = self.exponent(*sum));
                f64::exp_scaled(column, -1.0);
            },
        );
    }

    fn diag(&self, _: &Samples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<Samples<T>> for Periodic {}

impl<T: Scalar> Kernel<SparseSamples<T>> for Periodic {
    fn eval(&self, x: &[Entry<T>], y: &[Entry<T>]) -> T {
        self.at(united(x, y, self.term()))
    }

    fn is_pointwise(&self) -> bool {
        false
    }

    fn block(
        &self,
        tile: &Tile<'_, SparseSamples<T>>,
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        self.sparse_block_of(tile, out, scratch, self.term());
    }

    fn diag(&self, _: &SparseSamples<T>, _: usize) -> T {
        T::ONE
    }
}

impl<T: Scalar> Mercer<SparseSamples<T>> for Periodic {}

impl Spectral for Periodic {
    fn mass(&self) -> f64 {
        1.0
    }

    fn add_frequency(&self, rng: &mut dyn Rng, omega: &mut [f64]) {
        let unit = std::f64::consts::TAU / self.period();
        let mean = 0.5 / self.length_scale() / self.length_scale();
        for w in omega {
            *w += unit * difference(mean, rng);
        }
    }
}

/// Keeps frequencies finite.
const LARGEST_DEVIATION: f64 = 1e150;

/// A − B of two Poisson variables with this mean.
fn difference(mean: f64, mut rng: &mut dyn Rng) -> f64 {
    match Poisson::new(mean) {
        Ok(law) => {
            let (a, b): (f64, f64) = (law.sample(&mut rng), law.sample(&mut rng));
            a - b
        }
        // The mean is 0, or too large for a Poisson sampler: then the distribution is normal to
        // working precision.
        Err(_) => {
            let g: f64 = StandardNormal.sample(&mut rng);
            g * (2.0 * mean).sqrt().min(LARGEST_DEVIATION)
        }
    }
}
