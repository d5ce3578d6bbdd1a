//! Closure rules: the contract on hostile data, values by hand, and exact feature maps that
//! reproduce their kernels.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "these values are exact")]

use faer::Mat;
use kern_core::closure::{
    AssumeMercer, Conjugated, Exp, Normalized, Power, PullBack, Scaled, tensor_product,
};
use kern_core::kernels::{
    Cosine, FnKernel, Hellinger, Laplacian, Linear, Mahalanobis, Polynomial, Rbf,
};
use kern_core::{
    Embedded, Error, Explicit, FeatureMap, Kernel, Mercer, Points, Samples, Scalar, Scratch,
    contract,
};
use proptest::prelude::*;

fn rbf() -> Rbf {
    Rbf::new(0.4).unwrap()
}

fn poly(coef0: f64, degree: u32) -> Polynomial {
    Polynomial::new(0.7, coef0, degree).unwrap()
}

/// The contract on all hostile sets on which the values stay within the range of `T`.
fn assert_contract<T: Scalar, K: Mercer<Samples<T>>>(kernel: &K, largest: f64) {
    for dim in [1, 3, 8] {
        for (name, points) in contract::sample_sets::<T>(dim).unwrap() {
            if points.as_slice().iter().any(|v| v.to_f64().abs() > largest) {
                continue;
            }
            contract::verify_mercer(kernel, &points)
                .unwrap_or_else(|violation| panic!("{name}, d = {dim}: {violation}"));
        }
    }
}

#[test]
fn every_rule_keeps_the_contract_in_both_precisions() {
    fn all<T: Scalar>() {
        let everywhere = f64::INFINITY;
        assert_contract::<T, _>(&Normalized::new(Linear), everywhere);
        assert_contract::<T, _>(&Normalized::new(rbf() + Laplacian::new(1.0).unwrap()), everywhere);
        assert_contract::<T, _>(&Power::new(rbf(), 0), everywhere);
        assert_contract::<T, _>(&Power::new(rbf(), 5), everywhere);
        assert_contract::<T, _>(&Exp::new(rbf()), everywhere);
        assert_contract::<T, _>(&Exp::new(0.5 * Normalized::new(Linear)), everywhere);
        // At 1e6 the exponential of an inner product overflows: the values are the problem there.
        assert_contract::<T, _>(&Exp::new(0.1 * Linear), 10.0);
        assert_contract::<T, _>(&Power::new(Linear + rbf(), 2), 10.0);
        let halve = Conjugated::new(|x: &[T]| T::from_f64(0.5) * x[0], rbf());
        assert_contract::<T, _>(&halve, everywhere);
        let nested = 0.3 * (Normalized::new(Power::new(Linear, 2)) + Exp::new(rbf())) * rbf();
        assert_contract::<T, _>(&nested, everywhere);
        let first = |x: &[T]| vec![x[0], x[0] * x[0]];
        assert_contract::<T, _>(&PullBack::<_, _, Samples<T>>::new(first, rbf()), everywhere);
    }
    all::<f64>();
    all::<f32>();
}

/// Letters, as an embedded kernel: what binds by itself.
struct Letters;
impl<S: AsRef<str> + ?Sized> Embedded<S> for Letters {
    fn bag(&self, x: &S) -> kern_core::Bag {
        x.as_ref().chars().map(|c| (u64::from(c), 1.0)).collect()
    }
}
kern_core::impl_embedded_kernel!(Letters, AsRef<str>);
kern_core::impl_kernel_ops!([] Letters;);

#[test]
fn rules_over_a_bound_kernel_bind_and_keep_the_contract() {
    let words = vec!["gram", "kernel", "", "mark", "gram", "lll"];
    contract::verify_mercer(&Normalized::new(Letters), &words).unwrap();
    contract::verify_mercer(&Power::new(Letters, 3), &words).unwrap();
    contract::verify_mercer(&Exp::new(0.1 * Letters), &words).unwrap();
    let by_length = |s: &&str| s.len() as f64;
    contract::verify_mercer(&Conjugated::new(by_length, Letters), &words).unwrap();
    contract::verify_mercer(&(Letters + AssumeMercer(Letters) * Letters), &words).unwrap();
    let reversed = |s: &&str| s.chars().rev().collect::<String>();
    contract::verify_mercer(&PullBack::<_, _, Vec<String>>::new(reversed, Letters), &words)
        .unwrap();
}

#[test]
fn tensor_product_is_a_kernel_on_pairs() {
    let k = tensor_product::<_, _, Samples<f64>, Vec<&str>>(rbf(), Letters);
    let point = |i: usize| (vec![i as f64 * 0.3, 1.0], ["gram", "arm", ""][i % 3]);
    let points: Vec<_> = (0..9).map(point).collect();
    contract::verify_mercer(&k, &points).unwrap();
    let expected = (-0.4_f64 * 0.09).exp() * 3.0;
    let value: f64 = Kernel::<Vec<_>>::eval(&k, &points[0], &points[1]);
    assert!((value - expected).abs() < 1e-15);
}

