//! Views are the matrices that they stand for, whatever operator they are views of, and obey the
//! laws of their operations.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::common::{BUDGET, assert_is, distance, matrix, samples, widen, words};
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Polynomial, Rbf, Spectrum};
use kern_core::{Error as CoreError, Points, Samples, Scalar};
use kern_gram::{
    BlockedGram, CrossOperator, DenseGram, Error, GramExt, GramOperator, LazyGram, LowRankGram,
    MemoryBudget, PackedGram, TILE_EDGE,
};
use proptest::prelude::*;

/// Every view of `gram` against the same formula on the matrix. Entries of `gram` may err by
/// `tolerance`, and have magnitude 1 or so.
fn assert_views<T: Scalar, G: GramOperator<T>>(gram: &G, tolerance: f64) {
    let n = gram.size();
    let g = widen(gram.to_dense(&BUDGET).unwrap().as_ref());
    let numbers = |seed: u64| matrix::<T>(n, 1, seed).col_as_slice(0).to_vec();

    assert_is(&gram.scaled(T::from_f64(2.5)).unwrap(), &(&g * 2.5), 4.0 * tolerance);

    let d = numbers(1);
    let conjugated = Mat::from_fn(n, n, |i, j| d[i].to_f64() * g[(i, j)] * d[j].to_f64());
    assert_is(&gram.conjugated(d).unwrap(), &conjugated, 2.0 * tolerance);

    let cosine = Mat::from_fn(n, n, |i, j| g[(i, j)] / (g[(i, i)] * g[(j, j)]).sqrt());
    let normalized = gram.normalized().unwrap();
    assert_is(&normalized, &cosine, 16.0 * tolerance);
    assert!(normalized.diag().iter().all(|&v| v == T::ONE));

    let delta: Vec<T> = numbers(2).into_iter().map(Scalar::magnitude).collect();
    let diagonal = |i: usize, j: usize| if i == j { delta[i].to_f64() } else { 0.0 };
    let plus = &g + Mat::from_fn(n, n, diagonal);
    assert_is(&gram.plus_diagonal(delta.clone()).unwrap(), &plus, 2.0 * tolerance);
    let plus = &g + 0.75 * Mat::<f64>::identity(n, n);
    assert_is(&gram.plus_ridge(T::from_f64(0.75)).unwrap(), &plus, 2.0 * tolerance);

    let h = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
    let hgh = &h * &g * &h;
    assert_is(&gram.centered().unwrap(), &hgh, 16.0 * tolerance);

    let scaled = gram.scaled(T::from_f64(0.5)).unwrap();
    assert_is(&gram.plus(&scaled).unwrap(), &(&g * 1.5), 4.0 * tolerance);
    let squared = Mat::from_fn(n, n, |i, j| 0.5 * g[(i, j)] * g[(i, j)]);
    assert_is(&gram.schur_product(&scaled).unwrap(), &squared, 8.0 * tolerance);

    assert_selections(gram, &g, tolerance);
}

/// Selections of few and of nearly all points, with repetitions.
fn assert_selections<T: Scalar, G: GramOperator<T>>(gram: &G, g: &Mat<f64>, tolerance: f64) {
    let n = gram.size();
    let few: Vec<usize> = (0..n).step_by(7).chain([0, n - 1, 0]).collect();
    let most: Vec<usize> = (0..n).rev().filter(|i| i % 10 != 3).collect();
    for indices in [&few, &most, &vec![]] {
        let expected =
            Mat::from_fn(indices.len(), indices.len(), |i, j| g[(indices[i], indices[j])]);
        assert_is(&gram.select(indices).unwrap(), &expected, tolerance);
        for others in [&few, &most] {
            let part = gram.submatrix(others, indices).unwrap();
            let expected =
                Mat::from_fn(others.len(), indices.len(), |i, j| g[(others[i], indices[j])]);
            let given = part.to_dense(&BUDGET).unwrap();
            assert!(distance(&widen(given.as_ref()), &expected) <= tolerance);
            let v = matrix::<T>(indices.len(), 2, 5);
            let given = widen(part.apply(v.as_ref()).unwrap().as_ref());
            let allowed = 64.0 * n as f64 * tolerance;
            assert!(distance(&given, &(expected * widen(v.as_ref()))) <= allowed);
        }
    }
}

