//! Centred features, block by block: stored, or recomputed on demand.

use super::plus_plus::Distances;
use crate::Error;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{FeatureMap, Points, Scalar, Scratch};
use kern_gram::{MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use std::ops::Range;

/// Points per block of features.
const BLOCK: usize = 256;

/// The number of tasks that the points are divided into. Each task has its own sums, which are
/// added in the order of the tasks.
const TASKS: usize = 32;

/// Seeds whose distances are computed in one pass.
const SEEDS: usize = 16;

/// The features of the points, less their mean.
pub(super) struct CentredFeatures<'a, P: Points, M: ?Sized> {
    map: &'a M,
    points: &'a P,
    weights: &'a [f64],
    pub(super) mean: Vec<P::Scalar>,
    stored: Option<LargeMat<P::Scalar>>,
    /// ‖ψ(xᵢ) − mean‖².
    pub(super) norms: Vec<f64>,
}

/// Memory besides the features: the sums of all tasks, and a block with its products for each.
fn smallest_bytes<T>(dim: usize, k: usize) -> u64 {
    let sums = matrix_bytes::<f64>(dim, k).saturating_mul(TASKS as u64 + 4);
    let columns = dim.saturating_mul(2).saturating_add(k.max(SEEDS));
    sums.saturating_add(matrix_bytes::<T>(columns, BLOCK).saturating_mul(TASKS as u64))
}

/// Memory with all features stored.
pub(crate) fn stored_bytes<T>(dim: usize, n: usize, k: usize) -> u64 {
    matrix_bytes::<T>(dim, n).saturating_add(smallest_bytes::<T>(dim, k))
}

impl<'a, P: Points, M: FeatureMap<P> + ?Sized> CentredFeatures<'a, P, M> {
    /// The centred features, stored if the budget allows.
    pub(super) fn new(
        map: &'a M,
        points: &'a P,
        weights: &'a [f64],
        k: usize,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let (dim, n) = (map.dim(), points.len());
        if dim == 0 {
            return Err(kern_approx::Error::Zero { what: "the dimension of a feature map" }.into());
        }
        map.check(points)?;
        let smallest = smallest_bytes::<P::Scalar>(dim, k);
        let what = "the centres, their sums, and blocks of features";
        budget.require(what, smallest, "use fewer clusters or features")?;
        let (norms, mean) = (vec![0.0; n], vec![P::Scalar::ZERO; dim]);
        let mut source = Self { map, points, weights, mean, stored: None, norms };
        if budget.fits(stored_bytes::<P::Scalar>(dim, n, k)) {
            let mut values = LargeMat::zeros(dim, n)?;
            kern_approx::transform_into(map, points, values.as_mut())?;
            source.stored = Some(values);
        }
        source.centre()?;
        Ok(source)
    }

