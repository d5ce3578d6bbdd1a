//! Sampling of frequencies from the spectral density of a profile.

use super::bochner_transform::ProfileTransform;
use super::legendre::N;
use super::piecewise_polynomials::Pieces;
use crate::{Error, Spectral, points};
use rand::{Rng, RngExt};
use std::fmt;
use std::sync::Arc;

/// The bisections of a quantile within a piece: one for each bit of a double.
const BITS: usize = 53;

/// The spectral sampler of a profile κ: R → R, for samples of one coordinate.
///
/// # Definition
/// κ(δ) = κ(0)·E cos(ωδ), ω ~ p, with the density p of a [`ProfileTransform`]. The quantile
/// function of |ω| is the inverse of F(ω) = 2·∫₀^ω p. Since p is a piecewise polynomial, F is
/// exact, and is inverted by bisection. Beyond the frequency at which p reaches its numerical
/// error, the probability that is missing to 1 is distributed by a power law that continues p.
///
/// # Numerics
/// [`error`](Self::error) estimates the total variation distance between the distribution of ω and
/// p: the expected error of features is at most twice that, times κ(0). It is about 10⁻¹² for a
/// Gaussian profile, and 10⁻⁶ for exp(−|δ|), whose frequencies have the tails of a Cauchy
/// distribution.
///
/// # References
/// Rahimi & Recht (2007), *Random Features for Large-Scale Kernel Machines*, algorithm 1: "compute the Fourier
/// transform p of the kernel k".
///
/// # Examples
/// ```
/// use kern_core::{Error, Spectral, bochner::{ProfileSpectrum, ProfileTransform}};
/// let triangle = ProfileTransform::new(|d| 3.0 * (1.0 - d.abs()).max(0.0))?;
/// let spectrum = ProfileSpectrum::new(&triangle)?;
/// assert_eq!(spectrum.mass(), 3.0);
/// assert_eq!(spectrum.uniforms(1), Some(1));
/// let mut omega = [0.0];
/// spectrum.add_frequency_at(&[0.5], &mut omega); // the median
/// assert_eq!(omega, [0.0]);
///
/// let not_psd = ProfileTransform::new(|d| (-d.powi(4)).exp())?;
/// assert!(matches!(ProfileSpectrum::new(&not_psd), Err(Error::NegativeDensity { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct ProfileSpectrum {
    mass: f64,
    density: Arc<Pieces>,
    /// ∫p from 0 to the end of each piece, in ascending order.
    cumulative: Arc<[f64]>,
    /// The probability of |ω| beyond the pieces, and the exponent of its power law.
    tail: f64,
    exponent: f64,
    error: f64,
}

impl ProfileSpectrum {
    /// Creates the sampler of a density.
    ///
    /// # Errors
    /// [`Error::NegativeDensity`] if the density is negative somewhere: then κ is not PSD.
    pub fn new(transform: &ProfileTransform) -> Result<Self, Error> {
        if let Some(negative) = transform.negative_part() {
            let (omega, density, error) = (negative.omega, negative.density, negative.error);
            return Err(Error::NegativeDensity { omega, density, error });
        }
        let pieces = transform.pieces();
        let mut cumulative = transform.cumulative();
        // Within its numerical error, a density may be negative.
        let mut largest = 0.0_f64;
        for sum in &mut cumulative {
            largest = largest.max(*sum);
            *sum = largest;
        }
        let end = pieces.pieces.last().map_or(0.0, |piece| piece.end);
        let uncertain = 2.0 * end * transform.error();
        let missing = 1.0 - 2.0 * largest;
        let tail = if missing > uncertain { missing } else { 0.0 };
        let at_end = pieces.pieces.last().map_or(0.0, |piece| piece.value(end));
        // Exponent of the law F̄(ω) = tail·(end/ω)^exponent, whose density at the end equals p
        // there.
        let exponent = (2.0 * end * at_end / missing.max(uncertain)).clamp(0.1, 64.0);
        let error = 0.5 * uncertain + 2.0 * pieces.error + missing.abs();
        let (density, cumulative) = (Arc::clone(pieces), cumulative.into());
        Ok(Self { mass: transform.mass(), density, cumulative, tail, exponent, error })
    }

    /// The total variation distance between the distribution of ω and the density: an estimate, see
    /// above.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The ω with P(frequency ≤ ω) = u, for u in (0, 1).
    #[must_use]
    pub fn quantile(&self, u: f64) -> f64 {
        let (sign, both) = if u < 0.5 { (-1.0, 2.0 * u) } else { (1.0, 2.0 * (1.0 - u)) };
        sign * self.magnitude(both)
    }

    /// The ω with P(|frequency| > ω) = `above`.
    fn magnitude(&self, above: f64) -> f64 {
        let whole = self.cumulative.last().copied().unwrap_or(0.0);
        if above < self.tail {
            let end = self.density.pieces.last().map_or(0.0, |piece| piece.end);
            return end * (above / self.tail).powf(-1.0 / self.exponent);
        }
        let target = whole * (1.0 - above) / (1.0 - self.tail);
        let index = self.cumulative.partition_point(|&sum| sum < target);
        let Some(piece) = self.density.pieces.get(index) else { return 0.0 };
        let before = if index == 0 { 0.0 } else { self.cumulative[index - 1] };
        let (mut low, mut high) = (piece.start, piece.end);
        for _ in 0..BITS {
            let middle = 0.5 * (low + high);
            if before + piece.integral_to(middle) < target { low = middle } else { high = middle }
        }
        // The smallest ω: exactly 0 at the median.
        low
    }
}

impl Spectral for ProfileSpectrum {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn add_frequency(&self, mut rng: &mut dyn Rng, omega: &mut [f64]) {
        for w in omega {
            let u: f64 = (&mut rng).sample(rand_distr::Open01);
            *w += self.quantile(u);
        }
    }

    /// In one dimension there are only two directions.
    fn is_isotropic(&self) -> bool {
        false
    }

    fn uniforms(&self, dim: usize) -> Option<usize> {
        (dim == 1).then_some(1)
    }

    fn add_frequency_at(&self, uniforms: &[f64], omega: &mut [f64]) {
        for (w, &u) in omega.iter_mut().zip(uniforms) {
            *w += self.quantile(u);
        }
    }

    fn check_spectrum(&self, dim: usize) -> Result<(), Error> {
        points::check_dim(1, dim)
    }
}

impl fmt::Debug for ProfileSpectrum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("ProfileSpectrum");
        s.field("mass", &self.mass).field("numbers", &(N * self.density.pieces.len()));
        s.field("error", &self.error).finish_non_exhaustive()
    }
}
