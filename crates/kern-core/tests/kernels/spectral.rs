//! Tests of spectral samplers: by Bochner's theorem K(δ) = mass·E cos(ωᵀδ), so the mean over many
//! frequencies has to be within a computed distance of the kernel's value; the laws of the
//! coordinates; and the first frequencies of fixed seeds.
//!
//! Every statistical test states the probability with which a correct sampler fails it, over the
//! choice of seed; the seeds are fixed, so that the outcome does not change.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::kernels::{
    ArdRbf, Cauchy, Constant, Exponential, Laplacian, Matern, Matern32, Matern52, Periodic,
    RationalQuadratic, Rbf, Wave,
};
use kern_core::{Error, Kernel, Samples, Spectral};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Failure probability of each of the statistical tests below.
const FAILURE: f64 = 1e-6;

fn rbf(gamma: f64) -> Rbf {
    Rbf::new(gamma).unwrap()
}

fn laplacian(gamma: f64) -> Laplacian {
    Laplacian::new(gamma).unwrap()
}

/// `count` frequencies of dimension `dim`.
fn frequencies(kernel: &impl Spectral, dim: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let mut omega = vec![0.0; dim];
        kernel.add_frequency(&mut rng, &mut omega);
        omega
    };
    (0..count).map(|_| draw()).collect()
}

/// Hoeffding (1963): the mean of n independent terms in an interval of length `range` is farther
/// than this from its expectation with a probability below FAILURE/`tests`.
fn hoeffding(range: f64, n: usize, tests: usize) -> f64 {
    range * ((2.0 * tests as f64 / FAILURE).ln() / (2.0 * n as f64)).sqrt()
}

const COUNT: usize = 100_000;

/// The differences δ: near and far, along an axis, along the diagonal, of mixed signs.
const DELTAS: [[f64; 3]; 6] = [
    [0.1, 0.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, -0.5, 0.5],
    [-1.0, 0.3, 0.0],
    [1.0, 1.0, 1.0],
    [4.0, -3.0, 2.0],
];

#[track_caller]
fn assert_unbiased(kernel: &(impl Spectral + Kernel<Samples<f64>>), seed: u64) {
    let mass = kernel.mass();
    let omegas = frequencies(kernel, 3, COUNT, seed);
    assert!(omegas.iter().flatten().all(|w| w.is_finite()));
    let allowed = hoeffding(2.0 * mass, COUNT, DELTAS.len());
    for delta in DELTAS {
        let phase = |omega: &Vec<f64>| omega.iter().zip(delta).map(|(w, d)| w * d).sum::<f64>();
        let mean = omegas.iter().map(|omega| mass * phase(omega).cos()).sum::<f64>() / COUNT as f64;
        let expected = kernel.eval(&delta, &[0.0; 3]);
        let off = (mean - expected).abs();
        assert!(off <= allowed, "delta {delta:?}: {mean}, expected {expected}: {off} > {allowed}");
    }
}

#[test]
fn rbf_mean_cosine_within_hoeffding_of_kernel() {
    assert_unbiased(&rbf(0.5), 11);
    assert_unbiased(&rbf(0.02), 12);
    assert_unbiased(&rbf(7.0), 13);
}

#[test]
fn laplacian_mean_cosine_within_hoeffding_of_kernel() {
    assert_unbiased(&laplacian(1.0), 21);
    assert_unbiased(&laplacian(0.05), 22);
    assert_unbiased(&laplacian(3.0), 23);
}

#[test]
fn product_mean_cosine_within_hoeffding_of_kernel() {
    assert_unbiased(&(rbf(0.3) * laplacian(0.2)), 31);
    assert_unbiased(&(rbf(0.3) * rbf(0.2)), 32);
    assert_unbiased(&(laplacian(0.1) * laplacian(0.2) * rbf(0.1)), 33);
}

#[test]
fn sum_mixture_mean_cosine_within_hoeffding_of_kernel() {
    assert_unbiased(&(rbf(0.1) + laplacian(2.0)), 41);
    // Unequal masses: a mixture with weights ½ would be far off.
    assert_unbiased(&(0.1 * rbf(0.05) + 1.9 * laplacian(2.0)), 42);
    assert_unbiased(&(rbf(5.0) + 0.0 * rbf(0.01)), 43);
    assert_unbiased(&(0.0 * rbf(5.0) + rbf(0.01)), 44);
}

