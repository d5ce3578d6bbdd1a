//! Lloyd's algorithm on features, with Hamerly's bounds on distances.
//!
//! Each point has an upper bound of the distance from its own centre, and a lower bound of the
//! distances from all others ([`Bounds`]). When centres move, both are loosened by the distances
//! moved ([`Drift`]). While the upper bound is below the lower one by more than the rounding error,
//! no other centre is nearer, and no distance of the point is computed.

use super::centred_features::{CentredFeatures, blocks, products};
use super::lloyd::{Division, Move, any_empty, fill_empty, finite};
use super::plus_plus::Distances;
use crate::Error;
use crate::tolerance::KMEANS_RENEWAL;
use faer::{Mat, MatRef};
use kern_core::{FeatureMap, Points, Scalar, Scratch};
use kern_gram::numerics::arithmetic::argmax;
use kern_gram::{parallel, zeros};
use std::ops::Range;

/// The state of a run on features: its clusters, with their centres and bounds.
pub(super) struct ByFeatures<'a, P: Points, M: ?Sized> {
    source: &'a CentredFeatures<'a, P, M>,
    k: usize,
    trace: f64,
    pub(super) labels: Vec<u32>,
    bounds: Option<Vec<Bounds>>,
    /// The distance that each centre has moved since the bounds were updated.
    drift: Vec<f64>,
    sums: Mat<f64>,
    pub(super) centres: Means<P::Scalar>,
    objective: f64,
    age: usize,
    distances: u64,
}

impl<'a, P: Points, M: FeatureMap<P> + ?Sized> ByFeatures<'a, P, M> {
    pub(super) fn new(
        source: &'a CentredFeatures<'a, P, M>,
        k: usize,
        labels: Vec<u32>,
        bounded: bool,
    ) -> Result<Self, Error> {
        let weighted = source.norms.iter().zip(source.weights());
        let mut state = Self {
            source,
            k,
            trace: weighted.map(|(norm, weight)| weight * norm).sum(),
            labels: Vec::new(),
            bounds: bounded.then(|| vec![Bounds::NONE; source.size()]),
            drift: vec![0.0; k],
            sums: zeros(source.dim(), k)?,
            centres: Means::none(source.dim(), k)?,
            objective: 0.0,
            age: 0,
            distances: 0,
        };
        state.renew(labels)?;
        Ok(state)
    }

    fn forget_bounds(&mut self) {
        if let Some(bounds) = &mut self.bounds {
            bounds.fill(Bounds::NONE);
        }
    }

    fn settle(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        let mut masses = vec![0.0; self.k];
        let pairs = labels.iter().zip(self.source.weights());
        pairs.for_each(|(&label, weight)| masses[label as usize] += weight);
        let (centres, explained) = Means::new(&self.sums, masses)?;
        let moved = centres.distances_from(&self.centres);
        self.drift.iter_mut().zip(moved).for_each(|(drift, moved)| *drift += moved);
        (self.labels, self.centres) = (labels, centres);
        self.objective = finite(self.trace - explained)?;
        Ok(())
    }

    /// One pass: the nearest centre of each point, searched only where the bounds do not decide,
    /// and d² where it was computed.
    fn pass(&mut self) -> (Vec<u32>, Vec<f64>) {
        let drift = Drift::new(std::mem::replace(&mut self.drift, vec![0.0; self.k]));
        let largest = self.centres.norms.iter().copied().fold(0.0, f64::max);
        let search = Search { source: self.source, centres: &self.centres, drift, largest };
        let (labels, bounds) = (&self.labels, self.bounds.as_deref());
        let found = parallel::map_init(self.source.tasks(), Scratch::new, |scratch, task| {
            let known = bounds.map(|bounds| &bounds[task.clone()]);
            search.task(task.clone(), &labels[task], known, scratch)
        });
        let (mut labels, mut squared) = (Vec::new(), Vec::new());
        let mut bounds = Vec::new();
        for part in found {
            labels.extend(part.labels);
            squared.extend(part.squared);
            bounds.extend(part.bounds);
            self.distances += (part.searched as u64).saturating_mul(self.k as u64);
        }
        if self.bounds.is_some() {
            self.bounds = Some(bounds);
        }
        (labels, squared)
    }
}

