//! Kernels on time series: golden values, brute force, symmetry, the contract, and errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "bits are compared")]

use kern_core::closure::Normalized;
use kern_core::kernels::{GlobalAlignment, NormalizedGlobalAlignment};
use kern_core::{Error, Kernel, Mercer, Points, Samples, contract};
use proptest::prelude::*;
use std::sync::Arc;

type Series = Samples<f64>;

fn series(dim: usize, numbers: &[f64]) -> Series {
    Samples::from_row_major(dim, numbers.to_vec()).unwrap()
}

fn plain(sigma: f64, window: usize) -> GlobalAlignment {
    match window {
        0 => GlobalAlignment::new(sigma).unwrap(),
        _ => GlobalAlignment::windowed(sigma, window).unwrap(),
    }
}

fn unit(sigma: f64, window: usize) -> NormalizedGlobalAlignment {
    match window {
        0 => NormalizedGlobalAlignment::new(sigma).unwrap(),
        _ => NormalizedGlobalAlignment::windowed(sigma, window).unwrap(),
    }
}

fn eval(kernel: &impl Kernel<Vec<Series>>, x: &Series, y: &Series) -> f64 {
    kernel.eval(x, y)
}

#[track_caller]
fn close(given: f64, expected: f64, tolerance: f64) {
    assert!((given - expected).abs() <= tolerance * expected.abs(), "{given} {expected}");
}

/// σ, T, and K of the pairs aa, ab, ac, bb, bc; cc is 1.
const OF_ALL_ALIGNMENTS: [(f64, usize, [f64; 5]); 6] = [
    (
        1.0,
        0,
        [
            3.679752987875349,
            0.31131755047708126,
            1.7541632287716258e-5,
            2.9829954881498817,
            0.00031743883083147726,
        ],
    ),
    (
        0.3,
        0,
        [
            1.0027780677706546,
            3.0004788628568348e-9,
            7.49217975839922e-44,
            1.002778111236518,
            4.3249247305669486e-32,
        ],
    ),
    (
        2.5,
        0,
        [
            27.418294434923794,
            9.214834556519142,
            0.09694706146292302,
            8.800221922271993,
            0.180106623691744,
        ],
    ),
    (1.0, 2, [1.8567484562239778, 0.061896330061552325, 0.0, 1.685441114625155, 0.0]),
    (
        0.7,
        3,
        [1.4324393006440064, 0.009141611242144984, 0.0, 1.4069867920564665, 7.583509587138999e-8],
    ),
    (1.0, 1, [1.0, 0.0, 0.0, 1.0, 0.0]),
];

/// From mpmath 1.3 with 50 digits: all alignments written out as lists of pairs, Σ Π κ with κ = ωg/(2 − ωg). Equal to the recursion
/// in 50 digits, which the next test relies on.
#[test]
fn short_series_have_the_golden_values_of_all_alignments() {
    let a = series(2, &[0.0, 1.0, 0.5, -0.25, 2.0, 0.75, 1.0, 1.0]);
    let b = series(2, &[0.25, 1.5, 0.5, 0.5, 1.75, 0.0]);
    let c = series(2, &[-1.0, 0.5]);
    for (sigma, window, [aa, ab, ac, bb, bc]) in OF_ALL_ALIGNMENTS {
        let k = plain(sigma, window);
        for (x, y, expected) in
            [(&a, &a, aa), (&a, &b, ab), (&a, &c, ac), (&b, &b, bb), (&b, &c, bc), (&c, &c, 1.0)]
        {
            close(eval(&k, x, y), expected, 1e-14);
            // A relative error of the value is an absolute one of its logarithm, beside the rounding of that.
            let ln = k.ln_value(x, y);
            let off = (ln - expected.ln()).abs();
            assert!(off <= 1e-14 + 1e-15 * ln.abs() || ln == expected.ln(), "{ln} {expected}");
        }
        let k = unit(sigma, window);
        close(eval(&k, &a, &b), ab / (aa * bb).sqrt(), 1e-14);
        close(eval(&k, &b, &c), bc / bb.sqrt(), 1e-14);
        assert_eq!(eval(&k, &b, &b), 1.0);
    }
}

