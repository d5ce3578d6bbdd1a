//! The fit of k nearest neighbours: checks, and a copy of the points.

use super::known::{WithClasses, WithTargets};
use super::known_outputs::{WithLabels, WithOutputs};
use super::search::{Reach, Search};
use super::{
    KNearest, KnnClassifier, KnnMultiLabel, KnnMultiRegressor, KnnRegressor, Ranking,
    WeightFunction,
};
use crate::labels::{Encoded, check_length};
use crate::{Error, Label};
use faer::MatRef;
use kern_core::{Kernel, Points};

impl<K, R, W: WeightFunction> KNearest<K, R, W> {
    /// Remembers the points and their labels.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`] for the labels; [`Error::Count`]
    /// unless 1 ≤ k ≤ n; [`Error::Core`] if the kernel refuses the points; by distance
    /// [`Error::Gram`] if some K(xᵢ, xᵢ) is not finite.
    ///
    /// # Complexity
    /// A copy of the points, and by distance n kernel evaluations.
    pub fn fit_classifier<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<KnnClassifier<P, K, L, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        L: Label,
        R: Ranking<P, K>,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let (search, weighting) = self.prepared(points)?;
        Ok(KnnClassifier(WithClasses::new(search, weighting, labels)))
    }

    /// Remembers the points and their targets.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::NotFinite`] for the targets; else as
    /// [`KNearest::fit_classifier`].
    ///
    /// # Complexity
    /// As [`KNearest::fit_classifier`].
    pub fn fit<P>(self, points: &P, targets: &[P::Scalar]) -> Result<KnnRegressor<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("targets", points.len(), targets.len())?;
        let (search, weighting) = self.prepared(points)?;
        Ok(KnnRegressor(WithTargets::new(search, weighting, targets.to_vec())?))
    }

    /// Remembers the points and several targets of each: points × outputs.
    ///
    /// # Errors
    /// As [`KNearest::fit`].
    ///
    /// # Complexity
    /// As [`KNearest::fit_classifier`].
    pub fn fit_outputs<P>(
        self,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<KnnMultiRegressor<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("targets", points.len(), targets.nrows())?;
        let (search, weighting) = self.prepared(points)?;
        Ok(KnnMultiRegressor(WithOutputs::new(search, weighting, targets.to_owned())?))
    }

    /// Remembers the points and which of several labels each of them has: a row per point, with an
    /// entry per label.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::LabelCount`] for the labels; else as
    /// [`KNearest::fit_classifier`].
    ///
    /// # Complexity
    /// As [`KNearest::fit_classifier`].
    pub fn fit_multi_label<P>(
        self,
        points: &P,
        labels: &[impl AsRef<[bool]>],
    ) -> Result<KnnMultiLabel<P, K, W>, Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        check_length("rows of labels", points.len(), labels.len())?;
        let (search, weighting) = self.prepared(points)?;
        let labels = labels.iter().map(|row| row.as_ref().to_vec()).collect();
        Ok(KnnMultiLabel(WithLabels::new(search, weighting, labels)?))
    }

    fn prepared<P>(self, points: &P) -> Result<(Search<P, K>, W), Error>
    where
        P: Points,
        K: Kernel<P>,
        R: Ranking<P, K>,
    {
        let reach = Reach::Neighbors(self.neighbors);
        let search = Search::copying((self.kernel, points), (reach, R::NEARNESS), self.by)?;
        Ok((search, self.weighting))
    }
}
