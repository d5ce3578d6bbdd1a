//! Parameters of random Fourier features, and the sampling of frequencies.

use super::orthogonal::Orthogonal;
use super::quasi_monte_carlo::Quasi;
use super::{FourierMap, Structure, StructuredMap};
use crate::Error;
use kern_core::Spectral;
use kern_core::faer::Mat;
use kern_core::rand::RngExt;
use kern_gram::{MemoryBudget, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The mapping from a frequency to features.
///
/// # References
/// Sutherland & Schneider (2015), *On the Error of Random Fourier Features*: variances of both.
///
/// # Examples
/// ```
/// assert_eq!(kern_approx::FourierForm::default(), kern_approx::FourierForm::Paired);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FourierForm {
    /// cos ωᵀx and sin ωᵀx: two features per frequency.
    ///
    /// ψ(x)ᵀψ(x) = K(x, x) exactly. Variance of ψ(x)ᵀψ(y) with D features, κ(0) = 1 and δ = x − y:
    /// (2/D)·\[½(1 + κ(2δ)) − κ(δ)²\], which for the Gaussian kernel is always less than that of
    /// the other form.
    #[default]
    Paired,
    /// cos(ωᵀx + b) with a random phase b: one feature per frequency.
    ///
    /// Variance with D features: (1/D)·\[1 + ½κ(2δ) − κ(δ)²\].
    Phase,
}

/// The dependence between the frequencies of a map. Each frequency by itself is distributed by the
/// kernel's spectrum, so the features are unbiased in all cases.
///
/// # Numerics
/// Root mean square errors relative to independent frequencies, for the RBF kernel with γ = 1/(2d)
/// on normal points in d dimensions, next to those of structured frequencies
/// (`cargo bench -p kern-benches --bench features`):
///
/// | d | D | `Orthogonal` | `Quasi` | [`Structure::Orthogonal`] | [`Structure::Fastfood`] |
/// |---|---|---|---|---|---|
/// | 2 | 256 | 0.83 | 0.18 | 0.80 | 0.83 |
/// | 2 | 4096 | 0.86 | 0.04 | 0.82 | 0.82 |
/// | 4 | 256 | 0.69 | 0.32 | 0.69 | 1.05 |
/// | 4 | 4096 | 0.67 | 0.10 | 0.71 | 0.98 |
/// | 8 | 256 | 0.61 | 0.51 | 0.65 | 1.13 |
/// | 8 | 4096 | 0.60 | 0.28 | 0.65 | 1.11 |
/// | 16 | 256 | 0.57 | 0.67 | 0.59 | 1.24 |
/// | 16 | 4096 | 0.57 | 0.54 | 0.58 | 1.22 |
/// | 64 | 256 | 0.54 | 0.93 | 0.53 | 1.37 |
/// | 64 | 4096 | 0.54 | 0.60 | 0.54 | 1.30 |
/// | 256 | 256 | 0.80 | 1.09 | 0.80 | 1.19 |
/// | 256 | 4096 | 0.52 | 0.68 | 0.52 | 1.31 |
///
/// # References
/// Yu, Suresh, Choromanski, Holtmann-Rice & Kumar (2016), *Orthogonal Random Features*; Yang,
/// Sindhwani, Avron & Mahoney (2014), *Quasi-Monte Carlo Feature Maps for Shift-Invariant Kernels*;
/// Burley (2020), *Practical Hash-based Owen Scrambling*.
///
/// # Examples
/// ```
/// use kern_approx::{RandomFourier, Sampling};
/// use kern_core::kernels::Rbf;
/// let params = RandomFourier::new(Rbf::new(0.5)?).dim(64).sampling(Sampling::Orthogonal);
/// let map = params.sample(8)?;
/// let (v, w) = (map.frequencies().row(0), map.frequencies().row(1));
/// assert!((v * w.transpose()).abs() < 1e-15);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Sampling {
    /// Independent frequencies.
    #[default]
    Independent,
    /// Orthogonal in blocks of d, with lengths from the kernel's spectrum.
    ///
    /// Requires an isotropic spectrum: a kernel of ‖x − y‖₂. The variance is below that of
    /// independent frequencies if ‖x − y‖ is not large; it costs d² more multiplications per
    /// frequency, once.
    #[doc(alias = "ORF")]
    Orthogonal,
    /// The quantile transform of a scrambled Sobol sequence, which fills the space evenly.
    ///
    /// Requires a spectrum with a quantile transform, which all kernels except the rational
    /// quadratic have. In two dimensions the error decreases almost like 1/D; the gain shrinks with
    /// each further dimension (see the table above). At most 2¹⁶ frequencies, with at most 256
    /// uniform values each.
    #[doc(alias = "QMC")]
    #[doc(alias = "Sobol")]
    Quasi,
}

