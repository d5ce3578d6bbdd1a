//! Principal components: against scikit-learn, by their definition in every space, with weights, on real data.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use crate::iris::X as IRIS;
use crate::regression::rows_of;
use kern_approx::Nystrom;
use kern_core::closure::AssumeMercer;
use kern_core::kernels::{Linear, Rbf, Sigmoid};
use kern_core::{Error as CoreError, Identity, Kernel, Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::components::{Components, KernelPca};
use kern_solvers::model::KernelExpansion;
use kern_solvers::pipeline::Pipeline;
use kern_solvers::ridge::Ridge;
use kern_solvers::{Data, Error, Learner, Model, Run, Status, Transformer};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;

/// ```python
/// X = load_iris().data[1::5][:, :3]  # scikit-learn 1.9.1, numpy 2.4.6
/// m = KernelPCA(3, kernel="rbf", gamma=0.5, eigen_solver="dense").fit(X)
/// m.eigenvalues_; m.transform(Q)
/// ```
const EIGENVALUES: [f64; 3] = [9.50162907709157, 3.045844719886657, 1.5498373913586105];
const QUERIES: [[f64; 3]; 2] = [[5.0, 3.0, 2.0], [6.0, 2.8, 4.8]];
const TRANSFORMED: [[f64; 3]; 2] = [
    [0.6875542527544456, 0.053421455401177605, 0.06617017419498084],
    [-0.5271262023066484, 0.0681353879873627, -0.05697342835752021],
];

#[test]
fn components_are_those_of_scikit_learn() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let model = KernelPca::on_kernel(Rbf::new(0.5).unwrap(), 3).fit(&x).unwrap();
    for (found, expected) in model.eigenvalues().iter().zip(EIGENVALUES) {
        assert!((found - expected).abs() < 1e-10, "{:?}", model.eigenvalues());
    }
    let z = model.transform(&Samples::from_rows(&QUERIES).unwrap()).unwrap();
    for (i, expected) in TRANSFORMED.iter().enumerate() {
        let close = z.item(i).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close, "{:?} {expected:?}", z.item(i));
    }
}

/// ‖φ̃‖² of the points of the fit adds up to all eigenvalues, and components of them are orthogonal with the norms λ.
fn check<K: Kernel<Samples<f64>>>(
    model: &Components<KernelExpansion<Samples<f64>, K>>,
    x: &Samples<f64>,
    weights: &[f64],
    accuracy: f64,
) {
    let (z, count) = (model.transform(x).unwrap(), model.count());
    let largest = model.eigenvalues()[0];
    for p in 0..count {
        let mean: f64 = (0..x.len()).map(|i| weights[i] * z.item(i)[p]).sum();
        assert!(mean.abs() < accuracy * largest, "{mean}");
        for q in 0..=p {
            let product: f64 = (0..x.len()).map(|i| weights[i] * z.item(i)[p] * z.item(i)[q]).sum();
            let expected = if p == q { model.eigenvalues()[p] } else { 0.0 };
            assert!(
                (product - expected).abs() < accuracy * largest,
                "{p} {q} {product} {expected}"
            );
        }
    }
    let errors = model.reconstruction_errors(x).unwrap();
    let left: f64 = errors.iter().zip(weights).map(|(e, w)| e * w).sum();
    assert!(
        (left - model.report().objective).abs() < accuracy * largest,
        "{left} {:?}",
        model.report()
    );
    assert!(model.residuals().iter().all(|r| *r < accuracy * largest), "{:?}", model.residuals());
}

/// In every space, with weights or without, by all eigenvectors and by a Krylov space.
#[test]
fn components_of_the_points_of_a_fit_are_those_of_the_map() {
    let iris = Samples::from_rows(&IRIS).unwrap();
    let row = |i: usize| [0.7, 1.3, 2.1].map(|f| (f * (i * i % 911) as f64).sin());
    let many = Samples::from_rows(&(0..900).map(row).collect::<Vec<_>>()).unwrap();
    let rbf = Rbf::new(0.5).unwrap();
    for x in [&iris, &many] {
        let on_kernel = KernelPca::on_kernel(rbf, 3);
        let on_landmarks = KernelPca::on_landmarks(Nystrom::new(rbf).landmarks(x.len()), 3);
        let weights: Vec<f64> = (0..x.len()).map(|i| 0.5 + (i % 3) as f64).collect();
        let weighted = Data::unlabelled(x).unwrap().weights(&weights).unwrap();
        for (model, z) in [
            on_kernel.fit_transform(x).unwrap(),
            on_kernel.learn_transform(&weighted, &mut Run::new()).unwrap(),
            on_landmarks.fit_transform(x).unwrap(),
        ] {
            let again = model.transform(x).unwrap();
            for i in 0..x.len() {
                let close = z.item(i).iter().zip(again.item(i)).all(|(a, b)| (a - b).abs() < 1e-8);
                assert!(close, "{i}: {:?} {:?}", z.item(i), again.item(i));
            }
        }
    }
}

