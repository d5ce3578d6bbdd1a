//! Structured random frequencies (SORF and Fastfood), which are applied in O(log d) each.
//!
//! Notation: p, a power of two, is the dimension of padded samples; frequencies come in blocks of
//! p.

use super::fourier_map::{Wave, check_reach};
use super::hadamard;
use super::orthogonal::radius;
use crate::Error;
use crate::panels::{check_dim, largest};
use faer::MatMut;
use kern_core::rand::{Rng, RngExt};
use kern_core::tile::for_each_column;
use kern_core::{FeatureMap, NonNegative, Scalar, Scratch, Spectral, Vectors};
use kern_gram::MemoryBudget;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::ops::Range;

/// The smallest p. Directions of the orthogonal structure are closer to uniform the larger p is,
/// and blocks this small cost almost nothing.
const SMALLEST: usize = if hadamard::SMALLEST > 64 { hadamard::SMALLEST } else { 64 };

/// The random stream for directions.
const DIRECTIONS: u64 = 2;

/// The product of simple matrices that forms a block of directions. H is the Walsh–Hadamard matrix.
///
/// # References
/// Yu, Suresh, Choromanski, Holtmann-Rice & Kumar (2016), *Orthogonal Random Features*, section 4;
/// Le, Sarlós & Smola (2013), *Fastfood*, section 3.
///
/// # Examples
/// ```
/// assert_eq!(kern_approx::Structure::default(), kern_approx::Structure::Fastfood);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Structure {
    /// p^(−3/2)·H·D₁·H·D₂·H·D₃ with random signs D (SORF). Directions of a block are orthogonal,
    /// hence the low variance, but only approximately uniform: there is a bias of order p^(−½),
    /// which does not yet show in the errors measured at [`Sampling`](crate::Sampling), up to D =
    /// 4096.
    #[doc(alias = "SORF")]
    Orthogonal,
    /// p^(−½)·‖G‖⁻¹·H·G·Π·H·B with random signs B, a permutation Π, and normal values G (Fastfood).
    /// Each direction is exactly uniform, so there is no bias, but the variance is larger than that
    /// of independent frequencies.
    #[default]
    Fastfood,
}

/// A random Fourier feature map with structured frequencies; see
/// [`RandomFourier::sample_structured`](crate::RandomFourier::sample_structured).
///
/// # Definition
/// As [`FourierMap`](crate::FourierMap) with ω_i = r_i·q_i: directions q_i are rows of blocks
/// ([`Structure`]) in dimension p = max(64, d rounded up to a power of two), samples are padded
/// with zeros to p coordinates, and r_i is the length of an independent frequency of the kernel in
/// dimension p. (A kernel of ‖x − y‖ is the same in every dimension.)
///
/// # Complexity
/// O(log p) additions and a cosine per feature. Nanoseconds per frequency (a cosine and a sine) on one
/// thread of a Zen 5 processor, D = 4d (`cargo bench -p kern-benches --bench features`):
///
/// | d | dense, f64 | `Orthogonal` | `Fastfood` | dense, f32 | `Orthogonal` | `Fastfood` |
/// |---|---|---|---|---|---|---|
/// | 64 | 1.6 | 2.3 | 2.2 | 1.4 | 2.2 | 2.2 |
/// | 128 | 2.7 | 2.3 | 2.1 | 2.3 | 2.1 | 2.0 |
/// | 256 | 5.1 | 2.9 | 2.5 | 4.7 | 2.7 | 2.3 |
/// | 512 | 9.3 | 3.4 | 2.8 | 9.3 | 3.2 | 2.6 |
/// | 784 | 15.1 | 4.1 | 3.5 | 15.3 | 4.0 | 3.2 |
/// | 1024 | 22.3 | 3.5 | 2.8 | 21.5 | 3.1 | 2.6 |
///
/// The dense product is slower from d = 128 on. Frequencies take memory for 4 or 3½ values each,
/// not d.
///
/// # Numerics
/// As [`FourierMap`](crate::FourierMap): phases in double precision.
///
/// # Examples
/// ```
/// use kern_approx::{RandomFourier, Structure, transform};
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// let params = RandomFourier::new(Rbf::new(0.5)?).dim(4096);
/// let map = params.sample_structured(Structure::Orthogonal, 2)?;
/// let x = Samples::from_rows(&[[0.0, 1.0], [1.0, 1.0]])?;
/// let z = transform(&map, &x, &MemoryBudget::mebibytes(1))?;
/// let estimate: f64 = z.item(0).iter().zip(z.item(1)).map(|(a, b)| a * b).sum();
/// assert!((estimate - (-0.5_f64).exp()).abs() < 0.05);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed")]
pub struct StructuredMap {
    input_dim: usize,
    count: usize,
    blocks: Vec<Block>,
    offsets: Option<Vec<f64>>,
    mass: f64,
}