/// From mpmath with 50 digits, by the recursion. x_i = (3i² mod 97)/64 − ¾ and y_j = (5j² mod 97)/64 − ¾ are exact.
#[test]
fn long_series_have_their_golden_values() {
    let wave = |n: usize, k: usize| {
        series(1, &(0..n).map(|i| (i * i * k % 97) as f64 / 64.0 - 0.75).collect::<Vec<_>>())
    };
    for (n, m, sigma, window, ln, normalised) in [
        (400, 300, 0.5, 0, 193.157828756129, 1.1890306959969586e-45),
        // The quotient is 2.6·10⁻¹⁶¹²⁷.
        (400, 300, 0.02, 0, -37120.93150974319, 0.0),
        (400, 400, 0.5, 40, 177.6620147698627, 9.99092106213078e-66),
        (300, 250, 4.0, 80, 377.74615512081857, 3.683335048861844e-29),
    ] {
        let (x, y) = (wave(n, 3), wave(m, 5));
        close(plain(sigma, window).ln_value(&x, &y), ln, 1e-14);
        close(eval(&unit(sigma, window), &x, &y), normalised, 1e-12);
        close(eval(&plain(sigma, window), &x, &y), ln.exp(), 1e-12);
    }
}

/// K of constant series counts alignments: Delannoy's numbers, which no f64 holds for thousands of vectors.
#[test]
fn thousands_of_vectors_neither_overflow_nor_underflow() {
    let constant = |n: usize, value: f64| series(1, &vec![value; n]);
    let delannoy = [1.0, 3.0, 13.0, 63.0, 321.0, 1683.0, 8989.0];
    for (n, expected) in delannoy.into_iter().enumerate() {
        assert_eq!(eval(&plain(1.0, 0), &constant(n + 1, 0.0), &constant(n + 1, 0.0)), expected);
    }
    let (x, y) = (constant(3000, 0.0), constant(3000, 1.0));
    assert!(eval(&plain(1.0, 0), &x, &x).is_infinite());
    let ln = plain(1.0, 0).ln_value(&x, &x);
    // Stirling: D(n) ≈ (3 + √8)^(n + ½)/(2^(5/4)·√(πn)).
    let (n, root) = (2999.0_f64, 8.0_f64.sqrt());
    let expected =
        (n + 0.5) * (3.0 + root).ln() - 1.25 * 2.0_f64.ln() - 0.5 * (std::f64::consts::PI * n).ln();
    assert!((ln - expected).abs() < 1e-4, "{ln} {expected}");
    assert_eq!(eval(&unit(1.0, 0), &x, &x), 1.0);
    // Every pair is one unit apart: the diagonal alone contributes at least κ³⁰⁰⁰, which underflows.
    assert_eq!(eval(&plain(0.1, 0), &x, &y), 0.0);
    assert!((plain(0.1, 0).ln_value(&x, &y) / 3000.0 + 50.0 + 2.0_f64.ln()).abs() < 1e-6);
    let near = eval(&unit(100.0, 0), &x, &y);
    assert!((0.5..1.0).contains(&near), "{near}");
}

pub(crate) fn any_series(longest: usize) -> impl Strategy<Value = Series> {
    proptest::collection::vec([-2.0..2.0_f64, -2.0..2.0_f64], 0..longest)
        .prop_map(|rows| series(2, rows.as_flattened()))
}

/// The products of κ along all alignments from (i, j) on.
fn all_alignments(local: &[Vec<f64>], i: usize, j: usize) -> f64 {
    let (last, end) = (local.len() - 1, local[0].len() - 1);
    let mut sum = if (i, j) == (last, end) { 1.0 } else { 0.0 };
    if i < last {
        sum += all_alignments(local, i + 1, j);
    }
    if j < end {
        sum += all_alignments(local, i, j + 1);
    }
    if i < last && j < end {
        sum += all_alignments(local, i + 1, j + 1);
    }
    sum * local[i][j]
}

