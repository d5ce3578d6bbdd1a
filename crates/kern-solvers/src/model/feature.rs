//! Linear functions of a feature map.

use super::Decision;
use crate::Error;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use kern_core::{FeatureMap, Points, Scalar, Scratch, serde_mat};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Points whose features are held at once in prediction, per thread.
const BLOCK: usize = 256;

/// f(x) = wᵀψ(x), one column of weights per output.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::sgd::Sgd;
/// let x = Samples::from_rows(&[[-1.0], [1.0]])?;
/// let model = Sgd::on_features(Identity::new(1)).fit_classifier(&x, &["left", "right"])?;
/// assert!(model.decision().weights()[(0, 0)] > 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>"))]
pub struct FeatureModel<M, T: Scalar> {
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
}

impl<M, T: Scalar> FeatureModel<M, T> {
    pub(crate) fn new(map: M, weights: Mat<T>) -> Self {
        Self { map, weights }
    }

    /// The feature map ψ.
    pub fn map(&self) -> &M {
        &self.map
    }

    /// The weights w: D × outputs.
    pub fn weights(&self) -> MatRef<'_, T> {
        self.weights.as_ref()
    }
}

impl<T, P, M> Decision<P> for FeatureModel<M, T>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P>,
{
    fn outputs(&self) -> usize {
        self.weights.ncols()
    }

    fn decide(&self, points: &P) -> Result<Mat<T>, Error> {
        self.map.check(points)?;
        let mut out = Mat::zeros(points.len(), self.outputs());
        let blocks = points.len().div_ceil(BLOCK).max(1);
        let rows: Vec<_> = split_blocks(out.as_mut(), blocks).into_iter().enumerate().collect();
        rows.into_par_iter().for_each_init(Scratch::new, |scratch, (b, out)| {
            let range = b * BLOCK..b * BLOCK + out.nrows();
            let mut buffer = scratch.take(self.map.dim() * range.len());
            let mut z =
                MatMut::from_column_major_slice_mut(&mut buffer, self.map.dim(), range.len());
            self.map.transform_into(points, range, z.as_mut(), scratch);
            matmul(out, Accum::Replace, z.as_ref().transpose(), self.weights(), T::ONE, Par::Seq);
            scratch.give(buffer);
        });
        Ok(out)
    }
}

/// Stripes of `BLOCK` rows.
fn split_blocks<T>(mut out: MatMut<'_, T>, blocks: usize) -> Vec<MatMut<'_, T>> {
    let mut stripes = Vec::with_capacity(blocks);
    while out.nrows() > 0 {
        let at = out.nrows().min(BLOCK);
        let (stripe, rest) = out.split_at_row_mut(at);
        stripes.push(stripe);
        out = rest;
    }
    stripes
}
