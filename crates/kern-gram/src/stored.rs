//! What operators do that have all their entries in a matrix.

use crate::{Error, Rows, check, product};
use faer::{MatMut, MatRef};
use kern_core::Scalar;

/// The diagonal of a square matrix.
pub(crate) fn diag<T: Scalar>(values: MatRef<'_, T>) -> Vec<T> {
    (0..values.nrows()).map(|i| values[(i, i)]).collect()
}

/// [`GramOperator::submatrix_into`](crate::GramOperator::submatrix_into).
pub(crate) fn submatrix_into<T: Scalar>(
    values: MatRef<'_, T>,
    rows: Rows<'_>,
    cols: &[usize],
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    check::submatrix(values.nrows(), rows, cols, out.as_ref())?;
    for (b, &j) in cols.iter().enumerate() {
        copy_rows(values.col(j), rows, out.as_mut().col_mut(b));
    }
    Ok(())
}

/// Some rows of a column.
pub(crate) fn copy_rows<T: Scalar>(
    column: faer::ColRef<'_, T>,
    rows: Rows<'_>,
    mut out: faer::ColMut<'_, T>,
) {
    match rows {
        Rows::All => out.copy_from(column),
        Rows::Of(rows) => out.iter_mut().zip(rows).for_each(|(out, &i)| *out = column[i]),
    }
}

/// Column `i`, if it is contiguous.
pub(crate) fn column<T: Scalar>(values: MatRef<'_, T>, i: usize) -> Option<&[T]> {
    if i >= values.ncols() {
        return None;
    }
    values.col(i).try_as_col_major().map(faer::ColRef::as_slice)
}

/// out = values·v.
pub(crate) fn apply_into<T: Scalar>(
    values: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    check::product(values.shape(), v, out.as_ref())?;
    product::apply_dense(values, v, out.as_mut());
    check::finite_product(out.as_ref())
}

/// What a product with n² stored entries costs: they are read in order, which takes a third of the
/// time of gathering them (measured: a quarter in cache, 0.6 of it in memory).
pub(crate) fn product_cost(n: usize) -> f64 {
    check::area(n, n) / 3.0
}
