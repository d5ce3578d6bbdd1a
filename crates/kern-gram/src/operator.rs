//! The interface between Gram matrices and solvers: size, diagonal, columns, products.

use crate::{Error, Rows, blocks, check, zeros};
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;

/// A symmetric n × n matrix of kernel values, stored or not.
///
/// The trait is dyn-compatible, and references, boxes and `Arc`s of operators are operators. Views
/// of an operator, such as its centred form, are in [`GramExt`](crate::GramExt).
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
#[doc(alias = "linear operator")]
#[doc(alias = "kernel matrix")]
pub trait GramOperator<T: Scalar>: Send + Sync {
    /// The number of points, n.
    fn size(&self) -> usize;

    /// The n diagonal entries, with the bits that they have in the columns.
    fn diag(&self) -> Vec<T>;

    /// `out[(a, b)]` becomes the entry in row `rows[a]` and column `cols[b]`; an index may occur
    /// more than once.
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

    /// out = G·v for a v that is zero outside of the rows `cols`; `v` contains only these rows.
    /// This is the change of G·u when few entries of u change, as in one step of a solver. An index
    /// may occur more than once.
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

    /// Column `i` without a copy, if it is stored contiguously.
    fn stored_column(&self, i: usize) -> Option<&[T]> {
        let _ = i;
        None
    }

    /// The cost of one product with a vector, in units of entries of
    /// [`submatrix_into`](GramOperator::submatrix_into). Views use it to choose an algorithm. The
    /// default is n²; it is lower where products exploit structure.
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