impl<P: Points, M: FeatureMap<P> + ?Sized> Division for ByFeatures<'_, P, M> {
    fn weights(&self) -> &[f64] {
        self.source.weights()
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn count(&self) -> usize {
        self.k
    }

    fn distances(&self) -> u64 {
        self.distances
    }

    fn objective(&self) -> f64 {
        self.objective
    }

    fn is_fresh(&self) -> bool {
        self.age == 0
    }

    fn renew(&mut self, labels: Vec<u32>) -> Result<(), Error> {
        if labels != self.labels {
            self.forget_bounds();
        }
        let weights = self.source.weights();
        self.sums = self.source.sums(self.k, |i, add| {
            if weights[i] > 0.0 {
                add(labels[i] as usize, weights[i]);
            }
        })?;
        self.age = 0;
        self.settle(labels)
    }

    fn go_to(&mut self, labels: Vec<u32>, moves: &[Move]) -> Result<(), Error> {
        let (weights, old) = (self.source.weights(), &self.labels);
        let fresh = 2 * moves.len() >= labels.len() || self.age + 1 >= KMEANS_RENEWAL;
        let change = self.source.sums(self.k, |i, add| {
            let weight = weights[i];
            if weight > 0.0 && (fresh || labels[i] != old[i]) {
                add(labels[i] as usize, weight);
                if !fresh {
                    add(old[i] as usize, -weight);
                }
            }
        })?;
        if fresh {
            (self.sums, self.age) = (change, 0);
        } else {
            self.sums += change;
            self.age += 1;
        }
        self.settle(labels)
    }

    fn assign(&mut self) -> Result<(Vec<u32>, usize), Error> {
        let (mut labels, mut squared) = self.pass();
        if !any_empty(&labels, self.source.weights(), self.k) {
            return Ok((labels, 0));
        }
        // The farthest point is needed, and so all distances are.
        if self.bounds.is_some() {
            self.forget_bounds();
            (labels, squared) = self.pass();
        }
        let distance = |i: usize| self.source.distance(i, self.source.norms[i], squared[i]);
        let filled = fill_empty(&mut labels, self.source.weights(), self.k, distance);
        if filled > 0 {
            // The bounds do not cover the distance from a cluster that had no centre.
            self.forget_bounds();
        }
        Ok((labels, filled))
    }

    fn follow(&mut self, labels: Vec<u32>) {
        self.labels = labels;
    }
}

/// The common input of all tasks of a pass.
struct Search<'a, P: Points, M: ?Sized> {
    source: &'a CentredFeatures<'a, P, M>,
    centres: &'a Means<P::Scalar>,
    drift: Drift,
    /// The largest squared norm of a centre.
    largest: f64,
}

/// The results of a task.
struct Found {
    labels: Vec<u32>,
    bounds: Vec<Bounds>,
    /// d² from the nearest centre, where it was computed.
    squared: Vec<f64>,
    searched: usize,
}

impl<P: Points, M: FeatureMap<P> + ?Sized> Search<'_, P, M> {
    fn task(
        &self,
        task: Range<usize>,
        labels: &[u32],
        known: Option<&[Bounds]>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Found {
        let first = task.start;
        let bounds = match known {
            Some(bounds) => {
                let pairs = labels.iter().zip(bounds);
                pairs.map(|(&label, &bounds)| self.drift.loosen(label, bounds)).collect()
            }
            None => vec![Bounds::NONE; labels.len()],
        };
        let squared = vec![0.0; labels.len()];
        let mut found = Found { labels: labels.to_vec(), bounds, squared, searched: 0 };
        for block in blocks(task) {
            let open: Vec<usize> =
                block.clone().filter(|&i| self.is_open(i, found.bounds[i - first])).collect();
            if open.is_empty() {
                continue;
            }
            self.source.with_block(block.clone(), scratch, |features, scratch| {
                if open.len() == block.len() {
                    self.search(features, &open, first, &mut found, scratch);
                    return;
                }
                scratch.with_matrix(features.nrows(), open.len(), |mut some, scratch| {
                    for (mut to, &i) in some.as_mut().col_iter_mut().zip(&open) {
                        to.copy_from(features.col(i - block.start));
                    }
                    self.search(some.as_ref(), &open, first, &mut found, scratch);
                });
            });
        }
        found
    }

    /// True if another centre may be nearer than that of the point, given the rounding error of
    /// both distances.
    fn is_open(&self, i: usize, bounds: Bounds) -> bool {
        // (‖x‖ + ‖c‖)² ≤ 2(‖x‖² + ‖c‖²); an error of d² is one of at most its root in d.
        let norms = 2.0 * (self.source.norms[i] + self.largest);
        let slack = 2.0 * self.source.rounding(norms).sqrt();
        bounds.upper.is_infinite() || bounds.upper + slack >= bounds.lower
    }

    /// Computes the distances of some points, given their features.
    fn search(
        &self,
        features: MatRef<'_, P::Scalar>,
        points: &[usize],
        first: usize,
        found: &mut Found,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        found.searched += points.len();
        products(self.centres.values.as_ref(), features, scratch, |products| {
            for (&i, products) in points.iter().zip(products.col_iter()) {
                let (label, smallest, second) = self.centres.nearest(products.iter());
                let distance = |value: f64| (self.source.norms[i] + value).max(0.0);
                let at = i - first;
                found.labels[at] = label;
                found.squared[at] = distance(smallest);
                let (upper, lower) = (distance(smallest).sqrt(), distance(second).sqrt());
                found.bounds[at] = Bounds { upper, lower };
            }
        });
    }
}

