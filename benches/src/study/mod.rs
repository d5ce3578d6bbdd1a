//! A study of accuracy: learned kernels beside fixed ones and peers, on real sets, everything tuned on the training points.
//!
//! [`sets`] draws training and test points, [`own`] has the ways of the library, [`peer`] those of others in Python, and
//! [`page`] makes a page of the records. A way sees the training points alone; what it predicts for the others is judged here.

pub mod own;
pub mod page;
pub mod peer;
pub mod sets;

use serde::{Deserialize, Serialize};

/// One way on one draw of one set: its error, its time and its choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the set.
    pub set: String,
    /// The seed of the draw.
    pub seed: u64,
    /// The name of the way.
    pub way: String,
    /// Training points.
    pub n: usize,
    /// Test points.
    pub tests: usize,
    /// Features.
    pub d: usize,
    /// The root mean square error on the test points, in standard deviations of the training targets.
    pub rmse: f64,
    /// The time for the choice of all parameters, the fit and the predictions.
    pub seconds: f64,
    /// The choice, in words.
    pub chosen: String,
}

impl Record {
    /// True if it is of this draw and this way.
    #[must_use]
    pub fn is_of(&self, set: &str, seed: u64, way: &str) -> bool {
        (self.set.as_str(), self.seed, self.way.as_str()) == (set, seed, way)
    }
}
