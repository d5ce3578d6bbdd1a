//! The Fourier transform of a one-dimensional profile.

use super::piecewise_polynomials::{Limits, Piece, Pieces, approximate};
use super::spherical_bessel::spherical_bessel;
use crate::tolerance;
use crate::{Error, Kernel, Samples};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt;
use std::sync::Arc;

/// The largest number of bisections of a profile: 32 evaluations and a kilobyte each.
const BISECTIONS: usize = 2000;

/// The relative distance from κ(0) within which the first piece is sought: small, so that the piece
/// resolves the profile's behaviour at 0.
const NEAR: f64 = 1e-3;

/// The largest number of doublings when the scale is sought, and of octaves of a slow decay.
const OCTAVES: usize = 400;

const DISCONTINUOUS: &str =
    "it is not continuous at 0, or has structure there that is too fine to be seen";

/// The spectral density p of a profile κ: R → R, computed numerically.
///
/// # Definition
/// p(ω) = (1/(πκ(0)))·∫₀^∞ κ(δ)·cos(ωδ) dδ for an even, continuous, integrable κ. Then κ(δ) = κ(0)·∫p(ω)·cos(ωδ) dω
/// over R, if p is integrable, too; and by Bochner's theorem K(x, y) = κ(x − y) is PSD exactly if p ≥ 0 everywhere,
/// in which case p is a probability density, that of [`ProfileSpectrum`](super::ProfileSpectrum).
///
/// # Numerics
/// κ is approximated on [0, ∞) by piecewise polynomials of degree 15. Pieces are bisected where the
/// polynomial misses new values of κ, over octaves that double until the tail is negligible.
/// Fourier transforms of Legendre polynomials are spherical Bessel functions, so those of the
/// pieces are exact at every ω: there is no grid, and no aliasing.
///
/// [`error`](Self::error) is uniform in ω: |p̂ − p| ≤ (1/(πκ(0)))·∫|κ̂ − κ|, where the integral is
/// estimated as twice the one found at 32 places of each piece, plus the extrapolated tail and
/// rounding. It is an estimate, not a proof: the behaviour of a function between evaluation points
/// is unknown.
///
/// # Complexity
/// At most about 10⁵ evaluations of κ, usually 10³ to 10⁴, and O(number of pieces) for each value
/// of p.
///
/// # References
/// Bochner (1933), *Monotone Funktionen, Stieltjessche Integrale und harmonische Analyse*; Abramowitz & Stegun,
/// 10.1.14, for the transform of a Legendre polynomial.
///
/// # Examples
/// ```
/// use kern_core::bochner::ProfileTransform;
/// let gaussian = ProfileTransform::new(|d| (-0.5 * d * d).exp())?;
/// let exact = (-0.5_f64).exp() / std::f64::consts::TAU.sqrt(); // N(0, 1) at 1
/// assert!((gaussian.density(1.0) - exact).abs() <= gaussian.error() && gaussian.error() < 1e-13);
/// // The transform of a box is sin(ω)/(πω), whose least value is at the root of tan ω = ω.
/// let negative = ProfileTransform::new(|d| f64::from(d.abs() < 1.0))?.negative_part().unwrap();
/// assert!((negative.omega - 4.493_409_457_9).abs() < 1e-6 && negative.density < -0.069);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone)]
pub struct ProfileTransform {
    mass: f64,
    profile: Arc<Pieces>,
    /// p on [0, ∞).
    density: Arc<Pieces>,
    error: f64,
    negative: Option<NegativePart>,
}

/// The minimum of a spectral density, if it is negative there by more than its numerical error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NegativePart {
    /// The frequency, ≥ 0.
    pub omega: f64,
    /// p(ω) < 0.
    pub density: f64,
    /// The numerical error of the density, less than −p(ω).
    pub error: f64,
}

