//! The search for neighbours: all queries against all points, tile by tile, with a running best k;
//! or by way of an index.
//!
//! Each query keeps its best k so far in a heap, and the key of the worst of them as its limit. A
//! tile has queries as rows and points as columns. A column is compared with the limits of all
//! queries at once, in contiguous memory, and heaps are touched only where a limit is exceeded: for
//! point i of random order that is k/i of the queries. All points within a threshold are a k
//! without bound, and a limit.
//!
//! **Key.** The greater, the nearer: K(x, xᵢ) − hᵢ, with hᵢ = 0 by similarity and
//! hᵢ = (K(xᵢ, xᵢ) − c)/2, c = minⱼ K(xⱼ, xⱼ), by distance. So d² = K(x, x) + c − 2·key: the order
//! is that of −d², but finer, because digits are not lost to a sum with K(x, x). Where K(x, x) is
//! constant, h = 0 and both rankings are the same to the bit.
//!
//! **Without values.** Where the kernel has an order ([`Kernel::order`]), and h = 0, the keys are
//! those of the order, such as −‖x − xᵢ‖² for the RBF, and values are computed for what is found. A
//! threshold is translated to a key by bisection, a little too far, and what it lets in is
//! measured.
//!
//! **Far from the origin.** Where the kernel has distances from the differences of points
//! ([`Kernel::differences`]), these are compared in its place.
//!
//! **Less precision first.** Where keys are inner products or Euclidean distances, many queries are
//! compared with all points in integers of 16 bits or in single precision, and only with what may
//! be near in the precision of the points (`low_precision`).

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

/// A way to find the nearest points: [`KNearest::search`](super::KNearest::search) takes one.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::knn::{KNearest, SearchBy, VantageTree};
/// let x = Samples::from_rows(&[[0.0], [1.0], [5.0]])?;
/// let params = KNearest::by_distance(Rbf::new(0.1)?).neighbors(1);
/// let tree = params.clone().search(VantageTree::new()).fit(&x, &[1.0, 2.0, 3.0])?;
/// let brute = params.search(SearchBy::Brute).fit(&x, &[1.0, 2.0, 3.0])?;
/// let query = Samples::from_rows(&[[1.2]])?;
/// assert_eq!(tree.neighbors(&query)?, brute.neighbors(&query)?);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchBy {
    /// All points are compared with the query: exact, for every kernel, and the fastest way where the data fills many
    /// dimensions. The default.
    #[default]
    Brute,
    /// A metric tree leaves out what is too far: exact, for data of low intrinsic dimension.
    Tree(VantageTree),
    /// Only points that share a hash code with the query are compared: approximate, for many points.
    Hashes(KernelHashes),
}

impl From<KernelHashes> for SearchBy {
    fn from(hashes: KernelHashes) -> Self {
        Self::Hashes(hashes)
    }
}

impl From<VantageTree> for SearchBy {
    fn from(tree: VantageTree) -> Self {
        Self::Tree(tree)
    }
}

/// The parameters of the index.
impl Field for SearchBy {
    fn slots(&mut self, name: &'static str, domain: Option<&'static Domain>) -> Vec<Slot<'_>> {
        match self {
            Self::Brute => Vec::new(),
            Self::Tree(tree) => tree.slots(name, domain),
            Self::Hashes(hashes) => hashes.slots(name, domain),
        }
    }
}

impl SearchBy {
    /// Tells whether the parameters are valid, and this is a way to find what is near.
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

/// The points that are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// So many nearest ones.
    Neighbors(usize),
    /// All of at least this similarity, or at most this distance.
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

/// The fitted points, ready to be searched.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::knn::{KNearest, Nearness, SearchBy};
/// let x = Samples::from_rows(&[[0.0], [3.0], [4.0]])?;
/// let model = KNearest::by_distance(Linear).neighbors(2).fit(&x, &[0.0, 1.0, 2.0])?;
/// assert_eq!((model.search().nearness(), model.search().by()), (Nearness::Distance, SearchBy::Brute));
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
    by: SearchBy,
    /// Derived from the above, as the index is.
    #[serde(skip)]
    norms: Norms<P::Scalar>,
    #[serde(skip)]
    index: Index<P>,
}

/// The index that [`SearchBy`] made of the points.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Index<P: Points> {
    None,
    Tree(Tree<P>),
    Hashes(Hashes<P>),
}

/// The form in a file. All else is derived and checked on reading.
#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>, K: Named + Deserialize<'de>")]
struct Stored<P, K> {
    #[serde(with = "kern_core::named")]
    kernel: K,
    points: P,
    reach: Extent,
    nearness: Nearness,
    by: SearchBy,
}

impl<P: Points, K: Kernel<P>> TryFrom<Stored<P, K>> for Search<P, K> {
    type Error = Error;

    fn try_from(stored: Stored<P, K>) -> Result<Self, Error> {
        let Stored { kernel, points, reach, nearness, by } = stored;
        let way = Way { extent: reach, nearness, by };
        let (norms, index) = prepare(way, &kernel, &points, &MemoryBudget::available())?;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }
}