#[test]
fn views_of_every_representation_are_what_they_stand_for() {
    let x = samples::<f64>(TILE_EDGE + 44, 4, 1);
    let u = 512.0 * f64::UNIT_ROUNDOFF;
    let rbf = Rbf::new(0.5).unwrap();
    assert_views(&DenseGram::new(&rbf, &x, &BUDGET).unwrap(), u);
    assert_views(&PackedGram::new(&rbf, &x, &BUDGET).unwrap(), u);
    assert_views(&LazyGram::new(&rbf, &x).unwrap(), u);
    let seven = MemoryBudget::bytes(7 * x.len() as u64 * 8);
    assert_views(&BlockedGram::new(&rbf, &x, &seven).unwrap(), u);
    assert_views(&LowRankGram::new(matrix::<f64>(150, 6, 2)).unwrap(), u);
    let boxed: Box<dyn GramOperator<f64> + '_> = Box::new(LazyGram::new(&rbf, &x).unwrap());
    assert_views(&boxed, u);

    let single = samples::<f32>(150, 4, 1);
    let u = 512.0 * f32::UNIT_ROUNDOFF;
    assert_views(&LazyGram::new(&rbf, &single).unwrap(), u);
    assert_views(&DenseGram::new(&rbf, &single, &BUDGET).unwrap(), u);
}

#[test]
fn views_of_a_gram_matrix_of_strings_are_what_they_stand_for() {
    let x = words(140);
    let kernel = Spectrum::new(2).unwrap();
    let gram = LazyGram::new(&kernel, &x).unwrap();
    // Counts of up to 50 pairs of letters, and their products.
    let bound = 1e4 * f64::UNIT_ROUNDOFF;
    assert_views(&(&gram).normalized().unwrap(), bound);
    let dense = DenseGram::new(&kernel, &x, &BUDGET).unwrap();
    assert_selections(&gram, &dense.as_mat().to_owned(), 1e-12);
}

#[test]
fn views_of_views_are_what_they_stand_for() {
    let x = samples::<f64>(150, 3, 4);
    let kernel = Polynomial::new(1.0, 1.0, 2).unwrap();
    let lazy = LazyGram::new(&kernel, &x).unwrap();
    let u = 512.0 * f64::UNIT_ROUNDOFF;
    assert_views(&(&lazy).normalized().unwrap().plus_ridge(0.1).unwrap(), u);
    let some: Vec<usize> = (0..150).filter(|i| i % 3 > 0).collect();
    assert_views(&(&lazy).normalized().unwrap().select(&some).unwrap(), u);
}

#[test]
fn a_selection_takes_the_cheaper_way() {
    let z = LowRankGram::new(matrix::<f64>(1000, 2, 1)).unwrap();
    let dense = DenseGram::new(&Linear, &samples::<f64>(100, 2, 1), &BUDGET).unwrap();
    let half: Vec<usize> = (0..500).collect();
    let cost = |g: &dyn GramOperator<f64>| g.product_cost();
    assert!(cost(&(&z).select(&half).unwrap()) == cost(&z));
    assert!(cost(&(&dense).select(&[1, 2]).unwrap()) == 4.0);
    assert!(cost(&(&dense).scaled(2.0).unwrap()) == cost(&dense));
    assert!(cost(&(&dense).plus(&dense).unwrap()) == 2.0 * cost(&dense));
    // 10⁶ points are no trouble: neither way finds |I|² entries here.
    let million = LowRankGram::new(matrix::<f64>(1_000_000, 1, 1)).unwrap();
    let most: Vec<usize> = (0..900_000).collect();
    let v = Mat::from_fn(900_000, 1, |_, _| 1e-6);
    assert!(million.select(&most).unwrap().apply(v.as_ref()).is_ok());
}

/// A Gram matrix of up to 40 points on a grid, some of them equal.
fn gram() -> impl Strategy<Value = DenseGram<f64>> {
    prop::collection::vec((-4_i32..5, -4_i32..5), 1..40).prop_map(|points| {
        let rows: Vec<_> = points.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
        let kernel = Rbf::new(0.1).unwrap() + 0.25 * Linear;
        DenseGram::new(&kernel, &Samples::from_rows(&rows).unwrap(), &BUDGET).unwrap()
    })
}

