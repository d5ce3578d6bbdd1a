//! The details of a recursive feature machine's report.

use super::Details;
use serde::{Deserialize, Serialize};

/// The rounds of a recursive feature machine, leaf by leaf.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Details, feature_machine::FeatureMachine};
/// let x = Samples::from_row_major(1, (0..20).map(f64::from).collect())?;
/// let y: Vec<f64> = (0..20).map(|i| (f64::from(i) / 3.0).sin()).collect();
/// let model = FeatureMachine::on_kernel(Rbf::new(0.1)?).rounds(2).fit(&x, &y)?;
/// let Details::FeatureMachine(details) = &model.report().details else { unreachable!() };
/// let leaf = &details.leaves[0];
/// // None, two of a full matrix, and two of a diagonal.
/// assert_eq!((leaf.points, leaf.rounds.len()), (20, 5));
/// assert!(leaf.rounds.iter().all(|round| round.judged >= leaf.rounds[leaf.chosen].judged));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureMachineDetails {
    /// The leaves; one, unless the points were halved.
    pub leaves: Vec<LeafRounds>,
}

/// The rounds of a leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafRounds {
    /// The number of points of positive weight.
    pub points: usize,
    /// The rounds, kernel by kernel, of which the first is that of M = I; those of diagonals after those of full matrices.
    pub rounds: Vec<FeatureRound>,
    /// The index of the best round; the function is that of it, unless rounds are stacked.
    pub chosen: usize,
}

/// A round: what was chosen in it, by the least leave-one-out error, and how it is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureRound {
    /// The index of its kernel.
    pub kernel: usize,
    /// True if M is a diagonal matrix.
    pub diagonal: bool,
    /// λ, per sample.
    pub lambda: f64,
    /// The factor of distances.
    pub spread: f64,
    /// The root of the mean of the squared leave-one-out residuals, weighted, summed over outputs.
    pub error: f64,
    /// The same of targets that M has not seen, from cross-validation of all rounds before; `error` without folds.
    pub judged: f64,
    /// Its weight in the function that was learned.
    pub weight: f64,
}

impl From<FeatureMachineDetails> for Details {
    fn from(details: FeatureMachineDetails) -> Self {
        Self::FeatureMachine(details)
    }
}
