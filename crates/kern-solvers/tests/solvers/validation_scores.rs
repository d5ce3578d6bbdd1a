//! Scores: against scikit-learn, through models of which only the answers matter, and their errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::golden::ridge::X;
use super::golden::validation::{self as golden, binary, clusters, numbers};
use super::learn::data;
use kern_core::faer::{Mat, mat};
use kern_core::kernels::{Linear, Rbf};
use kern_core::{Points, Samples};
use kern_solvers::validation::{
    Accuracy, Auc, Average, BalancedAccuracy, Brier, F1, LogLoss, MeanAbsoluteError, R2,
    RootMeanSquaredError, Score, adjusted_rand_index, recall_at_k, silhouette,
};
use kern_solvers::{
    Classes, Data, DecisionValues, Error, IntoTargets, Labels, Model, Outputs, Probabilities,
    Report, Targets, Values,
};

/// A model that gives these answers, whatever it is asked.
struct Given<A> {
    answers: A,
    report: Report,
}

fn given<A>(answers: A) -> Given<A> {
    Given { answers, report: Report::direct() }
}

impl<P: Points, A: Clone + Send + Sync> Model<P> for Given<A> {
    type Answer = A;

    fn predict(&self, _: &P) -> Result<A, Error> {
        Ok(self.answers.clone())
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

/// A classifier of these classes with these values, which serve as decision values and as probabilities.
struct Valued<L> {
    classes: Vec<L>,
    values: Mat<f64>,
    report: Report,
}

fn valued<L: Clone>(classes: &[L], values: Mat<f64>) -> Valued<L> {
    Valued { classes: classes.to_vec(), values, report: Report::direct() }
}

impl<L: Clone + Send + Sync> Model<Vec<()>> for Valued<L> {
    type Answer = Vec<L>;

    fn predict(&self, points: &Vec<()>) -> Result<Vec<L>, Error> {
        Ok(vec![self.classes[0].clone(); points.len()])
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl<L> Classes for Valued<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        &self.classes
    }
}

impl<L: Clone + Send + Sync> DecisionValues<Vec<()>> for Valued<L> {
    fn decision_values(&self, _: &Vec<()>) -> Result<Mat<f64>, Error> {
        Ok(self.values.clone())
    }
}

impl<L: Clone + Send + Sync> Probabilities<Vec<()>> for Valued<L> {
    fn predict_proba(&self, _: &Vec<()>) -> Result<Mat<f64>, Error> {
        Ok(self.values.clone())
    }
}

/// The score of a model on these targets.
fn score<Y: IntoTargets, M>(
    score: &impl Score<Vec<()>, Y::Targets, M>,
    model: &M,
    targets: Y,
    weights: Option<&[f64]>,
) -> Result<f64, Error> {
    let targets = targets.into_targets();
    let points = vec![(); targets.count().unwrap()];
    score.score(model, &data((&points, targets), weights))
}

/// The score without and with weights is that of scikit-learn.
fn assert_scores<Y: IntoTargets + Copy, M>(
    of: &impl Score<Vec<()>, Y::Targets, M>,
    model: &M,
    (targets, weights): (Y, &[f64]),
    golden: [f64; 2],
) {
    for (weights, expected) in [None, Some(weights)].into_iter().zip(golden) {
        let found = score(of, model, targets, weights).unwrap();
        assert!((found - expected).abs() <= 1e-14 * expected.max(1.0), "{}: {found}", of.name());
    }
}

#[test]
fn scores_of_classes_equal_scikit_learn() {
    let model = given(golden::ANSWERS.to_vec());
    let known = (&golden::LABELS, &golden::WEIGHTS[..]);
    assert_scores(&Accuracy, &model, known, golden::ACCURACY);
    assert_scores(&BalancedAccuracy, &model, known, golden::BALANCED_ACCURACY);
    assert_scores(&F1(Average::Macro), &model, known, golden::F1_MACRO);
    assert_scores(&F1(Average::Weighted), &model, known, golden::F1_WEIGHTED);
    assert_scores(&F1(Average::Micro), &model, known, golden::F1_MICRO);
    assert_eq!(F1::default(), F1(Average::Macro));
}

#[test]
fn a_point_without_an_answer_is_a_wrong_one_of_no_class() {
    let model = given(vec![Some(1), None, Some(2), Some(2)]);
    let labels = [1, 1, 2, 1];
    let of = |result: Result<f64, Error>| result.unwrap();
    assert_eq!(of(score(&Accuracy, &model, &labels, None)), 0.5);
    assert_eq!(of(score(&BalancedAccuracy, &model, &labels, None)), (1.0 / 3.0 + 1.0) / 2.0);
    // Class 1: one hit, three points, one answer; class 2: one hit, one point, two answers.
    let macro_mean = (2.0 / 4.0 + 2.0 / 3.0) / 2.0;
    assert_eq!(of(score(&F1(Average::Macro), &model, &labels, None)), macro_mean);
    assert_eq!(of(score(&F1(Average::Micro), &model, &labels, None)), 4.0 / 7.0);
}

#[test]
fn scores_of_probabilities_equal_scikit_learn() {
    let p = Mat::from_fn(12, 3, |i, c| golden::EIGHTHS[i][c] / 8.0);
    let model = valued(&["a", "b", "c"], p);
    let known = (&golden::LABELS, &golden::WEIGHTS[..]);
    assert_scores(&LogLoss, &model, known, golden::LOG_LOSS);
    assert_scores(&Brier, &model, known, golden::BRIER);
    assert_scores(&Auc, &model, known, golden::AUC);
    let second = |i: usize| binary::EIGHTHS[i] / 8.0;
    let p = Mat::from_fn(12, 2, |i, c| if c == 1 { second(i) } else { 1.0 - second(i) });
    let known = (&binary::LABELS, &golden::WEIGHTS[..]);
    let model = valued(&[0_u8, 1], p);
    assert_scores(&LogLoss, &model, known, binary::LOG_LOSS);
    assert_scores(&Brier, &model, known, binary::BRIER.map(|half| 2.0 * half));
    let decisions = Mat::from_fn(12, 1, |i, _| binary::DECISIONS[i]);
    assert_scores(&Auc, &valued(&[0_u8, 1], decisions), known, binary::AUC);
    // A function for each of two classes: the area is that of either.
    let both = |i: usize, c: usize| binary::DECISIONS[i] * if c == 1 { 1.0 } else { -1.0 };
    assert_scores(&Auc, &valued(&[0_u8, 1], Mat::from_fn(12, 2, both)), known, binary::AUC);
}

#[test]
fn a_class_that_the_model_has_not_seen_has_probability_zero() {
    let model = valued(&["a", "c"], mat![[0.25, 0.75], [0.5, 0.5]]);
    let labels = ["c", "b"];
    let loss = score(&LogLoss, &model, &labels, None).unwrap();
    assert!((loss - (-0.75_f64.ln() - f64::EPSILON.ln()) / 2.0).abs() < 1e-14);
    let brier = score(&Brier, &model, &labels, None).unwrap();
    assert_eq!(brier, (2.0 * 0.0625 + 1.0 + 0.5) / 2.0);
}

#[test]
fn scores_of_numbers_equal_scikit_learn() {
    let all = |of: &[[f64; 2]; 6]| Mat::from_fn(6, 2, |i, k| of[i][k]);
    let first = |of: &[[f64; 2]; 6]| of.iter().map(|row| row[0]).collect::<Vec<f64>>();
    let (y, f) = (all(&numbers::TARGETS), given(all(&numbers::ANSWERS)));
    let (y1, f1) = (first(&numbers::TARGETS), given(first(&numbers::ANSWERS)));
    let (one, both) = ((&y1, &numbers::WEIGHTS[..]), (&y, &numbers::WEIGHTS[..]));
    let halves = |golden: [f64; 4]| ([golden[0], golden[1]], [golden[2], golden[3]]);
    let (single, several) = halves(numbers::R2);
    assert_scores(&R2, &f1, one, single);
    assert_scores(&R2, &f, both, several);
    let (single, several) = halves(numbers::RMSE);
    assert_scores(&RootMeanSquaredError, &f1, one, single);
    assert_scores(&RootMeanSquaredError, &f, both, several);
    let (single, several) = halves(numbers::MAE);
    assert_scores(&MeanAbsoluteError, &f1, one, single);
    assert_scores(&MeanAbsoluteError, &f, both, several);
}

#[test]
fn numbers_in_single_precision_are_scored_in_double_precision() {
    let x = Samples::<f32>::from_rows(&[[0.0], [1.0], [2.0]]).unwrap();
    let data = Data::new(&x, &[1.0_f32, 2.0, 4.0]).unwrap();
    let model = given(vec![1.5_f32, 2.0, 3.5]);
    assert_eq!(MeanAbsoluteError.score(&model, &data).unwrap(), 1.0 / 3.0);
    assert_eq!(RootMeanSquaredError.score(&model, &data).unwrap(), (0.5_f64 / 3.0).sqrt());
}

/// Integer weights are repeated points, and weight zero is no point, for every score.
#[test]
fn weights_are_repeated_points() {
    let times = [2, 0, 1, 3, 1, 1, 2, 1, 0, 1, 1, 2];
    let weights = times.map(f64::from);
    let repeated: Vec<usize> = (0..12).flat_map(|i| vec![i; times[i] as usize]).collect();
    let labels: Vec<&str> = repeated.iter().map(|&i| golden::LABELS[i]).collect();
    let same = |a: Result<f64, Error>, b: Result<f64, Error>| {
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    };
    let answers: Vec<&str> = repeated.iter().map(|&i| golden::ANSWERS[i]).collect();
    let (few, many) = (given(golden::ANSWERS.to_vec()), given(answers));
    let (y, w) = (&golden::LABELS, Some(&weights[..]));
    same(score(&Accuracy, &few, y, w), score(&Accuracy, &many, &labels, None));
    same(score(&BalancedAccuracy, &few, y, w), score(&BalancedAccuracy, &many, &labels, None));
    for average in [Average::Macro, Average::Weighted, Average::Micro] {
        same(score(&F1(average), &few, y, w), score(&F1(average), &many, &labels, None));
    }
    let p = Mat::from_fn(12, 3, |i, c| golden::EIGHTHS[i][c] / 8.0);
    let more = Mat::from_fn(repeated.len(), 3, |k, c| p[(repeated[k], c)]);
    let (few, many) = (valued(&["a", "b", "c"], p), valued(&["a", "b", "c"], more));
    same(score(&LogLoss, &few, y, w), score(&LogLoss, &many, &labels, None));
    same(score(&Brier, &few, y, w), score(&Brier, &many, &labels, None));
    same(score(&Auc, &few, y, w), score(&Auc, &many, &labels, None));
    let numbers: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
    let answers: Vec<f64> = (0..12).map(|i| f64::from(i * i % 5)).collect();
    let of = |values: &[f64]| repeated.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    let (few, many) = (given(answers.clone()), given(of(&answers)));
    let more = of(&numbers);
    same(score(&R2, &few, &numbers, w), score(&R2, &many, &more, None));
    let (a, b) = (&RootMeanSquaredError, &MeanAbsoluteError);
    same(score(a, &few, &numbers, w), score(a, &many, &more, None));
    same(score(b, &few, &numbers, w), score(b, &many, &more, None));
}

#[test]
fn scores_say_their_names_and_which_way_is_better() {
    type Answers = Given<Vec<u8>>;
    type Numbers = Given<Vec<f64>>;
    let of_classes: [&dyn Score<Vec<()>, Labels<u8>, Answers>; 3] =
        [&Accuracy, &BalancedAccuracy, &F1(Average::Micro)];
    assert_eq!(of_classes.map(Score::name), ["accuracy", "balanced accuracy", "F1"]);
    assert!(of_classes.iter().all(|s| s.greater_is_better()));
    let of_values: [&dyn Score<Vec<()>, Labels<u8>, Valued<u8>>; 3] = [&Auc, &LogLoss, &Brier];
    assert_eq!(of_values.map(Score::name), ["AUC", "log-loss", "Brier score"]);
    assert_eq!(of_values.map(Score::greater_is_better), [true, false, false]);
    let of_numbers: [&dyn Score<Vec<()>, Values<f64>, Numbers>; 3] =
        [&R2, &RootMeanSquaredError, &MeanAbsoluteError];
    let names = ["R2", "root mean squared error", "mean absolute error"];
    assert_eq!(of_numbers.map(Score::name), names);
    assert_eq!(of_numbers.map(Score::greater_is_better), [true, false, false]);
}

#[test]
fn scores_that_are_not_defined_are_typed_errors() {
    let reason = "the targets of all points that were held out are equal";
    let constant = score(&R2, &given(vec![1.0, 2.0]), &[3.0_f64, 3.0], None);
    assert_eq!(constant.unwrap_err(), Error::Score { score: "R2", reason });
    let outputs = Outputs::new(mat![[1.0, 5.0], [2.0, 5.0]]);
    let one_of_two = score(&R2, &given(mat![[1.0, 5.0], [2.0, 5.0]]), outputs, None);
    assert_eq!(one_of_two.unwrap_err(), Error::Score { score: "R2", reason });

    let decisions = valued(&[0, 1], mat![[0.5], [1.0], [-1.0]]);
    let reason = "all points that were held out, or none, are of one class";
    let one_class = score(&Auc, &decisions, &[1, 1, 1], None);
    assert_eq!(one_class.unwrap_err(), Error::Score { score: "AUC", reason });
    let weightless = score(&Auc, &decisions, &[1, 0, 1], Some(&[1.0, 0.0, 1.0]));
    assert_eq!(weightless.unwrap_err(), Error::Score { score: "AUC", reason });
    let pairs = valued(&[0, 1, 2, 3], Mat::zeros(4, 6));
    let reason = "the functions of this model are not one per class";
    let error = score(&Auc, &pairs, &[0, 1, 2, 3], None).unwrap_err();
    assert_eq!(error, Error::Score { score: "AUC", reason });
}

#[test]
fn silhouettes_equal_scikit_learn() {
    let x = Samples::from_rows(&X).unwrap();
    let found = silhouette(&Linear, &x, &clusters::CLUSTERS).unwrap();
    assert!((found - clusters::SILHOUETTE).abs() < 1e-12, "{found}");
    let rbf = Rbf::new(0.5).unwrap();
    let found = silhouette(&rbf, &x, &clusters::CLUSTERS).unwrap();
    assert!((found - clusters::SILHOUETTE_RBF).abs() < 1e-12, "{found}");
    // Names of clusters do not matter, nor the order of the points.
    let names: Vec<usize> = clusters::CLUSTERS.iter().map(|c| 100 - 7 * c).collect();
    let renamed = silhouette(&rbf, &x, &names).unwrap();
    assert!((renamed - found).abs() < 1e-15);
    let order: Vec<usize> = (0..10).rev().collect();
    let (turned, clusters) = (x.select(&order).unwrap(), order.iter().map(|&i| names[i]));
    let turned = silhouette(&rbf, &turned, &clusters.collect::<Vec<_>>()).unwrap();
    assert!((turned - found).abs() < 1e-14);
}

#[test]
fn silhouettes_by_panels_are_those_of_the_definition() {
    let n = 150;
    let rows: Vec<[f64; 2]> =
        (0..n).map(|i| [(i as f64 * 1.3).sin() * 3.0, (i as f64 * 2.9).cos()]).collect();
    let cluster: Vec<usize> = (0..n).map(|i| i * i % 4).collect();
    let distance = |i: usize, j: usize| {
        ((rows[i][0] - rows[j][0]).powi(2) + (rows[i][1] - rows[j][1]).powi(2)).sqrt()
    };
    let mean = |i: usize, of: usize| {
        let others: Vec<usize> = (0..n).filter(|&j| j != i && cluster[j] == of).collect();
        others.iter().map(|&j| distance(i, j)).sum::<f64>() / others.len() as f64
    };
    let used: std::collections::BTreeSet<usize> = cluster.iter().copied().collect();
    let of = |i: usize| {
        let a = mean(i, cluster[i]);
        let others = used.iter().filter(|&&c| c != cluster[i]).map(|&c| mean(i, c));
        let b = others.fold(f64::INFINITY, f64::min);
        (b - a) / a.max(b)
    };
    let expected = (0..n).map(of).sum::<f64>() / n as f64;
    let x = Samples::from_rows(&rows).unwrap();
    let found = silhouette(&Linear, &x, &cluster).unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn silhouettes_of_what_is_no_clustering_are_errors() {
    let x = Samples::from_rows(&X).unwrap();
    let reason = "there is but one cluster";
    let one = silhouette(&Linear, &x, &[4; 10]).unwrap_err();
    assert_eq!(one, Error::Score { score: "silhouette", reason });
    let short = silhouette(&Linear, &x, &[0, 1]).unwrap_err();
    assert_eq!(short, Error::Length { what: "clusters", expected: 10, given: 2 });
    let same = Samples::from_rows(&[[1.0], [1.0], [1.0], [1.0]]).unwrap();
    assert_eq!(silhouette(&Linear, &same, &[0, 0, 1, 1]).unwrap(), 0.0);
}

#[test]
fn the_adjusted_rand_index_equals_scikit_learn() {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found}");
    let index = adjusted_rand_index(&clusters::CLUSTERS, &clusters::OTHERS).unwrap();
    close(index, clusters::RAND);
    close(adjusted_rand_index(&clusters::OTHERS, &clusters::CLUSTERS).unwrap(), index);
    let labels = adjusted_rand_index(&golden::LABELS, &golden::ANSWERS).unwrap();
    close(labels, clusters::RAND_OF_LABELS);
    // As scikit-learn has it: one cluster against two is chance, one against one agreement.
    close(adjusted_rand_index(&[0, 0, 0, 1], &[5; 4]).unwrap(), 0.0);
    close(adjusted_rand_index(&[3; 4], &["a"; 4]).unwrap(), 1.0);
    close(adjusted_rand_index(&[0, 1, 2], &[2, 1, 0]).unwrap(), 1.0);
    close(adjusted_rand_index(&[0], &[1]).unwrap(), 1.0);
    let error = adjusted_rand_index(&[0, 1], &[0, 1, 2]).unwrap_err();
    assert_eq!(error, Error::Length { what: "clusters", expected: 2, given: 3 });
    assert_eq!(adjusted_rand_index::<u8, u8>(&[], &[]).unwrap_err(), Error::Empty);
}

#[test]
fn recall_counts_what_was_found_of_all_queries() {
    let exact = [vec![0, 1, 2], vec![], vec![5]];
    let found = [vec![2, 7, 0], vec![3], vec![4]];
    assert_eq!(recall_at_k(&found, &exact).unwrap(), 0.5);
    assert_eq!(recall_at_k(&exact, &exact).unwrap(), 1.0);
    assert_eq!(recall_at_k(&[vec![]], &[vec![]]).unwrap(), 1.0);
    let error = recall_at_k(&found[..2], &exact).unwrap_err();
    assert_eq!(error, Error::Length { what: "rows of neighbours", expected: 3, given: 2 });
}

/// A point of weight 0 changes no score, whatever its class and its answer.
#[test]
fn points_of_weight_zero_change_no_score() {
    let (truth, found) = (["a", "b", "a", "b", "c"], ["a", "b", "b", "b", "d"]);
    let x = vec![(); 5];
    let weights = [1.0, 1.0, 1.0, 1.0, 0.0];
    let all = Data::new(&x, &truth).unwrap().weights(&weights).unwrap();
    let few = all.select(&[0, 1, 2, 3]).unwrap();
    let (of_all, of_few) = (given(found.to_vec()), given(found[..4].to_vec()));
    let scores = |model: &Given<Vec<&'static str>>,
                  data: &Data<'_, Vec<()>, Labels<&'static str>>| {
        let f1 = |average| F1(average).score(model, data).unwrap();
        [
            Accuracy.score(model, data).unwrap(),
            BalancedAccuracy.score(model, data).unwrap(),
            f1(Average::Macro),
            f1(Average::Weighted),
            f1(Average::Micro),
        ]
    };
    assert_eq!(scores(&of_all, &all), scores(&of_few, &few));
}
