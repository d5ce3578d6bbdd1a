//! Exact feature maps of composite kernels, one for each closure rule: √c·φ for c·K, \[φ₁; φ₂\] for
//! K₁ + K₂, φ₁ ⊗ φ₂ for K₁·K₂ (all products of a feature of one and a feature of the other), φ ⊗ …
//! ⊗ φ for K^p, φ/‖φ‖ for the normalised kernel, and f·φ and φ ∘ f for kernels that involve a
//! function.

use super::{Explicit, FeatureMap, check_features};
use crate::closure::{Conjugated, Normalized, Power, Product, PullBack, Scaled, Sum, power};
use crate::{Error, Gather, NonNegative, Points, Scalar, Scratch, tile};
use faer::{MatMut, MatRef};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// √c·φ: the features of c·K.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledMap<M> {
    weight: NonNegative,
    map: M,
}

impl<M> ScaledMap<M> {
    /// √weight·map.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `weight` is finite and ≥ 0.
    pub fn new(weight: f64, map: M) -> Result<Self, Error> {
        Ok(Self { weight: NonNegative::new("the weight of a feature map", weight)?, map })
    }
}

impl<P: Points + ?Sized, M: FeatureMap<P>> FeatureMap<P> for ScaledMap<M> {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.map.transform_into(points, range, out.as_mut(), scratch);
        out *= faer::Scale(P::Scalar::from_f64(self.weight.get().sqrt()));
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P: Points + ?Sized, K: Explicit<P>> Explicit<P> for Scaled<K> {
    type Map = ScaledMap<K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        ScaledMap::new(self.weight(), self.kernel().feature_map(points)?)
    }
}

/// \[φ₁; φ₂\]: the features of K₁ + K₂. If the two maps approximate their kernels, the stacked map
/// approximates the sum, and the errors add up. Random Fourier features of a sum of two spectra, in
/// contrast, draw each frequency for one of the kernels.
///
/// # Examples
/// ```
/// use kern_core::feature_map::StackedMap;
/// use kern_core::kernels::Polynomial;
/// use kern_core::{Explicit, FeatureMap, Identity, Kernel, Samples, Scratch, faer::Mat};
/// let x = Samples::from_rows(&[[1.0, 2.0], [3.0, -1.0]])?;
/// let square = Polynomial::new(1.0, 1.0, 2)?;
/// let map = StackedMap::new(Identity::new(2), square.feature_map(&x)?);
/// let mut z = Mat::zeros(FeatureMap::<Samples<f64>>::dim(&map), 2);
/// map.transform_into(&x, 0..2, z.as_mut(), &mut Scratch::new());
/// // xᵀy = 1, and (1 + xᵀy)² = 4.
/// assert!((z.col(0).transpose() * z.col(1) - 5.0_f64).abs() < 1e-14);
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackedMap<A, B> {
    top: A,
    bottom: B,
}

impl<A, B> StackedMap<A, B> {
    /// Stacks `top` on `bottom`.
    pub fn new(top: A, bottom: B) -> Self {
        Self { top, bottom }
    }
}

impl<P: Points + ?Sized, A: FeatureMap<P>, B: FeatureMap<P>> FeatureMap<P> for StackedMap<A, B> {
    fn dim(&self) -> usize {
        self.top.dim().saturating_add(self.bottom.dim())
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (top, bottom) = out.split_at_row_mut(self.top.dim());
        self.top.transform_into(points, range.clone(), top, scratch);
        self.bottom.transform_into(points, range, bottom, scratch);
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.top.check(points)?;
        self.bottom.check(points)
    }
}

impl<P: Points + ?Sized, A: Explicit<P>, B: Explicit<P>> Explicit<P> for Sum<A, B> {
    type Map = StackedMap<A::Map, B::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let top = self.left().feature_map(points)?;
        let bottom = self.right().feature_map(points)?;
        check_features(top.dim().checked_add(bottom.dim()))?;
        Ok(StackedMap::new(top, bottom))
    }
}

/// φ₁ ⊗ φ₂: the features of K₁·K₂. Feature (i, j) has the index i·D₂ + j.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorMap<A, B> {
    left: A,
    right: B,
}

