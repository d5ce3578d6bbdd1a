//! Probabilities of support vector machines, against numpy and scipy:
//!
//! ```python
//! i = np.arange(40); f = 3*np.sin(i*1.7) + 0.8*np.cos(i*0.9); y = f + 1.5*np.sin(i*2.3) > 0.4
//! t = np.where(y, (y.sum() + 1)/(y.sum() + 2), 1/((~y).sum() + 2))
//! p = lambda v: 1/(1 + np.exp(v[0]*f + v[1]))
//! scipy.optimize.root(lambda v: [((t - p(v))*f).sum(), (t - p(v)).sum()], [-1, 0], tol=1e-15).x
//! # coupling: Q[a, a] = sum of r[s, a]**2 over s != a, Q[a, b] = -r[b, a]*r[a, b]
//! np.linalg.solve([[Q, 1], [1, 0]], [0, 0, 0, 0, 1])[:4]
//! ```
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::problem::weighted;
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_solvers::calibration::{Calibrated, PlattSigmoid, couple};
use kern_solvers::model::{KernelExpansion, ProbabilisticClassifier};
use kern_solvers::svm::Svc;
use kern_solvers::svm::libsvm::LibsvmModel;
use kern_solvers::{Error, MultiClass};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn the_sigmoid_is_that_of_greatest_likelihood() {
    let i = || (0..40).map(f64::from);
    let f: Vec<f64> = i().map(|i| 3.0 * (i * 1.7).sin() + 0.8 * (i * 0.9).cos()).collect();
    let y: Vec<bool> = i().zip(&f).map(|(i, f)| f + 1.5 * (i * 2.3).sin() > 0.4).collect();
    let sigmoid = PlattSigmoid::fit(&f, &y);
    assert!((sigmoid.a + 1.26301801).abs() < 1e-8, "{sigmoid:?}");
    assert!((sigmoid.b - 0.59024682).abs() < 1e-8, "{sigmoid:?}");
    // In other units it is the same function.
    let scaled: Vec<f64> = f.iter().map(|f| 1e6 * f).collect();
    let scaled = PlattSigmoid::fit(&scaled, &y);
    assert!((1e6 * scaled.a - sigmoid.a).abs() < 1e-6, "{scaled:?}");
}

#[test]
fn scores_without_information_give_the_prior() {
    // With f = 0 the targets' mean is left: (3·4/5 + 1·1/3)/4.
    let sigmoid = PlattSigmoid::fit(&[0.0; 4], &[true, true, false, true]);
    let mean = (3.0 * 4.0 / 5.0 + 1.0 / 3.0) / 4.0;
    assert!((sigmoid.probability(0.0) - mean).abs() < 1e-9, "{sigmoid:?}");
    let constant = PlattSigmoid::fit(&[7.0; 4], &[true, true, false, true]);
    assert!((constant.probability(7.0) - mean).abs() < 1e-9, "{constant:?}");
    // Separable scores end at finite numbers.
    let apart = PlattSigmoid::fit(&[-1e3, -1.0, 1.0, 1e3], &[false, false, true, true]);
    assert!(apart.a.is_finite() && apart.b.is_finite() && apart.a < 0.0);
    assert!(PlattSigmoid::fit(&[], &[]).probability(1.0).is_finite());
}

#[test]
fn coupling_solves_its_quadratic_problem() {
    let among =
        [[0.0, 0.9, 0.3, 0.6], [0.1, 0.0, 0.4, 0.55], [0.7, 0.6, 0.0, 0.8], [0.4, 0.45, 0.2, 0.0]];
    let p = couple(&among.map(|row| row.to_vec()));
    let expected = [0.25335276, 0.14010123, 0.45930573, 0.14724029];
    for (p, expected) in p.iter().zip(expected) {
        assert!((p - expected).abs() < 1e-8, "{p} {expected}");
    }
    // Probabilities that come from some p are coupled to it.
    let from = [0.1, 0.6, 0.3];
    let among = from.map(|a| from.map(|b| a / (a + b)).to_vec());
    assert!(couple(&among).iter().zip(from).all(|(p, from)| (p - from).abs() < 1e-10));
    // Certainty everywhere has an answer, too.
    let p = couple(&[vec![0.0, 1.0, 1.0], vec![0.0, 0.0, 1.0], vec![0.0, 0.0, 0.0]]);
    assert!((p[0] - 1.0).abs() < 1e-3 && p.iter().all(|p| p.is_finite()), "{p:?}");
}

