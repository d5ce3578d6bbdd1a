//! The update of all points by a block of new pivots.

use super::super::source::{Rows, Source};
use crate::Error;
use crate::columns::{non_finite, squared_norm};
use faer::{Accum, Mat, MatMut};
use kern_core::memory::converted;
use kern_core::products::{matmul, solve_lower};
use kern_core::{Scalar, Scratch};
use kern_gram::parallel;

/// Points per task: their rows of F are read once per block of pivots.
const CHUNK: usize = 256;

/// New columns of F are L⁻¹(K(𝓘, x) − F_𝓘 f(x)).
pub(super) struct Update<T> {
    /// F_𝓘, the pivots' rows of F so far.
    rows: Mat<T>,
    /// L, the Cholesky factor of the residual between the pivots.
    lower: Mat<T>,
}

impl<T: Scalar> Update<T> {
    pub(super) fn new(rows: &Mat<f64>, lower: &Mat<f64>) -> Result<Self, Error> {
        Ok(Self { rows: converted(rows.as_ref())?, lower: converted(lower.as_ref())? })
    }

    /// Appends columns to F, which has rows of length `stride`, and subtracts what they explain from
    /// the residual diagonal.
    pub(super) fn apply(
        &self,
        source: &dyn Source<T>,
        pivots: &[usize],
        (features, stride): (&mut [T], usize),
        residual: &mut [f64],
    ) -> Result<(), Error> {
        let mut found = None;
        source.with_rows(pivots, &mut |kernel| {
            let pieces = features.chunks_mut(stride * CHUNK).zip(residual.chunks_mut(CHUNK));
            let errors = parallel::map_init(
                pieces.enumerate().collect(),
                Scratch::new,
                |scratch, (c, (features, residual))| {
                    self.apply_to_chunk((features, stride), residual, (c * CHUNK, kernel), scratch)
                },
            );
            found = errors.into_iter().flatten().next();
        })?;
        match found {
            Some((b, col, given)) => {
                Err(kern_gram::Error::NotFinite { row: pivots[b], col, given }.into())
            }
            None => Ok(()),
        }
    }

    /// Returns the place and value of a kernel value that is not finite, if there is one.
    fn apply_to_chunk(
        &self,
        (features, stride): (&mut [T], usize),
        residual: &mut [f64],
        (start, kernel): (usize, &Rows<'_, T>),
        scratch: &mut Scratch<T>,
    ) -> Option<(usize, usize, f64)> {
        let (added, done) = (self.lower.nrows(), self.rows.ncols());
        let columns = MatMut::from_column_major_slice_mut(features, stride, residual.len());
        let (known, rest) = columns.split_at_row_mut(done);
        let mut new = rest.subrows_mut(0, added);
        kernel(start..start + residual.len(), new.as_mut(), scratch);
        if let Some((i, j, given)) = non_finite(new.as_ref()) {
            return Some((i, start + j, given));
        }
        matmul(new.as_mut(), Accum::Add, self.rows.as_ref(), known.as_ref(), -T::ONE);
        solve_lower(self.lower.as_ref(), new.as_mut());
        for (d, row) in residual.iter_mut().zip(features.chunks_exact(stride)) {
            *d -= squared_norm(&row[done..done + added]);
        }
        None
    }
}
