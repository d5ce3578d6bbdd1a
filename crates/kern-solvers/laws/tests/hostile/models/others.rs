//! Files that are no models: sums over points, plans, hyper-parameters, and the files of LIBSVM.

use super::Kind;
use super::functions::{points, values};
use kern_core::faer::MatRef;
use kern_core::kernels::Rbf;
use kern_core::{Identity, Samples, SparseSamples, libsvm};
use kern_gram::MemoryBudget;
use kern_solvers::ridge::Ridge;
use kern_solvers::space::OnKernel;
use kern_solvers::statistics::{Fingerprint, LogisticStatistics, NormalEquations, Observed};
use kern_solvers::svm::Svc;
use kern_solvers::svm::libsvm::LibsvmModel;

const BUDGET: MemoryBudget = MemoryBudget::mebibytes(16);

pub(super) fn kinds() -> Vec<Kind> {
    let mut all = sums();
    all.extend(texts());
    let ridge = Ridge::on_kernel(Rbf::new(0.5).unwrap()).lambda(0.1);
    let learns = |read: &Ridge<OnKernel<Rbf>>| read.fit(&points(), &values()).is_ok();
    all.push(Kind::of("hyper-parameters", &ridge, learns));
    all
}

fn sums() -> Vec<Kind> {
    let (x, y, map) = (points(), values(), Identity::new(2));
    let targets = MatRef::from_column_major_slice(&y, y.len(), 1);
    let gathered = || {
        let mut sums = NormalEquations::new(2, 1, Fingerprint::new(1), &BUDGET).unwrap();
        sums.absorb(&map, &points(), &Observed::new(targets), &BUDGET).unwrap();
        sums
    };
    let (normal, mut other) = (gathered(), gathered());
    other.merge(&normal).unwrap();
    let merged = move |read: &NormalEquations| {
        let mut sums = other.clone();
        sums.merge(read).is_ok() && read.gram().nrows() > 0
    };
    let signs: Vec<f64> = y.iter().map(|y| y.signum()).collect();
    let signs = MatRef::from_column_major_slice(&signs, signs.len(), 1);
    let mut logistic =
        LogisticStatistics::new(&[0.1, 0.2], 0.3, Fingerprint::new(1), &BUDGET).unwrap();
    logistic.absorb(&map, &x, &Observed::new(signs), &BUDGET).unwrap();
    let twice = logistic.clone();
    let added = move |read: &LogisticStatistics| twice.clone().merge(read).is_ok();
    vec![
        Kind::of("normal equations", &normal, merged),
        Kind::of("sums of logistic regression", &logistic, added),
    ]
}

fn texts() -> Vec<Kind> {
    let x = points();
    let labels: Vec<i64> = (0..x.as_slice().len() / 2).map(|i| i as i64 % 4).collect();
    let classifier = Svc::on_kernel(Rbf::new(0.5).unwrap()).fit(&x, &labels).unwrap();
    let mut file = Vec::new();
    LibsvmModel::try_from(&classifier).unwrap().write(&mut file).unwrap();
    let mut data = Vec::new();
    libsvm::write(&mut data, &SparseSamples::from_dense(&x).unwrap(), &labels).unwrap();
    let sparse = SparseSamples::from_dense(&x).unwrap();
    let dense = move |bytes: &[u8]| {
        LibsvmModel::<Samples<f64>, Rbf>::read(bytes, None).is_ok_and(|m| m.predict(&x).is_ok())
    };
    let of_sparse = move |bytes: &[u8]| {
        let read = LibsvmModel::<SparseSamples<f64>, Rbf>::read(bytes, Some(2));
        read.is_ok_and(|model| model.predict(&sparse).is_ok())
    };
    let samples = |bytes: &[u8]| libsvm::read::<f64, i64>(bytes, None).is_ok();
    vec![
        Kind::text("model of LIBSVM", &file, dense),
        Kind::text("model of LIBSVM, sparse", &file, of_sparse),
        Kind::text("data of LIBSVM", &data, samples),
    ]
}
