//! Sparse samples: vectors of Rᵈ of which only the non-zero entries are stored.

use super::collection::check_dim;
use super::stripe::{STRIPE, Stripe};
use super::{Concat, Points};
use crate::memory::{matrix_bytes, zero_vec};
use crate::{Error, Samples, Scalar};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A stored entry of a sparse sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry<T> {
    /// The coordinate's index, from 0.
    pub feature: u32,
    /// Its non-zero value.
    pub value: T,
}

/// n sparse vectors of Rᵈ in compressed sparse row (CSR) format: the entries of a sample are
/// contiguous, in ascending order of features.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Points, SparseSamples, kernels::Linear};
/// let x = SparseSamples::from_rows(1000, &[vec![(3, 2.0), (999, 1.0)], vec![], vec![(3, 5.0)]])?;
/// assert_eq!((x.len(), x.dim(), x.stored()), (3, 1000, 3));
/// let value = Kernel::<SparseSamples<f64>>::eval(&Linear, x.item(0), x.item(2));
/// assert_eq!(value, 10.0);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[doc(alias = "CSR")]
#[doc(alias = "sparse matrix")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Packed<T>", into = "Packed<T>", bound = "T: Scalar")]
pub struct SparseSamples<T> {
    dim: usize,
    /// Sample i has the entries `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    entries: Vec<Entry<T>>,
    /// The samples grouped by features; computed on first use.
    stripes: OnceLock<Vec<OnceLock<Stripe<T>>>>,
}

/// The file format; everything else is derived and checked when reading.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "T: Scalar")]
struct Packed<T> {
    dim: usize,
    starts: Vec<usize>,
    features: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> TryFrom<Packed<T>> for SparseSamples<T> {
    type Error = Error;
    fn try_from(packed: Packed<T>) -> Result<Self, Error> {
        Self::from_csr(packed.dim, &packed.starts, &packed.features, &packed.values)
    }
}

impl<T: Scalar> From<SparseSamples<T>> for Packed<T> {
    fn from(x: SparseSamples<T>) -> Self {
        let (features, values) = x.entries.iter().map(|e| (e.feature, e.value)).unzip();
        Packed { dim: x.dim, starts: x.starts, features, values }
    }
}

impl<T: Scalar> PartialEq for SparseSamples<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.dim, &self.starts, &self.entries) == (other.dim, &other.starts, &other.entries)
    }
}

