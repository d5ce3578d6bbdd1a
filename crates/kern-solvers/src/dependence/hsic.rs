//! The Hilbert–Schmidt independence criterion (HSIC): its estimates, and the permutation test.
//!
//! tr(KHLH)/n² with H = I − 11ᵀ/n is the squared norm of the cross-covariance of features.

use super::centred_matrices::{Factors, Stored};
use super::permutation_test::{PermutationSettings, PermutationTest, check_size};
use super::pooled::{add_sums, check_finite, edge, tasks};
use crate::differences::FromOrigin;
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::{Error, Progress, Run, tolerance};
use kern_core::{Binding, Kernel, Mercer, Points, Scalar, Scratch};
use kern_gram::pairs::fill_diagonal;
use kern_gram::{parallel, tile_ranges};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Number of tasks whose sums are held at a time.
const ROUND: usize = 256;

/// The largest number of permutations between two calls of the observer, and `TERMS`, that of their
/// terms, unless that would leave threads idle.
const PERMUTATIONS: usize = 64;
const TERMS: usize = 1 << 30;

/// Two estimates of the Hilbert–Schmidt independence criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dependence {
    biased: f64,
    unbiased: Option<f64>,
}

impl Dependence {
    /// The biased estimate tr(KHLH)/n² with H = I − 11ᵀ/n. It is the squared norm of the
    /// cross-covariance of features, and the squared MMD between the pairs and all n² combinations
    /// of their parts.
    #[must_use]
    pub const fn biased(&self) -> f64 {
        self.biased
    }

    /// The unbiased estimate, which may be negative. `None` for fewer than four pairs.
    #[must_use]
    pub const fn unbiased(&self) -> Option<f64> {
        self.unbiased
    }
}

/// The Hilbert–Schmidt independence criterion of the pairs (xᵢ, yᵢ): kernel `first` on x, `second`
/// on y.
///
/// # Definition
/// The biased estimate is tr(KHLH)/n² with H = I − 11ᵀ/n. With zeros on the diagonals of K and L,
/// the unbiased one is (tr(KL) + 1ᵀK1·1ᵀL1/((n − 1)(n − 2)) − 2·1ᵀKL1/(n − 2))/(n(n − 3)).
///
/// # Complexity
/// n²/2 values of both kernels, in one pass, without storing them.
///
/// # Errors
/// [`Error::Empty`] without pairs; [`Error::Length`] if x and y differ in length; [`Error::Core`]
/// if a kernel refuses its points; [`Error::Gram`] for non-finite values.
///
/// # References
/// Gretton, Bousquet, Smola & Schölkopf (2005), *Measuring Statistical Dependence with
/// Hilbert–Schmidt Norms*, for the biased estimate; Song, Smola, Gretton, Bedo & Borgwardt (2012),
/// *Feature Selection via Dependence Maximization*, theorem 2, for the unbiased one.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::dependence::hsic;
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0], [6.0]])?;
/// let y = Samples::from_rows(&[[1.0], [0.0], [2.0], [5.0]])?;
/// // The squared covariance of linear features: (2 + 2 + 0 + 9)/4 squared.
/// let found = hsic(&Linear, &x, &Linear, &y)?;
/// assert!((found.biased() - 3.25_f64.powi(2)).abs() < 1e-12);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "Hilbert-Schmidt independence criterion")]
pub fn hsic<P, Q, K, L>(first: &K, x: &P, second: &L, y: &Q) -> Result<Dependence, Error>
where
    P: Points,
    Q: Points,
    K: Mercer<P>,
    L: Mercer<Q>,
{
    let n = check_pairs(x.len(), y.len())?;
    let of = (FromOrigin::new(first, x)?, FromOrigin::new(second, y)?);
    let first: &dyn Kernel<P> = of.0.as_ref().map_or(first, |from| from);
    let second: &dyn Kernel<Q> = of.1.as_ref().map_or(second, |from| from);
    let (first, second) = (Values::new(first, x), Values::new(second, y));
    let sums = sums(&first, &second, n)?;
    Ok(sums.estimates(&[first.diagonal()?, second.diagonal()?]))
}

