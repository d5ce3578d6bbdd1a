//! The maximum mean discrepancy (MMD) of two samples: its estimates, and the permutation test.
//!
//! ‖mean φ(x) − mean φ(y)‖² is a quadratic form of the kernel matrix of the pooled points. One pass
//! over the kernel values computes it for the given samples and for all permutations.

use super::mmd_of_features::Sketched;
use super::permutation_test::{
    FamilyTest, OnKernels, PermutationSettings, PermutationTest, check_size,
};
use super::pooled::{Pooled, Sums};
use super::splits::{Splits, gcd};
use crate::differences::ByDifferences;
use crate::space::{OnFeatures, OnKernel};
use crate::{Error, Run, tolerance};
use kern_core::{FeatureMap, Mercer, Points, Scalar};

/// Two estimates of the squared maximum mean discrepancy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    biased: f64,
    unbiased: Option<f64>,
}

impl Discrepancy {
    /// The biased estimate (V-statistic): the squared distance between the sample means in feature
    /// space. It is never negative, and 0 for equal samples.
    #[must_use]
    pub const fn biased(&self) -> f64 {
        self.biased
    }

    /// The unbiased estimate (U-statistic), which may be negative. `None` for a sample of one
    /// point.
    #[must_use]
    pub const fn unbiased(&self) -> Option<f64> {
        self.unbiased
    }
}

/// The squared maximum mean discrepancy of two samples.
///
/// # Definition
/// For m points x and n points y the biased estimate is ΣᵢⱼK(xᵢ, xⱼ)/m² + ΣᵢⱼK(yᵢ, yⱼ)/n² −
/// 2ΣᵢⱼK(xᵢ, yⱼ)/(mn). The unbiased one omits i = j within a sample, and divides by m(m − 1) and
/// n(n − 1) instead of m² and n².
///
/// # Complexity
/// (m + n)²/2 kernel values, which are not stored.
///
/// # Errors
/// [`Error::Empty`] for an empty sample; [`Error::Core`] if the kernel refuses the points;
/// [`Error::Gram`] for non-finite values.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, (3) and (5).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::dependence::mmd;
/// let x = Samples::from_rows(&[[1.0], [3.0]])?;
/// let y = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let found = mmd(&Linear, &x, &y)?;
/// // (2 − 1)², and 1·3 + (0·1 + 0·2 + 1·2)/3 − 2·2·1 without the points' own products.
/// assert!((found.biased() - 1.0_f64).abs() < 1e-15);
/// assert!((found.unbiased().unwrap() + 1.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "maximum mean discrepancy")]
pub fn mmd<P: Points, K: Mercer<P>>(kernel: &K, x: &P, y: &P) -> Result<Discrepancy, Error> {
    let compared = ByDifferences::of(kernel);
    let pooled = Pooled::new(kernel, &compared, x, y)?;
    let splits = Splits::draw(pooled.sizes(), 0, 0);
    let sums = pooled.sums(&splits, &mut Run::new())?;
    Ok(of_split(&sums, &splits, 0))
}

/// The MMD permutation test of two samples: the null hypothesis is that their distributions are
/// equal.
///
/// # Definition
/// The statistic is the unbiased estimate of the squared maximum mean discrepancy
/// ([`mmd`](super::mmd())). A permutation splits the pooled points at random into two samples of
/// the given sizes. [`on_kernel`](MmdTest::on_kernel) and [`on_features`](MmdTest::on_features)
/// return a [`PermutationTest`], [`on_kernels`](MmdTest::on_kernels) a [`FamilyTest`].
///
/// # Complexity
/// For N pooled points and B permutations: N²/2 kernel values, each computed once and not stored,
/// N²B flops, half of those of a product of the kernel matrix with B vectors, and N(B + 1) bits of
/// memory. On features: 2NDB flops and D(B + 1) entries. The same seed gives the same bits for any
/// number of threads.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::dependence::MmdTest;
/// let points = |rate: f64, spread: f64| {
///     let wave = |i: i32| [spread * (rate * f64::from(i)).sin()];
///     Samples::from_rows(&(0..60).map(wave).collect::<Vec<_>>())
/// };
/// let (x, y, z) = (points(1.3, 1.0)?, points(1.7, 1.0)?, points(2.3, 2.0)?);
/// let test = MmdTest::on_kernel(Rbf::new(1.0)?).permutations(199);
/// assert!(test.test(&x, &y)?.p_value() > 0.2);
/// // The same mean, but another variance.
/// assert_eq!(test.test(&x, &z)?.p_value(), 1.0 / 200.0);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "MMD")]
#[doc(alias = "maximum mean discrepancy")]
#[doc(alias = "two-sample test")]
#[derive(Clone, Debug, PartialEq)]
pub struct MmdTest<S> {
    space: S,
    settings: PermutationSettings,
}

