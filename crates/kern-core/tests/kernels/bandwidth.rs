//! Tests of bandwidths from data: values of numpy and scikit-learn, laws, sampling, errors.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::Vectors;
use kern_core::bandwidth::{
    PAIRS, median_gamma, median_gamma_weighted, quantile_gammas, quantile_gammas_weighted,
    scale_gamma, scale_gamma_weighted,
};
use kern_core::{Error, Points, Samples, Scalar, SparseSamples};
use proptest::prelude::*;

/// The data of the golden values: 60 points on a grid, one coordinate of every fourth zero, and
/// 13 pairs that coincide.
fn grid<T: Scalar>() -> Samples<T> {
    let value = |i: usize, j: usize| ((7 * i * i + 3 * i * j + 11 * j) % 37) as f64 / 8.0 - 2.0;
    let mut rows: Vec<Vec<f64>> = (0..60).map(|i| (0..3).map(|j| value(i, j)).collect()).collect();
    rows.iter_mut().step_by(4).for_each(|row| row[1] = 0.0);
    rows[5] = rows[17].clone();
    let values = rows.concat().into_iter().map(T::from_f64).collect();
    Samples::from_row_major(3, values).unwrap()
}

fn sparse<T: Scalar>(points: &Samples<T>) -> SparseSamples<T> {
    SparseSamples::from_dense(points).unwrap()
}

#[track_caller]
fn assert_close(given: &[f64], expected: &[f64]) {
    assert_eq!(given.len(), expected.len());
    for (given, expected) in given.iter().zip(expected) {
        assert!((given - expected).abs() <= 1e-13 * expected, "{given} instead of {expected}");
    }
}

/// From Python 3.11, numpy 2.4.6 and scikit-learn 1.9.1, which also says `SVC(gamma="scale")`.fit(x,
/// y)._gamma = 0.1976065930616414:
/// ```python
/// x = np.array([[((7*i*i + 3*i*j + 11*j) % 37) / 8 - 2 for j in range(3)] for i in range(60)])
/// x[np.arange(60) % 4 == 0, 1] = 0; x[5] = x[17]
/// i, j = np.triu_indices(60, 1); d2 = ((x[i] - x[j]) ** 2).sum(1)
/// [1 / np.quantile(d2[d2 > 0], q) for q in (0, 0.1, 0.37, 0.5, 0.9, 1)], 1 / (3 * x.var())
/// ```
fn matches_numpy<P: Vectors>(points: &P) {
    let quantiles = [0.0, 0.1, 0.37, 0.5, 0.9, 1.0];
    let expected = [
        16.0,
        0.481_203_007_518_796_97,
        0.167_979_002_624_671_9,
        0.121_904_761_904_761_9,
        0.049_344_641_480_339_24,
        0.021_031_876_437_725_93,
    ];
    assert_close(&quantile_gammas(points, &quantiles, 7).unwrap(), &expected);
    assert_close(&[median_gamma(points, 9).unwrap()], &[expected[3]]);
    assert_close(&[scale_gamma(points).unwrap()], &[0.197_606_593_061_641_4]);
    assert_eq!(quantile_gammas(points, &[], 0).unwrap(), [0.0; 0]);
}

#[test]
fn gammas_of_a_grid_match_numpy() {
    // Coordinates are multiples of 1/8, so all is exact in f32, too.
    matches_numpy(&grid::<f64>());
    matches_numpy(&grid::<f32>());
    matches_numpy(&sparse(&grid::<f64>()));
    matches_numpy(&sparse(&grid::<f32>()));
}

/// n points of the line, of which distances have the law of |U − V|.
fn line(n: usize) -> Samples<f64> {
    Samples::from_row_major(1, (0..n).map(|i| i as f64 / n as f64).collect()).unwrap()
}