/// The HSIC permutation test of independence: the null hypothesis is that x and y are independent.
///
/// # Definition
/// The statistic is the biased estimate tr(KHLH)/n² of the Hilbert–Schmidt independence criterion
/// ([`hsic`](super::hsic())). A permutation reorders the second parts of the pairs.
///
/// # Complexity
/// With both kernel matrices in memory, n² entries each, a permutation takes n²/2 terms. If the
/// memory of the run does not hold them, low-rank approximations replace them: pivoted Cholesky
/// factors F and G that leave a thousandth of the trace. The statistic is then ‖FᵀHG‖²/n², at
/// 2n·r·s flops per permutation for ranks r and s. Both variants keep the level of the test. The
/// same seed gives the same bits for any number of threads, as long as the memory leads to the same
/// variant.
///
/// # References
/// Gretton, Fukumizu, Teo, Song, Schölkopf & Smola (2008), *A Kernel Statistical Test of
/// Independence*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::dependence::HsicTest;
/// let x = Samples::from_rows(&(0..50).map(|i| [(f64::from(i) * 1.3).sin()]).collect::<Vec<_>>())?;
/// // Labels that say on which side of a half the square is: no correlation, but dependence.
/// let y: Vec<_> = x.as_slice().iter().map(|x: &f64| [f64::from(u8::from(x * x > 0.5))]).collect();
/// let test = HsicTest::on_kernels(Rbf::new(2.0)?, Rbf::new(1.0)?).permutations(199);
/// assert_eq!(test.test(&x, &Samples::from_rows(&y)?)?.p_value(), 1.0 / 200.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "HSIC")]
#[doc(alias = "independence test")]
#[derive(Clone, Debug, PartialEq)]
pub struct HsicTest<K, L> {
    kernels: (K, L),
    settings: PermutationSettings,
}

impl<K, L> HsicTest<K, L> {
    /// The test with these kernels for the first and the second parts.
    pub fn on_kernels(first: K, second: L) -> Self {
        Self { kernels: (first, second), settings: PermutationSettings::default() }
    }

    /// The number of permutations. Default: 999.
    #[must_use]
    pub fn permutations(mut self, permutations: usize) -> Self {
        self.settings.permutations = permutations;
        self
    }

    /// The seed of the permutations, and of the Cholesky pivots if low-rank factors are used.
    /// Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Runs the test with default memory and time limits.
    ///
    /// # Errors
    /// As [`run`](HsicTest::run).
    pub fn test<P: Points, Q: Points>(&self, x: &P, y: &Q) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        self.run(x, y, &mut Run::new())
    }

    /// Runs the test within the memory and time limits of a run, whose observer is called between
    /// permutations.
    ///
    /// # Errors
    /// [`Error::Count`] for fewer than two pairs, or no permutations; [`Error::Length`] if x and y
    /// differ in length; [`Error::Core`] if a kernel refuses its points; [`Error::Gram`] if neither
    /// matrices nor factors fit into the memory, or for non-finite values; [`Error::TooLong`];
    /// [`Error::Stopped`].
    pub fn run<P: Points, Q: Points>(
        &self,
        x: &P,
        y: &Q,
        run: &mut Run<'_>,
    ) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        self.settings.check()?;
        let n = check_pairs(x.len(), y.len())?;
        check_size(n, 2, "at least 2")?;
        // Centred matrices do not depend on the origin of the feature space.
        let of = (FromOrigin::new(&self.kernels.0, x)?, FromOrigin::new(&self.kernels.1, y)?);
        let first: &dyn Mercer<P> = of.0.as_ref().map_or(&self.kernels.0, |from| from);
        let second: &dyn Mercer<Q> = of.1.as_ref().map_or(&self.kernels.1, |from| from);
        let (first, second) = (&first, &second);
        let (budget, count) = (run.budget(), self.settings.permutations as f64);
        let within = |parts: Vec<(Work, Count)>, algorithm: Algorithm, run: &Run<'_>| {
            let effort = Effort::counted(algorithm, parts);
            within((run.predicted_limit(), &budget), first, x, &[effort], &[])
        };
        let square = (n as f64).powi(2);
        if budget.fits(Stored::bytes::<P, Q>(n)) {
            let values = (Work::KernelValues, Count::values(square));
            let parts = vec![values, (Work::Products, Count::numbers(0.5 * count * square))];
            within(parts, Algorithm::GramCached, run)?;
            let stored = Stored::new(first, x, second, y, &budget)?;
            return self.permute(n, stored.largest(), &|order| stored.statistic(order), run);
        }
        let factors = Factors::new(first, x, second, y, self.settings.seed, &budget)?;
        let parts = vec![(Work::Products, Count::flops(count * factors.flops()))];
        within(parts, Algorithm::Landmarks, run)?;
        self.permute(n, factors.largest(), &|order| factors.statistic(order), run)
    }

    /// The statistics of the given order and of permutations.
    fn permute(
        &self,
        n: usize,
        largest: f64,
        statistic: &(dyn Fn(&[u32]) -> Result<f64, Error> + Sync),
        run: &mut Run<'_>,
    ) -> Result<PermutationTest, Error> {
        let PermutationSettings { permutations, seed } = self.settings;
        if u32::try_from(n).is_err() {
            let (name, allowed) = ("pairs", "at most 2^32 − 1");
            return Err(Error::Count { name, given: n, allowed });
        }
        let mut statistics = Vec::with_capacity(permutations + 1);
        let threads = parallel::threads();
        let most = (TERMS / n.saturating_mul(n).max(1)).clamp(threads, PERMUTATIONS.max(threads));
        for round in tile_ranges(permutations + 1, most) {
            let of_number = |order: &mut Vec<u32>, number: usize| {
                shuffle(order, n as u32, seed, number as u64);
                statistic(order)
            };
            for found in parallel::map_init(round.clone().collect(), Vec::new, of_number) {
                statistics.push(found?);
            }
            let (done, total) = (round.end, permutations + 1);
            let progress = Progress::new(done, total, 0.0);
            if run.observe(&progress).is_break() && done < total {
                return Err(Error::Stopped { done, total });
            }
        }
        Ok(PermutationTest::new(statistics, tolerance::tie::<f64>(largest), seed))
    }
}

