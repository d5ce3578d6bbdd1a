//! Sketched tensor product of two feature maps.

use super::count_sketch::{Convolution, Hash, check_cells, hashes};
use crate::Error;
use faer::{MatMut, MatRef};
use kern_core::tile::for_each_column;
use kern_core::{FeatureMap, Points, Scalar, Scratch};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// Parameters of the sketched tensor product of two feature maps: features of a product of kernels.
///
/// # Definition
/// If φ₁ and φ₂ are feature maps of K₁ and K₂, exact or not, the D₁·D₂ features φ₁ ⊗ φ₂
/// ([`TensorMap`](kern_core::feature_map::TensorMap)) are those of K₁·K₂. ψ is their count sketch
/// with hash h₁(i) + h₂(j) mod D and sign s₁(i)·s₂(j), where h and s are random functions: the
/// circular convolution of the count sketches of φ₁(x) and φ₂(x). The D₁·D₂ products are never
/// formed.
///
/// Given the two maps, E ψ(x)ᵀψ(y) = (φ₁(x)ᵀφ₁(y))·(φ₂(x)ᵀφ₂(y)). With u = φ₁(x), u′ = φ₁(y), k₁ =
/// uᵀu′, S₁ = ‖u‖²‖u′‖² − Σuᵢ²u′ᵢ² and T₁ = k₁² − Σuᵢ²u′ᵢ², and the same for φ₂, the variance is
/// \[k₁²(S₂ + T₂) + k₂²(S₁ + T₁) + S₁S₂ + T₁T₂\]/D + f·(S₁T₂ + S₂T₁)/D², where f is 1 for an odd D,
/// 2 for an even one. (The sketch's inner product is Σ_δ a₁(δ)·a₂(−δ) with the circular
/// correlations a of the two parts, whose second moments are sums over equal and swapped pairs of
/// coordinates.) So the sketch pays off only if D is well below D₁·D₂.
///
/// Defaults: 512 features, seed 0.
///
/// # References
/// Pham & Pagh (2013), *Fast and Scalable Polynomial Kernels via Explicit Feature Maps*, section 3:
/// the sketch of an outer product, there of a point with itself.
///
/// # Examples
/// ```
/// use kern_approx::{RandomFourier, SketchedTensor, transform};
/// use kern_core::{Identity, Points, Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// // Features of exp(-‖x - y‖²/2)·⟨x, y⟩.
/// let rbf = RandomFourier::new(Rbf::new(0.5)?).dim(1000).sample(2)?;
/// let x = Samples::from_rows(&[[0.6, 0.8], [0.8, 0.6]])?;
/// let map = SketchedTensor::new(rbf, Identity::new(2)).dim(4096).seed(1).sample(&x)?;
/// let z = transform(&map, &x, &MemoryBudget::mebibytes(1))?;
/// let estimate: f64 = z.item(0).iter().zip(z.item(1)).map(|(a, b)| a * b).sum();
/// assert!((estimate - (-0.04_f64).exp() * 0.96).abs() < 0.1);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct SketchedTensor<A, B> {
    left: A,
    right: B,
    dim: usize,
    seed: u64,
}

impl<A, B> SketchedTensor<A, B> {
    /// The product of two maps, with default parameters.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right, dim: 512, seed: 0 }
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

    /// Draws the hashes; `points` determine the dimensions of the two maps' features.
    ///
    /// # Errors
    /// [`Error::Zero`] if D is 0, [`Error::Core`] if a map refuses the points, [`Error::Gram`] if the
    /// hashes or one point's features do not fit in memory.
    pub fn sample<P>(self, points: &P) -> Result<SketchedTensorMap<A, B>, Error>
    where
        P: Points + ?Sized,
        A: FeatureMap<P>,
        B: FeatureMap<P>,
    {
        if self.dim == 0 {
            return Err(Error::Zero { what: "the number of features" });
        }
        self.left.check(points)?;
        self.right.check(points)?;
        let dims = [self.left.dim(), self.right.dim()];
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let total = dims[0].saturating_add(dims[1]);
        let hashes = hashes(total, dims.into_iter(), self.dim, &mut rng)?;
        let Self { left, right, dim, .. } = self;
        SketchedTensorMap::try_from(Packed { left, right, dim, hashes })
    }
}

