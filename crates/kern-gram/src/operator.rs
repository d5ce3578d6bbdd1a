//! What a solver may ask of a Gram matrix.

use crate::{Error, blocks, check, zeros};
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;
use std::ops::Range;

/// A symmetric n × n matrix of kernel values, stored or not.
///
/// The trait is dyn-compatible, and references, boxes and `Arc`s of operators are operators. What
/// can be made of an operator, such as its centred form, is in [`GramExt`](crate::GramExt).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_gram::{GramOperator, LazyGram};
/// let x = Samples::from_rows(&[[1.0], [2.0]])?;
/// let gram = LazyGram::new(&Linear, &x)?;
/// assert_eq!(gram.size(), 2);
/// assert_eq!(gram.diag(), [1.0, 4.0]);
/// let v = kern_core::faer::mat![[1.0], [1.0]];
/// assert_eq!(gram.apply(v.as_ref())?[(1, 0)], 6.0);
/// # Ok::<(), kern_gram::Error>(())
/// ```
pub trait GramOperator<T: Scalar>: Send + Sync {
    /// The number of points, n.
    fn size(&self) -> usize;

    /// The n diagonal entries: the very numbers that the columns have there.
    fn diag(&self) -> Vec<T>;

    /// `out[(a, b)]` becomes the entry in row `rows[a]` and column `cols[b]`; an index may occur more
    /// than once.
    ///
    /// # Shapes and units
    /// `out` is the number of rows × `cols.len()`.
    ///
    /// # Errors
    /// [`Error::Shape`], an index out of bounds, or [`Error::NotFinite`].
    fn submatrix_into(
        &self,
        rows: Rows<'_>,
        cols: &[usize],
        out: MatMut<'_, T>,
    ) -> Result<(), Error>;

    /// out = G·v.
    ///
    /// # Shapes and units
    /// `v` and `out` are n × r: r right-hand sides at once.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::ProductNotFinite`].
    fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error>;

    /// out = G·v for a v that is zero but for the rows `cols`, of which `v` has only these: the change
    /// of G·u when few of the u change, which is what a step of a solver takes. An index may occur
    /// more than once.
    ///
    /// # Shapes and units
    /// `v` is `cols.len()` × r, `out` is n × r.
    ///
    /// # Complexity
    /// n·`cols.len()` entries; by default in blocks of at most 16 MiB.
    ///
    /// # Errors
    /// [`Error::Shape`], an index out of bounds, [`Error::NotFinite`] or [`Error::ProductNotFinite`].
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, faer::{Mat, mat}, kernels::Linear};
    /// use kern_gram::{GramOperator, LazyGram};
    /// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
    /// let gram = LazyGram::new(&Linear, &x)?;
    /// let mut out = Mat::zeros(3, 1);
    /// gram.apply_columns_into(&[2], mat![[10.0]].as_ref(), out.as_mut())?;
    /// assert_eq!(out, mat![[30.0], [60.0], [90.0]]);
    /// # Ok::<(), kern_gram::Error>(())
    /// ```
    fn apply_columns_into(
        &self,
        cols: &[usize],
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<(), Error> {
        check::column_product(self.size(), cols, v, out.as_ref())?;
        blocks::apply(v, out.as_mut(), |part, block| {
            self.submatrix_into(Rows::All, &cols[part], block)
        })?;
        check::finite_product(out.as_ref())
    }

    /// Column b of `out` becomes column `indices[b]` of the matrix (which is also that row).
    ///
    /// # Shapes and units
    /// `out` is n × `indices.len()`.
    ///
    /// # Errors
    /// As [`submatrix_into`](GramOperator::submatrix_into).
    fn columns_into(&self, indices: &[usize], out: MatMut<'_, T>) -> Result<(), Error> {
        self.submatrix_into(Rows::All, indices, out)
    }

    /// Column `i` without copying, if it is stored contiguously.
    fn stored_column(&self, i: usize) -> Option<&[T]> {
        let _ = i;
        None
    }

    /// What one product with a vector costs, in entries that
    /// [`submatrix_into`](GramOperator::submatrix_into) would take as long to find. Views choose
    /// their way by it. By default n²; less where products exploit a structure.
    fn product_cost(&self) -> f64 {
        check::area(self.size(), self.size())
    }

    /// G·v in a new matrix.
    ///
    /// # Errors
    /// As [`apply_into`](GramOperator::apply_into).
    fn apply(&self, v: MatRef<'_, T>) -> Result<Mat<T>, Error> {
        let mut out = zeros(self.size(), v.ncols())?;
        self.apply_into(v, out.as_mut())?;
        Ok(out)
    }
}

/// Some rows of an operator.
///
/// # Examples
/// ```
/// use kern_gram::Rows;
/// assert_eq!((Rows::All.count(5), Rows::All.at(3)), (5, 3));
/// assert_eq!((Rows::Of(&[4, 0]).count(5), Rows::Of(&[4, 0]).at(1)), (2, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// All of them, in their order.
    All,
    /// Those with the given indices, in that order.
    Of(&'a [usize]),
}

impl Rows<'_> {
    /// How many rows these are of an operator of size `n`.
    #[must_use]
    pub fn count(self, n: usize) -> usize {
        match self {
            Self::All => n,
            Self::Of(indices) => indices.len(),
        }
    }

    /// The index of row number `a` of these.
    ///
    /// # Panics
    /// If there are not so many indices, as indexing a slice does.
    #[must_use]
    pub fn at(self, a: usize) -> usize {
        match self {
            Self::All => a,
            Self::Of(indices) => indices[a],
        }
    }

    /// Calls `f(a, b)` for every a of `among` and every b with `self.at(a) == cols[b]`.
    pub(crate) fn for_each_diagonal(
        self,
        cols: &[usize],
        among: Range<usize>,
        mut f: impl FnMut(usize, usize),
    ) {
        match self {
            Self::All => {
                let found = cols.iter().enumerate().filter(|(_, j)| among.contains(j));
                found.for_each(|(b, &j)| f(j, b));
            }
            Self::Of(indices) => {
                let mut sorted: Vec<usize> = (0..cols.len()).collect();
                sorted.sort_unstable_by_key(|&b| cols[b]);
                for a in among {
                    let first = sorted.partition_point(|&b| cols[b] < indices[a]);
                    let same = sorted[first..].iter().take_while(|&&b| cols[b] == indices[a]);
                    same.for_each(|&b| f(a, b));
                }
            }
        }
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<T: Scalar, G: GramOperator<T> + ?Sized> GramOperator<T> for $pointer {
            fn size(&self) -> usize {
                (**self).size()
            }
            fn diag(&self) -> Vec<T> {
                (**self).diag()
            }
            fn submatrix_into(
                &self,
                rows: Rows<'_>,
                cols: &[usize],
                out: MatMut<'_, T>,
            ) -> Result<(), Error> {
                (**self).submatrix_into(rows, cols, out)
            }
            fn apply_into(&self, v: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<(), Error> {
                (**self).apply_into(v, out)
            }
            fn apply_columns_into(
                &self,
                cols: &[usize],
                v: MatRef<'_, T>,
                out: MatMut<'_, T>,
            ) -> Result<(), Error> {
                (**self).apply_columns_into(cols, v, out)
            }
            fn stored_column(&self, i: usize) -> Option<&[T]> {
                (**self).stored_column(i)
            }
            fn product_cost(&self) -> f64 {
                (**self).product_cost()
            }
        }
    )*};
}

delegate!(&G, Box<G>, std::sync::Arc<G>);
