//! Cross-validation of any learner on any points: against a loop by hand, and its errors.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use super::learn::data;
use kern_core::faer::Mat;
use kern_core::kernels::{Linear, Rbf, Spectrum};
use kern_core::{Kernel, Mercer, Points, Samples, SparseSamples};
use kern_gram::{DenseGram, GivenPoints, MemoryBudget, Precomputed};
use kern_solvers::ridge::{Criterion, Ridge, RidgeSolver};
use kern_solvers::space::OnKernel;
use kern_solvers::validation::{
    Accuracy, Auc, BalancedAccuracy, CrossValidation, FoldScore, MeanAbsoluteError, R2, Score,
    Split, cross_predict, cross_validate,
};
use kern_solvers::{Data, Error, Learner, Model, Run, Targets};
use std::fmt::Debug;

const N: usize = 60;

/// Checks cross-validation against a loop by hand, to the bit; returns the scores.
fn cross_validates<P, Y, A, S>(
    learner: &A,
    data: &Data<'_, P, Y>,
    split: &Split,
    score: &S,
) -> Vec<f64>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P, Answer: PartialEq + Debug>>,
    S: Score<P, Y, A::Model>,
{
    let found = cross_validate(learner, data, split, score).unwrap();
    let answers = cross_predict(learner, data, split).unwrap();
    let folds = split.folds(data).unwrap();
    assert_eq!((found.folds().len(), answers.len()), (folds.len(), folds.len()));
    for ((found, (indices, answers)), fold) in found.folds().iter().zip(answers).zip(&folds) {
        let test = data.select(&fold.test).unwrap();
        let model = learner.learn(&data.select(&fold.train).unwrap(), &mut Run::new()).unwrap();
        let FoldScore { score: given, tested, report, .. } = found;
        assert_eq!(given.to_bits(), score.score(&model, &test).unwrap().to_bits());
        assert_eq!((*tested, report), (fold.test.len(), model.report()));
        assert_eq!((indices, answers), (fold.test.clone(), model.predict(test.points()).unwrap()));
    }
    let scores: Vec<f64> = found.folds().iter().map(|fold| fold.score).collect();
    let (k, mean) = (scores.len() as f64, found.mean());
    assert!((mean - scores.iter().sum::<f64>() / k).abs() < 1e-15);
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    let deviation = if k > 1.0 { (squares / (k - 1.0)).sqrt() } else { 0.0 };
    assert!((found.std() - deviation).abs() < 1e-15);
    scores
}

fn rows() -> Vec<[f64; 2]> {
    (0..N).map(|i| [(i as f64 * 1.3).sin(), (i as f64 * 2.9).cos()]).collect()
}

/// Classes that a line divides, but for every tenth point.
fn labels() -> Vec<&'static str> {
    let above = |(i, row): (usize, &[f64; 2])| (row[0] > row[1]) != (i % 10 == 3);
    let name = |is: bool| if is { "above" } else { "below" };
    rows().iter().enumerate().map(|point| name(above(point))).collect()
}

fn numbers() -> Vec<f64> {
    rows().iter().map(|row| (2.0 * row[0]).sin() + row[1]).collect()
}

fn ridge<K>(kernel: K) -> Ridge<OnKernel<K>> {
    Ridge::on_kernel(kernel).lambda(1e-3).intercept(true)
}

fn rbf() -> Rbf {
    Rbf::new(0.7).unwrap()
}

#[test]
fn dense_vectors_sparse_vectors_and_a_given_gram_matrix() {
    let (rows, labels, numbers) = (rows(), labels(), numbers());
    let x = Samples::from_rows(&rows).unwrap();
    let gram = DenseGram::new(&rbf(), &x, &MemoryBudget::mebibytes(1)).unwrap();
    let given = GivenPoints::of_gram(gram);
    let entries: Vec<Vec<(u32, f64)>> =
        rows.iter().map(|row| vec![(0, row[0]), (1, row[1])]).collect();
    let sparse = SparseSamples::from_rows(2, &entries).unwrap();

    let split = Split::stratified(5).shuffle(1);
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 0.5, 2.0][i % 3]).collect();
    for weights in [None, Some(&weights[..])] {
        let of_x = data((&x, &labels), weights);
        let dense = cross_validates(&ridge(rbf()), &of_x, &split, &Accuracy);
        let of_given = data((&given, &labels), weights);
        let scores = cross_validates(&ridge(Precomputed), &of_given, &split, &Accuracy);
        assert_eq!(dense, scores);
        let of_sparse = data((&sparse, &labels), weights);
        let scores = cross_validates(&ridge(rbf()), &of_sparse, &split, &Accuracy);
        assert_eq!(dense, scores);
        assert!(dense.iter().sum::<f64>() > 0.7 * 5.0);
        let areas = cross_validates(&ridge(rbf()), &of_x, &split, &Auc);
        assert_eq!(areas, cross_validates(&ridge(Precomputed), &of_given, &split, &Auc));
    }

    let split = Split::k_fold(4).shuffle(2);
    let of_x = data((&x, &numbers), Some(&weights));
    let dense = cross_validates(&ridge(rbf()), &of_x, &split, &R2);
    let of_given = data((&given, &numbers), Some(&weights));
    let scores = cross_validates(&ridge(Precomputed), &of_given, &split, &R2);
    assert!(dense.iter().zip(&scores).all(|(a, b)| (a - b).abs() < 1e-12), "{dense:?} {scores:?}");
    assert!(dense.iter().all(|score| *score > 0.9), "{dense:?}");
}