/// Points around 0, 2, 4 … on the line, with noise that makes classes overlap.
fn data(n: usize, classes: usize) -> (Samples<f64>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let y: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let mut noise = || (0..4).map(|_| rng.random_range(-1.0..1.0)).sum::<f64>();
    let x: Vec<[f64; 1]> = y.iter().map(|&c| [2.0 * c as f64 + noise()]).collect();
    (Samples::from_rows(&x).unwrap(), y)
}

#[test]
fn probabilities_are_those_that_come_true() {
    for (classes, decomposition) in
        [(2, MultiClass::OneVsOne), (4, MultiClass::OneVsOne), (4, MultiClass::OneVsRest)]
    {
        let (x, y) = data(400, classes);
        let svc = || Svc::on_kernel(Rbf::new(0.5).unwrap()).multi_class(decomposition);
        let model = Calibrated::new(svc()).folds(5).seed(3).fit(&x, &y).unwrap();
        let p = model.predict_proba(&x).unwrap();
        for i in 0..400 {
            let sum: f64 = p.row(i).iter().sum();
            assert!((sum - 1.0).abs() < 1e-9 && p.row(i).iter().all(|p| (0.0..=1.0).contains(p)));
        }
        // The mean probability of a class is about its share, within 0.05 for 100 points or more.
        for c in 0..classes {
            let mean = p.col(c).iter().sum::<f64>() / 400.0;
            assert!((mean - 1.0 / classes as f64).abs() < 0.05, "{classes} {c} {mean}");
        }
        // The classifier itself is the one without probabilities, and the same seed gives the same sigmoids.
        assert_eq!(model.classifier(), &svc().fit(&x, &y).unwrap());
        assert_eq!(model, Calibrated::new(svc()).folds(5).seed(3).fit(&x, &y).unwrap());
        assert_ne!(
            model.link(),
            Calibrated::new(svc()).folds(5).seed(4).fit(&x, &y).unwrap().link()
        );
        let (share, predicted) = (model.disagreement(&x).unwrap(), model.predict(&x).unwrap());
        let most =
            |i: usize| (0..classes).max_by(|&a, &b| p[(i, a)].total_cmp(&p[(i, b)])).unwrap();
        let counted = (0..400).filter(|&i| most(i) != predicted[i]).count() as f64 / 400.0;
        assert!((share - counted).abs() < 1e-12 && share < 0.1, "{share} {counted}");
    }
}

#[test]
fn too_few_points_or_folds_are_refused() {
    let (x, y) = data(10, 2);
    let svc = || Svc::on_kernel(Rbf::new(0.5).unwrap());
    let error = Calibrated::new(svc()).folds(1).seed(0).fit(&x, &y).unwrap_err();
    assert!(matches!(error, Error::Count { name: "folds", given: 1, .. }));
    let lonely: Vec<usize> = (0..10).map(|i| usize::from(i == 3)).collect();
    assert!(matches!(
        Calibrated::new(svc()).folds(2).seed(0).fit(&x, &lonely),
        Err(Error::Count { given: 1, .. })
    ));
    // More folds than points leave some out empty.
    assert!(Calibrated::new(svc()).folds(30).seed(0).fit(&x, &y).is_ok());
    let three = Calibrated::new(svc()).folds(3);
    assert!(weighted(&three, (&x, &y), &[2.0; 10]).is_ok());
    assert!(weighted(&three, (&x, &y), &[2.0; 9]).is_err());
}