#[test]
fn scaled_and_nested_mean_cosine_within_hoeffding_of_kernel() {
    assert_unbiased(&(3.5 * rbf(0.2)), 51);
    assert_unbiased(&(0.5 * (rbf(0.2) + 2.0 * laplacian(0.3)) * rbf(0.1)), 52);
    assert_unbiased(&(rbf(0.2) + (laplacian(0.1) + 0.3 * rbf(3.0)) * (0.5 * laplacian(0.1))), 53);
}

#[test]
fn student_spectra_mean_cosine_within_hoeffding_of_kernel() {
    for (seed, rate) in [(101, 1.0), (102, 0.1), (103, 3.0)] {
        assert_unbiased(&Exponential::new(rate).unwrap(), seed);
        assert_unbiased(&Matern32::new(rate).unwrap(), seed + 10);
        assert_unbiased(&Matern52::new(rate).unwrap(), seed + 20);
    }
}

#[test]
fn other_spectra_mean_cosine_within_hoeffding_of_kernel() {
    for (seed, rate) in [(201, 1.0), (202, 0.1), (203, 3.0)] {
        assert_unbiased(&Cauchy::new(rate).unwrap(), seed);
        assert_unbiased(&RationalQuadratic::new(rate, 1.0).unwrap(), seed + 10);
        assert_unbiased(&RationalQuadratic::new(0.5, rate).unwrap(), seed + 20);
        assert_unbiased(&RationalQuadratic::new(40.0, rate).unwrap(), seed + 30);
        assert_unbiased(&ArdRbf::new(&[rate, 0.0, 0.3]).unwrap(), seed + 40);
    }
    assert_unbiased(&RationalQuadratic::new(0.05, 0.3).unwrap(), 299);
    for (seed, nu) in [(301, 0.3), (302, 1.0), (303, 7.7)] {
        assert_unbiased(&Matern::new(nu, 0.8).unwrap(), seed);
    }
    for (seed, period, length_scale) in [(311, 1.7, 1.0), (312, 0.9, 0.3), (313, 20.0, 2.0)] {
        assert_unbiased(&Periodic::new(period, length_scale).unwrap(), seed);
    }
    assert_unbiased(&Wave::new(&[0.13, 0.0, 0.7]).unwrap(), 321);
    let constant = frequencies(&Constant::new(0.3).unwrap(), 3, 5, 1).concat();
    assert!(constant.iter().all(|w| w.abs() <= 0.0));
    // A mean too great to count to: the law is normal.
    let sharp = frequencies(&Periodic::new(1.0, 1e-200).unwrap(), 2, 5, 1).concat();
    assert!(sharp.iter().all(|w| w.is_finite()));
}

/// The allowed distance is small enough to notice a wrong bandwidth: a mean within it of one kernel
/// is not within it of another that is more than twice as far away.
#[test]
fn confidence_interval_rejects_neighbouring_kernels() {
    let allowed = hoeffding(2.0, COUNT, DELTAS.len());
    let value = |kernel: &dyn Kernel<Samples<f64>>, delta: [f64; 3]| kernel.eval(&delta, &[0.0; 3]);
    let differ = |a: &dyn Kernel<Samples<f64>>, b: &dyn Kernel<Samples<f64>>| {
        DELTAS.iter().any(|&delta| (value(a, delta) - value(b, delta)).abs() > 2.0 * allowed)
    };
    assert!(differ(&rbf(0.5), &rbf(0.6)));
    assert!(differ(&laplacian(1.0), &laplacian(1.15)));
    assert!(differ(&rbf(0.5), &laplacian(0.5)));
}

