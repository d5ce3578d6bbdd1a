//! Permutation tests: their p-values, for one kernel or for a family of kernels.

use crate::{Error, tolerance};

/// The outcome of a permutation test.
///
/// # Definition
/// p = (1 + #{b : T_b ≥ T})/(1 + B) for the statistic T of the data and T_b of B permutations.
/// Under the null hypothesis all of them are exchangeable, so that p ≤ a with a probability of at
/// most a. Statistics that differ only by rounding errors count as equal.
///
/// # References
/// Phipson & Smyth (2010), *Permutation P-values Should Never Be Zero*.
#[derive(Clone, Debug, PartialEq)]
pub struct PermutationTest {
    statistic: f64,
    null: Vec<f64>,
    rounding: f64,
    p_value: f64,
    seed: u64,
}

impl PermutationTest {
    /// The test of the first statistic against the others; differences up to `rounding` count as
    /// ties.
    pub(super) fn new(mut statistics: Vec<f64>, rounding: f64, seed: u64) -> Self {
        let null = statistics.split_off(1);
        let statistic = statistics[0];
        let reached = null.iter().filter(|&&other| other >= statistic - rounding).count();
        let p_value = (reached + 1) as f64 / (null.len() + 1) as f64;
        Self { statistic, null, rounding, p_value, seed }
    }

    /// The statistic of the data.
    #[must_use]
    pub const fn statistic(&self) -> f64 {
        self.statistic
    }

    /// The p-value: the fraction of statistics, that of the data included, which are at least that
    /// of the data.
    #[must_use]
    pub const fn p_value(&self) -> f64 {
        self.p_value
    }

    /// The null distribution: the statistics of the permutations, in the order of drawing.
    #[must_use]
    pub fn null(&self) -> &[f64] {
        &self.null
    }

    /// The difference up to which statistics count as ties.
    const fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The number B of permutations.
    #[must_use]
    pub fn permutations(&self) -> usize {
        self.null.len()
    }

    /// The seed of the permutations.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

/// The outcome of a test with several kernels.
///
/// # Definition
/// The statistics of each kernel, that of the data and those of the permutations, are standardised
/// by their mean and standard deviation. The statistic of the family is the maximum over kernels.
/// All kernels use the same permutations, and the order of the data is exchangeable with them. So
/// the test keeps the level of a single test without a correction for the number of kernels. The
/// tests of single kernels keep it only for a kernel that was chosen before.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, section 8, for
/// the maximum over a family; Schrab, Kim, Albert, Laurent, Guedj & Gretton (2023), *MMD Aggregated
/// Two-Sample Test*, for alternatives.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::dependence::MmdTest;
/// let wave = |i: i32, rate: f64| (rate * f64::from(i)).sin();
/// let points = |spread: f64| {
///     Samples::from_rows(&(0..60).map(|i| [wave(i, 1.3 + spread) + spread * wave(i, 40.0)]).collect::<Vec<_>>())
/// };
/// let kernels = [0.01, 1.0, 100.0].map(Rbf::new).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let family = MmdTest::on_kernels(kernels).permutations(199).test(&points(0.0)?, &points(1.0)?)?;
/// assert!(family.p_value() < 0.05);
/// assert_eq!(family.single().len(), 3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyTest {
    single: Vec<PermutationTest>,
    family: PermutationTest,
    best: usize,
}

impl FamilyTest {
    pub(super) fn new(single: Vec<PermutationTest>, seed: u64) -> Self {
        let mut largest = vec![f64::NEG_INFINITY; single[0].permutations() + 1];
        let mut best = 0;
        let mut rounding = 0.0_f64;
        for (kernel, test) in single.iter().enumerate() {
            let (normalised, of_kernel) = normalise(test);
            rounding = rounding.max(of_kernel);
            if normalised[0] > largest[0] {
                best = kernel;
            }
            largest.iter_mut().zip(normalised).for_each(|(most, z)| *most = most.max(z));
        }
        Self { single, family: PermutationTest::new(largest, rounding, seed), best }
    }

    /// The test of the family.
    #[must_use]
    pub const fn family(&self) -> &PermutationTest {
        &self.family
    }

    /// The p-value of the family.
    #[must_use]
    pub const fn p_value(&self) -> f64 {
        self.family.p_value()
    }

    /// The tests of the single kernels, in the given order.
    #[must_use]
    pub fn single(&self) -> &[PermutationTest] {
        &self.single
    }

    /// The index of the kernel with the largest standardised statistic on the data.
    #[must_use]
    pub const fn best(&self) -> usize {
        self.best
    }
}

/// Several kernels of the same type, such as one kernel with several bandwidths, or formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct OnKernels<K> {
    kernels: Vec<K>,
}

impl<K> OnKernels<K> {
    /// A family of these kernels.
    #[must_use]
    pub const fn new(kernels: Vec<K>) -> Self {
        Self { kernels }
    }

    /// The kernels.
    #[must_use]
    pub fn kernels(&self) -> &[K] {
        &self.kernels
    }
}

/// The standardised statistics of a kernel, that of the data first, and the rounding error of one.
/// All are zero if the statistics differ only by rounding errors.
fn normalise(test: &PermutationTest) -> (Vec<f64>, f64) {
    let all = || [test.statistic()].into_iter().chain(test.null().iter().copied());
    let count = (test.permutations() + 1) as f64;
    let mean = all().sum::<f64>() / count;
    let deviation = (all().map(|t| (t - mean).powi(2)).sum::<f64>() / count).sqrt();
    if deviation <= test.rounding() {
        return (vec![0.0; test.permutations() + 1], 0.0);
    }
    (all().map(|t| (t - mean) / deviation).collect(), test.rounding() / deviation)
}

/// The number of permutations, and their seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PermutationSettings {
    pub(super) permutations: usize,
    pub(super) seed: u64,
}

impl Default for PermutationSettings {
    fn default() -> Self {
        Self { permutations: tolerance::PERMUTATIONS, seed: 0 }
    }
}

impl PermutationSettings {
    /// Refuses a test without permutations, which could never reject.
    pub(super) fn check(&self) -> Result<(), Error> {
        Error::check_positive("permutations", self.permutations)
    }
}

/// Refuses samples that are too small.
pub(super) fn check_size(
    given: usize,
    smallest: usize,
    allowed: &'static str,
) -> Result<(), Error> {
    match given >= smallest {
        true => Ok(()),
        false => Err(Error::Count { name: "the number of points of a sample", given, allowed }),
    }
}
