//! Randomly pivoted partial Cholesky factorisation, in blocks with rejection: of a fixed rank, or
//! of a rank that grows on demand.
//!
//! A block of proposals is thinned so that the accepted ones are distributed as if drawn one by
//! one; then all points are updated with the block of new pivots.
//!
//! Notation: n points, rank k, pivots 𝓘; F is n × k with K ≈ FFᵀ, stored by rows, so that row i
//! holds the features of point i; d is the diagonal of the residual K − FFᵀ.

use super::NystromReport;
use super::landmark_source::{OfGram, OfPoints, Rows, Source, check_diagonal, independent};
use crate::panels::{non_finite, squared_norm};
use crate::{Error, tolerance};
use faer::{Accum, Mat, MatMut};
use kern_core::memory::{Pages, converted};
use kern_core::products::{matmul, solve_lower};
use kern_core::rand::RngExt;
use kern_core::{Mercer, Points, Scalar, Scratch};
use kern_gram::{GramOperator, matrix_bytes, parallel, zeros};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A randomly pivoted partial Cholesky factorisation K ≈ FFᵀ whose rank can be increased step by
/// step.
///
/// # Definition
/// Each pivot is drawn with probability proportional to d, the diagonal of K − FFᵀ, which is
/// positive semi-definite; tr(K − FFᵀ) = Σd is known at every rank k. So a solver that uses F as a
/// preconditioner can predict the benefit of more pivots before it requests them.
///
/// # Complexity
/// n·k kernel evaluations, n·k² flops and memory for n·k values, one and a half times as many while
/// the rank grows.
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
    /// An empty factorisation, without pivots, of the Gram matrix of these points.
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

    /// An empty factorisation, without pivots, of a given Gram matrix.
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

    /// The peak memory in bytes for growing a factorisation of n points to this rank.
    #[must_use]
    pub fn bytes(n: usize, rank: usize) -> u64 {
        let whole = PartialCholesky::<T>::bytes(n, rank);
        // The copied factor has two thirds of the rank, if the rank grows by half at a time.
        whole.saturating_add(kern_gram::matrix_bytes::<T>(n, rank) / 3 * 2)
    }

    /// Draws pivots until there are `rank` of them, or n. Returns false if fewer explain K up to
    /// rounding.
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

    /// The indices of the pivots, in the order of the draws.
    #[must_use]
    pub fn pivots(&self) -> &[usize] {
        &self.state.pivots
    }

    /// The residual diagonal d: the n diagonal entries of K − FFᵀ, all non-negative.
    #[must_use]
    pub fn residual(&self) -> &[f64] {
        &self.state.residual
    }

    /// The factor F: n rows of k values, one after the other.
    #[must_use]
    pub fn into_factor(self) -> Pages<T> {
        self.state.finish().features
    }
}

impl<T: Scalar> State<T> {
    /// Copies the factor to memory for a larger rank.
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

/// The largest number of pivots that a block of proposals is sized for: enough rows for matrix
/// products at full speed.
const YIELD: usize = 128;

/// The number of pivots that a block of proposals is sized for, for a factor of this rank.
fn target(rank: usize) -> usize {
    (rank / 8).clamp(4, YIELD)
}

/// The largest block of proposals for a factor of this rank.
fn most_proposed(rank: usize) -> usize {
    4 * target(rank)
}

/// The factorisation K ≈ FFᵀ with F\[𝓘, :\] lower triangular.
pub(super) struct PartialCholesky<T: Scalar> {
    /// 𝓘, in the order of the draws.
    pub(super) pivots: Vec<usize>,
    /// F\[𝓘, :\], in double precision.
    pub(super) lower: Mat<f64>,
    /// F, n rows with one value per pivot.
    pub(super) features: Pages<T>,
    /// d, n values ≥ 0.
    pub(super) residual: Vec<f64>,
    /// tr K.
    pub(super) trace: f64,
}

/// The number of points proposed at a time.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Block {
    /// One by one: the plain algorithm.
    One,
    /// As many as are expected to yield [`YIELD`] pivots.
    Automatic,
}