impl<K> MmdTest<OnKernel<K>> {
    /// The test with this kernel.
    pub fn on_kernel(kernel: K) -> Self {
        Self { space: OnKernel::new(kernel), settings: PermutationSettings::default() }
    }
}

impl<M> MmdTest<OnFeatures<M>> {
    /// The test with this feature map, in time linear in the number of points.
    pub fn on_features(map: M) -> Self {
        Self { space: OnFeatures::new(map), settings: PermutationSettings::default() }
    }
}

impl<K> MmdTest<OnKernels<K>> {
    /// The test with several kernels at once, at the level of a single test: see [`FamilyTest`].
    #[must_use]
    pub fn on_kernels(kernels: Vec<K>) -> Self {
        Self { space: OnKernels::new(kernels), settings: PermutationSettings::default() }
    }
}

impl<S> MmdTest<S> {
    /// The number of permutations. Default: 999.
    #[must_use]
    pub fn permutations(mut self, permutations: usize) -> Self {
        self.settings.permutations = permutations;
        self
    }

    /// The seed of the permutations. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// The kernel, the kernels or the feature map.
    pub const fn space(&self) -> &S {
        &self.space
    }
}

impl<K> MmdTest<OnKernel<K>> {
    /// Runs the test with default memory and time limits.
    ///
    /// # Errors
    /// As [`run`](MmdTest::run).
    pub fn test<P: Points>(&self, x: &P, y: &P) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
    {
        self.run(x, y, &mut Run::new())
    }

    /// Runs the test within the memory and time limits of a run, whose observer is called as tiles
    /// of the kernel matrix are done.
    ///
    /// # Errors
    /// [`Error::Count`] for a sample of fewer than two points, or no permutations; [`Error::Core`]
    /// if the kernel refuses the points; [`Error::Gram`] beyond the memory, or for non-finite
    /// values; [`Error::TooLong`]; [`Error::Stopped`].
    pub fn run<P: Points>(&self, x: &P, y: &P, run: &mut Run<'_>) -> Result<PermutationTest, Error>
    where
        K: Mercer<P>,
    {
        self.check(x, y)?;
        let compared = ByDifferences::of(&self.space.kernel);
        let pooled = Pooled::new(&self.space.kernel, &compared, x, y)?;
        let splits = self.draw(&pooled, run)?;
        self.permute(&pooled, &splits, run)
    }
}

impl<M> MmdTest<OnFeatures<M>> {
    /// Runs the test with default memory and time limits.
    ///
    /// # Errors
    /// As [`run`](MmdTest::run).
    pub fn test<P: Points>(&self, x: &P, y: &P) -> Result<PermutationTest, Error>
    where
        M: FeatureMap<P>,
    {
        self.run(x, y, &mut Run::new())
    }

    /// Runs the test within the memory of a run.
    ///
    /// # Errors
    /// [`Error::Count`] for a sample of fewer than two points, or no permutations; [`Error::Core`]
    /// if the map refuses the points, or for non-finite features; [`Error::Gram`] beyond the
    /// memory; [`Error::Stopped`].
    pub fn run<P: Points>(&self, x: &P, y: &P, run: &mut Run<'_>) -> Result<PermutationTest, Error>
    where
        M: FeatureMap<P>,
    {
        let PermutationSettings { permutations, seed } = self.settings;
        self.check(x, y)?;
        let sketched = Sketched::new(&self.space.map, x, y, permutations, run)?;
        let splits = Splits::draw([x.len(), y.len()], permutations, seed);
        let sums = sketched.sums(&splits, run)?;
        let found = (0..splits.count()).map(|split| sums.of_split(&splits, split));
        Ok(tested::<P::Scalar>(found, sums.largest(), seed))
    }
}

impl<K> MmdTest<OnKernels<K>> {
    /// Runs the test with default memory and time limits.
    ///
    /// # Errors
    /// As [`run`](MmdTest::run).
    pub fn test<P: Points>(&self, x: &P, y: &P) -> Result<FamilyTest, Error>
    where
        K: Mercer<P>,
    {
        self.run(x, y, &mut Run::new())
    }

