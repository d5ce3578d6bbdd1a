//! The model of nearest neighbours: the points and their targets. A type parameter, the reach,
//! states whether a query may have no neighbours, and so the type of a prediction.

use super::neighbour_search::{Extent, Search};
use super::rkhs_distance::{Nearness, Neighbor};
use super::vote_of_neighbours::{Known, label_count, label_votes, rows};
use super::weight::{self, NoWeight, WeightFunction, Weighting};
use crate::model::Format;
use crate::{Classes, Error, Label, LabelSets, Labels, Model, Probabilities, Report};
use faer::Mat;
use kern_approx::statistics::check_length;
use kern_approx::statistics::check_weights;
use kern_core::{Kernel, Named, Points, Scalar, named};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// The fitted model of nearest neighbours: the training points with their search, and the targets.
///
/// # Definition
/// A neighbour xᵢ of a query has the weight wᵢβᵢ: wᵢ from the [`WeightFunction`], and βᵢ the weight
/// of the point in the data times that of its class. The prediction depends on the targets `Y`:
/// - [`Labels`]: each class has Σ wᵢβᵢ votes, and the class with the most votes wins, in a tie the
///   first in the order of the labels;
/// - [`Values`](crate::Values) and [`Outputs`](crate::Outputs): the mean Σ wᵢβᵢyᵢ/Σ wᵢβᵢ, summed in
///   double precision;
/// - [`LabelSets`]: the labels whose share of the votes exceeds ½, so a tie means no;
/// - `()`: the indices of the neighbours, nearest first.
///
/// With the reach [`Nearest`] every query has a prediction. With [`Within`](super::Within) a query
/// may have no neighbour; its prediction is then `None`, which `unwrap_or` replaces by a label or a
/// value of choice.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::mat, kernels::Rbf};
/// use kern_solvers::{LabelSets, knn::KNearest};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0], [6.0]])?;
/// let near = KNearest::by_distance(Rbf::new(0.1)?).neighbors(3);
/// let model = near.fit(&x, &["low", "low", "high", "high"])?;
/// let queries = Samples::from_rows(&[[0.4], [5.8]])?;
/// assert_eq!(model.predict(&queries)?, ["low", "high"]);
/// assert_eq!(model.classes(), ["high", "low"]);
/// assert_eq!(model.predict_proba(&queries)?[(0, 1)], 2.0 / 3.0);
/// assert_eq!(model.accuracy(&queries, &["low", "low"])?, 0.5);
/// // Values, several outputs, and several labels.
/// assert_eq!(near.fit(&x, &[0.0_f64, 3.0, 6.0, 9.0])?.predict(&queries)?, [3.0, 6.0]);
/// let outputs = mat![[0.0, 1.0], [3.0, 1.0], [6.0, 1.0], [9.0, 4.0]];
/// assert_eq!(near.fit(&x, &outputs)?.predict(&queries)?, mat![[3.0, 1.0], [6.0, 2.0]]);
/// let sets = LabelSets::new(&[[true, true], [true, false], [false, true], [false, false]])?;
/// let model = near.fit(&x, sets)?;
/// assert_eq!(model.predict(&queries)?, [[true, true], [false, false]]);
/// assert_eq!(model.vote_fractions(&queries)?[(1, 0)], 1.0 / 3.0);
/// // No targets.
/// assert_eq!(near.fit(&x, ())?.predict(&queries)?, [[0, 1, 2], [3, 2, 1]]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "UncheckedNeighbors<P, K, Y, W>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize, Y::Kept: Serialize, W: Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>, \
                       Y: Known, Y::Kept: Deserialize<'de>, E: Reach, \
                       W: WeightFunction + Deserialize<'de>"
    )
)]
pub struct Neighbors<P: Points, K, Y: Known, E = Nearest, W = Weighting> {
    format: Format<Self>,
    search: Search<P, K>,
    weighting: W,
    known: Y::Kept,
    /// βᵢ > 0; `None` if all are 1.
    weights: Option<Vec<f64>>,
    report: Report,
    #[serde(skip)]
    reach: PhantomData<E>,
}

/// The model as read from a file, before its checks.
#[derive(Deserialize)]
#[serde(bound(
    deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>, \
                             Y: Known, Y::Kept: Deserialize<'de>, W: Deserialize<'de>"
))]
struct UncheckedNeighbors<P: Points, K, Y: Known, W> {
    #[serde(rename = "format")]
    _format: Format<Neighbors<P, K, Y, Nearest, W>>,
    search: Search<P, K>,
    weighting: W,
    known: Y::Kept,
    weights: Option<Vec<f64>>,
    report: Report,
}

