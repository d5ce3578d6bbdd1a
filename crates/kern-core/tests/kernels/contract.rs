//! Tests of the kernel contract: every kernel and every closure rule keeps it on hostile data, every
//! kind of violation is found, and pointers to kernels change no bit.

#![allow(clippy::unwrap_used, reason = "a panic in a helper fails the test, as it should")]

use kern_core::closure::{AssumeMercer, PullBack, Scaled};
use kern_core::contract::{self, Violation};
use kern_core::faer::{Mat, MatMut};
use kern_core::kernels::{FnKernel, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use kern_core::{
    Bound, Error, FeatureMap, Geometry, Identity, Kernel, Mercer, Order, Points, Samples, Scalar,
    Scratch, SearchOrder, SinglePrecision, Tile,
};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::Arc;

const DIMS: [usize; 3] = [1, 3, 8];

/// Every hostile collection of every dimension, with its name.
fn collections<T: Scalar>() -> Vec<(String, Samples<T>)> {
    let named = |dim| {
        let sets = contract::sample_sets::<T>(dim).unwrap().into_iter();
        sets.map(move |(name, points)| (format!("{name}, dim {dim}"), points))
    };
    DIMS.into_iter().flat_map(named).collect()
}

#[track_caller]
fn assert_mercer<T: Scalar>(name: &str, kernel: &impl Mercer<Samples<T>>) {
    for (set, points) in collections::<T>() {
        if let Err(violation) = contract::verify_mercer(kernel, &points) {
            panic!("{name} on {set}, u = {:e}: {violation}", T::UNIT_ROUNDOFF);
        }
    }
}

/// The contract in both precisions.
#[track_caller]
fn assert_mercer_everywhere<K: Mercer<Samples<f64>> + Mercer<Samples<f32>>>(
    name: &str,
    kernel: &K,
) {
    assert_mercer::<f64>(name, kernel);
    assert_mercer::<f32>(name, kernel);
}

fn rbf(gamma: f64) -> Rbf {
    Rbf::new(gamma).unwrap()
}

fn laplacian(gamma: f64) -> Laplacian {
    Laplacian::new(gamma).unwrap()
}

fn poly(gamma: f64, coef0: f64, degree: u32) -> Polynomial {
    Polynomial::new(gamma, coef0, degree).unwrap()
}

#[test]
fn linear_hostile_points_keeps_contract() {
    assert_mercer_everywhere("linear", &Linear);
}

/// γ = 1 in f64. In f32 the value (8·10¹²)⁴ on translated data is above the greatest number, so γ
/// is 10⁻⁶ there; the overflow itself is tested in `polynomial_overflow_is_found_not_finite`.
#[test]
fn polynomial_every_degree_and_constant_keeps_contract() {
    for degree in 0..=4 {
        for coef0 in [0.0, 1.0] {
            let name = format!("degree {degree}, coef0 {coef0}");
            assert_mercer::<f64>(&name, &poly(1.0, coef0, degree));
            assert_mercer::<f32>(&name, &poly(1e-6, coef0, degree));
            if degree <= 2 {
                assert_mercer::<f32>(&name, &poly(1.0, coef0, degree));
            }
        }
    }
}

#[test]
fn polynomial_overflow_is_found_not_finite() {
    let far = Samples::<f32>::from_rows(&[[1e10], [1.0]]).unwrap();
    let found = contract::verify(&poly(1.0, 0.0, 4), &far).unwrap_err();
    assert_eq!(found, Violation::NotFinite { i: 0, j: 0, given: f64::INFINITY });
}

#[test]
fn rbf_every_gamma_keeps_contract() {
    for gamma in [1e-6, 1e-3, 0.5, 30.0, 1e6] {
        assert_mercer_everywhere(&format!("gamma {gamma:e}"), &rbf(gamma));
    }
}

#[test]
fn laplacian_every_gamma_keeps_contract() {
    for gamma in [1e-6, 1e-3, 0.5, 30.0, 1e6] {
        assert_mercer_everywhere(&format!("gamma {gamma:e}"), &laplacian(gamma));
    }
}

/// Not Mercer, so only symmetry, finiteness and the agreement of the methods.
#[test]
fn sigmoid_hostile_points_keeps_contract_without_psd() {
    for (gamma, coef0) in [(1.0, 0.0), (1e-3, -1.0), (0.2, 1.0)] {
        let kernel = Sigmoid::new(gamma, coef0).unwrap();
        for (set, points) in collections::<f64>() {
            contract::verify(&kernel, &points).unwrap_or_else(|v| panic!("{kernel} on {set}: {v}"));
        }
        for (set, points) in collections::<f32>() {
            contract::verify(&kernel, &points).unwrap_or_else(|v| panic!("{kernel} on {set}: {v}"));
        }
    }
}

/// … and indeed it is not PSD: K(0, 0) = tanh(−1) < 0. The contract says so if somebody assumes it.
#[test]
fn sigmoid_assumed_mercer_is_found_not_psd() {
    let points = Samples::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
    let assumed = AssumeMercer(Sigmoid::new(1.0, -1.0).unwrap());
    let found = contract::verify_mercer(&assumed, &points).unwrap_err();
    assert!(matches!(found, Violation::NotPsd { eigenvalue, .. } if eigenvalue < -0.1), "{found}");
}

#[test]
fn sum_product_and_scaled_keep_contract() {
    assert_mercer_everywhere("sum", &(rbf(0.5) + Linear));
    assert_mercer_everywhere("product", &(rbf(0.5) * laplacian(2.0)));
    assert_mercer_everywhere("product of unbounded", &(Linear * poly(1e-6, 1.0, 2)));
    assert_mercer_everywhere("scaled", &(0.3 * rbf(0.5)));
    assert_mercer_everywhere("scaled by zero", &(0.0 * Linear));
    assert_mercer_everywhere("scaled by much", &(1e12 * laplacian(0.1)));
    assert_mercer_everywhere("assumed", &AssumeMercer(rbf(2.0)));
}

#[test]
fn nested_composites_keep_contract() {
    assert_mercer_everywhere("a + b*c", &(Linear + rbf(0.5) * laplacian(1.0)));
    assert_mercer_everywhere("0.3*(a + b)", &(0.3 * (rbf(0.5) + Linear)));
    assert_mercer_everywhere(
        "(a + b)*(c + d)",
        &((rbf(9.0) + Linear) * (laplacian(1.0) + rbf(1e-3))),
    );
    let deep = 0.5 * (0.25 * (rbf(1.0) + Linear) * laplacian(0.1)) + 2.0 * AssumeMercer(rbf(1e-6));
    assert_mercer_everywhere("deep", &(deep * (Linear + 1e-3 * rbf(1.0))));
}

/// Along a linear map to another dimension, and a nonlinear one.
fn pull_back_keeps_contract<T: Scalar>() {
    let fold = |x: &[T]| {
        let total: T = x.iter().copied().sum();
        vec![total, x[0], total - x[0], T::ONE]
    };
    assert_mercer::<T>("linear", &PullBack::<_, _, Samples<T>>::new(fold, Linear));
    assert_mercer::<T>("rbf", &PullBack::<_, _, Samples<T>>::new(fold, rbf(0.5)));
    let composite =
        PullBack::<_, _, Samples<T>>::new(fold, rbf(0.5) + 0.1 * Linear * laplacian(1.0));
    assert_mercer::<T>("composite", &composite);
    let sine = |x: &[T]| vec![T::from_f64(x[0].to_f64().sin())];
    let nested =
        PullBack::<_, _, Samples<T>>::new(fold, PullBack::<_, _, Samples<T>>::new(sine, rbf(3.0)));
    assert_mercer::<T>("nested", &(0.5 * nested + rbf(1.0)));
}

#[test]
fn pull_back_to_samples_keeps_contract() {
    pull_back_keeps_contract::<f64>();
    pull_back_keeps_contract::<f32>();
}

/// The product of indicator values: 1 for equal keys, else 0.
fn same_key() -> AssumeMercer<FnKernel<impl Fn(&i64, &i64) -> f64 + Clone>> {
    AssumeMercer(FnKernel::new(|x: &i64, y: &i64| f64::from(u8::from(x == y))))
}

/// Values on `Vec`s are f64, so this pull-back exists for f64 samples.
#[test]
fn pull_back_to_vec_keeps_contract() {
    let cell = |x: &[f64]| (4.0 * x[0]).floor() as i64;
    let kernel = PullBack::<_, _, Vec<i64>>::new(cell, same_key());
    assert_mercer::<f64>("cells", &kernel);
    assert_mercer::<f64>("cells and rbf", &(0.5 * kernel + rbf(1.0)));
    let x = Samples::from_rows(&[[0.1], [0.2], [0.3]]).unwrap();
    let gram = Mat::from_fn(3, 3, |i, j| f64::from(u8::from((i < 2) == (j < 2))));
    let kernel = PullBack::<_, _, Vec<i64>>::new(cell, same_key());
    assert_eq!(block(&kernel, &x), gram);
}

fn block<P: Points>(kernel: &(impl Kernel<P> + ?Sized), points: &P) -> Mat<P::Scalar> {
    let n = points.len();
    let mut out = Mat::zeros(n, n);
    kernel.block(&Tile::new(points, 0..n, points, 0..n), out.as_mut(), &mut Scratch::new());
    out
}

/// The bits of every value that a kernel gives on the points, by every method.
fn all_bits<P: Points>(kernel: &(impl Kernel<P> + ?Sized), points: &P) -> Vec<u64> {
    let matrix = block(kernel, points);
    let n = points.len();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let by_block = pairs.clone().map(|(i, j)| matrix[(i, j)].to_f64());
    let by_eval = pairs.map(|(i, j)| kernel.eval(points.item(i), points.item(j)).to_f64());
    let by_diag = (0..n).map(|i| kernel.diag(points, i).to_f64());
    by_block.chain(by_eval).chain(by_diag).map(f64::to_bits).collect()
}

fn pointers_change_no_bit<T, K>(name: &str, kernel: K)
where
    T: Scalar,
    K: Mercer<Samples<T>> + Clone + 'static,
{
    let boxed: Box<dyn Kernel<Samples<T>>> = Box::new(kernel.clone());
    let shared: Arc<dyn Kernel<Samples<T>>> = Arc::new(kernel.clone());
    let mercer: Box<dyn Mercer<Samples<T>>> = Box::new(kernel.clone());
    for (set, points) in collections::<T>() {
        let expected = all_bits(&kernel, &points);
        assert_eq!(all_bits::<Samples<T>>(&boxed, &points), expected, "Box of {name} on {set}");
        assert_eq!(all_bits::<Samples<T>>(&shared, &points), expected, "Arc of {name} on {set}");
        assert_eq!(all_bits::<Samples<T>>(&&kernel, &points), expected, "& of {name} on {set}");
        assert_eq!(
            all_bits::<Samples<T>>(&mercer, &points),
            expected,
            "dyn Mercer {name} on {set}"
        );
        assert_eq!(contract::verify_mercer(&mercer, &points), Ok(()), "{name} on {set}");
    }
}

#[test]
fn dyn_kernel_same_bits_as_static() {
    pointers_change_no_bit::<f64, _>("linear", Linear);
    pointers_change_no_bit::<f64, _>("rbf", rbf(0.5));
    pointers_change_no_bit::<f32, _>("rbf", rbf(0.5));
    pointers_change_no_bit::<f32, _>("poly", poly(1e-6, 1.0, 3));
    pointers_change_no_bit::<f64, _>("composite", 0.5 * (rbf(1.0) + Linear) * laplacian(0.3));
    pointers_change_no_bit::<f32, _>("composite", 0.5 * (rbf(1.0) + Linear) * laplacian(0.3));
}

/// Closure rules accept boxed parts, and `check` passes through all pointers.
#[test]
fn dyn_kernel_inside_composite_same_bits_and_same_check() {
    let points = contract::sample_sets::<f64>(3).unwrap().swap_remove(3).1;
    let boxed: Box<dyn Mercer<Samples<f64>>> = Box::new(rbf(0.5) + Linear);
    let expected = all_bits(&(0.3 * (rbf(0.5) + Linear)), &points);
    assert_eq!(all_bits(&Scaled::new(0.3, boxed).unwrap(), &points), expected);

    let refused: Arc<dyn Kernel<Samples<f64>>> = Arc::new(Box::new(-1.0 * Linear));
    assert_eq!(refused.check(&points), (-1.0 * Linear).check(&points));
    assert!(Kernel::check(&&*refused, &points).is_err());
}

#[derive(Clone)]
struct Interval {
    from: f64,
    to: f64,
}

/// The length of the overlap, ⟨1_x, 1_y⟩ in L².
struct Overlap;

impl Kernel<Vec<Interval>> for Overlap {
    fn eval(&self, x: &Interval, y: &Interval) -> f64 {
        (x.to.min(y.to) - x.from.max(y.from)).max(0.0)
    }
}
impl Mercer<Vec<Interval>> for Overlap {}
kern_core::impl_kernel_ops!([] Overlap;);

#[test]
fn kernels_on_structs_and_strings_keep_contract() {
    let at = |i: usize| (i * i % 11) as f64 * 0.3;
    let intervals: Vec<Interval> =
        (0..15).map(|i| Interval { from: at(i), to: at(i) + 1.0 + at(i + 4) }).collect();
    assert_eq!(contract::verify_mercer(&Overlap, &intervals), Ok(()));
    assert_eq!(contract::verify_mercer(&(Overlap * Overlap + 0.5 * Overlap), &intervals), Ok(()));
    let ends = |x: &Interval| vec![x.from, x.to];
    let pulled = PullBack::<_, _, Samples<f64>>::new(ends, rbf(0.5));
    assert_eq!(contract::verify_mercer(&(Overlap + pulled), &intervals), Ok(()));

    let words: Vec<String> =
        ["gram", "kernel", "", "gram", "mercer", "κ"].map(String::from).to_vec();
    let letters = |s: &String| ('a'..='z').map(|c| s.matches(c).count() as f64).collect();
    let counts = PullBack::<_, _, Samples<f64>>::new(letters, Linear);
    assert_eq!(contract::verify_mercer(&counts, &words), Ok(()));
    // m e r c e r: 1 + 4 + 4 + 1, in integers.
    assert_eq!(counts.diag(&words, 4).to_bits(), 10.0_f64.to_bits());
    let none: Vec<String> = Vec::new();
    assert_eq!(contract::verify_mercer(&counts, &none), Ok(()));
}

/// A kernel on numbers with one method spoilt by the value `off`.
#[derive(Clone, Copy, Default)]
struct Spoilt {
    block: f64,
    diag: f64,
    size: f64,
}

impl Kernel<Vec<f64>> for Spoilt {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.size + x * y
    }
    fn block(&self, tile: &Tile<'_, Vec<f64>>, mut out: MatMut<'_, f64>, _: &mut Scratch<f64>) {
        tile.fill_pointwise(out.as_mut(), |x, y| self.eval(x, y));
        if out.nrows() > 2 && out.ncols() > 1 {
            out[(2, 1)] += self.block;
        }
    }
    fn diag(&self, points: &Vec<f64>, i: usize) -> f64 {
        self.eval(&points[i], &points[i]) + if i == 3 { self.diag } else { 0.0 }
    }
}

