//! The kernels with sparse features.

use super::SparseExplicit;
use crate::closure::{Normalized, Scaled};
use crate::kernels::{
    BagOfWords, Cosine, Delta, Graph, Linear, Mismatch, NormalizedBagOfWords,
    NormalizedSetIntersection, Set, SetIntersection, ShortestPath, Spectrum, WeisfeilerLehman,
    WordCount, Words,
};
use crate::points::Entry;
use crate::{Embedded, Kernel, Points, Scalar, SparseSamples};
use std::borrow::Borrow;

/// Kernels on bags whose pairs are products: the weights of the bag are the features.
macro_rules! counts {
    ($($kernel:ty: $bound:path;)*) => {$(
        impl<P> SparseExplicit<P> for $kernel
        where
            P: Points<Scalar = f64> + ?Sized,
            P::Item: $bound,
        {
            type Name = u64;

            fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
                self.bag(x).features().to_vec()
            }
        }
    )*};
}

counts! {
    WordCount: Words;
    Spectrum: AsRef<str>;
    Mismatch: AsRef<str>;
    WeisfeilerLehman: Borrow<Graph>;
    ShortestPath: Borrow<Graph>;
}

impl<P> SparseExplicit<P> for SetIntersection
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Set,
{
    type Name = u64;

    fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
        self.bag(x).features().iter().map(|&(name, _)| (name, 1.0)).collect()
    }
}

impl<P> SparseExplicit<P> for NormalizedSetIntersection
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Set,
{
    type Name = u64;

    fn features(&self, x: &P::Item) -> Vec<(u64, f64)> {
        let bag = self.bag(x);
        let share = 1.0 / (bag.features().len() as f64).sqrt();
        bag.features().iter().map(|&(name, _)| (name, share)).collect()
    }
}

/// Counts in unary, as names of copies: min(m, n) is the number of copies that two counts share.
fn copies(features: &[(u64, f64)], value: impl Fn(f64) -> f64) -> Vec<((u64, u32), f64)> {
    let each = |&(name, count): &(u64, f64)| {
        let value = value(count);
        (0..count as u32).map(move |copy| ((name, copy), value))
    };
    features.iter().flat_map(each).collect()
}

impl<P> SparseExplicit<P> for BagOfWords
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Words,
{
    type Name = (u64, u32);

    fn features(&self, x: &P::Item) -> Vec<((u64, u32), f64)> {
        copies(self.bag(x).features(), |_| 1.0)
    }
}

impl<P> SparseExplicit<P> for NormalizedBagOfWords
where
    P: Points<Scalar = f64> + ?Sized,
    P::Item: Words,
{
    type Name = (u64, u32);

    fn features(&self, x: &P::Item) -> Vec<((u64, u32), f64)> {
        copies(self.bag(x).features(), |count| 1.0 / count.sqrt())
    }
}

/// A point is its own name.
impl<P> SparseExplicit<P> for Delta
where
    P: Points + ?Sized,
    P::Item: AsRef<str> + PartialEq,
{
    type Name = String;

    fn features(&self, x: &P::Item) -> Vec<(String, f64)> {
        vec![(x.as_ref().to_string(), 1.0)]
    }
}

impl<T: Scalar> SparseExplicit<SparseSamples<T>> for Linear {
    type Name = u32;

    fn features(&self, x: &[Entry<T>]) -> Vec<(u32, f64)> {
        x.iter().map(|entry| (entry.feature, entry.value.to_f64())).collect()
    }
}

impl<T: Scalar> SparseExplicit<SparseSamples<T>> for Cosine {
    type Name = u32;

    fn features(&self, x: &[Entry<T>]) -> Vec<(u32, f64)> {
        let greatest = x.iter().map(|e| e.value.to_f64().abs()).fold(0.0, f64::max);
        // Divided by it first, so that no square overflows or vanishes.
        let scaled = x.iter().map(|e| (e.feature, e.value.to_f64() / greatest)).collect();
        unit(scaled)
    }
}

/// Features over their norm; none, if that is 0.
fn unit<N>(mut features: Vec<(N, f64)>) -> Vec<(N, f64)> {
    let norm = features.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    features.iter_mut().for_each(|(_, value)| *value /= norm);
    features.retain(|(_, value)| value.is_finite());
    features
}

impl<P, K> SparseExplicit<P> for Normalized<K>
where
    P: Points + ?Sized,
    K: SparseExplicit<P>,
    Self: Kernel<P>,
{
    type Name = K::Name;

    fn features(&self, x: &P::Item) -> Vec<(K::Name, f64)> {
        unit(self.kernel().features(x))
    }
}

impl<P, K> SparseExplicit<P> for Scaled<K>
where
    P: Points + ?Sized,
    K: SparseExplicit<P>,
    Self: Kernel<P>,
{
    type Name = K::Name;

    fn features(&self, x: &P::Item) -> Vec<(K::Name, f64)> {
        let root = self.weight().sqrt();
        let scaled = |(name, value)| (name, root * value);
        self.kernel().features(x).into_iter().map(scaled).collect()
    }
}
