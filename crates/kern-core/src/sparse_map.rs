//! Exact sparse feature maps: sparse rows whose inner products are kernel values.
//!
//! | kernel | its features |
//! |---|---|
//! | [`WordCount`](crate::kernels::WordCount), [`Spectrum`](crate::kernels::Spectrum), [`Mismatch`](crate::kernels::Mismatch), [`WeisfeilerLehman`](crate::kernels::WeisfeilerLehman), [`ShortestPath`](crate::kernels::ShortestPath) | counts |
//! | [`SetIntersection`](crate::kernels::SetIntersection) | indicators of elements |
//! | [`NormalizedSetIntersection`](crate::kernels::NormalizedSetIntersection) | the same, divided by √\|X\| |
//! | [`BagOfWords`](crate::kernels::BagOfWords) | indicators of "the word occurs at least n times" |
//! | [`NormalizedBagOfWords`](crate::kernels::NormalizedBagOfWords) | the same, divided by the root of the word's count |
//! | [`Delta`](crate::kernels::Delta) on strings | the indicator of the point |
//! | [`Linear`](crate::kernels::Linear), [`Cosine`](crate::kernels::Cosine) on sparse vectors | the coordinates, for `Cosine` divided by the norm |
//! | `c * k`, `Normalized::new(k)` | those of k times √c, or divided by their norm |

use crate::closure::{Normalized, Scaled};
use crate::kernels::{
    BagOfWords, Cosine, Delta, Graph, Linear, Mismatch, NormalizedBagOfWords,
    NormalizedSetIntersection, Set, SetIntersection, ShortestPath, Spectrum, WeisfeilerLehman,
    WordCount, Words,
};
use crate::{
    Embedded, Entry, Error, FeatureMap, Identity, Kernel, Named, Points, Scalar, Scratch,
    SparseSamples,
};
use faer::MatMut;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::{Borrow, Cow};
use std::ops::Range;

/// A kernel that is an inner product of sparse features: K(x, y) = Σ_w φ_w(x)·φ_w(y).
///
/// # Examples
/// A kernel of your own on pairs of numbers, whose features are named:
/// ```
/// use kern_core::{Kernel, SparseExplicit, SparseMap, SparseTransform};
/// struct SameParts;
/// impl Kernel<Vec<[u8; 2]>> for SameParts {
///     fn eval(&self, x: &[u8; 2], y: &[u8; 2]) -> f64 {
///         f64::from(u8::from(x[0] == y[0]) + u8::from(x[1] == y[1]))
///     }
/// }
/// impl SparseExplicit<Vec<[u8; 2]>> for SameParts {
///     type Name = (usize, u8);
///     fn features(&self, x: &[u8; 2]) -> Vec<((usize, u8), f64)> {
///         x.iter().enumerate().map(|(place, &part)| ((place, part), 1.0)).collect()
///     }
/// }
/// let points = vec![[1, 2], [1, 3]];
/// let map = SparseMap::learn(SameParts, &points)?;
/// assert_eq!(map.rows(&points)?.dim(), 3);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no exact sparse feature map on `{P}`",
    note = "counts of words, pieces of strings, elements of sets and labels of graphs have one, and so have their multiples and \
            `Normalized` ones"
)]
pub trait SparseExplicit<P: Points + ?Sized>: Kernel<P> {
    /// The identifier of a feature. Different features have different identifiers.
    type Name: Ord + Clone + Send + Sync;

    /// The non-zero features of a point, in ascending order and without repetition.
    fn features(&self, x: &P::Item) -> Vec<(Self::Name, f64)>;
}

/// A map from points to sparse vectors of a fixed dimension.
pub trait SparseTransform<P: Points>: Send + Sync {
    /// The sparse vectors of the points.
    ///
    /// # Errors
    /// If the map is not defined on a point, or memory cannot be allocated.
    fn rows<'p>(&self, points: &'p P) -> Result<Cow<'p, SparseSamples<P::Scalar>>, Error>;
}

impl<P: Points, M: SparseTransform<P> + ?Sized> SparseTransform<P> for &M {
    fn rows<'p>(&self, points: &'p P) -> Result<Cow<'p, SparseSamples<P::Scalar>>, Error> {
        (**self).rows(points)
    }
}

/// Sparse vectors are mapped to themselves.
impl<T: Scalar> SparseTransform<SparseSamples<T>> for Identity {
    fn rows<'p>(&self, points: &'p SparseSamples<T>) -> Result<Cow<'p, SparseSamples<T>>, Error> {
        crate::points::check_dim(self.size(), points.dim())?;
        Ok(Cow::Borrowed(points))
    }
}

