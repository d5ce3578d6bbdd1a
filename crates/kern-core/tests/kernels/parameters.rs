//! Hyper-parameters: every kernel lists those it has, setting one has the effect of its constructor, and
//! what is not allowed is refused and changes nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::closure::{AssumeMercer, Conjugated, Exp, Normalized, Power, PullBack, Sum};
use kern_core::faer::mat;
use kern_core::kernels::*;
use kern_core::parameters::{Domain, Parameter, Parameters, Scale, Setting};
use kern_core::{Error, KernelSpec, Samples};
use std::fmt::Display;

fn names(kernel: &dyn Parameters) -> Vec<String> {
    kernel.parameters().into_iter().map(|p| p.name.into_owned()).collect()
}

/// Values inside a domain, and values outside.
fn values(domain: Domain) -> (Vec<Setting>, Vec<Setting>) {
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(Setting::Real);
    let (good, mut bad): (Vec<Setting>, Vec<Setting>) = match domain {
        Domain::Real { smallest, largest, open, .. } => {
            let middle = (0.25 * smallest + 0.25 * largest).min(0.5);
            let good =
                vec![middle.into(), largest.into(), if open { middle } else { smallest }.into()];
            let below = if open { smallest } else { smallest.next_down() };
            (good, vec![below.into(), largest.next_up().into(), "0.5".into(), true.into()])
        }
        Domain::Count { smallest, largest, .. } => {
            let good =
                vec![smallest.into(), (smallest as f64).into(), largest.min(smallest + 3).into()];
            let mut bad = vec![0.5.into(), (-1.0).into(), true.into()];
            bad.extend(smallest.checked_sub(1).map(Setting::from));
            bad.extend(largest.checked_add(1).map(Setting::from));
            (good, bad)
        }
        Domain::Flag => (vec![true.into(), false.into()], vec![1.0.into(), "true".into()]),
        Domain::Choice(names) => (names.iter().map(|&n| n.into()).collect(), vec!["?".into()]),
        Domain::List => {
            let good = vec![vec![0.5, 0.0].into(), 2.0.into()];
            (good, vec![vec![].into(), vec![1.0, -1.0].into(), vec![f64::NAN].into()])
        }
        Domain::NameOr(names, other) => {
            let (mut good, bad) = values(*other);
            good.extend(names.iter().map(|&name| name.into()));
            (good, bad)
        }
    };
    bad.extend(strange);
    (good, bad)
}

/// All good values are taken, all bad ones refused; the printed kernel shows what it has.
fn assert_settable<K: Parameters + Clone + Display>(kernel: &K, expected: &[&str]) {
    assert_eq!(names(kernel), expected, "{kernel}");
    for p in kernel.parameters() {
        let (good, bad) = values(p.domain);
        assert_eq!(p.domain.accept(&p.name, &p.value).as_ref(), Ok(&p.value), "{kernel}");
        for value in good {
            let mut changed = kernel.clone();
            changed.set_parameter(&p.name, &value).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            let accepted = p.domain.accept(&p.name, &value).unwrap();
            assert_eq!(changed.parameter(&p.name), Some(accepted), "{kernel}: {}", p.name);
            for other in kernel.parameters().iter().filter(|other| other.name != p.name) {
                assert_eq!(changed.parameter(&other.name), Some(other.value.clone()), "{kernel}");
            }
            changed.set_parameter(&p.name, &p.value).unwrap();
            assert_eq!(changed.to_string(), kernel.to_string());
        }
        for given in bad {
            let mut same = kernel.clone();
            let error = same.set_parameter(&p.name, &given).unwrap_err();
            // NaN is not equal to itself.
            let Error::Setting { name, allowed, .. } = &error else { panic!("{kernel}: {error}") };
            assert_eq!((name, *allowed), (&p.name, p.domain), "{kernel}");
            assert_eq!(error.to_string(), format!("{name} must be {allowed}, got {given}"));
            assert_eq!(same.to_string(), kernel.to_string());
        }
    }
    for unknown in ["", "gama", "0.gamma", "01.gamma", "+1.gamma", "9.gamma", "inner.gamma", "1."] {
        let error = kernel.clone().set_parameter(unknown, &1.0.into()).unwrap_err();
        let Error::UnknownName { what: "parameter", given, known } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (given.as_str(), known),
            (unknown, expected.iter().map(|&n| n.into()).collect())
        );
    }
}

fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

