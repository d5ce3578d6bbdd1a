//! Affine functions of a feature map.

use super::Decision;
use super::decision::add_intercepts;
use crate::Error;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use kern_core::{FeatureMap, Points, Scalar, Scratch, serde_mat};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Points whose features are held at once in prediction, per thread.
const BLOCK: usize = 256;

/// f(x) = b + wᵀψ(x), one intercept b and one column of weights per output.
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
    intercepts: Vec<T>,
}

impl<M, T: Scalar> FeatureModel<M, T> {
    pub(crate) fn new(map: M, weights: Mat<T>) -> Self {
        let intercepts = vec![T::ZERO; weights.ncols()];
        Self { map, weights, intercepts }
    }

    /// The same with these intercepts, one per output.
    pub(crate) fn with_intercepts(self, intercepts: Vec<T>) -> Self {
        Self { intercepts, ..self }
    }

    /// The feature map ψ.
    pub fn map(&self) -> &M {
        &self.map
    }

    /// The weights w: D × outputs.
    pub fn weights(&self) -> MatRef<'_, T> {
        self.weights.as_ref()
    }

    /// The intercepts b, one per output; zeros if the solver had none to learn.
    pub fn intercepts(&self) -> &[T] {
        &self.intercepts
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
        let mut out = zeros(points.len(), self.outputs())?;
        let ranges = tile_ranges(points.len(), BLOCK);
        let stripes = split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        parallel::for_each_init(stripes, Scratch::new, |scratch, (out, range)| {
            scratch.with_matrix(self.map.dim(), range.len(), |mut z, scratch| {
                self.map.transform_into(points, range, z.as_mut(), scratch);
                let (z, w) = (z.as_ref().transpose(), self.weights());
                matmul(out, Accum::Replace, z, w, T::ONE, Par::Seq);
            });
        });
        add_intercepts(&mut out, &self.intercepts);
        Ok(out)
    }
}
