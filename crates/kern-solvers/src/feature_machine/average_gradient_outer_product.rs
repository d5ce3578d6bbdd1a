//! Average gradient outer product of a function, M = Σ_j β_j∇f∇fᵀ/Σβ: over points in memory tile by
//! tile, and as sums over samples that are gathered in parts and merged.

use super::learned_metric::{LearnedMetric, Metric, mean_square};
use crate::model::KernelExpansion;
use crate::{Error, tolerance};
use faer::{Accum, Mat, MatMut, MatRef};
use kern_approx::NystromMap;
use kern_core::gradient::{MetricKernel, PointGradient};
use kern_core::products::{matmul, matmul_lower};
use kern_core::{Mercer, Points, Samples, Scalar, Scratch, Tile, serde_mat};
use kern_gram::{MemoryBudget, TILE_EDGE, matrix_bytes, parallel, tile_ranges, zeros};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Partial sums that are computed in parallel. Their number does not depend on the number of
/// threads, so the bits of the result do not either.
const GROUPS: usize = 16;

/// Query for Σβ∇f∇fᵀ of a function f(x) = Σᵢ αᵢK(zᵢ, Rx) on landmarks.
///
/// # References
/// Radhakrishnan, Beaglehole, Pandit & Belkin (2024), *Mechanism for feature learning in neural
/// networks and backpropagation-free machine learning models*, for the average outer product of
/// gradients.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricQuery {
    kernel: MetricKernel,
    metric: LearnedMetric,
    /// zᵢ, the mapped landmarks.
    images: Samples<f64>,
    /// Landmarks × outputs.
    #[serde(with = "serde_mat")]
    alpha: Mat<f64>,
    /// Pairs whose squared distance is not above it count as equal points.
    smallest: f64,
}

/// Σβ∇f∇fᵀ with the gradients in z = Rx, summed over outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OuterSums {
    pub(crate) count: u64,
    weight: f64,
    /// The lower triangle.
    #[serde(with = "serde_mat")]
    sum: Mat<f64>,
}

impl MetricQuery {
    /// Creates the query for functions on a Nyström map of mapped points, given the weights of its
    /// features: D × outputs.
    ///
    /// # Errors
    /// [`Error::Core`] if the landmarks have another dimension than the mapped points of the
    /// metric; [`Error::Gram`] for weights of another shape.
    pub fn new<K: Mercer<Samples<f64>> + Clone>(
        kernel: MetricKernel,
        metric: LearnedMetric,
        map: &NystromMap<Samples<f64>, K>,
        weights: MatRef<'_, f64>,
    ) -> Result<Self, Error> {
        kern_gram::Error::check_shape("weights", (map.rank(), weights.ncols()), weights.shape())?;
        let expansion = KernelExpansion::of_landmarks(map, weights)?;
        let (images, alpha) = (expansion.points().clone(), expansion.coefficients().to_owned());
        kern_core::Error::check_dimension("coordinates of images", metric.rank(), images.dim())?;
        let smallest = f64::EPSILON / 2.0 * mean_square(&images, None);
        Ok(Self { kernel, metric, images, alpha, smallest })
    }

    /// Creates empty sums.
    ///
    /// # Errors
    /// [`Error::Gram`] if they exceed the memory.
    pub fn sums(&self, memory: &MemoryBudget) -> Result<OuterSums, Error> {
        let rank = self.metric.rank();
        let bytes = outer_product_bytes::<f64>(rank, self.alpha.ncols());
        memory.require("outer products of gradients", bytes, "take fewer columns")?;
        Ok(OuterSums { count: 0, weight: 0.0, sum: zeros(rank, rank)? })
    }