type Model = ProbabilisticClassifier<KernelExpansion<Samples<f64>, Rbf>, usize>;

#[test]
fn calibrated_machines_survive_a_file_and_are_checked() {
    for (classes, decomposition) in
        [(2, MultiClass::OneVsOne), (3, MultiClass::OneVsOne), (4, MultiClass::OneVsRest)]
    {
        let (x, y) = data(80, classes);
        let svc = Svc::on_kernel(Rbf::new(0.5).unwrap()).multi_class(decomposition);
        let model = Calibrated::new(svc).folds(4).seed(1).fit(&x, &y).unwrap();
        let text = serde_json::to_string(&model).unwrap();
        let back: Model = serde_json::from_str(&text).unwrap();
        assert_eq!(back, model);
        assert_eq!(back.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        changed["link"]["Sigmoids"]
            .as_array_mut()
            .unwrap()
            .push(serde_json::json!({"a": 1.0, "b": 0.0}));
        let error = serde_json::from_value::<Model>(changed).unwrap_err().to_string();
        assert!(error.contains("the number of sigmoids"), "{error}");
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        changed["classifier"]["classes"] = serde_json::json!([0, 1, 2, 3, 4]);
        let error = serde_json::from_value::<Model>(changed).unwrap_err().to_string();
        assert!(error.contains("the number of functions"), "{error}");
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        changed["classifier"]["decision"]["points"] = serde_json::to_value(&x).unwrap();
        let error = serde_json::from_value::<Model>(changed).unwrap_err().to_string();
        assert!(error.contains("the coefficients"), "{error}");
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        changed["link"] = serde_json::json!("Logistic");
        let read = serde_json::from_value::<Model>(changed);
        assert!(classes == 2 || read.unwrap_err().to_string().contains("the number of functions"));
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        changed["classifier"]["format"][0] = serde_json::json!(99);
        let error = serde_json::from_value::<Model>(changed).unwrap_err().to_string();
        assert!(error.contains("the file has 99"), "{error}");
    }
}

#[test]
fn files_of_libsvm_keep_probabilities() {
    let (x, mut classes) = data(120, 3);
    for count in [3, 2] {
        classes.iter_mut().for_each(|c| *c = (*c).min(count - 1));
        let labels: Vec<i64> = classes.iter().map(|&c| 10 * c as i64 - 7).collect();
        let svc = Svc::on_kernel(Rbf::new(0.5).unwrap());
        let model = Calibrated::new(svc).folds(4).seed(1).fit(&x, &labels).unwrap();
        let file = LibsvmModel::try_from(&model).unwrap();
        let mut text = Vec::new();
        file.write(&mut text).unwrap();
        let back = LibsvmModel::<Samples<f64>, Rbf>::read(&text[..], Some(1)).unwrap();
        assert_eq!(back, file);
        let (p, expected) =
            (back.predict_proba(&x).unwrap().unwrap(), model.predict_proba(&x).unwrap());
        for (k, label) in back.labels().iter().enumerate() {
            let ours = model.classifier().classes().binary_search(label).unwrap();
            for i in 0..120 {
                assert!((p[(i, k)] - expected[(i, ours)]).abs() < 1e-9, "{count} {i} {label}");
            }
        }
        // One line without the other, or of too few numbers, is no model.
        let text = String::from_utf8(text).unwrap();
        let line = text.lines().find(|line| line.starts_with("probB")).unwrap();
        for (to, name) in [("", "probB"), ("probB nan\n", "probB")] {
            let wrong = text.replace(&format!("{line}\n"), to);
            let read = LibsvmModel::<Samples<f64>, Rbf>::read(wrong.as_bytes(), Some(1));
            assert!(read.unwrap_err().to_string().contains(name));
        }
        let plain = LibsvmModel::try_from(model.classifier()).unwrap();
        assert!(plain.predict_proba(&x).unwrap().is_none() && plain.sigmoids().is_empty());
    }
}