/// p frequencies: x ↦ S·H·E_k·…·H·Π·H·E_1·x (with the permutation after the first diagonal, if
/// there is one).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Block {
    /// The diagonals E.
    diagonals: Vec<Vec<f64>>,
    permutation: Option<Vec<u32>>,
    /// The diagonal S, which scales to the lengths of the kernel's frequencies, in turns.
    lengths: Vec<f64>,
}

impl Block {
    fn sample<K: Spectral>(
        kernel: &K,
        structure: Structure,
        p: usize,
        radii: &mut ChaCha8Rng,
        directions: &mut ChaCha8Rng,
    ) -> Self {
        let (diagonals, permutation, norm) = match structure {
            Structure::Orthogonal => {
                let signs = (0..3).map(|_| signs(p, directions)).collect();
                (signs, None, (p as f64).powf(1.5))
            }
            Structure::Fastfood => {
                let normal = |_| StandardNormal.sample(&mut *directions);
                let g: Vec<f64> = (0..p).map(normal).collect();
                let norm = (p as f64 * f64::dot(&g, &g)).sqrt();
                let signs = signs(p, directions);
                (vec![signs, g], Some(permutation(p, directions)), norm)
            }
        };
        let mut omega = vec![0.0; p];
        let mut length = |_| radius(kernel, radii, &mut omega) / (TAU * norm);
        Self { diagonals, permutation, lengths: (0..p).map(&mut length).collect() }
    }

    /// Replaces a padded sample by its phases, in turns; `other` is a buffer of the same size.
    fn apply(&self, x: &mut Vec<f64>, other: &mut Vec<f64>) {
        for (k, diagonal) in self.diagonals.iter().enumerate() {
            hadamard::transform(x, diagonal);
            if let (0, Some(permutation)) = (k, &self.permutation) {
                for (to, &from) in other.iter_mut().zip(permutation) {
                    *to = x[from as usize];
                }
                std::mem::swap(x, other);
            }
        }
        for (x, length) in x.iter_mut().zip(&self.lengths) {
            *x *= length;
        }
    }

    /// Returns true if all parts are finite and of dimension p.
    fn is_valid(&self, p: usize) -> bool {
        let vectors = || self.diagonals.iter().chain([&self.lengths]);
        let mut finite = vectors().flatten().all(|v| v.is_finite());
        finite &= vectors().all(|v| v.len() == p);
        let below = |permutation: &Vec<u32>| {
            permutation.len() == p && permutation.iter().all(|&i| (i as usize) < p)
        };
        finite && self.permutation.as_ref().is_none_or(below)
    }
}

fn signs(p: usize, rng: &mut impl Rng) -> Vec<f64> {
    (0..p).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect()
}

/// A uniform permutation (Fisher–Yates).
fn permutation(p: usize, rng: &mut impl Rng) -> Vec<u32> {
    let mut permutation: Vec<u32> = (0..p as u32).collect();
    for i in (1..p).rev() {
        permutation.swap(i, rng.random_range(0..=i));
    }
    permutation
}

/// The serialised form, before validation.
#[derive(Deserialize)]
struct Packed {
    input_dim: usize,
    count: usize,
    blocks: Vec<Block>,
    offsets: Option<Vec<f64>>,
    mass: f64,
}

