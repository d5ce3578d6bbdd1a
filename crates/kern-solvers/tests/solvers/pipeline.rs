//! Pipelines: what is learned in front of a learner, with weights, in files, and where it does not fit.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use kern_approx::RandomFourier;
use kern_core::kernels::{Linear, Rbf};
use kern_core::parameters::Parameters;
use kern_core::{Error as CoreError, Points, Row, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::logistic::Logistic;
use kern_solvers::pipeline::{
    Encode, Encoding, Featurize, MinMax, Piped, Scaling, Standardize, Terms, Vocabulary,
};
use kern_solvers::ridge::Ridge;
use kern_solvers::search::Tune;
use kern_solvers::validation::R2;
use kern_solvers::{
    Classes, Data, DecisionValues, Error, Learner, Model, Probabilities, Run, Transformer,
};

fn x() -> Samples<f64> {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64;
    Samples::from_row_major(3, (0..90).map(|k| value(k) * [1.0, 1e-3, 1e4][k % 3]).collect())
        .unwrap()
}

fn labels() -> Vec<u8> {
    (0..30).map(|i| u8::from(x().item(i)[0] > 500.0) + u8::from(x().item(i)[1] > 0.5)).collect()
}

fn learned<A: Learner<Samples<f64>>>(learner: &A, x: &Samples<f64>) -> A::Model {
    learner.learn(&Data::unlabelled(x).unwrap(), &mut Run::new()).unwrap()
}

fn column(x: &Samples<f64>, k: usize) -> Vec<f64> {
    (0..x.len()).map(|i| x.item(i)[k]).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn standardized_coordinates_have_mean_zero_and_variance_one() {
    let x = x();
    let image = learned(&Standardize::new(), &x).transform(&x).unwrap();
    for k in 0..3 {
        let values = column(&image, k);
        let squares: Vec<f64> = values.iter().map(|v| v * v).collect();
        assert!(mean(&values).abs() < 1e-14 && (mean(&squares) - 1.0).abs() < 1e-13);
    }
    let shifted = learned(&Standardize::new().scaled(false), &x);
    assert_eq!(shifted.factors(), [1.0; 3]);
    let scaled = learned(&Standardize::new().centered(false), &x);
    assert_eq!(
        (scaled.shifts(), scaled.factors()),
        (vec![0.0; 3], learned(&Standardize::new(), &x).factors())
    );
}

#[test]
fn constant_coordinates_are_not_divided_by_rounding() {
    // The mean of 0.1 thirty times is not 0.1.
    let rows: Vec<[f64; 2]> = (0..30).map(|i| [0.1, f64::from(i)]).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let map = learned(&Standardize::new(), &x);
    assert_eq!(map.factors()[0], 1.0);
    let image = map.transform(&x).unwrap();
    assert!(column(&image, 0).iter().all(|v| v.abs() < 1e-15));
    let ranged = learned(&MinMax::new().range(2.0, 3.0).unwrap(), &x).transform(&x).unwrap();
    assert!(column(&ranged, 0).iter().all(|&v| v == 2.0));
}

#[test]
fn weights_are_repeated_points() {
    let x = x();
    let weights: Vec<f64> = (0..30).map(|i| f64::from(i % 3)).collect();
    let repeated: Vec<usize> = (0..30).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let repeated = x.select(&repeated).unwrap();
    let weighted = |data: &Data<'_, Samples<f64>>| {
        let standardize: Scaling = Standardize::new().learn(data, &mut Run::new()).unwrap();
        let ranged: Scaling = MinMax::new().learn(data, &mut Run::new()).unwrap();
        (standardize, ranged)
    };
    let data = Data::unlabelled(&x).unwrap().weights(&weights).unwrap();
    let (by_weight, ranged) = weighted(&data);
    let (by_copies, of_copies) = weighted(&Data::unlabelled(&repeated).unwrap());
    for (a, b) in by_weight.shifts().iter().zip(by_copies.shifts()) {
        assert!((a / b - 1.0).abs() < 1e-13);
    }
    for (a, b) in by_weight.factors().iter().zip(by_copies.factors()) {
        assert!((a / b - 1.0).abs() < 1e-13);
    }
    assert_eq!(ranged, of_copies);
}

#[test]
fn numbers_at_the_ends_of_their_range() {
    let x = Samples::from_rows(&[[-f64::MAX, 5e-324], [f64::MAX, 0.0]]).unwrap();
    let ranged = learned(&MinMax::new(), &x);
    // The difference overflows, which is an error of the range and not a wrong number.
    let image = ranged.transform(&x);
    let data = Data::unlabelled(&x).unwrap();
    let standardized = Standardize::new().learn(&data, &mut Run::new());
    for outcome in [image.map(drop), standardized.map(drop)] {
        assert!(matches!(outcome, Ok(()) | Err(Error::Core(_))), "{outcome:?}");
    }
}

#[test]
fn features_and_a_linear_kernel_are_a_learner_on_features() {
    let x = learned(&Standardize::new(), &x()).transform(&x()).unwrap();
    let y: Vec<f64> = labels().into_iter().map(f64::from).collect();
    let map = RandomFourier::new(Rbf::new(0.3).unwrap()).dim(16).seed(3).sample(3).unwrap();
    let pipeline = Featurize::new(map.clone()).then(Ridge::on_kernel(Linear).lambda(0.1));
    let direct = Ridge::on_features(map).lambda(0.1).fit(&x, &y).unwrap();
    let piped = pipeline.fit(&x, &y).unwrap();
    let both = piped.predict(&x).unwrap().into_iter().zip(direct.predict(&x).unwrap());
    assert!(both.into_iter().all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn pipelines_nest_on_both_sides_and_are_classifiers() {
    let (x, y) = (x(), labels());
    let logistic = || Logistic::on_kernel(Rbf::new(0.3).unwrap()).lambda(1e-3);
    let left = Standardize::new().then(MinMax::new()).then(logistic());
    let right = Standardize::new().then(MinMax::new().then(logistic()));
    let (left, right) = (left.fit(&x, &y).unwrap(), right.fit(&x, &y).unwrap());
    assert_eq!(left.predict_proba(&x).unwrap(), right.predict_proba(&x).unwrap());
    assert_eq!(left.decision_values(&x).unwrap(), right.decision_values(&x).unwrap());
    assert_eq!(left.classes(), [0, 1, 2]);
    assert_eq!(Model::<Samples<f64>>::report(&left), left.model().report());
    let map: &Piped<Scaling, Scaling> = left.map();
    assert_eq!(
        map.transform(&x).unwrap(),
        right.model().map().transform(&right.map().transform(&x).unwrap()).unwrap()
    );
}

#[test]
fn hyper_parameters_are_those_of_both() {
    let mut pipeline = Standardize::new().then(Ridge::on_kernel(Rbf::new(0.3).unwrap()));
    let names: Vec<String> = pipeline.parameters().iter().map(|p| p.name.to_string()).collect();
    for name in ["lambda", "kernel.gamma", "map.centered", "map.scaled"] {
        assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
    }
    pipeline.set_parameter("map.scaled", &false.into()).unwrap();
    pipeline.set_parameter("lambda", &0.5.into()).unwrap();
    let expected = Standardize::new().scaled(false);
    assert_eq!(pipeline, expected.then(Ridge::on_kernel(Rbf::new(0.3).unwrap()).lambda(0.5)));
}

#[test]
fn models_are_saved_as_one_and_bad_files_are_refused() {
    let (x, y) = (x(), labels());
    let pipeline = Standardize::new().then(Ridge::on_kernel(Rbf::new(0.3).unwrap()));
    let model = pipeline.fit(&x, &y).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let mut read = model.clone();
    read.clone_from(&serde_json::from_str(&text).unwrap());
    assert_eq!(read, model);
    assert_eq!(read.predict(&x).unwrap(), model.predict(&x).unwrap());
    let other = text.replacen("scaling", "scalping", 1);
    let same = |text: &str| {
        let mut read = model.clone();
        serde_json::from_str(text).map(|model| read.clone_from(&model))
    };
    let error = same(&other).unwrap_err().to_string();
    assert!(error.contains("scalping"), "{error}");
    let shift = text.find("\"shift\":").unwrap();
    let huge = format!("{}\"shift\":1e999,{}", &text[..shift], &text[shift + 8..]);
    assert!(same(&huge).is_err());
    assert!(serde_json::from_str::<Scaling>("[]").is_err());
    assert!(serde_json::from_str::<MinMax>("[1.0,0.5]").is_err());
}

#[test]
fn what_does_not_fit_is_a_typed_error() {
    let (x, y) = (x(), labels());
    let pipeline = Standardize::new().then(Ridge::on_kernel(Rbf::new(0.3).unwrap()));
    let model = pipeline.fit(&x, &y).unwrap();
    let narrow = Samples::from_rows(&[[1.0]]).unwrap();
    let error = model.predict(&narrow).unwrap_err();
    let expected = CoreError::Dimension { what: "features per sample", expected: 3, given: 1 };
    assert_eq!(error, Error::Core(expected));
    let data = Data::new(&x, &y).unwrap();
    let mut run = Run::new().memory(MemoryBudget::bytes(100));
    let error = pipeline.learn(&data, &mut run).unwrap_err();
    assert!(matches!(error, Error::Gram(kern_gram::Error::Budget { needed: 720, .. })), "{error}");
    for (smallest, largest) in
        [(1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)]
    {
        assert!(matches!(MinMax::new().range(smallest, largest), Err(Error::Core(_))));
    }
}

/// scikit-learn 1.9.1: `CountVectorizer()`, `TfidfVectorizer(min_df=2)` and `CountVectorizer(analyzer="char",
/// ngram_range=(3, 3), lowercase=False)` of these texts.
#[test]
fn terms_are_those_of_scikit_learn() {
    let texts =
        vec!["the cat sat on the mat", "a dog sat", "The dog_1 and the cat!", "naïve café: x"];
    let data = Data::unlabelled(&texts).unwrap();
    let map = Terms::words().learn(&data, &mut Run::new()).unwrap();
    let words = ["and", "café", "cat", "dog", "dog_1", "mat", "naïve", "on", "sat", "the"];
    assert_eq!(map.terms(), words);
    let counts = map.transform(&texts).unwrap().to_dense().unwrap();
    assert_eq!(counts.item(0), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 2.0]);
    assert_eq!(counts.item(2), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    let map = Terms::words().min_df(2).tf_idf(true).learn(&data, &mut Run::new()).unwrap();
    let weighted = map.transform(&texts).unwrap().to_dense().unwrap();
    let expected = [
        [0.408248290463863, 0.408248290463863, 0.816496580927726],
        [0.0, 1.0, 0.0],
        [0.4472135954999579, 0.0, 0.8944271909999159],
        [0.0, 0.0, 0.0],
    ];
    for (i, expected) in expected.iter().enumerate() {
        let pairs = weighted.item(i).iter().zip(expected);
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", weighted.item(i));
    }
    let dna = vec!["GATTACA"];
    let map =
        Terms::characters(3).learn(&Data::unlabelled(&dna).unwrap(), &mut Run::new()).unwrap();
    assert_eq!(map.terms(), ["ACA", "ATT", "GAT", "TAC", "TTA"]);
    let nothing = Terms::words().min_df(9).learn(&data, &mut Run::new());
    assert!(matches!(nothing, Err(Error::Count { name: "terms", .. })));
    let empty = Terms::characters(0).learn(&data, &mut Run::new());
    assert!(matches!(empty, Err(Error::Count { given: 0, .. })));
    let text = serde_json::to_string(&map).unwrap();
    assert_eq!(serde_json::from_str::<Vocabulary>(&text).unwrap(), map);
    for bad in
        [text.replace("ATT", "ZZZ"), text.replacen("1.0", "-1.0", 1), text.replacen("1.0,", "", 1)]
    {
        assert!(serde_json::from_str::<Vocabulary>(&bad).is_err(), "{bad}");
    }
}

/// scikit-learn 1.9.1: `CountVectorizer(ngram_range=(1, 2))` of these texts, and of characters `ngram_range=(2, 3)`.
#[test]
fn sequences_of_terms_are_those_of_scikit_learn() {
    let texts =
        vec!["the cat sat on the mat", "a dog sat", "The dog_1 and the cat!", "naïve café: x"];
    let data = Data::unlabelled(&texts).unwrap();
    let map = Terms::words().ngram_range(1, 2).learn(&data, &mut Run::new()).unwrap();
    let pairs: Vec<&String> = map.terms().iter().filter(|term| term.contains(' ')).collect();
    let expected = [
        "and the",
        "cat sat",
        "dog sat",
        "dog_1 and",
        "naïve café",
        "on the",
        "sat on",
        "the cat",
        "the dog_1",
        "the mat",
    ];
    assert_eq!(pairs, expected);
    assert_eq!(map.terms().len(), 10 + expected.len());
    let counts = map.transform(&texts).unwrap().to_dense().unwrap();
    let count = |text: usize, term: &str| {
        counts.item(text)[map.terms().iter().position(|known| known == term).unwrap()]
    };
    let found = ["the", "the cat", "the mat", "on the", "dog sat"].map(|term| count(0, term));
    assert_eq!(found, [2.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(counts.item(0).iter().sum::<f64>(), 11.0);
    let dna = vec!["GATTACA"];
    let data_of = Data::unlabelled(&dna).unwrap();
    let map = Terms::characters(2).ngram_range(2, 3).learn(&data_of, &mut Run::new()).unwrap();
    let expected = ["AC", "ACA", "AT", "ATT", "CA", "GA", "GAT", "TA", "TAC", "TT", "TTA"];
    assert_eq!(map.terms(), expected);
    let turned = Terms::words().ngram_range(2, 1).learn(&data, &mut Run::new());
    assert!(matches!(turned, Err(Error::Count { given: 1, .. })));
}

#[test]
fn encodings_know_their_columns() {
    let row = |numbers: &[f64], categories: &str| Row {
        numbers: numbers.to_vec(),
        categories: categories.into(),
        text: String::new(),
    };
    let rows = vec![row(&[1.0], "bx"), row(&[2.0], "ax"), row(&[3.0], "by")];
    let data = Data::new(&rows, &[1.0, 2.0, 3.0]).unwrap();
    let map = Encode::one_hot().learn(&data, &mut Run::new()).unwrap();
    assert_eq!(map.transform(&rows).unwrap().item(2), [3.0, 0.0, 1.0, 0.0, 1.0]);
    assert_eq!(map.dim(), 5);
    for wrong in [row(&[1.0, 2.0], "bx"), row(&[1.0], "b")] {
        assert!(matches!(map.transform(&vec![wrong]), Err(Error::Core(_))));
    }
    let text = serde_json::to_string(&map).unwrap();
    assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), map);
    for bad in [
        text.replace("\"a\",\"b\"", "\"b\",\"a\""),
        text.replace("\"numbers\":1", "\"numbers\":18446744073709551615"),
    ] {
        assert!(serde_json::from_str::<Encoding>(&bad).is_err(), "{bad}");
    }
    // A machine on the vectors, tuned over both encodings.
    let many: Vec<Row> = rows.iter().cycle().take(12).cloned().collect();
    let y: Vec<f64> = (0..12).map(|i| f64::from(i % 3)).collect();
    let tune = Tune::new(Encode::one_hot().then(Ridge::on_kernel(Linear)), R2);
    let tuned = tune.over("map.one_hot", [true, false]).fit(&many, &y).unwrap();
    assert!(tuned.trials().iter().all(|trial| trial.mean().is_some_and(|mean| mean > 0.5)));
}

/// A point of weight 0 changes no map, and one of weight 2 counts twice.
#[test]
fn maps_in_front_repeat_points_by_their_weights() {
    let rows = |list: &[(f64, &str)]| -> Vec<Row> {
        let row = |&(number, categories): &(f64, &str)| Row {
            numbers: vec![number],
            categories: categories.into(),
            text: String::new(),
        };
        list.iter().map(row).collect()
    };
    let weights = [1.0, 0.0, 2.0];
    let (all, twice) = (rows(&[(1.0, "a"), (9.0, "z"), (2.0, "b")]), [0, 2, 2]);
    let of = |rows: &Vec<Row>, weights: &[f64]| {
        let data = Data::unlabelled(rows).unwrap().weights(weights).unwrap();
        Encode::one_hot().learn(&data, &mut Run::new()).unwrap()
    };
    let repeated: Vec<Row> = twice.iter().map(|&i| all[i].clone()).collect();
    assert_eq!(of(&all, &weights), of(&repeated, &[1.0; 3]));

    let texts = vec!["red wine", "odd", "red beer"];
    let repeated: Vec<&str> = twice.iter().map(|&i| texts[i]).collect();
    let of = |texts: &Vec<&str>, weights: &[f64]| {
        let data = Data::unlabelled(texts).unwrap().weights(weights).unwrap();
        Terms::words().tf_idf(true).min_df(2).learn(&data, &mut Run::new()).unwrap()
    };
    assert_eq!(of(&texts, &weights), of(&repeated, &[1.0; 3]));

    let x = Samples::from_rows(&[[1.0], [1e300], [3.0]]).unwrap();
    let few = x.select(&[0, 2, 2]).unwrap();
    let of = |x: &Samples<f64>, weights: &[f64]| {
        let data = Data::unlabelled(x).unwrap().weights(weights).unwrap();
        Standardize::new().learn(&data, &mut Run::new()).unwrap()
    };
    let (found, expected) = (of(&x, &weights), of(&few, &[1.0; 3]));
    assert!((found.shifts()[0] - expected.shifts()[0]).abs() < 1e-12);
    assert!((found.factors()[0] / expected.factors()[0] - 1.0).abs() < 1e-12);
}
