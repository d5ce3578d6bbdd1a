//! The search for neighbours: all queries against all points, tile by tile, with the best k so far;
//! or by an index.
//!
//! Each query has a heap of its best k points so far, and the key of the worst of them as its
//! limit. A tile has queries as rows and points as columns. A column is compared with the limits of
//! all queries at once, in contiguous memory, and heaps are accessed only where a limit is
//! exceeded: in random order, by point number i for k/i of the queries. A threshold is a limit with
//! an unbounded k.
//!
//! **Key.** The larger the key, the nearer the point: the key is K(x, xᵢ) − hᵢ, with hᵢ = 0 by
//! similarity and hᵢ = (K(xᵢ, xᵢ) − c)/2, c = minⱼ K(xⱼ, xⱼ), by distance. So d² = K(x, x) + c −
//! 2·key: the order is that of −d², but finer, because no digits are lost in a sum with K(x, x).
//! Where K(x, x) is constant, h = 0 and both rankings are the same to the bit.
//!
//! **Without kernel values.** Where the kernel has an order ([`Kernel::search_order`]) and h = 0,
//! the keys are those of the order, such as −‖x − xᵢ‖² for the RBF, and kernel values are computed
//! only for the points found. A threshold is converted to a key by bisection, slightly too low, and
//! the points that it admits are checked.
//!
//! **Far from the origin.** Where the kernel has distances from the differences of points
//! ([`Kernel::differences`]), these are compared instead of its values.
//!
//! **Low precision first.** Where keys are inner products or Euclidean distances, many queries are
//! first compared with all points in 16-bit integers or in single precision. Only the candidates
//! that may be near are compared in the precision of the points (`low_precision`).

use super::brute_force_scan::Scan;
use super::random_hyperplane_hashes::{Hashes, KernelHashes};
use super::rkhs_distance::{AnyKernel, Nearness, Neighbor, Norms};
use super::vantage_point_tree::{Tree, VantageTree};
use crate::Error;
use kern_core::parameters::{Domain, Field, Slot};
use kern_core::{Kernel, Named, Points, compiled_once};
use kern_gram::parallel::Results;
use kern_gram::{MemoryBudget, matrix_bytes};
use serde::{Deserialize, Serialize};

/// The search algorithm, an argument of [`KNearest::search`](super::KNearest::search).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::{KNearest, SearchAlgorithm, VantageTree};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let params = KNearest::by_distance(Rbf::new(0.1)?).neighbors(1);
/// let tree = params.clone().search(VantageTree::new()).fit(&x, &[1.0, 2.0, 3.0])?;
/// let brute = params.search(SearchAlgorithm::Brute).fit(&x, &[1.0, 2.0, 3.0])?;
/// let query = Samples::from_rows(&[[1.2]])?;
/// assert_eq!(tree.neighbors(&query)?, brute.neighbors(&query)?);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchAlgorithm {
    /// Brute force, which compares the query with all points: exact, for every kernel, and the
    /// fastest for data of high intrinsic dimension. The default.
    #[default]
    Brute,
    /// A metric tree, which skips points that are too far: exact, for data of low intrinsic
    /// dimension.
    Tree(VantageTree),
    /// Hashes: only points that share a hash code with the query are compared. Approximate, for
    /// many points.
    Hashes(KernelHashes),
}

impl From<KernelHashes> for SearchAlgorithm {
    fn from(hashes: KernelHashes) -> Self {
        Self::Hashes(hashes)
    }
}

impl From<VantageTree> for SearchAlgorithm {
    fn from(tree: VantageTree) -> Self {
        Self::Tree(tree)
    }
}

/// The parameters of the index.
impl Field for SearchAlgorithm {
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>> {
        match self {
            Self::Brute => Vec::new(),
            Self::Tree(tree) => tree.slots(name, domain),
            Self::Hashes(hashes) => hashes.slots(name, domain),
        }
    }
}

impl SearchAlgorithm {
    /// Checks the parameters, and that the algorithm supports the ranking.
    fn check(self, nearness: Nearness) -> Result<(), Error> {
        if nearness == Nearness::Similarity && self != Self::Brute {
            return Err(Error::NoMetric);
        }
        match self {
            Self::Brute => Ok(()),
            Self::Tree(tree) => tree.check(),
            Self::Hashes(hashes) => hashes.check(),
        }
    }
}