/// Parameters of random Fourier features for a shift-invariant kernel.
///
/// # Definition
/// With frequencies ω ~ p, the normalised spectrum of the kernel, and mass κ(0) = K(x, x):
/// ψ(x) = √(2κ(0)/D)·\[cos ω_iᵀx, …, sin ω_iᵀx, …\], i ≤ D/2, in the [paired](FourierForm::Paired)
/// form, or √(2κ(0)/D)·\[cos(ω_iᵀx + b_i), …\], i ≤ D, b ~ U\[0, 2π), in the
/// [phase](FourierForm::Phase) form. Either way E ψ(x)ᵀψ(y) = K(x, y).
///
/// Any kernel that is [`Spectral`] can be used, sums, products and scalings included. Others are
/// refused at compile time, or when features are drawn if the kernel comes from a formula.
/// Defaults: 512 features, paired, independent, seed 0.
///
/// # Numerics
/// The same seed gives the same frequencies in the same order, whatever their number and the form:
/// the frequencies of a smaller map are the first ones of a larger map.
///
/// # References
/// Rahimi & Recht (2007), *Random Features for Large-Scale Kernel Machines*, algorithm 1.
///
/// # Examples
/// ```
/// use kern_approx::{FourierForm, RandomFourier};
/// use kern_core::kernels::{Laplacian, Rbf};
/// let kernel = Rbf::new(0.5)? * Laplacian::new(0.1)? + 0.3 * Rbf::new(2.0)?;
/// let map = RandomFourier::new(kernel).dim(300).form(FourierForm::Phase).seed(7).sample(4)?;
/// assert_eq!((map.dim(), map.input_dim()), (300, 4));
/// # Ok::<(), kern_approx::Error>(())
/// ```
/// The kernel of a formula:
/// ```
/// use kern_approx::{Error, RandomFourier};
/// use kern_core::{KernelSpec, Samples};
/// let kernel = |formula: &str| formula.parse::<KernelSpec>()?.build_mercer::<Samples<f64>>();
/// let map = RandomFourier::new(kernel("0.5*rbf(gamma=0.1) + cauchy(gamma=2)")?).sample(4)?;
/// assert_eq!(map.dim(), 512);
/// let none = RandomFourier::new(kernel("linear")?).sample(4).unwrap_err();
/// assert!(matches!(none, Error::Core(kern_core::Error::NoSpectrum { family: "linear" })));
/// # Ok::<(), kern_approx::Error>(())
/// ```
/// A kernel without a spectrum does not compile:
/// ```compile_fail,E0277
/// use kern_approx::RandomFourier;
/// use kern_core::kernels::Linear;
/// let map = RandomFourier::new(Linear).sample(2);
/// ```
#[doc(alias = "RFF")]
#[doc(alias = "random kitchen sinks")]
#[doc(alias = "Rahimi-Recht")]
#[doc(alias = "RBFSampler")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct RandomFourier<K> {
    kernel: K,
    dim: usize,
    form: FourierForm,
    #[serde(default)]
    sampling: Sampling,
    seed: u64,
}

impl<K> RandomFourier<K> {
    /// Creates features of `kernel` with default parameters.
    pub fn new(kernel: K) -> Self
    where
        K: Spectral,
    {
        let (form, sampling) = (FourierForm::Paired, Sampling::Independent);
        Self { kernel, dim: 512, form, sampling, seed: 0 }
    }

    /// The number of features, D ≥ 1; even in the paired form.
    pub fn dim(mut self, dim: usize) -> Self {
        self.dim = dim;
        self
    }

    /// The form: paired or with random phases.
    pub fn form(mut self, form: FourierForm) -> Self {
        self.form = form;
        self
    }