impl<T: Scalar> PartialCholesky<T> {
    /// The memory of a factorisation: F, its rows at the pivots and their copy without padding, and
    /// for a block of proposals their rows of F (those of accepted ones again, in both precisions),
    /// their entries (likewise), and the growing factor.
    pub(super) fn bytes(n: usize, rank: usize) -> u64 {
        let most = most_proposed(rank);
        let proposals = matrix_bytes::<T>(most, most)
            .saturating_mul(2)
            .saturating_add(matrix_bytes::<T>(rank, most))
            .saturating_add(matrix_bytes::<f64>(rank.saturating_add(most), most).saturating_mul(2))
            .saturating_add(matrix_bytes::<f64>(most, most));
        matrix_bytes::<T>(n, rank)
            .saturating_add(matrix_bytes::<f64>(rank, rank).saturating_mul(2))
            .saturating_add(proposals)
    }

    /// A factorisation with at most `rank` pivots, each drawn with probability proportional to d.
    pub(super) fn new(
        source: &dyn Source<T>,
        rank: usize,
        block: Block,
        seed: u64,
    ) -> Result<Self, Error> {
        let mut state = State::new(source, rank, seed)?;
        state.fill(source, block)?;
        Ok(state.finish())
    }
}

impl<T: Scalar> PartialCholesky<T> {
    /// The report; the trace error is the sum of the residual diagonal.
    pub(super) fn report(&self) -> NystromReport {
        let rank = self.pivots.len();
        let trace_error = self.residual.iter().sum();
        NystromReport { trace: self.trace, trace_error, rank, landmarks: rank }
    }
}

struct State<T: Scalar> {
    rng: ChaCha8Rng,
    rank: usize,
    pivots: Vec<usize>,
    lower: Mat<f64>,
    features: Pages<T>,
    residual: Vec<f64>,
    trace: f64,
    /// The largest diagonal entry of K.
    largest: f64,
}