    /// Runs the test within the memory and, for each kernel, the time limit of a run.
    ///
    /// # Errors
    /// [`Error::Count`] without kernels; else as for a single kernel.
    pub fn run<P: Points>(&self, x: &P, y: &P, run: &mut Run<'_>) -> Result<FamilyTest, Error>
    where
        K: Mercer<P>,
    {
        let kernels = self.space.kernels();
        Error::check_positive("kernels", kernels.len())?;
        self.check(x, y)?;
        // All kernels use the same splits.
        let (mut splits, mut single) = (None, Vec::with_capacity(kernels.len()));
        for kernel in kernels {
            let compared = ByDifferences::of(kernel);
            let pooled = Pooled::new(kernel, &compared, x, y)?;
            let splits = match &mut splits {
                Some(splits) => splits,
                None => splits.insert(self.draw(&pooled, run)?),
            };
            single.push(self.permute(&pooled, splits, run)?);
        }
        Ok(FamilyTest::new(single, self.settings.seed))
    }
}

impl<S> MmdTest<S> {
    fn check<P: Points>(&self, x: &P, y: &P) -> Result<(), Error> {
        self.settings.check()?;
        [x, y].iter().try_for_each(|points| check_size(points.len(), 2, "at least 2"))
    }

    /// Draws the splits; an error if memory or time do not suffice for the test.
    fn draw<P: Points>(&self, pooled: &Pooled<'_, P>, run: &Run<'_>) -> Result<Splits, Error> {
        let PermutationSettings { permutations, seed } = self.settings;
        pooled.check_resources(permutations, run)?;
        Ok(Splits::draw(pooled.sizes(), permutations, seed))
    }

    fn permute<P: Points>(
        &self,
        pooled: &Pooled<'_, P>,
        splits: &Splits,
        run: &mut Run<'_>,
    ) -> Result<PermutationTest, Error> {
        let sums = pooled.sums(splits, run)?;
        let found = (0..splits.count()).map(|split| of_split(&sums, splits, split));
        // Kernel values are bounded by the diagonal; distances, whose diagonal is 0, are of the
        // size of their means.
        let [m, n] = pooled.sizes();
        let means = sums.rows.iter().map(|sum| sum / (m + n) as f64);
        let all = sums.diagonal.iter().copied().chain(means);
        let largest = all.fold(0.0, |most: f64, value| most.max(value.abs()));
        Ok(tested::<P::Scalar>(found, largest, self.settings.seed))
    }
}

/// The test of the first estimate against the others, for kernel values up to `largest`.
fn tested<T: Scalar>(
    found: impl Iterator<Item = Discrepancy>,
    largest: f64,
    seed: u64,
) -> PermutationTest {
    let statistics = found.map(|found| found.unbiased().unwrap_or(f64::NAN)).collect();
    PermutationTest::new(statistics, tolerance::tie::<T>(largest), seed)
}

/// The discrepancy of a split.
fn of_split(sums: &Sums, splits: &Splits, split: usize) -> Discrepancy {
    let [m, n] = splits.sizes();
    let scale = (gcd(m, n) as f64 / (m as f64 * n as f64)).powi(2);
    let biased = scale * sums.quadratic[split];
    let (m, n) = (m as f64, n as f64);
    let (all, own) = (sums.rows.iter().sum::<f64>(), sums.diagonal.iter().sum::<f64>());
    let first = splits.sum(split, &sums.rows);
    let rest = all - 2.0 * first;
    let within = (biased - rest / (n * n) + 2.0 * first / (m * n)) / (1.0 / m + 1.0 / n).powi(2);
    let own_first = splits.sum(split, &sums.diagonal);
    let traces = [own_first, own - own_first];
    estimates(biased, splits.sizes(), [within, rest + within], traces)
}

/// Both estimates, from the biased one, the sums of kernel values within each sample, and the
/// diagonal sums `own` among them.
pub(super) fn estimates(
    biased: f64,
    sizes: [usize; 2],
    within: [f64; 2],
    own: [f64; 2],
) -> Discrepancy {
    let correction = |sample: usize| {
        let n = sizes[sample] as f64;
        (within[sample] / n - own[sample]) / (n * (n - 1.0))
    };
    let enough = sizes.iter().all(|&size| size > 1);
    let unbiased = enough.then(|| biased + correction(0) + correction(1));
    // Rounding may produce a negative value.
    Discrepancy { biased: biased.max(0.0), unbiased }
}
