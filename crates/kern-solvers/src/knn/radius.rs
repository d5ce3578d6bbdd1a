//! All neighbours within a threshold: parameters and fit.

use super::known::{WithClasses, WithTargets};
use super::known_outputs::{WithLabels, WithOutputs};
use super::radius_model::{RadiusClassifier, RadiusRegressor};
use super::radius_outputs::{RadiusMultiLabel, RadiusMultiRegressor};
use super::search::{Reach, Search};
use super::{Distance, Ranking, SearchBy, Similarity, WeightFunction, Weighting};
use crate::labels::{Encoded, check_length};
use crate::{Error, Label};
use faer::MatRef;
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
pub struct RadiusNeighbors<K, R, W = Weighting> {
    kernel: K,
    threshold: f64,
    weighting: W,
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
}

impl<K, W> RadiusNeighbors<K, Distance, W> {
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
}

impl<K, R, W> RadiusNeighbors<K, R, W> {
    /// What each neighbour counts: a [`Weighting`], or a [`WeightFunction`] of the user's. Default:
    /// [`Weighting::Uniform`].
    #[must_use]
    pub fn weighting<F: WeightFunction>(self, weighting: F) -> RadiusNeighbors<K, R, F> {
        let Self { kernel, threshold, by, ranking, .. } = self;
        RadiusNeighbors { kernel, threshold, weighting, by, ranking }
    }
}

impl<K, R, W: WeightFunction> RadiusNeighbors<K, R, W> {
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
    ) -> Result<RadiusClassifier<P, K, L, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        L: Label,
        R: Ranking<P, K>,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let (search, weighting) = self.prepared(points)?;
        Ok(RadiusClassifier(WithClasses::new(search, weighting, labels)))
    }

    /// Remembers the points and their targets.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; else as
    /// [`RadiusNeighbors::fit_classifier`].
    ///
    /// # Complexity
    /// As [`RadiusNeighbors::fit_classifier`].
    pub fn fit<P>(
        self,
        points: &P,
        targets: &[P::Scalar],
    ) -> Result<RadiusRegressor<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("targets", points.len(), targets.len())?;
        let (search, weighting) = self.prepared(points)?;
        Ok(RadiusRegressor(WithTargets::new(search, weighting, targets.to_vec())?))
    }

    /// Remembers the points and several targets of each: points × outputs.
    ///
    /// # Errors
    /// As [`RadiusNeighbors::fit`].
    ///
    /// # Complexity
    /// As [`RadiusNeighbors::fit_classifier`].
    pub fn fit_outputs<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<RadiusMultiRegressor<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("targets", points.len(), targets.nrows())?;
        let (search, weighting) = self.prepared(points)?;
        Ok(RadiusMultiRegressor(WithOutputs::new(search, weighting, targets.to_owned())?))
    }

    /// Remembers the points and which of several labels each of them has: a row per point, with an
    /// entry per label.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::LabelCount`] for the labels; else as
    /// [`RadiusNeighbors::fit_classifier`].
    ///
    /// # Complexity
    /// As [`RadiusNeighbors::fit_classifier`].
    pub fn fit_multi_label<P>(
        self,
        points: &P,
        labels: &[impl AsRef<[bool]>],
    ) -> Result<RadiusMultiLabel<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("rows of labels", points.len(), labels.len())?;
        let (search, weighting) = self.prepared(points)?;
        let labels = labels.iter().map(|row| row.as_ref().to_vec()).collect();
        Ok(RadiusMultiLabel(WithLabels::new(search, weighting, labels)?))
    }

    fn prepared<P>(self, points: &P) -> Result<(Search<P, K>, W), Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        let reach = Reach::Threshold(self.threshold);
        let search = Search::copying((self.kernel, points), (reach, R::NEARNESS), self.by)?;
        Ok((search, self.weighting))
    }
}