#[test]
fn definitions_hold_on_real_data_with_weights() {
    for set in ["diabetes", "concrete"] {
        let Some((x, y)) = rows_of(set) else { continue };
        let ones = vec![1.0; x.len()];
        let weights: Vec<f64> = (0..x.len()).map(|i| [1.0, 0.5, 2.0, 0.0][i % 4]).collect();
        let kernel = Rbf::new(0.1).unwrap();
        let data = Data::new(&x, &y).unwrap();
        let weighted = Data::new(&x, &y).unwrap().weights(&weights).unwrap();
        let machine = KernelPca::on_kernel(kernel, 7);
        check(&machine.learn(&data, &mut Run::new()).unwrap(), &x, &ones, 1e-9);
        check(&machine.learn(&weighted, &mut Run::new()).unwrap(), &x, &weights, 1e-9);
        let landmarks = KernelPca::on_landmarks(Nystrom::new(kernel).landmarks(x.len()), 7);
        let (a, b) = (machine.fit(&x).unwrap(), landmarks.fit(&x).unwrap());
        for (a, b) in a.eigenvalues().iter().zip(b.eigenvalues()) {
            assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
        }
    }
}

/// More points than all eigenvectors are found of.
#[test]
fn a_krylov_space_finds_what_all_eigenvectors_do() {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 3]> =
        (0..900).map(|i| [wave(i, 1.3), wave(i, 2.9), wave(i, 0.7)]).collect();
    let x = Samples::from_rows(&rows).unwrap();
    let kernel = Rbf::new(0.8).unwrap();
    let machine = KernelPca::on_kernel(kernel, 6);
    let stored = machine.fit(&x).unwrap();
    assert_eq!(stored.report().status, Status::Converged);
    check(&stored, &x, &vec![1.0; 900], 1e-8);
    let all = KernelPca::on_landmarks(Nystrom::new(kernel).landmarks(900), 6).fit(&x).unwrap();
    for (a, b) in stored.eigenvalues().iter().zip(all.eigenvalues()) {
        assert!((a - b).abs() < 1e-7 * stored.eigenvalues()[0], "{a} {b}");
    }
    // Memory for the basis, and not for the matrix.
    let data = Data::unlabelled(&x).unwrap();
    let mut small = Run::new().memory(MemoryBudget::bytes(2_500_000));
    let lazy = machine.learn(&data, &mut small).unwrap();
    assert!((lazy.eigenvalues()[5] - stored.eigenvalues()[5]).abs() < 1e-9);
    // Slow decay and restarts: a narrow kernel, all but the diagonal.
    let narrow = KernelPca::on_kernel(Rbf::new(30.0).unwrap(), 12).fit(&x).unwrap();
    check(&narrow, &x, &vec![1.0; 900], 1e-7);
}

/// Normal numbers.
fn drawn(seed: u64, (n, dim): (usize, usize)) -> Samples<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let numbers = (0..n * dim).map(|_| StandardNormal.sample(&mut rng)).collect();
    Samples::from_row_major(dim, numbers).unwrap()
}

/// Points of twelve places: an eigenvalue occurs eleven times, more often than a block of vectors has columns.
#[test]
fn an_eigenvalue_may_occur_more_often_than_a_block_has_columns() {
    let row =
        |i: usize| -> [f64; 12] { std::array::from_fn(|k| if k == i % 12 { 10.0 } else { 0.0 }) };
    let x = Samples::from_rows(&(0..900).map(row).collect::<Vec<_>>()).unwrap();
    for count in [10, 12] {
        let model = KernelPca::on_kernel(Rbf::new(1.0).unwrap(), count).fit(&x).unwrap();
        assert_eq!((model.count(), model.report().status), (count.min(11), Status::Converged));
        assert!(model.eigenvalues().iter().all(|value| (value - 75.0).abs() < 1e-9));
        check(&model, &x, &vec![1.0; 900], 1e-9);
    }
}

/// The identity, but for pairs of points that hardly know of each other, and then but for rounding: centred, it has the eigenvalue 1 all but once.
#[test]
fn a_matrix_close_to_the_identity_keeps_its_eigenvalues() {
    let x = drawn(7, (1000, 16));
    for gamma in [2.0, 3.0, 5.0, 8.0, 13.0] {
        let kernel = Rbf::new(gamma).unwrap();
        let found = KernelPca::on_kernel(kernel, 10).fit(&x).unwrap();
        assert_eq!((found.count(), found.report().status), (10, Status::Converged), "{gamma}");
        check(&found, &x, &vec![1.0; 1000], 1e-9);
        let all =
            KernelPca::on_landmarks(Nystrom::new(kernel).landmarks(1000), 10).fit(&x).unwrap();
        for (a, b) in found.eigenvalues().iter().zip(all.eigenvalues()) {
            assert!((a - b).abs() < 1e-8, "{gamma} {a} {b}");
        }
    }
}