#[test]
fn values_are_those_computed_by_hand() {
    let eval = |k: &dyn Kernel<Samples<f64>>| k.eval(&[1.0, 2.0], &[3.0, -1.0]);
    // xᵀy = 1, ‖x‖² = 5, ‖y‖² = 10.
    assert_eq!(eval(&Power::new(Linear + Linear, 3)), 8.0);
    assert_eq!(eval(&Power::new(Linear, 0)), 1.0);
    assert!((eval(&Normalized::new(Linear)) - 1.0 / 50.0_f64.sqrt()).abs() < 1e-16);
    assert!((eval(&Normalized::new(poly(0.0, 2))) - 1.0 / 50.0).abs() < 1e-16);
    assert_eq!(eval(&Exp::new(0.5 * Linear)), 0.5_f64.exp());
    let f = |x: &[f64]| x[0] + x[1];
    assert_eq!(eval(&Conjugated::new(f, Linear)), 6.0);
}

#[test]
fn normalised_kernel_is_zero_where_the_features_are() {
    let x = Samples::from_rows(&[[0.0, 0.0], [1.0, 2.0]]).unwrap();
    contract::verify_mercer(&Normalized::new(Linear), &x).unwrap();
    let k = Normalized::new(Linear);
    assert_eq!(k.diag(&x, 0), 0.0);
    assert_eq!(k.diag(&x, 1), 1.0);
}

#[test]
fn formulas_have_their_parentheses() {
    let k = Power::new(rbf() + Linear, 2) * Normalized::new(Linear);
    assert_eq!(k.to_string(), "(rbf(gamma=0.4) + linear)^2*normalized(linear)");
    assert_eq!(Power::new(2.0 * Linear, 2).to_string(), "(2*linear)^2");
    assert_eq!((Exp::new(Linear) + Linear).to_string(), "exp(linear) + linear");
}

