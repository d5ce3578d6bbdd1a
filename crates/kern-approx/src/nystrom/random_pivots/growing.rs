//! A partial factorisation that its user may go on with.

use super::super::source::{OfGram, OfPoints, Source};
use super::{Block, PartialCholesky, State};
use crate::Error;
use kern_core::memory::Pages;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{GramOperator, zeros};

/// A randomly pivoted partial Cholesky factorisation K ≈ FFᵀ whose rank grows as long as its user likes.
///
/// # Definition
/// Each pivot is drawn with probability proportional to d, the diagonal of K − FFᵀ, which is positive
/// semi-definite; tr(K − FFᵀ) = Σd is known at every rank k. So a solver that has F for a preconditioner
/// can tell what more pivots would bring before it asks for them.
///
/// # Complexity
/// n·k kernel evaluations, n·k² flops and n·k numbers, one and a half times as many while the rank
/// grows.
///
/// # References
/// Chen, Epperly, Tropp & Webber (2025), *Randomly Pivoted Cholesky: Practical Approximation of a Kernel
/// Matrix with Few Entry Evaluations*; Epperly, Tropp & Webber (2024), *Embrace Rejection: Kernel Matrix
/// Approximation by Accelerated Randomly Pivoted Cholesky*.
///
/// # Examples
/// ```
/// use kern_approx::PivotedCholesky;
/// use kern_core::{Samples, kernels::Rbf};
/// let x = Samples::from_rows(&[[0.0], [0.1], [2.0], [2.1]])?;
/// let kernel = Rbf::new(1.0)?;
/// let mut factor = PivotedCholesky::of_points(&kernel, &x, 0)?;
/// assert_eq!((factor.rank(), factor.residual().iter().sum()), (0, 4.0));
/// assert!(factor.grow(2)?);
/// let left: f64 = factor.residual().iter().sum();
/// assert!(factor.rank() == 2 && left < 3.0);
/// # Ok::<(), kern_approx::Error>(())
/// ```
#[doc(alias = "RPCholesky")]
#[doc(alias = "incomplete Cholesky")]
pub struct PivotedCholesky<'a, T: Scalar> {
    source: Box<dyn Source<T> + 'a>,
    state: State<T>,
}

impl<T: Scalar> std::fmt::Debug for PivotedCholesky<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (points, rank) = (self.residual().len(), self.rank());
        f.debug_struct("PivotedCholesky").field("points", &points).field("rank", &rank).finish()
    }
}

impl<'a, T: Scalar> PivotedCholesky<'a, T> {
    /// A factorisation without pivots of the Gram matrix of these points.
    ///
    /// # Errors
    /// [`Error::Core`] if the kernel refuses the points; [`Error::Gram`] for a diagonal entry that is not
    /// finite, [`Error::NotPsd`] for a negative one, [`Error::NoPositiveEigenvalue`] if all are zero.
    pub fn of_points<P>(kernel: &'a dyn Mercer<P>, points: &'a P, seed: u64) -> Result<Self, Error>
    where
        P: Points<Scalar = T>,
    {
        kernel.check(points)?;
        Self::new(Box::new(OfPoints { kernel, points }), seed)
    }

    /// A factorisation without pivots of a Gram matrix that is given.
    ///
    /// # Errors
    /// As [`of_points`](PivotedCholesky::of_points).
    pub fn of_gram<G>(gram: &'a G, seed: u64) -> Result<Self, Error>
    where
        G: GramOperator<T> + ?Sized,
    {
        Self::new(Box::new(OfGram(gram)), seed)
    }

    fn new(source: Box<dyn Source<T> + 'a>, seed: u64) -> Result<Self, Error> {
        let state = State::new(&*source, 0, seed)?;
        Ok(Self { source, state })
    }

    /// The memory in bytes that a factorisation of n points takes while it grows to this rank.
    #[must_use]
    pub fn bytes(n: usize, rank: usize) -> u64 {
        let whole = PartialCholesky::<T>::bytes(n, rank);
        // The factor that is copied has two thirds of the rank, if it grows by half at a time.
        whole.saturating_add(kern_gram::matrix_bytes::<T>(n, rank) / 3 * 2)
    }

    /// Draws pivots until there are `rank` of them, or n. False if fewer explain K to rounding.
    ///
    /// # Errors
    /// [`Error::Gram`] for a kernel value that is not finite, [`Error::NotPsd`].
    pub fn grow(&mut self, rank: usize) -> Result<bool, Error> {
        let rank = rank.min(self.state.residual.len());
        if rank <= self.state.rank {
            return Ok(self.state.pivots.len() >= rank);
        }
        self.state.make_room(rank)?;
        self.state.fill(&*self.source, Block::Automatic)
    }

    /// The number of pivots, k.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.state.pivots.len()
    }

    /// The indices of the pivots, in the order in which they were drawn.
    #[must_use]
    pub fn pivots(&self) -> &[usize] {
        &self.state.pivots
    }

    /// d, the n diagonal entries of K − FFᵀ, none negative.
    #[must_use]
    pub fn residual(&self) -> &[f64] {
        &self.state.residual
    }

    /// F: n rows of k numbers, one after the other.
    #[must_use]
    pub fn into_factor(self) -> Pages<T> {
        self.state.finish().features
    }
}

impl<T: Scalar> State<T> {
    /// Copies what there is into the memory for a greater rank.
    fn make_room(&mut self, rank: usize) -> Result<(), Error> {
        let (stride, done) = (self.rank, self.pivots.len());
        let mut lower = zeros(rank, rank)?;
        lower.submatrix_mut(0, 0, done, done).copy_from(self.lower.submatrix(0, 0, done, done));
        let mut features = Pages::zeroed(rank.saturating_mul(self.residual.len()))?;
        if stride > 0 {
            let rows = features.chunks_exact_mut(rank).zip(self.features.chunks_exact(stride));
            rows.for_each(|(to, from)| to[..done].copy_from_slice(&from[..done]));
        }
        (self.lower, self.features, self.rank) = (lower, features, rank);
        Ok(())
    }
}
