//! Spectral clusters that are known.

use super::embedding::{nearest, row, rows};
use crate::model::{Arity, Decision, Format};
use crate::{Error, Model, Report};
use faer::{ColRef, Mat};
use kern_core::{Points, Samples, serde_mat};
use serde::{Deserialize, Serialize};

/// Spectral clusters of points.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::spectral_clustering::SpectralClustering;
/// let x = Samples::from_rows(&[[0.0], [0.5], [4.0], [4.5], [5.0]])?;
/// let model = SpectralClustering::on_kernel(Rbf::new(1.0)?, 2).fit(&x)?;
/// let labels = model.labels().to_vec();
/// assert_eq!((labels[0], labels[2], labels[3]), (labels[1], labels[4], labels[4]));
/// assert_eq!(model.predict(&x)?, labels);
/// assert!((model.eigenvalues()[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<D>", bound(deserialize = "D: Arity + Deserialize<'de>"))]
pub struct SpectralClusters<D> {
    format: Format<Self>,
    /// u_p(x)√d(x), and d(x) as the last output.
    decision: D,
    normalize: bool,
    /// Rows of the embedding × clusters.
    #[serde(with = "serde_mat")]
    centres: Mat<f64>,
    labels: Vec<usize>,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    report: Report,
}

kern_core::named! { [D] SpectralClusters<D> = "spectral_clusters"; }

/// Clusters as they are read.
#[derive(Deserialize)]
struct Unchecked<D> {
    #[serde(rename = "format")]
    _format: Format<SpectralClusters<D>>,
    decision: D,
    normalize: bool,
    #[serde(with = "serde_mat")]
    centres: Mat<f64>,
    labels: Vec<usize>,
    eigenvalues: Vec<f64>,
    residuals: Vec<f64>,
    report: Report,
}

impl<D: Arity> TryFrom<Unchecked<D>> for SpectralClusters<D> {
    type Error = Error;

    fn try_from(read: Unchecked<D>) -> Result<Self, Error> {
        let Unchecked {
            decision, normalize, centres, labels, eigenvalues, residuals, report, ..
        } = read;
        let length = |what, expected, given| match expected == given {
            true => Ok(()),
            false => Err(Error::Length { what, expected, given }),
        };
        length("coordinates of centres", decision.arity().saturating_sub(1), centres.nrows())?;
        length("eigenvalues", centres.nrows(), eigenvalues.len())?;
        length("residuals", centres.nrows(), residuals.len())?;
        let len = centres.ncols();
        if let Some(&given) = labels.iter().find(|&&label| label >= len) {
            return Err(kern_core::Error::Index { given, len }.into());
        }
        let numbers = centres.col_iter().flat_map(ColRef::iter);
        let numbers = numbers.chain(&eigenvalues).chain(&residuals);
        let refused = numbers.copied().find(|number| !number.is_finite());
        if let Some(given) = refused {
            return Err(Error::Range { what: "a number of spectral clusters", given });
        }
        let evidence = (eigenvalues, residuals);
        Ok(Self::new((decision, normalize), (centres, labels), evidence, report))
    }
}

impl<D> SpectralClusters<D> {
    pub(super) fn new(
        (decision, normalize): (D, bool),
        (centres, labels): (Mat<f64>, Vec<usize>),
        (eigenvalues, residuals): (Vec<f64>, Vec<f64>),
        report: Report,
    ) -> Self {
        let format = Format::default();
        Self { format, decision, normalize, centres, labels, eigenvalues, residuals, report }
    }

    /// The function with the outputs u_p(x)√d(x), and d(x) as the last one.
    pub const fn decision(&self) -> &D {
        &self.decision
    }

    /// The cluster of each point of the fit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The number of points in each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.centres.ncols()];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// λ_p, the greatest first: 1, and values near 1 for each further part that hardly anything leads out of. There are fewer than
    /// clusters if the rank of the kernel matrix is less.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// A bound for each eigenvalue on its distance from one of the matrix, found by one product more.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The evidence of the fit: its objective is the normalised cut.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The rows that points have in the embedding, scaled as k-means saw them: a point that is like none of the fit has zeros.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn embed<P: Points>(&self, points: &P) -> Result<Samples<f64>, Error>
    where
        D: Decision<P>,
    {
        rows(self.decision.decide(points)?.as_ref(), self.normalize)
    }

    /// The cluster whose centre is nearest to the row of each point, the first of equals.
    ///
    /// # Errors
    /// As [`Decision::decide`].
    pub fn predict<P: Points>(&self, points: &P) -> Result<Vec<usize>, Error>
    where
        D: Decision<P>,
    {
        let values = self.decision.decide(points)?;
        let mut of_point = vec![0.0; self.centres.nrows()];
        let cluster = |i: usize| {
            row(values.as_ref(), i, self.normalize, &mut of_point);
            nearest(&of_point, &self.centres)
        };
        Ok((0..points.len()).map(cluster).collect())
    }
}

impl<P: Points, D: Decision<P>> Model<P> for SpectralClusters<D> {
    type Answer = Vec<usize>;

    fn predict(&self, points: &P) -> Result<Vec<usize>, Error> {
        self.predict(points)
    }

    fn report(&self) -> &Report {
        self.report()
    }
}
