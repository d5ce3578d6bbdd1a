//! The parameters of Nyström features, and the choice of landmarks.

use super::NystromMap;
use super::factor::InverseRoot;
use crate::Error;
use kern_core::rand::RngExt;
use kern_core::{Mercer, Points};
use kern_gram::{DenseGram, MemoryBudget};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Parameters of Nyström features for any Mercer kernel on any points.
///
/// # Definition
/// Landmarks 𝓘 are m of the points, drawn uniformly without replacement (or handed in). With
/// G̃ = K(𝓘, 𝓘) and its best approximation of rank k, U_kΛ_kU_kᵀ, the features are
/// ψ(x) = Λ_k^{−1/2}U_kᵀk_{𝓘,x}. Eigenvalues below
/// [`tolerance::eigenvalue_cut`](crate::tolerance::eigenvalue_cut)·λ₁ are zero to rounding and
/// left out, so the dimension may be less than k; duplicate points do no harm.
///
/// Defaults: 100 landmarks, no bound on the rank, seed 0.
///
/// # Numerics
/// G̃ is factored in double precision, for f32 points too. The same seed draws the same points in
/// the same order: more landmarks begin with the fewer.
///
/// # References
/// Williams & Seeger (2001), *Using the Nyström Method to Speed Up Kernel Machines*;
/// Drineas & Mahoney (2005), *On the Nyström Method for Approximating a Gram Matrix*, algorithm 2.
///
/// # Examples
/// Features of strings, from a kernel on strings:
/// ```
/// use kern_approx::{Nystrom, transform};
/// use kern_core::{Points, closure::AssumeMercer, kernels::FnKernel};
/// use kern_gram::MemoryBudget;
/// let letters = |s: &String, c: char| s.matches(c).count() as f64;
/// let kernel = AssumeMercer(FnKernel::new(move |x: &String, y: &String| {
///     ('a'..='z').map(|c| letters(x, c) * letters(y, c)).sum::<f64>()
/// }));
/// let words: Vec<String> = ["abba", "gram", "mercer"].map(String::from).to_vec();
/// let budget = MemoryBudget::mebibytes(1);
/// let map = Nystrom::new(kernel).landmarks(3).fit(&words, &budget)?;
/// let z = transform(&map, &words, &budget)?;
/// let inner: f64 = z.item(1).iter().zip(z.item(2)).map(|(a, b)| a * b).sum();
/// assert!((inner - 3.0).abs() < 1e-12); // r·r + m: 1·2 + 1·1
/// # Ok::<(), kern_approx::Error>(())
/// ```
/// A kernel that is not Mercer does not compile:
/// ```compile_fail,E0277
/// use kern_approx::Nystrom;
/// use kern_core::{Samples, kernels::Sigmoid};
/// use kern_gram::MemoryBudget;
/// let x = Samples::from_rows(&[[0.0], [1.0]])?;
/// let kernel = Sigmoid::new(1.0, 0.0)?;
/// let map = Nystrom::new(kernel).landmarks(2).fit(&x, &MemoryBudget::available());
/// # Ok::<(), kern_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Nystrom<K> {
    kernel: K,
    landmarks: usize,
    rank: Option<usize>,
    seed: u64,
}

impl<K> Nystrom<K> {
    /// Features of `kernel` with default parameters.
    pub fn new(kernel: K) -> Self {
        Self { kernel, landmarks: 100, rank: None, seed: 0 }
    }

    /// The number of landmarks that [`fit`](Nystrom::fit) draws, 1 ≤ m ≤ n.
    pub fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = landmarks;
        self
    }

    /// The greatest rank k, 1 ≤ k ≤ m. Without it, as many eigenvalues as are not zero to
    /// rounding.
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }

    /// The seed of the choice of landmarks.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Draws landmarks from `points` and computes the map.
    ///
    /// # Errors
    /// [`Error::Zero`], [`Error::TooManyLandmarks`], [`Error::Rank`], [`Error::EmptyPoints`] for
    /// numbers that do not fit together; [`Error::Core`] if the kernel refuses the points;
    /// [`Error::Gram`] for a kernel value that is not finite, or if the work of size m² exceeds
    /// the budget; [`Error::NoPositiveEigenvalue`], [`Error::NotPsd`], [`Error::NoConvergence`].
    ///
    /// # Complexity
    /// m²/2 kernel evaluations and O(m³) for the eigenvalues; about four m × m matrices of doubles.
    pub fn fit<P>(self, points: &P, budget: &MemoryBudget) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        if points.is_empty() {
            return Err(Error::EmptyPoints { what: "the choice of landmarks" });
        }
        if self.landmarks == 0 {
            return Err(Error::Zero { what: "the number of landmarks" });
        }
        let (given, points_given) = (self.landmarks, points.len());
        if given > points_given {
            return Err(Error::TooManyLandmarks { given, points: points_given });
        }
        let landmarks = points.select(&uniform(points_given, given, self.seed))?;
        self.fit_landmarks(landmarks, budget)
    }

    /// The map for landmarks that are handed in; the number and the seed do not matter.
    ///
    /// # Errors
    /// As [`fit`](Nystrom::fit).
    ///
    /// # Examples
    /// ```
    /// use kern_approx::Nystrom;
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_gram::MemoryBudget;
    /// let grid = Samples::from_rows(&[[0.0], [0.5], [1.0]])?;
    /// let budget = MemoryBudget::mebibytes(1);
    /// let map = Nystrom::new(Rbf::new(1.0)?).fit_landmarks(grid, &budget)?;
    /// assert_eq!(map.rank(), 3);
    /// # Ok::<(), kern_approx::Error>(())
    /// ```
    pub fn fit_landmarks<P>(
        self,
        landmarks: P,
        budget: &MemoryBudget,
    ) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let m = landmarks.len();
        if m == 0 {
            return Err(Error::EmptyPoints { what: "a set of landmarks" });
        }
        match self.rank {
            Some(0) => return Err(Error::Zero { what: "the rank" }),
            Some(given) if given > m => return Err(Error::Rank { given, landmarks: m }),
            _ => {}
        }
        let needed = InverseRoot::<P::Scalar>::bytes(m);
        budget.require("the eigenvalues of the landmarks", needed, "take fewer landmarks")?;
        let gram = DenseGram::new(&self.kernel, &landmarks, budget)?;
        let root = InverseRoot::new(gram, self.rank.unwrap_or(m))?;
        Ok(NystromMap::new(landmarks, self.kernel, root))
    }
}

/// `count` of the indices 0..n, uniformly without replacement: the beginning of a shuffle
/// (Fisher & Yates), so that a smaller choice is the beginning of a greater one.
fn uniform(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut indices: Vec<usize> = (0..n).collect();
    for i in 0..count {
        indices.swap(i, rng.random_range(i..n));
    }
    indices.truncate(count);
    indices
}
