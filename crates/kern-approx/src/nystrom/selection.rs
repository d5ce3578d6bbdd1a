//! Strategies for the selection of landmarks.

use super::landmark_source::{Source, check_diagonal, uniform, without_replacement};
use super::randomly_pivoted_cholesky::{Block, PartialCholesky};
use super::{k_means_seeds, leverage_scores};
use crate::Error;
use kern_core::Scalar;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A strategy for the selection of landmarks from n points.
///
/// m is the number of landmarks. Fewer are selected if no remaining point can add anything.
///
/// | strategy | kernel values | memory beyond O(n) | chooses |
/// |---|---|---|---|
/// | [`Uniform`](Selection::Uniform) | none | none | frequent points |
/// | [`Diagonal`](Selection::Diagonal) | n | none | points with large K(x, x) |
/// | [`KMeansPlusPlus`](Selection::KMeansPlusPlus) | about n·m | none | points far from each other |
/// | [`LeverageScores`](Selection::LeverageScores) | about 8m² | m² | points that matter for ridge regression |
/// | [`RandomPivots`](Selection::RandomPivots) | about n·m | n·m | points poorly explained by those before; the features of all points are a by-product |
///
/// # References
/// Kumar, Mohri & Talwalkar (2012), *Sampling Methods for the Nyström Method*.
///
/// # Examples
/// ```
/// use kern_approx::{Nystrom, Selection};
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// // Forty points in one place and one far away, which random pivots find in two steps.
/// let mut rows = vec![[0.0]; 40];
/// rows.push([9.0]);
/// let x = Samples::from_rows(&rows)?;
/// let map = Nystrom::new(Rbf::new(1.0)?)
///     .landmarks(2)
///     .selection(Selection::RandomPivots)
///     .fit(&x, &MemoryBudget::mebibytes(1))?;
/// assert!(map.trace_error(&x)? < 1e-15);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Selection {
    /// Uniformly without replacement. The same seed draws the same points in the same order: a
    /// smaller selection is a prefix of a larger one.
    #[default]
    Uniform,
    /// Sequentially without replacement, with probabilities proportional to K(x, x)², as in Drineas
    /// & Mahoney (2005).
    Diagonal,
    /// Sequentially, with probabilities proportional to the squared distance in feature space, K(x,
    /// x) − 2K(x, s) + K(s, s), from the nearest landmark s so far: k-means++ seeding (Arthur &
    /// Vassilvitskii 2007).
    KMeansPlusPlus,
    /// By approximate ridge leverage scores \[K(K + λI)⁻¹\]ᵢᵢ, computed by recursive halving (Musco
    /// & Musco 2017, algorithm 3) among 8m uniform candidates, so that it costs O(m³) at any n. λ
    /// is such that the scores sum to at most m/(2·log m) up to the sampling error. A cluster
    /// without any candidate has no landmark.
    LeverageScores,
    /// Sequentially, with probabilities proportional to the residual K(x, x) − ‖ψ(x)‖²: randomly
    /// pivoted Cholesky (Chen, Epperly, Tropp & Webber 2024). If tail_r is the trace error of the
    /// best rank r, k ≥ r/ε + r·log₊(tr K/(ε·tail_r)) landmarks have an expected trace error of at
    /// most (1 + ε)·tail_r (theorem 1.2).
    ///
    /// It proposes points in blocks and accepts each with probability equal to the ratio of its
    /// present residual to the one at the proposal, which is faster and has the same distribution
    /// (Epperly, Tropp & Webber 2024, *Embrace Rejection*, algorithm 3).
    #[doc(alias = "RPCholesky")]
    RandomPivots,
    /// [`RandomPivots`](Selection::RandomPivots) one point at a time, as it was first published:
    /// slower, for comparison.
    RandomPivotsPlain,
}

impl Selection {
    /// The number of points proposed at a time, if the strategy is random pivots.
    pub(super) fn block(self) -> Option<Block> {
        match self {
            Self::RandomPivots => Some(Block::Automatic),
            Self::RandomPivotsPlain => Some(Block::One),
            _ => None,
        }
    }
}

/// The memory beyond O(n) for selecting `count` of n points.
pub(super) fn bytes<T: Scalar>(selection: Selection, n: usize, count: usize) -> u64 {
    match selection {
        Selection::Uniform | Selection::Diagonal => 0,
        Selection::KMeansPlusPlus => k_means_seeds::bytes::<T>(),
        Selection::LeverageScores => leverage_scores::bytes::<T>(count),
        Selection::RandomPivots | Selection::RandomPivotsPlain => {
            PartialCholesky::<T>::bytes(n, count)
        }
    }
}

/// The landmarks of a strategy other than random pivots, which are selected by the factorisation
/// that uses them.
pub(super) fn choose<T: Scalar>(
    selection: Selection,
    source: &dyn Source<T>,
    count: usize,
    seed: u64,
) -> Result<Vec<usize>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    match selection {
        Selection::Diagonal => {
            let diagonal = source.diag();
            let largest = check_diagonal(&diagonal)?;
            let weights: Vec<f64> = diagonal.iter().map(|d| (d / largest).powi(2)).collect();
            Ok(without_replacement(&weights, count, &mut rng))
        }
        Selection::KMeansPlusPlus => k_means_seeds::seeds(source, count, &mut rng),
        Selection::LeverageScores => leverage_scores::sample(source, count, &mut rng),
        _ => Ok(uniform(source.size(), count, &mut rng)),
    }
}