/// mass = K(x, x), to a rounding per rule.
/// The interval tells the Matérn kernels, and shared from separate χ², apart: at some δ they differ
/// by more than twice its half width.
#[test]
fn confidence_interval_tells_matern_kernels_apart() {
    let allowed = 2.0 * hoeffding(2.0, COUNT, DELTAS.len());
    let differ = |a: &dyn Fn(&[f64; 3]) -> f64, b: &dyn Fn(&[f64; 3]) -> f64| {
        DELTAS.iter().any(|delta| (a(delta) - b(delta)).abs() > allowed)
    };
    let at = |k: &dyn Kernel<Samples<f64>>, delta: &[f64]| k.eval(delta, &vec![0.0; delta.len()]);
    let (m1, m3, m5) =
        (Exponential::new(1.0).unwrap(), Matern32::new(1.0).unwrap(), Matern52::new(1.0).unwrap());
    assert!(differ(&|d| at(&m1, d), &|d| at(&m3, d)));
    assert!(differ(&|d| at(&m3, d), &|d| at(&m5, d)));
    for k in [&m1 as &dyn Kernel<Samples<f64>>, &m3, &m5] {
        // One χ² per coordinate would give the product of kernels in one dimension.
        let separate = |d: &[f64; 3]| d.iter().map(|&d| k.eval(&[d], &[0.0])).product();
        assert!(differ(&|d| at(k, d), &separate));
    }
}

#[test]
fn mass_is_the_diagonal() {
    let x = [0.3, -2.0, 5.0];
    let check = |mass: f64, diagonal: f64| {
        assert!((mass - diagonal).abs() <= 4.0 * f64::EPSILON * diagonal, "{mass}, {diagonal}");
    };
    let composite = 0.5 * (rbf(0.2) + 2.0 * laplacian(0.3)) * rbf(0.1) + 0.7 * laplacian(1.0);
    check(composite.mass(), Kernel::<Samples<f64>>::eval(&composite, &x, &x));
    check(rbf(3.0).mass(), 1.0);
    check((0.25 * laplacian(3.0)).mass(), 0.25);
    check((rbf(1.0) + rbf(1.0)).mass(), 2.0);
}

/// The share of coordinates that `within` accepts is `expected` ± Hoeffding's bound. The three
/// coordinates of a frequency are independent, so all count.
#[track_caller]
fn assert_share(omegas: &[Vec<f64>], expected: f64, within: impl Fn(f64) -> bool) {
    let all: Vec<f64> = omegas.iter().flatten().copied().collect();
    let share = all.iter().filter(|&&w| within(w)).count() as f64 / all.len() as f64;
    let allowed = hoeffding(1.0, all.len(), 6);
    assert!((share - expected).abs() <= allowed, "{share}, expected {expected} ± {allowed}");
}

/// Cauchy(0, γ): the quartiles are ±γ, and |ω| > γ·tan(0.495π) has probability 0.01.
#[test]
fn laplacian_coordinates_have_cauchy_quartiles() {
    for (gamma, seed) in [(1.0, 61), (0.01, 62), (40.0, 63)] {
        let omegas = frequencies(&laplacian(gamma), 3, COUNT, seed);
        assert_share(&omegas, 0.25, |w| w < -gamma);
        assert_share(&omegas, 0.5, |w| w < 0.0);
        assert_share(&omegas, 0.75, |w| w < gamma);
        assert_share(&omegas, 0.01, |w| w.abs() > gamma * 63.656_741_162_871_58);
        // cos 2φ for the quantile angle: |ω| < γ(√2 − 1) has probability 1/4.
        assert_share(&omegas, 0.25, |w| w.abs() < gamma * (2.0_f64.sqrt() - 1.0));
        assert!(omegas.iter().flatten().all(|w| w.is_finite()));
    }
}

/// N(0, 2γ): quartiles ±0.6745·√(2γ), and 4.55 % beyond two standard deviations.
/// ω_j ~ Laplace(0, γ): quartiles ±γ·ln 2, and |ω_j| > γ·ln 100 has probability 0.01. The
/// coordinates are independent, so all count.
#[test]
fn cauchy_coordinates_have_laplace_quartiles() {
    for (gamma, seed) in [(1.0, 61), (0.01, 62), (40.0, 63)] {
        let all = frequencies(&Cauchy::new(gamma).unwrap(), 3, COUNT, seed).concat();
        let allowed = hoeffding(1.0, all.len(), 4);
        let share = |within: &dyn Fn(f64) -> bool, expected: f64| {
            let share = all.iter().filter(|&&w| within(w)).count() as f64 / all.len() as f64;
            assert!((share - expected).abs() <= allowed, "{share}, expected {expected}");
        };
        share(&|w| w < -gamma * 2.0_f64.ln(), 0.25);
        share(&|w| w < 0.0, 0.5);
        share(&|w| w < gamma * 2.0_f64.ln(), 0.75);
        share(&|w| w.abs() > gamma * 100.0_f64.ln(), 0.01);
    }
}

