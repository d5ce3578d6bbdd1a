//! Machines on sparse features, against a general solver, the machines on the kernel, and those on the same features with their zeros.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::Linear;
use kern_core::{Error, Identity, Points, Samples, SparseSamples};
use kern_gram::MemoryBudget;
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{ClassWeights, Data, Learner, Progress, Run, Status};
use std::ops::ControlFlow;

const N: usize = 120;
const D: usize = 40;

/// A fifth of the numbers is not zero; a sum of some of them and noise is the class. By the generator of ANSI C, so that
/// another language has the same.
fn points() -> (SparseSamples<f64>, Vec<f64>) {
    let mut state = 1_u64;
    let mut draw = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        state as f64 / (1_u64 << 31) as f64
    };
    let (mut rows, mut y) = (Vec::new(), Vec::new());
    for _ in 0..N {
        let mut dense = [0.0; D];
        for value in &mut dense {
            let u = draw();
            *value = if u < 0.2 { 5.0 * u + 0.25 } else { 0.0 };
        }
        let [a, b, c, d, e, f, ..] = dense;
        y.push(if a + b + c - d - e - f + draw() - 0.5 > 0.0 { 1.0 } else { -1.0 });
        rows.push(dense);
    }
    (SparseSamples::from_dense(&Samples::from_rows(&rows).unwrap()).unwrap(), y)
}

fn classes(y: &[f64]) -> Vec<bool> {
    y.iter().map(|&y| y > 0.0).collect()
}

/// ½‖w‖² + C·Σ loss and w₀ on these points (965 numbers, 65 points of the class 1), from a general solver of the dual: SciPy 1.17's
/// `minimize(method="L-BFGS-B")` within bounds, then NumPy's `lstsq` for the coefficients at no bound; primal minus dual objective was
/// at most 5e-12. Of regression with ε = 0.1, scikit-learn 1.9.1's `LinearSVR(fit_intercept=False, tol=1e-13)`, which that
/// solver confirms to its gap of 3e-7. (LIBLINEAR did not converge for C = 10, with 10⁷ iterations.)
#[test]
fn optima_are_those_of_a_general_solver() {
    let (x, y) = points();
    assert_eq!((x.stored(), classes(&y).iter().filter(|&&c| c).count()), (965, 65));
    let close = |what: &str, (objective, w): (f64, f64), (expected, first): (f64, f64)| {
        assert!((objective / expected - 1.0).abs() < 1e-7, "{what}: {objective}, not {expected}");
        assert!((w - first).abs() < 1e-3 * first.abs(), "{what}: w₀ = {w}, not {first}");
    };
    for (squared, c, objective, w) in [
        (false, 0.1, 7.269_945_879_329_049, 0.757_462_477_691_271_4),
        (false, 10.0, 118.811_441_048_550_85, 5.263_894_436_409_775_5),
        (true, 0.1, 5.942_208_384_460_869, 0.762_093_072_222_821_9),
        (true, 10.0, 105.638_311_019_172_8, 3.993_170_439_740_400_6),
    ] {
        let svc = Svc::on_sparse(Identity::new(D)).c(c).squared(squared).intercept(false);
        let model = svc.violation(1e-8).fit(&x, &classes(&y)).unwrap();
        let found = (model.report().objective, model.decision().weights()[(0, 0)]);
        close(&format!("C = {c}, squared {squared}"), found, (objective, w));
        let gap = model.report().gap.unwrap();
        assert!((0.0..=1e-6 * objective).contains(&gap), "{gap}");
        assert_eq!(model.report().status, Status::Converged);
        assert!(model.decision().intercepts()[0].abs() <= 0.0);
    }
    for (squared, objective, w) in [
        (false, 45.914_629_950_669_87, 0.770_132_299_652_654_4),
        (true, 32.337_867_179_502_92, 0.903_107_510_432_062_4),
    ] {
        let svr = Svr::on_sparse(Identity::new(D)).epsilon(0.1).squared(squared).intercept(false);
        let model = svr.violation(1e-8).fit(&x, &y).unwrap();
        let found = (model.report().objective, model.decision().weights()[(0, 0)]);
        close(&format!("regression, squared {squared}"), found, (objective, w));
    }
}