/// The exact sparse feature map of a kernel, with one coordinate for each feature of the training
/// points.
///
/// # Definition
/// Row x has the coordinates φ_w(x) for all w in the vocabulary, the features of the training
/// points. So ⟨φ(x), φ(z)⟩ = K(x, z) up to rounding for any point x and any training point z:
/// features of x outside the vocabulary would be multiplied by 0 and are omitted. They still count
/// where the kernel divides by the norm of x. For two new points, the contribution of common
/// features outside the vocabulary is missing.
///
/// Features are identified by the kernel's own names, in a sorted list without repetition: no two
/// share a coordinate.
///
/// # Complexity
/// Computes and sorts the features of each point once, with a binary search for each feature;
/// memory for the rows.
///
/// # Examples
/// ```
/// use kern_core::closure::Normalized;
/// use kern_core::kernels::{Linear, WordCount};
/// use kern_core::{Kernel, Points, SparseMap, SparseSamples, SparseTransform};
/// let texts = vec!["to be or not to be", "to see"];
/// let map = SparseMap::learn(Normalized::new(WordCount), &texts)?;
/// assert_eq!(map.vocabulary().len(), 5);
/// let new = vec!["to be is to do"];
/// let (known, rows) = (map.rows(&texts)?, map.rows(&new)?);
/// let product: f64 = Kernel::<SparseSamples<f64>>::eval(&Linear, known.item(0), rows.item(0));
/// // 2·2 + 2·1 divided by the norms, which include `is` and `do`.
/// assert!((product - 6.0 / (10.0_f64 * 7.0).sqrt()).abs() < 1e-15);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "K: Named + Serialize, N: Serialize",
    deserialize = "K: Named + Deserialize<'de>, N: Ord + Deserialize<'de>"
))]
pub struct SparseMap<K, N> {
    #[serde(with = "crate::named")]
    kernel: K,
    #[serde(deserialize_with = "ascending")]
    vocabulary: Vec<N>,
}

/// Deserialises a strictly ascending list of names, as that of a map must be.
fn ascending<'de, D: Deserializer<'de>, N: Ord + Deserialize<'de>>(
    input: D,
) -> Result<Vec<N>, D::Error> {
    let names = Vec::<N>::deserialize(input)?;
    if names.is_sorted_by(|a, b| a < b) {
        Ok(names)
    } else {
        Err(serde::de::Error::custom("the names of features must ascend"))
    }
}

impl<K, N: Ord + Clone> SparseMap<K, N> {
    /// The map whose coordinates are the features of the training points.
    ///
    /// # Errors
    /// The errors of the kernel for points outside its domain; [`Error::TooManyFeatures`] for more
    /// than 2³¹ features.
    pub fn learn<P: Points + ?Sized>(kernel: K, points: &P) -> Result<Self, Error>
    where
        K: SparseExplicit<P, Name = N>,
    {
        const LIMIT: usize = 1 << 31;
        kernel.check(points)?;
        let mut vocabulary = Vec::new();
        for i in 0..points.len() {
            let names = kernel.features(points.item(i)).into_iter().map(|(name, _)| name);
            vocabulary.extend(names);
            // Deduplicated whenever the capacity is reached, so that it never holds many times its
            // final size.
            if vocabulary.len() == vocabulary.capacity() {
                vocabulary.sort_unstable();
                vocabulary.dedup();
            }
        }
        vocabulary.sort_unstable();
        vocabulary.dedup();
        vocabulary.shrink_to_fit();
        if vocabulary.len() > LIMIT {
            return Err(Error::TooManyFeatures { limit: LIMIT });
        }
        Ok(Self { kernel, vocabulary })
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The names of the coordinates, in their order.
    pub fn vocabulary(&self) -> &[N] {
        &self.vocabulary
    }

    /// The dimension of rows: the size of the vocabulary, but at least 1.
    fn size(&self) -> usize {
        self.vocabulary.len().max(1)
    }

    /// The non-zero coordinates of a point, in ascending order.
    fn row<P: Points + ?Sized>(&self, x: &P::Item) -> Vec<Entry<P::Scalar>>
    where
        K: SparseExplicit<P, Name = N>,
    {
        let features = self.kernel.features(x).into_iter();
        let known = features.filter_map(|(name, value)| {
            let feature = self.vocabulary.binary_search(&name).ok()? as u32;
            let value = P::Scalar::from_f64(value);
            (value != P::Scalar::ZERO).then_some(Entry { feature, value })
        });
        known.collect()
    }
}

impl<P, K, N> SparseTransform<P> for SparseMap<K, N>
where
    P: Points,
    K: SparseExplicit<P, Name = N>,
    N: Ord + Clone + Send + Sync,
{
    fn rows<'p>(&self, points: &'p P) -> Result<Cow<'p, SparseSamples<P::Scalar>>, Error> {
        self.kernel.check(points)?;
        let rows = (0..points.len()).map(|i| self.row::<P>(points.item(i)));
        Ok(Cow::Owned(SparseSamples::from_sorted(self.size(), rows)))
    }
}

