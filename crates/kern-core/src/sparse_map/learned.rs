//! A sparse feature map with the vocabulary of some points.

use super::{SparseExplicit, SparseTransform};
use crate::points::Entry;
use crate::{Error, FeatureMap, Named, Points, Scalar, Scratch, SparseSamples};
use faer::MatMut;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// The exact sparse feature map of a kernel, with a coordinate for each feature that the points it was learned from have.
///
/// # Definition
/// Row x has the coordinates φ_w(x) for all w of the vocabulary, so ⟨φ(x), φ(z)⟩ = K(x, z) to rounding whenever z is one of the
/// points that the vocabulary was learned from, and x any point: features of x that none of them has meet nothing, and are
/// left out. They still count where the kernel divides by the norm of x. Between two new points what both have and the vocabulary has
/// not is missing.
///
/// Names of features are those of the kernel, in a sorted list without repetition: no two share a coordinate.
///
/// # Complexity
/// The features of each point once, sorted, and a binary search for each; memory for the rows.
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
/// // 2·2 + 2·1 over the norms, in which `is` and `do` count.
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

/// A list of names that ascends strictly, as that of a map does.
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
    /// The map whose coordinates are the features of these points.
    ///
    /// # Errors
    /// Those of the kernel for points outside of its domain; [`Error::TooManyFeatures`] beyond 2³¹ of them.
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
            // Sorted anew whenever it has doubled, so that it never holds many times what it will have.
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

    /// The coordinates of a point, in their order.
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

/// The same rows with their zeros: for solvers that work on dense features.
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
