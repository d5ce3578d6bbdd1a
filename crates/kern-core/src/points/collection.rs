//! Collections of points: indexed access, construction from single points, and concatenation.

use super::{OnceOfPoints, Samples};
use crate::memory::{matrix_bytes, zero_vec};
use crate::{Error, Scalar};
use std::borrow::Borrow;

/// A finite indexed collection of points of a set.
///
/// # Definition
/// x₀, …, x_{n−1} ∈ 𝒳, where 𝒳 is the set of all [`Item`](Points::Item)s, together with the scalar
/// type in which kernels on them are evaluated.
///
/// # Examples
/// ```
/// use kern_core::Points;
/// let words = vec!["gram", "kernel"];
/// assert_eq!(words.len(), 2);
/// assert_eq!(*Points::item(&words, 1), "kernel");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection of points",
    note = "put dense rows into `Samples` (`Samples::from_rows(&rows)?`), anything else into a `Vec`; for a collection of \
            your own, implement `Points`"
)]
pub trait Points: Send + Sync {
    /// One point.
    type Item: ?Sized;
    /// The scalar type of kernel values on these points.
    type Scalar: Scalar;

    /// The number of points, n.
    fn len(&self) -> usize;

    /// Point `i`.
    ///
    /// # Panics
    /// If `i >= self.len()`, as for a slice.
    fn item(&self, i: usize) -> &Self::Item;

    /// The points with the given indices, in that order; indices may be repeated.
    ///
    /// # Errors
    /// [`Error::Index`] if an index is out of bounds.
    fn select(&self, indices: &[usize]) -> Result<Self, Error>
    where
        Self: Sized;

    /// The points with the given indices in the form that a model stores: everything that kernel
    /// values with new points require. Default: [`select`](Points::select).
    ///
    /// # Errors
    /// As [`select`](Points::select).
    fn keep(&self, indices: &[usize]) -> Result<Self, Error>
    where
        Self: Sized,
    {
        self.select(indices)
    }

    /// Prepares the points to be the columns of tiles with this number of rows, as the support
    /// vectors of a model are that predicts this number of points: if there are few rows, the first
    /// call stores a second copy of the points in the layout of the products. Values keep their
    /// bits. Default: nothing is prepared.
    fn prepare_columns(&self, rows: usize) {
        let _ = rows;
    }

    /// Checks that points of `other` and of `self` can be arguments of the same kernel.
    ///
    /// # Errors
    /// [`Error::Dimension`] for dense samples of another dimension. The default accepts everything.
    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        let _ = other;
        Ok(())
    }

    /// Whether an entry of a block of kernel values depends on its own two points only, and not on
    /// the rest of the block, for all kernels of this library. Solvers may then recompute an entry
    /// instead of storing it without changing a bit. Default: true; false for
    /// [`SparseSamples`](super::SparseSamples), where the other points of a block determine which
    /// distances are computed from differences.
    fn entries_are_local(&self) -> bool {
        true
    }

    /// The approximate size in bytes of a copy of the points: the memory that
    /// [`select`](Points::select) of all of them allocates, as far as it is known without visiting
    /// each point. Used by memory budgets. Default: 0.
    fn bytes(&self) -> u64 {
        0
    }

    /// The dimension of dense vectors; unless the kernel states otherwise, the cost of a kernel
    /// value is a small multiple of it. Default: none, that is, the cost is unknown.
    fn dense_dim(&self) -> Option<usize> {
        None
    }

    /// Whether there are no points.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls the instance of a function for these points; used by code that
    /// [`compiled_once`](crate::compiled_once) generates. The default is compiled where it is
    /// called.
    fn once<'a, 'b: 'a, F: OnceOfPoints>(
        arguments: F::Args<'a, 'b, Self>,
    ) -> F::Output<'a, 'b, Self>
    where
        Self: Sized + 'a,
    {
        F::other(arguments)
    }
}

/// A vector of any type is a collection of points; kernels on them are evaluated in `f64`.
impl<S: Clone + Send + Sync> Points for Vec<S> {
    type Item = S;
    type Scalar = f64;

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn item(&self, i: usize) -> &S {
        &self[i]
    }

    fn select(&self, indices: &[usize]) -> Result<Self, Error> {
        Error::check_indices(indices, self.len())?;
        Ok(indices.iter().map(|&i| self[i].clone()).collect())
    }

    /// Without the heap memory of the items.
    fn bytes(&self) -> u64 {
        matrix_bytes::<S>(Vec::len(self), 1)
    }
}

/// Collections that can be constructed from owned points: the target of a
/// [`PullBack`](crate::closure::PullBack).
///
/// # Examples
/// ```
/// use kern_core::{Gather, Points, Samples};
/// let x = Samples::gather(vec![vec![0.0, 1.0], vec![2.0, 3.0]])?;
/// assert_eq!(x.item(1), [2.0, 3.0]);
/// # Ok::<(), kern_core::Error>(())
/// ```
pub trait Gather: Points + Sized {
    /// An owned point.
    type Owned: Borrow<Self::Item>;

    /// The collection of these points.
    ///
    /// # Errors
    /// If they do not form a collection, for example vectors of different dimensions.
    fn gather(items: Vec<Self::Owned>) -> Result<Self, Error>;
}

impl<S: Clone + Send + Sync> Gather for Vec<S> {
    type Owned = S;

    fn gather(items: Vec<S>) -> Result<Self, Error> {
        Ok(items)
    }
}

impl<T: Scalar> Gather for Samples<T> {
    type Owned = Vec<T>;

    fn gather(items: Vec<Vec<T>>) -> Result<Self, Error> {
        Self::from_rows(&items)
    }
}

/// Collections that can be concatenated.
///
/// # Examples
/// ```
/// use kern_core::{Concat, Points, Samples};
/// let x = Samples::from_rows(&[[0.0, 1.0]])?.concat(&Samples::from_rows(&[[2.0, 3.0]])?)?;
/// assert_eq!((x.len(), x.item(1)), (2, [2.0, 3.0].as_slice()));
/// # Ok::<(), kern_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection that others can be appended to",
    note = "implement `Concat` for it: learning from a stream keeps points of all its parts"
)]
pub trait Concat: Points + Sized {
    /// The points of `self`, then those of `other`.
    ///
    /// # Errors
    /// As [`Points::check_compatible`], and [`Error::Allocation`].
    fn concat(&self, other: &Self) -> Result<Self, Error>;
}

impl<S: Clone + Send + Sync> Concat for Vec<S> {
    fn concat(&self, other: &Self) -> Result<Self, Error> {
        Ok(self.iter().chain(other).cloned().collect())
    }
}

impl<T: Scalar> Concat for Samples<T> {
    fn concat(&self, other: &Self) -> Result<Self, Error> {
        self.check_compatible(other)?;
        let (first, second) = (self.as_slice(), other.as_slice());
        let mut values = zero_vec(first.len() + second.len())?;
        values[..first.len()].copy_from_slice(first);
        values[first.len()..].copy_from_slice(second);
        Self::from_row_major(self.dim(), values)
    }
}

pub(crate) fn check_dim(expected: usize, given: usize) -> Result<(), Error> {
    Error::check_dimension("features per sample", expected, given)
}