/// P(|U − V| ≤ t) = 1 − (1 − t)². By Hoeffding, the share of sampled pairs below the p-quantile is p
/// ± √(ln(2/10⁻⁶)/(2·PAIRS)) but for a probability of 10⁻⁶ per seed.
#[test]
fn sampled_quantiles_are_near_those_of_all_pairs() {
    let points = line(20_000);
    let off = ((2.0 / 1e-6_f64).ln() / (2.0 * PAIRS as f64)).sqrt();
    for seed in 0..20 {
        for p in [0.1, 0.5, 0.9] {
            let gamma = quantile_gammas(&points, &[p], seed).unwrap()[0];
            let t = gamma.sqrt().recip();
            let share = 1.0 - (1.0 - t) * (1.0 - t);
            assert!((share - p).abs() <= off + 1e-3, "seed {seed}: {share} instead of {p} ± {off}");
        }
    }
}

#[test]
fn sampling_depends_on_the_seed_alone() {
    let points = line(20_000);
    let first = median_gamma(&points, 1).unwrap();
    assert_eq!(median_gamma(&points, 1).unwrap().to_bits(), first.to_bits());
    assert_eq!(median_gamma(&sparse(&points), 1).unwrap().to_bits(), first.to_bits());
    assert_ne!(median_gamma(&points, 2).unwrap().to_bits(), first.to_bits());
    // Up to 91 points, all pairs are taken.
    let few = points.select(&(0..91).collect::<Vec<_>>()).unwrap();
    assert_eq!(median_gamma(&few, 1).unwrap().to_bits(), median_gamma(&few, 2).unwrap().to_bits());
}

/// A promise: whoever stores a seed gets the same γ from the next version, too.
#[test]
fn value_stability_of_sampled_gammas() {
    let gammas = quantile_gammas(&line(20_000), &[0.1, 0.5, 0.9], 0).unwrap();
    assert_close(&gammas, &[331.783_627_307_451_07, 11.612_660_296_445_089, 2.057_093_810_736_739]);
}

#[test]
fn data_without_spread_is_a_typed_error() {
    let rows = |rows: &[[f64; 2]]| Samples::from_rows(rows).unwrap();
    let empty = Samples::<f64>::from_row_major(2, Vec::new()).unwrap();
    for (points, count) in [
        (empty, 0),
        (rows(&[[1.0, 2.0]]), 1),
        (rows(&[[1.0, 2.0]; 5]), 5),
        (rows(&[[0.0; 2]; 200]), 200),
    ] {
        let error = Error::NoSpread { points: count };
        assert_eq!(median_gamma(&points, 0), Err(error.clone()));
        assert_eq!(quantile_gammas(&sparse(&points), &[0.5], 0), Err(error));
    }
    // Equal coordinates whose mean is rounded.
    let constant = rows(&[[0.1; 2]; 7]);
    assert_eq!(scale_gamma(&constant), Err(Error::NoSpread { points: 7 }));
    assert_eq!(scale_gamma(&sparse(&constant)), Err(Error::NoSpread { points: 7 }));
    assert_eq!(scale_gamma(&sparse(&rows(&[[0.0; 2]; 3]))), Err(Error::NoSpread { points: 3 }));
    let message = "the 3 points have no spread to take a bandwidth from";
    assert_eq!(Error::NoSpread { points: 3 }.to_string(), message);
}

#[test]
fn impossible_quantiles_and_scales_are_typed_errors() {
    for given in [-0.1, 1.1, f64::NAN] {
        let error = quantile_gammas(&line(5), &[0.5, given], 0).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "quantile", .. }), "{error}");
    }
    for scale in [1e200, 1e-161] {
        let points = Samples::from_rows(&[[0.0], [scale]]).unwrap();
        let error = median_gamma(&points, 0).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "gamma of the data", .. }), "{error}");
    }
}

