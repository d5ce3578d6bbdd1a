//! A comparison of feature maps: random features and landmarks at equal cost, by the errors of kernel values and of what is
//! learned with them, on real sets.
//!
//! [`sets`] reads the sets, [`ways`] makes the maps, [`trial`] measures one, and [`page`] makes a page of the records.

pub mod page;
pub mod sets;
pub mod trial;
pub mod ways;

use serde::{Deserialize, Serialize};

/// One map on one set: its cost and its errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the set.
    pub set: String,
    /// The seed of the map.
    pub seed: u64,
    /// The name of the way to make it.
    pub way: String,
    /// Training points.
    pub n: usize,
    /// Features of points.
    pub d: usize,
    /// Features of the map.
    pub dim: usize,
    /// The time to make the map.
    pub map_seconds: f64,
    /// The time for the features of all training points, their normal equations and one solution.
    pub fit_seconds: f64,
    /// ‖K − ZZᵀ‖_F/‖K‖_F over test points.
    pub kernel_error: f64,
    /// The root mean square error in standard deviations of the targets, or the share of wrong classes, on test points.
    pub test_error: f64,
    /// The λ of the least error on points that were left out.
    pub lambda: f64,
}

impl Record {
    /// All that a user waits for.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.map_seconds + self.fit_seconds
    }

    /// True if it is of this set, way, size and seed.
    #[must_use]
    pub fn is_of(&self, (set, way): (&str, &str), (dim, seed): (usize, u64)) -> bool {
        (self.set.as_str(), self.way.as_str(), self.dim, self.seed) == (set, way, dim, seed)
    }
}