/// ⟨φ(x_i), φ(x_j)⟩ = K(x_i, x_j) up to `factor` roundings of √(K(x,x)·K(y,y)) (Cauchy–Schwarz
/// bounds what a sum of D products can lose).
fn assert_reproduces<P, K>(kernel: &K, points: &P, factor: f64)
where
    P: Points,
    K: Explicit<P>,
{
    let map = kernel.feature_map(points).unwrap();
    map.check(points).unwrap();
    let n = points.len();
    let mut z = Mat::zeros(map.dim(), n);
    map.transform_into(points, 0..n, z.as_mut(), &mut Scratch::new());
    let entry = |k, i| -> f64 { P::Scalar::to_f64(z[(k, i)]) };
    let inner = |i, j| (0..map.dim()).map(|k| entry(k, i) * entry(k, j)).sum::<f64>();
    for i in 0..n {
        for j in 0..n {
            let expected = kernel.eval(points.item(i), points.item(j)).to_f64();
            let scale = (inner(i, i) * inner(j, j)).sqrt();
            // The sum of D products, taken one by one in double precision, may err by D roundings.
            let sum = map.dim() as f64 * f64::UNIT_ROUNDOFF;
            let allowed = (factor * P::Scalar::UNIT_ROUNDOFF + sum) * scale;
            assert!(
                (inner(i, j) - expected).abs() <= allowed,
                "{i}, {j}: {} {expected}",
                inner(i, j)
            );
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<[f64; 3]>> {
    proptest::collection::vec([-2.0..2.0_f64, -2.0..2.0, -2.0..2.0], 1..8)
}

proptest! {
    #[test]
    fn exact_maps_reproduce_their_kernels(rows in rows(), coef0 in 0.0..2.0_f64, degree in 0_u32..5) {
        let x = Samples::from_rows(&rows).unwrap();
        let narrow = rows.iter().flatten().map(|&v| v as f32).collect();
        let x32 = Samples::from_row_major(3, narrow).unwrap();
        assert_reproduces(&Linear, &x, 64.0);
        assert_reproduces(&poly(coef0, degree), &x, 256.0);
        assert_reproduces(&poly(0.0, degree), &x, 256.0);
        assert_reproduces(&poly(coef0, degree), &x32, 256.0);
        assert_reproduces(&(0.3 * poly(coef0, 2) + Linear), &x, 256.0);
        assert_reproduces(&(poly(coef0, 2) * (2.0 * Linear)), &x, 256.0);
        assert_reproduces(&Power::new(Linear + poly(1.0, 2), degree), &x, 512.0);
        assert_reproduces(&Normalized::new(poly(1.0, 3)), &x, 256.0);
        let f = |x: &[f64]| x[0] - 0.5;
        assert_reproduces(&Conjugated::new(f, poly(1.0, 2)), &x, 256.0);
        let twice = |x: &[f64]| vec![x[0] + x[1], x[2]];
        let pulled = PullBack::<_, _, Samples<f64>>::new(twice, poly(coef0, degree));
        assert_reproduces(&pulled, &x, 256.0);
    }
}

#[test]
fn exact_maps_of_vector_kernels_reproduce_them() {
    let rows = [[0.5, 2.0, 0.0], [1.0, 0.25, 3.0], [0.0, 0.0, 0.0], [2.0, 2.0, 1.0]];
    let x = Samples::from_rows(&rows).unwrap();
    let a = faer::mat![[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]];
    let mahalanobis = Mahalanobis::new(a.as_ref()).unwrap();
    assert_reproduces(&mahalanobis, &x, 64.0);
    let map = Explicit::<Samples<f64>>::feature_map(&mahalanobis, &x).unwrap();
    assert_eq!(FeatureMap::<Samples<f64>>::dim(&map), 2, "the rank of A");
    assert_reproduces(&Hellinger, &x, 64.0);
    assert_reproduces(&Cosine, &x, 64.0);
    assert_reproduces(&(Hellinger * (0.5 * Cosine) + mahalanobis), &x, 256.0);
}

#[test]
fn maps_of_absurd_size_are_refused() {
    let x = Samples::from_row_major(1000, vec![0.0; 1000]).unwrap();
    assert!(matches!(poly(1.0, 40).feature_map(&x), Err(Error::TooManyFeatures { .. })));
    let power = Power::new(Linear, 9);
    assert!(matches!(power.feature_map(&x), Err(Error::TooManyFeatures { .. })));
    let negative = -1.0 * Linear;
    assert!(matches!(negative.feature_map(&x), Err(Error::Parameter { .. })));
}

#[test]
fn map_of_other_dimension_is_refused() {
    let x = Samples::from_rows(&[[1.0, 2.0]]).unwrap();
    let other = Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
    let map = poly(1.0, 2).feature_map(&x).unwrap();
    let check = FeatureMap::<Samples<f64>>::check(&map, &other);
    assert_eq!(check, Err(Error::Dimension { what: "features per sample", expected: 2, given: 3 }));
}

#[test]
fn pull_back_to_different_lengths_gives_no_number() {
    let uneven = PullBack::<_, _, Samples<f64>>::new(|s: &&str| vec![1.0; s.len()], Linear);
    let (a, b) = (vec!["ab", "cd"], vec!["xyz"]);
    let tile = kern_core::Tile::new(&a, 0..2, &b, 0..1);
    let mut out = Mat::zeros(2, 1);
    uneven.block(&tile, out.as_mut(), &mut Scratch::new());
    assert!(out[(0, 0)].is_nan() && out[(1, 0)].is_nan());
}

#[test]
fn normalised_kernels_refuse_points_without_a_finite_norm() {
    let check = |kernel: &dyn Kernel<Samples<f64>>, x: f64| {
        kernel.check(&Samples::from_rows(&[[1.0], [x]]).unwrap())
    };
    let normalized = Normalized::new(Linear);
    assert_eq!(check(&normalized, 1e154), Ok(()));
    assert_eq!(check(&normalized, 0.0), Ok(()));
    assert_eq!(check(&normalized, 1e155), Err(Error::Norm { sample: 1, given: f64::INFINITY }));
    // So do kernels that are made of it.
    assert_eq!(
        check(&(0.5 * Normalized::new(rbf() + Linear) * rbf()), -1e300),
        Err(Error::Norm { sample: 1, given: f64::INFINITY })
    );
    let negative = Normalized::new(FnKernel::new(|_: &[f64], y: &[f64]| 2.0 - y[0]));
    assert_eq!(check(&negative, 3.0), Err(Error::Norm { sample: 1, given: -1.0 }));
}

#[test]
fn composites_survive_serialisation() {
    let k = Normalized::new(Power::new(0.5 * Linear + rbf(), 2)) * Exp::new(Linear);
    let text = serde_json::to_string(&k).unwrap();
    let back = serde_json::from_str(&text).unwrap();
    assert_eq!(k, back);
    assert!(serde_json::from_str::<Scaled<Linear>>(r#"{"weight":-1.0,"kernel":null}"#).is_err());
}

#[test]
fn function_kernels_compose_too() {
    let equal = FnKernel::new(|x: &u8, y: &u8| f64::from(u8::from(x == y)));
    let k = AssumeMercer(equal) + 0.5 * AssumeMercer(equal);
    contract::verify_mercer(&k, &vec![1_u8, 2, 1]).unwrap();
}
