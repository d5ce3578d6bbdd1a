//! The test of independence by permutations.

use super::factors::Factors;
use super::hsic::check_pairs;
use super::permutation::{PermutationTest, Settings, check_size};
use super::stored::Stored;
use crate::differences::FromOrigin;
use crate::plan::{Count, Effort, Way, Work, within};
use crate::{Error, Progress, Run, tolerance};
use kern_core::{Mercer, Points};
use kern_gram::{parallel, tile_ranges};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Permutations between two looks at the observer, and terms of all of them, unless threads would have none.
const ROUND: usize = 64;
const TERMS: usize = 1 << 30;

/// A test of the hypothesis that the parts of pairs are independent, by permutations of the second parts.
///
/// # Definition
/// The statistic is the biased estimate tr(KHLH)/n² of the Hilbert–Schmidt independence criterion ([`hsic`](super::hsic())); a permutation
/// puts other second parts beside the first ones.
///
/// # Complexity
/// With both kernel matrices in memory, n² numbers each, n²/2 terms for each permutation. If the memory of the run is less, matrices of
/// low rank stand for them, pivoted Cholesky factors F and G that leave a thousandth of the trace: the statistic is then
/// ‖FᵀHG‖²/n², with 2n·r·s flops for each permutation of ranks r and s. The test has its level with either. The same seed gives
/// the same bits, for any number of threads, in memory that has the same way.
///
/// # References
/// Gretton, Fukumizu, Teo, Song, Schölkopf & Smola (2008), *A Kernel Statistical Test of Independence*.
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
    settings: Settings,
}

impl<K, L> HsicTest<K, L> {
    /// The test with these kernels of the first and the second parts.
    pub fn on_kernels(first: K, second: L) -> Self {
        Self { kernels: (first, second), settings: Settings::default() }
    }

    /// The number of permutations. Default: 999.
    #[must_use]
    pub fn permutations(mut self, permutations: usize) -> Self {
        self.settings.permutations = permutations;
        self
    }

    /// The seed of the permutations, and of the pivots if there are any. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// The test, in a run of defaults.
    ///
    /// # Errors
    /// As [`run`](HsicTest::run).
    pub fn test<P: Points, Q: Points>(&self, x: &P, y: &Q) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        self.run((x, y), &mut Run::new())
    }

    /// The test, within the memory and the time of a run, whose observer sees the permutations.
    ///
    /// # Errors
    /// [`Error::Count`] for less than two pairs, or no permutation; [`Error::Length`] unless there are as many y as x; [`Error::Core`] if a
    /// kernel refuses its points; [`Error::Gram`] if neither matrices nor factors fit into the memory, or for values that are
    /// not finite; [`Error::TooLong`]; [`Error::Stopped`].
    pub fn run<P: Points, Q: Points>(
        &self,
        (x, y): (&P, &Q),
        run: &mut Run<'_>,
    ) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
        L: Mercer<Q>,
    {
        self.settings.check()?;
        let n = check_pairs(x.len(), y.len())?;
        check_size(n, 2, "at least 2")?;
        // Centred matrices are the same from whatever point the features are seen.
        let of = (FromOrigin::new(&self.kernels.0, x)?, FromOrigin::new(&self.kernels.1, y)?);
        let first: &dyn Mercer<P> = of.0.as_ref().map_or(&self.kernels.0, |from| from);
        let second: &dyn Mercer<Q> = of.1.as_ref().map_or(&self.kernels.1, |from| from);
        let (first, second) = (&first, &second);
        let (budget, count) = (run.budget(), self.settings.permutations as f64);
        let within = |parts: Vec<(Work, Count)>, way: Way, run: &Run<'_>| {
            let effort = Effort::counted(way, parts);
            within((run.predicted_limit(), &budget), (first, x), &[effort], &[])
        };
        let square = (n as f64).powi(2);
        if budget.fits(Stored::bytes::<P, Q>(n)) {
            let values = (Work::KernelValues, Count::values(square));
            let parts = vec![values, (Work::Products, Count::numbers(0.5 * count * square))];
            within(parts, Way::GramCached, run)?;
            let stored = Stored::new((first, x), (second, y), &budget)?;
            return self.permute(n, stored.greatest(), &|order| stored.statistic(order), run);
        }
        let factors = Factors::new((first, x), (second, y), self.settings.seed, &budget)?;
        let parts = vec![(Work::Products, Count::flops(count * factors.flops()))];
        within(parts, Way::Landmarks, run)?;
        self.permute(n, factors.greatest(), &|order| factors.statistic(order), run)
    }

    /// The statistics of the order that is given, and of permutations.
    fn permute(
        &self,
        n: usize,
        greatest: f64,
        statistic: &(dyn Fn(&[u32]) -> Result<f64, Error> + Sync),
        run: &mut Run<'_>,
    ) -> Result<PermutationTest, Error> {
        let Settings { permutations, seed } = self.settings;
        if u32::try_from(n).is_err() {
            let (name, allowed) = ("pairs", "at most 2^32 − 1");
            return Err(Error::Count { name, given: n, allowed });
        }
        let mut statistics = Vec::with_capacity(permutations + 1);
        let threads = parallel::threads();
        let most = (TERMS / n.saturating_mul(n).max(1)).clamp(threads, ROUND.max(threads));
        for round in tile_ranges(permutations + 1, most) {
            let of_number = |order: &mut Vec<u32>, number: usize| {
                shuffle(order, n as u32, (seed, number as u64));
                statistic(order)
            };
            for found in parallel::map_init(round.clone().collect(), Vec::new, of_number) {
                statistics.push(found?);
            }
            let (done, total) = (round.end, permutations + 1);
            let progress = Progress { iteration: done, total, loss: 0.0 };
            if run.observe(&progress).is_break() && done < total {
                return Err(Error::Stopped { done, total });
            }
        }
        Ok(PermutationTest::new(statistics, tolerance::tie::<f64>(greatest), seed))
    }
}

/// The numbers up to n, in their order for number 0, else in a random one (Fisher & Yates).
fn shuffle(order: &mut Vec<u32>, n: u32, (seed, number): (u64, u64)) {
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
