//! A file names its kind: what is read as something else is an error with both names.

use kern_core::closure::Normalized;
use kern_core::kernels::{Laplacian, Linear, Rbf};
use kern_core::{Identity, Samples};
use kern_solvers::Values;
use kern_solvers::knn::{KNearest, Neighbors};
use kern_solvers::model::{
    Classifier, FeatureExpansion, KernelExpansion, NoveltyDetector, ProbabilisticClassifier,
    Regressor,
};
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::Sgd;
use serde::Serialize;
use serde::de::DeserializeOwned;

type OnKernel<K> = KernelExpansion<Samples<f64>, K>;

fn points() -> Samples<f64> {
    Samples::from_rows(&[[0.0, 1.0], [2.0, 1.0], [4.0, 0.0]]).unwrap()
}

/// The errors of reading a model as another one, in both formats.
fn refused<M: Serialize, Other: DeserializeOwned>(model: &M) -> [String; 2] {
    let text = serde_json::from_str::<Other>(&serde_json::to_string(model).unwrap());
    let binary = postcard::from_bytes::<Other>(&postcard::to_stdvec(model).unwrap());
    [text.err().unwrap().to_string(), binary.err().unwrap().to_string()]
}

/// The format without words has an error without words.
fn names_both(errors: &[String; 2], given: &str, expected: &str) {
    let message = format!("the file has `{given}` where `{expected}` is read");
    assert!(errors[0].starts_with(&message), "{} is not {message}", errors[0]);
}

#[test]
fn kernels_are_read_as_themselves() {
    let _alone = crate::ALONE.lock();
    let laplacian = Ridge::on_kernel(Laplacian::new(0.5).unwrap()).fit(&points(), &[1.0, 2.0, 3.0]);
    let laplacian = laplacian.unwrap();
    let as_rbf = refused::<_, Regressor<OnKernel<Rbf>>>(&laplacian);
    names_both(&as_rbf, "laplacian", "rbf");
    let as_linear = refused::<_, Regressor<OnKernel<Linear>>>(&laplacian);
    names_both(&as_linear, "laplacian", "linear");
    let as_normalized = refused::<_, Regressor<OnKernel<Normalized<Laplacian>>>>(&laplacian);
    names_both(&as_normalized, "laplacian", "normalized(laplacian)");
    let near = KNearest::by_distance(Laplacian::new(0.5).unwrap()).neighbors(1);
    let near = near.fit(&points(), &[1.0_f64, 2.0, 3.0]).unwrap();
    let as_rbf = refused::<_, Neighbors<Samples<f64>, Rbf, Values<f64>>>(&near);
    names_both(&as_rbf, "laplacian", "rbf");
}

#[test]
fn models_are_read_as_themselves() {
    let _alone = crate::ALONE.lock();
    let (x, rbf) = (points(), Rbf::new(0.5).unwrap());
    let regressor = Ridge::on_kernel(rbf).fit(&x, &[1.0, 2.0, 3.0]).unwrap();
    let as_classifier = refused::<_, Classifier<OnKernel<Rbf>, i32>>(&regressor);
    names_both(&as_classifier, "regressor", "classifier");
    let as_detector = refused::<_, NoveltyDetector<OnKernel<Rbf>>>(&regressor);
    names_both(&as_detector, "regressor", "novelty_detector");
    let classifier = Ridge::on_kernel(rbf).fit(&x, &[1, 2, 3]).unwrap();
    let as_probable = refused::<_, ProbabilisticClassifier<OnKernel<Rbf>, i32>>(&classifier);
    names_both(&as_probable, "classifier", "probabilistic_classifier");
    let near = KNearest::by_distance(rbf).neighbors(1).fit(&x, &[1.0, 2.0, 3.0]).unwrap();
    let as_labels = refused::<_, Neighbors<Samples<f64>, Rbf, kern_solvers::Labels<i32>>>(&near);
    names_both(&as_labels, "neighbors(values)", "neighbors(labels)");
    let on_features = Sgd::on_features(Identity::new(2)).iterations(9).fit(&x, &[1, 2, 2]).unwrap();
    // In JSON by the names of the fields, in the other format by that of the map.
    let [text, _] = refused::<_, Classifier<OnKernel<Linear>, i32>>(&on_features);
    assert!(text.starts_with("missing field `kernel`"), "{text}");
}

#[test]
fn what_has_a_name_reads_its_own_files() {
    let _alone = crate::ALONE.lock();
    let classifier = Ridge::on_kernel(Rbf::new(0.5).unwrap()).fit(&points(), &[1, 2, 3]).unwrap();
    let text = serde_json::to_value(&classifier).unwrap();
    assert_eq!(text["format"], serde_json::json!([3, "classifier"]));
    assert_eq!(text["decision"]["kernel"], serde_json::json!(["rbf", { "gamma": 0.5 }]));
    let read: Classifier<OnKernel<Rbf>, i32> = serde_json::from_value(text).unwrap();
    assert_eq!(read, classifier);
}

#[test]
fn a_file_of_another_version_is_refused() {
    let _alone = crate::ALONE.lock();
    let model = Ridge::on_kernel(Linear).fit(&points(), &[1.0, 2.0, 3.0]).unwrap();
    let mut text = serde_json::to_value(&model).unwrap();
    text["format"][0] = 99.into();
    let error = serde_json::from_value::<Regressor<OnKernel<Linear>>>(text).unwrap_err();
    assert!(
        error.to_string().starts_with("model format 3 is supported, the file has 99"),
        "{error}"
    );
}

/// The parts of a classifier that was saved, changed one at a time.
#[test]
fn classes_and_intercepts_are_checked() {
    let _alone = crate::ALONE.lock();
    let model = Ridge::on_kernel(Linear).fit(&points(), &["a", "b", "c"]).unwrap();
    let text = serde_json::to_value(&model).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = text.clone();
        change(&mut changed);
        let read = serde_json::from_value::<Classifier<OnKernel<Linear>, String>>(changed);
        read.unwrap_err().to_string()
    };
    let reversed = refused(&|v| v["classes"].as_array_mut().unwrap().reverse());
    assert_eq!(reversed, "the classes of a model must be at least two, different, and in order");
    let fewer = refused(&|v| drop(v["classes"].as_array_mut().unwrap().pop()));
    assert!(fewer.starts_with("the number of functions must be what the classes"), "{fewer}");
    let missing = refused(&|v| drop(v["decision"].as_object_mut().unwrap().remove("intercepts")));
    assert!(missing.starts_with("missing field `intercepts`"), "{missing}");
    let none = refused(&|v| v["decision"]["intercepts"] = serde_json::json!([]));
    assert_eq!(none, "the number of intercepts must be that of the outputs, got 0");
    let shape = refused(&|v| v["decision"]["coefficients"]["nrows"] = 2.into());
    assert!(shape.contains("matrix cannot have 9 values"), "{shape}");
    let number = refused(&|v| v["decision"]["intercepts"][1] = serde_json::json!(null));
    assert!(number.contains("null"), "{number}");
    let features =
        Sgd::on_features(Identity::new(2)).iterations(9).fit(&points(), &[1.0, 2.0, 3.0]);
    let mut text = serde_json::to_value(features.unwrap()).unwrap();
    text["model"]["decision"]["map"][1]["dim"] = 3.into();
    let read: Regressor<FeatureExpansion<Identity, f64>> = serde_json::from_value(text).unwrap();
    let three = Samples::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
    assert_eq!(
        read.predict(&three).unwrap_err().to_string(),
        "the weights must be 3 x 1, got 2 x 1"
    );
}
