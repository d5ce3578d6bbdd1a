//! Perceptrons on given Gram matrices: the same as on the kernel.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::float_cmp, reason = "exact results are compared exactly")]

use super::classes::{overlapping, within};
use super::perceptron::{all, details};
use faer::{Mat, mat};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_gram::{
    CrossGram, DenseGram, GivenPoints, MemoryBudget, PackedGram, Precomputed, PrecomputedGram,
};
use kern_solvers::Error;
use kern_solvers::perceptron::{Budget, Order, Perceptron};
use kern_solvers::space::OnKernel;

const MEMORY: MemoryBudget = MemoryBudget::mebibytes(16);

/// Intercept, mean and budget.
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

fn on<K>(kernel: K, (intercept, averaged, budget): Case) -> Perceptron<OnKernel<K>> {
    let perceptron = Perceptron::on_kernel(kernel).intercept(intercept).averaged(averaged);
    perceptron.budget(budget).max_iterations(4).order(Order::Shuffled).seed(3)
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
        let packed = PackedGram::new(&k, &x, &MEMORY).unwrap();
        let grams = [GivenPoints::of_gram(given), GivenPoints::of_gram(packed)];
        let cross = CrossGram::new(&k, &queries, &x).unwrap().to_dense(&MEMORY).unwrap();
        let cross = GivenPoints::of_cross(cross.as_ref().to_owned()).unwrap();
        for case in cases() {
            let model = on(k, case).fit(&x, y).unwrap();
            let expected = model.decision_values(&queries).unwrap();
            for (number, gram) in grams.iter().enumerate() {
                let what = format!("{case:?}, matrix {number}, {classes} classes");
                let from = on(Precomputed, case).fit(gram, y).unwrap();
                assert_eq!(all(&from, 130), all(&model, 130), "{what}");
                assert_eq!(from.decision().intercepts(), model.decision().intercepts(), "{what}");
                assert_eq!((from.report(), from.classes()), (model.report(), model.classes()));
                let found = from.decision_values(&cross).unwrap();
                assert!((&found - &expected).norm_max() < 1e-12 * expected.norm_max(), "{what}");
                assert_eq!(from.predict(&cross).unwrap(), model.predict(&queries).unwrap());
            }
        }
    }
}

/// One against the rest is a fit per class on the same matrix; the greatest function wins.
#[test]
fn classes_against_the_rest_share_a_matrix() {
    let (x, y) = overlapping(120, 3, 6.0);
    let gram = DenseGram::new(&Rbf::new(0.7).unwrap(), &x, &MEMORY).unwrap();
    let gram = GivenPoints::of_gram(PrecomputedGram::new(gram.as_mat().to_owned()).unwrap());
    for class in 0..3 {
        let own: Vec<bool> = y.iter().map(|&y| y == class).collect();
        let from = Perceptron::on_kernel(Precomputed).max_iterations(3).fit(&gram, &own).unwrap();
        let direct = Perceptron::on_kernel(Rbf::new(0.7).unwrap()).max_iterations(3);
        let direct = direct.fit(&x, &own).unwrap();
        assert_eq!(from.report(), direct.report());
        assert_eq!(from.decision().coefficients().ncols(), 1);
    }
}

#[test]
fn single_precision_and_matrices_that_are_indefinite_are_learned_from() {
    let gram = PrecomputedGram::new(mat![[1.0_f32, 2.0], [2.0, 1.0]]).unwrap();
    let gram = GivenPoints::of_gram(gram);
    let model = Perceptron::on_kernel(Precomputed).max_iterations(50).fit(&gram, &[-1, 1]).unwrap();
    // α = (−1, 1) has f = (1, −1), of which both are mistakes, for ever.
    assert_eq!(details(model.report()).mistakes_per_pass.len(), 50);
    let square = Budget::Projection { vectors: 2, distance: 0.0 };
    let model = Perceptron::on_kernel(Precomputed).budget(square).fit(&gram, &[-1, 1]).unwrap();
    assert_eq!(details(model.report()).support, [0], "the other is at no real distance");
}

#[test]
fn what_does_not_fit_is_refused() {
    let given = |matrix| GivenPoints::of_gram(PrecomputedGram::new(matrix).unwrap());
    let gram = given(mat![[1.0, 0.5], [0.5, 1.0]]);
    let new = || Perceptron::on_kernel(Precomputed);
    assert_eq!(new().fit(&gram, &[7, 7]).unwrap_err(), Error::OneClass { points: 2 });
    let length = Error::Length { what: "labels", expected: 2, given: 3 };
    assert_eq!(new().fit(&gram, &[1, 2, 3]).unwrap_err(), length);
    let count = Error::Count { name: "max_iterations", given: 0, allowed: "at least 1" };
    assert_eq!(new().max_iterations(0).fit(&gram, &[1, 2]).unwrap_err(), count);
    let mean = new().averaged(true).budget(Budget::Oldest { vectors: 1 });
    assert_eq!(mean.fit(&gram, &[1, 2]).unwrap_err(), Error::AveragedRemoval);
    let three = given(Mat::<f64>::identity(3, 3));
    let short = within(&new(), (&three, &[1, 2, 3]), MemoryBudget::bytes(50)).unwrap_err();
    assert!(matches!(short, Error::Gram(kern_gram::Error::Budget { .. })), "{short}");
    let model = new().fit(&gram, &[1, 2]).unwrap();
    // Values with one of the two points only.
    let narrow = GivenPoints::of_cross(mat![[1.0]]).unwrap();
    assert!(matches!(model.predict(&narrow), Err(Error::Core(_) | Error::Gram(_))));
    assert!(matches!(model.decision_values(&narrow), Err(Error::Core(_) | Error::Gram(_))));
}