fn numbers() -> Vec<f64> {
    vec![0.5, 1.0, 1.5, 2.0, 2.5]
}

#[test]
fn violation_asymmetric_is_found() {
    let skew = FnKernel::new(|x: &f64, y: &f64| 2.0 * x + y);
    let found = contract::verify(&skew, &numbers()).unwrap_err();
    let (i, j, given, mirrored) = (1, 0, 2.5, 2.0);
    assert_eq!(found, Violation::Asymmetric { i, j, given, mirrored });
    assert_eq!(found.to_string(), "not symmetric: K(x_1, x_0) = 2.5, K(x_0, x_1) = 2");
    // One bit is enough.
    let slight = FnKernel::new(|x: &f64, y: &f64| if x > y { 1.0 + f64::EPSILON } else { 1.0 });
    assert!(matches!(contract::verify(&slight, &numbers()), Err(Violation::Asymmetric { .. })));
}

#[test]
fn violation_not_finite_is_found() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let kernel = FnKernel::new(
            move |x: &f64, y: &f64| if x * y > 3.9 && x * y < 4.1 { bad } else { 1.0 },
        );
        let found = contract::verify(&kernel, &numbers()).unwrap_err();
        assert!(matches!(found, Violation::NotFinite { i: 3, j: 3, .. }), "{found}");
    }
}

