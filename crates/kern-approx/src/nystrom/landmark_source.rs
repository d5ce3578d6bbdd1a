//! Sources of landmarks: a kernel with points, or a Gram matrix.
//!
//! Every strategy needs the diagonal, some entries, and rows K(𝓘, ·) in pieces. Both sources
//! provide them, so each strategy is written once.

use crate::Error;
use faer::{Mat, MatMut};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use kern_gram::{CrossGram, GramOperator, zeros};
use std::ops::Range;

/// Fills some columns of K(𝓘, ·), for fixed landmarks.
pub(super) type Rows<'a, T> = dyn Fn(Range<usize>, MatMut<'_, T>, &mut Scratch<T>) + Sync + 'a;

/// A Gram matrix that rows are read from.
pub(super) trait Source<T: Scalar>: Sync {
    /// The number of points, n.
    fn size(&self) -> usize;

    /// The n diagonal entries, in double precision.
    fn diag(&self) -> Vec<f64>;

    /// K(rows, cols), checked to be finite.
    fn entries(&self, rows: &[usize], cols: &[usize]) -> Result<Mat<T>, Error>;

    /// Passes a function that fills K(chosen, ·) to `work`. Values are not checked to be finite.
    fn with_rows(&self, chosen: &[usize], work: &mut dyn FnMut(&Rows<'_, T>)) -> Result<(), Error>;
}

/// A kernel, as a trait object, and points.
pub(super) struct OfPoints<'a, P> {
    pub(super) kernel: &'a dyn Kernel<P>,
    pub(super) points: &'a P,
}

impl<T: Scalar, P: Points<Scalar = T>> Source<T> for OfPoints<'_, P> {
    fn size(&self) -> usize {
        self.points.len()
    }

    fn diag(&self) -> Vec<f64> {
        (0..self.size()).map(|i| self.kernel.diag(self.points, i).to_f64()).collect()
    }

    fn entries(&self, rows: &[usize], cols: &[usize]) -> Result<Mat<T>, Error> {
        let (a, b) = (self.points.select(rows)?, self.points.select(cols)?);
        let mut out = zeros(rows.len(), cols.len())?;
        CrossGram::new(self.kernel, &a, &b)?.to_dense_into(out.as_mut())?;
        Ok(out)
    }

    fn with_rows(&self, chosen: &[usize], work: &mut dyn FnMut(&Rows<'_, T>)) -> Result<(), Error> {
        let selected = self.points.select(chosen)?;
        let binding = Binding::new(self.kernel, &selected, self.points);
        work(&|cols, out, scratch| binding.block(0..chosen.len(), cols, out, scratch));
        Ok(())
    }
}

/// A given Gram matrix.
pub(super) struct OfGram<'a, G: ?Sized>(pub(super) &'a G);

impl<T: Scalar, G: GramOperator<T> + ?Sized> Source<T> for OfGram<'_, G> {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn diag(&self) -> Vec<f64> {
        self.0.diag().into_iter().map(Scalar::to_f64).collect()
    }

    fn entries(&self, rows: &[usize], cols: &[usize]) -> Result<Mat<T>, Error> {
        let mut entries = zeros(rows.len(), cols.len())?;
        self.0.submatrix_into(kern_gram::Rows::Of(rows), cols, entries.as_mut())?;
        Ok(entries)
    }

    fn with_rows(&self, chosen: &[usize], work: &mut dyn FnMut(&Rows<'_, T>)) -> Result<(), Error> {
        work(&|cols, mut out, _| {
            let cols: Vec<usize> = cols.collect();
            let rows = kern_gram::Rows::Of(chosen);
            if self.0.submatrix_into(rows, &cols, out.as_mut()).is_err() {
                // The only possible error: indices and shapes are valid.
                out.fill(T::from_f64(f64::NAN));
            }
        });
        Ok(())
    }
}

/// The largest diagonal entry; an error unless all are finite, none is negative, and one is
/// positive.
pub(super) fn check_diagonal(diagonal: &[f64]) -> Result<f64, Error> {
    if let Some(i) = diagonal.iter().position(|d| !d.is_finite()) {
        return Err(kern_gram::Error::NotFinite { row: i, col: i, given: diagonal[i] }.into());
    }
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    match diagonal.iter().copied().fold(0.0, f64::min) {
        smallest if smallest < 0.0 => Err(Error::NotPsd { eigenvalue: smallest, allowed: 0.0 }),
        _ if largest > 0.0 => Ok(largest),
        _ => Err(Error::NoPositiveEigenvalue { largest }),
    }
}
