//! Points of which only kernel values are known: the laws that make them points like others.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use crate::common::{BUDGET, assert_is, distance, matrix, samples, widen};
use kern_core::faer::{Mat, mat};
use kern_core::kernels::Rbf;
use kern_core::{Error as CoreError, Kernel, Points, Samples, Scalar};
use kern_gram::{
    BlockedGram, CrossGram, DenseGram, Error, GivenPoints, GramOperator, LazyGram, LowRankGram,
    PackedGram, Precomputed, PrecomputedGram,
};
use std::sync::Arc;

/// More than a tile of points.
const POINTS: usize = 300;

/// A Gram matrix that is symmetric to the bit, and its points.
fn given<T: Scalar>(n: usize) -> (Mat<T>, GivenPoints<T>) {
    let values = matrix::<T>(n, n, 7);
    let values = Mat::from_fn(n, n, |i, j| values[(i.max(j), i.min(j))]);
    let points = GivenPoints::of_gram(PrecomputedGram::new(values.clone()).unwrap());
    (values, points)
}

/// Indices in no order, some of them twice.
fn scattered() -> Vec<usize> {
    (0..POINTS).map(|i| (i * 7) % POINTS).chain([5, 5, 0]).step_by(2).collect()
}

/// All values between some points and others.
fn between<T: Scalar>(a: &GivenPoints<T>, b: &GivenPoints<T>) -> Mat<T> {
    CrossGram::new(&Precomputed, a, b).unwrap().to_dense(&BUDGET).unwrap()
}

/// The entries of these rows and columns.
fn part<T: Scalar>(values: &Mat<T>, rows: &[usize], cols: &[usize]) -> Mat<T> {
    Mat::from_fn(rows.len(), cols.len(), |a, b| values[(rows[a], cols[b])])
}

fn through_every_operator<T: Scalar>() {
    let (values, points) = given::<T>(POINTS);
    let exact = widen(values.as_ref());
    assert_is(&DenseGram::new(&Precomputed, &points, &BUDGET).unwrap(), &exact, 0.0);
    assert_is(&PackedGram::new(&Precomputed, &points, &BUDGET).unwrap(), &exact, 0.0);
    assert_is(&BlockedGram::new(&Precomputed, &points, &BUDGET).unwrap(), &exact, 0.0);
    assert_is(&LazyGram::new(&Precomputed, &points).unwrap(), &exact, 0.0);
    assert!(points.entries_are_local());
    let few = points.select(&scattered()).unwrap();
    assert!(
        between(&points, &few) == part(&values, &(0..POINTS).collect::<Vec<_>>(), &scattered())
    );
    for i in [0, 17, POINTS - 1] {
        assert!(Precomputed.diag(&points, i) == values[(i, i)]);
        assert!(Precomputed.eval(points.item(i), points.item(3)) == values[(i, 3)]);
    }
}

#[test]
fn every_operator_of_given_points_is_the_given_matrix() {
    through_every_operator::<f64>();
    through_every_operator::<f32>();
}

#[test]
fn a_selection_is_points_of_the_part_of_the_matrix() {
    let (values, points) = given::<f64>(POINTS);
    let chosen = scattered();
    let some = points.select(&chosen).unwrap();
    let exact = part(&values, &chosen, &chosen);
    assert_is(&DenseGram::new(&Precomputed, &some, &BUDGET).unwrap(), &exact, 0.0);
    let again: Vec<usize> = (0..some.len()).rev().step_by(3).collect();
    let twice: Vec<usize> = again.iter().map(|&k| chosen[k]).collect();
    assert!(some.select(&again).unwrap() == points.select(&twice).unwrap());
    assert!(between(&points.select(&twice).unwrap(), &some) == part(&values, &twice, &chosen));
    let beyond = points.select(&[0, POINTS]).unwrap_err();
    assert_eq!(beyond, CoreError::Index { given: POINTS, len: POINTS });
    assert!(points.select(&[]).unwrap().is_empty());
}

