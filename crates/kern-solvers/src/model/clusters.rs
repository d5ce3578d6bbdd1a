//! Clusters: centres and the distances of points from them.

use super::{Arity, CentredMap, Decision, FeatureExpansion, Format, KernelExpansion};
use crate::{Error, Report};
use faer::Mat;
use kern_core::{FeatureMap, Kernel, Points, Scalar, Scratch};
use kern_gram::numerics::arithmetic::{argmin, finite_diagonal};
use kern_gram::{parallel, tile_ranges};
use serde::{Deserialize, Serialize};

/// The number of points whose features are computed at once, per thread.
const BLOCK: usize = 256;

/// Clusters in a feature space.
///
/// # Definition
/// The [`decision`](Clusters::decision) has an output ⟨φ(x), μ_c⟩ for each centre. A point belongs
/// to the centre with the smallest ‖φ(x) − μ_c‖² = ‖φ(x)‖² − 2⟨φ(x), μ_c⟩ + ‖μ_c‖².
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::{KMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [2.0], [9.0]])?;
/// let model = KMeans::on_kernel(Linear, 2).seeding(Seeding::Given(vec![0, 2])).fit(&x)?;
/// assert_eq!((model.labels(), model.sizes()), (&[0, 0, 1][..], vec![2, 1]));
/// let queries = Samples::from_rows(&[[4.0], [6.0]])?;
/// assert_eq!(model.predict(&queries)?, [0, 1]);
/// assert_eq!(model.distances(&queries)?[(0, 0)], 3.0); // |4 − (0 + 2)/2|
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct Clusters<D> {
    format: Format<Self>,
    centres: Centres<D>,
    labels: Vec<usize>,
    report: Report,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<Clusters<D>>,
    centres: Centres<D>,
    labels: Vec<usize>,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for Clusters<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked { centres, labels, report, .. } = read;
        centres.check()?;
        kern_core::Error::check_indices(&labels, centres.count())?;
        Ok(Self::new(centres, labels, report))
    }
}

impl<D> Clusters<D> {
    pub(crate) fn new(centres: Centres<D>, labels: Vec<usize>, report: Report) -> Self {
        Self { format: Format::default(), centres, labels, report }
    }

    /// The same clusters with other inner products.
    pub(crate) fn map<E>(
        self,
        f: impl FnOnce(Centres<D>) -> Result<Centres<E>, Error>,
    ) -> Result<Clusters<E>, Error> {
        let Self { centres, labels, report, .. } = self;
        Ok(Clusters::new(f(centres)?, labels, report))
    }

    /// The inner products with the centres.
    pub const fn decision(&self) -> &D {
        &self.centres.decision
    }

    /// The cluster of each training point.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.centres.count()];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// The evidence of the fit.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The cluster with the centre nearest to each point; ties go to the first.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    ///
    /// # Complexity
    /// q·n kernel evaluations and 2q·n·k flops for q points and n training points, or the features
    /// and 2q·k·D flops; memory q·k.
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        self.centres.nearest(points)
    }

    /// ‖φ(x) − μ_c‖ for each point x and centre μ_c, points × clusters; infinite for an empty
    /// cluster. scikit-learn calls this `transform`.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn distances<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Geometry<P>,
    {
        self.centres.distances(points)
    }
}

impl<M, T: Scalar> Clusters<FeatureExpansion<CentredMap<M, T>, T>> {
    /// The centres: D × k. That of an empty cluster is the mean of all points.
    pub fn centres(&self) -> Mat<T> {
        let (centres, mean) = (self.decision().weights(), self.decision().map().mean());
        Mat::from_fn(mean.len(), centres.ncols(), |j, c| centres[(j, c)] + mean[j])
    }
}

/// Inner products with vectors of a feature space and the norms of points, from which distances are
/// computed.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::kmeans::KMeans;
/// use kern_solvers::model::Geometry;
/// let x = Samples::from_rows(&[[0.0], [2.0], [9.0]])?;
/// let model = KMeans::on_kernel(Rbf::new(0.5)?, 2).fit(&x)?;
/// assert_eq!(model.decision().squared_norms(&x)?, [1.0, 1.0, 1.0]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub trait Geometry<P: Points>: Decision<P> {
    /// ‖φ(x)‖² of each point; 0 if the inner products are computed from differences
    /// ([`KernelExpansion`]).
    ///
    /// # Errors
    /// As [`Decision::decide`].
    fn squared_norms(&self, points: &P) -> Result<Vec<f64>, Error>;
}