/// The extent of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Extent {
    /// The k nearest points.
    Neighbors(usize),
    /// All points of at least this similarity, or at most this distance.
    Threshold(f64),
}

impl Extent {
    fn check(self, n: usize, nearness: Nearness) -> Result<(), Error> {
        match self {
            Self::Neighbors(k) if k == 0 || k > n => {
                let allowed = "at least 1 and at most the number of points";
                Err(Error::Count { name: "neighbors", given: k, allowed })
            }
            Self::Threshold(t) if nearness == Nearness::Distance => {
                kern_core::NonNegative::new("radius", t)?;
                Ok(())
            }
            Self::Threshold(t) => {
                kern_core::Finite::new("threshold", t)?;
                Ok(())
            }
            Self::Neighbors(_) => Ok(()),
        }
    }
}

/// The fitted points and their index, ready to be searched.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Nearness, SearchAlgorithm};
/// let x = Samples::from_rows(&[[0.0], [3.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(2).fit(&x, &[0.0, 1.0, 2.0])?;
/// assert_eq!(model.search().nearness(), Nearness::Distance);
/// assert_eq!(model.search().algorithm(), SearchAlgorithm::Brute);
/// assert_eq!(model.search().evaluations(&x)?, [3, 3, 3]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Stored<P, K>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize",
        deserialize = "P: Points + Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"
    )
)]
pub struct Search<P: Points, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    reach: Extent,
    nearness: Nearness,
    by: SearchAlgorithm,
    /// Derived from the fields above, like the index.
    #[serde(skip)]
    norms: Norms<P::Scalar>,
    #[serde(skip)]
    index: Index<P>,
}

/// The index of the points, as [`SearchAlgorithm`] selects it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Index<P: Points> {
    None,
    Tree(Tree<P>),
    Hashes(Hashes<P>),
}

/// The form in a file. Everything else is derived and checked on reading.
#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>, K: Named + Deserialize<'de>")]
struct Stored<P, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    reach: Extent,
    nearness: Nearness,
    by: SearchAlgorithm,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for Search<P, K> {
    type Error = Error;

    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, reach, nearness, by } = stored;
        let settings = SearchSettings { extent: reach, nearness, by };
        let (norms, index) = prepare(settings, &kernel, &points, &MemoryBudget::available())?;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }
}

/// The specification of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchSettings {
    pub(super) extent: Extent,
    pub(super) nearness: Nearness,
    pub(super) by: SearchAlgorithm,
}

/// Checks everything that does not depend on a query, and builds the norms and the index.
#[compiled_once]
fn prepare<P: Points>(
    settings: SearchSettings,
    kernel: &dyn Kernel<P>,
    points: &P,
    budget: &MemoryBudget,
) -> Result<(Norms<P::Scalar>, Index<P>), Error> {
    let n = points.len();
    if n == 0 {
        return Err(Error::Empty);
    }
    settings.extent.check(n, settings.nearness)?;
    settings.by.check(settings.nearness)?;
    kernel.check(points)?;
    let needed = settings.bytes(points);
    let instead = "SearchAlgorithm::Brute needs a copy of the points only";
    budget.require("the fitted points and their index", needed, instead)?;
    let left = MemoryBudget::bytes(budget.as_bytes() - needed);
    let compared = settings.nearness.compared(kernel);
    let norms = match settings.nearness {
        Nearness::Similarity => Norms::none(n),
        Nearness::Distance => Norms::new(compared.kernel(), points)?,
    };
    let index = match settings.by {
        SearchAlgorithm::Brute => Index::None,
        SearchAlgorithm::Tree(tree) => {
            Index::Tree(Tree::new(compared.kernel(), points, &norms, tree)?)
        }
        SearchAlgorithm::Hashes(by) => Index::Hashes(Hashes::new(&kernel, points, by, &left)?),
    };
    Ok((norms, index))
}

impl SearchSettings {
    /// Memory in bytes: a copy of the points, and the index except for the landmarks of hashes.
    fn bytes<P: Points>(self, points: &P) -> u64 {
        let n = points.len();
        let index = match self.by {
            SearchAlgorithm::Brute => 0,
            // Two copies in level order, four values per point, and the nodes, which are fewer.
            SearchAlgorithm::Tree(_) => {
                matrix_bytes::<u64>(n, 8).saturating_add(points.bytes().saturating_mul(2))
            }
            SearchAlgorithm::Hashes(hashes) => hashes.bytes(n),
        };
        points.bytes().saturating_add(index)
    }
}

