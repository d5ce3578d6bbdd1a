//! Soft clusters: the membership of each point in each cluster.

use super::{Arity, Centres, Decision, Format};
use crate::{Error, Report};
use faer::{Mat, MatRef};
use kern_core::{Points, Positive, serde_mat};
use kern_gram::numerics::arithmetic::{argmax, argmin};
use serde::{Deserialize, Serialize};

/// Soft clusters in a feature space.
///
/// # Definition
/// The membership of a point x in cluster c of size π_c and centre μ_c is r_c ∝ π_c·exp(−β‖φ(x) −
/// μ_c‖²), Σr = 1.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::kmeans::SoftKMeans;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = SoftKMeans::on_kernel(Rbf::new(0.5)?, 2).beta(4.0).restarts(3).fit(&x)?;
/// let shares = model.memberships();
/// assert!((shares[(0, 0)] + shares[(0, 1)] - 1.0).abs() < 1e-15);
/// assert!((model.sizes().iter().sum::<f64>() - 1.0).abs() < 1e-15);
/// assert_eq!(model.predict(&x)?, model.labels());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct SoftClusters<D> {
    format: Format<Self>,
    /// The centres; their masses are the sizes.
    centres: Centres<D>,
    beta: f64,
    #[serde(with = "serde_mat")]
    memberships: Mat<f64>,
    report: Report,
}

/// The deserialized form, before it is checked.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<SoftClusters<D>>,
    centres: Centres<D>,
    beta: f64,
    #[serde(with = "serde_mat")]
    memberships: Mat<f64>,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for SoftClusters<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked { centres, beta, memberships, report, .. } = read;
        centres.check()?;
        Positive::new("beta", beta)?;
        let (points, columns) = memberships.shape();
        let shape = (points, centres.count());
        kern_gram::Error::check_shape("the memberships", shape, (points, columns))?;
        Ok(Self::new(centres, beta, memberships, report))
    }
}

impl<D> SoftClusters<D> {
    pub(crate) fn new(
        centres: Centres<D>,
        beta: f64,
        memberships: Mat<f64>,
        report: Report,
    ) -> Self {
        Self { format: Format::default(), centres, beta, memberships, report }
    }

    /// The same clusters with other inner products.
    pub(crate) fn map<E>(
        self,
        f: impl FnOnce(Centres<D>) -> Result<Centres<E>, Error>,
    ) -> Result<SoftClusters<E>, Error> {
        let Self { centres, beta, memberships, report, .. } = self;
        Ok(SoftClusters::new(f(centres)?, beta, memberships, report))
    }

    /// The inner products with the centres.
    pub const fn decision(&self) -> &D {
        &self.centres.decision
    }

    /// The memberships of the training points: n × k; every row sums to 1.
    pub fn memberships(&self) -> MatRef<'_, f64> {
        self.memberships.as_ref()
    }

    /// The cluster with the largest membership of each training point; ties go to the first.
    pub fn labels(&self) -> Vec<usize> {
        largest(self.memberships())
    }

    /// The sizes `π_c`, which sum to 1.
    pub fn sizes(&self) -> &[f64] {
        &self.centres.masses
    }

    /// The evidence of the fit.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The memberships of points in the clusters: points × k; every row sums to 1.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    ///
    /// # Complexity
    /// q·n kernel evaluations and 2q·n·k flops for q points and n training points; memory q·k.
    pub fn predict_memberships<P: Points>(&self, points: &P) -> Result<Mat<f64>, Error>
    where
        D: Decision<P>,
    {
        let mut shares: Mat<f64> = kern_gram::zeros(points.len(), self.sizes().len())?;
        let mut own = vec![0.0; self.sizes().len()];
        self.centres.for_each_row(points, |i, row| {
            own.copy_from_slice(row);
            share(self.sizes(), self.beta, &mut own);
            shares.row_mut(i).iter_mut().zip(&own).for_each(|(to, &share)| *to = share);
        })?;
        Ok(shares)
    }

    /// The cluster with the largest membership of each point; ties go to the first.
    ///
    /// # Errors
    /// As [`predict_memberships`](Self::predict_memberships).
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        Ok(largest(self.predict_memberships(points)?.as_ref()))
    }
}

/// Replaces d² + a, where a is the same for all clusters, by the memberships of a point in clusters
/// of these sizes. Returns −ln(Σ_c `π_c`·exp(−β·(d² + a)))/β, the contribution of the point to the
/// free energy.
///
/// The smallest d² is subtracted before the product with β, so that only terms which become 0
/// overflow.
pub(crate) fn share(sizes: &[f64], beta: f64, squared: &mut [f64]) -> f64 {
    let nearest = squared[argmin(squared.iter())];
    for (value, size) in squared.iter_mut().zip(sizes) {
        // −∞ for an empty cluster, whatever its distance.
        *value =
            if *size > 0.0 { size.ln() - beta * (*value - nearest) } else { f64::NEG_INFINITY };
    }
    let largest = squared.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    squared.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let sum: f64 = squared.iter().sum();
    squared.iter_mut().for_each(|value| *value /= sum);
    nearest - (largest + sum.ln()) / beta
}

fn largest(shares: MatRef<'_, f64>) -> Vec<usize> {
    shares.row_iter().map(|row| argmax(row.iter())).collect()
}