#[test]
fn what_a_model_keeps_has_no_values_and_meets_points_that_have() {
    let (values, points) = given::<f64>(POINTS);
    let chosen = scattered();
    let (some, kept) = (points.select(&chosen).unwrap(), points.keep(&chosen).unwrap());
    assert!(kept == some, "the same numbers");
    let all: Vec<usize> = (0..POINTS).collect();
    assert!(between(&points, &kept) == part(&values, &all, &chosen));
    assert!(between(&kept, &points) == part(&values, &chosen, &all));
    assert_eq!(Precomputed.diag(&kept, 2), values[(chosen[2], chosen[2])]);
    // Among themselves they have none.
    let expected = chosen.iter().max().unwrap() + 1;
    let alone = CrossGram::new(&Precomputed, &kept, &kept).unwrap_err();
    let what = "kernel values per point";
    assert_eq!(alone, Error::Core(CoreError::Dimension { what, expected, given: 0 }));
    assert!(Precomputed.eval(kept.item(0), kept.item(1)).is_nan());
    let alone = DenseGram::new(&Precomputed, &kept, &BUDGET).unwrap_err();
    assert!(matches!(alone, Error::NotFinite { given, .. } if given.is_nan()), "{alone}");
}

#[test]
fn queries_meet_the_points_that_they_have_values_with() {
    let (_, points) = given::<f64>(POINTS);
    let cross = matrix::<f64>(41, POINTS, 8);
    let queries = GivenPoints::of_cross(cross.clone()).unwrap();
    assert!(between(&queries, &points) == cross);
    assert!(between(&points, &queries) == cross.transpose());
    let (rows, cols) = (vec![40, 0, 7, 7], scattered());
    let (few, some) = (queries.select(&rows).unwrap(), points.keep(&cols).unwrap());
    let exact = part(&cross, &rows, &cols);
    assert!(between(&few, &some) == exact);
    let v = matrix::<f64>(cols.len(), 2, 9);
    let product = CrossGram::new(&Precomputed, &few, &some).unwrap().apply(v.as_ref()).unwrap();
    assert!(distance(&product, &(exact * v)) < 1e-12);
}