#[test]
fn rbf_coordinates_have_normal_quartiles() {
    for (gamma, seed) in [(0.5, 71), (1e-4, 72), (300.0, 73)] {
        let sigma = f64::sqrt(2.0 * gamma);
        let omegas = frequencies(&rbf(gamma), 3, COUNT, seed);
        assert_share(&omegas, 0.25, |w| w < -0.674_489_750_196_081_7 * sigma);
        assert_share(&omegas, 0.5, |w| w < 0.0);
        assert_share(&omegas, 0.75, |w| w < 0.674_489_750_196_081_7 * sigma);
        assert_share(&omegas, 0.045_500_263_896_358_42, |w| w.abs() > 2.0 * sigma);
        assert_share(&omegas, 0.002_699_796_063_260_189, |w| w.abs() > 3.0 * sigma);
    }
}

/// Signs of different coordinates are independent: the product of any two is fair.
#[test]
fn coordinates_have_independent_signs() {
    for omegas in [frequencies(&rbf(0.5), 3, COUNT, 81), frequencies(&laplacian(1.0), 3, COUNT, 82)]
    {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let mean = omegas.iter().map(|w| (w[a] * w[b]).signum()).sum::<f64>() / COUNT as f64;
            assert!(mean.abs() <= hoeffding(2.0, COUNT, 6), "coordinates {a}, {b}: {mean}");
        }
    }
}

/// A mixture draws whole frequencies: all coordinates come from one component. With scales 1 and
/// 10⁶ apart, no frequency has coordinates of both, and the share of each is its mass.
#[test]
fn sum_draws_whole_frequencies_by_mass() {
    let kernel = 3.0 * rbf(1e-12) + rbf(1e12);
    let omegas = frequencies(&kernel, 3, COUNT, 91);
    let small = |w: &f64| w.abs() < 1.0;
    let of_first = omegas.iter().filter(|omega| omega.iter().all(small)).count();
    let of_second =
        omegas.iter().filter(|omega| omega.iter().filter(|w| small(w)).count() <= 1).count();
    assert_eq!(of_first + of_second, COUNT);
    let share = of_first as f64 / COUNT as f64;
    assert!((share - 0.75).abs() <= hoeffding(1.0, COUNT, 1), "{share}");
}

/// The frequency is added to what is there, which the product rule needs.
#[test]
fn add_frequency_adds_to_what_is_there() {
    let composite = 0.5 * (rbf(0.2) + laplacian(0.3)) * rbf(0.1);
    for seed in 0..20 {
        let mut from_zero = [0.0; 3];
        composite.add_frequency(&mut ChaCha8Rng::seed_from_u64(seed), &mut from_zero);
        let mut from_there = [1.0, -20.0, 300.0];
        composite.add_frequency(&mut ChaCha8Rng::seed_from_u64(seed), &mut from_there);
        for ((there, start), zero) in from_there.iter().zip([1.0, -20.0, 300.0]).zip(from_zero) {
            // At most two additions, each rounded relative to the intermediate sum.
            let allowed = 4.0 * f64::EPSILON * (f64::abs(start) + zero.abs() + 10.0);
            assert!((there - start - zero).abs() <= allowed, "{there}, {start}, {zero}");
        }
    }
}

/// A boxed sampler draws the same bits, and scaling changes no frequency.
#[test]
fn boxed_and_scaled_samplers_draw_the_same_bits() {
    let boxed: Box<dyn Spectral> = Box::new(rbf(0.2) * laplacian(0.3));
    let expected = frequencies(&(rbf(0.2) * laplacian(0.3)), 5, 10, 5);
    assert_eq!(frequencies(&boxed, 5, 10, 5), expected);
    assert_eq!(frequencies(&(7.0 * (rbf(0.2) * laplacian(0.3))), 5, 10, 5), expected);
    assert_eq!(boxed.mass().to_bits(), 1.0_f64.to_bits());
}

