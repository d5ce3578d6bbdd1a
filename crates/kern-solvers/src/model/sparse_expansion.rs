//! Affine functions of sparse features.

use super::affine::Affine;
use super::decision::with_intercepts;
use super::{Arity, Decision};
use crate::Error;
use faer::{Mat, MatMut, MatRef};
use kern_core::{Entry, Named, Points, Scalar, SparseTransform};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points that one thread evaluates at a time.
const BLOCK: usize = 256;

/// f(x) = b + wᵀφ(x) of a sparse feature map, one intercept b and one column of weights per output.
///
/// # Examples
/// ```
/// use kern_core::{Identity, SparseSamples};
/// use kern_solvers::svm::Svc;
/// let x = SparseSamples::from_rows(9, &[vec![(3, 1.0)], vec![(8, 1.0)]])?;
/// let model = Svc::on_sparse(Identity::new(9)).fit(&x, &["left", "right"])?;
/// let w = model.decision().weights();
/// assert!(w[(8, 0)] > 0.0 && w[(0, 0)] == 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
pub struct SparseExpansion<M, T: Scalar>(Affine<M, T>);

impl<M, T: Scalar> Arity for SparseExpansion<M, T> {
    fn arity(&self) -> usize {
        self.0.arity()
    }
}

impl<M, T: Scalar> SparseExpansion<M, T> {
    pub(crate) fn new(map: M, weights: Mat<T>, intercepts: Vec<T>) -> Self {
        Self(Affine { map, weights, intercepts })
    }

    /// The feature map φ.
    pub fn map(&self) -> &M {
        &self.0.map
    }

    /// The weights w: features × outputs.
    pub fn weights(&self) -> MatRef<'_, T> {
        self.0.weights.as_ref()
    }

    /// The intercepts b, one per output; zeros if there was none to learn.
    pub fn intercepts(&self) -> &[T] {
        &self.0.intercepts
    }

    /// wᵀx, accumulated in double precision.
    fn product(&self, x: &[Entry<T>], output: usize) -> T {
        let w = self.0.weights.col_as_slice(output);
        let terms = x.iter().map(|e| w[e.feature as usize].to_f64() * e.value.to_f64());
        T::from_f64(terms.sum())
    }
}

impl<P, M> Decision<P> for SparseExpansion<M, P::Scalar>
where
    P: Points,
    M: SparseTransform<P>,
{
    fn outputs(&self) -> usize {
        self.0.arity()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.0.check_numbers()
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let rows = self.0.map.rows(points)?;
        self.0.check_features(rows.dim())?;
        let mut out = zeros(rows.len(), self.outputs())?;
        let ranges = tile_ranges(rows.len(), BLOCK);
        let stripes = split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        let evaluate = |(): &mut (), stripe: (MatMut<'_, P::Scalar>, Range<usize>)| {
            let (mut out, range) = stripe;
            for output in 0..self.outputs() {
                for (row, i) in range.clone().enumerate() {
                    out[(row, output)] = self.product(rows.item(i), output);
                }
            }
        };
        parallel::for_each_init(stripes, || (), evaluate);
        with_intercepts(out, &self.0.intercepts)
    }
}