fn entries(gram: &dyn GramOperator<f64>) -> Mat<f64> {
    gram.to_dense(&BUDGET).unwrap()
}

/// Forty entries below 16, rounded a few times.
const ROUNDING: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn centring_is_a_projection_onto_zero_sums(gram in gram()) {
        let centered = (&gram).centered().unwrap();
        let ones = Mat::from_fn(gram.size(), 1, |_, _| 1.0);
        prop_assert!(centered.apply(ones.as_ref()).unwrap().norm_max() <= ROUNDING);
        let once = entries(&centered);
        prop_assert!((&once * &ones).norm_max() <= ROUNDING);
        let twice = entries(&(&centered).centered().unwrap());
        prop_assert!(distance(&once, &twice) <= ROUNDING);
        prop_assert!(centered.check_psd(&BUDGET).is_ok());
        prop_assert_eq!(&once, &once.transpose().to_owned());
    }

    #[test]
    fn selections_compose(gram in gram(), seed in prop::collection::vec((0_usize..40, 0_usize..40), 0..30)) {
        let n = gram.size();
        let outer: Vec<usize> = seed.iter().map(|s| s.0 % n).collect();
        let inner: Vec<usize> =
            seed.iter().filter(|_| !outer.is_empty()).map(|s| s.1 % outer.len()).collect();
        let both: Vec<usize> = inner.iter().map(|&i| outer[i]).collect();
        let nested = (&gram).select(&outer).unwrap().select(&inner).unwrap();
        let direct = (&gram).select(&both).unwrap();
        prop_assert_eq!(entries(&nested), entries(&direct));
        prop_assert_eq!(nested.diag(), direct.diag());
        let v = matrix::<f64>(both.len(), 1, 1);
        let (a, b) = (nested.apply(v.as_ref()).unwrap(), direct.apply(v.as_ref()).unwrap());
        prop_assert!(distance(&a, &b) <= ROUNDING);
    }

    #[test]
    fn a_ridge_adds_lambda_times_v(gram in gram(), lambda in 0.0..10.0) {
        let v = matrix::<f64>(gram.size(), 2, 1);
        let with = (&gram).plus_ridge(lambda).unwrap().apply(v.as_ref()).unwrap();
        let without = gram.apply(v.as_ref()).unwrap();
        prop_assert!(distance(&with, &(without + lambda * &v)) <= ROUNDING);
        let traces = (&gram).plus_ridge(lambda).unwrap().trace() - gram.trace();
        prop_assert!((traces - lambda * gram.size() as f64).abs() <= ROUNDING);
    }

    #[test]
    fn a_normalized_operator_has_ones_and_cosines(gram in gram()) {
        let cosines = entries(&(&gram).normalized().unwrap());
        for i in 0..gram.size() {
            prop_assert!(cosines[(i, i)] == 1.0);
        }
        prop_assert!(cosines.norm_max() <= 1.0 + ROUNDING);
        prop_assert_eq!(&cosines, &cosines.transpose().to_owned());
        let again = (&gram).normalized().unwrap().normalized().unwrap();
        prop_assert_eq!(entries(&again), cosines);
    }

    #[test]
    fn sums_and_schur_products_keep_positive_semi_definiteness(gram in gram(), c in 0.0..3.0) {
        let scaled = (&gram).scaled(c).unwrap();
        prop_assert!((&gram).plus(&scaled).unwrap().check_psd(&BUDGET).is_ok());
        prop_assert!((&gram).schur_product(&scaled).unwrap().check_psd(&BUDGET).is_ok());
        let norm = entries(&gram).norm_l2();
        prop_assert!((gram.frobenius_norm().unwrap() - norm).abs() <= ROUNDING * norm);
    }
}

#[test]
fn a_point_of_zero_length_is_normalized_to_zeros() {
    let x = Samples::from_rows(&[[0.0, 0.0], [3.0, 4.0]]).unwrap();
    let gram = DenseGram::new(&Linear, &x, &BUDGET).unwrap().normalized().unwrap();
    assert_eq!(entries(&gram), kern_core::faer::mat![[0.0, 0.0], [0.0, 1.0]]);
    assert_eq!(gram.factors(), [0.0, 0.2]);
}

