//! Products with the kernel matrix for vectors in double precision.

use crate::Error;
use faer::{Accum, Mat, MatRef};
use kern_core::memory::converted;
use kern_core::products::matmul;
use kern_core::{Scalar, Scratch};
use kern_gram::{GramOperator, Rows, parallel, split_rows, tile_ranges, zeros};

/// Numbers of kernel values in single precision that wait for a product in double precision.
const NUMBERS: usize = 1 << 19;
/// Columns of them at most.
const COLUMNS: usize = 256;
/// Rows that a thread multiplies at a time.
const ROWS: usize = 128;

/// K·v in the precision of the kernel values. Columns of v are scaled, so that none underflows.
pub(super) fn steering<T: Scalar>(
    gram: &dyn GramOperator<T>,
    mut v: Mat<f64>,
) -> Result<Mat<f64>, Error> {
    let mut scales = Vec::with_capacity(v.ncols());
    for k in 0..v.ncols() {
        let column = v.col_as_slice_mut(k);
        let greatest = column.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let scale = if greatest > 0.0 { greatest } else { 1.0 };
        column.iter_mut().for_each(|v| *v /= scale);
        scales.push(scale);
    }
    let narrow: Mat<T> = converted(v.as_ref())?;
    let mut out: Mat<f64> = converted(gram.apply(narrow.as_ref())?.as_ref())?;
    for (k, scale) in scales.into_iter().enumerate() {
        out.col_as_slice_mut(k).iter_mut().for_each(|v| *v *= scale);
    }
    Ok(out)
}

/// K·v, summed in double precision whatever the precision of the kernel values.
pub(super) fn exact<T: Scalar>(
    gram: &dyn GramOperator<T>,
    v: MatRef<'_, f64>,
) -> Result<Mat<f64>, Error> {
    let n = gram.size();
    if size_of::<T>() == size_of::<f64>() {
        let narrow: Mat<T> = converted(v)?;
        return Ok(converted(gram.apply(narrow.as_ref())?.as_ref())?);
    }
    let width = (NUMBERS / n.max(1)).clamp(8, COLUMNS).min(n);
    let (mut out, mut values) = (zeros(n, v.ncols())?, zeros::<T>(n, width)?);
    let stripes = tile_ranges(n, ROWS);
    for range in tile_ranges(n, width) {
        let columns: Vec<usize> = range.clone().collect();
        let mut values = values.as_mut().subcols_mut(0, range.len());
        gram.submatrix_into(Rows::All, &columns, values.as_mut())?;
        let (values, v) = (values.as_ref(), v.subrows(range.start, range.len()));
        let tasks = split_rows(out.as_mut(), &stripes).into_iter().zip(&stripes).collect();
        parallel::for_each_init(tasks, Scratch::<f64>::new, |scratch, (out, rows)| {
            let part = values.subrows(rows.start, rows.len());
            scratch.with_matrix(part.nrows(), part.ncols(), |mut wide, _| {
                for (to, from) in wide.as_mut().col_iter_mut().zip(part.col_iter()) {
                    to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = from.to_f64());
                }
                matmul(out, Accum::Add, wide.as_ref(), v, 1.0);
            });
        });
    }
    Ok(out)
}