impl<T: Scalar> SparseSamples<T> {
    /// Copies compressed rows: sample i has the entries `starts[i]..starts[i + 1]` of `features`
    /// and `values`. The entries of a row may be in any order; explicit zeros are dropped.
    ///
    /// # Errors
    /// [`Error::Dimension`] if the lengths of the arrays do not match, `dim` is 0 or greater than
    /// 2³², or a feature occurs twice in a row; [`Error::Index`] for a feature ≥ `dim`;
    /// [`Error::NotFinite`].
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Points, SparseSamples};
    /// let x = SparseSamples::from_csr(4, &[0, 2, 3], &[3, 0, 1], &[1.0, 2.0, 3.0])?;
    /// assert_eq!(x.item(0)[0].feature, 0);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_csr(
        dim: usize,
        starts: &[usize],
        features: &[u32],
        values: &[T],
    ) -> Result<Self, Error> {
        check_csr(dim, starts, features.len(), values.len())?;
        let mut x = Self::empty(dim);
        for (sample, range) in starts.windows(2).enumerate() {
            let row = features[range[0]..range[1]].iter().zip(&values[range[0]..range[1]]);
            let entries = row.map(|(&feature, &value)| Entry { feature, value }).collect();
            x.push(sample, entries)?;
        }
        Ok(x)
    }

    /// Copies rows of (feature, value) pairs, in any order; explicit zeros are dropped. Rows are
    /// arrays, slices or vectors, in a collection or from an iterator.
    ///
    /// # Errors
    /// As [`SparseSamples::from_csr`].
    ///
    /// # Examples
    /// An array of arrays, a vector of vectors, and an iterator:
    /// ```
    /// use kern_core::SparseSamples;
    /// let arrays = SparseSamples::from_rows(9, &[[(3, 2.0)], [(8, 1.0)]])?;
    /// let vectors: Vec<Vec<(u32, f64)>> = vec![vec![(3, 2.0)], vec![(8, 1.0)]];
    /// assert_eq!(SparseSamples::from_rows(9, &vectors)?, arrays);
    /// let rows = [3, 8].into_iter().zip([2.0, 1.0]).map(|entry| [entry]);
    /// assert_eq!(SparseSamples::from_rows(9, rows)?, arrays);
    /// # Ok::<(), kern_core::Error>(())
    /// ```
    pub fn from_rows<R>(dim: usize, rows: impl IntoIterator<Item = R>) -> Result<Self, Error>
    where
        R: AsRef<[(u32, T)]>,
    {
        check_csr(dim, &[0], 0, 0)?;
        let mut x = Self::empty(dim);
        for (sample, row) in rows.into_iter().enumerate() {
            let entry = |&(feature, value): &(u32, T)| Entry { feature, value };
            x.push(sample, row.as_ref().iter().map(entry).collect())?;
        }
        Ok(x)
    }

    /// The non-zero entries of dense samples.
    ///
    /// # Errors
    /// [`Error::Dimension`] if the dimension exceeds 2³².
    pub fn from_dense(dense: &Samples<T>) -> Result<Self, Error> {
        check_csr(dense.dim(), &[0], 0, 0)?;
        let mut x = Self::empty(dense.dim());
        for (sample, row) in dense.as_slice().chunks_exact(dense.dim()).enumerate() {
            let entry = |(k, &value): (usize, &T)| Entry { feature: k as u32, value };
            x.push(sample, row.iter().enumerate().map(entry).collect())?;
        }
        Ok(x)
    }

    /// The same samples as dense samples.
    ///
    /// # Errors
    /// [`Error::Allocation`] if the memory for n·d values cannot be allocated.
    pub fn to_dense(&self) -> Result<Samples<T>, Error> {
        let mut values = zero_vec(self.len().saturating_mul(self.dim))?;
        for (i, row) in values.chunks_exact_mut(self.dim).enumerate() {
            for entry in self.item(i) {
                row[entry.feature as usize] = entry.value;
            }
        }
        Samples::from_row_major(self.dim, values)
    }

    /// The dimension d.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of stored entries.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.entries.len()
    }

    fn empty(dim: usize) -> Self {
        Self { dim, starts: vec![0], entries: Vec::new(), stripes: OnceLock::new() }
    }

    /// Constructs samples from rows whose entries are known to be sorted, in range and finite.
    pub(crate) fn from_sorted(dim: usize, rows: impl Iterator<Item = Vec<Entry<T>>>) -> Self {
        let mut x = Self::empty(dim.max(1));
        for row in rows {
            x.entries.extend(row);
            x.starts.push(x.entries.len());
        }
        x
    }

    /// Appends a sample after sorting and checking its entries.
    fn push(&mut self, sample: usize, mut row: Vec<Entry<T>>) -> Result<(), Error> {
        row.sort_unstable_by_key(|e| e.feature);
        for (k, entry) in row.iter().enumerate() {
            let feature = entry.feature as usize;
            if feature >= self.dim {
                return Err(Error::Index { given: feature, len: self.dim });
            }
            if !entry.value.is_finite_number() {
                return Err(Error::NotFinite { sample, feature, given: entry.value.to_f64() });
            }
            if k > 0 && row[k - 1].feature == entry.feature {
                let what = "entries of one feature in one sample";
                return Err(Error::Dimension { what, expected: 1, given: 2 });
            }
        }
        self.entries.extend(row.into_iter().filter(|e| e.value != T::ZERO));
        self.starts.push(self.entries.len());
        Ok(())
    }

    /// Stripe `s` of the samples, computed on first use.
    pub(crate) fn stripe(&self, s: usize) -> &Stripe<T> {
        let stripes = self
            .stripes
            .get_or_init(|| (0..self.len().div_ceil(STRIPE)).map(|_| OnceLock::new()).collect());
        stripes[s].get_or_init(|| {
            let range = s * STRIPE..self.len().min((s + 1) * STRIPE);
            Stripe::new(range.map(|i| self.item(i)))
        })
    }
}

fn check_csr(dim: usize, starts: &[usize], features: usize, values: usize) -> Result<(), Error> {
    let wrong = |what, expected, given| Err(Error::Dimension { what, expected, given });
    if dim == 0 {
        return wrong("features per sample", 1, 0);
    }
    if dim as u64 > 1 << 32 {
        return wrong("features per sample, at most", u32::MAX as usize, dim);
    }
    if features != values {
        return wrong("values, one per stored feature", features, values);
    }
    if starts.first() != Some(&0) || starts.last() != Some(&features) {
        let given = starts.last().copied().unwrap_or(0);
        return wrong("row starts, from 0 to the number of entries", features, given);
    }
    match starts.windows(2).find(|range| range[0] > range[1]) {
        Some(range) => wrong("row starts, ascending", range[0], range[1]),
        None => Ok(()),
    }
}

impl<T: Scalar> Concat for SparseSamples<T> {
    fn concat(&self, other: &Self) -> Result<Self, Error> {
        self.check_compatible(other)?;
        let mut x = Self::empty(self.dim);
        for samples in [self, other] {
            for i in 0..samples.len() {
                x.entries.extend_from_slice(samples.item(i));
                x.starts.push(x.entries.len());
            }
        }
        Ok(x)
    }
}

impl<T: Scalar> Points for SparseSamples<T> {
    type Item = [Entry<T>];
    type Scalar = T;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn item(&self, i: usize) -> &[Entry<T>] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    fn select(&self, indices: &[usize]) -> Result<Self, Error> {
        Error::check_indices(indices, self.len())?;
        let mut x = Self::empty(self.dim);
        for &i in indices {
            x.entries.extend_from_slice(self.item(i));
            x.starts.push(x.entries.len());
        }
        Ok(x)
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        check_dim(self.dim, other.dim)
    }

    fn entries_are_local(&self) -> bool {
        false
    }

    /// Includes the index by features that kernels compute.
    fn bytes(&self) -> u64 {
        let own = matrix_bytes::<Entry<T>>(self.entries.len(), 1);
        own.saturating_mul(2).saturating_add(matrix_bytes::<usize>(self.starts.len(), 1))
    }
}