impl<P, K, Y, E, W> TryFrom<UncheckedNeighbors<P, K, Y, W>> for Neighbors<P, K, Y, E, W>
where
    P: Points,
    K: Kernel<P>,
    Y: Known,
    E: Reach,
    W: WeightFunction,
{
    type Error = Error;

    fn try_from(read: UncheckedNeighbors<P, K, Y, W>) -> Result<Self, Error> {
        let UncheckedNeighbors { search, weighting, known, weights, report, .. } = read;
        let points = search.points().len();
        E::admits(search.extent())?;
        Y::check_kept(&known, points)?;
        if let Some(weights) = &weights {
            check_weights(points, weights)?;
            if let Some(point) = weights.iter().position(|&weight| weight <= 0.0) {
                return Err(Error::Weight { point, given: weights[point] });
            }
        }
        Ok(Self::new(search, known, weights, weighting, report))
    }
}

named! { [P: Points, K, Y: Known, E, W] Neighbors<P, K, Y, E, W> = "neighbors", of Y; }

impl<P: Points, K, Y: Known, E, W> Neighbors<P, K, Y, E, W> {
    pub(super) fn new(
        search: Search<P, K>,
        known: Y::Kept,
        weights: Option<Vec<f64>>,
        weighting: W,
        report: Report,
    ) -> Self {
        let format = Format::default();
        Self { format, search, weighting, known, weights, report, reach: PhantomData }
    }

    /// The report of the fit, in which there is nothing to optimise.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The targets of the fitted points.
    pub fn targets(&self) -> &Y
    where
        Y: Known<Kept = Y>,
    {
        &self.known
    }
}

impl<P, K, Y, E, W> Neighbors<P, K, Y, E, W>
where
    P: Points,
    K: Kernel<P>,
    Y: Known,
    E: Reach,
    W: WeightFunction,
{
    /// The kernel.
    pub fn kernel(&self) -> &K {
        self.search.kernel()
    }

    /// The fitted points, without those of weight 0.
    pub fn points(&self) -> &P {
        self.search.points()
    }

    /// The search among the fitted points.
    pub fn search(&self) -> &Search<P, K> {
        &self.search
    }

    /// The meaning of the score of a neighbour.
    pub fn nearness(&self) -> Nearness {
        self.search.nearness()
    }

    /// The neighbours of each query among [`points`](Self::points), nearest first; an empty list if
    /// there are none.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries are not compatible with the fitted points, [`Error::Gram`] if
    /// a kernel value is not finite.
    ///
    /// # Complexity
    /// q·n kernel evaluations for q queries, or fewer with an index, in parallel over blocks of
    /// queries; memory for the neighbours found, q·k or at most q·n, plus one tile per thread.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.search.neighbors(queries)
    }

    /// The prediction for each query.
    ///
    /// # Errors
    /// [`Error::NeighborWeight`]; otherwise as [`neighbors`](Self::neighbors).
    pub fn predict(&self, queries: &P) -> Result<E::Answer<Y::One, Y::All>, Error> {
        let found = self.ask(queries, |near, weights| Y::answer(&self.known, near, weights))?;
        E::gather(found, |ones| Y::gather(&self.known, ones))
    }

    /// Applies `f` to the neighbours of each query, nearest first, and to their weights; `None`
    /// without a neighbour.
    fn ask<R: Send>(
        &self,
        queries: &P,
        f: impl Fn(&[usize], &[f64]) -> R + Send + Sync,
    ) -> Result<Vec<Option<R>>, Error> {
        let answers = self.search.map_nearest(queries, |row| {
            let (near, weights) = self.counted(&row)?;
            Ok((!near.is_empty()).then(|| f(&near, &weights)))
        })?;
        let mut all = Vec::with_capacity(answers.len());
        for (query, answer) in answers.into_iter().enumerate() {
            all.push(answer.map_err(|no: NoWeight| no.of(query))?);
        }
        Ok(all)
    }

    /// The indices of the neighbours, and their weights.
    fn counted(&self, row: &[Neighbor<P::Scalar>]) -> Result<(Vec<usize>, Vec<f64>), NoWeight> {
        let (nearness, of_points) = (self.search.nearness(), self.weights.as_deref());
        let weights = weight::weights(row, nearness, &self.weighting, of_points)?;
        Ok((row.iter().map(|neighbor| neighbor.index).collect(), weights))
    }
}