#[test]
fn several_outputs_and_single_precision() {
    let (rows, numbers) = (rows(), numbers());
    let y = Mat::from_fn(N, 2, |i, k| numbers[i] as f32 * (k as f32 - 0.5) + rows[i][k] as f32);
    let narrow: Vec<[f32; 2]> = rows.iter().map(|row| row.map(|v| v as f32)).collect();
    let x = Samples::from_rows(&narrow).unwrap();
    let data = Data::new(&x, &y).unwrap();
    let scores = cross_validates(&ridge(rbf()), &data, &Split::k_fold(3), &R2);
    assert!(scores.iter().all(|score| *score > 0.9), "{scores:?}");
    let errors = cross_validates(&ridge(rbf()), &data, &Split::time_series(3), &MeanAbsoluteError);
    assert!(errors.iter().all(|error| *error > 0.0));
}

#[test]
fn strings() {
    let marked = |i: usize| i.is_multiple_of(3);
    let word = |i| format!("{}{:o}", if marked(i) { "abab" } else { "acca" }, i * i * 7);
    let words: Vec<String> = (0..N).map(word).collect();
    let labels: Vec<bool> = (0..N).map(marked).collect();
    let data = Data::new(&words, &labels).unwrap();
    let spectrum = ridge(Spectrum::new(2).unwrap());
    let scores = cross_validates(&spectrum, &data, &Split::stratified(3), &BalancedAccuracy);
    assert_eq!(scores, [1.0; 3]);
}

/// A thing of the user's, with a kernel of the user's.
#[derive(Clone)]
struct Parcel {
    weight: f64,
    labels: u8,
}

#[derive(Clone)]
struct Alike;

impl Kernel<Vec<Parcel>> for Alike {
    fn eval(&self, x: &Parcel, y: &Parcel) -> f64 {
        let shared = f64::from((x.labels & y.labels).count_ones());
        shared + (-(x.weight - y.weight).powi(2)).exp()
    }
}

impl Mercer<Vec<Parcel>> for Alike {}

#[test]
fn things_of_the_user_with_groups() {
    let parcel = |i: usize| Parcel { weight: (i as f64 * 0.7).sin(), labels: (i % 8) as u8 };
    let parcels: Vec<Parcel> = (0..N).map(parcel).collect();
    let price = |p: &Parcel| 2.0 * p.weight + f64::from(p.labels.count_ones());
    let y: Vec<f64> = parcels.iter().map(price).collect();
    let groups: Vec<usize> = (0..N).map(|i| i / 5).collect();
    let data = Data::new(&parcels, &y).unwrap().groups(&groups).unwrap();
    let scores = cross_validates(&ridge(Alike), &data, &Split::groups(4).shuffle(5), &R2);
    assert!(scores.iter().all(|score| *score > 0.95), "{scores:?}");
}

/// Weights go with their points: the loop takes the parts of all three by hand.
#[test]
fn weights_are_cut_as_points_are() {
    let (x, y) = (Samples::from_rows(&rows()).unwrap(), numbers());
    let weights: Vec<f64> = (0..N).map(|i| [0.5, 1.0, 3.0, 0.25][i % 4]).collect();
    let data = data((&x, &y), Some(&weights));
    let split = Split::k_fold(5);
    let scores = cross_validate(&ridge(rbf()), &data, &split, &MeanAbsoluteError).unwrap();
    let pick = |from: &[f64], indices: &[usize]| -> Vec<f64> {
        indices.iter().map(|&i| from[i]).collect()
    };
    for (k, found) in scores.folds().iter().enumerate() {
        let test: Vec<usize> = (12 * k..12 * (k + 1)).collect();
        let train: Vec<usize> = (0..N).filter(|i| !test.contains(i)).collect();
        let (points, weights_of) = (x.select(&train).unwrap(), pick(&weights, &train));
        let part = Data::new(&points, &pick(&y, &train)).unwrap().weights(&weights_of).unwrap();
        let model = ridge(rbf()).learn(&part, &mut Run::new()).unwrap();
        let predicted = model.predict(&x.select(&test).unwrap()).unwrap();
        let terms = test.iter().zip(&predicted).map(|(&i, f)| weights[i] * (y[i] - f).abs());
        let total: f64 = pick(&weights, &test).iter().sum();
        assert!((found.score - terms.sum::<f64>() / total).abs() < 1e-15);
    }
}