impl ProfileTransform {
    /// Computes the transform of a profile.
    ///
    /// # Errors
    /// [`Error::Profile`] unless κ(0) > 0 and all values are finite; [`Error::Uneven`] if κ(−δ) ≠
    /// κ(δ); [`Error::NoDensity`] if κ is not continuous at 0, does not decay like |δ|^(−1.1) or
    /// faster, or has frequencies so far apart that the search misses some of them.
    pub fn new(profile: impl Fn(f64) -> f64) -> Result<Self, Error> {
        let at = |delta: f64| finite(&profile, delta);
        let mass = at(0.0)?;
        if mass <= 0.0 {
            return Err(Error::Profile { at: 0.0, given: mass, required: "a number > 0" });
        }
        let pieces = approximate_profile(&at, mass)?;
        for piece in &pieces.pieces {
            let (delta, centre) = (piece.start + 0.3 * piece.half(), piece.centre());
            check_even(&at, delta, mass)?;
            check_even(&at, centre, mass)?;
        }
        Self::from_pieces(pieces, mass)
    }

    /// Computes the transform of κ(δ) = K(δ, 0), for a kernel on one coordinate.
    ///
    /// # Errors
    /// As [`new`](Self::new); the errors of [`check`](Kernel::check) for samples of one coordinate;
    /// [`Error::NotStationary`] if K(x + δ, x) differs from K(δ, 0) at the places that are tried.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{KernelSpec, Samples, bochner::{ProfileSpectrum, ProfileTransform}};
    /// // A formula that has no spectral sampler of its own.
    /// let spec: KernelSpec = "rbf(gamma=0.5)*exp(rbf(gamma=2))".parse()?;
    /// assert!(spec.spectrum().is_err());
    /// let transform = ProfileTransform::of_kernel(&spec.build::<Samples<f64>>()?)?;
    /// let spectrum = ProfileSpectrum::new(&transform)?;
    /// # use kern_core::Spectral;
    /// assert!((spectrum.mass() - 1.0_f64.exp()).abs() < 1e-12);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn of_kernel<K: Kernel<Samples<f64>> + ?Sized>(kernel: &K) -> Result<Self, Error> {
        kernel.check(&Samples::from_row_major(1, vec![-1.0, 0.0, 1.0])?)?;
        let transform = Self::new(|delta| kernel.eval(&[delta], &[0.0]))?;
        transform.check_stationary(kernel)?;
        Ok(transform)
    }

    /// Compares K(x + δ, x) with K(δ, 0), for x and δ on the scale of the profile's width.
    fn check_stationary<K: Kernel<Samples<f64>> + ?Sized>(&self, kernel: &K) -> Result<(), Error> {
        let width = self.width();
        for shift in [-1.7, 0.6, 3.1].map(|t| t * width) {
            for delta in [0.0, 0.2, 0.9, 2.3].map(|t| t * width) {
                let expected = kernel.eval(&[delta], &[0.0]);
                let given = kernel.eval(&[shift + delta], &[shift]);
                // NaN counts as different, too.
                let same = (given - expected).abs() <= tolerance::PROFILE_EVEN * self.mass;
                if !same {
                    return Err(Error::NotStationary { shift, delta, given, expected });
                }
            }
        }
        Ok(())
    }

    fn from_pieces(profile: Pieces, mass: f64) -> Result<Self, Error> {
        let rounding = tolerance::PROFILE_ERROR * profile.magnitude;
        let error = (2.0 * profile.error + profile.beyond + rounding) / (PI * mass);
        let width = width_of(&profile);
        let density = scan(&profile, mass, error, width)?;
        let negative = smallest(&profile, &density, mass)
            .filter(|&(_, density)| density < -error)
            .map(|(omega, density)| NegativePart { omega, density, error });
        let (profile, density) = (Arc::new(profile), Arc::new(density));
        let transform = Self { mass, profile, density, error, negative };
        transform.check_all_found()?;
        Ok(transform)
    }

    /// Checks that the density integrates to 1.
    fn check_all_found(&self) -> Result<(), Error> {
        let missing = 1.0 - 2.0 * self.cumulative().last().copied().unwrap_or(0.0);
        let end = self.density.pieces.last().map_or(0.0, |piece| piece.end);
        let allowed = tolerance::FREQUENCIES_FOUND + 2.0 * end * self.error;
        if self.negative.is_none() && missing.abs() > allowed + 2.0 * self.tail_of_density() {
            return Err(Error::NoDensity { reason: "a part of its frequencies was not found" });
        }
        Ok(())
    }

    /// ∫p beyond the pieces, extrapolated from the decay of the last ones.
    fn tail_of_density(&self) -> f64 {
        if self.density.beyond.is_finite() { self.density.beyond } else { 0.5 }
    }

    /// κ(0).
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// p(ω).
    #[must_use]
    pub fn density(&self, omega: f64) -> f64 {
        density(&self.profile, self.mass, omega.abs())
    }

    /// The numerical error of p, the same for all ω: an estimate, see above.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The frequency where p is smallest, if p is negative there by more than
    /// [`error`](Self::error). `None` means that no such frequency was found, so that the profile
    /// is PSD as far as double precision can resolve.
    #[must_use]
    pub fn negative_part(&self) -> Option<NegativePart> {
        self.negative
    }

    /// The δ below which half of ∫|κ| lies.
    fn width(&self) -> f64 {
        width_of(&self.profile)
    }

    /// p on [0, ∞) as piecewise polynomials.
    pub(super) fn pieces(&self) -> &Arc<Pieces> {
        &self.density
    }

    /// ∫p from 0 to the end of each piece.
    pub(super) fn cumulative(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let ends = self.density.pieces.iter().map(|piece| {
            sum += piece.integral_to(piece.end);
            sum
        });
        ends.collect()
    }
}

