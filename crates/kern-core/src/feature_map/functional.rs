//! The features of kernels that involve a function: f·φ and φ ∘ f.

use super::{Explicit, FeatureMap};
use crate::closure::{Conjugated, PullBack};
use crate::{Error, Gather, Points, Scalar, Scratch};
use faer::MatMut;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

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
            // Only for points that `check` would have refused.
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