/// The centres, relative to the mean of the features.
pub(super) struct Means<T: Scalar> {
    /// D × k.
    pub(super) values: Mat<T>,
    /// ‖μ_c‖², computed from `values`.
    pub(super) norms: Vec<f64>,
    /// `W_c`.
    pub(super) masses: Vec<f64>,
}

impl<T: Scalar> Means<T> {
    fn none(dim: usize, k: usize) -> Result<Self, Error> {
        Ok(Self { values: zeros(dim, k)?, norms: vec![0.0; k], masses: vec![0.0; k] })
    }

    /// The centres with these sums, 0 for an empty cluster, and Σ_c `W_c`‖μ_c‖² in double
    /// precision.
    fn new(sums: &Mat<f64>, masses: Vec<f64>) -> Result<(Self, f64), Error> {
        let (mut values, mut norms): (Mat<T>, _) = (zeros(sums.nrows(), sums.ncols())?, Vec::new());
        let mut explained = 0.0;
        for (c, &mass) in masses.iter().enumerate() {
            let (mut norm, mut total) = (0.0, 0.0);
            if mass > 0.0 {
                let column = values.col_as_slice_mut(c).iter_mut();
                for (value, &sum) in column.zip(sums.col_as_slice(c)) {
                    *value = T::from_f64(sum / mass);
                    norm += value.to_f64() * value.to_f64();
                    total += sum * sum;
                }
                explained += total / mass;
            }
            norms.push(norm);
        }
        Ok((Self { values, norms, masses }, explained))
    }

    /// The distance of each centre from the same centre of another set.
    fn distances_from(&self, other: &Self) -> Vec<f64> {
        let pairs = self.values.col_iter().zip(other.values.col_iter());
        let squared = pairs.map(|(a, b)| {
            let difference = a.iter().zip(b.iter()).map(|(a, b)| a.to_f64() - b.to_f64());
            difference.map(|difference| difference * difference).sum::<f64>()
        });
        squared.map(f64::sqrt).collect()
    }

    /// The nearest centre, the first in a tie, given the inner products with all of them: its
    /// index, and the smallest and the second smallest d² − ‖x‖².
    #[inline(always)]
    fn nearest<'v>(&self, products: impl Iterator<Item = &'v T>) -> (u32, f64, f64)
    where
        T: 'v,
    {
        let (mut label, mut smallest, mut second) = (0, f64::INFINITY, f64::INFINITY);
        let clusters = self.norms.iter().zip(&self.masses);
        for (c, (product, (norm, &mass))) in (0..).zip(products.zip(clusters)) {
            if mass <= 0.0 {
                continue;
            }
            let value = norm - 2.0 * product.to_f64();
            if value < smallest {
                (label, smallest, second) = (c, value, smallest);
            } else if value < second {
                second = value;
            }
        }
        (label, smallest, second)
    }
}

/// Bounds on the distances of a point: `upper` from its own centre, `lower` from all others.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    upper: f64,
    lower: f64,
}

impl Bounds {
    /// No bound.
    const NONE: Self = Self { upper: f64::INFINITY, lower: 0.0 };
}

/// The distances that centres have moved since the bounds were computed.
struct Drift {
    moved: Vec<f64>,
    largest: usize,
    /// The largest of the others.
    second: f64,
}

impl Drift {
    fn new(moved: Vec<f64>) -> Self {
        let largest = argmax(&moved);
        let others = moved.iter().enumerate().filter(|&(c, _)| c != largest);
        let second = others.map(|(_, &moved)| moved).fold(0.0, f64::max);
        Self { moved, largest, second }
    }

    /// The bounds of a point of this cluster, after the centres have moved.
    #[inline(always)]
    fn loosen(&self, label: u32, bounds: Bounds) -> Bounds {
        let label = label as usize;
        let others = if label == self.largest { self.second } else { self.moved[self.largest] };
        Bounds { upper: bounds.upper + self.moved[label], lower: bounds.lower - others }
    }
}