impl<A, B> TensorMap<A, B> {
    /// left ⊗ right.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right }
    }
}

impl<P: Points + ?Sized, A: FeatureMap<P>, B: FeatureMap<P>> FeatureMap<P> for TensorMap<A, B> {
    fn dim(&self) -> usize {
        self.left.dim().saturating_mul(self.right.dim())
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let m = range.len();
        scratch.with_matrix(self.left.dim(), m, |mut left, scratch| {
            self.left.transform_into(points, range.clone(), left.as_mut(), scratch);
            scratch.with_matrix(self.right.dim(), m, |mut right, scratch| {
                self.right.transform_into(points, range, right.as_mut(), scratch);
                multiply(left.as_ref(), right.as_ref(), out);
            });
        });
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.left.check(points)?;
        self.right.check(points)
    }
}

/// All products of entries of two columns, column by column.
fn multiply<T: Scalar>(left: MatRef<'_, T>, right: MatRef<'_, T>, mut out: MatMut<'_, T>) {
    for c in 0..out.ncols() {
        for i in 0..left.nrows() {
            for j in 0..right.nrows() {
                out[(i * right.nrows() + j, c)] = left[(i, c)] * right[(j, c)];
            }
        }
    }
}

impl<P: Points + ?Sized, A: Explicit<P>, B: Explicit<P>> Explicit<P> for Product<A, B> {
    type Map = TensorMap<A::Map, B::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let left = self.left().feature_map(points)?;
        let right = self.right().feature_map(points)?;
        check_features(left.dim().checked_mul(right.dim()))?;
        Ok(TensorMap::new(left, right))
    }
}

/// φ ⊗ … ⊗ φ (p times): the features of K^p. For p = 0, the constant 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerMap<M> {
    map: M,
    exponent: u32,
}

impl<M> PowerMap<M> {
    /// The `exponent`-fold tensor power of `map`.
    pub fn new(map: M, exponent: u32) -> Self {
        Self { map, exponent }
    }
}

impl<P: Points + ?Sized, M: FeatureMap<P>> FeatureMap<P> for PowerMap<M> {
    fn dim(&self) -> usize {
        self.map.dim().saturating_pow(self.exponent)
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (dim, m) = (self.map.dim(), range.len());
        scratch.with_matrix(dim, m, |mut base, scratch| {
            self.map.transform_into(points, range, base.as_mut(), scratch);
            if dim == 1 {
                // The tensor powers of a single feature have one feature, whatever the exponent.
                let power = |c| power(base[(0, c)], self.exponent);
                (0..m).for_each(|c| out[(0, c)] = power(c));
                return;
            }
            out.as_mut().subrows_mut(0, 1).fill(P::Scalar::ONE);
            // The first D^k rows contain the k-th power; computing the next one requires a copy of
            // them.
            for k in 0..self.exponent {
                let filled = dim.saturating_pow(k);
                scratch.with_matrix(filled, m, |mut copy, _| {
                    copy.copy_from(out.as_ref().subrows(0, filled));
                    let next = out.as_mut().subrows_mut(0, filled * dim);
                    multiply(copy.as_ref(), base.as_ref(), next);
                });
            }
        });
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P: Points + ?Sized, K: Explicit<P>> Explicit<P> for Power<K> {
    type Map = PowerMap<K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let map = self.kernel().feature_map(points)?;
        check_features(map.dim().checked_pow(self.exponent()))?;
        Ok(PowerMap::new(map, self.exponent()))
    }
}

/// φ/‖φ‖, or 0 where φ is 0: the features of the normalised kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizedMap<M> {
    map: M,
}

impl<M> NormalizedMap<M> {
    /// map/‖map‖.
    pub fn new(map: M) -> Self {
        Self { map }
    }
}