#[test]
fn the_means_of_a_centred_operator_are_those_of_its_rows() {
    let x = Samples::from_rows(&[[1.0], [2.0], [6.0]]).unwrap();
    let gram = LazyGram::new(&Linear, &x).unwrap().centered().unwrap();
    let near = |given: f64, expected: f64| (given - expected).abs() < 1e-14;
    assert!(near(gram.mean(), 9.0));
    assert!(gram.means().iter().zip([3.0, 6.0, 18.0]).all(|(&m, e)| near(m, e)));
    // Linear features minus their mean: (−2, −1, 3).
    let expected = kern_core::faer::mat![[4.0, 2.0, -6.0], [2.0, 1.0, -3.0], [-6.0, -3.0, 9.0]];
    assert!(distance(&entries(&gram), &expected) < 1e-13);
}

#[test]
fn bad_arguments_are_refused() {
    let x = samples::<f64>(5, 2, 1);
    let gram = DenseGram::new(&Linear, &x, &BUDGET).unwrap();
    let is_parameter = |error: Error| matches!(error, Error::Core(CoreError::Parameter { .. }));
    assert!(is_parameter((&gram).scaled(-1.0).unwrap_err()));
    assert!(is_parameter((&gram).scaled(f64::NAN).unwrap_err()));
    assert!(is_parameter((&gram).plus_ridge(-0.1).unwrap_err()));
    assert!(is_parameter((&gram).plus_diagonal(vec![0.0, 0.0, -1.0, 0.0, 0.0]).unwrap_err()));
    assert!(is_parameter((&gram).conjugated(vec![f64::INFINITY; 5]).unwrap_err()));
    assert!(matches!((&gram).plus_diagonal(vec![0.0; 4]), Err(Error::Shape { .. })));
    assert!(matches!((&gram).conjugated(vec![0.0; 6]), Err(Error::Shape { .. })));
    let other = DenseGram::new(&Linear, &x.select(&[0]).unwrap(), &BUDGET).unwrap();
    let error = (&gram).plus(&other).unwrap_err();
    assert_eq!(error.to_string(), "the other operator must be 5 x 5, got 1 x 1");
    assert!((&gram).schur_product(&other).is_err());
    let beyond = Error::Core(CoreError::Index { given: 5, len: 5 });
    assert_eq!((&gram).select(&[0, 5]).unwrap_err(), beyond);
    assert_eq!((&gram).submatrix(&[5], &[0]).unwrap_err(), beyond);
    assert_eq!((&gram).submatrix(&[0], &[5]).unwrap_err(), beyond);
}

#[test]
fn results_that_overflow_are_errors() {
    let x = Samples::from_rows(&[[1e150], [2e150]]).unwrap();
    let gram = DenseGram::new(&Linear, &x, &BUDGET).unwrap();
    let v = Mat::from_fn(2, 1, |_, _| 1.0);
    let mut out = Mat::zeros(2, 2);
    let scaled = (&gram).scaled(1e10).unwrap();
    assert!(matches!(scaled.apply(v.as_ref()), Err(Error::ProductNotFinite { .. })));
    assert!(matches!(
        scaled.columns_into(&[0, 1], out.as_mut()),
        Err(Error::NotFinite { row: 0, col: 0, .. })
    ));
    let squared = (&gram).schur_product(&gram).unwrap();
    assert!(matches!(squared.apply(v.as_ref()), Err(Error::NotFinite { row: 0, col: 0, .. })));
}

#[test]
fn dense_copies_and_eigenvalues_keep_to_the_budget() {
    let x = Samples::from_row_major(1, (0..100).map(f64::from).collect()).unwrap();
    let gram = LazyGram::new(&Linear, &x).unwrap();
    assert!(matches!(gram.to_dense(&MemoryBudget::bytes(79_999)), Err(Error::Budget { .. })));
    assert!(gram.to_dense(&MemoryBudget::bytes(80_000)).is_ok());
    assert!(matches!(gram.check_psd(&MemoryBudget::bytes(319_999)), Err(Error::Budget { .. })));
    assert!(gram.check_psd(&MemoryBudget::bytes(320_000)).is_ok());
}