#[test]
fn violation_wrong_block_is_found() {
    for off in [1e-9, -1.0, f64::NAN, f64::INFINITY] {
        let found =
            contract::verify(&Spoilt { block: off, ..Spoilt::default() }, &numbers()).unwrap_err();
        let at = matches!(
            found,
            Violation::Inconsistent { method: "block", i: 2, j: 1, expected: 1.5, .. }
        );
        assert!(at, "{found}");
    }
    // Rounding is allowed.
    let rounded = Spoilt { block: 2.0 * f64::EPSILON, ..Spoilt::default() };
    assert_eq!(contract::verify(&rounded, &numbers()), Ok(()));
}

/// Values whose product overflows must not make the allowed difference infinite.
#[test]
fn violation_wrong_block_of_great_values_is_found() {
    let great = Spoilt { size: 1e200, block: 1e195, ..Spoilt::default() };
    let found = contract::verify(&great, &numbers()).unwrap_err();
    assert!(matches!(found, Violation::Inconsistent { method: "block", .. }), "{found}");
}

#[test]
fn violation_wrong_diag_is_found() {
    for off in [1e-9, -1.0, f64::NAN] {
        let found =
            contract::verify(&Spoilt { diag: off, ..Spoilt::default() }, &numbers()).unwrap_err();
        let at = matches!(
            found,
            Violation::Inconsistent { method: "diag", i: 3, j: 3, expected: 4.0, .. }
        );
        assert!(at, "{found}");
    }
}

