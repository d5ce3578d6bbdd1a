//! k-means on features: each round is an iteration of Lloyd's algorithm.
//!
//! # Definition
//! Each round computes Σβz, Σβ and Σβ min_c‖z − μ_c‖² over the samples that are nearest to each
//! centre, and moves the centres to their means. The fit ends when the relative decrease of the
//! objective is at most the tolerance.

use super::fit_in_rounds::{Next, Outcome};
use super::query::{Block, Query, Sums};
use crate::model::{Centres, Clusters, FeatureExpansion};
use crate::{Details, Error, KMeansDetails, Report, Status};
use faer::{Accum, Mat, MatRef};
use kern_core::memory::matrix_bytes;
use kern_core::products::inner_products;
use kern_core::serde_mat;
use kern_gram::numerics::arithmetic::argmin;
use kern_gram::{MemoryBudget, parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Samples per thread in the search for nearest centres, and features per thread in the sums.
const CHUNK: usize = 256;

/// Cluster centres.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seeds {
    /// D × k.
    #[serde(with = "serde_mat")]
    centres: Mat<f64>,
}

/// Sums for each cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterSums {
    pub(super) count: u64,
    /// Σβz: D × k.
    #[serde(with = "serde_mat")]
    sums: Mat<f64>,
    /// Σβ.
    masses: Vec<f64>,
    /// Σβ min_c‖z − μ_c‖².
    objective: f64,
    /// The sample of positive weight that is farthest from its centre: ‖z − μ‖² and z.
    farthest: Option<(f64, Vec<f64>)>,
}

/// State of k-means in rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KMeansRounds {
    seeds: Seeds,
    tolerance: f64,
    max_iterations: usize,
    details: KMeansDetails,
}

impl Seeds {
    pub(super) fn gather(
        &self,
        sums: &mut ClusterSums,
        block: &Block<'_>,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        let (dim, k) = self.centres.shape();
        block.check(dim, block.targets.ncols())?;
        if dim == 0 || k == 0 || !sums.has_shape((dim, k)) {
            return Err(Error::OtherQuery);
        }
        let bytes = matrix_bytes::<f64>(block.len(), k + 2);
        memory.require("the distances of a block", bytes, "take smaller blocks")?;
        let nearest = self.nearest(block.features)?;
        for (i, &(label, distance)) in nearest.iter().enumerate() {
            let weight = block.weight(i);
            sums.masses[label] += weight;
            sums.objective += weight * distance;
            let farthest = sums.farthest.as_ref().map_or(0.0, |(distance, _)| *distance);
            if weight > 0.0 && distance > farthest {
                let features = block.features.col(i).iter().copied().collect();
                sums.farthest = Some((distance, features));
            }
        }
        add(&mut sums.sums, block, &nearest);
        sums.count = sums.count.saturating_add(block.len() as u64);
        Ok(())
    }

    /// The nearest centre of each sample, the first in case of ties, and the squared distance to
    /// it.
    fn nearest(&self, z: MatRef<'_, f64>) -> Result<Vec<(usize, f64)>, Error> {
        let square = |v: faer::ColRef<'_, f64>| v.iter().map(|v| v * v).sum::<f64>();
        let norms: Vec<f64> = self.centres.col_iter().map(square).collect();
        let mut products: Mat<f64> = zeros(z.ncols(), norms.len())?;
        let ranges = tile_ranges(z.ncols(), CHUNK);
        let stripes = split_rows(products.as_mut(), &ranges).into_iter().zip(ranges).collect();
        let found = parallel::map_init(
            stripes,
            || (),
            |(), (mut out, range)| {
                let z = z.subcols(range.start, range.len());
                inner_products(out.as_mut(), Accum::Replace, z, self.centres.as_ref(), 1.0);
                let of = |i: usize| {
                    let away = |c: usize| norms[c] - 2.0 * out[(i, c)];
                    let label = argmin((0..norms.len()).map(away));
                    (label, (square(z.col(i)) + away(label)).max(0.0))
                };
                (0..z.ncols()).map(of).collect::<Vec<_>>()
            },
        );
        Ok(found.concat())
    }
}

/// Adds the features of each sample to the sum of its cluster.
fn add(sums: &mut Mat<f64>, block: &Block<'_>, nearest: &[(usize, f64)]) {
    let ranges = tile_ranges(sums.nrows(), CHUNK);
    let stripes = split_rows(sums.as_mut(), &ranges).into_iter().zip(ranges).collect();
    parallel::for_each_init(
        stripes,
        || (),
        |(), (mut sums, rows)| {
            for (i, &(label, _)) in nearest.iter().enumerate() {
                let (weight, z) = (block.weight(i), block.features.col(i));
                let terms = z.subrows(rows.start, rows.len());
                let sums = sums.as_mut().col_mut(label);
                sums.iter_mut().zip(terms.iter()).for_each(|(sum, z)| *sum += weight * z);
            }
        },
    );
}

impl ClusterSums {
    pub(super) fn new(seeds: &Seeds, memory: &MemoryBudget) -> Result<Self, Error> {
        let (dim, k) = seeds.centres.shape();
        let bytes = matrix_bytes::<f64>(dim, k + 1);
        memory.require("the sums of clusters", bytes, "use fewer clusters or features")?;
        let (sums, masses) = (zeros(dim, k)?, vec![0.0; k]);
        Ok(Self { count: 0, sums, masses, objective: 0.0, farthest: None })
    }