    /// Adds points to the sums.
    ///
    /// # Complexity
    /// O(m·d) for each point and output, with m landmarks in d dimensions.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] for sums of another query, [`Error::Core`] for points of another
    /// dimension, and the errors of invalid weights.
    pub fn gather(
        &self,
        sums: &mut OuterSums,
        points: &Samples<f64>,
        weights: Option<&[f64]>,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        let (rank, n) = (self.metric.rank(), points.len());
        if self.images.dim() != rank || self.images.len() != self.alpha.nrows() {
            return Err(Error::OtherParts { what: "a metric, landmarks and coefficients" });
        }
        if sums.sum.shape() != (rank, rank) {
            return Err(Error::OtherQuery);
        }
        let bytes = matrix_bytes::<f64>(n, rank);
        memory.require("the images of points", bytes, "take smaller blocks")?;
        if let Some(weights) = weights {
            kern_approx::statistics::check_batch_weights(n, weights)?;
        }
        let images = self.metric.images(points)?;
        let fitted = Fitted {
            kernel: &self.kernel,
            centres: &self.images,
            alpha: self.alpha.as_ref(),
            images: &images,
            weights,
            smallest: self.smallest,
        };
        let added = fitted.outer_products(false)?;
        // In one dimension the diagonal is the whole matrix.
        sums.sum += &added;
        sums.weight += weights.map_or(n as f64, |weights| weights.iter().sum());
        sums.count = sums.count.saturating_add(n as u64);
        Ok(())
    }

    /// Returns the next metric, scaled such that mapping a sample keeps its mean squared distance;
    /// `None` if f is constant.
    ///
    /// # Errors
    /// [`Error::Empty`] for empty sums; [`Error::Range`] if sums overflow;
    /// [`Error::NoEigenvalues`].
    pub fn next(
        &self,
        sums: &OuterSums,
        sample: &Samples<f64>,
    ) -> Result<Option<LearnedMetric>, Error> {
        if sums.weight <= 0.0 {
            return Err(Error::Empty);
        }
        if sums.sum.shape() != (self.metric.rank(), self.metric.rank()) {
            return Err(Error::OtherQuery);
        }
        let m = pulled_back(&self.metric.0, sums.sum.clone(), 1.0 / sums.weight)?;
        let m = shrunk(m, tolerance::FEATURE_SHRINKAGE);
        let metric =
            Metric::of(m.as_ref(), !PointGradient::<f64>::is_rotation_invariant(&self.kernel))?;
        if metric.rank() == 0 {
            return Ok(None);
        }
        let (own, given) = (mean_square(sample, None), mean_square(&metric.map(sample)?, None));
        let scale = (own / given).sqrt();
        Ok(scale.is_finite().then(|| LearnedMetric(metric.scaled(scale))))
    }
}

impl OuterSums {
    /// Adds the sums of other points.
    ///
    /// # Errors
    /// [`Error::OtherQuery`] if they are sums of another query.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.sum.shape() != other.sum.shape() {
            return Err(Error::OtherQuery);
        }
        self.count = self.count.saturating_add(other.count);
        self.weight += other.weight;
        self.sum += &other.sum;
        Ok(())
    }
}

/// A function f(x) = b + Σᵢ αᵢK(zᵢ, z), z = Rx, and the points at which its gradients are averaged.
pub(super) struct Fitted<'f, T: Scalar, K> {
    pub(super) kernel: &'f K,
    /// zᵢ.
    pub(super) centres: &'f Samples<T>,
    /// Centres × outputs.
    pub(super) alpha: MatRef<'f, T>,
    /// z.
    pub(super) images: &'f Samples<T>,
    /// β, unless all are 1.
    pub(super) weights: Option<&'f [f64]>,
    /// Pairs whose squared distance is not above it count as equal points.
    pub(super) smallest: f64,
}

/// Memory in bytes of the sums in `rank` dimensions.
pub(super) fn outer_product_bytes<T: Scalar>(rank: usize, outputs: usize) -> u64 {
    let sums = matrix_bytes::<f64>(rank, rank.saturating_mul(GROUPS + 4));
    let stripes = matrix_bytes::<T>(rank.saturating_mul(outputs + 1), TILE_EDGE);
    sums.saturating_add(stripes.saturating_mul(parallel::threads() as u64))
}

