//! Affine functions of sparse features.

use super::decision::{check_numbers, with_intercepts};
use super::{Arity, Decision};
use crate::Error;
use faer::{Mat, MatMut, MatRef};
use kern_core::{Entry, Named, Points, Scalar, SparseTransform, serde_mat};
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
    try_from = "Unchecked<M, T>",
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
pub struct SparseExpansion<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
    intercepts: Vec<T>,
}

/// An expansion as it is read.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Named + Deserialize<'de>"))]
struct Unchecked<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
    intercepts: Vec<T>,
}

impl<M, T: Scalar> TryFrom<Unchecked<M, T>> for SparseExpansion<M, T> {
    type Error = Error;

    fn try_from(read: Unchecked<M, T>) -> Result<Self, Error> {
        let Unchecked { map, weights, intercepts } = read;
        check_numbers(weights.as_ref(), &intercepts)?;
        Ok(Self { map, weights, intercepts })
    }
}

impl<M, T: Scalar> Arity for SparseExpansion<M, T> {
    fn arity(&self) -> usize {
        self.weights.ncols()
    }
}

impl<M, T: Scalar> SparseExpansion<M, T> {
    pub(crate) fn new(map: M, weights: Mat<T>, intercepts: Vec<T>) -> Self {
        Self { map, weights, intercepts }
    }

    /// The feature map φ.
    pub fn map(&self) -> &M {
        &self.map
    }

    /// The weights w: features × outputs.
    pub fn weights(&self) -> MatRef<'_, T> {
        self.weights.as_ref()
    }

    /// The intercepts b, one per output; zeros if there was none to learn.
    pub fn intercepts(&self) -> &[T] {
        &self.intercepts
    }

    /// wᵀx, accumulated in double precision.
    fn product(&self, x: &[Entry<T>], output: usize) -> T {
        let w = self.weights.col_as_slice(output);
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
        self.weights.ncols()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        check_numbers(self.weights(), &self.intercepts)
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        let rows = self.map.rows(points)?;
        // A file may hold another map than that of the fit.
        let shape = (rows.dim(), self.weights.ncols());
        kern_gram::Error::check_shape("the weights", shape, self.weights.shape())?;
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
        with_intercepts(out, &self.intercepts)
    }
}
