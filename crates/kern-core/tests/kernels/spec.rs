//! Kernel formulas: printing and reading are inverse, built kernels are the typed ones, and bad
//! formulas are typed errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::{AssumeMercer, Exp, Normalized, Power};
use kern_core::kernels::{Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use kern_core::parameters::{Domain, Parameters};
use kern_core::{
    Error, Kernel, KernelSpec, Mercer, Points, Row, Samples, SparseSamples, Spectral,
    SpectralComponent, contract,
};
use proptest::prelude::*;
use std::fmt::Display;

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> Error {
    text.parse::<KernelSpec>().unwrap_err()
}

/// Formulas of any shape, as a user might write them.
fn formula() -> impl Strategy<Value = String> {
    let number = prop_oneof![Just(0.0), Just(1.0), 1e-3..1e3_f64, Just(1e-300), Just(2.5e17)];
    let leaf = prop_oneof![
        Just("linear".to_string()),
        (1e-3..1e3_f64).prop_map(|g| format!("rbf(gamma={g})")),
        (1e-3..1e3_f64).prop_map(|g| format!(" laplacian ( gamma = {g:e} )")),
        (0_u32..6, 0.0..3.0_f64).prop_map(|(p, r)| format!("poly(coef0={r}, degree={p})")),
        Just("assume_mercer(sigmoid(gamma=0.5))".to_string()),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            (number.clone(), inner.clone()).prop_map(|(c, k)| format!("{c}*({k})")),
            (inner.clone(), 0_u32..4).prop_map(|(k, p)| format!("({k})^{p}")),
            inner.clone().prop_map(|k| format!("exp({k})")),
            inner.prop_map(|k| format!("normalized( {k} )")),
        ]
    })
}