impl<T: Scalar, K: PointGradient<T>> Fitted<'_, T, K> {
    /// Σ_j β_j g_j g_jᵀ with the gradients g_j in z_j, summed over outputs: its lower triangle, or
    /// its diagonal as a column.
    pub(super) fn outer_products(&self, diagonal: bool) -> Result<Mat<f64>, Error> {
        let (n, rank) = (self.images.len(), self.images.dim());
        let stripes = tile_ranges(n, TILE_EDGE);
        let groups: Vec<&[Range<usize>]> = stripes.chunks(stripes.len().div_ceil(GROUPS)).collect();
        let columns = if diagonal { 1 } else { rank };
        let sums = parallel::map_init(groups, Scratch::new, |scratch, group| {
            let mut sum = zeros::<T>(rank, columns)?;
            for stripe in group {
                self.add_stripe(stripe, sum.as_mut(), scratch);
            }
            Ok::<_, Error>(sum)
        });
        let mut total = zeros::<f64>(rank, columns)?;
        for sum in sums {
            let sum = sum?;
            for (to, from) in total.col_iter_mut().zip(sum.col_iter()) {
                to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to += from.to_f64());
            }
        }
        Ok(total)
    }

    /// Adds Σ_j β_j g_j g_jᵀ over the points of a stripe, with the gradients g_j in z_j, for each
    /// output.
    fn add_stripe(&self, stripe: &Range<usize>, mut sum: MatMut<'_, T>, scratch: &mut Scratch<T>) {
        let (rank, width, outputs) = (self.images.dim(), stripe.len(), self.alpha.ncols());
        scratch.with_matrix(rank, width * outputs, |mut g, scratch| {
            g.fill(T::ZERO);
            for rows in tile_ranges(self.centres.len(), TILE_EDGE) {
                let alpha = self.alpha.subrows(rows.start, rows.len());
                let tile = Tile::new(self.centres, rows, self.images, stripe.clone());
                self.kernel.add_point_gradients(&tile, alpha, self.smallest, g.as_mut(), scratch);
            }
            if let Some(weights) = self.weights {
                for (at, column) in g.as_mut().col_iter_mut().enumerate() {
                    let root = T::from_f64(weights[stripe.start + at % width].sqrt());
                    column.iter_mut().for_each(|g| *g *= root);
                }
            }
            let g = g.as_ref();
            if sum.ncols() == rank && rank > 1 {
                matmul_lower(sum.as_mut(), Accum::Add, g, g.transpose(), T::ONE);
            } else {
                for column in g.col_iter() {
                    let pairs = sum.as_mut().col_mut(0).iter_mut().zip(column.iter());
                    pairs.for_each(|(sum, &g)| *sum += g * g);
                }
            }
        });
    }
}

/// c·RᵀAR, from the lower triangle of A or from its diagonal as a column.
pub(super) fn pulled_back(metric: &Metric, mut a: Mat<f64>, c: f64) -> Result<Mat<f64>, Error> {
    let rank = a.nrows();
    let out = match metric {
        Metric::Diagonal(scales) => {
            let is_diagonal = a.ncols() == 1;
            for (j, column) in a.as_mut().col_iter_mut().enumerate() {
                for (value, s) in column.iter_mut().zip(scales) {
                    *value *= c * s * if is_diagonal { *s } else { scales[j] };
                }
            }
            a
        }
        Metric::Full(root) => {
            for j in 0..rank {
                (0..j).for_each(|i| a[(i, j)] = a[(j, i)]);
            }
            let (mut right, mut out) =
                (zeros(rank, root.ncols())?, zeros(root.ncols(), root.ncols())?);
            matmul(right.as_mut(), Accum::Replace, a.as_ref(), root.as_ref(), c);
            matmul(out.as_mut(), Accum::Replace, root.transpose(), right.as_ref(), 1.0);
            out
        }
    };
    let mut all = out.col_iter().flat_map(faer::ColRef::iter).copied();
    let found = all.find(|value| !value.is_finite());
    drop(all);
    match found {
        Some(given) => Err(Error::Range { what: "an average of outer products", given }),
        None => Ok(out),
    }
}

/// Adds a share of the mean of M's diagonal to the diagonal.
pub(super) fn shrunk(mut m: Mat<f64>, share: f64) -> Mat<f64> {
    let dim = m.nrows();
    let place = |k: usize| (k, if m.ncols() == 1 { 0 } else { k });
    let places: Vec<(usize, usize)> = (0..dim).map(place).collect();
    let mean = places.iter().map(|&at| m[at]).sum::<f64>() / dim as f64;
    places.iter().for_each(|&at| m[at] += share * mean);
    m
}