fn brute_force(sigma: f64, window: usize, x: &Series, y: &Series) -> f64 {
    if x.is_empty() || y.is_empty() {
        return if x.is_empty() && y.is_empty() { 1.0 } else { 0.0 };
    }
    let local = |i: usize, j: usize| {
        let pairs = x.item(i).iter().zip(y.item(j));
        let square: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        let apart = i.abs_diff(j) as f64;
        let omega = if window == 0 { 1.0 } else { (1.0 - apart / window as f64).max(0.0) };
        let g = omega * (-square / (2.0 * sigma * sigma)).exp();
        g / (2.0 - g)
    };
    let local: Vec<Vec<f64>> =
        (0..x.len()).map(|i| (0..y.len()).map(|j| local(i, j)).collect()).collect();
    all_alignments(&local, 0, 0)
}

proptest! {
    #[test]
    fn kernels_equal_brute_force(
        x in any_series(7),
        y in any_series(7),
        sigma in 0.3..3.0_f64,
        window in 0_usize..8,
    ) {
        let found = eval(&plain(sigma, window), &x, &y);
        let expected = brute_force(sigma, window, &x, &y);
        prop_assert!((found - expected).abs() <= 1e-13 * expected, "{found} {expected}");
        let own = [&x, &y].map(|x| brute_force(sigma, window, x, x));
        let (found, expected) =
            (eval(&unit(sigma, window), &x, &y), expected / (own[0] * own[1]).sqrt());
        prop_assert!((found - expected).abs() <= 1e-13 * expected, "{found} {expected}");
    }

    #[test]
    fn kernels_are_symmetric_to_the_bit(
        x in any_series(40),
        y in any_series(40),
        sigma in 0.01..3.0_f64,
        window in 0_usize..60,
    ) {
        let (k, u) = (plain(sigma, window), unit(sigma, window));
        prop_assert_eq!(eval(&k, &x, &y).to_bits(), eval(&k, &y, &x).to_bits());
        prop_assert_eq!(k.ln_value(&x, &y).to_bits(), k.ln_value(&y, &x).to_bits());
        prop_assert_eq!(eval(&u, &x, &y).to_bits(), eval(&u, &y, &x).to_bits());
        prop_assert_eq!(eval(&u, &x, &x), 1.0);
    }

    #[test]
    fn single_vectors_have_the_local_kernel(x in any_series(2), y in any_series(2), sigma in 0.3..3.0_f64) {
        let (x, y) = (series(2, &[&[0.5, 1.0], x.as_slice()].concat()[..2]), y);
        let expected = if y.is_empty() { 0.0 } else { brute_force(sigma, 0, &x, &y) };
        prop_assert!((eval(&unit(sigma, 0), &x, &y) - expected).abs() <= 1e-14 * expected);
    }

    /// A window that is far wider than the series weighs hardly; within its range it only removes.
    #[test]
    fn windows_grow_to_none(x in any_series(12), y in any_series(12), sigma in 0.3..3.0_f64) {
        let none = eval(&plain(sigma, 0), &x, &y);
        let mut before = 0.0;
        for window in [1, 2, 5, 20, 1_000_000_000_000] {
            let value = eval(&plain(sigma, window), &x, &y);
            prop_assert!(before <= value && value <= none * (1.0 + 1e-14), "{window}");
            before = value;
        }
        prop_assert!((before - none).abs() <= 1e-9 * none);
        prop_assert!(eval(&plain(sigma, usize::MAX), &x, &y) <= none * (1.0 + 1e-14));
    }

    #[test]
    fn random_collections_keep_the_contract(
        all in proptest::collection::vec(any_series(9), 0..12),
        sigma in 0.1..3.0_f64,
        window in 0_usize..6,
    ) {
        contract::verify_mercer(&plain(sigma, window), &all).unwrap();
        contract::verify_mercer(&unit(sigma, window), &all).unwrap();
        contract::verify_bits(&plain(sigma, window), &all).unwrap();
        contract::verify_bits(&unit(sigma, window), &all).unwrap();
    }
}

