//! Clusters: the centres that say where a point belongs.

use super::{Arity, CentredMap, Centres, Decision, FeatureExpansion, Format, Geometry};
use crate::{Error, Model, Report};
use faer::Mat;
use kern_core::{Points, Scalar};
use serde::{Deserialize, Serialize};

/// Clusters in a feature space.
///
/// # Definition
/// The [`decision`](Clusters::decision) has an output ⟨φ(x), μ_c⟩ for each centre. A point belongs to the centre of least
/// ‖φ(x) − μ_c‖² = ‖φ(x)‖² − 2⟨φ(x), μ_c⟩ + ‖μ_c‖².
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

/// Clusters as they are read from a file.
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
        let len = centres.count();
        match labels.iter().find(|&&label| label >= len) {
            Some(&given) => Err(kern_core::Error::Index { given, len }.into()),
            None => Ok(Self::new(centres, labels, report)),
        }
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

    /// The cluster of each point of the fit.
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

    /// The cluster of the nearest centre to each point, the first of equals.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    ///
    /// # Complexity
    /// q·n kernel evaluations and 2q·n·k flops for q points and n of the fit, or the features and 2q·k·D flops; q·k numbers.
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        self.centres.nearest(points)
    }

    /// ‖φ(x) − μ_c‖ for each point x and centre μ_c, points × clusters; infinite for an empty cluster. What others
    /// call `transform`.
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

impl<P: Points, D: Decision<P>> Model<P> for Clusters<D> {
    type Answer = Vec<usize>;

    fn predict(&self, points: &P) -> Result<Vec<usize>, Error> {
        self.predict(points)
    }

    fn report(&self) -> &Report {
        self.report()
    }
}
