//! Gram matrices of weighted and centred points.

use crate::Error;
use crate::design::Design;
use faer::{Mat, MatMut, MatRef};
use kern_core::tile::for_each_column;
use kern_core::{Points, Scalar, Scratch};
use kern_gram::{GramOperator, zeros};

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

    /// Kp.
    pub(super) fn means(&self) -> Result<Vec<f64>, Error> {
        let n = self.gram.size();
        let (mut p, mut means) = (zeros(n, 1)?, zeros(n, 1)?);
        let shares = p.col_as_slice_mut(0).iter_mut().zip(&self.shares);
        shares.for_each(|(p, &share)| *p = T::from_f64(share));
        self.gram.apply_into(p.as_ref(), means.as_mut())?;
        Ok(means.col(0).iter().map(|mean| mean.to_f64()).collect())
    }

    /// p.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
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

    /// GV.
    pub(super) fn apply(&self, v: MatRef<'_, T>, mut out: MatMut<'_, T>) -> Result<(), Error> {
        let mut spread: Mat<T> = zeros(v.nrows(), v.ncols())?;
        spread.copy_from(v);
        self.spread(spread.as_mut());
        self.gram.apply_into(spread.as_ref(), out.as_mut())?;
        for_each_column(out, &mut Scratch::new(), |_, column| {
            let mean = T::from_f64(sum(column, |v, i| self.shares[i] * v));
            column.iter_mut().for_each(|v| *v -= mean);
            self.scale(column);
        });
        Ok(())
    }

    /// A column of SV from one of V.
    fn scale(&self, column: &mut [T]) {
        let Some(roots) = self.roots else { return };
        column.iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
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
