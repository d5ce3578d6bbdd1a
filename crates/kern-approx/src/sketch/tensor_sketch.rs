//! TensorSketch: the count sketch of a tensor power, by fast Fourier transforms.

use super::count_sketch::{Convolution, Hash, Workspace, check_cells, hashes};
use crate::Error;
use crate::panels::check_dim;
use faer::MatMut;
use kern_core::kernels::Polynomial;
use kern_core::tile::for_each_column;
use kern_core::{FeatureMap, Scalar, Scratch, Vectors};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// Parameters of the tensor sketch of a polynomial kernel.
///
/// # Definition
/// (γxᵀy + r)^p is the inner product of tensor powers u ⊗ … ⊗ u of u = (√γ·x, √r). ψ is their count
/// sketch with hash h₁ + … + h_p mod D and sign s₁·…·s_p, where h_k and s_k are random functions of
/// the coordinate: the circular convolution of p count sketches of u. E ψ(x)ᵀψ(y) = K(x, y).
///
/// With u and v of x and y the variance is at most \[(2‖u‖²‖v‖² + ⟨u, v⟩²)^p − ⟨u, v⟩^{2p}\]/D. (In
/// the second moment, each of the p factors has its four coordinates equal in pairs, in one of three
/// ways. One adds ⟨u, v⟩² and never moves a cell, the others at most ‖u‖²‖v‖² each, and where one of
/// them occurs cells are equal with a probability of at most 1/D.)
///
/// Defaults: 512 features, seed 0.
///
/// # References
/// Pham & Pagh (2013), *Fast and Scalable Polynomial Kernels via Explicit Feature Maps*, algorithm 1.
///
/// # Examples
/// ```
/// use kern_approx::TensorSketch;
/// use kern_core::kernels::Polynomial;
/// let map = TensorSketch::new(Polynomial::new(1.0, 1.0, 3)?).dim(1000).seed(3).sample(5)?;
/// assert_eq!((map.dim(), map.input_dim()), (1000, 5));
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[doc(alias = "count sketch")]
#[doc(alias = "PolynomialCountSketch")]
#[doc(alias = "Pham-Pagh")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct TensorSketch {
    kernel: Polynomial,
    dim: usize,
    seed: u64,
}

impl TensorSketch {
    /// Creates features of `kernel` with default parameters.
    pub fn new(kernel: Polynomial) -> Self {
        Self { kernel, dim: 512, seed: 0 }
    }

    /// The number of features, D ≥ 1. Powers of two are the fastest.
    pub fn dim(mut self, dim: usize) -> Self {
        self.dim = dim;
        self
    }

    /// The seed of hashes and signs.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Draws the hashes for samples of dimension `input_dim`.
    ///
    /// # Errors
    /// [`Error::Zero`] if a dimension is 0, [`Error::Gram`] if the hashes or one point's features do
    /// not fit in memory.
    pub fn sample(&self, input_dim: usize) -> Result<SketchMap, Error> {
        if input_dim == 0 {
            return Err(Error::Zero { what: "the dimension of the samples" });
        }
        if self.dim == 0 {
            return Err(Error::Zero { what: "the number of features" });
        }
        let coordinates = input_dim.saturating_add(1);
        let degree = self.kernel.degree() as usize;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (total, each) = (coordinates.saturating_mul(degree), (0..degree).map(|_| coordinates));
        let hashes = hashes(total, each, self.dim, &mut rng)?;
        let kernel = self.kernel;
        SketchMap::try_from(Packed { kernel, dim: self.dim, input_dim, hashes })
    }
}

/// The tensor sketch of a polynomial kernel; see [`TensorSketch`] for the definition.
///
/// # Complexity
/// O(p·(nnz(x) + D·log D)) per point, and memory for 4D values.
///
/// # Numerics
/// In double precision; an error of O(u·log D)·‖u‖^p per feature, rounded to the type of the
/// samples.
///
/// # Examples
/// ```
/// use kern_approx::{TensorSketch, transform};
/// use kern_core::{Points, Samples, kernels::Polynomial};
/// use kern_gram::MemoryBudget;
/// let map = TensorSketch::new(Polynomial::new(1.0, 0.0, 2)?).dim(4096).sample(2)?;
/// let x = Samples::from_rows(&[[0.6, 0.8], [0.8, 0.6]])?;
/// let z = transform(&map, &x, &MemoryBudget::mebibytes(1))?;
/// let estimate: f64 = z.item(0).iter().zip(z.item(1)).map(|(a, b)| a * b).sum();
/// assert!((estimate - 0.96_f64.powi(2)).abs() < 0.1);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct SketchMap {
    packed: Packed,
    convolution: Convolution,
}

/// The serialised form; the transforms follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Packed {
    kernel: Polynomial,
    dim: usize,
    input_dim: usize,
    /// For each factor, the cell of each coordinate and whether its sign is negative. The last
    /// coordinate is the constant √r.
    hashes: Vec<Hash>,
}

impl TryFrom<Packed> for SketchMap {
    type Error = Error;
    fn try_from(packed: Packed) -> Result<Self, Error> {
        let Packed { kernel, dim, input_dim, hashes } = &packed;
        let factors = hashes.len() == kernel.degree() as usize && *input_dim > 0;
        if !factors || hashes.iter().any(|h| h.len().checked_sub(1) != Some(*input_dim)) {
            return Err(Error::Invalid { what: "hashes and coordinates differ in number" });
        }
        check_cells(hashes, *dim)?;
        let convolution = Convolution::new(*dim)?;
        Ok(Self { packed, convolution })
    }
}

impl From<SketchMap> for Packed {
    fn from(map: SketchMap) -> Self {
        map.packed
    }
}

impl PartialEq for SketchMap {
    fn eq(&self, other: &Self) -> bool {
        self.packed == other.packed
    }
}

impl fmt::Debug for SketchMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packed.fmt(f)
    }
}

impl SketchMap {
    /// The number of features, D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.packed.dim
    }

    /// The dimension of the samples, d.
    #[must_use]
    pub fn input_dim(&self) -> usize {
        self.packed.input_dim
    }

    /// The features of the sample with these coordinates.
    fn sketch<'a>(
        &self,
        x: impl Iterator<Item = (usize, f64)> + Clone,
        work: &'a mut Workspace,
    ) -> &'a [f64] {
        let Packed { kernel, input_dim, hashes, .. } = &self.packed;
        let (scale, constant) = (kernel.gamma().sqrt(), kernel.coef0().sqrt());
        let u = x.map(|(j, value)| (j, scale * value)).chain([(*input_dim, constant)]);
        Convolution::begin(work);
        for hash in hashes {
            self.convolution.multiply(hash, u.clone(), work);
        }
        self.convolution.finish(work)
    }
}

impl<P: Vectors> FeatureMap<P> for SketchMap {
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
        let mut work = self.convolution.workspace();
        for_each_column(out, scratch, |j, features| {
            let sketch = self.sketch(points.coordinates(range.start + j), &mut work);
            features.iter_mut().zip(sketch).for_each(|(to, &v)| *to = Scalar::from_f64(v));
        });
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        check_dim(self.input_dim(), points.dim())
    }
}
