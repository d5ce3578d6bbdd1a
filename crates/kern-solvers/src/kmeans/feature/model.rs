//! The model of k-means on features: the centres.

use super::centres::Centres;
use super::source::{BLOCK, products};
use crate::Error;
use crate::kmeans::KMeansReport;
use crate::model::Format;
use crate::statistics::not_finite;
use faer::Mat;
use kern_core::{FeatureMap, Points, Scalar, Scratch, serde_mat};
use kern_gram::{parallel, split_rows, tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Clusters in the space of features: their centres, and the cluster of each point of the fit.
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::kmeans::{FeatureKMeans, Seeding};
/// let x = Samples::from_rows(&[[0.0], [2.0], [9.0]])?;
/// let machine = FeatureKMeans::new(Identity::new(1), 2).seeding(Seeding::Given(vec![0, 2]));
/// let model = machine.fit(&x)?;
/// assert_eq!((model.labels(), model.sizes()), (&[0, 0, 1][..], vec![2, 1]));
/// let (first, second): (f64, f64) = (model.centres()[(0, 0)], model.centres()[(0, 1)]);
/// assert!((first - 1.0).abs() < 1e-14 && (second - 9.0).abs() < 1e-14);
/// let queries = Samples::from_rows(&[[4.0], [6.0]])?;
/// assert_eq!(model.assign(&queries)?, [0, 1]);
/// let distance: f64 = model.distances(&queries)?[(0, 0)];
/// assert!((distance - 3.0).abs() < 1e-14);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<M, T>",
    bound(serialize = "M: Serialize", deserialize = "M: Deserialize<'de>")
)]
pub struct FeatureKMeansModel<M, T: Scalar> {
    format: Format,
    map: M,
    mean: Vec<T>,
    /// Relative to the mean.
    #[serde(with = "serde_mat")]
    centres: Mat<T>,
    masses: Vec<f64>,
    labels: Vec<usize>,
    report: KMeansReport,
}

/// A model as it is read from a file, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
struct Stored<M, T: Scalar> {
    format: Format,
    map: M,
    mean: Vec<T>,
    #[serde(with = "serde_mat")]
    centres: Mat<T>,
    masses: Vec<f64>,
    labels: Vec<usize>,
    report: KMeansReport,
}

impl<M, T: Scalar> TryFrom<Stored<M, T>> for FeatureKMeansModel<M, T> {
    type Error = Error;
    fn try_from(stored: Stored<M, T>) -> Result<Self, Error> {
        let Stored { format, map, mean, centres, masses, labels, report } = stored;
        let (dim, k) = centres.shape();
        kern_gram::Error::check_shape("the centres", (mean.len(), masses.len()), (dim, k))?;
        match labels.iter().find(|&&label| label >= k) {
            Some(&given) => Err(kern_core::Error::Index { given, len: k }.into()),
            None => Ok(Self { format, map, mean, centres, masses, labels, report }),
        }
    }
}

impl<M, T: Scalar> FeatureKMeansModel<M, T> {
    pub(super) fn new(
        map: M,
        (mean, centres): (Vec<T>, Centres<T>),
        labels: &[u32],
        report: KMeansReport,
    ) -> Result<Self, Error> {
        let Centres { values: centres, masses, .. } = centres;
        let labels = labels.iter().map(|&label| label as usize).collect();
        Ok(Self { format: Format, map, mean, centres, masses, labels, report })
    }

    /// The feature map ψ.
    pub fn map(&self) -> &M {
        &self.map
    }

    /// The centres: D × k. That of an empty cluster is the mean of all points.
    pub fn centres(&self) -> Mat<T> {
        Mat::from_fn(self.centres.nrows(), self.centres.ncols(), |j, c| {
            self.centres[(j, c)] + self.mean[j]
        })
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

    /// The evidence of the fit.
    pub fn report(&self) -> &KMeansReport {
        &self.report
    }

    /// The cluster of the nearest centre to each query, the first of equals.
    ///
    /// # Errors
    /// As [`distances`](Self::distances).
    pub fn assign<P: Points<Scalar = T>>(&self, queries: &P) -> Result<Vec<usize>, Error>
    where
        M: FeatureMap<P>,
    {
        let squared = self.squared(queries)?;
        let nearest = |row: faer::RowRef<'_, T>| {
            let values = row.iter().enumerate();
            let infinite = T::from_f64(f64::INFINITY);
            values.fold((infinite, 0), |best, (c, &v)| if v < best.0 { (v, c) } else { best }).1
        };
        Ok(squared.row_iter().map(nearest).collect())
    }

    /// ‖ψ(x) − μ_c‖ for each query x and centre μ_c, queries × clusters; infinite for an empty cluster.
    ///
    /// # Errors
    /// [`Error::Core`] if the map refuses the queries, or a feature is not finite.
    ///
    /// # Complexity
    /// The features, and 2q·k·D flops for q queries; q·k numbers.
    pub fn distances<P: Points<Scalar = T>>(&self, queries: &P) -> Result<Mat<T>, Error>
    where
        M: FeatureMap<P>,
    {
        let mut distances = self.squared(queries)?;
        for column in distances.col_iter_mut() {
            column.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64().max(0.0).sqrt()));
        }
        Ok(distances)
    }

    fn squared<P: Points<Scalar = T>>(&self, queries: &P) -> Result<Mat<T>, Error>
    where
        M: FeatureMap<P>,
    {
        self.map.check(queries)?;
        // A file may hold another map than that of the fit.
        let shape = (self.map.dim(), self.centres.ncols());
        kern_gram::Error::check_shape("the centres", shape, self.centres.shape())?;
        let (q, k) = (queries.len(), self.centres.ncols());
        let square = |v: &T| v.to_f64() * v.to_f64();
        let norms: Vec<f64> =
            self.centres.col_iter().map(|centre| centre.iter().map(square).sum()).collect();
        let mut out: Mat<T> = zeros(q, k)?;
        let ranges = tile_ranges(q, BLOCK);
        let tasks = split_rows(out.as_mut(), &ranges).into_iter().zip(ranges).collect();
        let bad = parallel::map_init(tasks, Scratch::new, |scratch, (mut out, range)| {
            scratch.with_matrix(self.map.dim(), range.len(), |mut z, scratch| {
                self.map.transform_into(queries, range.clone(), z.as_mut(), scratch);
                let bad = not_finite(z.as_ref(), range.start);
                for column in z.as_mut().col_iter_mut() {
                    column.iter_mut().zip(&self.mean).for_each(|(z, &mean)| *z -= mean);
                }
                products(self.centres.as_ref(), z.as_ref(), scratch, |products| {
                    for (i, z) in z.as_ref().col_iter().enumerate() {
                        let own: f64 = z.iter().map(square).sum();
                        for c in 0..k {
                            let squared = own + norms[c] - 2.0 * products[(c, i)].to_f64();
                            let filled = self.masses[c] > 0.0;
                            out[(i, c)] = T::from_f64(if filled { squared } else { f64::INFINITY });
                        }
                    }
                });
                bad
            })
        });
        bad.into_iter().flatten().next().map_or(Ok(out), |error| Err(error.into()))
    }
}
