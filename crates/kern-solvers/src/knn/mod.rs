//! k nearest neighbours in the feature space of a kernel: classification and regression by
//! similarity or by distance.
//!
//! # Definition
//! Of n points xᵢ, the k nearest to a query x are
//!
//! - **by similarity** ([`KNearest::by_similarity`]) those of largest K(x, xᵢ), for any kernel;
//! - **by distance** ([`KNearest::by_distance`]) those of smallest RKHS distance
//!   d(x, xᵢ)² = ‖φ(x) − φ(xᵢ)‖² = K(x, x) + K(xᵢ, xᵢ) − 2K(x, xᵢ), for a Mercer kernel.
//!
//! If K(x, x) is constant, both find the same neighbours. Otherwise similarity prefers points of
//! large norm: with the linear kernel on R, the query 1 is more similar to 3 than to itself. With a
//! kernel that decreases in ‖x − y‖, such as the RBF, both are Euclidean nearest neighbours.
//!
//! Instead of the k nearest, the neighbours may be all points within a threshold
//! ([`RadiusNeighbors`]): those with K(x, xᵢ) ≥ t, or d(x, xᵢ) ≤ r. A query may have none, and then
//! has no prediction.
//!
//! Neighbours vote on labels, and values are averaged; both may be weighted ([`Weighting`], or any
//! [`WeightFunction`]). Of several targets or labels per point, each is predicted by itself
//! ([`Neighbors`]). A training point that is queried is its own neighbour. There is nothing to
//! optimise, so the fit has nothing to report.
//!
//! By default a query is compared with all points. A tree ([`VantageTree`]) finds the same
//! neighbours by distance with fewer comparisons where the data has a low intrinsic dimension, and
//! hashes ([`KernelHashes`]) find most of them among many points; [`Search`] counts comparisons and
//! measures recall.
//!
//! **Ties.** Of equally near points (see [`Neighbor`]), the one with the smaller index is the
//! nearer one; with equal votes, the class that is first in the order of the labels wins.
//!
//! # References
//! Cover & Hart (1967), *Nearest Neighbor Pattern Classification*; Dudani (1976), *The
//! Distance-Weighted k-Nearest-Neighbor Rule*; Yu, Ji & Zhang (2002), *Kernel Nearest-Neighbor
//! Algorithm*.

mod brute_force_scan;
mod low_precision;
mod nearest_neighbours;
mod neighbour_search;
mod neighbours;
mod radius_neighbours;
mod random_hyperplane_hashes;
mod ranking_keys;
mod rkhs_distance;
mod top_k;
mod vantage_point_tree;
mod vote_of_neighbours;
mod weight;

pub use nearest_neighbours::{Distance, KNearest, Ranking, Similarity};
pub use neighbour_search::{Search, SearchAlgorithm};
pub use neighbours::{Nearest, Neighbors, Reach, Within};
pub use radius_neighbours::RadiusNeighbors;
pub use random_hyperplane_hashes::KernelHashes;
pub use rkhs_distance::{Nearness, Neighbor};
pub use vantage_point_tree::VantageTree;
pub use vote_of_neighbours::Known;
pub use weight::{WeightFunction, Weighting};