/// The same rows including zeros, for solvers on dense features.
impl<P, K, N> FeatureMap<P> for SparseMap<K, N>
where
    P: Points + ?Sized,
    K: SparseExplicit<P, Name = N>,
    N: Ord + Clone + Send + Sync,
{
    fn dim(&self) -> usize {
        self.size()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        _: &mut Scratch<P::Scalar>,
    ) {
        out.fill(P::Scalar::ZERO);
        for (j, i) in range.enumerate() {
            for entry in self.row::<P>(points.item(i)) {
                out[(entry.feature as usize, j)] = entry.value;
            }
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.kernel.check(points)
    }
}

crate::named! { [K: Named, N] SparseMap<K, N> = "sparse", of K; }

/// Kernels on bags with a product of weights: the weights of the bag are the features.
macro_rules! counts {
    ($($kernel:ty: $bound:path;)*) => {$(
        impl<P> SparseExplicit<P> for $kernel
        where
            P: Points<Scalar = f64> + ?Sized,
            P::Item: $bound,
        {
            type Name = u64;

            fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
                self.bag(x).features().to_vec()
            }
        }
    )*};
}

counts! {
    WordCount: Words;
    Spectrum: AsRef<str>;
    Mismatch: AsRef<str>;
    WeisfeilerLehman: Borrow<Graph>;
    ShortestPath: Borrow<Graph>;
}

impl<P> SparseExplicit<P> for SetIntersection
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Set,
{
    type Name = u64;

    fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
        self.bag(x).features().iter().map(|&(name, _)| (name, 1.0)).collect()
    }
}

impl<P> SparseExplicit<P> for NormalizedSetIntersection
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Set,
{
    type Name = u64;

    fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
        let bag = self.bag(x);
        let share = 1.0 / (bag.features().len() as f64).sqrt();
        bag.features().iter().map(|&(name, _)| (name, share)).collect()
    }
}

/// Counts in unary, as (name, copy): min(m, n) is the number of copies shared by two counts.
fn copies(features: &[(u64, f64)], value: impl Fn(f64) -> f64) -> Vec<((u64, u32), f64)> {
    let each = |&(name, count): &(u64, f64)| {
        let value = value(count);
        (0..count as u32).map(move |copy| ((name, copy), value))
    };
    features.iter().flat_map(each).collect()
}

impl<P> SparseExplicit<P> for BagOfWords
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Words,
{
    type Name = (u64, u32);

    fn features(&self, x: &P::Item) -> Vec<((u64, u32), f64)> {
        copies(self.bag(x).features(), |_| 1.0)
    }
}

impl<P> SparseExplicit<P> for NormalizedBagOfWords
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Words,
{
    type Name = (u64, u32);

    fn features(&self, x: &P::Item) -> Vec<((u64, u32), f64)> {
        copies(self.bag(x).features(), |count| 1.0 / count.sqrt())
    }
}

/// The only feature of a point is the point itself.
impl<P> SparseExplicit<P> for Delta
where
    P: Points + ?Sized,
    P::Item: AsRef<str> + PartialEq,
{
    type Name = String;

    fn features(&self, x: &P::Item) -> Vec<(String, f64)> {
        vec![(x.as_ref().to_string(), 1.0)]
    }
}

impl<T: Scalar> SparseExplicit<SparseSamples<T>> for Linear {
    type Name = u32;

    fn features(&self, x: &[Entry<T>]) -> Vec<(u32, f64)> {
        x.iter().map(|entry| (entry.feature, entry.value.to_f64())).collect()
    }
}

impl<T: Scalar> SparseExplicit<SparseSamples<T>> for Cosine {
    type Name = u32;

    fn features(&self, x: &[Entry<T>]) -> Vec<(u32, f64)> {
        let largest = x.iter().map(|e| e.value.to_f64().abs()).fold(0.0, f64::max);
        // Divided by the largest magnitude first, so that no square overflows or underflows.
        let scaled = x.iter().map(|e| (e.feature, e.value.to_f64() / largest)).collect();
        unit(scaled)
    }
}

/// Features divided by their norm; empty if the norm is 0.
fn unit<N>(mut features: Vec<(N, f64)>) -> Vec<(N, f64)> {
    let norm = features.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    features.iter_mut().for_each(|(_, value)| *value /= norm);
    features.retain(|(_, value)| value.is_finite());
    features
}

impl<P, K> SparseExplicit<P> for Normalized<K>
where
    P: Points + ?Sized,
    K: SparseExplicit<P>,
    Self: Kernel<P>,
{
    type Name = K::Name;

    fn features(&self, x: &P::Item) -> Vec<(K::Name, f64)> {
        unit(self.kernel().features(x))
    }
}

impl<P, K> SparseExplicit<P> for Scaled<K>
where
    P: Points + ?Sized,
    K: SparseExplicit<P>,
    Self: Kernel<P>,
{
    type Name = K::Name;

    fn features(&self, x: &P::Item) -> Vec<(K::Name, f64)> {
        let root = self.weight().sqrt();
        let scaled = |(name, value)| (name, root * value);
        self.kernel().features(x).into_iter().map(scaled).collect()
    }
}