proptest! {
    /// γ scales with the inverse square of the data and does not see translations; sparse data gives
    /// what the same dense data gives.
    #[test]
    fn gammas_scale_with_the_data(values in proptest::collection::vec(0..20_i32, 8..120)) {
        let dim = 2;
        let values = &values[..values.len() / dim * dim];
        let of = |scale: f64, shift: f64| {
            let moved = values.iter().map(|&v| f64::from(v) * scale + shift).collect();
            Samples::from_row_major(dim, moved).unwrap()
        };
        prop_assume!(values.iter().any(|&v| v != values[0]));
        let points = of(1.0, 0.0);
        prop_assume!(median_gamma(&points, 3).is_ok());
        let (median, scale) = (median_gamma(&points, 3).unwrap(), scale_gamma(&points).unwrap());
        assert_close(&[median_gamma(&of(4.0, 0.0), 3).unwrap()], &[median / 16.0]);
        assert_close(&[median_gamma(&of(1.0, 64.0), 3).unwrap()], &[median]);
        assert_close(&[scale_gamma(&of(4.0, 0.0)).unwrap()], &[scale / 16.0]);
        assert_close(&[scale_gamma(&of(1.0, 64.0)).unwrap()], &[scale]);
        assert_close(&[scale_gamma(&sparse(&points)).unwrap()], &[scale]);
        let grid = [0.0, 0.25, 0.5, 1.0];
        let gammas = quantile_gammas(&points, &grid, 3).unwrap();
        assert_eq!(&quantile_gammas(&sparse(&points), &grid, 3).unwrap(), &gammas);
        prop_assert!(gammas.is_sorted_by(|a, b| a >= b));
    }
    /// A weight of 2 is the point twice, and one of 0 is no point, whatever its coordinates.
    #[test]
    fn weights_repeat_points(
        values in proptest::collection::vec((-20..20_i32, -20..20_i32, 0..4_u32), 4..40),
    ) {
        let far = |w: u32, v: i32| if w == 0 { 1e9 * f64::from(v) } else { f64::from(v) };
        let row = |&(a, b, w): &(i32, i32, u32)| [far(w, a), far(w, b)];
        let rows: Vec<[f64; 2]> = values.iter().map(row).collect();
        let weights: Vec<f64> = values.iter().map(|&(_, _, w)| f64::from(w)).collect();
        let repeated: Vec<usize> =
            (0..rows.len()).flat_map(|i| std::iter::repeat_n(i, values[i].2 as usize)).collect();
        prop_assume!(repeated.len() <= 90);
        let points = Samples::from_rows(&rows).unwrap();
        let twice = points.select(&repeated).unwrap();
        prop_assume!(median_gamma(&twice, 0).is_ok());
        let grid = [0.0, 0.1, 0.37, 0.5, 0.9, 1.0];
        let expected = quantile_gammas(&twice, &grid, 0).unwrap();
        assert_close(&quantile_gammas_weighted(&points, &weights, &grid, 0).unwrap(), &expected);
        let scale = scale_gamma(&twice).unwrap();
        let close = |given: f64, expected: f64| (given - expected).abs() <= 1e-9 * expected;
        prop_assert!(close(scale_gamma_weighted(&points, &weights).unwrap(), scale));
        prop_assert!(close(scale_gamma_weighted(&sparse(&points), &weights).unwrap(), scale));
    }
}

/// Forty points of the unit interval, and one far away of weight 0; many points, where pairs are drawn.
#[test]
fn points_of_weight_zero_change_no_bit() {
    for n in [40, 2000] {
        let points = line(n);
        let mut rows: Vec<[f64; 1]> = (0..n).map(|i| [points.item(i)[0]]).collect();
        rows.insert(n / 2, [1e4]);
        let all = Samples::from_rows(&rows).unwrap();
        let mut weights = vec![1.0; n + 1];
        weights[n / 2] = 0.0;
        let expected = median_gamma(&points, 5).unwrap();
        assert_eq!(median_gamma_weighted(&all, &weights, 5).unwrap().to_bits(), expected.to_bits());
        let scale = scale_gamma_weighted(&all, &weights).unwrap();
        assert_close(&[scale], &[scale_gamma(&points).unwrap()]);
        // Heavier points are drawn more often: those of the first tenth are near each other.
        weights.iter_mut().take(n / 10).for_each(|weight| *weight = 1000.0);
        assert!(median_gamma_weighted(&all, &weights, 5).unwrap() > 20.0 * expected);
    }
    assert!(matches!(scale_gamma_weighted(&line(3), &[1.0]), Err(Error::Dimension { .. })));
    let negative = median_gamma_weighted(&line(3), &[1.0, -1.0, 1.0], 0);
    assert!(matches!(negative, Err(Error::Parameter { name: "a weight", .. })));
}
