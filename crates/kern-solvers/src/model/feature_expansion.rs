//! Affine functions of features, dense or sparse: f(x) = b + wᵀψ(x).

use super::decision::{check_numbers, with_intercepts};
use super::{Arity, Decision};
use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::feature_map::Folded;
use kern_core::products::inner_products;
use kern_core::{Entry, FeatureMap, Named, Points, Scalar, Scratch, SparseTransform, serde_mat};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The largest number of points whose features are computed at once in prediction, per thread.
const BLOCK: usize = 256;

/// The largest number of features held at once, unless `FEWEST` points have more.
const FEATURES: usize = 1 << 22;
const FEWEST: usize = 8;

/// The number of points that one thread evaluates at a time.
const ROWS: usize = 256;

/// f(x) = b + wᵀψ(x), one intercept b and one column of weights per output.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::sgd::Sgd;
/// let x = Samples::from_rows(&[[-1.0], [1.0]])?;
/// let model = Sgd::on_features(Identity::new(1)).fit(&x, &["left", "right"])?;
/// assert!(model.decision().weights()[(0, 0)] > 0.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
pub struct FeatureExpansion<M, T: Scalar>(Affine<M, T>);

impl<M, T: Scalar> Arity for FeatureExpansion<M, T> {
    fn arity(&self) -> usize {
        self.0.arity()
    }
}

impl<M, T: Scalar> FeatureExpansion<M, T> {
    pub(crate) fn new(map: M, weights: Mat<T>) -> Self {
        let intercepts = vec![T::ZERO; weights.ncols()];
        Self(Affine { map, weights, intercepts })
    }

    /// Replaces the intercepts, one per output.
    pub(crate) fn with_intercepts(self, intercepts: Vec<T>) -> Self {
        Self(Affine { intercepts, ..self.0 })
    }

    /// The feature map ψ.
    pub fn map(&self) -> &M {
        &self.0.map
    }

    /// The weights w: D × outputs.
    pub fn weights(&self) -> MatRef<'_, T> {
        self.0.weights.as_ref()
    }

    /// The intercepts b, one per output; zeros if the solver fits none.
    pub fn intercepts(&self) -> &[T] {
        &self.0.intercepts
    }

    /// Checks the points, and that the weights match the map, since a file may hold a different
    /// map.
    pub(super) fn check<P: Points<Scalar = T>>(&self, points: &P) -> Result<(), Error>
    where
        M: FeatureMap<P>,
    {
        self.0.map.check(points)?;
        self.0.check_features(self.0.map.dim())
    }
}

impl<T, P, M> Decision<P> for FeatureExpansion<M, T>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P>,
{
    fn outputs(&self) -> usize {
        self.0.arity()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.0.check_numbers()
    }

    fn decide(&self, points: &P) -> Result<Mat<T>, Error> {
        self.check(points)?;
        let mut out = zeros(points.len(), self.outputs())?;
        let Folded { inner, fold } = Folded::of(&self.0.map);
        let weights = fold.unfold(self.weights())?;
        evaluate(&*inner, weights.as_ref(), points, out.as_mut());
        with_intercepts(out, &self.0.intercepts)
    }
}

/// `out[(i, c)] = ⟨w_c, ψ(x_i)⟩`.
fn evaluate<P: Points>(
    map: &dyn FeatureMap<P>,
    weights: MatRef<'_, P::Scalar>,
    points: &P,
    out: MatMut<'_, P::Scalar>,
) {
    let block = (FEATURES / map.dim().max(1)).clamp(FEWEST, BLOCK);
    let ranges = tile_ranges(points.len(), block);
    let stripes = split_rows(out, &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(stripes, Scratch::new, |scratch, (out, range)| {
        scratch.with_matrix(map.dim(), range.len(), |mut z, scratch| {
            map.transform_into(points, range, z.as_mut(), scratch);
            inner_products(out, Accum::Replace, z.as_ref(), weights, P::Scalar::ONE);
        });
    });
}

/// The values wᵀψ of a panel of features, samples × outputs.
pub(crate) fn panel_values<T: Scalar>(w: MatRef<'_, T>, z: MatRef<'_, T>, out: MatMut<'_, T>) {
    let ranges = tile_ranges(z.ncols(), ROWS);
    let stripes = split_rows(out, &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (out, range)| {
            let z = z.subcols(range.start, range.len());
            inner_products(out, Accum::Replace, z, w, T::ONE);
        },
    );
}

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

    /// The intercepts b, one per output; zeros if the solver fits none.
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
        let ranges = tile_ranges(rows.len(), ROWS);
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

/// A feature map, one intercept and one column of weights per output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<M, T>",
    bound(serialize = "M: Named + Serialize", deserialize = "M: Named + Deserialize<'de>")
)]
struct Affine<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
    intercepts: Vec<T>,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Named + Deserialize<'de>"))]
struct Unchecked<M, T: Scalar> {
    #[serde(with = "kern_core::named")]
    map: M,
    #[serde(with = "serde_mat")]
    weights: Mat<T>,
    intercepts: Vec<T>,
}

impl<M, T: Scalar> TryFrom<Unchecked<M, T>> for Affine<M, T> {
    type Error = Error;

    fn try_from(read: Unchecked<M, T>) -> Result<Self, Error> {
        let Unchecked { map, weights, intercepts } = read;
        let read = Self { map, weights, intercepts };
        read.check_numbers()?;
        Ok(read)
    }
}

impl<M, T: Scalar> Arity for Affine<M, T> {
    fn arity(&self) -> usize {
        self.weights.ncols()
    }
}

impl<M, T: Scalar> Affine<M, T> {
    /// Rejects non-finite values, and intercepts that are not one per output.
    fn check_numbers(&self) -> Result<(), Error> {
        check_numbers(self.weights.as_ref(), &self.intercepts)
    }

    /// Checks that the weights are for this many features, since a file may hold a different map.
    fn check_features(&self, dim: usize) -> Result<(), Error> {
        let shape = (dim, self.weights.ncols());
        Ok(kern_gram::Error::check_shape("the weights", shape, self.weights.shape())?)
    }
}
