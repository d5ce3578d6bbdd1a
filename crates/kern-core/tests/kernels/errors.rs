//! Tests of what is refused and how it is said: parameters, points, files; and of what is written:
//! JSON that reads back as the same kernel, and formulas as one would write them.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::closure::{AssumeMercer, PullBack, Scaled};
use kern_core::faer::Mat;
use kern_core::kernels::{FnKernel, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use kern_core::{
    Concat, Error, Finite, Gather, Identity, Kernel, NonNegative, Points, Positive, Samples,
    Scalar, SparseSamples,
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::iter;

const POSITIVE: &str = "a finite number > 0";
const NON_NEGATIVE: &str = "a finite number >= 0";
const FINITE: &str = "a finite number";

fn rbf(gamma: f64) -> Rbf {
    Rbf::new(gamma).unwrap()
}

fn laplacian(gamma: f64) -> Laplacian {
    Laplacian::new(gamma).unwrap()
}

fn poly(degree: u32, gamma: f64, coef0: f64) -> Polynomial {
    Polynomial::new(gamma, coef0, degree).unwrap()
}

/// The result is the error of that parameter, with that value (NaN included) and that domain.
#[track_caller]
fn assert_refused<K: Debug>(result: Result<K, Error>, name: &str, given: f64, allowed: &str) {
    let error = result.expect_err("must be refused");
    // A row of zeros has an exponent instead.
    let written =
        if given.abs() < 1e-9 && given != 0.0 { format!("{given:e}") } else { given.to_string() };
    assert_eq!(error.to_string(), format!("{name} must be {allowed}, got {written}"));
    let Error::Parameter { name: n, given: g, allowed: a } = error else { panic!("{error}") };
    assert_eq!((n, g.total_cmp(&given), a), (name, std::cmp::Ordering::Equal, allowed));
}

#[test]
fn gamma_not_positive_or_not_finite_is_refused() {
    for bad in [0.0, -0.0, -1.0, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_refused(Rbf::new(bad), "gamma", bad, POSITIVE);
        assert_refused(Laplacian::new(bad), "gamma", bad, POSITIVE);
        assert_refused(Polynomial::new(bad, 1.0, 2), "gamma", bad, POSITIVE);
        assert_refused(Sigmoid::new(bad, 1.0), "gamma", bad, POSITIVE);
        assert_refused(Rbf::from_sigma(bad), "sigma", bad, POSITIVE);
        assert_refused(Positive::new("width", bad), "width", bad, POSITIVE);
    }
}

#[test]
fn gamma_extreme_but_positive_is_accepted() {
    for gamma in [f64::from_bits(1), f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX] {
        assert_eq!(Rbf::new(gamma).map(|k| k.gamma()), Ok(gamma));
        assert_eq!(Laplacian::new(gamma).map(|k| k.gamma()), Ok(gamma));
    }
}

/// σ is fine, but 1/(2σ²) is no longer a positive number: the error names γ.
#[test]
fn sigma_whose_gamma_is_out_of_range_is_refused() {
    assert_refused(Rbf::from_sigma(1e-200), "gamma", f64::INFINITY, POSITIVE);
    assert_refused(Rbf::from_sigma(1e200), "gamma", 0.0, POSITIVE);
}

#[test]
fn coef0_outside_domain_is_refused() {
    for bad in [-1.0, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_refused(Polynomial::new(1.0, bad, 2), "coef0", bad, NON_NEGATIVE);
        assert_refused(NonNegative::new("offset", bad), "offset", bad, NON_NEGATIVE);
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_refused(Sigmoid::new(1.0, bad), "coef0", bad, FINITE);
        assert_refused(Finite::new("offset", bad), "offset", bad, FINITE);
    }
    assert_eq!(Sigmoid::new(1.0, -3.0).map(|k| k.coef0()), Ok(-3.0));
    assert_eq!(Polynomial::new(1.0, 0.0, 2).map(|k| k.coef0()), Ok(0.0));
}

#[test]
fn weight_outside_domain_is_refused_by_constructor_and_by_check() {
    let x = Samples::from_rows(&[[1.0]]).unwrap();
    for bad in [-1.0, -f64::MIN_POSITIVE, f64::NAN, f64::INFINITY] {
        assert_refused(Scaled::new(bad, Linear), "the weight of a kernel", bad, NON_NEGATIVE);
        // An operator has no way to say so; the check before work does.
        assert_refused((bad * Linear).check(&x), "the weight of a kernel", bad, NON_NEGATIVE);
    }
    assert_eq!(Scaled::new(0.0, Linear).map(|k| k.weight()), Ok(0.0));
}

#[test]
fn samples_not_finite_error_names_sample_and_feature() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let text = format!("sample 2, feature 1 must be finite, got {bad}");
        let mut values = vec![0.5; 12];
        values[7] = bad;
        let matrix = Mat::from_fn(4, 3, |i, j| values[3 * i + j]);
        let rows: Vec<&[f64]> = values.chunks(3).collect();
        assert_eq!(Samples::from_matrix(matrix.as_ref()).unwrap_err().to_string(), text);
        assert_eq!(Samples::from_rows(&rows).unwrap_err().to_string(), text);
        let owned = rows.iter().map(|row| row.to_vec()).collect();
        assert_eq!(<Samples<f64> as Gather>::gather(owned).unwrap_err().to_string(), text);
        let single = values.iter().map(|&v| v as f32).collect();
        assert_eq!(Samples::<f32>::from_row_major(3, single).unwrap_err().to_string(), text);
        let error = Samples::from_row_major(3, values).unwrap_err();
        assert!(matches!(error, Error::NotFinite { sample: 2, feature: 1, .. }), "{error}");
    }
}

