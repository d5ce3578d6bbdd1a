//! Clusters as they stand: labels, masses and the squared norms of centres; distances from them.

use super::sums::{STRIPE, Sums};
use crate::Error;
use crate::labels::check_length;
use faer::{Mat, MatRef};
use kern_core::Scalar;
use kern_gram::{parallel, tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Clusters that k-means has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Partition {
    /// The cluster of each point.
    pub(super) labels: Vec<u32>,
    /// `W_c`, the sum of weights.
    pub(super) masses: Vec<f64>,
    /// ‖μ_c‖² = `T_c/W_c²`; 0 for an empty cluster.
    pub(super) norms: Vec<f64>,
}

impl Partition {
    /// Computes what follows from labels and sums: also Σ_c `T_c/W_c`.
    pub(super) fn new(labels: Vec<u32>, weights: &[f64], sums: &Sums) -> (Self, f64) {
        let k = sums.values.ncols();
        let (mut masses, mut totals) = (vec![0.0; k], vec![0.0; k]);
        for (i, (&label, &weight)) in labels.iter().zip(weights).enumerate() {
            if weight > 0.0 {
                masses[label as usize] += weight;
                totals[label as usize] += weight * sums.values[(i, label as usize)];
            }
        }
        let pairs = || totals.iter().zip(&masses).filter(|&(_, &mass)| mass > 0.0);
        let explained = pairs().map(|(total, mass)| total / mass).sum();
        let norm = |(&total, &mass): (&f64, &f64)| {
            if mass > 0.0 { total / mass / mass } else { 0.0 }
        };
        let norms = totals.iter().zip(&masses).map(norm).collect();
        (Self { labels, masses, norms }, explained)
    }

    /// The nearest centre of each point, the first of equals, and how near it is: d² − `K_ii`.
    pub(super) fn nearest(&self, sums: &Sums) -> (Vec<u32>, Vec<f64>) {
        let tasks = tile_ranges(sums.values.nrows(), STRIPE);
        let arch = pulp::Arch::new();
        let found = parallel::map_init(
            tasks,
            || (),
            |(), rows| {
                let sums = sums.values.as_ref().subrows(rows.start, rows.len());
                arch.dispatch(Nearest { partition: self, sums })
            },
        );
        let (labels, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        (labels.concat(), values.concat())
    }
}

/// What a model asks.
impl Partition {
    /// Refuses what no fit has made.
    pub(super) fn check(&self, weights: &[f64]) -> Result<(), Error> {
        let k = self.masses.len();
        check_length("labels", weights.len(), self.labels.len())?;
        if let Some(&label) = self.labels.iter().find(|&&label| label as usize >= k) {
            return Err(kern_core::Error::Index { given: label as usize, len: k }.into());
        }
        if self.norms.len() != k {
            let allowed = "the number of clusters";
            return Err(Error::Count {
                name: "the number of norms",
                given: self.norms.len(),
                allowed,
            });
        }
        let numbers = self.masses.iter().chain(&self.norms).enumerate();
        match numbers.into_iter().find(|(_, value)| !value.is_finite()) {
            Some((index, &given)) => Err(Error::Coefficient { index, given }),
            None => Ok(()),
        }
    }

    /// The cluster of each point.
    pub(super) fn labels(&self) -> Vec<usize> {
        self.labels.iter().map(|&label| label as usize).collect()
    }

    /// The number of points in each cluster.
    pub(super) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.masses.len()];
        self.labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes
    }

    /// The coefficients of the centres, n × k: `w_i/W_c` for a point of the cluster, else 0.
    pub(super) fn averages<T: Scalar>(&self, weights: &[f64]) -> Result<Mat<T>, Error> {
        let mut averages = zeros(self.labels.len(), self.masses.len())?;
        for (i, (&label, &weight)) in self.labels.iter().zip(weights).enumerate() {
            let c = label as usize;
            if weight > 0.0 {
                averages[(i, c)] = T::from_f64(weight / self.masses[c]);
            }
        }
        Ok(averages)
    }

    /// The nearest centre by inner products ⟨φ(x), μ_c⟩, the first of equals.
    pub(super) fn nearest_to<T: Scalar>(&self, means: MatRef<'_, T>) -> Vec<usize> {
        let nearest = |i: usize| {
            let value = |c: usize| self.norms[c] - 2.0 * means[(i, c)].to_f64();
            let clusters = (0..self.masses.len()).filter(|&c| self.masses[c] > 0.0);
            let nearer =
                |best: (f64, usize), c| if value(c) < best.0 { (value(c), c) } else { best };
            clusters.fold((f64::INFINITY, 0), nearer).1
        };
        (0..means.nrows()).map(nearest).collect()
    }
}

/// The search in one stripe, compiled once per instruction set.
struct Nearest<'a> {
    partition: &'a Partition,
    sums: MatRef<'a, f64>,
}

impl pulp::WithSimd for Nearest<'_> {
    type Output = (Vec<u32>, Vec<f64>);

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let n = self.sums.nrows();
        let (mut labels, mut least) = (vec![0; n], vec![f64::INFINITY; n]);
        let clusters = self.partition.masses.iter().zip(&self.partition.norms);
        for ((c, (&mass, &norm)), column) in (0..).zip(clusters).zip(self.sums.col_iter()) {
            let Some(column) = column.try_as_col_major() else { continue };
            if mass <= 0.0 {
                continue;
            }
            let factor = -2.0 / mass;
            let places = labels.iter_mut().zip(&mut least);
            for ((label, least), &sum) in places.zip(column.as_slice()) {
                let value = norm + factor * sum;
                let nearer = value < *least;
                *label = if nearer { c } else { *label };
                *least = if nearer { value } else { *least };
            }
        }
        (labels, least)
    }
}
