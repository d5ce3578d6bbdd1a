//! Matrices that the user hands in: what is accepted, and what errors say.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::common::{BUDGET, assert_is, matrix, samples};
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{Rbf, Sigmoid};
use kern_core::{Error as CoreError, Scalar};
use kern_gram::{
    CrossOperator, DenseGram, Error, GramExt, GramOperator, LazyGram, LowRankGram, MemoryBudget,
    PackedGram, PrecomputedCross, PrecomputedGram, TILE_EDGE,
};
use proptest::prelude::*;

#[test]
fn a_matrix_that_is_not_square_or_not_finite_is_refused() {
    let error = PrecomputedGram::new(Mat::<f64>::zeros(2, 3)).unwrap_err();
    assert_eq!(error.to_string(), "a precomputed Gram matrix must be 2 x 2, got 2 x 3");
    let error = PrecomputedGram::new(mat![[1.0, f64::NAN], [0.0, 1.0]]).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 0, col: 1, given } if given.is_nan()));
    let error = PrecomputedGram::symmetrized(mat![[1.0, f64::INFINITY], [0.0, 1.0]]).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 0, col: 1, .. }));
    assert!(PrecomputedGram::symmetrized(Mat::<f32>::zeros(1, 0)).is_err());
    assert!(matches!(
        PrecomputedCross::new(mat![[f32::NAN]]),
        Err(Error::NotFinite { row: 0, col: 0, .. })
    ));
    assert!(LowRankGram::new(mat![[1.0], [f64::INFINITY]]).is_err());
}

#[test]
fn the_first_asymmetric_pair_is_named_with_both_values() {
    let mut values = Mat::from_fn(300, 300, |i, j| (i * j % 7 + (i + j) % 3) as f64);
    assert!(PrecomputedGram::new(values.as_ref()).is_ok());
    values[(250, 17)] = 40.0;
    values[(280, 3)] = 41.0;
    let expected =
        CoreError::Asymmetric { row: 250, col: 17, given: 40.0, mirrored: values[(17, 250)] };
    assert_eq!(PrecomputedGram::new(values.as_ref()).unwrap_err(), Error::Core(expected));
}

#[test]
fn rounding_is_no_asymmetry_and_that_of_single_precision_is_taken_out() {
    let z = matrix::<f64>(80, 30, 1);
    let values = &z * z.transpose();
    // What single precision makes of it, rounded differently in both halves.
    let rough = Mat::from_fn(80, 80, |i, j| {
        let v = f64::from(values[(i, j)] as f32);
        if i < j { v * (1.0 + f64::from(f32::EPSILON)) } else { v }
    });
    let by_rows = Mat::from_fn(80, 80, |i, j| {
        (0..30)
            .map(|k| if i < j { z[(i, k)] * z[(j, k)] } else { z[(i, 29 - k)] * z[(j, 29 - k)] })
            .sum()
    });
    let by_rows: Mat<f64> = by_rows;
    assert!(by_rows != by_rows.transpose(), "the sums are rounded differently");
    assert!(PrecomputedGram::new(by_rows.as_ref()).is_ok());
    let taken = PrecomputedGram::new(rough.as_ref()).unwrap();
    assert!(taken.as_mat() == taken.as_mat().transpose());
    assert!(taken.into_inner() == rough, "what was handed in is left alone");
    let worse = Mat::from_fn(80, 80, |i, j| rough[(i, j)] * if i < j { 1.0001 } else { 1.0 });
    assert!(matches!(
        PrecomputedGram::new(worse.as_ref()),
        Err(Error::Core(CoreError::Asymmetric { .. }))
    ));
    let repaired = PrecomputedGram::symmetrized(rough.clone()).unwrap();
    assert!(repaired.as_mat() == repaired.as_mat().transpose());
    let mean = 0.5 * (&rough + rough.transpose());
    assert_is(&repaired, &mean, f64::UNIT_ROUNDOFF * 64.0);
}

#[test]
fn strided_matrices_are_read_where_they_are() {
    let big = Mat::from_fn(40, 40, |i, j| ((i / 2) * (j / 2)) as f64);
    let rows = big.as_ref().transpose();
    let gram = PrecomputedGram::new(rows).unwrap();
    assert!(gram.stored_column(3).is_none(), "rows are contiguous, columns are not");
    assert_is(&gram, &big, 0.0);
    assert_eq!(gram.into_inner(), rows);
}

