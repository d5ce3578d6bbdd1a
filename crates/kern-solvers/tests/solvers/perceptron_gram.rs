//! Perceptrons on given Gram matrices: the same as on the kernel.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::classes::overlapping;
use super::perceptron::all;
use faer::{Mat, mat};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_gram::{
    CrossGram, DenseGram, GramOperator, LazyGram, MemoryBudget, PackedGram, PrecomputedCross,
    PrecomputedGram,
};
use kern_solvers::Error;
use kern_solvers::perceptron::{Budget, Order, Perceptron};

const MEMORY: MemoryBudget = MemoryBudget::mebibytes(16);

/// Bias, mean and budget.
type Case = (bool, bool, Budget);

fn cases() -> [Case; 8] {
    let vectors = 15;
    [
        (false, false, Budget::None),
        (true, false, Budget::None),
        (true, true, Budget::None),
        (false, false, Budget::Random { vectors }),
        (true, false, Budget::Oldest { vectors }),
        (false, false, Budget::Projection { vectors, distance: 0.2 }),
        (true, true, Budget::Projection { vectors, distance: 0.2 }),
        (false, true, Budget::ProjectionPlus { vectors, distance: 0.2 }),
    ]
}

fn set<K>(perceptron: Perceptron<K>, (bias, averaged, budget): Case) -> Perceptron<K> {
    let perceptron = perceptron.bias(bias).averaged(averaged).budget(budget).max_passes(4);
    perceptron.order(Order::Shuffled).seed(3)
}

#[test]
fn a_given_matrix_gives_what_its_kernel_gives() {
    for classes in [2, 4] {
        let (points, labels) = overlapping(160, classes, 6.0);
        let (x, y) = (points.select(&Vec::from_iter(0..130)).unwrap(), &labels[..130]);
        let queries = points.select(&Vec::from_iter(130..160)).unwrap();
        let k = Rbf::new(0.7).unwrap();
        let dense = DenseGram::new(&k, &x, &MEMORY).unwrap();
        let given = PrecomputedGram::new(dense.as_mat().to_owned()).unwrap();
        let lazy = LazyGram::new(&k, &x).unwrap();
        let packed = PackedGram::new(&k, &x, &MEMORY).unwrap();
        let grams: [&dyn GramOperator<f64>; 4] = [&dense, &given, &lazy, &packed];
        let cross = CrossGram::new(&k, &queries, &x).unwrap();
        let values = cross.to_dense(&MEMORY).unwrap();
        let stored = PrecomputedCross::new(values.as_ref().to_owned()).unwrap();
        for case in cases() {
            let model = set(Perceptron::new(k), case).fit(&x, y).unwrap();
            let expected = model.decision_values(&queries).unwrap();
            for (number, gram) in grams.into_iter().enumerate() {
                let what = format!("{case:?}, matrix {number}, {classes} classes");
                let from = set(Perceptron::precomputed(), case).fit_gram(gram, y).unwrap();
                let rows = all(&model, 130);
                let exact = Mat::from_fn(130, rows[0].len(), |i, c| rows[i][c]);
                assert_eq!(from.coefficients(), exact, "{what}");
                assert_eq!(from.intercepts(), model.decision().intercepts(), "{what}");
                assert_eq!((from.support(), from.report()), (model.support(), model.report()));
                assert_eq!(from.classes(), model.classes());
                let found = from.decision_values(&cross).unwrap();
                assert!((&found - &expected).norm_max() < 1e-12 * expected.norm_max(), "{what}");
                let predicted = model.predict(&queries).unwrap();
                assert_eq!(from.predict(&cross).unwrap(), predicted, "{what}");
                assert_eq!(from.predict(&stored).unwrap(), predicted, "{what}");
            }
        }
    }
}

/// One against the rest is a fit per class on the same matrix; the greatest function wins.
#[test]
fn classes_against_the_rest_share_a_matrix() {
    let (x, y) = overlapping(120, 3, 6.0);
    let gram = DenseGram::new(&Rbf::new(0.7).unwrap(), &x, &MEMORY).unwrap();
    for class in 0..3 {
        let own: Vec<bool> = y.iter().map(|&y| y == class).collect();
        let from = Perceptron::precomputed().max_passes(3).fit_gram(&gram, &own).unwrap();
        let direct = Perceptron::new(Rbf::new(0.7).unwrap()).max_passes(3).fit(&x, &own).unwrap();
        assert_eq!(from.report(), direct.report());
        assert_eq!(from.coefficients().ncols(), 1);
    }
}

#[test]
fn single_precision_and_matrices_that_are_indefinite_are_learned_from() {
    let gram = PrecomputedGram::new(mat![[1.0_f32, 2.0], [2.0, 1.0]]).unwrap();
    let model = Perceptron::precomputed().max_passes(50).fit_gram(&gram, &[-1, 1]).unwrap();
    // α = (−1, 1) has f = (1, −1), of which both are mistakes, for ever.
    assert_eq!(model.report().mistakes_per_pass.len(), 50);
    let square = Budget::Projection { vectors: 2, distance: 0.0 };
    let model = Perceptron::precomputed().budget(square).fit_gram(&gram, &[-1, 1]).unwrap();
    assert_eq!(model.support(), [0], "the other is at no real distance");
}

#[test]
fn what_does_not_fit_is_refused() {
    let gram = PrecomputedGram::new(mat![[1.0, 0.5], [0.5, 1.0]]).unwrap();
    let new = Perceptron::precomputed;
    assert_eq!(new().fit_gram(&gram, &[7, 7]).unwrap_err(), Error::OneClass { points: 2 });
    let length = Error::Length { what: "labels", expected: 2, given: 3 };
    assert_eq!(new().fit_gram(&gram, &[1, 2, 3]).unwrap_err(), length);
    let count = Error::Count { name: "max_passes", given: 0, allowed: "at least 1" };
    assert_eq!(new().max_passes(0).fit_gram(&gram, &[1, 2]).unwrap_err(), count);
    let mean = new().averaged(true).budget(Budget::Oldest { vectors: 1 });
    assert_eq!(mean.fit_gram(&gram, &[1, 2]).unwrap_err(), Error::AveragedRemoval);
    let three = PrecomputedGram::new(Mat::<f64>::identity(3, 3)).unwrap();
    let short = new().memory(MemoryBudget::bytes(50)).fit_gram(&three, &[1, 2, 3]).unwrap_err();
    assert!(matches!(short, Error::Gram(kern_gram::Error::Budget { .. })), "{short}");
    let model = new().fit_gram(&gram, &[1, 2]).unwrap();
    let wide = PrecomputedCross::new(mat![[1.0, 0.5, 0.0]]).unwrap();
    assert!(matches!(model.predict(&wide), Err(Error::Gram(_))));
    assert!(matches!(model.decision_values(&wide), Err(Error::Gram(_))));
}
