//! Kernel values with landmarks, whitened.

use crate::tolerance;
use crate::{Error, model::KernelExpansion};
use faer::{Mat, MatMut};
use kern_core::memory::{LargeMat, converted};
use kern_core::products::solve_lower;
use kern_core::{FeatureMap, Kernel, Points, Scalar, Scratch, Tile};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, zeros};
use std::ops::Range;

/// Points whose features are computed together: operands of a tile are packed beside it.
const BLOCK: usize = 128;

/// The features L⁻¹K(Z, x) of landmarks Z with K(Z, Z) + εI = LLᵀ, so that inner products of features are at most K, in the
/// order of matrices.
pub(super) struct Whitened<'l, P: Points, K> {
    kernel: &'l K,
    landmarks: &'l P,
    /// L in double precision.
    pub(super) factor: Cholesky<f64>,
    /// L for features, zero above the diagonal.
    lower: Mat<P::Scalar>,
}

/// ε relative to the mean of the diagonal of K(Z, Z).
pub(super) const fn jitter<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() {
        tolerance::LANDMARK_JITTER
    } else {
        tolerance::LANDMARK_JITTER_SINGLE
    }
}

impl<'l, P: Points, K: Kernel<P>> Whitened<'l, P, K> {
    pub(super) fn new(kernel: &'l K, landmarks: &'l P) -> Result<Self, Error> {
        let m = landmarks.len();
        let mut gram: Mat<P::Scalar> = zeros(m, m)?;
        DenseGram::fill(kernel, landmarks, gram.as_mut())?;
        let mut wide = LargeMat::zeros(m, m)?;
        let mut out = wide.as_mut();
        for j in 0..m {
            let values = gram.col_as_slice(j)[j..].iter();
            values.enumerate().for_each(|(i, value)| out[(j + i, j)] = value.to_f64());
        }
        let mean = (0..m).map(|i| out[(i, i)]).sum::<f64>() / m as f64;
        let factor = Cholesky::new(wide, jitter::<P::Scalar>() * mean)?;
        let mut lower: Mat<P::Scalar> = converted(factor.lower())?;
        (1..m).for_each(|j| lower.col_as_slice_mut(j)[..j].fill(P::Scalar::ZERO));
        Ok(Self { kernel, landmarks, factor, lower })
    }

    /// The function Σ cⱼK(zⱼ, x) of all landmarks: the factors know them, too.
    pub(super) fn expansion(&self, c: Mat<P::Scalar>) -> Result<KernelExpansion<P, K>, Error>
    where
        K: Clone,
    {
        KernelExpansion::of_all(self.kernel.clone(), self.landmarks, c)
    }
}

impl<P: Points, K: Kernel<P>> FeatureMap<P> for Whitened<'_, P, K> {
    fn dim(&self) -> usize {
        self.landmarks.len()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        for start in range.clone().step_by(BLOCK) {
            let here = start..range.end.min(start + BLOCK);
            let mut out = out.as_mut().subcols_mut(start - range.start, here.len());
            let tile = Tile::new(self.landmarks, 0..self.dim(), points, here);
            self.kernel.block(&tile, out.as_mut(), scratch);
            solve_lower(self.lower.as_ref(), out);
        }
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        self.landmarks.check_compatible(points)?;
        self.kernel.check(points)
    }
}
