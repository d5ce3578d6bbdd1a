//! Bad input is a typed error that says what was given; nothing panics, nothing is allocated
//! beyond the budget.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Linear, Rbf};
use kern_core::{Error as CoreError, Samples};
use kern_gram::{CrossGram, DenseGram, Error, GramOperator, LazyGram, MemoryBudget, PackedGram};

fn line(n: usize) -> Samples<f64> {
    Samples::from_row_major(1, (0..n).map(|i| i as f64).collect()).unwrap()
}

#[test]
fn dense_gram_beyond_the_budget_is_refused_with_the_numbers() {
    let error = DenseGram::new(&Linear, &line(1000), &MemoryBudget::bytes(7_999_999)).unwrap_err();
    match error {
        Error::Budget { needed, allowed, .. } => {
            assert_eq!((needed, allowed), (8_000_000, 7_999_999));
        }
        other => panic!("{other}"),
    }
    assert!(DenseGram::new(&Linear, &line(1000), &MemoryBudget::bytes(8_000_000)).is_ok());
}

#[test]
fn cross_gram_beyond_the_budget_is_refused_but_its_product_is_not() {
    let x = line(1000);
    let cross = CrossGram::new(&Linear, &x, &x).unwrap();
    assert!(matches!(cross.to_dense(&MemoryBudget::bytes(1)), Err(Error::Budget { .. })));
    assert!(cross.apply(Mat::zeros(1000, 1).as_ref()).is_ok());
}

#[test]
fn the_first_value_that_is_not_finite_is_named_whatever_the_threads() {
    let hole = FnKernel::new(|x: &usize, y: &usize| {
        if (*x, *y) == (700, 300) || (*x, *y) == (650, 310) { f64::NAN } else { 1.0 }
    });
    let points: Vec<usize> = (0..800).collect();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let budget = MemoryBudget::mebibytes(16);
        let error = pool.install(|| DenseGram::new(&hole, &points, &budget).unwrap_err());
        assert!(matches!(error, Error::NotFinite { row: 650, col: 310, given } if given.is_nan()));
    }
    let v = Mat::from_fn(800, 1, |_, _| 1.0);
    let lazy = LazyGram::new(&hole, &points).unwrap();
    assert!(matches!(lazy.apply(v.as_ref()), Err(Error::NotFinite { row: 650, col: 310, .. })));
}

/// In a tile on the diagonal a hole stands twice, and the one below the diagonal is named.
#[test]
fn a_hole_in_a_tile_on_the_diagonal_has_its_place_in_the_matrix() {
    let hole =
        FnKernel::new(
            |x: &usize, y: &usize| {
                if (*x.min(y), *x.max(y)) == (690, 700) { f64::INFINITY } else { 1.0 }
            },
        );
    let points: Vec<usize> = (0..800).collect();
    let error = DenseGram::new(&hole, &points, &MemoryBudget::mebibytes(16)).unwrap_err();
    assert_eq!(error, Error::NotFinite { row: 700, col: 690, given: f64::INFINITY });
}

#[test]
fn right_hand_side_that_is_not_finite_is_an_error_of_its_own() {
    let x = line(300);
    let mut v = Mat::zeros(300, 2);
    v[(7, 1)] = f64::NAN;
    let error = LazyGram::new(&Linear, &x).unwrap().apply(v.as_ref()).unwrap_err();
    assert!(matches!(error, Error::ProductNotFinite { row: 0, col: 1, .. }), "{error}");
}

#[test]
fn overflow_of_a_kernel_is_an_error() {
    let x = Samples::from_rows(&[[1e200], [2e200]]).unwrap();
    let error = DenseGram::new(&Linear, &x, &MemoryBudget::mebibytes(1)).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 0, col: 0, .. }), "{error}");
    assert!(DenseGram::new(&Rbf::new(1.0).unwrap(), &x, &MemoryBudget::mebibytes(1)).is_ok());
}

#[test]
fn wrong_shapes_are_refused() {
    let x = line(4);
    let lazy = LazyGram::new(&Linear, &x).unwrap();
    let error = lazy.apply(Mat::zeros(3, 1).as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "the right-hand side must be 4 x 1, got 3 x 1");
    let mut out = Mat::zeros(4, 2);
    assert!(matches!(lazy.columns_into(&[1], out.as_mut()), Err(Error::Shape { .. })));
    let beyond = lazy.columns_into(&[1, 4], out.as_mut());
    assert_eq!(beyond.unwrap_err(), Error::Core(CoreError::Index { given: 4, len: 4 }));
    assert!(matches!(DenseGram::fill(&Linear, &x, out.as_mut()), Err(Error::Shape { .. })));
}

#[test]
fn incompatible_collections_and_negative_weights_are_refused() {
    let plane = Samples::from_rows(&[[0.0, 1.0]]).unwrap();
    let error = CrossGram::new(&Linear, &plane, &line(2)).unwrap_err();
    let expected = CoreError::Dimension { what: "features per sample", expected: 1, given: 2 };
    assert_eq!(error, Error::Core(expected));
    let negative = -0.5 * Linear;
    assert!(matches!(
        LazyGram::new(&negative, &plane),
        Err(Error::Core(CoreError::Parameter { .. }))
    ));
    assert!(DenseGram::new(&negative, &plane, &MemoryBudget::mebibytes(1)).is_err());
}

#[test]
fn no_points_make_an_empty_matrix() {
    let none = line(0);
    let gram = DenseGram::new(&Linear, &none, &MemoryBudget::bytes(0)).unwrap();
    assert_eq!(gram.size(), 0);
    assert_eq!(gram.apply(Mat::zeros(0, 3).as_ref()).unwrap().shape(), (0, 3));
}

#[test]
fn a_kernel_that_is_not_symmetric_is_named() {
    let first = FnKernel::new(|x: &f64, y: &f64| x * y + x);
    for n in [2, 3, 100] {
        let points: Vec<f64> = (0..n).map(f64::from).collect();
        let errors = [
            DenseGram::new(&first, &points, &MemoryBudget::mebibytes(1)).err(),
            PackedGram::new(&first, &points, &MemoryBudget::mebibytes(1)).err(),
            LazyGram::new(&first, &points).err(),
        ];
        let refused = |error| matches!(error, Some(Error::Core(CoreError::Asymmetric { .. })));
        assert!(errors.into_iter().all(refused), "{n} points");
    }
    // Rounded in single precision, on one side only.
    let rough =
        FnKernel::new(|x: &f64, y: &f64| if x < y { f64::from((x * y) as f32) } else { x * y });
    let points: Vec<f64> = (1..100).map(|i| 1.0 / f64::from(i)).collect();
    assert!(LazyGram::new(&rough, &points).is_ok());
}