#[test]
fn check_spectrum_negative_weight_is_refused_everywhere() {
    let bad = || -0.5 * rbf(1.0);
    assert!(bad().check_spectrum(3).is_err());
    assert!((rbf(1.0) + bad()).check_spectrum(3).is_err());
    assert!((bad() + rbf(1.0)).check_spectrum(3).is_err());
    assert!((rbf(1.0) * bad()).check_spectrum(3).is_err());
    assert!((bad() * rbf(1.0)).check_spectrum(3).is_err());
    assert!((2.0 * bad()).check_spectrum(3).is_err());
    let boxed: Box<dyn Spectral> = Box::new(bad());
    assert!(boxed.check_spectrum(3).is_err());
    assert_eq!((2.0 * (rbf(1.0) + laplacian(1.0)) * rbf(2.0)).check_spectrum(3), Ok(()));
}

#[test]
fn ard_frequencies_have_a_dimension() {
    let kernel = ArdRbf::new(&[1.0, 2.0]).unwrap();
    assert_eq!(kernel.check_spectrum(2), Ok(()));
    let error = (kernel + Rbf::new(1.0).unwrap()).check_spectrum(3).unwrap_err();
    assert!(matches!(error, Error::Dimension { expected: 2, given: 3, .. }));
}

/// The first two frequencies of seed 0. They are a promise: whoever stores a seed gets the same
/// random features from the next version, too. (To 8 eps, because `tan` and `ln` belong to the
/// platform.)
#[track_caller]
fn assert_pinned(kernel: &impl Spectral, expected: [[f64; 2]; 2]) {
    let given = frequencies(kernel, 2, 2, 0);
    for (given, expected) in given.iter().flatten().zip(expected.as_flattened()) {
        let allowed = 8.0 * f64::EPSILON * expected.abs();
        assert!((given - expected).abs() <= allowed, "{given:?}, pinned {expected:?}");
    }
}

#[test]
fn value_stability_rbf() {
    assert_pinned(
        &rbf(0.5),
        [
            [0.699_960_794_626_815_4, -0.144_061_635_427_847_64],
            [0.302_886_280_245_585_56, -1.374_513_899_829_971],
        ],
    );
}

#[test]
fn value_stability_laplacian() {
    assert_pinned(
        &laplacian(1.0),
        [
            [0.771_037_611_576_073_3, -0.107_470_986_725_445_8],
            [0.722_438_172_208_535_2, -5.226_911_739_284_725],
        ],
    );
}

#[test]
fn value_stability_product() {
    assert_pinned(
        &(rbf(0.5) * laplacian(1.0)),
        [
            [1.422_398_966_835_350_7, -5.370_973_374_712_573],
            [2.879_003_191_478_963_3, 4.972_393_865_417_984],
        ],
    );
}

#[test]
fn value_stability_sum() {
    assert_pinned(
        &(rbf(0.5) + 2.0 * laplacian(1.0)),
        [
            [-0.107_470_986_725_445_8, 0.722_438_172_208_535_2],
            [1.200_341_661_914_451, 0.110_781_355_835_143_2],
        ],
    );
}

#[test]
fn value_stability_others() {
    assert_pinned(
        &Exponential::new(1.0).unwrap(),
        [
            [-0.205_813_863_481_674_3, 0.432_718_921_646_275_35],
            [0.873_284_484_109_571, 0.080_596_751_949_068_67],
        ],
    );
    assert_pinned(
        &Matern32::new(1.0).unwrap(),
        [
            [-3.067_278_677_537_503, 2.678_606_877_533_625_6],
            [1.099_523_503_944_426_9, -2.115_919_000_587_918_5],
        ],
    );
    assert_pinned(
        &Matern52::new(1.0).unwrap(),
        [
            [0.124_915_027_493_249_59, 1.531_137_494_388_063_8],
            [0.045_366_931_760_518_17, -0.178_433_399_096_407_2],
        ],
    );
    assert_pinned(
        &RationalQuadratic::new(2.0, 1.0).unwrap(),
        [
            [0.354_743_444_808_737_1, -1.609_844_445_142_318],
            [1.858_429_711_353_282, 1.358_915_528_345_581_4],
        ],
    );
    assert_pinned(
        &Cauchy::new(1.0).unwrap(),
        [
            [0.541_544_024_379_785_9, -0.070_590_456_325_707_96],
            [0.507_973_836_229_382_9, -2.117_414_837_029_695],
        ],
    );
    assert_pinned(
        &ArdRbf::new(&[0.5, 2.0]).unwrap(),
        [
            [0.699_960_794_626_815_4, -0.288_123_270_855_695_3],
            [0.302_886_280_245_585_56, -2.749_027_799_659_942],
        ],
    );
}