proptest! {
    #[test]
    fn printing_and_reading_are_inverse(text in formula()) {
        let read = spec(&text);
        let printed = read.to_string();
        prop_assert_eq!(&spec(&printed), &read, "{}", printed);
        prop_assert_eq!(spec(&printed).to_string(), printed);
        let json = serde_json::to_string(&read).unwrap();
        prop_assert_eq!(serde_json::from_str::<KernelSpec>(&json).unwrap(), read);
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "[a-z0-9+*^(). =,_-]{0,40}") {
        let _ = text.parse::<KernelSpec>();
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a line for each family")]
fn every_family_is_read_printed_and_built_on_its_points() {
    let vectors = [
        "linear",
        "poly(degree=2, gamma=1, coef0=1)",
        "rbf(gamma=1)",
        "ard_rbf(gamma=[1, 0.5, 0])",
        "laplacian(gamma=1)",
        "exponential(gamma=1)",
        "matern32(length_scale=1)",
        "matern52(length_scale=1)",
        "matern(nu=0.7, length_scale=1)",
        "periodic(period=0.3, length_scale=0.5)",
        "wave(frequency=[0.3, 12.5, 0])",
        "arc_cosine(order=2)",
        "white(noise=0.5)",
        "constant(value=0.5)",
        "rational_quadratic(alpha=1, length_scale=2)",
        "cauchy(gamma=1)",
        "cosine",
        "chi2",
        "exp_chi2(gamma=1)",
        "intersection",
        "hellinger",
        "delta",
        "sigmoid(gamma=1, coef0=0)",
    ];
    for text in vectors {
        assert_eq!(spec(text).to_string(), text);
        assert!(spec(text).build::<Samples<f32>>().is_ok(), "{text}");
        assert!(spec(text).build::<SparseSamples<f64>>().is_ok(), "{text}");
        let kernel = spec(text).build::<Samples<f64>>().unwrap();
        let mercer = spec(text).build_mercer::<Samples<f64>>();
        assert_eq!(mercer.is_ok(), spec(text).is_mercer(), "{text}");
        for (name, points) in contract::sample_sets::<f64>(3).unwrap() {
            contract::verify(&kernel, &points).unwrap_or_else(|v| panic!("{text} {name}: {v}"));
            if let Ok(kernel) = &mercer {
                contract::verify_mercer(kernel, &points)
                    .unwrap_or_else(|v| panic!("{text} {name}: {v}"));
            }
            if spec(text).has_unit_diagonal() {
                assert!((0..points.len()).all(|i| (kernel.diag(&points, i) - 1.0).abs() <= 0.0));
            }
        }
    }
    let strings = [
        "spectrum(k=3)",
        "spectrum(k=2, blended=true)",
        "subsequence(p=2, lambda=0.5)",
        "subsequence(p=2, lambda=0.5, by_gaps=true)",
        "hamming",
        "hamming_rbf(gamma=1)",
        "weighted_degree(d=3)",
        "bag_of_words",
        "normalized_bag_of_words",
        "word_count",
    ];
    let words: Vec<String> = ["abcab", "ab cd", "", "abcab"].map(String::from).to_vec();
    for text in strings {
        assert_eq!(spec(text).to_string(), text);
        let kernel = spec(text).build_mercer::<Vec<String>>().unwrap();
        contract::verify_mercer(&kernel, &words).unwrap_or_else(|v| panic!("{text}: {v}"));
        let other = spec(text).build::<Samples<f64>>().err();
        assert!(matches!(other, Some(Error::OtherPoints { .. })), "{text}");
    }
}

#[test]
fn kernels_on_any_points_are_built_on_strings_and_rows() {
    let words: Vec<String> = ["ab", "cd", "", "ab"].map(String::from).to_vec();
    let row = |number: f64, text: &str| Row {
        numbers: vec![number],
        text: text.into(),
        ..Row::default()
    };
    let rows = vec![row(1.0, "a"), row(1.0, "b"), row(2.0, "a"), row(1.0, "a")];
    for (text, equal, other) in
        [("white(noise=0.5)", 0.5, 0.0), ("constant(value=0.5) + white", 1.5, 0.5)]
    {
        let on_words = spec(text).build_mercer::<Vec<String>>().unwrap();
        let on_rows = spec(text).build_mercer::<Vec<Row>>().unwrap();
        contract::verify_mercer(&on_words, &words).unwrap();
        contract::verify_mercer(&on_rows, &rows).unwrap();
        for j in 1..4 {
            let expected: f64 = if j == 3 { equal } else { other };
            assert_eq!(on_words.eval(&words[0], &words[j]).to_bits(), expected.to_bits());
            assert_eq!(on_rows.eval(&rows[0], &rows[j]).to_bits(), expected.to_bits());
        }
    }
}

#[test]
fn spectral_mixtures_are_formulas() {
    let component = |weight, frequency: &[f64], variance: &[f64]| SpectralComponent {
        weight,
        frequency: frequency.to_vec(),
        variance: variance.to_vec(),
    };
    let mixture = KernelSpec::spectral_mixture(&[
        component(0.5, &[0.1, 2.0], &[0.01, 0.0]),
        component(2.0, &[0.0, 0.25], &[1.0, 0.5]),
    ])
    .unwrap();
    assert_eq!(spec(&mixture.to_string()), mixture);
    assert!(mixture.is_mercer() && mixture.is_shift_invariant());
    assert!((mixture.spectrum().unwrap().mass() - 2.5).abs() <= 0.0);
    let names: Vec<String> = mixture.parameters().into_iter().map(|p| p.name.into()).collect();
    let of = |k| [format!("{k}.weight"), format!("{k}.1.gamma"), format!("{k}.2.frequency")];
    assert_eq!(names, [of(1), of(2)].concat());
    for (name, points) in contract::sample_sets::<f64>(2).unwrap() {
        let kernel = mixture.build_mercer::<Samples<f64>>().unwrap();
        contract::verify_mercer(&kernel, &points).unwrap_or_else(|v| panic!("{name}: {v}"));
    }
    let refused =
        |components: &[SpectralComponent]| KernelSpec::spectral_mixture(components).unwrap_err();
    assert!(matches!(refused(&[]), Error::Dimension { given: 0, .. }));
    assert!(matches!(refused(&[component(1.0, &[], &[])]), Error::Dimension { given: 0, .. }));
    let other = [component(1.0, &[1.0], &[1.0]), component(1.0, &[1.0], &[1.0, 2.0])];
    assert!(matches!(refused(&other), Error::Dimension { expected: 1, given: 2, .. }));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        for component in [
            component(bad, &[1.0], &[1.0]),
            component(1.0, &[bad], &[1.0]),
            component(1.0, &[1.0], &[bad]),
        ] {
            assert!(matches!(refused(&[component]), Error::Parameter { .. }));
        }
    }
}

#[test]
fn values_of_another_type_are_typed_errors() {
    assert!(matches!(error("spectrum(k=0)"), Error::Setting { .. }), "{}", error("spectrum(k=0)"));
    for (text, message) in [
        ("rbf(gamma=[1, 2])", "gamma must be a finite number > 0, got [1, 2]"),
        ("ard_rbf(gamma=[])", "gamma must be a list of finite numbers >= 0, at least one, got []"),
        ("spectrum(k=2, blended=1)", "blended must be true or false, got 1"),
        ("spectrum(k=2.5)", "k must be a whole number >= 1, got 2.5"),
        (
            "poly(degree=4294967296)",
            "degree must be a whole number from 0 to 4294967295, got 4294967296",
        ),
    ] {
        assert!(matches!(error(text), Error::Setting { .. }), "{text}");
        assert_eq!(error(text).to_string(), message);
    }
}

/// The built kernel has the typed kernel's values and prints its formula.
fn assert_same<K: Mercer<Samples<f64>> + Display>(typed: &K) {
    let read = spec(&typed.to_string());
    assert_eq!(read.to_string(), typed.to_string());
    let built = read.build_mercer::<Samples<f64>>().unwrap();
    let plain = read.build::<Samples<f64>>().unwrap();
    for (name, points) in contract::sample_sets::<f64>(3).unwrap() {
        for x in points.as_slice().chunks(3).take(5) {
            for y in points.as_slice().chunks(3).take(5) {
                let expected = typed.eval(x, y).to_bits();
                assert_eq!(built.eval(x, y).to_bits(), expected, "{typed} on {name}");
                assert_eq!(plain.eval(x, y).to_bits(), expected, "{typed} on {name}");
            }
        }
    }
}

#[test]
fn built_kernels_are_the_typed_ones() {
    let (rbf, laplacian) = (Rbf::new(0.1).unwrap(), Laplacian::new(2.0).unwrap());
    let poly = Polynomial::new(0.5, 1.5, 2).unwrap();
    assert_same(&Linear);
    assert_same(&(0.5 * rbf + poly));
    assert_same(&(rbf * laplacian + 0.25 * (Linear * poly)));
    assert_same(&(2.0 * (rbf + Linear)));
    assert_same(&Normalized::new(Power::new(poly + rbf, 3)));
    assert_same(&(Exp::new(0.5 * Normalized::new(Linear)) * laplacian));
}

#[test]
fn built_kernels_keep_the_contract() {
    let text = "0.5*rbf(gamma=0.3)*laplacian(gamma=0.1) + normalized(poly(degree=2, coef0=1))^2";
    let kernel = spec(text).build_mercer::<Samples<f32>>().unwrap();
    for (name, points) in contract::sample_sets::<f32>(3).unwrap() {
        contract::verify_mercer(&kernel, &points).unwrap_or_else(|v| panic!("{name}: {v}"));
    }
}

#[test]
fn defaults_order_and_space_do_not_matter() {
    assert_eq!(spec("poly"), spec(" poly( coef0 = 0 ,degree=3, gamma = 1e0) "));
    assert_eq!(spec("2*linear*3"), spec("6*linear"));
    assert_eq!(spec("(linear + rbf(gamma=1)) + linear"), spec("linear+rbf(gamma=1)+linear"));
    // A weight that is written is a parameter, which may be 1 for now.
    assert_eq!(spec("1*linear").to_string(), "1*linear");
    assert_eq!(spec("linear").parameters().len() + 1, spec("1*linear").parameters().len());
    assert!(spec("1*rbf(gamma=1)").has_unit_diagonal());
}

#[test]
fn facts_follow_from_the_formula() {
    let facts = |text: &str| {
        let s = spec(text);
        (s.is_mercer(), s.is_shift_invariant(), s.has_unit_diagonal())
    };
    assert_eq!(facts("rbf(gamma=1)*laplacian(gamma=2)^2"), (true, true, true));
    assert_eq!(facts("rbf(gamma=1) + laplacian(gamma=2)"), (true, true, false));
    assert_eq!(facts("0.5*rbf(gamma=1)"), (true, true, false));
    assert_eq!(facts("exp(rbf(gamma=1))"), (true, true, false));
    assert_eq!(facts("linear*rbf(gamma=1)"), (true, false, false));
    assert_eq!(facts("sigmoid(gamma=1) + linear"), (false, false, false));
    assert_eq!(facts("assume_mercer(sigmoid(gamma=1)) + linear"), (true, false, false));
}

#[test]
fn sigmoid_is_built_but_not_as_mercer() {
    let plain = spec("sigmoid(gamma=1, coef0=-1)");
    let kernel = plain.build::<Samples<f64>>().unwrap();
    let typed = Sigmoid::new(1.0, -1.0).unwrap();
    let expected: f64 = Kernel::<Samples<f64>>::eval(&typed, &[1.0], &[2.0]);
    assert_eq!(kernel.eval(&[1.0], &[2.0]).to_bits(), expected.to_bits());
    let refused = plain.build_mercer::<Samples<f64>>().err();
    assert_eq!(refused, Some(Error::NotMercer { family: "sigmoid" }));
    let assumed = spec("assume_mercer(sigmoid(gamma=1, coef0=-1))");
    let assumed = assumed.build_mercer::<Samples<f64>>().unwrap();
    assert_eq!(assumed.eval(&[1.0], &[2.0]).to_bits(), expected.to_bits());
    let typed = AssumeMercer(Sigmoid::new(1.0, -1.0).unwrap());
    assert!(contract::verify(&typed, &Samples::from_rows(&[[1.0]]).unwrap()).is_ok());
}

#[test]
fn bad_formulas_are_typed_errors_with_their_place() {
    assert_eq!(error("linear + "), Error::Syntax { position: 7 });
    assert_eq!(error("linear**2"), Error::PowerSign { position: 6 });
    assert!(error("linear**2").to_string().contains("written ^"));
    for text in ["", "2", "2*3", "linear linear", "rbf(gamma=1", "rbf(gamma)", "linear^-1", "exp()"]
    {
        assert!(matches!(error(text), Error::Syntax { .. }), "{text}: {}", error(text));
    }
    let message = error("rbff(gamma=1)").to_string();
    let expected = "unknown kernel `rbff`; did you mean `rbf`? expected one of linear, poly";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(
        spec("Gaussian(gamma=2) + polynomial(degree=2)"),
        spec("rbf(gamma=2) + poly(degree=2)")
    );
    assert_eq!(spec("exp_sine_squared(period=2)"), spec("periodic(period=2, length_scale=1)"));
    assert_eq!(spec("bias + white_noise"), spec("constant(value=1) + white(noise=1)"));
    assert_eq!(spec("arccosine"), spec("arc_cosine(order=1)"));
    assert!(matches!(error("matern(nu=101, length_scale=1)"), Error::Setting { .. }));
    assert!(matches!(error("arc_cosine(order=3)"), Error::Setting { .. }));
    assert!(matches!(error("rbf(sigma=1)"), Error::UnknownName { what: "parameter", .. }));
    assert!(matches!(error("rbf(gamma=1, gamma=2)"), Error::UnknownName { .. }));
    assert_eq!(error("rbf"), Error::MissingParameter { family: "rbf", name: "gamma" });
    let negative = error("linear + rbf(gamma=-1)");
    let allowed = Domain::positive();
    assert_eq!(negative, Error::Setting { name: "gamma".into(), given: (-1.0).into(), allowed });
    assert!(matches!(error("-0.5*linear"), Error::Parameter { .. }));
    assert!(matches!(error("poly(degree=2.5)"), Error::Setting { name, .. } if name == "degree"));
    let deep = "(".repeat(100_000) + "linear";
    assert!(matches!(error(&deep), Error::Syntax { position: 64 }));
    assert!(serde_json::from_str::<KernelSpec>("\"rbf(gamma=0)\"").is_err());
}