#[test]
fn every_kernel_lists_and_sets_its_parameters() {
    assert_settable(&Linear, &[]);
    assert_settable(&Polynomial::new(0.5, 1.0, 2).unwrap(), &["degree", "gamma", "coef0"]);
    assert_settable(&rbf(), &["gamma"]);
    assert_settable(&ArdRbf::new(&[1.0, 0.5]).unwrap(), &["gamma"]);
    assert_settable(&Laplacian::new(0.5).unwrap(), &["gamma"]);
    assert_settable(&Exponential::new(0.5).unwrap(), &["gamma"]);
    assert_settable(&Matern32::new(0.5).unwrap(), &["length_scale"]);
    assert_settable(&Matern52::new(0.5).unwrap(), &["length_scale"]);
    assert_settable(&Matern::new(0.5, 2.0).unwrap(), &["nu", "length_scale"]);
    assert_settable(&Periodic::new(0.5, 2.0).unwrap(), &["period", "length_scale"]);
    assert_settable(&Wave::new(&[1.0, 0.5]).unwrap(), &["frequency"]);
    assert_settable(&ArcCosine::new(1).unwrap(), &["order"]);
    assert_settable(&Constant::new(0.5).unwrap(), &["value"]);
    assert_settable(&White::new(0.5).unwrap(), &["noise"]);
    assert_settable(&RationalQuadratic::new(0.5, 2.0).unwrap(), &["alpha", "length_scale"]);
    assert_settable(&Cauchy::new(0.5).unwrap(), &["gamma"]);
    assert_settable(&Cosine, &[]);
    assert_settable(&ChiSquared, &[]);
    assert_settable(&ExpChiSquared::new(0.5).unwrap(), &["gamma"]);
    assert_settable(&Intersection, &[]);
    assert_settable(&Hellinger, &[]);
    assert_settable(&Sigmoid::new(0.5, -1.0).unwrap(), &["gamma", "coef0"]);
    assert_settable(&Mahalanobis::new(mat![[1.0]].as_ref()).unwrap(), &[]);
    assert_settable(&Delta, &[]);
    assert_settable(&Spectrum::new(3).unwrap(), &["k", "blended"]);
    assert_settable(&Mismatch::new("ACGT", 4, 1).unwrap(), &["k", "m"]);
    assert_settable(&Subsequence::new(3, 0.5).unwrap(), &["p", "lambda", "by_gaps"]);
    assert_settable(&Hamming, &[]);
    assert_settable(&HammingRbf::new(0.5).unwrap(), &["gamma"]);
    assert_settable(&WeightedDegree::new(3).unwrap(), &["d"]);
    assert_settable(&Subtree::new(0.5).unwrap(), &["lambda"]);
    assert_settable(&SubsetTree::new(0.5).unwrap(), &["lambda"]);
    assert_settable(&RandomWalk::new(0.5).unwrap(), &["lambda"]);
    assert_settable(&ShortestPath, &[]);
    assert_settable(&AttributedRandomWalk::new(0.5, rbf()).unwrap(), &["lambda", "gamma"]);
    let nested = AttributedRandomWalk::new(0.5, 2.0 * rbf()).unwrap();
    assert_settable(&nested, &["lambda", "weight", "gamma"]);
    assert_settable(&GlobalAlignment::new(0.5).unwrap(), &["sigma", "window"]);
    assert_settable(&NormalizedGlobalAlignment::windowed(0.5, 3).unwrap(), &["sigma", "window"]);
    assert_settable(&WeisfeilerLehman::new(2).unwrap(), &["iterations"]);
    assert_settable(&BagOfWords, &[]);
    assert_settable(&Jaccard, &[]);
    assert_settable(&FnKernel::new(|x: &f64, y: &f64| x * y), &[]);
}

#[test]
fn closure_rules_pass_parameters_on() {
    let poly = Polynomial::new(0.5, 1.0, 2).unwrap();
    assert_settable(&(0.5 * rbf()), &["weight", "gamma"]);
    assert_settable(&Power::new(rbf(), 3), &["exponent", "gamma"]);
    assert_settable(&Exp::new(rbf()), &["gamma"]);
    assert_settable(&Normalized::new(poly), &["degree", "gamma", "coef0"]);
    assert_settable(&AssumeMercer(rbf()), &["gamma"]);
    assert_settable(&Conjugated::new(|x: &[f64]| x[0], rbf()), &["gamma"]);
    let to = |x: &[f64]| x.to_vec();
    assert_settable(&PullBack::<_, _, Samples<f64>>::new(to, rbf()), &["gamma"]);
    let parts = |x: &f64| vec![vec![*x]];
    assert_settable(&Convolution::<_, _, Samples<f64>>::gathering(parts, rbf()), &["gamma"]);
    // Numbered as they are printed, however the parts were put together.
    assert_settable(&(rbf() + Linear + 0.5 * rbf()), &["1.gamma", "3.weight", "3.gamma"]);
    assert_settable(&Sum::new(rbf(), Linear + rbf()), &["1.gamma", "3.gamma"]);
    assert_settable(&(AssumeMercer(rbf() + rbf()) + rbf()), &["1.gamma", "2.gamma", "3.gamma"]);
    assert_settable(&(rbf() * rbf() * rbf()), &["1.gamma", "2.gamma", "3.gamma"]);
    assert_settable(&((rbf() + Linear) * rbf()), &["1.1.gamma", "2.gamma"]);
    // A name that is taken.
    let nested = 0.5 * Exp::new(2.0 * Exp::new(3.0 * Power::new(rbf(), 2)));
    let expected = ["weight", "inner.weight", "inner.inner.weight", "exponent", "gamma"];
    assert_settable(&nested, &expected);
}