#[test]
fn an_empty_matrix_is_an_operator() {
    let gram = PrecomputedGram::new(Mat::<f64>::zeros(0, 0)).unwrap();
    assert_is(&gram, &Mat::zeros(0, 0), 0.0);
    assert!(gram.check_psd(&MemoryBudget::bytes(0)).is_ok());
    assert_eq!((gram.trace(), gram.frobenius_norm().unwrap()), (0.0, 0.0));
    assert!(gram.centered().unwrap().diag().is_empty());
    let cross = PrecomputedCross::new(Mat::<f64>::zeros(0, 4)).unwrap();
    assert_eq!(cross.apply(Mat::zeros(4, 2).as_ref()).unwrap().shape(), (0, 2));
}

#[test]
fn indefinite_operators_are_told_from_semi_definite_ones() {
    let x = samples::<f64>(60, 3, 1);
    let rbf = Rbf::new(0.001).unwrap();
    // Of numerical rank 10 or so: eigenvalues around 0 of both signs.
    assert!(LazyGram::new(&rbf, &x).unwrap().check_psd(&BUDGET).is_ok());
    let single = samples::<f32>(60, 3, 1);
    assert!(PackedGram::new(&rbf, &single, &BUDGET).unwrap().check_psd(&BUDGET).is_ok());
    let sigmoid = Sigmoid::new(1.0, -1.0).unwrap();
    let error = DenseGram::new(&sigmoid, &x, &BUDGET).unwrap().check_psd(&BUDGET).unwrap_err();
    let Error::Core(CoreError::Indefinite { eigenvalue, allowed }) = error else {
        panic!("{error}");
    };
    assert!(eigenvalue < -0.1 && allowed < 0.0 && allowed > -1e-10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Q·diag(λ)·Qᵀ with a reflection Q = I − 2vvᵀ: the least eigenvalue is known.
    #[test]
    fn the_least_eigenvalue_is_reported(
        values in prop::collection::vec(0.0..5.0, 1..20),
        smallest in -3.0..-0.01,
        seed in 0_u64..1000,
    ) {
        let values: Vec<f64> = values.into_iter().chain([smallest]).collect();
        let n = values.len();
        let v = matrix::<f64>(n, 1, seed);
        let v = &v / v.norm_l2();
        let q = Mat::<f64>::identity(n, n) - 2.0 * &v * v.transpose();
        let diagonal = Mat::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 });
        let gram = PrecomputedGram::symmetrized(&q * diagonal * &q).unwrap();
        match gram.check_psd(&BUDGET) {
            Err(Error::Core(CoreError::Indefinite { eigenvalue, .. })) => {
                prop_assert!((eigenvalue - smallest).abs() < 1e-12);
            }
            other => prop_assert!(false, "{other:?}"),
        }
        // A ridge that lifts it just above 0 makes the difference.
        prop_assert!((&gram).plus_ridge(1e-9 - smallest).unwrap().check_psd(&BUDGET).is_ok());
        prop_assert!((&gram).plus_ridge(-1e-9 - smallest).unwrap().check_psd(&BUDGET).is_err());
    }
}

#[test]
fn budgets_name_what_would_fit() {
    let x = samples::<f64>(1000, 2, 1);
    let rbf = Rbf::new(1.0).unwrap();
    let between = MemoryBudget::bytes(6_000_000);
    let error = DenseGram::new(&rbf, &x, &between).unwrap_err();
    assert!(error.to_string().ends_with("a packed Gram matrix would fit"), "{error}");
    let packed = PackedGram::new(&rbf, &x, &between).unwrap();
    assert_eq!(packed.size(), 1000);
    let error = PackedGram::new(&rbf, &x, &MemoryBudget::mebibytes(1)).unwrap_err();
    assert!(error.to_string().ends_with("a blocked Gram matrix would fit"), "{error}");
    let Error::Budget { needed, allowed, .. } = error else { panic!("{error}") };
    assert_eq!(allowed, 1 << 20);
    let whole_diagonal_tiles = 1000 * TILE_EDGE as u64 / 2;
    let numbers = needed / 8;
    assert_eq!(numbers, 500_000 + whole_diagonal_tiles);
}

#[test]
fn distances_are_no_gram_matrix() {
    let distances = mat![[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]];
    let refused = |error: Error| matches!(error, Error::Distances { largest: 2.0 });
    assert!(refused(PrecomputedGram::new(distances.as_ref()).unwrap_err()));
    assert!(refused(PrecomputedGram::symmetrized(distances).unwrap_err()));
    // Points at the origin are no distances, and zeros are those of the kernel that is 0.
    assert!(PrecomputedGram::new(mat![[0.0, 0.0], [0.0, 1.0]]).is_ok());
    assert!(PrecomputedGram::new(Mat::<f32>::zeros(3, 3)).is_ok());
}