#[test]
fn other_errors_keep_message_source_and_identity() {
    let own = Error::Index { given: 7, len: 3 };
    let error = Error::other(own.clone());
    assert_eq!(error.to_string(), own.to_string());
    let source = std::error::Error::source(&error).expect("the error inside");
    assert_eq!(source.downcast_ref::<Error>(), Some(&own));
    assert_eq!(error.clone(), error);
    assert_ne!(error, Error::other(own.clone()));
    assert_ne!(error, own);
    assert_eq!(Error::other("of one's own").to_string(), "of one's own");
}

#[track_caller]
fn assert_dimension<K: Debug>(result: Result<K, Error>, what: &str, expected: usize, given: usize) {
    let error = result.expect_err("must be refused");
    assert_eq!(error.to_string(), format!("{what}: expected dimension {expected}, got {given}"));
    let Error::Dimension { what: w, expected: e, given: g } = error else { panic!("{error}") };
    assert_eq!((w, e, g), (what, expected, given));
}

#[test]
fn samples_ragged_empty_or_without_features_are_refused() {
    let (features, last) = ("features per sample", "features of the last sample");
    assert_dimension(Samples::from_rows(&[vec![1.0, 2.0], vec![3.0]]), features, 2, 1);
    assert_dimension(Samples::from_rows(&[vec![1.0], vec![3.0], vec![4.0, 5.0]]), features, 1, 2);
    assert_dimension(Samples::from_rows(&[vec![1.0], vec![]]), features, 1, 0);
    assert_dimension(Samples::<f64>::from_rows(&[[]; 3]), features, 1, 0);
    // An iterator without an end, whose second row is too long.
    let endless = iter::once(vec![1.0]).chain(iter::repeat(vec![1.0, 2.0]));
    assert_dimension(Samples::from_rows(endless), features, 1, 2);
    assert_dimension(Samples::<f64>::from_rows::<[f64; 2]>([]), features, 1, 0);
    assert_dimension(Samples::<f64>::from_row_major(0, vec![]), features, 1, 0);
    assert_dimension(Samples::from_row_major(3, vec![1.0; 7]), last, 3, 1);
    assert_dimension(Samples::from_row_major(usize::MAX, vec![1.0; 7]), last, usize::MAX, 7);
    assert_dimension(Samples::<f64>::from_matrix(Mat::zeros(3, 0).as_ref()), features, 1, 0);
}

/// No sample is fine as long as the dimension is known.
#[test]
fn samples_empty_of_known_dimension_are_accepted() {
    let none = Samples::<f64>::from_row_major(3, Vec::new()).unwrap();
    assert_eq!((none.len(), none.dim(), none.is_empty()), (0, 3, true));
    assert_eq!(Samples::<f64>::from_matrix(Mat::zeros(0, 3).as_ref()), Ok(none.clone()));
    assert_eq!(none.select(&[]), Ok(none.clone()));
    assert_eq!(none.to_matrix().shape(), (0, 3));
}