/// −|x − y| is only conditionally PSD; −xy has one eigenvalue, −Σx² = −13.75.
#[test]
fn violation_not_psd_is_found() {
    let distance = AssumeMercer(FnKernel::new(|x: &f64, y: &f64| -(x - y).abs()));
    assert_eq!(contract::verify(&distance, &numbers()), Ok(()));
    let found = contract::verify_mercer(&distance, &numbers()).unwrap_err();
    assert!(matches!(found, Violation::NotPsd { .. }), "{found}");
    let negative = AssumeMercer(FnKernel::new(|x: &f64, y: &f64| -(x * y)));
    match contract::verify_mercer(&negative, &numbers()).unwrap_err() {
        Violation::NotPsd { eigenvalue, allowed } => {
            assert!((eigenvalue + 13.75).abs() <= 1e-12, "{eigenvalue}");
            assert!(allowed <= 0.0 && allowed > -1e-11, "{allowed}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn violation_refused_is_found() {
    let points = Samples::from_rows(&[[1.0], [2.0]]).unwrap();
    let found = contract::verify_mercer(&(-0.5 * Linear), &points).unwrap_err();
    let allowed = "a finite number >= 0";
    let error = Error::Parameter { name: "the weight of a kernel", given: -0.5, allowed };
    assert_eq!(found, Violation::Refused(error));
    // Deep inside a composite, on either side of every rule.
    let bad = || -0.5 * Linear;
    assert!(contract::verify(&(Linear + bad()), &points).is_err());
    assert!(contract::verify(&(bad() + Linear), &points).is_err());
    assert!(contract::verify(&(Linear * bad()), &points).is_err());
    assert!(contract::verify(&(bad() * Linear), &points).is_err());
    assert!(contract::verify(&(2.0 * AssumeMercer(bad())), &points).is_err());
    assert!(
        contract::verify(
            &PullBack::<_, _, Samples<f64>>::new(|x: &[f64]| x.to_vec(), bad()),
            &points
        )
        .is_err()
    );
}

/// Five times the greatest number is an eigenvalue that does not exist in f64.
#[test]
fn violation_no_eigenvalues_is_found() {
    let largest = AssumeMercer(FnKernel::new(|_: &f64, _: &f64| f64::MAX));
    assert_eq!(contract::verify_mercer(&largest, &numbers()), Err(Violation::NoEigenvalues));
}

/// Squares of the entries overflow in an eigenvalue computation that does not scale.
#[test]
fn constant_kernel_of_great_value_is_psd() {
    for value in [1e100, 1e160, 1e200, 1e300] {
        let constant = AssumeMercer(FnKernel::new(move |_: &f64, _: &f64| value));
        assert_eq!(contract::verify_mercer(&constant, &numbers()), Ok(()), "{value:e}");
        let negative = AssumeMercer(FnKernel::new(move |_: &f64, _: &f64| -value));
        assert!(contract::verify_mercer(&negative, &numbers()).is_err(), "{value:e}");
    }
}

/// K(0, 0) < 0 is not PSD however small its scale is.
#[test]
fn tiny_indefinite_kernel_is_found_not_psd() {
    let tiny = AssumeMercer(FnKernel::new(|x: &f64, y: &f64| 1e-200 * (x * y - 4.0)));
    let found = contract::verify_mercer(&tiny, &numbers()).unwrap_err();
    assert!(matches!(found, Violation::NotPsd { .. }), "{found}");
}

/// ⟨φ(x), φ(y)⟩ of the one exact feature map of this crate is its kernel.
#[test]
fn identity_features_inner_products_are_linear_kernel() {
    for (set, points) in collections::<f64>() {
        let (n, dim) = (points.len(), points.dim());
        let map: &dyn FeatureMap<Samples<f64>> = &Identity::new(dim);
        map.check(&points).unwrap();
        let mut z = Mat::zeros(map.dim(), n);
        map.transform_into(&points, 0..n, z.as_mut(), &mut Scratch::new());
        let (features, expected) = (z.transpose() * &z, block(&Linear, &points));
        for j in 0..n {
            for i in 0..n {
                // Coordinates are ≥ 0, so the inner product is the sum of its magnitudes.
                let allowed = dim as f64 * f64::EPSILON * expected[(i, j)];
                assert!((features[(i, j)] - expected[(i, j)]).abs() <= allowed, "{set}");
            }
        }
    }
    let error = FeatureMap::<Samples<f64>>::check(
        &Identity::new(2),
        &Samples::from_rows(&[[1.0]]).unwrap(),
    );
    assert_eq!(error, Err(Error::Dimension { what: "features per sample", expected: 2, given: 1 }));
}

proptest! {
    // Cases are seeded anew each time; a failure prints its input, which becomes a test of its own.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any composite on any data keeps the contract.
    #[test]
    fn composites_any_parameters_and_points_keep_contract(
        values in proptest::collection::vec(-1e3_f64..1e3, 3..60),
        (gamma, decay, weight) in (1e-8_f64..1e8, 1e-8_f64..1e8, 0.0_f64..1e6),
        degree in 0_u32..5,
    ) {
        let whole = values.len() / 3 * 3;
        let points = Samples::from_row_major(3, values[..whole].to_vec()).unwrap();
        let kernel = weight * (rbf(gamma) + poly(1e-4, 0.5, degree)) * laplacian(decay) + rbf(decay);
        prop_assert_eq!(contract::verify_mercer(&kernel, &points), Ok(()));
    }

    /// (a + b)·c = a·c + b·c: the rules obey the algebra of functions, to rounding.
    #[test]
    fn composites_distribute_over_sums(x in -3.0_f64..3.0, y in -3.0_f64..3.0, weight in 0.0_f64..10.0) {
        let (a, b, c) = (rbf(0.5), laplacian(0.2), poly(1.0, 9.0, 2));
        let (a2, b2) = (a * c, b * c);
        let left = Kernel::<Samples<f64>>::eval(&(weight * ((a + b) * c)), &[x], &[y]);
        let right = Kernel::<Samples<f64>>::eval(&(weight * a2 + weight * b2), &[x], &[y]);
        // All terms are non-negative; at most four roundings on either side.
        prop_assert!((left - right).abs() <= 4.0 * f64::EPSILON * right, "{} {}", left, right);
    }
}

/// Minus a power of the Euclidean distance as the key, which is said to be the square of a metric.
struct Powered {
    power: f64,
    /// Added to every distance.
    shift: f64,
}

struct PoweredOrder<'a>(&'a Powered, &'a Samples<f64>);

impl Bound<f64> for PoweredOrder<'_> {
    fn block(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        mut out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        let PoweredOrder(kernel, points) = self;
        for (j, q) in cols.enumerate() {
            for (i, p) in rows.clone().enumerate() {
                out[(i, j)] = -kernel.distance(points.item(p), points.item(q));
            }
        }
    }
}

impl Order<f64> for PoweredOrder<'_> {
    fn values(&self, keys: &mut [f64], _: &mut Scratch<f64>) {
        keys.iter_mut().for_each(|key| *key = key.exp());
    }

    fn metric(&self, key: f64) -> Option<[f64; 2]> {
        let distance = (-key).sqrt() + self.0.shift;
        Some([distance * (1.0 - 1e-14), distance * (1.0 + 1e-14)])
    }
}

impl Powered {
    fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        let squared: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
        squared.powf(self.power / 2.0)
    }
}

