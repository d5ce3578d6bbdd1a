//! k nearest neighbours in the feature space of a kernel: votes and means, by similarity or by
//! distance.
//!
//! # Definition
//! Of n points xᵢ the k nearest ones to a query x are
//!
//! - **by similarity** ([`KNearest::by_similarity`]) those of largest K(x, xᵢ), for any kernel;
//! - **by distance** ([`KNearest::by_distance`]) those of smallest RKHS distance
//!   d(x, xᵢ)² = ‖φ(x) − φ(xᵢ)‖² = K(x, x) + K(xᵢ, xᵢ) − 2K(x, xᵢ), for a Mercer kernel.
//!
//! If K(x, x) is constant, both find the same neighbours. Else similarity prefers points of large
//! norm: with the linear kernel on R, the query 1 is more similar to 3 than to itself. With a kernel
//! that decreases in ‖x − y‖, such as the RBF, both are Euclidean nearest neighbours.
//!
//! In the place of the k nearest, all points within a threshold may be the neighbours
//! ([`RadiusNeighbors`]): those with K(x, xᵢ) ≥ t, or d(x, xᵢ) ≤ r. There may be none, and then there
//! is no answer.
//!
//! Of labels the votes are counted, of numbers the mean is taken, both weighted if asked to
//! ([`Weighting`], or any [`WeightFunction`]); of several targets or labels per point, of each by itself ([`Neighbors`]).
//! A point that was fitted is its own neighbour when it is asked about.
//! There is nothing to optimise, hence nothing to report of the fit.
//!
//! By default all points are compared with a query. A tree ([`VantageTree`]) finds the same neighbours by distance with
//! fewer comparisons where the data has a low intrinsic dimension, and hashes ([`KernelHashes`]) find most of them among many
//! points; [`Search`] counts comparisons and measures recall.
//!
//! **Ties.** Of equally near points ([`Neighbor`] says what that is) the one with the smaller index
//! is the nearer one; of equal votes the class that is first in the order of the labels wins.
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
pub use neighbour_search::{Search, SearchBy};
pub use neighbours::{Nearest, Neighbors, Reach, Within};
pub use radius_neighbours::RadiusNeighbors;
pub use random_hyperplane_hashes::KernelHashes;
pub use rkhs_distance::{Nearness, Neighbor};
pub use vantage_point_tree::VantageTree;
pub use vote_of_neighbours::Known;
pub use weight::{WeightFunction, Weighting};
