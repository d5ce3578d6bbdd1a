//! The time of a pass over a column of a matrix, by the size of the matrix.

use super::Affine;
use serde::{Deserialize, Serialize};

/// Sizes in bytes of the matrices whose columns are timed: from the first-level cache to main memory.
pub const WORKING_SETS: [u64; 5] = [1 << 15, 1 << 19, 1 << 22, 1 << 24, 1 << 27];

/// Seconds of an operation on a column, at a random position of a matrix of each size of
/// [`WORKING_SETS`], as a constant plus a rate per number.
///
/// # Examples
/// ```
/// use kern_approx::machine::{Access, Affine};
/// let at = |seconds| Affine { constant: 0.0, rate: seconds };
/// let access = Access([at(1.0), at(1.0), at(1.0), at(2.0), at(5.0)]);
/// assert_eq!(access.seconds(1 << 10, 10.0), 10.0);
/// let half_way = access.seconds(1 << 23, 10.0); // between 2²² and 2²⁴ bytes
/// assert!((half_way - 15.0).abs() < 1e-12);
/// assert_eq!(access.seconds(1 << 40, 10.0), 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access(pub [Affine; WORKING_SETS.len()]);

impl Access {
    /// Seconds per number of a matrix in main memory.
    #[must_use]
    pub fn in_memory(&self) -> f64 {
        self.0[WORKING_SETS.len() - 1].rate
    }

    /// Seconds for a column of so many numbers of a matrix of `bytes`: linear in log(bytes) between the
    /// sizes that were timed, constant beyond them.
    #[must_use]
    pub fn seconds(&self, bytes: u64, numbers: f64) -> f64 {
        let at = |k: usize| self.0[k].at(numbers);
        let above = WORKING_SETS.partition_point(|&size| size <= bytes);
        if above == 0 {
            return at(0);
        }
        if above == WORKING_SETS.len() {
            return at(above - 1);
        }
        let log = |bytes: u64| (bytes as f64).ln();
        let (low, high) = (log(WORKING_SETS[above - 1]), log(WORKING_SETS[above]));
        let share = (log(bytes) - low) / (high - low);
        at(above - 1) + share * (at(above) - at(above - 1))
    }
}
