//! Model files of LIBSVM: round trips, ties, and files that are wrong.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::{Linear, Polynomial, Rbf, Sigmoid};
use kern_core::{Mercer, Samples, SparseSamples};
use kern_solvers::MultiClass;
use kern_solvers::svm::libsvm::{FileKernel, Kind, LibsvmModel, ModelFileError};
use kern_solvers::svm::{Svc, Svr};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Points with zeros among their coordinates, in so many classes that overlap.
fn data(n: usize, classes: i64) -> (Samples<f64>, Vec<i64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut point = |i: usize| -> Vec<f64> {
        let centre = (i as i64 % classes) as f64;
        let mut x: Vec<f64> = (0..4).map(|_| centre + 3.0 * rng.random::<f64>()).collect();
        x[i % 4] = 0.0;
        x
    };
    let rows: Vec<Vec<f64>> = (0..n).map(&mut point).collect();
    let labels = (0..n).map(|i| 7 * (i as i64 % classes) - 5).collect();
    (Samples::from_rows(&rows).unwrap(), labels)
}

type Dense<K> = LibsvmModel<Samples<f64>, K>;

fn round_trip<K>(model: &Dense<K>) -> Dense<K>
where
    K: kern_core::Kernel<Samples<f64>> + FileKernel,
{
    let mut file = Vec::new();
    model.write(&mut file).unwrap();
    Dense::read(&file[..], Some(4)).unwrap()
}

fn check<K>(kernel: K, classes: i64)
where
    K: Mercer<Samples<f64>> + FileKernel + Copy + PartialEq + std::fmt::Debug,
{
    let (x, y) = data(60, classes);
    let classifier = Svc::on_kernel(kernel).c(2.0).fit(&x, &y).unwrap();
    let model = LibsvmModel::try_from(&classifier).unwrap();
    let back = round_trip(&model);
    assert_eq!(back, model);
    let predicted: Vec<i64> = back.predict(&x).unwrap().iter().map(|&y| y as i64).collect();
    assert_eq!(predicted, classifier.predict(&x).unwrap());
    assert!(predicted.iter().zip(&y).filter(|(p, y)| p != y).count() < 40, "it learned something");
}

#[test]
fn classifiers_come_back() {
    for classes in [2, 3, 5] {
        check(Rbf::new(0.1).unwrap(), classes);
        check(Linear, classes);
        check(Polynomial::new(0.1, 1.0 / 3.0, 3).unwrap(), classes);
    }
}

#[test]
fn regressors_come_back() {
    let (x, y) = data(40, 3);
    let y: Vec<f64> = y.iter().map(|&y| y as f64 / 7.0).collect();
    let regressor =
        Svr::on_kernel(Rbf::new(0.1).unwrap()).c(3.0).epsilon(0.05).fit(&x, &y).unwrap();
    let model = LibsvmModel::from(&regressor);
    let back = round_trip(&model);
    assert_eq!((&back, back.kind()), (&model, Kind::EpsilonSvr));
    assert_eq!(back.predict(&x).unwrap(), regressor.predict(&x).unwrap());
}

#[test]
fn sparse_points_are_read_and_written_alike() {
    let (x, y) = data(30, 3);
    let sparse = SparseSamples::from_dense(&x).unwrap();
    let text = |model: &mut dyn FnMut(&mut Vec<u8>)| {
        let mut file = Vec::new();
        model(&mut file);
        String::from_utf8(file).unwrap()
    };
    let dense = Svc::on_kernel(Linear).fit(&x, &y).unwrap();
    let dense = text(&mut |file| LibsvmModel::try_from(&dense).unwrap().write(file).unwrap());
    let read = LibsvmModel::<SparseSamples<f64>, Linear>::read(dense.as_bytes(), None).unwrap();
    assert_eq!(text(&mut |file| read.write(file).unwrap()), dense);
    let same = Dense::<Linear>::read(dense.as_bytes(), Some(4)).unwrap();
    assert_eq!(read.predict(&sparse).unwrap(), same.predict(&x).unwrap());
}

/// A model of three classes on the line whose functions are ±1 everywhere but at 0.
const CYCLE: &str = "svm_type nu_svc\nkernel_type sigmoid\ngamma 1\ncoef0 0.5\nnr_class 3\n\
    total_sv 3\nrho -1 1 -1\nlabel 30 10 20\nnr_sv 1 1 1\nSV\n1e-9 0 1:1\n-1e-9 1e-9 1:1 \n0 -1e-9 1:2\n";

