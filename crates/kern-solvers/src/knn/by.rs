//! The ways of searching: their parameters.

use super::random_hyperplane_hashes::KernelHashes;
use super::rkhs_distance::Nearness;
use super::vantage_point_tree::VantageTree;
use crate::Error;
use kern_core::parameters::{Domain, Field, Slot};
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
    pub(super) fn check(self, nearness: Nearness) -> Result<(), Error> {
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
