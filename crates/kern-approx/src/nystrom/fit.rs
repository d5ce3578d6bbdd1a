//! Fitting Nyström features to points.

use super::random_pivots::{Block, PartialCholesky};
use super::root::Root;
use super::selection;
use super::source::{OfPoints, Source};
use super::{Nystrom, NystromFit, NystromMap, NystromReport};
use crate::{Error, transform};
use kern_core::memory::converted;
use kern_core::{Mercer, Points, Samples, Scalar};
use kern_gram::numerics::arithmetic::greatest;
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes};

impl<K> Nystrom<K> {
    /// Draws landmarks from `points` and computes the map.
    ///
    /// # Errors
    /// [`Error::Zero`], [`Error::TooManyLandmarks`], [`Error::Rank`], [`Error::EmptyPoints`] for
    /// numbers that do not fit together; [`Error::Core`] if the kernel refuses the points;
    /// [`Error::Gram`] for a kernel value that is not finite, or if what the fit holds at once exceeds
    /// the budget; [`Error::NoPositiveEigenvalue`], [`Error::NotPsd`], [`Error::NoConvergence`].
    ///
    /// # Complexity
    /// What [`Selection`](crate::Selection) says, then m²/2 kernel evaluations and O(m³) flops in three to five m × m
    /// matrices of doubles.
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

    /// [`fit`](Nystrom::fit), the features of `points`, and the exact error on them.
    ///
    /// With [`RandomPivots`](crate::Selection::RandomPivots) and no bound on the rank the features and the
    /// error are by-products of the fit; else this is `fit`, [`transform`] and a sum.
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

    /// The map for landmarks that are handed in; the number, the seed and the selection do not matter.
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

    /// The points as a source, if they and the parameters fit together.
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

/// The results of a call beside landmarks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Output {
    /// The root of the landmarks.
    Map,
    /// The root, and the features of all points.
    Features,
}

/// The map, if the features of points are finite where they might overflow first: at the point of the greatest K(x, x), and at all
/// points if its square overflows. What is learned from points maps them.
fn mapping<P: Points, K: Mercer<P>>(
    points: &P,
    map: NystromMap<P, K>,
    budget: &MemoryBudget,
) -> Result<NystromMap<P, K>, Error> {
    let own = (0..points.len()).map(|i| map.kernel().diag(points, i).to_f64());
    let Some((farthest, own)) = greatest(own) else { return Ok(map) };
    let is_safe = P::Scalar::from_f64(own * own).is_finite_number();
    let looked_at = if is_safe { farthest..farthest + 1 } else { 0..points.len() };
    for i in looked_at {
        transform(&map, &points.select(&[i])?, budget)?;
    }
    Ok(map)
}

impl<K> Nystrom<K> {
    /// The way in which random pivots are drawn, if they are and their factor is the root.
    pub(super) fn factor_suffices(&self) -> Option<Block> {
        self.selection.block().filter(|_| self.rank.is_none())
    }

    /// Checks that all that a call on n points holds at once fits into the budget: its phases follow one
    /// another, and each is a sum.
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

    /// The partial factor by random pivots.
    pub(super) fn pivots<T: Scalar>(
        &self,
        source: &dyn Source<T>,
        block: Block,
    ) -> Result<PartialCholesky<T>, Error> {
        PartialCholesky::new(source, self.landmarks, block, self.seed)
    }

    /// The landmarks of any strategy.
    pub(super) fn chosen<T: Scalar>(&self, source: &dyn Source<T>) -> Result<Vec<usize>, Error> {
        match self.selection.block() {
            Some(block) => Ok(self.pivots(source, block)?.pivots),
            None => selection::choose(self.selection, source, (self.landmarks, self.seed)),
        }
    }
}