/// The sketched tensor product of two feature maps; see [`SketchedTensor`] for the definition.
///
/// # Complexity
/// O(D₁ + D₂ + D·log D) per point in addition to the two maps, and memory for 4D values.
///
/// # Numerics
/// In double precision; an error of O(u·log D)·‖φ₁‖‖φ₂‖ per feature, rounded to the type of the
/// points.
///
/// # Examples
/// ```
/// use kern_approx::{Identity, FeatureMap, SketchedTensor};
/// use kern_core::Samples;
/// let x = Samples::from_rows(&[[0.6_f32, 0.8]])?;
/// let map = SketchedTensor::new(Identity::new(2), Identity::new(2)).dim(8).sample(&x)?;
/// assert_eq!(FeatureMap::<Samples<f32>>::dim(&map), 8);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Packed<A, B>", into = "Packed<A, B>")]
#[serde(bound(serialize = "A: Clone + Serialize, B: Clone + Serialize"))]
pub struct SketchedTensorMap<A, B> {
    packed: Packed<A, B>,
    convolution: Convolution,
}

/// The serialised form; the transforms follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Packed<A, B> {
    left: A,
    right: B,
    dim: usize,
    /// For each map, the cell of each feature and whether its sign is negative.
    hashes: Vec<Hash>,
}

impl<A, B> TryFrom<Packed<A, B>> for SketchedTensorMap<A, B> {
    type Error = Error;
    fn try_from(packed: Packed<A, B>) -> Result<Self, Error> {
        check_cells(&packed.hashes, packed.dim)?;
        if packed.hashes.len() != 2 {
            return Err(Error::Invalid { what: "hashes are not of two maps" });
        }
        let convolution = Convolution::new(packed.dim)?;
        Ok(Self { packed, convolution })
    }
}

impl<A, B> From<SketchedTensorMap<A, B>> for Packed<A, B> {
    fn from(map: SketchedTensorMap<A, B>) -> Self {
        map.packed
    }
}

impl<A: PartialEq, B: PartialEq> PartialEq for SketchedTensorMap<A, B> {
    fn eq(&self, other: &Self) -> bool {
        self.packed == other.packed
    }
}

impl<A: fmt::Debug, B: fmt::Debug> fmt::Debug for SketchedTensorMap<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packed.fmt(f)
    }
}

impl<A, B> SketchedTensorMap<A, B> {
    /// Sketches the tensor products of pairs of columns.
    fn multiply<T: Scalar>(
        &self,
        parts: [MatRef<'_, T>; 2],
        out: MatMut<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let mut work = self.convolution.workspace();
        for_each_column(out, scratch, |j, features| {
            Convolution::begin(&mut work);
            for (hash, part) in self.packed.hashes.iter().zip(parts) {
                let values = part.col(j).iter().map(|v| v.to_f64()).enumerate();
                self.convolution.multiply(hash, values, &mut work);
            }
            let sketch = self.convolution.finish(&mut work);
            features.iter_mut().zip(sketch).for_each(|(to, &v)| *to = T::from_f64(v));
        });
    }
}

impl<P, A, B> FeatureMap<P> for SketchedTensorMap<A, B>
where
    P: Points + ?Sized,
    A: FeatureMap<P>,
    B: FeatureMap<P>,
{
    fn dim(&self) -> usize {
        self.packed.dim
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        // tidy: allow(panic) because the trait's method carries the `# Panics` section.
        assert_eq!(out.shape(), (self.packed.dim, range.len()), "the output must be D x points");
        let (Packed { left: a, right: b, .. }, m) = (&self.packed, range.len());
        scratch.with_matrix(a.dim(), m, |mut left, scratch| {
            a.transform_into(points, range.clone(), left.as_mut(), scratch);
            scratch.with_matrix(b.dim(), m, |mut right, scratch| {
                b.transform_into(points, range, right.as_mut(), scratch);
                self.multiply([left.as_ref(), right.as_ref()], out, scratch);
            });
        });
    }

    /// Checks the requirements of both maps, and that the hashes match their features.
    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        let Packed { left, right, hashes, .. } = &self.packed;
        left.check(points)?;
        right.check(points)?;
        for (hash, given) in hashes.iter().zip([left.dim(), right.dim()]) {
            kern_core::Error::check_dimension("features of a factor", hash.len(), given)?;
        }
        Ok(())
    }
}