impl Kernel<Samples<f64>> for Powered {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        (-self.distance(x, y)).exp()
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<f64>>> {
        Some(self)
    }
}

impl SearchOrder<Samples<f64>> for Powered {
    fn order<'a>(
        &'a self,
        a: &'a Samples<f64>,
        _: &'a Samples<f64>,
    ) -> Option<Box<dyn Order<f64> + 'a>> {
        Some(Box::new(PoweredOrder(self, a)))
    }
}

#[test]
fn metrics_that_are_none_are_found() {
    let sets = contract::sample_sets::<f64>(2).unwrap();
    let (_, points) = &sets[0];
    // Roots of ‖x − y‖ᵖ are metrics for p ≤ 2.
    for power in [0.5, 1.0, 2.0] {
        contract::verify(&Powered { power, shift: 0.0 }, points).unwrap();
    }
    let found = contract::verify(&Powered { power: 4.0, shift: 0.0 }, points).unwrap_err();
    assert!(
        matches!(found, Violation::Detour { smallest, most, .. } if smallest > most),
        "{found}"
    );
    let found = contract::verify(&Powered { power: 2.0, shift: 0.1 }, points).unwrap_err();
    assert!(
        matches!(found, Violation::NoDistance { i: 0, j: 0, smallest, .. } if smallest > 0.0),
        "{found}"
    );
    let found = contract::verify(&Powered { power: 2.0, shift: f64::NAN }, points).unwrap_err();
    assert!(matches!(found, Violation::NoDistance { i: 0, j: 0, .. }), "{found}");
}

/// A linear kernel that is said to have another geometry.
struct Mistaken(Geometry);

impl Kernel<Samples<f64>> for Mistaken {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        2.0 * Kernel::<Samples<f64>>::eval(&Linear, x, y)
    }

    fn search_order(&self) -> Option<&dyn SearchOrder<Samples<f64>>> {
        Some(self)
    }
}

impl SearchOrder<Samples<f64>> for Mistaken {
    fn single_precision<'a>(&self, points: &'a Samples<f64>) -> Option<SinglePrecision<'a>> {
        SinglePrecision::new(points, self.0)
    }
}

#[test]
fn geometries_that_values_do_not_follow_are_found() {
    let sets = contract::sample_sets::<f64>(2).unwrap();
    let (_, points) = &sets[0];
    for geometry in [Geometry::InnerProduct, Geometry::Distance] {
        let found = contract::verify(&Mistaken(geometry), points).unwrap_err();
        assert!(
            matches!(found, Violation::Inconsistent { method: "single_precision", .. }),
            "{found}"
        );
    }
}