#[test]
fn formulas_have_the_parameters_of_their_kernels() {
    for (text, expected) in [
        ("rbf(gamma=0.5)", &["gamma"] as &[&str]),
        ("0.5*rbf(gamma=0.5)*laplacian(gamma=2)", &["weight", "1.gamma", "2.gamma"]),
        ("rbf(gamma=1) + linear + 0.5*rbf(gamma=3)", &["1.gamma", "3.weight", "3.gamma"]),
        ("(rbf(gamma=1) + linear)*cauchy(gamma=1)", &["1.1.gamma", "2.gamma"]),
        ("normalized(poly)^2", &["exponent", "degree", "gamma", "coef0"]),
        ("0.5*exp(2*linear)", &["weight", "inner.weight"]),
        ("assume_mercer(sigmoid(gamma=1))", &["gamma", "coef0"]),
        ("spectrum(k=3)", &["k", "blended"]),
    ] {
        let spec: KernelSpec = text.parse().unwrap();
        assert_settable(&spec, expected);
        if let Ok(kernel) = spec.build::<Samples<f64>>() {
            assert_settable(&kernel, expected);
            assert_settable(&spec.build_mercer::<Samples<f64>>().unwrap(), expected);
        }
    }
}

#[test]
fn pointers_and_own_kernels() {
    let mut boxed: Box<dyn Parameters> = Box::new(rbf() + Linear);
    boxed.set_parameter("1.gamma", &2.0.into()).unwrap();
    assert_eq!(boxed.parameter("1.gamma"), Some(Setting::Real(2.0)));
    let (kernel, shared) = (rbf(), std::sync::Arc::new(rbf()));
    let mut reference = &kernel;
    assert!(names(&reference).is_empty() && names(&shared).is_empty());
    let unknown = Parameters::set_parameter(&mut reference, "gamma", &2.0.into()).unwrap_err();
    assert_eq!(unknown.to_string(), "unknown parameter `gamma`, there are none");
    let erased: Box<dyn kern_core::Mercer<Samples<f64>>> = Box::new(rbf());
    assert!(erased.parameters().is_empty());
}

#[test]
fn settings_and_domains_are_read_and_printed() {
    let all = [0.5.into(), 3_u64.into(), true.into(), "epanechnikov".into(), vec![1.0, 2.5].into()];
    for setting in all {
        let text = serde_json::to_string::<Setting>(&setting).unwrap();
        assert_eq!(serde_json::from_str::<Setting>(&text).unwrap(), setting);
    }
    assert_eq!(Setting::from(9_007_199_254_740_992.0).as_u64(), None);
    for (domain, words) in [
        (Domain::positive(), "a finite number > 0"),
        (Domain::non_negative(), "a finite number >= 0"),
        (Domain::finite(), "a finite number"),
        (Domain::fraction(), "a number > 0 and <= 1"),
        (Domain::real(f64::MIN, 3.0), "a finite number <= 3"),
        (Domain::count(1), "a whole number >= 1"),
        (Domain::count_to(0, 4), "a whole number from 0 to 4"),
        (Domain::Flag, "true or false"),
        (Domain::Choice(&["uniform", "leverage"]), "one of uniform, leverage"),
        (Domain::List, "a list of finite numbers >= 0, at least one"),
        (Domain::NameOr(&["auto"], &Domain::Flag), "auto, or true or false"),
    ] {
        assert_eq!(domain.to_string(), words);
    }
    assert!(matches!(Domain::count(1).log(), Domain::Count { smallest: 1, scale: Scale::Log, .. }));
    assert!(matches!(Domain::finite().log(), Domain::Real { scale: Scale::Log, .. }));
    assert_eq!(Domain::Flag.log(), Domain::Flag);
    let p = Parameter::new("gamma", 1.0, Domain::positive());
    assert_eq!(p.clone().under("kernel").name, "kernel.gamma");
    assert!(p.domain.accept("gamma", &Setting::Count(2)).is_ok());
}