impl<T: Scalar> State<T> {
    /// No pivots yet, with room for `rank` of them.
    fn new(source: &dyn Source<T>, rank: usize, seed: u64) -> Result<Self, Error> {
        let residual = source.diag();
        let largest = check_diagonal(&residual)?;
        Ok(Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            rank,
            pivots: Vec::with_capacity(rank),
            lower: zeros(rank, rank)?,
            features: Pages::zeroed(rank.saturating_mul(residual.len()))?,
            trace: residual.iter().sum(),
            residual,
            largest,
        })
    }

    /// Residuals up to this value are rounding errors.
    fn floor(&self) -> f64 {
        tolerance::pivot_cut(self.rank, T::UNIT_ROUNDOFF) * self.largest
    }

    /// Draws pivots until the room is used up; false if nothing is left before.
    fn fill(&mut self, source: &dyn Source<T>, block: Block) -> Result<bool, Error> {
        let mut proposed = if block == Block::One { 1 } else { target(self.rank) };
        while self.pivots.len() < self.rank {
            let before = self.pivots.len();
            if !self.extend(source, proposed)? {
                return Ok(false);
            }
            if block == Block::Automatic {
                proposed = self.next_block(proposed, self.pivots.len() - before);
            }
        }
        Ok(true)
    }

    /// The number of proposals for the next block, given the yield of the last one. It depends on
    /// earlier draws only, so it does not affect the distribution of the pivots.
    fn next_block(&self, proposed: usize, accepted: usize) -> usize {
        let wanted = proposed * target(self.rank) / accepted.max(1);
        wanted.clamp(proposed.div_ceil(2), 2 * proposed).min(most_proposed(self.rank))
    }

    /// Draws a block of proposals and appends the accepted ones; false if nothing is left.
    fn extend(&mut self, source: &dyn Source<T>, proposed: usize) -> Result<bool, Error> {
        let floor = self.floor();
        let weights: Vec<f64> =
            self.residual.iter().map(|&d| if d > floor { d } else { 0.0 }).collect();
        let drawn = independent(&weights, proposed, &mut self.rng);
        if drawn.is_empty() {
            return Ok(false);
        }
        let (rows, residual) = self.residual_between(source, &drawn)?;
        let most = self.rank - self.pivots.len();
        let thinned = thin(&residual, floor, most, &mut self.rng);
        let chosen: Vec<usize> = thinned.accepted.iter().map(|&b| drawn[b]).collect();
        let rows = Mat::from_fn(chosen.len(), rows.nrows(), |i, j| rows[(j, thinned.accepted[i])]);
        let update = Update::new(&rows, &thinned.lower)?;
        update.apply(source, &chosen, &mut self.features, self.rank, &mut self.residual)?;
        self.settle(&chosen, &rows, &thinned.lower);
        self.check()?;
        Ok(true)
    }

    /// The columns of Fᵀ of the drawn points, and K − FFᵀ between them.
    fn residual_between(
        &self,
        source: &dyn Source<T>,
        drawn: &[usize],
    ) -> Result<(Mat<f64>, Mat<f64>), Error> {
        let (done, count) = (self.pivots.len(), drawn.len());
        let entries = source.entries(drawn, drawn)?;
        let mut residual = converted(entries.as_ref())?;
        let mut rows = zeros::<f64>(done, count)?;
        for (b, &i) in drawn.iter().enumerate() {
            let row = &self.features[i * self.rank..][..done];
            let pairs = rows.col_as_slice_mut(b).iter_mut().zip(row);
            pairs.for_each(|(to, from)| *to = from.to_f64());
        }
        matmul(residual.as_mut(), Accum::Add, rows.transpose(), rows.as_ref(), -1.0);
        for (b, &i) in drawn.iter().enumerate() {
            residual[(b, b)] = self.residual[i];
        }
        Ok((rows, residual))
    }

    /// Sets the rows of the pivots, which are known exactly: triangular, with a zero residual.
    fn settle(&mut self, chosen: &[usize], rows: &Mat<f64>, lower: &Mat<f64>) {
        let (done, added) = (self.pivots.len(), chosen.len());
        self.lower.submatrix_mut(done, 0, added, done).copy_from(rows);
        self.lower.submatrix_mut(done, done, added, added).copy_from(lower);
        for (i, &pivot) in chosen.iter().enumerate() {
            let row = &mut self.features[pivot * self.rank + done..][..added];
            for (j, feature) in row.iter_mut().enumerate() {
                *feature = T::from_f64(lower[(i, j)]);
            }
            self.residual[pivot] = 0.0;
        }
        self.pivots.extend(chosen);
    }

    /// Clips negative rounding errors to zero; larger negative values mean that K is not positive
    /// semi-definite.
    fn check(&mut self) -> Result<(), Error> {
        // More negative residuals cannot be explained by rounding.
        let allowed = -tolerance::negative_residual(T::UNIT_ROUNDOFF) * self.largest;
        let smallest = self.residual.iter().copied().fold(0.0, f64::min);
        if smallest < allowed {
            return Err(Error::NotPsd { eigenvalue: smallest, allowed });
        }
        self.residual.iter_mut().for_each(|d| *d = d.max(0.0));
        Ok(())
    }

    /// Releases the room for pivots that were not found.
    fn finish(self) -> PartialCholesky<T> {
        let Self { rank: stride, pivots, mut lower, mut features, residual, trace, .. } = self;
        let rank = pivots.len();
        if rank < stride {
            for i in 1..residual.len() {
                features.copy_within(i * stride..i * stride + rank, i * rank);
            }
            features.truncate(rank * residual.len());
            lower = lower.submatrix(0, 0, rank, rank).to_owned();
        }
        PartialCholesky { pivots, lower, features, residual, trace }
    }
}

/// The accepted proposals.
struct Thinned {
    /// Their positions among the proposals.
    accepted: Vec<usize>,
    /// The Cholesky factor of the residual between them, lower triangular.
    lower: Mat<f64>,
}