/// Sets `order` to 0, …, n − 1 for number 0, else to a random permutation (Fisher & Yates).
fn shuffle(order: &mut Vec<u32>, n: u32, seed: u64, number: u64) {
    order.clear();
    order.extend(0..n);
    if number == 0 {
        return;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    for last in (1..n).rev() {
        order.swap(last as usize, rng.random_range(0..=last) as usize);
    }
}

/// The number of pairs; an error without pairs or for different lengths.
fn check_pairs(n: usize, given: usize) -> Result<usize, Error> {
    match (n, given) {
        (0, 0) => Err(Error::Empty),
        _ if n == given => Ok(n),
        _ => Err(Error::Length { what: "points of the second kind", expected: n, given }),
    }
}

/// A kernel that is bound to points.
struct Values<'v, P: Points> {
    binding: Binding<'v, dyn Kernel<P> + 'v, P>,
    n: usize,
}

impl<'v, P: Points> Values<'v, P> {
    fn new(kernel: &'v (dyn Kernel<P> + 'v), points: &'v P) -> Self {
        Self { binding: Binding::new(kernel, points, points), n: points.len() }
    }

    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let values = (0..self.n).map(|i| self.binding.diag(i).to_f64());
        Ok(kern_gram::numerics::arithmetic::finite_diagonal(values)?)
    }

    /// Computes a tile in double precision, column by column, and adds its row and column sums.
    fn fill(
        &self,
        rows: &Range<usize>,
        cols: &Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
        out: &mut Vec<f64>,
        of_rows: &mut [f64],
        of_cols: &mut [f64],
    ) -> Result<(), Error> {
        out.clear();
        scratch.with_matrix(rows.len(), cols.len(), |mut tile, scratch| {
            if rows == cols {
                fill_diagonal(&self.binding, rows.clone(), tile.as_mut(), scratch);
            } else {
                self.binding.block(rows.clone(), cols.clone(), tile.as_mut(), scratch);
            }
            let tile = tile.as_ref();
            check_finite(tile, (rows.start, cols.start))?;
            add_sums(tile, of_rows, of_cols);
            tile.col_iter().for_each(|column| out.extend(column.iter().map(|v| v.to_f64())));
            Ok(())
        })
    }
}

/// The sums ΣKᵢⱼLᵢⱼ, K1 and L1.
struct Sums {
    inner: f64,
    rows: [Vec<f64>; 2],
}