impl<P: Points, K: Kernel<P>> Search<P, K> {
    /// Builds the search among these points, and stores a copy of them.
    pub(super) fn of(
        kernel: K,
        points: &P,
        settings: SearchSettings,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let (norms, index) = prepare(settings, &kernel, points, budget)?;
        let points = points.keep(&Vec::from_iter(0..points.len()))?;
        let SearchSettings { extent: reach, nearness, by } = settings;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }

    /// The extent of the search.
    pub(super) const fn extent(&self) -> Extent {
        self.reach
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The fitted points.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The meaning of the score of a neighbour.
    pub fn nearness(&self) -> Nearness {
        self.nearness
    }

    /// The search algorithm.
    pub fn algorithm(&self) -> SearchAlgorithm {
        self.by
    }

    /// The neighbours of each query, nearest first.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries are not compatible with the fitted points, [`Error::Gram`] if
    /// a kernel value is not finite.
    ///
    /// # Complexity
    /// The kernel evaluations that [`evaluations`](Search::evaluations) counts, in parallel over
    /// blocks of queries; memory for the neighbours found, plus one tile per thread. Many queries
    /// are first searched in low precision, which takes a half or a quarter of the time of
    /// products, and temporarily up to three quarters of the memory of points and queries, if that
    /// is free.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.map_nearest(queries, |row| row)
    }

    /// The number of points that each query is compared with, including vantage points for a tree
    /// and landmarks for hashes; n without an index.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// As [`neighbors`](Search::neighbors).
    pub fn evaluations(&self, queries: &P) -> Result<Vec<usize>, Error> {
        self.map_found(&self.index, queries, |_, evaluations| evaluations)
    }

    /// The recall@k: the fraction of the exact neighbours of the queries that the search finds. 1
    /// if there are no neighbours.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// A brute-force search, and one by the index.
    pub fn recall(&self, queries: &P) -> Result<f64, Error> {
        let indices = |row: Vec<Neighbor<_>>, _| -> Vec<usize> {
            row.into_iter().map(|neighbor| neighbor.index).collect()
        };
        let exact = self.map_found(&Index::None, queries, indices)?;
        let found = self.map_found(&self.index, queries, indices)?;
        let hits = exact
            .iter()
            .zip(&found)
            .map(|(exact, found)| exact.iter().filter(|&index| found.contains(index)).count());
        let (hits, all): (usize, usize) = (hits.sum(), exact.iter().map(Vec::len).sum());
        Ok(if all == 0 { 1.0 } else { hits as f64 / all as f64 })
    }

    /// Compares the queries with all points; an error if a value or a distance is not finite.
    pub(super) fn compare_all(&self, queries: &P) -> Result<(), Error> {
        self.map_found(&Index::None, queries, |_, _| ())?;
        Ok(())
    }

    /// The point with the largest K(x, x); by similarity, which does not use these, the first
    /// point.
    pub(super) fn farthest_from_the_origin(&self) -> Option<usize> {
        self.norms.index_of_largest()
    }

    /// Applies `f` to the neighbours of each query, nearest first.
    pub(super) fn map_nearest<R: Send>(
        &self,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        self.map_found(&self.index, queries, |row, _| f(row))
    }

    /// Applies `f` to the neighbours of each query, and to the number of points that it was
    /// compared with.
    fn map_found<R: Send>(
        &self,
        index: &Index<P>,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>, usize) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        let results = Results::new(queries.len());
        let compared = self.nearness.compared(&self.kernel);
        self.scan(compared.kernel()).each_found(index, queries, &|query, row, evaluations| {
            results.put(query, f(row, evaluations));
        })?;
        Ok(results.into_vec())
    }

    /// The scan that executes the search.
    fn scan<'s>(&'s self, kernel: &'s AnyKernel<'s, P>) -> Scan<'s, P> {
        let Self { kernel: checked, points, reach, nearness, norms, .. } = self;
        Scan { checked, kernel, points, reach: *reach, nearness: *nearness, norms }
    }
}