/// Accepts each proposal, drawn with the probabilities of `residual`'s diagonal, with probability
/// equal to the ratio of its residual, given those accepted before, to the residual it was drawn
/// with. At most `most` are accepted, and none with a residual of `floor` or less.
///
/// O(b·a²) for a of b proposals: the factor grows by the row of each proposal, whose residual is
/// its diagonal entry minus the squares of that row.
fn thin(residual: &Mat<f64>, floor: f64, most: usize, rng: &mut ChaCha8Rng) -> Thinned {
    let mut accepted: Vec<usize> = Vec::new();
    // Row i of the factor has i + 1 entries.
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for b in 0..residual.ncols() {
        let coin = rng.random::<f64>();
        if accepted.len() == most {
            break;
        }
        let column = residual.col_as_slice(b);
        let mut row: Vec<f64> = Vec::with_capacity(accepted.len() + 1);
        for (&a, known) in accepted.iter().zip(&factor) {
            let value = column[a] - f64::dot(&known[..row.len()], &row);
            row.push(value / known[row.len()]);
        }
        let left = column[b] - f64::dot(&row, &row);
        if left > floor && coin * column[b] < left {
            row.push(left.sqrt());
            factor.push(row);
            accepted.push(b);
        }
    }
    let size = accepted.len();
    let lower = Mat::from_fn(size, size, |i, j| if j <= i { factor[i][j] } else { 0.0 });
    Thinned { accepted, lower }
}

/// Points per task: their rows of F are read once per block of pivots.
const CHUNK: usize = 256;

/// New columns of F: L⁻¹(K(𝓘, x) − F_𝓘 f(x)).
struct Update<T> {
    /// F_𝓘, the pivots' rows of F so far.
    rows: Mat<T>,
    /// L, the Cholesky factor of the residual between the pivots.
    lower: Mat<T>,
}

impl<T: Scalar> Update<T> {
    fn new(rows: &Mat<f64>, lower: &Mat<f64>) -> Result<Self, Error> {
        Ok(Self { rows: converted(rows.as_ref())?, lower: converted(lower.as_ref())? })
    }

    /// Appends columns to F, whose rows have length `stride`, and subtracts their squares from the
    /// residual diagonal.
    fn apply(
        &self,
        source: &dyn Source<T>,
        pivots: &[usize],
        features: &mut [T],
        stride: usize,
        residual: &mut [f64],
    ) -> Result<(), Error> {
        let mut found = None;
        source.with_rows(pivots, &mut |kernel| {
            let pieces = features.chunks_mut(stride * CHUNK).zip(residual.chunks_mut(CHUNK));
            let errors = parallel::map_init(
                pieces.enumerate().collect(),
                Scratch::new,
                |scratch, (c, (features, residual))| {
                    self.apply_to_chunk(features, stride, residual, c * CHUNK, kernel, scratch)
                },
            );
            found = errors.into_iter().flatten().next();
        })?;
        match found {
            Some((b, col, given)) => {
                Err(kern_gram::Error::NotFinite { row: pivots[b], col, given }.into())
            }
            None => Ok(()),
        }
    }

    /// Returns the place and value of a non-finite kernel value, if there is one.
    fn apply_to_chunk(
        &self,
        features: &mut [T],
        stride: usize,
        residual: &mut [f64],
        start: usize,
        kernel: &Rows<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> Option<(usize, usize, f64)> {
        let (added, done) = (self.lower.nrows(), self.rows.ncols());
        let columns = MatMut::from_column_major_slice_mut(features, stride, residual.len());
        let (known, rest) = columns.split_at_row_mut(done);
        let mut new = rest.subrows_mut(0, added);
        kernel(start..start + residual.len(), new.as_mut(), scratch);
        if let Some((i, j, given)) = non_finite(new.as_ref()) {
            return Some((i, start + j, given));
        }
        matmul(new.as_mut(), Accum::Add, self.rows.as_ref(), known.as_ref(), -T::ONE);
        solve_lower(self.lower.as_ref(), new.as_mut());
        for (d, row) in residual.iter_mut().zip(features.chunks_exact(stride)) {
            *d -= squared_norm(&row[done..done + added]);
        }
        None
    }
}