/// A search as it is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) extent: Extent,
    pub(super) nearness: Nearness,
    pub(super) by: SearchBy,
}

/// Checks everything that does not depend on a query; makes the norms and the index.
#[compiled_once]
fn prepare<P: Points>(
    way: Way,
    kernel: &dyn Kernel<P>,
    points: &P,
    budget: &MemoryBudget,
) -> Result<(Norms<P::Scalar>, Index<P>), Error> {
    let n = points.len();
    if n == 0 {
        return Err(Error::Empty);
    }
    way.extent.check(n, way.nearness)?;
    way.by.check(way.nearness)?;
    kernel.check(points)?;
    let needed = way.bytes(points);
    let instead = "SearchBy::Brute needs a copy of the points only";
    budget.require("the fitted points and their index", needed, instead)?;
    let left = MemoryBudget::bytes(budget.as_bytes() - needed);
    let compared = way.nearness.compared(kernel);
    let norms = match way.nearness {
        Nearness::Similarity => Norms::none(n),
        Nearness::Distance => Norms::new(compared.kernel(), points)?,
    };
    let index = match way.by {
        SearchBy::Brute => Index::None,
        SearchBy::Tree(tree) => Index::Tree(Tree::new(compared.kernel(), points, &norms, tree)?),
        SearchBy::Hashes(by) => Index::Hashes(Hashes::new(&kernel, points, by, &left)?),
    };
    Ok((norms, index))
}

impl Way {
    /// A copy of the points, and what the index takes but for the landmarks of hashes.
    fn bytes<P: Points>(self, points: &P) -> u64 {
        let n = points.len();
        let index = match self.by {
            SearchBy::Brute => 0,
            // Two copies in the order of levels, four numbers of a point, and nodes, of which there are fewer.
            SearchBy::Tree(_) => {
                matrix_bytes::<u64>(n, 8).saturating_add(points.bytes().saturating_mul(2))
            }
            SearchBy::Hashes(hashes) => hashes.bytes(n),
        };
        points.bytes().saturating_add(index)
    }
}

impl<P: Points, K: Kernel<P>> Search<P, K> {
    /// The search among these points, of which it keeps a copy.
    pub(super) fn of(
        kernel: K,
        points: &P,
        way: Way,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let (norms, index) = prepare(way, &kernel, points, budget)?;
        let points = points.keep(&Vec::from_iter(0..points.len()))?;
        let Way { extent: reach, nearness, by } = way;
        Ok(Self { kernel, points, reach, nearness, by, norms, index })
    }

    /// The points that are neighbours.
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

    /// The way in which neighbours are found.
    pub fn by(&self) -> SearchBy {
        self.by
    }

    /// The neighbours of each query, nearest first.
    ///
    /// # Errors
    /// [`Error::Core`] if the queries do not fit the points of the fit, [`Error::Gram`] if a kernel
    /// value is not finite.
    ///
    /// # Complexity
    /// As many kernel evaluations as [`evaluations`](Search::evaluations) counts, in parallel over blocks of
    /// queries; memory for the neighbours that are found, plus one tile per thread. The k nearest of many queries are looked for in less
    /// precision first, which takes a half or a quarter of the time of products, and meanwhile up to three quarters of the memory of
    /// points and queries if that is free.
    pub fn neighbors(&self, queries: &P) -> Result<Vec<Vec<Neighbor<P::Scalar>>>, Error> {
        self.map_nearest(queries, |row| row)
    }

    /// With how many points each query is compared until its neighbours are found: by a tree, vantage points
    /// included, by hashes landmarks; n without an index.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// As [`neighbors`](Search::neighbors).
    pub fn evaluations(&self, queries: &P) -> Result<Vec<usize>, Error> {
        self.map_found(&self.index, queries, |_, evaluations| evaluations)
    }

    /// The share of the neighbours of the queries, as a search of all points finds them, that is found: recall@k. 1
    /// if there are none.
    ///
    /// # Errors
    /// As [`neighbors`](Search::neighbors).
    ///
    /// # Complexity
    /// A search of all points, and one by the index.
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

    /// The point of the greatest K(x, x); the first by similarity, which does not ask for these.
    pub(super) fn farthest_from_the_origin(&self) -> Option<usize> {
        self.norms.index_of_greatest()
    }

    /// `f` of the neighbours of each query, nearest first.
    pub(super) fn map_nearest<R: Send>(
        &self,
        queries: &P,
        f: impl Fn(Vec<Neighbor<P::Scalar>>) -> R + Send + Sync,
    ) -> Result<Vec<R>, Error> {
        self.map_found(&self.index, queries, |row, _| f(row))
    }

    /// `f` of the neighbours of each query, and of the number of points that it was compared with.
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

    /// The loops of the search.
    fn scan<'s>(&'s self, kernel: &'s AnyKernel<'s, P>) -> Scan<'s, P> {
        let Self { kernel: checked, points, reach, nearness, norms, .. } = self;
        Scan { checked, kernel, points, reach: *reach, nearness: *nearness, norms }
    }
}
