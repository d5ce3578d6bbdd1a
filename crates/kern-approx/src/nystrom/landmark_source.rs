//! Sources of landmarks, a kernel with points or a Gram matrix, and random draws from them.
//!
//! Every strategy needs the diagonal, some entries, rows K(𝓘, ·) in pieces, and indices that are
//! drawn uniformly or with given probabilities. Both sources provide the values, so each strategy
//! is written once.

use crate::Error;
use faer::{Mat, MatMut};
use kern_core::rand::RngExt;
use kern_core::{Binding, Kernel, Points, Scalar, Scratch};
use kern_gram::{CrossGram, GramOperator, zeros};
use rand_chacha::ChaCha8Rng;
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

/// `count` of the indices 0..n, uniformly without replacement: the beginning of a shuffle (Fisher &
/// Yates), so that a smaller draw is a prefix of a larger one.
pub(crate) fn uniform(n: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..n).collect();
    for i in 0..count {
        indices.swap(i, rng.random_range(i..n));
    }
    indices.truncate(count);
    indices
}

/// `count` independent indices, with probabilities proportional to the weights; empty if no weight
/// is positive.
///
/// Weights must be finite and non-negative; an index of weight zero is never drawn. O(n + count·log
/// n).
pub(super) fn independent(weights: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let Some(last) = weights.iter().rposition(|&w| w > 0.0) else {
        return Vec::new();
    };
    // Relative to the largest one, so that the sum cannot overflow.
    let mut total = 0.0;
    let sums: Vec<f64> = weights
        .iter()
        .map(|w| {
            total += w / largest;
            total
        })
        .collect();
    let draw = |_| {
        let target = rng.random::<f64>() * total;
        sums.partition_point(|&sum| sum <= target).min(last)
    };
    (0..count).map(draw).collect()
}

/// `count` different indices, drawn one after the other with probabilities proportional to the
/// weights of the remaining ones; fewer if fewer weights are positive.
///
/// Exponential clocks (Efraimidis & Spirakis 2006): an index of weight w is assigned an exponential
/// time of rate w, and those with the smallest times are drawn.
pub(super) fn without_replacement(
    weights: &[f64],
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<usize> {
    let mut times: Vec<(f64, usize)> = Vec::new();
    for (i, &weight) in weights.iter().enumerate() {
        let uniform = 1.0 - rng.random::<f64>();
        if weight > 0.0 {
            times.push((-uniform.ln() / weight, i));
        }
    }
    times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    times.into_iter().take(count).map(|(_, i)| i).collect()
}