    /// Sets the dependence between the frequencies.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// The seed of the frequencies.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Samples the frequencies of a map for samples of dimension `input_dim`.
    ///
    /// # Errors
    /// [`Error::Zero`] if either dimension is 0, [`Error::OddDim`] for an odd one in the paired
    /// form, [`Error::Core`] if the kernel's parameters are invalid, [`Error::Frequency`] if they
    /// are so extreme that a frequency is not finite, [`Error::Gram`] if the frequencies do not fit
    /// in memory. [`Error::Anisotropic`], [`Error::NoQuantile`] or [`Error::QuasiRandom`] if the
    /// [`Sampling`] is not possible for the kernel or the dimensions.
    ///
    /// # Complexity
    /// d values per frequency: d·D/2 (paired) or d·D (phase). Orthogonal ones take 4d²
    /// multiplications, and memory for d more values each, for the first d of them.
    pub fn sample(&self, input_dim: usize) -> Result<FourierMap, Error>
    where
        K: Spectral,
    {
        let count = self.check(input_dim)?;
        let turns = match self.sampling {
            Sampling::Independent => {
                let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
                turns(count, input_dim, |omega| {
                    omega.fill(0.0);
                    self.kernel.add_frequency(&mut rng, omega);
                })?
            }
            Sampling::Orthogonal => {
                self.check_isotropic("orthogonal")?;
                let mut orthogonal = Orthogonal::new(&self.kernel, self.seed);
                turns(count, input_dim, |omega| orthogonal.next(omega))?
            }
            Sampling::Quasi => {
                let mut quasi = Quasi::new(&self.kernel, self.seed, count, input_dim)?;
                turns(count, input_dim, |omega| quasi.next(omega))?
            }
        };
        FourierMap::new(turns, self.offsets(count), self.kernel.mass())
    }

    /// Samples structured frequencies: a map that takes O(D·log d) time per point instead of
    /// O(D·d), and is faster from d = 128 on (see the times at [`StructuredMap`]). The structure
    /// determines how frequencies depend on each other, and [`sampling`](RandomFourier::sampling)
    /// is ignored.
    ///
    /// # Errors
    /// As [`sample`](RandomFourier::sample), and [`Error::Anisotropic`] unless the kernel is a
    /// function of ‖x − y‖₂.
    ///
    /// # Examples
    /// ```
    /// use kern_approx::{RandomFourier, Structure};
    /// use kern_core::kernels::{Laplacian, Matern32};
    /// let matern = RandomFourier::new(Matern32::new(2.0)?).dim(4096);
    /// let map = matern.sample_structured(Structure::Fastfood, 784)?;
    /// assert_eq!((map.dim(), map.input_dim()), (4096, 784));
    /// let laplacian = RandomFourier::new(Laplacian::new(2.0)?);
    /// assert!(laplacian.sample_structured(Structure::Fastfood, 784).is_err());
    /// # Ok::<(), kern_approx::Error>(())
    /// ```
    pub fn sample_structured(
        &self,
        structure: Structure,
        input_dim: usize,
    ) -> Result<StructuredMap, Error>
    where
        K: Spectral,
    {
        let count = self.check(input_dim)?;
        self.check_isotropic("structured")?;
        let offsets = self.offsets(count);
        StructuredMap::sample(&self.kernel, structure, self.seed, count, input_dim, offsets)
    }

    fn check_isotropic(&self, what: &'static str) -> Result<(), Error>
    where
        K: Spectral,
    {
        if self.kernel.is_isotropic() { Ok(()) } else { Err(Error::Anisotropic { what }) }
    }

    /// Validates the parameters and returns the number of frequencies.
    fn check(&self, input_dim: usize) -> Result<usize, Error>
    where
        K: Spectral,
    {
        if input_dim == 0 {
            return Err(Error::Zero { what: "the dimension of the samples" });
        }
        if self.dim == 0 {
            return Err(Error::Zero { what: "the number of features" });
        }
        let count = match self.form {
            FourierForm::Phase => self.dim,
            FourierForm::Paired if self.dim % 2 == 1 => {
                return Err(Error::OddDim { given: self.dim });
            }
            FourierForm::Paired => self.dim / 2,
        };
        self.kernel.check_spectrum(input_dim)?;
        let budget = MemoryBudget::available();
        budget.check::<f64>("the frequencies", input_dim, count, "take fewer features")?;
        Ok(count)
    }

    /// The random phases in turns. They use a random stream of their own, so that the frequencies
    /// are the same in both forms.
    fn offsets(&self, count: usize) -> Option<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(1);
        (self.form == FourierForm::Phase).then(|| (0..count).map(|_| rng.random()).collect())
    }
}

/// `count` frequencies in turns, each written by `next`.
fn turns(count: usize, dim: usize, mut next: impl FnMut(&mut [f64])) -> Result<Mat<f64>, Error> {
    let (mut turns, mut omega) = (zeros(count, dim)?, vec![0.0; dim]);
    for index in 0..count {
        next(&mut omega);
        for (k, w) in omega.iter().enumerate() {
            turns[(index, k)] = w / TAU;
        }
        if !omega.iter().all(|w| w.is_finite()) {
            return Err(Error::Frequency { index });
        }
    }
    Ok(turns)
}
