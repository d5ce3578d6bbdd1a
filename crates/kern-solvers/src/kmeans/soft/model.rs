//! The model of soft k-means.

use super::energy::Mixture;
use crate::model::Format;
use crate::{Error, Status};
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar, serde_mat};
use kern_gram::{CrossGram, zeros};
use serde::{Deserialize, Serialize};

/// The evidence of a fit, of the best run.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::kmeans::SoftKernelKMeans;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = SoftKernelKMeans::new(Linear, 2).fit(&x)?;
/// assert!(model.report().free_energies.is_sorted_by(|a, b| a >= b));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SoftReport {
    /// How the run ended: [`Status::Stalled`] if rounding, or a kernel that is not Mercer, would let the free energy rise
    /// by more than the tolerance.
    pub status: Status,
    /// Iterations after the first clusters.
    pub iterations: usize,
    /// The free energy F.
    pub free_energy: f64,
    /// That of the first clusters, and after each iteration. It never rises.
    pub free_energies: Vec<f64>,
    /// The indices of the points that the run started from; none if labels were given.
    pub seeds: Vec<usize>,
    /// Which of the restarts it was, from 0.
    pub run: usize,
}

/// Soft clusters in the feature space of a kernel.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::kmeans::SoftKernelKMeans;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let model = SoftKernelKMeans::new(Rbf::new(0.5)?, 2).beta(4.0).restarts(3).fit(&x)?;
/// let shares = model.shares();
/// assert!((shares[(0, 0)] + shares[(0, 1)] - 1.0).abs() < 1e-15);
/// assert!((model.sizes().iter().sum::<f64>() - 1.0).abs() < 1e-15);
/// assert_eq!(model.assign(&x)?, model.labels());
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K>",
    bound(
        serialize = "P: Serialize, K: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Deserialize<'de>"
    )
)]
pub struct SoftKMeansModel<P: Points, K> {
    format: Format,
    kernel: K,
    points: P,
    #[serde(with = "serde_mat")]
    coefficients: Mat<P::Scalar>,
    mixture: Mixture,
    #[serde(with = "serde_mat")]
    shares: Mat<f64>,
    report: SoftReport,
}

/// A model as it is read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Points + Deserialize<'de>, K: Deserialize<'de>"))]
struct Stored<P: Points, K> {
    format: Format,
    kernel: K,
    points: P,
    #[serde(with = "serde_mat")]
    coefficients: Mat<P::Scalar>,
    mixture: Mixture,
    #[serde(with = "serde_mat")]
    shares: Mat<f64>,
    report: SoftReport,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for SoftKMeansModel<P, K> {
    type Error = Error;
    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { format, kernel, points, coefficients, mixture, shares, report } = stored;
        let shape = (points.len(), mixture.sizes.len());
        kern_gram::Error::check_shape("the coefficients", shape, coefficients.shape())?;
        kern_gram::Error::check_shape("the shares", shape, shares.shape())?;
        let norms = (mixture.norms.len(), 1);
        kern_gram::Error::check_shape("the norms", (mixture.sizes.len(), 1), norms)?;
        Ok(Self { format, kernel, points, coefficients, mixture, shares, report })
    }
}

impl<P: Points, K> SoftKMeansModel<P, K> {
    pub(super) fn new(
        kernel: K,
        points: P,
        (mixture, coefficients): (Mixture, Mat<P::Scalar>),
        shares: Mat<f64>,
        report: SoftReport,
    ) -> Self {
        Self { format: Format, kernel, points, coefficients, mixture, shares, report }
    }

    /// The shares `r_ic` of the points of the fit: n × k.
    pub fn shares(&self) -> MatRef<'_, f64> {
        self.shares.as_ref()
    }

    /// The cluster of the greatest share of each point of the fit, the first of equals.
    pub fn labels(&self) -> Vec<usize> {
        greatest(self.shares())
    }

    /// The sizes `π_c`, which add up to 1.
    pub fn sizes(&self) -> &[f64] {
        &self.mixture.sizes
    }

    /// The evidence of the fit.
    pub fn report(&self) -> &SoftReport {
        &self.report
    }
}

impl<P: Points, K: Kernel<P>> SoftKMeansModel<P, K> {
    /// The shares of the queries in the clusters: queries × k; every row adds up to 1.
    ///
    /// # Errors
    /// [`Error::Gram`] if the queries do not fit the points of the fit, or a kernel value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations and 2q·n·k flops for q queries; q·k numbers.
    pub fn responsibilities(&self, queries: &P) -> Result<Mat<f64>, Error> {
        let cross = CrossGram::new(&self.kernel, queries, &self.points)?;
        let products = cross.apply(self.coefficients.as_ref())?;
        let (q, k) = products.shape();
        let mut shares: Mat<f64> = zeros(q, k)?;
        let mut row = vec![0.0; k];
        for i in 0..q {
            (0..k).for_each(|c| row[c] = products[(i, c)].to_f64());
            self.mixture.shares(self.kernel.diag(queries, i).to_f64(), &mut row);
            (0..k).for_each(|c| shares[(i, c)] = row[c]);
        }
        Ok(shares)
    }

    /// The cluster of the greatest share of each query, the first of equals.
    ///
    /// # Errors
    /// As [`responsibilities`](Self::responsibilities).
    pub fn assign(&self, queries: &P) -> Result<Vec<usize>, Error> {
        Ok(greatest(self.responsibilities(queries)?.as_ref()))
    }
}

fn greatest(shares: MatRef<'_, f64>) -> Vec<usize> {
    let winner = |row: faer::RowRef<'_, f64>| {
        let values = row.iter().enumerate();
        values.fold((0, -1.0), |best, (c, &r)| if r > best.1 { (c, r) } else { best }).0
    };
    shares.row_iter().map(winner).collect()
}
