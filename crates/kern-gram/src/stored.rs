//! Operations on stored Gram matrices.
//!
//! For the layers above; not part of the stable interface.

use crate::product::{self, Add};
use crate::tiling::{cuts, split_rows, tile_ranges};
use crate::{Error, Rows, blocks, check, parallel};
use faer::{Accum, ColMut, ColRef, MatMut, MatRef};
use kern_core::products::FewVectors;
use kern_core::{Scalar, Scratch, compiled_once};
use std::ops::Range;

/// The methods of a [`GramOperator`](crate::GramOperator) with a matrix `as_mat`, which is
/// multiplied by this function.
macro_rules! stored_operator {
    ($apply:ident) => {
        fn size(&self) -> usize {
            self.as_mat().nrows()
        }

        fn diag(&self) -> Vec<T> {
            $crate::stored::diag(self.as_mat())
        }

        fn submatrix_into(
            &self,
            rows: $crate::Rows<'_>,
            cols: &[usize],
            out: faer::MatMut<'_, T>,
        ) -> Result<(), $crate::Error> {
            $crate::stored::submatrix_into(self.as_mat(), rows, cols, out)
        }

        fn apply_into(
            &self,
            v: faer::MatRef<'_, T>,
            out: faer::MatMut<'_, T>,
        ) -> Result<(), $crate::Error> {
            $crate::stored::$apply(self.as_mat(), v, out)
        }

        fn apply_columns_into(
            &self,
            cols: &[usize],
            v: faer::MatRef<'_, T>,
            out: faer::MatMut<'_, T>,
        ) -> Result<(), $crate::Error> {
            $crate::stored::apply_columns_into(self.as_mat(), cols, v, out)
        }

        fn stored_column(&self, i: usize) -> Option<&[T]> {
            $crate::stored::column(self.as_mat(), i)
        }

        fn product_cost(&self) -> f64 {
            $crate::stored::product_cost(self.size())
        }
    };
}

pub(crate) use stored_operator;

/// The diagonal of a square matrix.
pub(crate) fn diag<T: Scalar>(values: MatRef<'_, T>) -> Vec<T> {
    (0..values.nrows()).map(|i| values[(i, i)]).collect()
}

/// [`GramOperator::submatrix_into`](crate::GramOperator::submatrix_into).
#[compiled_once]
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
#[compiled_once]
pub(crate) fn apply_into<T: Scalar>(
    values: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    check::product(values.shape(), v, out.as_ref())?;
    product::by_stripes(Accum::Replace, values, v, out.as_mut());
    check::finite_product(out.as_ref())
}

/// [`apply_into`] for a matrix that equals its transpose, to the bit. Few vectors are multiplied
/// with its lower half, each entry of which is used twice; more vectors with its contiguous
/// columns.
#[compiled_once]
pub(crate) fn apply_symmetric_into<T: Scalar>(
    values: MatRef<'_, T>,
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    if !FewVectors::<T>::COUNTS.contains(&v.ncols()) {
        return apply_into(if v.ncols() > ADDED { values.transpose() } else { values }, v, out);
    }
    check::product(values.shape(), v, out.as_ref())?;
    let cuts = cuts(values.nrows());
    let with_tile = |_: &mut Scratch<T>, i: usize, j: usize, add: Add<'_, T>| {
        let (rows, cols) = (&cuts[i], &cuts[j]);
        add(values.submatrix(rows.start, cols.start, rows.len(), cols.len()));
    };
    product::apply_tiles(&cuts, with_tile, v, out.as_mut())?;
    check::finite_product(out.as_ref())
}

/// The largest number of vectors for which the weighted columns of a symmetric matrix are added up;
/// with more, each would read the matrix again.
const ADDED: usize = 1;

/// Rows of a stripe in which columns are added up: it stays in the first-level cache meanwhile, and
/// is enough work to wake a thread for.
const STRIPE: usize = 2048;

/// [`GramOperator::apply_columns_into`](crate::GramOperator::apply_columns_into).
#[compiled_once]
pub fn apply_columns_into<T: Scalar>(
    values: MatRef<'_, T>,
    cols: &[usize],
    v: MatRef<'_, T>,
    mut out: MatMut<'_, T>,
) -> Result<(), Error> {
    check::column_product(values.nrows(), cols, v, out.as_ref())?;
    let stored: Option<Vec<&[T]>> = cols.iter().map(|&j| column(values, j)).collect();
    match stored {
        Some(columns) => {
            out.fill(T::ZERO);
            add_columns(&columns, v, out.as_mut());
        }
        None => blocks::apply(v, out.as_mut(), |part, block| {
            submatrix_into(values, Rows::All, &cols[part], block)
        })?,
    }
    check::finite_product(out.as_ref())
}

/// out += \[columns\]·v; each stripe of the result adds its pieces of the columns in order.
pub(crate) fn add_columns<T: Scalar>(columns: &[&[T]], v: MatRef<'_, T>, out: MatMut<'_, T>) {
    let stripes = tile_ranges(out.nrows(), STRIPE);
    let tasks = split_rows(out, &stripes).into_iter().zip(stripes).collect();
    parallel::for_each_init(
        tasks,
        || (),
        |(), (mut out, rows)| {
            for (r, mut out) in out.as_mut().col_iter_mut().enumerate() {
                add_scaled(columns, v.col(r), &rows, out.as_mut());
            }
        },
    );
}

/// out += \[columns\]·v, for a range of rows.
fn add_scaled<T: Scalar>(
    columns: &[&[T]],
    v: ColRef<'_, T>,
    rows: &Range<usize>,
    mut out: ColMut<'_, T>,
) {
    let piece = |b: usize| &columns[b][rows.clone()];
    let Some(out) = out.as_mut().try_as_col_major_mut() else {
        for b in 0..columns.len() {
            out.as_mut().iter_mut().zip(piece(b)).for_each(|(out, &x)| *out += v[b] * x);
        }
        return;
    };
    let (out, fours) = (out.as_slice_mut(), columns.len() / 4 * 4);
    for b in (0..fours).step_by(4) {
        let group = [b, b + 1, b + 2, b + 3];
        T::axpy4(group.map(|b| v[b]), group.map(piece), out);
    }
    for b in fours..columns.len() {
        T::axpy(v[b], piece(b), out);
    }
}

/// The cost of a product with n² stored entries: they are read in order, which takes a third of the
/// time of gathering them (measured: a quarter in cache, 0.6 of it in memory).
pub(crate) fn product_cost(n: usize) -> f64 {
    check::area(n, n) / 3.0
}