/// With the intercept that is not penalised, weights of classes and of points: machines on the kernel have the same optimum.
#[test]
fn machines_are_those_on_the_linear_kernel() {
    let (x, y) = points();
    let labels: Vec<usize> = (0..N).map(|i| (i * i + usize::from(y[i] > 0.0)) % 3).collect();
    let weights: Vec<f64> = (0..N).map(|i| [1.0, 2.0, 0.0, 0.5][i % 4]).collect();
    let data = Data::new(&x, &labels).unwrap().weights(&weights).unwrap();
    for c in [0.05, 2.0] {
        let balanced = ClassWeights::Balanced;
        let sparse =
            Svc::on_sparse(Identity::new(D)).c(c).violation(1e-7).class_weights(balanced.clone());
        let exact = Svc::on_kernel(Linear).c(c).violation(1e-7).class_weights(balanced);
        let exact = exact.multi_class(kern_solvers::MultiClass::OneVsRest);
        let sparse = sparse.learn(&data, &mut Run::new()).unwrap();
        let exact = exact.learn(&data, &mut Run::new()).unwrap();
        let (objective, expected) = (sparse.report().objective, exact.report().objective);
        assert!((objective / expected - 1.0).abs() < 1e-6, "{objective}, not {expected}");
        let (found, values) =
            (sparse.decision_values(&x).unwrap(), exact.decision_values(&x).unwrap());
        for output in 0..3 {
            for i in 0..N {
                let apart = (found[(i, output)] - values[(i, output)]).abs();
                assert!(apart < 1e-3, "({i}, {output}): {apart}");
            }
        }
    }
    let region = OneClass::on_sparse(Identity::new(D)).nu(0.3).violation(1e-7).fit(&x).unwrap();
    let exact = OneClass::on_kernel(Linear).nu(0.3).violation(1e-7).fit(&x).unwrap();
    let (objective, expected) = (region.report().objective, exact.report().objective);
    assert!((objective - expected).abs() < 1e-5 * expected.abs(), "{objective}, not {expected}");
}

/// The same steps on features with their zeros, up to the order of sums.
#[test]
fn zeros_change_nothing() {
    let (x, y) = points();
    let dense = x.to_dense().unwrap();
    let sparse = Svc::on_sparse(Identity::new(D)).c(1.0).violation(1e-6).seed(7);
    let sparse = sparse.fit(&x, &classes(&y)).unwrap();
    let other = Svc::on_features(Identity::new(D)).c(1.0).violation(1e-6).seed(7);
    let other = other.fit(&dense, &classes(&y)).unwrap();
    let (w, v) = (sparse.decision().weights(), other.decision().weights());
    for k in 0..D {
        assert!((w[(k, 0)] - v[(k, 0)]).abs() < 1e-4, "{k}: {}, {}", w[(k, 0)], v[(k, 0)]);
    }
    assert!((sparse.report().objective / other.report().objective - 1.0).abs() < 1e-8);
    // A file has the bits.
    let bytes = postcard::to_stdvec(&sparse).unwrap();
    assert_eq!(postcard::from_bytes::<typed::Of<_>>(&bytes).unwrap(), sparse);
}

mod typed {
    pub(super) type Of<L> = kern_solvers::model::Classifier<
        kern_solvers::model::SparseExpansion<kern_core::Identity, f64>,
        L,
    >;
}

/// A feature that is in no point, points without features, and single precision.
#[test]
fn empty_rows_and_columns_are_no_matter() {
    let rows = [vec![(2, 1.0_f32)], vec![], vec![(7, 2.0)], vec![(2, -1.0), (7, 0.5)]];
    let x = SparseSamples::from_rows(9, &rows).unwrap();
    let model = Svc::on_sparse(Identity::new(9)).c(100.0).fit(&x, &["a", "a", "b", "b"]).unwrap();
    assert_eq!(model.predict(&x).unwrap(), ["a", "a", "b", "b"]);
    let w = model.decision().weights();
    assert!(w[(0, 0)].abs() <= 0.0 && w[(8, 0)].abs() <= 0.0 && w[(7, 0)] > 0.0);
    let none = SparseSamples::<f32>::from_rows(9, &[vec![], vec![]]).unwrap();
    assert!(Svc::on_sparse(Identity::new(9)).fit(&none, &[true, false]).is_ok());
}

#[test]
fn what_cannot_be_is_a_typed_error() {
    let (x, y) = points();
    let y = classes(&y);
    let other = Svc::on_sparse(Identity::new(D + 1)).fit(&x, &y).unwrap_err();
    let dimension = Error::Dimension { what: "features per sample", expected: D + 1, given: D };
    assert!(matches!(&other, kern_solvers::Error::Core(error) if *error == dimension), "{other}");
    let svc = Svc::on_sparse(Identity::new(D));
    assert!(svc.clone().nu(0.2).fit(&x, &y).is_err());
    assert!(svc.clone().c(f64::INFINITY).fit(&x, &y).is_err());
    let mut run = Run::new().memory(MemoryBudget::bytes(100));
    let small = svc.learn(&Data::new(&x, &y).unwrap(), &mut run).unwrap_err();
    assert!(matches!(small, kern_solvers::Error::Gram(_)), "{small}");
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let mut run = Run::new().observer(&mut stop);
    let stopped = svc.learn(&Data::new(&x, &y).unwrap(), &mut run).unwrap();
    assert_eq!(stopped.report().status, Status::Stopped);
    let model = svc.fit(&x, &y).unwrap();
    let narrow = x.select(&[0, 1]).unwrap().to_dense().unwrap();
    let narrow = narrow.as_slice().chunks(D).map(|row| row[..D - 1].to_vec()).collect::<Vec<_>>();
    let narrow = SparseSamples::from_dense(&Samples::from_rows(&narrow).unwrap()).unwrap();
    assert!(model.predict(&narrow).is_err());
}
