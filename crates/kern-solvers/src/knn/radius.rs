//! All neighbours within a threshold: parameters and fit.

use super::known::{WithClasses, WithTargets};
use super::radius_model::{RadiusClassifier, RadiusRegressor};
use super::search::{Reach, Search};
use super::{Distance, Ranking, SearchBy, Similarity, Weighting};
use crate::labels::{Encoded, check_length};
use crate::{Error, Label};
use kern_core::{Kernel, Points};

/// All neighbours within a threshold, by similarity or by distance in the feature space of a
/// kernel: r nearest neighbours.
///
/// A query may have no neighbour at all. Then there is no answer, and a prediction says so: it is
/// `None`, for which `unwrap_or` puts a label or a value of one's choice.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::RadiusNeighbors;
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let near = RadiusNeighbors::by_distance(Linear, 1.0);
/// let model = near.fit_classifier(&x, &["low", "low", "high"])?;
/// let queries = Samples::from_rows(&[[2.0], [5.5], [3.0]])?;
/// assert_eq!(model.predict(&queries)?, [Some("low"), Some("high"), None]);
/// // The products with 2 are 0, 2 and 10.
/// let similar = RadiusNeighbors::by_similarity(Linear, 2.0).fit(&x, &[1.0, 2.0, 4.0])?;
/// assert_eq!(similar.predict(&queries)?[0], Some(3.0));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
///
/// # References
/// Fix & Hodges (1951), *Discriminatory Analysis*; the answer for outliers follows the
/// `outlier_label` of scikit-learn's `RadiusNeighborsClassifier`, but has a type of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadiusNeighbors<K, R> {
    kernel: K,
    threshold: f64,
    weighting: Weighting,
    by: SearchBy,
    /// Says by its type, at compile time, what the kernel has to be.
    ranking: R,
}

impl<K> RadiusNeighbors<K, Similarity> {
    /// The neighbours of x are the xᵢ with K(x, xᵢ) ≥ `threshold`, a finite number.
    pub fn by_similarity(kernel: K, threshold: f64) -> Self {
        Self::new(kernel, threshold, Similarity)
    }
}

impl<K> RadiusNeighbors<K, Distance> {
    /// The neighbours of x are the xᵢ with an RKHS distance d(x, xᵢ) ≤ `radius`, which is finite
    /// and ≥ 0.
    pub fn by_distance(kernel: K, radius: f64) -> Self {
        Self::new(kernel, radius, Distance)
    }

    /// How neighbours are found: a [`SearchBy`], or the parameters of an index, such as
    /// [`VantageTree`](super::VantageTree). Default: [`SearchBy::Brute`].
    #[must_use]
    pub fn search(mut self, by: impl Into<SearchBy>) -> Self {
        self.by = by.into();
        self
    }
}

impl<K, R> RadiusNeighbors<K, R> {
    fn new(kernel: K, threshold: f64, ranking: R) -> Self {
        Self { kernel, threshold, weighting: Weighting::Uniform, by: SearchBy::Brute, ranking }
    }

    /// What each neighbour counts. Default: [`Weighting::Uniform`].
    #[must_use]
    pub fn weighting(mut self, weighting: Weighting) -> Self {
        self.weighting = weighting;
        self
    }

    /// Remembers the points and their labels.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`] for the labels; [`Error::Core`]
    /// unless the threshold is finite and a radius ≥ 0, or if the kernel refuses the points; by
    /// distance [`Error::Gram`] if some K(xᵢ, xᵢ) is not finite.
    ///
    /// # Complexity
    /// A copy of the points, and by distance n kernel evaluations.
    pub fn fit_classifier<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<RadiusClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Kernel<P>,
        L: Label,
        R: Ranking<P, K>,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let weighting = self.weighting;
        Ok(RadiusClassifier(WithClasses::new(self.prepared(points)?, weighting, labels)))
    }

    /// Remembers the points and their targets.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; else as
    /// [`RadiusNeighbors::fit_classifier`].
    ///
    /// # Complexity
    /// As [`RadiusNeighbors::fit_classifier`].
    pub fn fit<P>(self, points: &P, targets: &[P::Scalar]) -> Result<RadiusRegressor<P, K>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("targets", points.len(), targets.len())?;
        let weighting = self.weighting;
        let known = WithTargets::new(self.prepared(points)?, weighting, targets.to_vec())?;
        Ok(RadiusRegressor(known))
    }

    fn prepared<P>(self, points: &P) -> Result<Search<P, K>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        let reach = Reach::Threshold(self.threshold);
        Search::copying((self.kernel, points), (reach, R::NEARNESS), self.by)
    }
}
