//! The features of a power of a kernel: the tensor power of its features.

use super::explicit::check_features;
use super::tensor::multiply;
use super::{Explicit, FeatureMap};
use crate::closure::{Power, power};
use crate::{Error, Points, Scalar, Scratch};
use faer::MatMut;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// φ ⊗ … ⊗ φ (p times): the features of K^p. For p = 0 the constant 1.
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
                // As many factors as one likes make no further features.
                let power = |c| power(base[(0, c)], self.exponent);
                (0..m).for_each(|c| out[(0, c)] = power(c));
                return;
            }
            out.as_mut().subrows_mut(0, 1).fill(P::Scalar::ONE);
            // The first D^k rows hold the k-th power; the next one needs a copy of them.
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