/// Exact leave-one-out of the factor is the loop over refits, with λ for all n points.
#[test]
fn leaving_one_out_is_that_of_the_factor() {
    let (x, y) = (Samples::from_rows(&rows()).unwrap(), numbers());
    let data = Data::new(&x, &y).unwrap();
    let n = N as f64;
    // nλ is what matters: refits have n − 1 points.
    let (all, less) = (ridge(rbf()), ridge(rbf()).lambda(1e-3 * n / (n - 1.0)));
    let folds = cross_predict(&less, &data, &Split::leave_one_out()).unwrap();
    let factor = all.factor(&data, &Run::new()).unwrap();
    let residuals = factor.leave_one_out(kern_core::faer::ColRef::from_slice(&y).as_mat()).unwrap();
    for (i, (indices, answers)) in folds.into_iter().enumerate() {
        assert_eq!(indices, [i]);
        assert!((y[i] - answers[0] - residuals[(i, 0)]).abs() < 1e-9);
    }
    let spectrum = all.decompose(&data, &Run::new()).unwrap();
    let y = kern_core::faer::ColRef::from_slice(&y).as_mat();
    let score = spectrum.score(1e-3, y, Criterion::LeaveOneOut).unwrap();
    assert!((score - residuals.squared_norm_l2() / n).abs() < 1e-9 * score);
}

#[test]
fn errors_of_split_learner_and_score_come_through() {
    let (x, y, labels) = (Samples::from_rows(&rows()).unwrap(), numbers(), labels());
    let data = Data::new(&x, &y).unwrap();
    let error = cross_validate(&ridge(rbf()), &data, &Split::stratified(3), &R2).unwrap_err();
    assert!(matches!(error, Error::Split { rule: "stratified", .. }), "{error}");
    let bad = ridge(rbf()).lambda(-1.0);
    assert!(matches!(cross_validate(&bad, &data, &Split::k_fold(3), &R2), Err(Error::Core(_))));
    assert!(matches!(cross_predict(&bad, &data, &Split::k_fold(3)), Err(Error::Core(_))));
    let single = cross_validate(&ridge(rbf()), &data, &Split::leave_one_out(), &R2).unwrap_err();
    assert!(matches!(single, Error::Score { score: "R2", .. }), "{single}");
    // The first half is of one class: nothing to learn in the first fold.
    let sorted: Vec<bool> = (0..N).map(|i| i >= N / 2).collect();
    let data = Data::new(&x, &sorted).unwrap();
    let error = cross_validate(&ridge(Linear), &data, &Split::time_series(2), &Accuracy);
    assert_eq!(error.unwrap_err(), Error::OneClass { points: 20 });
    // A third of the points weighs nothing: the others are divided as if they were alone.
    let weights: Vec<f64> = (0..N).map(|i| if i < 20 { 0.0 } else { 1.0 }).collect();
    let data = Data::new(&x, &labels).unwrap().weights(&weights).unwrap();
    let scores = cross_validate(&ridge(rbf()), &data, &Split::k_fold(3), &Accuracy).unwrap();
    let few = data.select(&(20..N).collect::<Vec<_>>()).unwrap();
    let alone = cross_validate(&ridge(rbf()), &few, &Split::k_fold(3), &Accuracy).unwrap();
    let of = |scores: &CrossValidation| scores.folds().iter().map(|f| f.score).collect::<Vec<_>>();
    assert_eq!(of(&scores), of(&alone));
}

#[test]
fn the_same_scores_for_any_number_of_threads() {
    let (x, labels) = (Samples::from_rows(&rows()).unwrap(), labels());
    let data = Data::new(&x, &labels).unwrap();
    let learner = ridge(rbf()).solver(RidgeSolver::ConjugateGradients);
    let run = || cross_validate(&learner, &data, &Split::stratified(4).shuffle(3), &Auc).unwrap();
    let one = kern_gram::sequentially(run);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(run) == one, "{threads} threads");
    }
}
