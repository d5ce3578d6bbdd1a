//! Tests of several targets and several labels per point: each as if it were alone, golden values
//! of scikit-learn, files and errors.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use super::golden::knn as golden;
use super::knn::{line, uniform};
use faer::Mat;
use kern_core::Samples;
use kern_core::kernels::{Linear, Rbf};
use kern_solvers::knn::{KNearest, Neighbors, Weighting};
use kern_solvers::{Error, LabelSets, Outputs};

fn iris() -> (Samples<f64>, Samples<f64>) {
    (Samples::from_rows(&golden::X).unwrap(), Samples::from_rows(&golden::QUERIES).unwrap())
}

#[test]
fn outputs_equal_those_of_scikit_learn() {
    let (x, queries) = iris();
    let y = Mat::from_fn(30, 2, |i, j| golden::TARGETS[i][j]);
    let params = KNearest::by_distance(Linear).neighbors(7).weighting(Weighting::Weighted);
    let given = params.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
    for (i, row) in golden::OUTPUTS.iter().enumerate() {
        for (j, expected) in row.iter().enumerate() {
            assert!((given[(i, j)] - expected).abs() < 1e-9, "{} {expected}", given[(i, j)]);
        }
    }
}

#[test]
fn labels_and_shares_equal_those_of_scikit_learn() {
    let (x, queries) = iris();
    let params = KNearest::by_distance(Linear).neighbors(7).weighting(Weighting::Weighted);
    let model = params.fit(&x, LabelSets::new(&golden::LABELS).unwrap()).unwrap();
    assert_eq!(model.predict(&queries).unwrap(), golden::GIVEN);
    let shares = model.vote_fractions(&queries).unwrap();
    for (i, row) in golden::SHARES.iter().enumerate() {
        for (j, expected) in row.iter().enumerate() {
            assert!((shares[(i, j)] - expected).abs() < 1e-9, "{} {expected}", shares[(i, j)]);
        }
    }
}

#[test]
fn outputs_and_labels_are_those_of_each_alone() {
    let (x, queries) = (uniform::<f32>(300, 3, 41), uniform::<f32>(70, 3, 42));
    let y = Mat::from_fn(300, 3, |i, j| (i * (j + 3) % 17) as f32);
    let labels: Vec<Vec<bool>> = (0..300).map(|i| vec![i % 2 == 0, i % 3 == 0, i == 7]).collect();
    for weighting in [Weighting::Uniform, Weighting::Weighted] {
        // An even k: draws happen, and the first class wins them, which is `false`.
        let params = KNearest::by_similarity(Rbf::new(0.5).unwrap()).neighbors(6);
        let params = params.clone().weighting(weighting);
        let outputs = params.fit(&x, y.as_ref()).unwrap().predict(&queries).unwrap();
        let multi = params.fit(&x, LabelSets::new(&labels).unwrap()).unwrap();
        let (given, shares) =
            (multi.predict(&queries).unwrap(), multi.vote_fractions(&queries).unwrap());
        for j in 0..3 {
            let alone = params.fit(&x, y.col_as_slice(j)).unwrap().predict(&queries).unwrap();
            assert_eq!(outputs.col_as_slice(j), alone);
            let label: Vec<bool> = labels.iter().map(|row| row[j]).collect();
            let alone = params.fit(&x, &label).unwrap();
            let column: Vec<bool> = given.iter().map(|row| row[j]).collect();
            assert_eq!(column, alone.predict(&queries).unwrap());
            assert_eq!(
                shares.col_as_slice(j),
                alone.predict_proba(&queries).unwrap().col_as_slice(1)
            );
        }
    }
}

#[test]
fn models_reloaded_are_the_same_and_bad_files_are_refused() {
    let x = line(&[0.0, 1.0]);
    let params = KNearest::by_distance(Rbf::new(1.0).unwrap()).neighbors(1);
    let outputs = params.fit(&x, faer::mat![[1.0, 2.0], [3.0, 4.0]].as_ref()).unwrap();
    let bytes = postcard::to_stdvec(&outputs).unwrap();
    assert_eq!(postcard::from_bytes::<Neighbors<_, _, Outputs<_>>>(&bytes).unwrap(), outputs);
    let labels = params.fit(&x, LabelSets::new(&[[true, false], [false, false]]).unwrap()).unwrap();
    let text = serde_json::to_string(&labels).unwrap();
    let read = serde_json::from_str::<Neighbors<Samples<f64>, Rbf, LabelSets>>;
    assert_eq!(read(&text).unwrap(), labels);
    assert!(text.contains("[true,false]"));
    let error = read(&text.replace("[true,false]", "[true]")).unwrap_err().to_string();
    assert!(error.contains("point 1 must have 1 labels"), "{error}");
}

#[test]
fn targets_and_labels_that_do_not_fit_are_errors() {
    let x = line(&[0.0, 1.0]);
    let params = KNearest::by_distance(Linear).neighbors(1);
    let error = LabelSets::new(&[vec![true], vec![true, false]]).unwrap_err();
    assert_eq!(error, Error::LabelCount { point: 1, expected: 1, given: 2 });
    let length = |what| Error::Length { what, expected: 2, given: 1 };
    let error = params.fit(&x, LabelSets::new(&[[true]]).unwrap()).unwrap_err();
    assert_eq!(error, length("targets"));
    let error = params.fit(&x, faer::mat![[1.0, 2.0]].as_ref()).unwrap_err();
    assert_eq!(error, length("targets"));
    let bad = faer::mat![[1.0, 2.0], [f64::NAN, 1.0]];
    let error = params.fit(&x, bad.as_ref()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { point: 1, output: 0, .. }));
}