impl<P: Points, K: Kernel<P>> Geometry<P> for KernelExpansion<P, K> {
    fn squared_norms(&self, points: &P) -> Result<Vec<f64>, Error> {
        if self.is_by_differences() && self.kernel().differences().is_some() {
            return Ok(vec![0.0; points.len()]);
        }
        let own = |i| self.kernel().diag(points, i).to_f64();
        Ok(finite_diagonal((0..points.len()).map(own))?)
    }
}

impl<T, P, M> Geometry<P> for FeatureExpansion<M, T>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P>,
{
    fn squared_norms(&self, points: &P) -> Result<Vec<f64>, Error> {
        self.check(points)?;
        let square = |z: &T| z.to_f64() * z.to_f64();
        let blocks = tile_ranges(points.len(), BLOCK);
        let norms = parallel::map_init(blocks, Scratch::new, |scratch, range| -> Vec<f64> {
            scratch.with_matrix(self.map().dim(), range.len(), |mut z, scratch| {
                self.map().transform_into(points, range, z.as_mut(), scratch);
                z.as_ref().col_iter().map(|z| z.iter().map(square).sum()).collect()
            })
        });
        Ok(finite_diagonal(norms.concat().into_iter())?)
    }
}

/// Centres `μ_c`: a function with outputs ⟨φ(x), `μ_c`⟩, and the weights and norms that distances
/// need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Centres<D> {
    pub(crate) decision: D,
    /// The weight of each cluster; a cluster of weight zero has no centre.
    pub(crate) masses: Vec<f64>,
    /// ‖`μ_c`‖².
    pub(crate) norms: Vec<f64>,
}

impl<D> Centres<D> {
    /// Rejects values that no fit can produce.
    pub(crate) fn check(&self) -> Result<(), Error>
    where
        D: Arity,
    {
        let (masses, norms, outputs) = (self.masses.len(), self.norms.len(), self.decision.arity());
        for (name, given) in [("norms of centres", norms), ("inner products with centres", outputs)]
        {
            if given != masses || masses == 0 {
                let allowed = "as many as there are clusters, one at least";
                return Err(Error::Count { name, given, allowed });
            }
        }
        let negative = self.masses.iter().find(|&&mass| mass < 0.0);
        let numbers = self.masses.iter().chain(&self.norms);
        let wrong = |(_, value): &(usize, &f64)| !value.is_finite() || Some(*value) == negative;
        match numbers.enumerate().find(wrong) {
            Some((index, &given)) => Err(Error::Coefficient { index, given }),
            None => Ok(()),
        }
    }

    /// The number k of clusters.
    pub(crate) fn count(&self) -> usize {
        self.masses.len()
    }

    /// Calls `f` on each row of ‖`μ_c`‖² − 2⟨φ(x), `μ_c`⟩ = d² − ‖φ(x)‖², in the order of the
    /// points; infinite for empty clusters.
    pub(crate) fn for_each_row<P: Points>(
        &self,
        points: &P,
        mut f: impl FnMut(usize, &[f64]),
    ) -> Result<(), Error>
    where
        D: Decision<P>,
    {
        let products = self.decision.decide(points)?;
        let shape = (points.len(), self.count());
        kern_gram::Error::check_shape("the products with the centres", shape, products.shape())?;
        let mut row = vec![0.0; self.count()];
        for (i, products) in products.row_iter().enumerate() {
            let centres = self.masses.iter().zip(&self.norms);
            for (col, ((value, product), (&mass, norm))) in
                row.iter_mut().zip(products.iter()).zip(centres).enumerate()
            {
                let given = norm - 2.0 * product.to_f64();
                if !given.is_finite() {
                    return Err(kern_gram::Error::ProductNotFinite { row: i, col, given }.into());
                }
                *value = if mass > 0.0 { given } else { f64::INFINITY };
            }
            f(i, &row);
        }
        Ok(())
    }

    /// The centre nearest to each point; ties go to the first.
    pub(crate) fn nearest<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        let mut labels = Vec::with_capacity(points.len());
        self.for_each_row(points, |_, row| labels.push(argmin(row)))?;
        Ok(labels)
    }

    /// ‖φ(x) − `μ_c`‖: points × clusters.
    pub(crate) fn distances<P: Points>(&self, points: &P) -> Result<Mat<P::Scalar>, Error>
    where
        D: Geometry<P>,
    {
        let own = self.decision.squared_norms(points)?;
        let mut distances: Mat<P::Scalar> = kern_gram::zeros(points.len(), self.count())?;
        self.for_each_row(points, |i, row| {
            for (to, value) in distances.row_mut(i).iter_mut().zip(row) {
                *to = P::Scalar::from_f64((own[i] + value).max(0.0).sqrt());
            }
        })?;
        Ok(distances)
    }
}