    /// True if the sums are of D features and k clusters: serialised sums may come from anywhere.
    fn has_shape(&self, (dim, k): (usize, usize)) -> bool {
        let farthest = self.farthest.as_ref().is_none_or(|(_, z)| z.len() == dim);
        self.sums.shape() == (dim, k) && self.masses.len() == k && farthest
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if !self.has_shape(self.sums.shape()) || !other.has_shape(self.sums.shape()) {
            return Err(Error::OtherQuery);
        }
        self.count = self.count.saturating_add(other.count);
        self.sums += &other.sums;
        self.masses.iter_mut().zip(&other.masses).for_each(|(sum, mass)| *sum += mass);
        self.objective += other.objective;
        let distance = |farthest: &Option<(f64, Vec<f64>)>| farthest.as_ref().map_or(0.0, |f| f.0);
        if distance(&other.farthest) > distance(&self.farthest) {
            self.farthest.clone_from(&other.farthest);
        }
        Ok(())
    }
}

impl KMeansRounds {
    pub(super) fn new(
        centres: Mat<f64>,
        tolerance: f64,
        max_iterations: usize,
    ) -> Result<Self, Error> {
        let count = centres.nrows().min(centres.ncols());
        Error::check_positive("the number of centres, or of their features", count)?;
        let numbers = centres.col_iter().flat_map(|column| column.iter().copied());
        if let Some((index, given)) = numbers.enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(Error::Coefficient { index, given });
        }
        Ok(Self {
            seeds: Seeds { centres },
            tolerance,
            max_iterations,
            details: KMeansDetails::default(),
        })
    }

    /// Fails for a checkpoint without centres.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.seeds.centres.shape() {
            (0, _) | (_, 0) => Err(Error::OtherParts { what: "centres" }),
            _ => Ok(()),
        }
    }

    pub(super) fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    pub(super) fn set_max_rounds(&mut self, rounds: usize) {
        self.max_iterations = rounds;
    }

    pub(super) fn query(&self) -> Query {
        Query::Clusters(self.seeds.clone())
    }

    /// The objective before the last update of the centres.
    pub(super) fn objective(&self) -> Option<f64> {
        self.details.objectives.last().copied()
    }

    pub(super) fn done(&self) -> usize {
        self.details.objectives.len()
    }

    pub(super) fn next(mut self, sums: &Sums) -> Result<Next<Self>, Error> {
        let Sums::Clusters(sums) = sums else { return Err(Error::OtherQuery) };
        if !sums.has_shape(self.seeds.centres.shape()) {
            return Err(Error::OtherQuery);
        }
        if sums.masses.iter().sum::<f64>() <= 0.0 {
            return Err(Error::NoWeight { points: sums.count as usize });
        }
        let before = self.objective();
        self.details.objectives.push(sums.objective);
        self.details.distances += sums.count * sums.masses.len() as u64;
        let settled =
            before.is_some_and(|before| before - sums.objective <= self.tolerance * before);
        if settled {
            return self.done_with(sums, Status::Converged);
        }
        if self.details.objectives.len() >= self.max_iterations {
            return self.done_with(sums, Status::IterationsDone);
        }
        self.move_centres(sums);
        Ok(Next::Round(self))
    }

    /// Moves each centre to the mean of its samples, and the first one without samples to the
    /// farthest sample.
    fn move_centres(&mut self, sums: &ClusterSums) {
        let mut farthest = sums.farthest.as_ref().map(|(_, z)| z);
        for (c, &mass) in sums.masses.iter().enumerate() {
            let centre = self.seeds.centres.col_as_slice_mut(c);
            if mass > 0.0 {
                let sums = sums.sums.col_as_slice(c);
                centre.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum / mass);
            } else if let Some(z) = farthest.take() {
                centre.copy_from_slice(z);
                self.details.reseeded += 1;
            }
        }
    }

    fn done_with(mut self, sums: &ClusterSums, status: Status) -> Result<Next<Self>, Error> {
        self.details.empty = sums.masses.iter().filter(|&&mass| mass <= 0.0).count();
        let rounds = self.details.objectives.len();
        let report = Report::new(status, rounds, sums.objective, None);
        let report = report.with_details(Details::KMeans(self.details));
        report.check()?;
        let (centres, masses) = (self.seeds.centres, sums.masses.clone());
        Ok(Next::Done(Box::new(Outcome::Centroids(Centroids { centres, masses, report }))))
    }
}

/// Cluster means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Centroids {
    /// D × k.
    pub centres: Mat<f64>,
    /// Σβ of each cluster.
    pub masses: Vec<f64>,
    /// The report of the fit.
    pub report: Report,
}

impl Centroids {
    /// Combines the centres with their feature map. The clusters of the training samples are not
    /// stored.
    pub fn clusters<M>(self, map: M) -> Clusters<FeatureExpansion<M, f64>> {
        let Self { centres, masses, report } = self;
        let square = |v: &f64| v * v;
        let norms = centres.col_iter().map(|v| v.iter().map(square).sum()).collect();
        let decision = FeatureExpansion::new(map, centres);
        Clusters::new(Centres { decision, masses, norms }, Vec::new(), report)
    }
}