#[test]
fn select_index_out_of_bounds_is_refused() {
    let error = Error::Index { given: 3, len: 3 };
    let samples = Samples::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
    assert_eq!(samples.select(&[0, 3, 9]), Err(error.clone()));
    assert_eq!(vec!["a", "b", "c"].select(&[2, 3]), Err(error.clone()));
    assert_eq!(error.to_string(), "index 3 is out of bounds for a collection of 3 points");
    // Repeated and reordered indices are allowed.
    assert_eq!(samples.select(&[2, 0, 2]), Samples::from_rows(&[[2.0], [0.0], [2.0]]));
    assert_eq!(vec!["a", "b", "c"].select(&[2, 0, 2]), Ok(vec!["c", "a", "c"]));
}

#[test]
fn points_of_other_dimension_are_incompatible() {
    let (one, two) =
        (Samples::from_rows(&[[0.0]]).unwrap(), Samples::from_rows(&[[0.0, 1.0]]).unwrap());
    assert_dimension(one.check_compatible(&two), "features per sample", 1, 2);
    assert_dimension(two.check_compatible(&one), "features per sample", 2, 1);
    assert_eq!(two.check_compatible(&two), Ok(()));
    assert_eq!(vec![1, 2].check_compatible(&vec![3]), Ok(()));
}

/// A function whose vectors differ in length, or are not finite, is found by `check`.
#[test]
fn pull_back_to_invalid_vectors_is_refused_by_check() {
    let ones = |x: &usize| vec![1.0; *x];
    let kernel = PullBack::<_, _, Samples<f64>>::new(ones, Linear);
    assert_eq!(kernel.check(&vec![2, 2, 2]), Ok(()));
    assert_dimension(kernel.check(&vec![2, 2, 3]), "features per sample", 2, 3);
    assert_dimension(kernel.check(&vec![0, 0]), "features per sample", 1, 0);
    let log = PullBack::<_, _, Samples<f64>>::new(|x: &f64| vec![x.ln()], rbf(1.0));
    let error = log.check(&vec![1.0, 0.0]).unwrap_err();
    assert_eq!(error, Error::NotFinite { sample: 1, feature: 0, given: f64::NEG_INFINITY });
}

#[track_caller]
fn assert_unreadable<K: DeserializeOwned + Debug>(json: &str, part: &str) {
    let error = serde_json::from_str::<K>(json).expect_err(json).to_string();
    assert!(error.contains(part), "{json}: {error}");
}