impl fmt::Debug for ProfileTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut s, mass) = (f.debug_struct("ProfileTransform"), self.mass);
        s.field("mass", &mass).field("error", &self.error).field("negative", &self.negative);
        s.finish_non_exhaustive()
    }
}

/// κ(δ), or an error if it is not finite.
fn finite(profile: &impl Fn(f64) -> f64, at: f64) -> Result<f64, Error> {
    let given = profile(at);
    let error = Error::Profile { at, given, required: "a finite number" };
    if given.is_finite() { Ok(given) } else { Err(error) }
}

fn check_even(at: &impl Fn(f64) -> Result<f64, Error>, delta: f64, mass: f64) -> Result<(), Error> {
    let (given, mirrored) = (at(delta)?, at(-delta)?);
    if (given - mirrored).abs() > tolerance::PROFILE_EVEN * mass {
        return Err(Error::Uneven { at: delta, given, mirrored });
    }
    Ok(())
}

fn approximate_profile(
    at: &impl Fn(f64) -> Result<f64, Error>,
    mass: f64,
) -> Result<Pieces, Error> {
    let limits = Limits {
        first: scale(at, mass)?,
        parts: 1,
        octaves: OCTAVES,
        floor: (f64::INFINITY, 0.0),
        tolerance: tolerance::PROFILE_ERROR,
        bisections: BISECTIONS,
    };
    let pieces = approximate(at, &limits)?;
    if pieces.beyond.is_infinite() {
        return Err(Error::NoDensity { reason: "it does not decay like |δ|^(-1.1) or faster" });
    }
    let first = pieces.pieces.first().map_or(0.0, |piece| piece.value(0.0));
    if (first - mass).abs() > tolerance::PROFILE_JUMP * mass {
        return Err(Error::NoDensity { reason: DISCONTINUOUS });
    }
    if pieces.error + pieces.beyond > tolerance::PROFILE_UNRESOLVED * pieces.magnitude {
        return Err(Error::NoDensity { reason: "it oscillates too often, or decays too slowly" });
    }
    Ok(pieces)
}