impl<P: Points + ?Sized, M: FeatureMap<P>> FeatureMap<P> for NormalizedMap<M> {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.map.transform_into(points, range, out.as_mut(), scratch);
        tile::for_each_column(out, scratch, |_, column| {
            let squared: f64 = column.iter().map(|v| v.to_f64() * v.to_f64()).sum();
            if squared > 0.0 {
                let factor = P::Scalar::from_f64(1.0 / squared.sqrt());
                column.iter_mut().for_each(|v| *v *= factor);
            }
        });
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P: Points + ?Sized, K: Explicit<P>> Explicit<P> for Normalized<K> {
    type Map = NormalizedMap<K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        Ok(NormalizedMap::new(self.kernel().feature_map(points)?))
    }
}

/// f·φ: the features of f(x)·K(x, y)·f(y).
#[derive(Clone, Copy)]
pub struct ConjugatedMap<F, M> {
    f: F,
    map: M,
}

impl<F, M> ConjugatedMap<F, M> {
    /// f·map.
    pub fn new(f: F, map: M) -> Self {
        Self { f, map }
    }
}

impl<F, M: fmt::Debug> fmt::Debug for ConjugatedMap<F, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConjugatedMap").field("map", &self.map).finish_non_exhaustive()
    }
}

impl<P, F, M> FeatureMap<P> for ConjugatedMap<F, M>
where
    P: Points + ?Sized,
    F: Fn(&P::Item) -> P::Scalar + Send + Sync,
    M: FeatureMap<P>,
{
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        self.map.transform_into(points, range.clone(), out.as_mut(), scratch);
        for (c, i) in range.enumerate() {
            let factor = (self.f)(points.item(i));
            (0..out.nrows()).for_each(|k| out[(k, c)] *= factor);
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        self.map.check(points)
    }
}

impl<P, F, K> Explicit<P> for Conjugated<F, K>
where
    P: Points + ?Sized,
    F: Fn(&P::Item) -> P::Scalar + Clone + Send + Sync,
    K: Explicit<P>,
{
    type Map = ConjugatedMap<F, K::Map>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        Ok(ConjugatedMap::new(self.function().clone(), self.kernel().feature_map(points)?))
    }
}

/// φ ∘ f: the features of K(f(x), f(y)).
#[derive(Clone)]
pub struct PulledMap<F, M, Q> {
    f: F,
    map: M,
    target: PhantomData<fn() -> Q>,
}

impl<F, M, Q> PulledMap<F, M, Q> {
    /// map ∘ f.
    pub fn new(f: F, map: M) -> Self {
        Self { f, map, target: PhantomData }
    }

    fn mapped<P>(&self, points: &P, range: Range<usize>) -> Result<Q, Error>
    where
        P: Points + ?Sized,
        Q: Gather,
        F: Fn(&P::Item) -> Q::Owned,
    {
        Q::gather(range.map(|i| (self.f)(points.item(i))).collect())
    }
}

impl<F, M: fmt::Debug, Q> fmt::Debug for PulledMap<F, M, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PulledMap").field("map", &self.map).finish_non_exhaustive()
    }
}

impl<P, Q, F, M> FeatureMap<P> for PulledMap<F, M, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Q::Owned + Send + Sync,
    M: FeatureMap<Q>,
{
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        match self.mapped(points, range) {
            Ok(mapped) => self.map.transform_into(&mapped, 0..mapped.len(), out, scratch),
            // Only for points that `check` rejects.
            Err(_) => out.fill(P::Scalar::from_f64(f64::NAN)),
        }
    }

    fn check(&self, points: &P) -> Result<(), Error> {
        if points.is_empty() {
            return Ok(());
        }
        self.map.check(&self.mapped(points, 0..points.len())?)
    }
}

impl<P, Q, F, K> Explicit<P> for PullBack<F, K, Q>
where
    P: Points + ?Sized,
    Q: Gather<Scalar = P::Scalar>,
    F: Fn(&P::Item) -> Q::Owned + Clone + Send + Sync,
    K: Explicit<Q>,
{
    type Map = PulledMap<F, K::Map, Q>;

    fn feature_map(&self, points: &P) -> Result<Self::Map, Error> {
        let target = self.map_all(points)?;
        Ok(PulledMap::new(self.function().clone(), self.kernel().feature_map(&target)?))
    }
}
