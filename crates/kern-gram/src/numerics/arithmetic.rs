//! Sums over matrices, diagonals, and row scaling.

use crate::Error;
use faer::{Mat, MatMut, MatRef};
use kern_core::Scalar;

/// Σᵢⱼ aᵢⱼbᵢⱼ, summed in double precision, column by column.
#[must_use]
pub fn inner<A: Scalar, B: Scalar>(a: MatRef<'_, A>, b: MatRef<'_, B>) -> f64 {
    let columns = a.col_iter().zip(b.col_iter());
    let terms = columns.flat_map(|(a, b)| a.iter().zip(b.iter()));
    terms.map(|(a, b)| a.to_f64() * b.to_f64()).sum()
}

/// The diagonal of a Gram matrix in double precision; an error if it is not finite.
pub fn finite_diagonal(values: impl Iterator<Item = f64>) -> Result<Vec<f64>, Error> {
    let diagonal: Vec<f64> = values.collect();
    match diagonal.iter().position(|own| !own.is_finite()) {
        Some(i) => Err(Error::NotFinite { row: i, col: i, given: diagonal[i] }),
        None => Ok(diagonal),
    }
}

/// The first maximum and its index; the first NaN, if there is one. `None` without values.
pub fn largest(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    let greater = |best: (usize, f64), new: (usize, f64)| {
        let stays = new.1 <= best.1 || best.1.is_nan();
        if stays { best } else { new }
    };
    values.enumerate().reduce(greater)
}

/// The index of the first largest value, of values without NaN; 0 without values.
pub fn argmax<V: PartialOrd>(values: impl IntoIterator<Item = V>) -> usize {
    let values = values.into_iter().enumerate();
    values.reduce(|best, new| if new.1 > best.1 { new } else { best }).map_or(0, |best| best.0)
}

/// The index of the first smallest value, of values without NaN; 0 without values.
pub fn argmin<V: PartialOrd>(values: impl IntoIterator<Item = V>) -> usize {
    let values = values.into_iter().enumerate();
    values.reduce(|best, new| if new.1 < best.1 { new } else { best }).map_or(0, |best| best.0)
}

/// y ← y + c·x.
pub fn add<T: Scalar>(y: &mut Mat<T>, c: f64, x: MatRef<'_, T>) {
    let c = T::from_f64(c);
    for (y, x) in y.col_iter_mut().zip(x.col_iter()) {
        y.iter_mut().zip(x.iter()).for_each(|(y, &x)| *y = c.fma(x, *y));
    }
}

/// v ← diag(s)·v; nothing to do without s.
pub fn scale_rows<T: Scalar>(v: &mut Mat<T>, s: Option<&[T]>) {
    let Some(s) = s else { return };
    for column in v.col_iter_mut() {
        column.iter_mut().zip(s).for_each(|(v, &s)| *v *= s);
    }
}

/// Centres in place: the lower triangle of ZBZᵀ − ssᵀ/W, where s is column 0 of `moments` and
/// `mean` is s/W.
pub fn centre(mut gram: MatMut<'_, f64>, moments: MatRef<'_, f64>, mean: &[f64]) {
    for j in 0..mean.len() {
        for i in j..mean.len() {
            gram[(i, j)] -= moments[(i, 0)] * mean[j];
        }
    }
}
