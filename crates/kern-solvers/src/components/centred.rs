//! Gram matrices of weighted and centred points.

use super::krylov::Operator;
use crate::Error;
use crate::design::Design;
use faer::{Mat, MatMut, MatRef};
use kern_core::tile::for_each_column;
use kern_core::{Points, Scalar, Scratch};
use kern_gram::{GramOperator, Rows, zeros};

/// G = S(I − 1pᵀ)K(I − p1ᵀ)S with S = diag(√β) and p = β/W.
pub(super) struct Centred<'c, T: Scalar> {
    gram: &'c dyn GramOperator<T>,
    /// √β, unless all are 1.
    roots: Option<&'c [T]>,
    /// p.
    shares: Vec<f64>,
    /// W.
    pub(super) weight: f64,
}

impl<'c, T: Scalar> Centred<'c, T> {
    pub(super) fn new<P: Points<Scalar = T>>(
        gram: &'c dyn GramOperator<T>,
        design: &'c Design<'_, P, ()>,
    ) -> Self {
        let n = gram.size();
        let weight: f64 = (0..n).map(|i| design.weight(i)).sum();
        let shares = (0..n).map(|i| design.weight(i) / weight).collect();
        Self { gram, roots: design.roots(), shares, weight }
    }

    /// p.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// max βᵢKᵢᵢ: what is rounded.
    pub(super) fn greatest(&self) -> f64 {
        let pairs = self.gram.diag().into_iter().zip(&self.shares);
        pairs.fold(0.0, |most: f64, (k, share)| most.max(share * self.weight * k.to_f64()))
    }

    /// tr G.
    pub(super) fn trace(&self, means: &[f64]) -> f64 {
        let pairs = self.gram.diag().into_iter().zip(&self.shares);
        let own: f64 = pairs.map(|(k, share)| share * k.to_f64()).sum();
        let mean: f64 = means.iter().zip(&self.shares).map(|(mean, share)| mean * share).sum();
        self.weight * (own - mean).max(0.0)
    }

    /// V ← (I − p1ᵀ)SV: coefficients of points from those of centred ones.
    pub(super) fn spread(&self, v: MatMut<'_, T>) {
        for_each_column(v, &mut Scratch::new(), |_, column| {
            self.scale(column);
            let sum = sum(column, |v, _| v);
            let deduct = |(v, share): (&mut T, &f64)| *v -= T::from_f64(share * sum);
            column.iter_mut().zip(&self.shares).for_each(deduct);
        });
    }

    /// GV and Kp, by one product with K.
    pub(super) fn apply_with_means(&self, v: MatRef<'_, T>) -> Result<(Mat<T>, Vec<f64>), Error> {
        let (n, count) = v.shape();
        let (mut spread, mut images): (Mat<T>, Mat<T>) =
            (zeros(n, count + 1)?, zeros(n, count + 1)?);
        spread.as_mut().subcols_mut(0, count).copy_from(v);
        self.spread(spread.as_mut().subcols_mut(0, count));
        let shares = spread.col_as_slice_mut(count).iter_mut().zip(&self.shares);
        shares.for_each(|(p, &share)| *p = T::from_f64(share));
        self.gram.apply_into(spread.as_ref(), images.as_mut())?;
        let means = images.col(count).iter().map(|mean| mean.to_f64()).collect();
        images.resize_with(n, count, |_, _| T::ZERO);
        self.centre(images.as_mut());
        Ok((images, means))
    }

    /// V ← S(I − 1pᵀ)V.
    fn centre(&self, v: MatMut<'_, T>) {
        for_each_column(v, &mut Scratch::new(), |_, column| {
            let mean = T::from_f64(sum(column, |v, i| self.shares[i] * v));
            column.iter_mut().for_each(|v| *v -= mean);
            self.scale(column);
        });
    }

    /// A column of SV from one of V.
    fn scale(&self, column: &mut [T]) {
        let Some(roots) = self.roots else { return };
        column.iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
    }
}

impl<T: Scalar> Operator<T> for Centred<'_, T> {
    fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut spread: Mat<T> = zeros(v.nrows(), v.ncols())?;
        spread.copy_from(v);
        self.spread(spread.as_mut());
        self.gram.apply_into(spread.as_ref(), out.as_mut())?;
        self.centre(out);
        Ok(())
    }

    /// Columns of S(I − 1pᵀ)K: centred on one side only, which takes no product.
    fn columns(&self, indices: &[usize], mut out: MatMut<'_, T>) -> Result<(), Error> {
        self.gram.submatrix_into(Rows::All, indices, out.as_mut())?;
        self.centre(out);
        Ok(())
    }
}

/// Partial sums that hide the latency of the addition.
const LANES: usize = 8;

/// Σ term(vᵢ, i) in double precision.
fn sum<T: Scalar>(v: &[T], term: impl Fn(f64, usize) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    for (c, chunk) in v.chunks(LANES).enumerate() {
        for (lane, (sum, v)) in sums.iter_mut().zip(chunk).enumerate() {
            *sum += term(v.to_f64(), c * LANES + lane);
        }
    }
    sums.iter().sum()
}