#[test]
fn linear_components_are_those_of_coordinates() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let kernel = KernelPca::on_kernel(Linear, 2).fit(&x).unwrap();
    let features = KernelPca::on_features(Identity::new(3), 2).fit(&x).unwrap();
    for (a, b) in kernel.eigenvalues().iter().zip(features.eigenvalues()) {
        assert!((a - b).abs() < 1e-10 * a);
    }
    let (a, b) = (kernel.transform(&x).unwrap(), features.transform(&x).unwrap());
    for p in 0..2 {
        // Signs are those of other vectors.
        let sign = (a.item(0)[p] * b.item(0)[p]).signum();
        assert!((0..30).all(|i| (a.item(i)[p] - sign * b.item(i)[p]).abs() < 1e-9));
    }
    let (a, b) =
        (kernel.reconstruction_errors(&x).unwrap(), features.reconstruction_errors(&x).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9));
    // More points than all eigenvectors are found of: the space is exhausted within two blocks.
    let many = drawn(3, (700, 40));
    let kernel = KernelPca::on_kernel(Linear, 20).fit(&many).unwrap();
    let features = KernelPca::on_features(Identity::new(40), 20).fit(&many).unwrap();
    for (a, b) in kernel.eigenvalues().iter().zip(features.eigenvalues()) {
        assert!((a - b).abs() < 1e-11 * a, "{a} {b}");
    }
    // There are no more than three.
    let more = KernelPca::on_kernel(Linear, 5).fit(&x).unwrap();
    assert_eq!(more.count(), 3);
}

#[test]
fn components_are_a_step_of_a_pipeline_and_survive_their_file() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let labels: Vec<usize> = (0..30).map(|i| i / 10).collect();
    let pca = KernelPca::on_kernel(Rbf::new(0.5).unwrap(), 4);
    let model = Pipeline::new(pca.clone(), Ridge::on_kernel(Linear).lambda(1e-3)).fit(&x, &labels);
    let predicted = model.unwrap().predict(&x).unwrap();
    let hits = predicted.iter().zip(&labels).filter(|(a, b)| a == b).count();
    assert!(hits >= 26, "{hits}");

    let components = pca.fit(&x).unwrap();
    let text = serde_json::to_string(&components).unwrap();
    let read: Components<KernelExpansion<Samples<f64>, Rbf>> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, components);
    let damaged = text.replacen("\"eigenvalues\":[", "\"eigenvalues\":[1.0,", 1);
    assert!(
        serde_json::from_str::<Components<KernelExpansion<Samples<f64>, Rbf>>>(&damaged).is_err()
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let x = Samples::from_rows(&IRIS).unwrap();
    let machine = |count| KernelPca::on_kernel(Rbf::new(0.5).unwrap(), count);
    assert!(matches!(machine(31).fit(&x), Err(Error::Count { .. })));
    assert!(matches!(machine(0).fit(&x), Err(Error::Count { .. })));
    let same = Samples::from_rows(&[[1.0], [1.0]]).unwrap();
    assert!(matches!(machine(1).fit(&same), Err(Error::Unsupported { .. })));
    let features = KernelPca::on_features(Identity::new(3), 4);
    assert!(matches!(features.fit(&x), Err(Error::Count { .. })));
    let data = Data::unlabelled(&x).unwrap();
    let mut small = Run::new().memory(MemoryBudget::bytes(1000));
    assert!(matches!(machine(2).learn(&data, &mut small), Err(Error::Gram(_))));
    let rows: Vec<[f64; 1]> = (0..700).map(|i| [f64::from(i)]).collect();
    let many = Samples::from_rows(&rows).unwrap();
    let mut stop = |_: &kern_solvers::Progress| ControlFlow::Break(());
    let mut run = Run::new().observer(&mut stop);
    let stopped = machine(3).learn(&Data::unlabelled(&many).unwrap(), &mut run).unwrap();
    assert_eq!(stopped.report().status, Status::Stopped);
    assert!(stopped.predict(&many).unwrap().ncols() == stopped.count());
}

/// tanh(x·y − 1) has negative eigenvalues, of which a Krylov space sees some.
#[test]
fn a_matrix_with_negative_eigenvalues_is_refused() {
    let kernel = || AssumeMercer(Sigmoid::new(1.0, -1.0).unwrap());
    for n in [40, 900] {
        let wave = |i: usize, rate: f64| 2.0 * (rate * i as f64).sin();
        let rows: Vec<[f64; 2]> = (0..n).map(|i| [wave(i, 1.3), wave(i, 2.9)]).collect();
        let x = Samples::from_rows(&rows).unwrap();
        let error = KernelPca::on_kernel(kernel(), 2).fit(&x).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::Indefinite { .. })), "{n}: {error}");
    }
}