/// Empty, single, constant, long, repeated, far away, and so far that distances overflow.
fn hostile() -> Vec<Series> {
    let line = |n: u32, scale: f64| {
        series(2, &(0..2 * n).map(|i| scale * f64::from(i * i % 17)).collect::<Vec<_>>())
    };
    vec![
        series(2, &[]),
        series(2, &[]),
        series(2, &[0.0, -0.0]),
        series(2, &[-0.0, 0.0]),
        series(2, &[0.5; 200]),
        line(50, 0.1),
        line(51, 0.1),
        line(50, 0.1),
        line(20, 1e6),
        line(3, 1e200),
        series(2, &[1e308, -1e308]),
    ]
}

fn keeps_the_contract<K: Mercer<Vec<Series>>>(kernel: &K) {
    let all = hostile();
    contract::verify_mercer(kernel, &all).unwrap();
    contract::verify_mercer(kernel, &Vec::new()).unwrap();
    for one in &all {
        contract::verify_mercer(kernel, &vec![one.clone()]).unwrap();
        contract::verify_mercer(kernel, &vec![one.clone(); 4]).unwrap();
    }
}

#[test]
fn hostile_series_keep_the_contract() {
    for window in [0, 1, 7] {
        for sigma in [1e-200, 0.1, 1.0, 1e6, 1e200] {
            keeps_the_contract(&plain(sigma, window));
            keeps_the_contract(&unit(sigma, window));
        }
    }
    keeps_the_contract(&(unit(1.0, 0) + 0.5 * unit(0.1, 5) * unit(3.0, 0)));
    let shared: Vec<Arc<Series>> = hostile().into_iter().map(Arc::new).collect();
    contract::verify_mercer(&unit(1.0, 0), &shared).unwrap();
}

/// The closure rule on the plain kernel, where its values are numbers.
#[test]
fn normalised_is_the_closure_rule_where_that_has_numbers() {
    let all = hostile();
    let rule = Normalized::new(plain(1.0, 0));
    for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
        let (a, b) = (eval(&unit(1.0, 0), x, y), eval(&rule, x, y));
        assert!((a - b).abs() <= 1e-15, "{a} {b}");
    }
}

#[test]
fn wrong_series_and_parameters_are_typed_errors() {
    let (plane, line) = (series(2, &[0.0; 4]), series(1, &[0.0; 4]));
    let (k, u) = (plain(1.0, 0), unit(1.0, 3));
    let mixed = vec![plane.clone(), line.clone()];
    let expected = Err(Error::Dimension { what: "features per sample", expected: 2, given: 1 });
    assert_eq!(k.check(&mixed), expected);
    assert_eq!(u.check(&mixed), expected);
    assert_eq!(k.check(&vec![plane.clone(); 3]), Ok(()));
    // Two collections that pass alone give no number together.
    assert!(eval(&k, &plane, &line).is_nan() && eval(&u, &plane, &line).is_nan());
    assert!(k.ln_value(&plane, &line).is_nan());
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused =
            Err(Error::Parameter { name: "sigma", given: sigma, allowed: "a finite number > 0" });
        if !sigma.is_nan() {
            assert_eq!(GlobalAlignment::new(sigma), refused);
        }
        assert!(NormalizedGlobalAlignment::windowed(sigma, 3).is_err());
    }
    let refused = Error::Parameter { name: "window", given: 0.0, allowed: "at least 1" };
    assert_eq!(GlobalAlignment::windowed(1.0, 0), Err(refused.clone()));
    assert_eq!(NormalizedGlobalAlignment::windowed(1.0, 0), Err(refused));
    for file in [r#"{"sigma":0.0,"window":0}"#, r#"{"sigma":1.0,"window":-1}"#, r#"{"sigma":1.0}"#]
    {
        assert!(serde_json::from_str::<GlobalAlignment>(file).is_err());
        assert!(serde_json::from_str::<NormalizedGlobalAlignment>(file).is_err());
    }
    let text = serde_json::to_string(&u).unwrap();
    assert_eq!(serde_json::from_str::<NormalizedGlobalAlignment>(&text).unwrap(), u);
    assert_eq!(u.to_string(), "normalized_global_alignment(sigma=1, window=3)");
}
