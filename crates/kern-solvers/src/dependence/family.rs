//! A two-sample test with several kernels at once.

use super::PermutationTest;

/// Several kernels of the same type, such as one with several bandwidths, or formulas.
#[derive(Clone, Debug, PartialEq)]
pub struct OnKernels<K> {
    kernels: Vec<K>,
}

impl<K> OnKernels<K> {
    /// These kernels.
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

/// The outcome of a test with several kernels.
///
/// # Definition
/// The statistics of each kernel, that of the data and those of the permutations, are divided by their deviation after their mean is
/// taken off; the statistic of the family is the greatest over kernels. All kernels see the same permutations, of which
/// that of the data is one like others, so the test has the level of a single one, without a correction for the number of
/// kernels; the tests of single kernels have it only for a kernel that was chosen before.
///
/// # References
/// Gretton, Borgwardt, Rasch, Schölkopf & Smola (2012), *A Kernel Two-Sample Test*, section 8, for the greatest over a family; Schrab,
/// Kim, Albert, Laurent, Guedj & Gretton (2023), *MMD Aggregated Two-Sample Test*, for other ways to the same.
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
        let mut greatest = vec![f64::NEG_INFINITY; single[0].permutations() + 1];
        let mut best = 0;
        let mut rounding = 0.0_f64;
        for (kernel, test) in single.iter().enumerate() {
            let (normalised, of_kernel) = normalise(test);
            rounding = rounding.max(of_kernel);
            if normalised[0] > greatest[0] {
                best = kernel;
            }
            greatest.iter_mut().zip(normalised).for_each(|(most, z)| *most = most.max(z));
        }
        Self { single, family: PermutationTest::new(greatest, rounding, seed), best }
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

    /// The tests of the single kernels, in their order.
    #[must_use]
    pub fn single(&self) -> &[PermutationTest] {
        &self.single
    }

    /// The index of the kernel with the greatest normalised statistic of the data.
    #[must_use]
    pub const fn best(&self) -> usize {
        self.best
    }
}

/// The statistics of a kernel, that of the data first, without their mean and by their deviation; and the rounding of one. All are zero
/// if the kernel cannot tell samples apart.
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
