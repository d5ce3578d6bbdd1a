//! Validation of the arguments and results of operators.

use crate::tiling::first_non_finite;
use crate::{Error, Rows};
use faer::MatRef;
use kern_core::{NonNegative, Scalar};

/// Rows × columns, without overflow.
pub(crate) fn area(rows: usize, cols: usize) -> f64 {
    rows as f64 * cols as f64
}

/// Checks that all indices are below `len`.
pub(crate) fn indices(given: &[usize], len: usize) -> Result<(), Error> {
    Ok(kern_core::Error::check_indices(given, len)?)
}

/// Checks the arguments of [`submatrix_into`](crate::GramOperator::submatrix_into).
pub(crate) fn submatrix<T: Scalar>(
    n: usize,
    rows: Rows<'_>,
    cols: &[usize],
    out: MatRef<'_, T>,
) -> Result<(), Error> {
    Error::check_shape("the submatrix", (rows.count(n), cols.len()), out.shape())?;
    if let Rows::Of(rows) = rows {
        indices(rows, n)?;
    }
    indices(cols, n)
}

/// Checks the arguments of a product with an m × n matrix.
pub(crate) fn product<T: Scalar>(
    (m, n): (usize, usize),
    v: MatRef<'_, T>,
    out: MatRef<'_, T>,
) -> Result<(), Error> {
    Error::check_shape("the right-hand side", (n, v.ncols()), v.shape())?;
    Error::check_shape("the product", (m, v.ncols()), out.shape())
}

/// Checks the arguments of [`apply_columns_into`](crate::GramOperator::apply_columns_into).
pub(crate) fn column_product<T: Scalar>(
    n: usize,
    cols: &[usize],
    v: MatRef<'_, T>,
    out: MatRef<'_, T>,
) -> Result<(), Error> {
    product((n, cols.len()), v, out)?;
    indices(cols, n)
}

/// Checks that a product is finite.
pub(crate) fn finite_product<T: Scalar>(product: MatRef<'_, T>) -> Result<(), Error> {
    match first_non_finite(product, 0, 0) {
        Some(Error::NotFinite { row, col, given }) => {
            Err(Error::ProductNotFinite { row, col, given })
        }
        _ => Ok(()),
    }
}

/// Checks that the entries of a submatrix are finite.
pub(crate) fn finite_entries<T: Scalar>(
    entries: MatRef<'_, T>,
    rows: Rows<'_>,
    cols: &[usize],
) -> Result<(), Error> {
    match first_non_finite(entries, 0, 0) {
        Some(Error::NotFinite { row, col, given }) => {
            Err(Error::NotFinite { row: rows.at(row), col: cols[col], given })
        }
        _ => Ok(()),
    }
}

/// Checks a factor or addend, which must be finite and ≥ 0 for the result to be positive
/// semi-definite.
pub(crate) fn non_negative<T: Scalar>(name: &'static str, value: T) -> Result<T, Error> {
    NonNegative::new(name, value.to_f64())?;
    Ok(value)
}
