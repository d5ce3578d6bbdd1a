//! Clusters as they stand: labels, masses and the squared norms of centres; the nearest of them.

use super::sums::{STRIPE, Sums};
use crate::Error;
use crate::model::{Centres, KernelExpansion};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{parallel, tile_ranges, zeros};

/// Clusters that k-means has found.
#[derive(Clone, Debug, PartialEq)]
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
        let arch = kern_core::instruction_set();
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

    /// The centres: each is a weighted mean of the points of its cluster.
    pub(super) fn centres<P: Points, K: Kernel<P>>(
        self,
        (kernel, points): (K, &P),
        weights: &[f64],
    ) -> Result<Centred<P, K>, Error> {
        let Self { labels, masses, norms } = self;
        let labels: Vec<usize> = labels.into_iter().map(|label| label as usize).collect();
        let support: Vec<usize> = (0..labels.len()).filter(|&i| weights[i] > 0.0).collect();
        let mut averages: Mat<P::Scalar> = zeros(support.len(), masses.len())?;
        for (row, &i) in support.iter().enumerate() {
            let c = labels[i];
            averages[(row, c)] = P::Scalar::from_f64(weights[i] / masses[c]);
        }
        let decision = KernelExpansion::of_support(kernel, points, &support, averages)?;
        Ok((Centres { decision, masses, norms }, labels))
    }
}

/// Centres, and the cluster of each point.
pub(super) type Centred<P, K> = (Centres<KernelExpansion<P, K>>, Vec<usize>);

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
