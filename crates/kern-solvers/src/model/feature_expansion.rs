//! Affine functions of a feature map.

use super::affine::Affine;
use super::decision::with_intercepts;
use super::{Arity, Decision};
use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::feature_map::Folded;
use kern_core::products::inner_products;
use kern_core::{FeatureMap, Named, Points, Scalar, Scratch};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Points whose features are held at once in prediction, per thread, at most.
const BLOCK: usize = 256;

/// Features that are held at once, unless those of `FEWEST` points are more.
const FEATURES: usize = 1 << 22;
const FEWEST: usize = 8;

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

    /// The same with these intercepts, one per output.
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

    /// The intercepts b, one per output; zeros if the solver had none to learn.
    pub fn intercepts(&self) -> &[T] {
        &self.0.intercepts
    }

    /// Checks the points, and that the weights are those of the map: a file may hold another one than that of the fit.
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