#[test]
fn of_two_queries_nothing_is_known() {
    let queries = GivenPoints::of_cross(matrix::<f64>(3, 5, 1)).unwrap();
    assert!(Precomputed.eval(queries.item(0), queries.item(1)).is_nan());
    assert!(Precomputed.diag(&queries, 0).is_nan());
    let what = "kernel values between queries";
    let error = CrossGram::new(&Precomputed, &queries, &queries).unwrap_err();
    assert_eq!(error, Error::Core(CoreError::Dimension { what, expected: 3, given: 0 }));
    let unknown = |error| matches!(error, Error::NotFinite { given, .. } if given.is_nan());
    assert!(unknown(DenseGram::new(&Precomputed, &queries, &BUDGET).unwrap_err()));
    assert!(unknown(PackedGram::new(&Precomputed, &queries, &BUDGET).unwrap_err()));
    let lazy = LazyGram::new(&Precomputed, &queries).unwrap();
    assert!(unknown(lazy.columns_into(&[0], Mat::zeros(3, 1).as_mut()).unwrap_err()));
    assert!(lazy.apply(Mat::identity(3, 3).as_ref()).is_err());
    // The kernel values of a query with itself may be given, and with nothing else.
    let queries = queries.clone().with_diag(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(Precomputed.diag(&queries, 2), 3.0);
    assert!(Precomputed.eval(queries.item(2), queries.item(2)).is_nan());
    assert!(unknown(DenseGram::new(&Precomputed, &queries, &BUDGET).unwrap_err()));
}

#[test]
fn numbers_beyond_the_values_are_a_dimension_error() {
    let (_, points) = given::<f64>(3);
    let queries = GivenPoints::of_cross(mat![[0.5, 0.25]]).unwrap();
    let what = "kernel values per point";
    for error in [
        CrossGram::new(&Precomputed, &queries, &points).unwrap_err(),
        CrossGram::new(&Precomputed, &queries, &points.keep(&[0, 2]).unwrap()).unwrap_err(),
    ] {
        assert_eq!(error, Error::Core(CoreError::Dimension { what, expected: 3, given: 2 }));
    }
    let near = points.select(&[1, 0]).unwrap();
    assert_eq!(between(&queries, &near), mat![[0.25, 0.5]]);
    assert!(Precomputed.eval(queries.item(0), points.item(2)).is_nan());
}

#[test]
fn values_that_are_not_finite_are_refused() {
    let hole = GivenPoints::of_cross(mat![[0.0, 1.0], [2.0, f64::INFINITY]]).unwrap_err();
    assert_eq!(hole, Error::NotFinite { row: 1, col: 1, given: f64::INFINITY });
    let queries = GivenPoints::of_cross(mat![[0.0_f64], [1.0]]).unwrap();
    let short = queries.clone().with_diag(&[1.0]).unwrap_err();
    assert_eq!(short.to_string(), "the diagonal must be 2 x 1, got 1 x 1");
    let hole = queries.with_diag(&[1.0, f64::NAN]).unwrap_err();
    assert!(matches!(hole, Error::NotFinite { row: 1, col: 1, given } if given.is_nan()));
}

#[test]
fn operators_need_not_be_stored() {
    let x: &'static Samples<f64> = Box::leak(Box::new(samples(POINTS, 3, 2)));
    let kernel: &'static Rbf = Box::leak(Box::new(Rbf::new(0.5).unwrap()));
    let dense = DenseGram::new(kernel, x, &BUDGET).unwrap();
    let lazy = Arc::new(LazyGram::new(kernel, x).unwrap());
    let points = GivenPoints::of_gram(Arc::clone(&lazy));
    let exact = widen(dense.as_mat());
    assert_is(&DenseGram::new(&Precomputed, &points, &BUDGET).unwrap(), &exact, 0.0);
    assert_is(&LazyGram::new(&Precomputed, &points).unwrap(), &exact, 0.0);
    assert!(Precomputed.eval(points.item(3), points.item(200)) == exact[(3, 200)]);
    drop(lazy);
    let chosen = scattered();
    let (some, kept) = (points.select(&chosen).unwrap(), points.keep(&chosen).unwrap());
    assert!(between(&some, &kept) == part(&exact, &chosen, &chosen), "the points hold it");
    assert!(!some.entries_are_local() && kept.entries_are_local());

    let z = matrix::<f64>(POINTS, 20, 3);
    let points = GivenPoints::of_gram(LowRankGram::new(z.clone()).unwrap());
    let exact = &z * z.transpose();
    assert_is(&DenseGram::new(&Precomputed, &points, &BUDGET).unwrap(), &exact, 1e-14);
    assert_is(&LazyGram::new(&Precomputed, &points).unwrap(), &exact, 1e-14);
    let (some, kept) = (points.select(&chosen).unwrap(), points.keep(&chosen).unwrap());
    let exact = part(&exact, &chosen, &chosen);
    assert!(distance(&between(&some, &kept), &exact) <= 1e-14);
    assert!(distance(&between(&kept, &some), &exact) <= 1e-14);
}

#[test]
fn points_of_two_matrices_have_the_values_of_the_first_that_knows_them() {
    let (a, b) = (mat![[1.0, 2.0], [2.0, 3.0]], mat![[5.0, 6.0], [6.0, 7.0]]);
    let of = |gram: &Mat<f64>| GivenPoints::of_gram(PrecomputedGram::new(gram.clone()).unwrap());
    assert_eq!(between(&of(&a), &of(&b)), a);
    assert_eq!(between(&of(&b), &of(&a)), b);
}

#[test]
fn a_file_has_numbers_and_no_kernel_values() {
    let (values, points) = given::<f64>(POINTS);
    let chosen = scattered();
    let text = serde_json::to_string(&points.select(&chosen).unwrap()).unwrap();
    let read: GivenPoints<f64> = serde_json::from_str(&text).unwrap();
    assert!(read == points.keep(&chosen).unwrap());
    assert!(text.len() < 40 * chosen.len(), "{} bytes", text.len());
    let all: Vec<usize> = (0..POINTS).collect();
    assert!(between(&points, &read) == part(&values, &all, &chosen));
    assert!(DenseGram::new(&Precomputed, &read, &BUDGET).is_err());
    let kernel: Precomputed =
        serde_json::from_str(&serde_json::to_string(&Precomputed).unwrap()).unwrap();
    assert_eq!(kernel, Precomputed);
}

#[test]
fn no_points_at_all_are_points() {
    let none = GivenPoints::of_gram(PrecomputedGram::new(Mat::<f64>::zeros(0, 0)).unwrap());
    assert!(none.is_empty());
    assert_eq!(DenseGram::new(&Precomputed, &none, &BUDGET).unwrap().size(), 0);
    let (_, points) = given::<f64>(4);
    assert_eq!(between(&none, &points).shape(), (0, 4));
    let queries = GivenPoints::of_cross(Mat::<f64>::zeros(0, 4)).unwrap();
    assert_eq!(between(&queries, &points).shape(), (0, 4));
}
