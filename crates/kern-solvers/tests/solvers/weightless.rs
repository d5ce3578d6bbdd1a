//! A point of weight 0 changes nothing of what is chosen from data: landmarks, steps, seeds.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![allow(clippy::float_cmp, reason = "equal bits are asked for")]

use kern_approx::Nystrom;
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::components::KernelPca;
use kern_solvers::gaussian_process::{Fixed, GaussianProcess};
use kern_solvers::kmeans::KMeans;
use kern_solvers::logistic::Logistic;
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::{EarlyStopping, Sgd};
use kern_solvers::spectral_clustering::SpectralClustering;
use kern_solvers::svm::Svc;
use kern_solvers::{Data, DecisionValues, Labels, Learner, Run, Transformer, Values};

const N: usize = 120;

fn x() -> Samples<f64> {
    let value = |k: usize| ((k * 7919 + 13) % 10_007) as f64 / 2000.0;
    Samples::from_row_major(2, (0..2 * N).map(value).collect()).unwrap()
}

fn y(x: &Samples<f64>) -> Vec<f64> {
    (0..x.len()).map(|i| x.item(i)[0].sin() + 0.3 * x.item(i)[1]).collect()
}

/// The points with others of weight 0 among them, at these distances from the origin.
fn with_outliers(x: &Samples<f64>) -> (Samples<f64>, Vec<f64>, Vec<usize>) {
    let (mut rows, mut weights, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..x.len() {
        if i % 10 == 3 {
            rows.extend([1e4 + i as f64, -1e3]);
            weights.push(0.0);
        }
        places.push(weights.len());
        rows.extend_from_slice(x.item(i));
        weights.push(1.0);
    }
    (Samples::from_row_major(2, rows).unwrap(), weights, places)
}

fn nystrom() -> Nystrom<Rbf> {
    Nystrom::new(Rbf::new(0.5).unwrap()).landmarks(15).seed(3)
}

/// The greatest difference between what is learned with points of weight 0, which have these targets, and without. The penalty nλ
/// counts points; `answer` is told the share of points that weigh something.
fn difference<Y>(
    (targets, others): (Vec<Y>, Y),
    answer: impl Fn(&Samples<f64>, Vec<Y>, &[f64], f64) -> Mat<f64>,
) -> f64
where
    Y: Clone,
{
    let x = x();
    let (all, weights, places) = with_outliers(&x);
    let mut more = vec![others; weights.len()];
    places.iter().zip(&targets).for_each(|(&place, y)| more[place] = y.clone());
    let share = x.len() as f64 / all.len() as f64;
    let (one, other) = (answer(&x, targets, &[1.0; N], 1.0), answer(&all, more, &weights, share));
    (&one - &other).norm_max()
}

fn values(
    learner: &impl Learner<Samples<f64>, Values<f64>, Model: DecisionValues<Samples<f64>>>,
) -> f64 {
    difference((y(&x()), 1e6), |x, y, weights, _| {
        let data = Data::new(x, y.as_slice()).unwrap().weights(weights).unwrap();
        let model = learner.learn(&data, &mut Run::new()).unwrap();
        model.decision_values(&self::x()).unwrap()
    })
}

fn classes(
    learner: &impl Learner<Samples<f64>, Labels<bool>, Model: DecisionValues<Samples<f64>>>,
) -> f64 {
    let labels: Vec<bool> = y(&x()).iter().map(|&y| y > 0.7).collect();
    difference((labels, true), |x, y, weights, _| {
        let data = Data::new(x, y.as_slice()).unwrap().weights(weights).unwrap();
        let model = learner.learn(&data, &mut Run::new()).unwrap();
        model.decision_values(&self::x()).unwrap()
    })
}

#[test]
fn steps_are_made_on_points_that_weigh_something() {
    let rbf = || Rbf::new(0.5).unwrap();
    assert_eq!(values(&Sgd::on_kernel(rbf()).epochs(3)), 0.0);
    assert_eq!(values(&Sgd::on_landmarks(nystrom()).epochs(3)), 0.0);
    let held_out = EarlyStopping { fraction: 0.2, ..EarlyStopping::default() };
    assert_eq!(classes(&Sgd::on_kernel(rbf()).epochs(3).early_stopping(held_out)), 0.0);
}

#[test]
fn landmarks_weigh_something() {
    assert!(classes(&Svc::on_landmarks(nystrom()).c(2.0).violation(1e-9)) < 1e-6);
    let ridge = difference((y(&x()), 1e6), |x, y, weights, share| {
        let data = Data::new(x, y.as_slice()).unwrap().weights(weights).unwrap();
        let ridge =
            Ridge::on_landmarks(nystrom()).tolerance(1e-14).lambda(1e-3 * share).intercept(true);
        ridge.learn(&data, &mut Run::new()).unwrap().decision_values(&self::x()).unwrap()
    });
    assert!(ridge < 1e-5, "{ridge}");
    let labels: Vec<bool> = y(&x()).iter().map(|&y| y > 0.7).collect();
    let logistic = difference((labels, true), |x, y, weights, share| {
        let data = Data::new(x, y.as_slice()).unwrap().weights(weights).unwrap();
        let logistic = Logistic::on_landmarks(nystrom()).tolerance(1e-12).lambda(1e-3 * share);
        logistic.learn(&data, &mut Run::new()).unwrap().decision_values(&self::x()).unwrap()
    });
    assert!(logistic < 1e-5, "{logistic}");
    let process = difference((y(&x()), 1e6), |x, y, weights, _| {
        let data = Data::new(x, y.as_slice()).unwrap().weights(weights).unwrap();
        let process = GaussianProcess::on_landmarks(nystrom()).noise(0.01).fixed(Fixed::All);
        let model = process.learn(&data, &mut Run::new()).unwrap();
        let means = model.predict(&self::x()).unwrap();
        Mat::from_fn(N, 1, |i, _| means[i])
    });
    assert!(process < 1e-6, "{process}");
}

#[test]
fn components_and_clusters_are_those_of_points_that_weigh_something() {
    let learned = |answer: &dyn Fn(&Data<'_, Samples<f64>>) -> Mat<f64>| {
        difference((vec![(); N], ()), |x, _, weights, _| {
            answer(&Data::unlabelled(x).unwrap().weights(weights).unwrap())
        })
    };
    let components = learned(&|data| {
        let model = KernelPca::on_landmarks(nystrom(), 3).learn(data, &mut Run::new()).unwrap();
        let found = model.transform(&x()).unwrap();
        Mat::from_fn(N, 3, |i, p| found.item(i)[p].abs())
    });
    assert!(components < 1e-6, "{components}");
    let clusters = learned(&|data| {
        let model =
            KMeans::on_landmarks(nystrom(), 3).seed(5).learn(data, &mut Run::new()).unwrap();
        let found = model.predict(&x()).unwrap();
        Mat::from_fn(N, 1, |i, _| found[i] as f64)
    });
    assert_eq!(clusters, 0.0);
    let spectral = learned(&|data| {
        let learner = SpectralClustering::on_landmarks(nystrom(), 3).seed(5);
        let found = learner.learn(data, &mut Run::new()).unwrap().predict(&x()).unwrap();
        Mat::from_fn(N, 1, |i, _| found[i] as f64)
    });
    assert_eq!(spectral, 0.0);
}