    /// All features, D × n, if they are stored.
    pub(super) fn stored(&self) -> Option<MatRef<'_, P::Scalar>> {
        self.stored.as_ref().map(LargeMat::as_ref)
    }

    pub(super) fn size(&self) -> usize {
        self.norms.len()
    }

    pub(super) fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The range of points of each task, in whole blocks.
    pub(super) fn tasks(&self) -> Vec<Range<usize>> {
        let blocks = self.size().div_ceil(BLOCK).div_ceil(TASKS).max(1);
        tile_ranges(self.size(), blocks * BLOCK)
    }

    /// Computes and subtracts the mean, and computes the norms.
    fn centre(&mut self) -> Result<(), Error> {
        let total: f64 = self.weights.iter().sum();
        let sums = self.sums(1, |i, add| add(0, self.weights[i] / total))?;
        let mean = sums.col_as_slice(0);
        if let Some(feature) = mean.iter().position(|mean| !mean.is_finite()) {
            return Err(self.not_finite(feature));
        }
        self.mean = mean.iter().map(|&mean| P::Scalar::from_f64(mean)).collect();
        if let Some(values) = &mut self.stored {
            values.as_mut().col_iter_mut().for_each(|column| subtract(column, &self.mean));
        }
        let found = parallel::map_init(self.tasks(), Scratch::new, |scratch, task| {
            let mut norms = Vec::with_capacity(task.len());
            for block in blocks(task) {
                self.with_block(block, scratch, |features, _| {
                    let square = |v: &P::Scalar| v.to_f64() * v.to_f64();
                    norms.extend(features.col_iter().map(|z| z.iter().map(square).sum::<f64>()));
                });
            }
            norms
        });
        self.norms = found.concat();
        match self.norms.iter().position(|norm| !norm.is_finite()) {
            Some(sample) => {
                let given = self.norms[sample];
                Err(kern_core::Error::FeatureNotFinite { sample, feature: 0, given }.into())
            }
            None => Ok(()),
        }
    }

    /// The error for a feature that is not finite, with the first point where it is not.
    fn not_finite(&self, feature: usize) -> Error {
        let (mut scratch, mut found) = (Scratch::new(), None);
        for block in blocks(0..self.size()) {
            self.with_block(block.clone(), &mut scratch, |features, _| {
                let values = block.zip(features.row(feature).iter().map(|v| v.to_f64()));
                found = found.or(values.into_iter().find(|(_, value)| !value.is_finite()));
            });
        }
        let (sample, given) = found.unwrap_or((0, f64::INFINITY));
        kern_core::Error::FeatureNotFinite { sample, feature, given }.into()
    }

    /// Calls `f` with the features of these points, D × the number of points.
    pub(super) fn with_block<R>(
        &self,
        range: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
        f: impl FnOnce(MatRef<'_, P::Scalar>, &mut Scratch<P::Scalar>) -> R,
    ) -> R {
        match &self.stored {
            Some(values) => f(values.as_ref().subcols(range.start, range.len()), scratch),
            None => scratch.with_matrix(self.dim(), range.len(), |mut out, scratch| {
                self.map.transform_into(self.points, range, out.as_mut(), scratch);
                out.as_mut().col_iter_mut().for_each(|column| subtract(column, &self.mean));
                f(out.as_ref(), scratch)
            }),
        }
    }

    /// Sums of features over `count` clusters, D × `count`. For each point, `terms` calls its
    /// argument with each cluster that the point is added to, and its weight there; blocks without
    /// such points are skipped.
    pub(super) fn sums(
        &self,
        count: usize,
        terms: impl Fn(usize, &mut dyn FnMut(usize, f64)) + Send + Sync,
    ) -> Result<Mat<f64>, Error> {
        let found = parallel::map_init(self.tasks(), Scratch::new, |scratch, task| {
            let mut sums: Option<Mat<f64>> = None;
            for block in blocks(task) {
                let mut used = false;
                block.clone().for_each(|i| terms(i, &mut |_, _| used = true));
                if !used {
                    continue;
                }
                if sums.is_none() {
                    sums = Some(zeros(self.dim(), count)?);
                }
                let Some(sums) = &mut sums else { continue };
                self.with_block(block.clone(), scratch, |features, _| {
                    for (i, z) in block.zip(features.col_iter()) {
                        terms(i, &mut |cluster, weight| {
                            let column = sums.col_as_slice_mut(cluster).iter_mut();
                            column.zip(z.iter()).for_each(|(sum, z)| *sum += weight * z.to_f64());
                        });
                    }
                });
            }
            Ok(sums)
        });
        let mut total = zeros(self.dim(), count)?;
        for sums in found {
            let sums: Option<Mat<f64>> = sums.map_err(|error: kern_core::Error| error)?;
            sums.into_iter().for_each(|sums| total += sums);
        }
        Ok(total)
    }

    /// A squared distance, or 0 if it is within rounding error of 0.
    pub(super) fn distance(&self, i: usize, norm: f64, squared: f64) -> f64 {
        if squared <= self.rounding(self.norms[i] + norm) { 0.0 } else { squared }
    }

    /// The rounding error of ‖x‖² − 2⟨x, c⟩ + ‖c‖², where `norms` is the sum of both squared norms:
    /// D round-offs from the product, and a few more.
    pub(super) fn rounding(&self, norms: f64) -> f64 {
        (2.0 * self.dim() as f64 + 16.0) * P::Scalar::UNIT_ROUNDOFF * norms
    }
}

impl<P: Points, M: FeatureMap<P> + ?Sized> Distances for CentredFeatures<'_, P, M> {
    fn weights(&self) -> &[f64] {
        self.weights
    }

    fn for_each_distances(
        &self,
        points: &[usize],
        f: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), Error> {
        for (group, seeds) in points.chunks(SEEDS).enumerate() {
            let mut centres: Mat<P::Scalar> = zeros(self.dim(), seeds.len())?;
            let mut scratch = Scratch::new();
            for (to, &seed) in centres.as_mut().col_iter_mut().zip(seeds) {
                let mut to = to;
                self.with_block(seed..seed + 1, &mut scratch, |z, _| to.copy_from(z.col(0)));
            }
            let squared = |b: usize, i: usize, product: P::Scalar| {
                let norm = self.norms[seeds[b]];
                self.distance(i, norm, self.norms[i] + norm - 2.0 * product.to_f64())
            };
            let found = parallel::map_init(self.tasks(), Scratch::new, |scratch, task| {
                let mut distances = vec![Vec::with_capacity(task.len()); seeds.len()];
                for block in blocks(task) {
                    self.with_block(block.clone(), scratch, |features, scratch| {
                        products(centres.as_ref(), features, scratch, |products| {
                            for (b, distances) in distances.iter_mut().enumerate() {
                                let row = block.clone().zip(products.row(b).iter());
                                distances.extend(row.map(|(i, &v)| squared(b, i, v)));
                            }
                        });
                    });
                }
                distances
            });
            for b in 0..seeds.len() {
                let parts: Vec<&[f64]> = found.iter().map(|task| task[b].as_slice()).collect();
                f(group * SEEDS + b, &parts.concat());
            }
        }
        Ok(())
    }
}

/// The blocks of a task.
pub(super) fn blocks(task: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = task.end;
    task.step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
}

/// Calls `f` with CᵀZ: centres × points.
pub(super) fn products<T: Scalar>(
    centres: MatRef<'_, T>,
    features: MatRef<'_, T>,
    scratch: &mut Scratch<T>,
    f: impl FnOnce(MatRef<'_, T>),
) {
    scratch.with_matrix(centres.ncols(), features.ncols(), |mut out: MatMut<'_, T>, _| {
        matmul(out.as_mut(), Accum::Replace, centres.transpose(), features, T::ONE);
        f(out.as_ref());
    });
}

fn subtract<T: Scalar>(column: faer::ColMut<'_, T>, mean: &[T]) {
    column.iter_mut().zip(mean).for_each(|(value, &mean)| *value -= mean);
}