impl Sums {
    fn estimates(&self, own: &[Vec<f64>; 2]) -> Dependence {
        let n = self.rows[0].len() as f64;
        let criterion = |inner: f64, rows: [&[f64]; 2], (among, across): (f64, f64)| {
            let all: f64 = rows.iter().map(|rows| rows.iter().sum::<f64>()).product();
            let products: f64 = rows[0].iter().zip(rows[1]).map(|(k, l)| k * l).sum();
            inner + all * among - 2.0 * products * across
        };
        let rows = [self.rows[0].as_slice(), &self.rows[1]];
        let biased = criterion(self.inner, rows, ((1.0 / n).powi(2), 1.0 / n)) / (n * n);
        let unbiased = (n >= 4.0).then(|| {
            let without = |k: usize| -> Vec<f64> {
                self.rows[k].iter().zip(&own[k]).map(|(sum, own)| sum - own).collect()
            };
            let (first, second) = (without(0), without(1));
            let traces: f64 = own[0].iter().zip(&own[1]).map(|(k, l)| k * l).sum();
            let scales = (1.0 / ((n - 1.0) * (n - 2.0)), 1.0 / (n - 2.0));
            criterion(self.inner - traces, [&first, &second], scales) / (n * (n - 3.0))
        });
        // Rounding may produce a negative value.
        Dependence { biased: biased.max(0.0), unbiased }
    }
}

/// The sums of a task, over its rows and over its columns.
struct Part {
    rows: Range<usize>,
    cols: Range<usize>,
    inner: f64,
    of_rows: [Vec<f64>; 2],
    /// Without the tile on the diagonal.
    of_cols: [Vec<f64>; 2],
}

/// The buffers of a thread.
struct Buffers<T, U> {
    first: Scratch<T>,
    second: Scratch<U>,
    tiles: [Vec<f64>; 2],
}

fn sums<P: Points, Q: Points>(
    first: &Values<'_, P>,
    second: &Values<'_, Q>,
    n: usize,
) -> Result<Sums, Error> {
    let cuts = tile_ranges(n, edge(n));
    let tasks = tasks(cuts.len());
    let init = || Buffers {
        first: Scratch::new(),
        second: Scratch::new(),
        tiles: [Vec::new(), Vec::new()],
    };
    let work = |buffers: &mut Buffers<_, _>, (row, cols): (usize, Range<usize>)| {
        of_task(first, second, &cuts[row], &cuts[cols], buffers)
    };
    let mut sums = Sums { inner: 0.0, rows: [vec![0.0; n], vec![0.0; n]] };
    for round in tasks.chunks(ROUND) {
        for part in parallel::map_init(round.to_vec(), init, work) {
            let part = part?;
            sums.inner += part.inner;
            for k in 0..2 {
                let add = |(sum, part): (&mut f64, &f64)| *sum += part;
                sums.rows[k][part.rows.clone()].iter_mut().zip(&part.of_rows[k]).for_each(add);
                sums.rows[k][part.cols.clone()].iter_mut().zip(&part.of_cols[k]).for_each(add);
            }
        }
    }
    Ok(sums)
}

/// The sums of several adjacent tiles.
fn of_task<P: Points, Q: Points>(
    first: &Values<'_, P>,
    second: &Values<'_, Q>,
    rows: &Range<usize>,
    tiles: &[Range<usize>],
    buffers: &mut Buffers<P::Scalar, Q::Scalar>,
) -> Result<Part, Error> {
    let zeros = |length: usize| [vec![0.0; length], vec![0.0; length]];
    let cols = tiles[0].start..tiles[tiles.len() - 1].end;
    let (of_rows, of_cols) = (zeros(rows.len()), zeros(cols.len()));
    let mut part = Part { rows: rows.clone(), cols, inner: 0.0, of_rows, of_cols };
    let [mut of_row, mut of_other] = part.of_rows;
    let [mut of_col, mut of_other_col] = part.of_cols;
    for tile in tiles {
        let at = tile.start - part.cols.start..tile.end - part.cols.start;
        let [k, l] = &mut buffers.tiles;
        let of_cols = &mut of_col[at.clone()];
        first.fill(rows, tile, &mut buffers.first, k, &mut of_row, of_cols)?;
        let of_cols = &mut of_other_col[at.clone()];
        second.fill(rows, tile, &mut buffers.second, l, &mut of_other, of_cols)?;
        let times = if rows == tile { 1.0 } else { 2.0 };
        part.inner += times * f64::dot(k, l);
        if rows == tile {
            of_col[at.clone()].fill(0.0);
            of_other_col[at].fill(0.0);
        }
    }
    part.of_rows = [of_row, of_other];
    part.of_cols = [of_col, of_other_col];
    Ok(part)
}
