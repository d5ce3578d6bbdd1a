//! The Nyström method: its parameters, and the fit of features to points.

use super::inverse_root::Root;
use super::landmark_source::{OfPoints, Source};
use super::randomly_pivoted_cholesky::{Block, PartialCholesky};
use super::{NystromFit, NystromMap, NystromReport, Selection, selection};
use crate::{Error, transform};
use kern_core::memory::converted;
use kern_core::parameters::{Domain, Parameters};
use kern_core::{Mercer, Points, Samples, Scalar, named_parameters, named_values};
use kern_gram::numerics::arithmetic::largest;
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes};
use serde::{Deserialize, Serialize};

/// Parameters of Nyström features for any Mercer kernel on any points.
///
/// # Definition
/// The landmarks 𝓘 are m of the points, chosen by a [`Selection`], or given. With G̃ = K(𝓘, 𝓘),
/// whose best approximation of rank k is U_kΛ_kU_kᵀ, the features are ψ(x) = Λ_k^{−1/2}U_kᵀk_{𝓘,x},
/// so that G_nys = K(X, 𝓘)·G̃_k⁺·K(𝓘, X). Eigenvalues below
/// [`tolerance::eigenvalue_cut`](crate::tolerance::eigenvalue_cut)·λ₁ are zero up to rounding and
/// are dropped, so the dimension may be less than k; duplicate points do no harm.
///
/// Without a bound on the rank, and if G̃ = LLᵀ is well conditioned or comes from random pivots,
/// the features are ψ(x) = L⁻¹k_{𝓘,x} instead: a rotation of the same, which is faster to compute.
///
/// Defaults: 100 landmarks, drawn uniformly, no bound on the rank, seed 0.
///
/// # Numerics
/// G̃ is factored in double precision, for f32 points too. 0 ⪯ G_nys ⪯ G holds up to rounding; see
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
    /// Creates features of `kernel` with default parameters.
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

    /// The same parameters with a reference to the kernel as a trait object: fits with it are
    /// compiled once for all kernels.
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

    /// The largest rank k, 1 ≤ k ≤ m. By default, the rank of the landmarks. Setting it requires
    /// eigenvalues instead of a Cholesky factor.
    pub fn rank(mut self, rank: usize) -> Self {
        self.rank = Some(rank);
        self
    }

    /// The seed of the selection of landmarks.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the strategy by which [`fit`](Nystrom::fit) selects landmarks.
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Checks that this number of landmarks, and this rank, are possible with n points.
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
    fn check_rank(&self, m: usize) -> Result<(), Error> {
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

/// The domain of the number of landmarks, and of the rank.
const POSITIVE: Option<&Domain> = const { Some(&Domain::count(1)) };

named_parameters! {
    /// `landmarks`, `landmarks.rank`, `landmarks.selection`, `landmarks.seed`, and the parameters
    /// of the kernel: `kernel.gamma`.
    [K: Parameters] Nystrom<K> {
        landmarks("landmarks", POSITIVE),
        rank("landmarks.rank", POSITIVE),
        selection("landmarks.selection", None),
        seed("landmarks.seed", None),
    }
    with kernel under "kernel"
}

impl<K> Nystrom<K> {
    /// Selects landmarks from `points` and computes the map.
    ///
    /// # Errors
    /// [`Error::Zero`], [`Error::TooManyLandmarks`], [`Error::Rank`], [`Error::EmptyPoints`] for
    /// incompatible counts; [`Error::Core`] if the kernel refuses the points; [`Error::Gram`] for a
    /// kernel value that is not finite, or if the peak memory of the fit exceeds the budget;
    /// [`Error::NoPositiveEigenvalue`], [`Error::NotPsd`], [`Error::NoConvergence`].
    ///
    /// # Complexity
    /// The cost of the [`Selection`](crate::Selection), then m²/2 kernel evaluations and O(m³)
    /// flops in three to five m × m matrices of doubles.
    pub fn fit<P>(self, points: &P, budget: &MemoryBudget) -> Result<NystromMap<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let source = self.source(points)?;
        self.require::<P::Scalar>(points.len(), Output::Map, budget)?;
        if let Some(block) = self.factor_suffices() {
            let factor = self.pivots(&source, block)?;
            let (landmarks, root) =
                (points.select(&factor.pivots)?, Root::of_factor(&factor.lower)?);
            return mapping(points, NystromMap::new(landmarks, self.kernel, root), budget);
        }
        let landmarks = points.select(&self.chosen(&source)?)?;
        mapping(points, self.fit_landmarks(landmarks, budget)?, budget)
    }

    /// [`fit`](Nystrom::fit), together with the features of `points` and the exact error on them.
    ///
    /// With [`RandomPivots`](crate::Selection::RandomPivots) and no bound on the rank the features
    /// and the error are by-products of the fit; otherwise this is `fit`, [`transform`] and a sum.
    ///
    /// # Errors
    /// As [`fit`](Nystrom::fit) and [`transform`].
    ///
    /// # Examples
    /// ```
    /// use kern_approx::{Nystrom, Selection};
    /// use kern_core::{Points, Samples, kernels::Rbf};
    /// use kern_gram::MemoryBudget;
    /// let x = Samples::from_rows(&[[0.0], [0.1], [0.2], [2.0], [2.1]])?;
    /// let nystrom = Nystrom::new(Rbf::new(1.0)?).landmarks(2).selection(Selection::RandomPivots);
    /// let fit = nystrom.fit_transform(&x, &MemoryBudget::mebibytes(4))?;
    /// assert_eq!((fit.features.len(), fit.features.dim(), fit.map.rank()), (5, 2, 2));
    /// let error = fit.report.relative_trace_error()?;
    /// assert!((error - fit.map.trace_error(&x)?).abs() < 1e-14);
    /// # Ok::<(), kern_approx::Error>(())
    /// ```
    pub fn fit_transform<P>(
        self,
        points: &P,
        budget: &MemoryBudget,
    ) -> Result<NystromFit<P, K>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        let source = self.source(points)?;
        self.require::<P::Scalar>(points.len(), Output::Features, budget)?;
        if let Some(block) = self.factor_suffices() {
            let factor = self.pivots(&source, block)?;
            let (report, root) = (factor.report(), Root::of_factor(&factor.lower)?);
            let map = NystromMap::new(points.select(&factor.pivots)?, self.kernel, root);
            let features = Samples::from_pages(report.rank, factor.features)?;
            return Ok(NystromFit { map, features, report });
        }
        let diagonal = source.diag();
        let map = self.fit(points, budget)?;
        let features = transform(&map, points, budget)?;
        let report = NystromReport::of(&diagonal, &features, map.landmarks().len());
        Ok(NystromFit { map, features, report })
    }

    /// The map for given landmarks; the number, the seed and the selection are ignored.
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
        self.check_rank(m)?;
        let needed = Root::<P::Scalar>::bytes(m);
        budget.require("the root of the landmarks", needed, "take fewer landmarks")?;
        let gram = converted(DenseGram::new(&self.kernel, &landmarks, budget)?.as_mat())?;
        let root = Root::of_gram(gram, self.rank)?;
        Ok(NystromMap::new(landmarks, self.kernel, root))
    }

    /// The points as a source of landmarks, if they are compatible with the parameters.
    fn source<'a, P>(&'a self, points: &'a P) -> Result<OfPoints<'a, P>, Error>
    where
        P: Points,
        K: Mercer<P>,
    {
        self.check_size(points.len())?;
        self.kernel.check(points)?;
        Ok(OfPoints { kernel: &self.kernel, points })
    }
}