impl TryFrom<Packed> for StructuredMap {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        let Packed { input_dim, count, blocks, offsets, mass } = packed;
        let p = padded(input_dim)?;
        if input_dim == 0 || count == 0 || count.div_ceil(p) != blocks.len() {
            return Err(Error::Invalid { what: "frequencies and blocks differ in number" });
        }
        if offsets.as_ref().is_some_and(|offsets| offsets.len() != count) {
            return Err(Error::Invalid { what: "frequencies and phases differ in number" });
        }
        let finite = offsets.iter().flatten().all(|b| b.is_finite());
        if !finite || !blocks.iter().all(|block| block.is_valid(p)) {
            return Err(Error::Invalid { what: "a block or phase is not valid" });
        }
        let mass = NonNegative::new("the mass of the kernel's spectrum", mass)?.get();
        Ok(Self { input_dim, count, blocks, offsets, mass })
    }
}

/// p for samples of dimension d.
fn padded(input_dim: usize) -> Result<usize, Error> {
    // Indices of permutations have 32 bits.
    let p = input_dim.checked_next_power_of_two().filter(|&p| u32::try_from(p).is_ok());
    let what = "the samples have too many coordinates for structured frequencies";
    p.map(|p| p.max(SMALLEST)).ok_or(Error::Invalid { what })
}

impl StructuredMap {
    /// Samples `count` frequencies of an isotropic kernel, with as many phases or none.
    pub(super) fn sample<K: Spectral>(
        kernel: &K,
        structure: Structure,
        seed: u64,
        count: usize,
        input_dim: usize,
        offsets: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let p = padded(input_dim)?;
        let blocks = count.div_ceil(p);
        let budget = MemoryBudget::available();
        // An upper bound: either structure has fewer than five vectors.
        budget.check::<f64>(
            "the frequencies",
            p.saturating_mul(5),
            blocks,
            "take fewer features",
        )?;
        let mut radii = ChaCha8Rng::seed_from_u64(seed);
        let mut directions = radii.clone();
        directions.set_stream(DIRECTIONS);
        let block = |_| Block::sample(kernel, structure, p, &mut radii, &mut directions);
        let blocks: Vec<Block> = (0..blocks).map(block).collect();
        let mut lengths = blocks.iter().flat_map(|block| &block.lengths);
        if let Some(index) = lengths.position(|length| !length.is_finite()) {
            return Err(Error::Frequency { index });
        }
        let mass = NonNegative::new("the mass of the kernel's spectrum", kernel.mass())?.get();
        Ok(Self { input_dim, count, blocks, offsets, mass })
    }

    /// The number of features, D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.wave().dim()
    }

    /// The dimension of the samples, d.
    #[must_use]
    pub fn input_dim(&self) -> usize {
        self.input_dim
    }

    fn wave(&self) -> Wave<'_> {
        Wave { count: self.count, offsets: self.offsets.as_deref(), mass: self.mass }
    }

    /// The dimension p, the same for all blocks.
    fn padded(&self) -> usize {
        self.blocks.first().map_or(SMALLEST, |block| block.lengths.len())
    }

    /// Σⱼ|ω_j| ≤ the largest entry of S times the product of the norms of the diagonals, each with
    /// the factor p by which H may increase a coordinate.
    fn reach(&self) -> f64 {
        let p = self.padded() as f64;
        let largest = |v: &Vec<f64>| v.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let block = |block: &Block| {
            let diagonals = block.diagonals.iter().map(|d| p * largest(d)).product::<f64>();
            diagonals * largest(&block.lengths)
        };
        self.blocks.iter().map(block).fold(0.0, f64::max)
    }
}

/// A sample is padded and stored densely in a buffer for one sample: the transform leaves no zeros
/// anyway.
impl<P: Vectors> FeatureMap<P> for StructuredMap {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.dim(), range.len()), "the output must be D x points");
        let (wave, p) = (self.wave(), self.padded());
        let (mut sample, mut phases, mut other) = (vec![0.0; p], vec![0.0; p], vec![0.0; p]);
        for_each_column(out, scratch, |j, features| {
            sample.fill(0.0);
            points.coordinates(range.start + j).for_each(|(k, x)| sample[k] = x);
            for (b, block) in self.blocks.iter().enumerate() {
                phases.copy_from_slice(&sample);
                block.apply(&mut phases, &mut other);
                let rows = p.min(self.count - b * p);
                wave.write(&mut phases[..rows], b * p, features);
            }
        });
    }

    /// As [`FourierMap`](crate::FourierMap), with a looser bound on the phases.
    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        check_dim(self.input_dim, points.dim())?;
        check_reach(largest(points), self.reach())
    }
}