#[test]
fn of_equal_votes_the_first_class_of_the_file_wins() {
    // 30 beats 10, 20 beats 30, 10 beats 20.
    let model = LibsvmModel::<Samples<f64>, Sigmoid>::read(CYCLE.as_bytes(), None).unwrap();
    assert_eq!((model.kind(), model.labels()), (Kind::NuSvc, &[30, 10, 20][..]));
    let x = Samples::from_rows(&[[0.3]]).unwrap();
    assert_eq!(model.predict(&x).unwrap(), [30.0]);
    assert_eq!(model.kernel(), &Sigmoid::new(1.0, 0.5).unwrap());
}

#[test]
fn one_class_says_in_or_out() {
    let file = "svm_type one_class\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.9\n\
        SV\n0.5 1:1 \n0.5 1:2 \n";
    let model = Dense::<Rbf>::read(file.as_bytes(), None).unwrap();
    let x = Samples::from_rows(&[[1.5], [4.0]]).unwrap();
    // (e^{-1/8} + e^{-1/8})/2 = 0.88 < 0.9 at the middle, too.
    assert_eq!(model.predict(&x).unwrap(), [-1.0, -1.0]);
    let model = Dense::<Rbf>::read(file.replace("0.9", "0.8").as_bytes(), None).unwrap();
    assert_eq!(model.predict(&x).unwrap(), [1.0, -1.0]);
    let mut back = Vec::new();
    model.write(&mut back).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), file.replace("0.9", "0.8"));
}

#[test]
fn one_against_the_rest_has_no_place() {
    let (x, y) = data(30, 3);
    let rest = Svc::on_kernel(Linear).multi_class(MultiClass::OneVsRest).fit(&x, &y).unwrap();
    assert!(matches!(LibsvmModel::try_from(&rest), Err(ModelFileError::OneVsRest)));
}

#[test]
fn what_is_wrong_is_named() {
    let message = |file: &str| {
        let read = LibsvmModel::<Samples<f64>, Sigmoid>::read(file.as_bytes(), None);
        read.unwrap_err().to_string()
    };
    let cases = [
        ("nu_svc", "svc", "`svm_type` must have one of"),
        ("sigmoid", "rbf", "the kernel must be sigmoid, the file has `rbf`"),
        ("gamma 1\n", "", "`gamma` must have a line in the header"),
        ("gamma 1\n", "gamma -1\n", "gamma must be"),
        ("gamma 1\n", "gamma 1\ngamma 1\n", "line 4: expected a name"),
        ("nr_class 3", "nr_class 1", "`nr_class` must have a number from 2"),
        ("nr_class 3", "nr_class 99999999999", "`nr_class` must have a number from 2"),
        ("nr_class 3", "nr_class 65536", "`rho` must have"),
        ("rho -1 1 -1", "rho -1 1", "`rho` must have"),
        ("rho -1 1 -1", "rho -1 1 nan", "`rho` must have"),
        ("label 30 10 20", "label 30 10 2.5", "`label` must have"),
        ("nr_sv 1 1 1", "nr_sv 1 1 2", "`nr_sv` must have the sum total_sv"),
        ("nr_sv 1 1 1", "nr_sv 18446744073709551615 1 3", "`nr_sv` must have the sum total_sv"),
        ("1e-9 0 1:1\n", "", "line 13: expected another of total_sv"),
        ("1e-9 0 1:1\n", "1e-9 1:1\n", "line 11: expected the coefficients"),
        ("1e-9 0 1:1\n", "\n", "line 11: expected the coefficients"),
        ("1e-9 0 1:1\n", "1e-9 0 1:1\n1 1 1:1\n", "line 14: expected the coefficients"),
        ("1e-9 0 1:1\n", "1e-9 0 0:1\n", "line 11: an index must be"),
        ("1e-9 1:1 \n0", "1e-9 1:1 2:x\n0", "line 12: the value of index 2"),
        ("SV\n", "SW\n", "line 14: expected another of total_sv"),
    ];
    for (from, to, expected) in cases {
        assert!(CYCLE.contains(from), "{from}");
        let found = message(&CYCLE.replacen(from, to, 1));
        assert!(found.starts_with(expected), "{to:?}: {found}");
    }
    assert!(message("").contains("svm_type"));
}