/// The largest power of two at which κ is near κ(0).
fn scale(at: &impl Fn(f64) -> Result<f64, Error>, mass: f64) -> Result<f64, Error> {
    let is_near = |delta: f64| Ok::<_, Error>((at(delta)? - mass).abs() <= NEAR * mass);
    let mut scale = 1.0;
    for _ in 0..OCTAVES {
        if is_near(2.0 * scale)? {
            scale *= 2.0;
        } else if is_near(scale)? {
            return Ok(scale);
        } else {
            scale *= 0.5;
        }
    }
    let reason = if scale < 1.0 { DISCONTINUOUS } else { "it does not decay" };
    Err(Error::NoDensity { reason })
}

/// The δ below which half of ∫|κ| lies, to within a piece.
fn width_of(profile: &Pieces) -> f64 {
    let mut sum = 0.0;
    let reaches = |piece: &&Piece| {
        sum += piece.value(piece.centre()).abs() * 2.0 * piece.half();
        sum >= 0.5 * profile.magnitude
    };
    profile.pieces.iter().find(reaches).or(profile.pieces.last()).map_or(1.0, |piece| piece.end)
}

/// p(ω) for ω ≥ 0: the sum of the exact transforms of the pieces.
fn density(profile: &Pieces, mass: f64, omega: f64) -> f64 {
    let of_piece = |piece: &Piece| {
        let (half, phase) = (piece.half(), omega * piece.centre());
        let bessel = spherical_bessel(omega * half);
        // The real part of iⁿ·exp(i·phase) advances by a quarter turn from one n to the next.
        let (sine, cosine) = phase.sin_cos();
        let turns = [cosine, -sine, -cosine, sine];
        let terms = piece.coefficients.iter().zip(bessel).zip(turns.iter().cycle());
        2.0 * half * terms.map(|((a, j), turn)| a * j * turn).sum::<f64>()
    };
    profile.pieces.iter().map(of_piece).sum::<f64>() / (PI * mass)
}

/// Approximates p by piecewise polynomials. Octaves that are sampled in too few places can miss
/// narrow peaks far from 0; then ∫p is too small, and the octaves are sampled more finely.
fn scan(profile: &Pieces, mass: f64, error: f64, width: f64) -> Result<Pieces, Error> {
    let mut found = None;
    for parts in [1, 16, 128] {
        let limits = Limits {
            first: FRAC_PI_2 / width,
            parts,
            octaves: 80,
            // Almost all of one half.
            floor: (0.45, 64.0 * error),
            tolerance: tolerance::FREQUENCY_ERROR.max(error / width),
            bisections: 256,
        };
        let pieces = approximate(|omega| Ok(density(profile, mass, omega)), &limits)?;
        let integral: f64 = pieces.pieces.iter().map(|p| p.integral_to(p.end)).sum();
        let complete = (2.0 * integral - 1.0).abs() <= tolerance::FREQUENCIES_FOUND;
        let negative = smallest(profile, &pieces, mass).is_some_and(|(_, p)| p < -error);
        found = Some(pieces);
        if complete || negative {
            break;
        }
    }
    found.ok_or(Error::NoDensity { reason: "a part of its frequencies was not found" })
}

/// The smallest density over all pieces: from about 50 places of each, refined by golden-section
/// search.
fn smallest(profile: &Pieces, density_pieces: &Pieces, mass: f64) -> Option<(f64, f64)> {
    const PLACES: usize = 48;
    let places = density_pieces.pieces.iter().flat_map(|piece| {
        let step = 2.0 * piece.half() / PLACES as f64;
        (0..=PLACES).map(move |k| {
            let omega = piece.start + k as f64 * step;
            (omega, step, piece.value(omega))
        })
    });
    let (omega, step, _) = places.min_by(|a, b| a.2.total_cmp(&b.2))?;
    let at = |omega: f64| density(profile, mass, omega);
    let (mut low, mut high) = ((omega - step).max(0.0), omega + step);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if at(left) < at(right) { high = right } else { low = left }
    }
    let refined = 0.5 * (low + high);
    let best = if at(refined) < at(omega) { refined } else { omega };
    Some((best, at(best)))
}
