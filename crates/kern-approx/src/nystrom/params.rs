//! The parameters of Nyström features.

use super::Selection;
use crate::Error;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Mercer, Points, named_parameters, named_values};
use serde::{Deserialize, Serialize};

/// Parameters of Nyström features for any Mercer kernel on any points.
///
/// # Definition
/// Landmarks 𝓘 are m of the points, chosen by a [`Selection`], or handed in. With G̃ = K(𝓘, 𝓘),
/// of which U_kΛ_kU_kᵀ is the best approximation of rank k, the features are
/// ψ(x) = Λ_k^{−1/2}U_kᵀk_{𝓘,x}, so that G_nys = K(X, 𝓘)·G̃_k⁺·K(𝓘, X). Eigenvalues below
/// [`tolerance::eigenvalue_cut`](crate::tolerance::eigenvalue_cut)·λ₁ are zero to rounding and
/// left out, so the dimension may be less than k; duplicate points do no harm.
///
/// Without a bound on the rank, and with G̃ = LLᵀ well conditioned or of random pivots, the features are
/// ψ(x) = L⁻¹k_{𝓘,x} instead: a rotation of the same, found faster.
///
/// Defaults: 100 landmarks, drawn uniformly, no bound on the rank, seed 0.
///
/// # Numerics
/// G̃ is factored in double precision, for f32 points too. 0 ⪯ G_nys ⪯ G holds but for rounding; see
/// the tables and derivations in [`tolerance`](crate::tolerance).
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
/// Hyper-parameters by name:
/// ```
/// use kern_approx::{Nystrom, Selection};
/// use kern_core::{kernels::Rbf, parameters::Parameters};
/// let mut nystrom = Nystrom::new(Rbf::new(1.0)?);
/// nystrom.set_parameter("landmarks", &50.0.into())?;
/// nystrom.set_parameter("landmarks.selection", &"random_pivots".into())?;
/// nystrom.set_parameter("kernel.gamma", &0.5.into())?;
/// let same = Nystrom::new(Rbf::new(0.5)?).landmarks(50).selection(Selection::RandomPivots);
/// assert_eq!(nystrom, same);
/// # Ok::<(), kern_core::Error>(())
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
#[doc(alias = "Nyström")]
#[doc(alias = "Nystroem")]
#[doc(alias = "Falkon")]
#[doc(alias = "landmarks")]
#[doc(alias = "inducing points")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Nystrom<K> {
    pub(super) kernel: K,
    pub(super) landmarks: usize,
    pub(super) rank: Option<usize>,
    pub(super) selection: Selection,
    pub(super) seed: u64,
}

impl<K> Nystrom<K> {
    /// Features of `kernel` with default parameters.
    pub fn new(kernel: K) -> Self {
        Self { kernel, landmarks: 100, rank: None, selection: Selection::Uniform, seed: 0 }
    }

    /// The kernel.
    #[must_use]
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The number m of landmarks.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.landmarks
    }

    /// The same parameters with a reference to the kernel as a trait object: fits with it are compiled once for all kernels.
    pub fn erased<P: Points>(&self) -> Nystrom<&dyn Mercer<P>>
    where
        K: Mercer<P>,
    {
        let Self { kernel, landmarks, rank, selection, seed } = self;
        let (landmarks, rank, selection, seed) = (*landmarks, *rank, *selection, *seed);
        Nystrom { kernel, landmarks, rank, selection, seed }
    }

    /// The number of landmarks that [`fit`](Nystrom::fit) draws, 1 ≤ m ≤ n.
    #[doc(alias = "n_components")]
    #[doc(alias = "inducing points")]
    pub fn landmarks(mut self, landmarks: usize) -> Self {
        self.landmarks = landmarks;
        self
    }

    /// The greatest rank k, 1 ≤ k ≤ m. Without it, as much as the landmarks span. It costs eigenvalues
    /// instead of a Cholesky factor.
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }

    /// The seed of the choice of landmarks.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the way in which [`fit`](Nystrom::fit) chooses landmarks.
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Checks that so many landmarks, of such a rank, can be drawn from n points.
    pub(super) fn check_size(&self, n: usize) -> Result<(), Error> {
        if n == 0 {
            return Err(Error::EmptyPoints { what: "the choice of landmarks" });
        }
        if self.landmarks == 0 {
            return Err(Error::Zero { what: "the number of landmarks" });
        }
        if self.landmarks > n {
            return Err(Error::TooManyLandmarks { given: self.landmarks, points: n });
        }
        self.check_rank(self.landmarks)
    }

    /// Checks that the rank is possible with m landmarks.
    pub(super) fn check_rank(&self, m: usize) -> Result<(), Error> {
        match self.rank {
            Some(0) => Err(Error::Zero { what: "the rank" }),
            Some(given) if given > m => Err(Error::Rank { given, landmarks: m }),
            _ => Ok(()),
        }
    }
}

named_values!(Selection {
    "uniform" => Uniform,
    "diagonal" => Diagonal,
    "k_means_plus_plus" => KMeansPlusPlus,
    "leverage_scores" => LeverageScores,
    "random_pivots" => RandomPivots,
    "random_pivots_plain" => RandomPivotsPlain,
});

/// The numbers of landmarks, and the ranks.
const POSITIVE: Option<&Domain> = const { Some(&Domain::count(1)) };

named_parameters! {
    /// `landmarks`, `landmarks.rank`, `landmarks.selection`, `landmarks.seed`, and those of the kernel:
    /// `kernel.gamma`.
    [K: Parameters] Nystrom<K> {
        landmarks("landmarks", POSITIVE),
        rank("landmarks.rank", POSITIVE),
        selection("landmarks.selection", None),
        seed("landmarks.seed", None),
    }
    with kernel under "kernel"
}