#[test]
fn deserialise_invalid_kernel_is_refused() {
    assert_unreadable::<Rbf>(r#"{"gamma":-1}"#, "must be a finite number > 0, got -1");
    assert_unreadable::<Rbf>(r#"{"gamma":0.0}"#, "must be a finite number > 0, got 0");
    assert_unreadable::<Rbf>(r#"{"gamma":null}"#, "expected f64");
    assert_unreadable::<Rbf>(r"{}", "missing field `gamma`");
    assert_unreadable::<Laplacian>(r#"{"gamma":-1}"#, "must be a finite number > 0, got -1");
    assert_unreadable::<Polynomial>(
        r#"{"gamma":1,"coef0":-2,"degree":2}"#,
        "a finite number >= 0, got -2",
    );
    assert_unreadable::<Polynomial>(r#"{"gamma":1,"coef0":0,"degree":-2}"#, "invalid value");
    assert_unreadable::<Polynomial>(r#"{"gamma":1,"coef0":0,"degree":1.5}"#, "invalid type");
    assert_unreadable::<Sigmoid>(r#"{"gamma":-1,"coef0":0}"#, "a finite number > 0, got -1");
    assert_unreadable::<Scaled<Linear>>(
        r#"{"weight":-1,"kernel":null}"#,
        "a finite number >= 0, got -1",
    );
    assert_unreadable::<AssumeMercer<Rbf>>(r#"{"gamma":-1}"#, "a finite number > 0, got -1");
}

#[test]
fn deserialise_invalid_samples_is_refused() {
    assert_unreadable::<Samples<f64>>(r#"{"dim":0,"values":[]}"#, "expected dimension 1, got 0");
    assert_unreadable::<Samples<f64>>(
        r#"{"dim":2,"values":[1,2,3]}"#,
        "expected dimension 2, got 1",
    );
    assert_unreadable::<Samples<f64>>(r#"{"dim":1,"values":[1,null]}"#, "expected f64");
    // 1e39 is a number, but not one of f32; serde_json says so before this crate can.
    assert_unreadable::<Samples<f32>>(r#"{"dim":2,"values":[1,2,1e39,4]}"#, "number out of range");
}

/// A matrix field, as structures of the layers above have them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    #[serde(with = "kern_core::serde_mat")]
    matrix: Mat<f64>,
}

#[test]
fn deserialise_invalid_matrix_is_refused() {
    let text = "a 2 x 2 matrix cannot have 3 values";
    assert_unreadable::<Stored>(r#"{"matrix":{"nrows":2,"ncols":2,"values":[1,2,3]}}"#, text);
    let huge = u64::MAX;
    let text = format!(r#"{{"matrix":{{"nrows":{huge},"ncols":{huge},"values":[1]}}}}"#);
    assert_unreadable::<Stored>(&text, "cannot have 1 values");
}

/// Asserts that a value reads back as equal.
#[track_caller]
fn assert_round_trip<K: Serialize + DeserializeOwned + PartialEq + Debug>(value: &K) {
    let json = serde_json::to_string(value).unwrap();
    let read: K = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(&read, value, "{json}");
}

#[test]
fn json_round_trip_every_kernel_and_rule_is_equal() {
    assert_round_trip(&Linear);
    assert_round_trip(&poly(3, 0.1, 1.0 / 3.0));
    assert_round_trip(&rbf(0.1));
    assert_round_trip(&rbf(f64::MIN_POSITIVE));
    assert_round_trip(&laplacian(f64::MAX));
    assert_round_trip(&Sigmoid::new(0.7, -1e-300).unwrap());
    assert_round_trip(&(rbf(0.1) + Linear));
    assert_round_trip(&(rbf(0.1) * laplacian(0.2)));
    assert_round_trip(&(0.3 * rbf(0.1)));
    assert_round_trip(&AssumeMercer(Sigmoid::new(0.7, 0.0).unwrap()));
    assert_round_trip(
        &(0.5 * (rbf(1.0) + Linear) * laplacian(2.0) + AssumeMercer(poly(2, 1.0, 0.0))),
    );
    assert_round_trip(&Identity::new(7));
}

#[test]
fn json_of_composite_is_what_files_hold() {
    let json = serde_json::to_string(&(0.5 * rbf(2.0) + Linear)).unwrap();
    assert_eq!(json, r#"{"left":{"weight":0.5,"kernel":{"gamma":2.0}},"right":null}"#);
}

#[test]
fn json_round_trip_samples_and_matrices_are_equal() {
    let x = Samples::from_rows(&[[0.1, -1e-308, 1e308], [1.0 / 3.0, 0.0, -5.0]]).unwrap();
    assert_round_trip(&x);
    assert_eq!(
        serde_json::to_string(&Samples::from_rows(&[[1.0], [2.5]]).unwrap()).unwrap(),
        r#"{"dim":1,"values":[1.0,2.5]}"#
    );
    assert_round_trip(&Samples::from_rows(&[[0.1_f32, f32::MAX]]).unwrap());
    assert_round_trip(&Samples::<f64>::from_row_major(4, vec![]).unwrap());
    for (rows, cols) in [(2, 3), (3, 1), (0, 2), (2, 0), (0, 0)] {
        assert_round_trip(&Stored {
            matrix: Mat::from_fn(rows, cols, |i, j| i as f64 + 0.1 * j as f64),
        });
    }
}

#[test]
fn display_kernels_print_as_formulas() {
    assert_eq!(Linear.to_string(), "linear");
    assert_eq!(rbf(0.5).to_string(), "rbf(gamma=0.5)");
    assert_eq!(laplacian(2.0).to_string(), "laplacian(gamma=2)");
    assert_eq!(poly(3, 0.1, 0.0).to_string(), "poly(degree=3, gamma=0.1, coef0=0)");
    assert_eq!(Sigmoid::new(0.5, -1.0).unwrap().to_string(), "sigmoid(gamma=0.5, coef0=-1)");
    assert_eq!(FnKernel::new(|x: &f64, y: &f64| x * y).to_string(), "function");
    let pulled = PullBack::<_, _, Samples<f64>>::new(|x: &[f64]| x.to_vec(), rbf(1.0) + Linear);
    assert_eq!((pulled.clone() * Linear).to_string(), "pull_back(rbf(gamma=1) + linear)*linear");
    assert_eq!(
        format!("{pulled:?}"),
        "PullBack { kernel: Sum { left: Rbf { gamma: Positive(1.0) }, right: Linear }, .. }"
    );
}

#[test]
fn display_composites_have_the_right_parentheses() {
    let (a, b, c) = (rbf(1.0), Linear, laplacian(2.0));
    let formula = "0.5*(rbf(gamma=1) + linear)*laplacian(gamma=2)";
    assert_eq!((0.5 * (a + b) * c).to_string(), formula);
    assert_eq!((0.5 * ((a + b) * c)).to_string(), formula);
    assert_eq!((c * (a + b)).to_string(), "laplacian(gamma=2)*(rbf(gamma=1) + linear)");
    assert_eq!(
        ((a + b) * (b + c)).to_string(),
        "(rbf(gamma=1) + linear)*(linear + laplacian(gamma=2))"
    );
    assert_eq!((a + b + c).to_string(), "rbf(gamma=1) + linear + laplacian(gamma=2)");
    assert_eq!((a + (b + c)).to_string(), "rbf(gamma=1) + linear + laplacian(gamma=2)");
    assert_eq!((a + b * c).to_string(), "rbf(gamma=1) + linear*laplacian(gamma=2)");
    assert_eq!((a * b + c).to_string(), "rbf(gamma=1)*linear + laplacian(gamma=2)");
    assert_eq!((0.5 * a + 0.25 * b).to_string(), "0.5*rbf(gamma=1) + 0.25*linear");
    assert_eq!((2.0 * (0.5 * (a + b))).to_string(), "2*0.5*(rbf(gamma=1) + linear)");
    assert_eq!((AssumeMercer(a + b) * c).to_string(), "(rbf(gamma=1) + linear)*laplacian(gamma=2)");
    assert_eq!((3.0 * AssumeMercer(a + b)).to_string(), "3*(rbf(gamma=1) + linear)");
}

proptest! {
    // Cases are seeded anew each time; a failure prints its input, which becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bits are either a valid parameter that comes back unchanged, or refused.
    #[test]
    fn positive_any_bits_valid_or_refused(bits: u64) {
        let value = f64::from_bits(bits);
        let valid = (f64::from_bits(1)..=f64::MAX).contains(&value);
        prop_assert_eq!(Positive::new("gamma", value).map(|p| p.get().to_bits()).ok(), valid.then_some(bits));
    }

    /// Any parameters and data survive JSON to the last bit.
    #[test]
    fn json_round_trip_any_values_same_bits(
        gamma in (1_u64..0x7ff0_0000_0000_0000).prop_map(f64::from_bits),
        weight in (0_u64..0x7ff0_0000_0000_0000).prop_map(f64::from_bits),
        values in proptest::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 0..20),
    ) {
        assert_round_trip(&(weight * (rbf(gamma) + Linear) * laplacian(gamma)));
        let samples = Samples::from_row_major(1, values).unwrap();
        let read: Samples<f64> = serde_json::from_str(&serde_json::to_string(&samples).unwrap()).unwrap();
        prop_assert!(read.as_slice().iter().zip(samples.as_slice()).all(|(a, b)| a.to_bits() == b.to_bits()));
        prop_assert_eq!(read, samples);
    }

    /// Selecting by a list of indices is indexing by it.
    /// Cut anywhere and put together again, dense, sparse and other collections are what they were.
    #[test]
    fn concat_undoes_a_cut(
        rows in proptest::collection::vec([-1.0..1.0_f64, 0.0..1.0], 1..12),
        at in 0_usize..12,
    ) {
        let cut: Vec<usize> = (0..at.min(rows.len())).collect();
        let rest: Vec<usize> = (cut.len()..rows.len()).collect();
        let x = Samples::from_rows(&rows).unwrap();
        prop_assert_eq!(&x.select(&cut).unwrap().concat(&x.select(&rest).unwrap()).unwrap(), &x);
        let s = SparseSamples::from_dense(&x).unwrap();
        prop_assert_eq!(&s.select(&cut).unwrap().concat(&s.select(&rest).unwrap()).unwrap(), &s);
        prop_assert_eq!(&rows.select(&cut).unwrap().concat(&rows.select(&rest).unwrap()).unwrap(), &rows);
        let other = Samples::from_rows(&[[0.0]]).unwrap();
        let refused = x.concat(&other).unwrap_err();
        let by_dimension = matches!(refused, Error::Dimension { .. });
        prop_assert!(by_dimension, "{refused}");
    }

    #[test]
    fn select_any_valid_indices_picks_those_points(picked in proptest::collection::vec(0_usize..6, 0..20)) {
        let points = Samples::<f32>::from_row_major(2, (0..12_u8).map(f32::from).collect()).unwrap();
        let selected = points.select(&picked).unwrap();
        prop_assert_eq!(selected.len(), picked.len());
        for (i, &p) in picked.iter().enumerate() {
            prop_assert_eq!(selected.item(i)[0].to_f64().to_bits(), (2.0 * p as f64).to_bits());
            prop_assert_eq!(selected.item(i), points.item(p));
        }
    }
}