/// The results of a call in addition to landmarks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Output {
    /// The root of the landmarks.
    Map,
    /// The root, and the features of all points.
    Features,
}

/// Creates the map after checking that features are finite where they might overflow first: at the
/// point with the largest K(x, x), and at all points if its square overflows. Models map their
/// training points later.
fn mapping<P: Points, K: Mercer<P>>(
    points: &P,
    map: NystromMap<P, K>,
    budget: &MemoryBudget,
) -> Result<NystromMap<P, K>, Error> {
    let own = (0..points.len()).map(|i| map.kernel().diag(points, i).to_f64());
    let Some((farthest, own)) = largest(own) else { return Ok(map) };
    let is_safe = P::Scalar::from_f64(own * own).is_finite_number();
    let looked_at = if is_safe { farthest..farthest + 1 } else { 0..points.len() };
    for i in looked_at {
        transform(&map, &points.select(&[i])?, budget)?;
    }
    Ok(map)
}

impl<K> Nystrom<K> {
    /// The block size of random pivots, if they are the selection and their factor is the root.
    pub(super) fn factor_suffices(&self) -> Option<Block> {
        self.selection.block().filter(|_| self.rank.is_none())
    }

    /// Checks that the peak memory of a call on n points fits into the budget: its phases follow
    /// one another, and each is a sum.
    pub(super) fn require<T: Scalar>(
        &self,
        n: usize,
        output: Output,
        budget: &MemoryBudget,
    ) -> Result<(), Error> {
        let (m, dim) = (self.landmarks, self.rank.unwrap_or(self.landmarks));
        let root = matrix_bytes::<T>(m, dim);
        let choosing = selection::bytes::<T>(self.selection, n, m);
        let needed = if self.factor_suffices().is_some() {
            choosing.saturating_add(root)
        } else {
            let features = match output {
                Output::Map => 0,
                Output::Features => root.saturating_add(matrix_bytes::<T>(n, dim)),
            };
            choosing.max(Root::<T>::bytes(m)).max(features)
        };
        Ok(budget.require("Nystrom features", needed, "take fewer landmarks")?)
    }

    /// The partial Cholesky factor by random pivots.
    pub(super) fn pivots<T: Scalar>(
        &self,
        source: &dyn Source<T>,
        block: Block,
    ) -> Result<PartialCholesky<T>, Error> {
        PartialCholesky::new(source, self.landmarks, block, self.seed)
    }

    /// The landmarks by any strategy.
    pub(super) fn chosen<T: Scalar>(&self, source: &dyn Source<T>) -> Result<Vec<usize>, Error> {
        match self.selection.block() {
            Some(block) => Ok(self.pivots(source, block)?.pivots),
            None => selection::choose(self.selection, source, self.landmarks, self.seed),
        }
    }
}