impl<P, K, L, E, W> Neighbors<P, K, Labels<L>, E, W>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
    E: Reach,
    W: WeightFunction,
{
    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.known.classes
    }

    /// The share of each class in the votes: queries × classes. A row sums to 1, or is 0 for a
    /// query without neighbours.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn predict_proba(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let votes = self.ask(queries, |near, weights| self.known.votes(near, weights))?;
        let mut shares = kern_gram::zeros(queries.len(), self.classes().len())?;
        for (i, votes) in votes.iter().enumerate() {
            let Some(votes) = votes else { continue };
            let total: f64 = votes.iter().sum();
            for (j, vote) in votes.iter().enumerate() {
                shares[(i, j)] = P::Scalar::from_f64(vote / total);
            }
        }
        Ok(shares)
    }

    /// The accuracy: the fraction of queries whose prediction equals the label. A query without
    /// neighbours counts as wrong.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Empty`]; as [`predict`](Self::predict).
    pub fn accuracy(&self, queries: &P, labels: &[L]) -> Result<f64, Error> {
        check_length("labels", queries.len(), labels.len())?;
        let answer = |near: &[usize], weights: &[f64]| Labels::answer(&self.known, near, weights);
        let predicted = self.ask(queries, answer)?;
        let hits = predicted.iter().zip(labels).filter(|(p, l)| p.as_ref() == Some(*l)).count();
        Ok(hits as f64 / labels.len() as f64)
    }
}

impl<P, K, E, W> Neighbors<P, K, LabelSets, E, W>
where
    P: Points,
    K: Kernel<P>,
    E: Reach,
    W: WeightFunction,
{
    /// The fraction of the votes for each label, in \[0, 1\]: a matrix of queries × labels, or with
    /// the reach [`Within`] an optional row for each query.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    #[expect(clippy::type_complexity, reason = "a matrix, or rows that may be none")]
    pub fn vote_fractions(
        &self,
        queries: &P,
    ) -> Result<E::Answer<Vec<P::Scalar>, Mat<P::Scalar>>, Error> {
        let found = self.ask(queries, |near, weights| {
            let votes = label_votes(&self.known, near, weights);
            votes.map(|[no, yes]| P::Scalar::from_f64(yes / (yes + no))).collect()
        })?;
        E::gather(found, |shares: Vec<Vec<_>>| rows(&shares, label_count(&self.known)))
    }
}

impl<P, K, Y, E, W> Model<P> for Neighbors<P, K, Y, E, W>
where
    P: Points,
    K: Kernel<P>,
    Y: Known,
    E: Reach,
    W: WeightFunction,
{
    type Answer = E::Answer<Y::One, Y::All>;

    fn predict(&self, points: &P) -> Result<Self::Answer, Error> {
        self.predict(points)
    }

    fn report(&self) -> &Report {
        self.report()
    }
}

impl<P: Points, K, L: Label, E, W> Classes for Neighbors<P, K, Labels<L>, E, W> {
    type Label = L;

    fn classes(&self) -> &[L] {
        &self.known.classes
    }
}

/// For the reach [`Nearest`] only: without neighbours there are no probabilities.
impl<P, K, L, W> Probabilities<P> for Neighbors<P, K, Labels<L>, Nearest, W>
where
    P: Points,
    K: Kernel<P>,
    L: Label,
    W: WeightFunction,
{
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.predict_proba(points)
    }
}

/// The reach of the k nearest points: every query has a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest;

/// The reach of a threshold: a query may have no neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within;

/// The reach of neighbours: [`Nearest`] or [`Within`]. Sealed.
///
/// # Examples
/// ```
/// use kern_solvers::knn::{Nearest, Reach, Within};
/// let all: <Nearest as Reach>::Answer<bool, Vec<bool>> = vec![true];
/// let some: <Within as Reach>::Answer<bool, Vec<bool>> = vec![Some(true), None];
/// assert_eq!(some[0], Some(all[0]));
/// ```
pub trait Reach: sealed::Sealed + Copy + Send + Sync {
    /// The predictions for some queries: all of them in one value, or an optional one for each.
    type Answer<One, All>;

    #[doc(hidden)]
    fn admits(extent: Extent) -> Result<(), Error>;

    #[doc(hidden)]
    fn gather<One, All>(
        found: Vec<Option<One>>,
        gather: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<Self::Answer<One, All>, Error>;
}

impl Reach for Nearest {
    type Answer<One, All> = All;

    fn admits(extent: Extent) -> Result<(), Error> {
        match extent {
            Extent::Neighbors(_) => Ok(()),
            Extent::Threshold(_) => {
                Err(Error::Reach { expected: "so many nearest ones", given: "all in a threshold" })
            }
        }
    }

    fn gather<One, All>(
        found: Vec<Option<One>>,
        gather: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<All, Error> {
        gather(found.into_iter().flatten().collect())
    }
}

impl Reach for Within {
    type Answer<One, All> = Vec<Option<One>>;

    fn admits(extent: Extent) -> Result<(), Error> {
        match extent {
            Extent::Threshold(_) => Ok(()),
            Extent::Neighbors(_) => {
                Err(Error::Reach { expected: "all in a threshold", given: "so many nearest ones" })
            }
        }
    }

    fn gather<One, All>(
        found: Vec<Option<One>>,
        _: impl FnOnce(Vec<One>) -> Result<All, Error>,
    ) -> Result<Vec<Option<One>>, Error> {
        Ok(found)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Nearest {}
    impl Sealed for super::Within {}
}
