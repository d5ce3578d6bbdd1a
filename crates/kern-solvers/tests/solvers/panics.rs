//! Panics of a user's kernel, feature map or observer come back as a panic of the call, and the library works afterwards,
//! its threads and caches included.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::faer::MatMut;
use kern_core::{FeatureMap, Kernel, Mercer, Points, Samples, Scratch};
use kern_gram::{BlockedGram, GramOperator, MemoryBudget};
use kern_solvers::kmeans::KMeans;
use kern_solvers::knn::KNearest;
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::Ridge;
use kern_solvers::ridge_mixture::RidgeMixture;
use kern_solvers::sgd::Sgd;
use kern_solvers::svm::{OneClass, Svc, Svdd, Svr};
use kern_solvers::{Data, Error, Learner, Progress, Run};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A kernel that panics when so many values have been asked for.
struct Fuse(AtomicUsize);

impl Fuse {
    fn burn(&self) {
        let left =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert!(left.is_ok(), "the fuse has blown");
    }
}

impl Kernel<Vec<f64>> for Fuse {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        self.burn();
        (-(x - y) * (x - y)).exp()
    }
}
impl Mercer<Vec<f64>> for Fuse {}

impl FeatureMap<Samples<f64>> for &Fuse {
    fn dim(&self) -> usize {
        2
    }

    fn transform_into(
        &self,
        points: &Samples<f64>,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
        _: &mut Scratch<f64>,
    ) {
        for (j, i) in range.enumerate() {
            self.burn();
            (out[(0, j)], out[(1, j)]) = (points.item(i)[0].cos(), points.item(i)[0].sin());
        }
    }

    fn check(&self, _: &Samples<f64>) -> Result<(), kern_core::Error> {
        Ok(())
    }
}

fn numbers() -> Vec<f64> {
    (0..300).map(|i| f64::from(i) * 0.01).collect()
}

/// The fit, with so many values until the panic.
type Fit = fn(&Fuse) -> Result<(), Error>;

fn two() -> Vec<bool> {
    (0..300).map(|i| i % 100 < 50).collect()
}

const FITS: [(&str, Fit); 16] = [
    ("ridge", |k| Ridge::on_kernel(k).fit(&numbers(), &numbers()).map(drop)),
    ("logistic", |k| Logistic::on_kernel(k).fit(&numbers(), &two()).map(drop)),
    ("svc", |k| Svc::on_kernel(k).fit(&numbers(), &two()).map(drop)),
    ("svr", |k| Svr::on_kernel(k).fit(&numbers(), &numbers()).map(drop)),
    ("one-class", |k| OneClass::on_kernel(k).fit(&numbers()).map(drop)),
    ("svdd", |k| Svdd::on_kernel(k).fit(&numbers()).map(drop)),
    ("mixture", |k| {
        let mixture = RidgeMixture::on_kernel(k, 2).restarts(1).max_iterations(2);
        mixture.fit(&numbers(), &numbers()).map(drop)
    }),
    ("perceptron", |k| Perceptron::on_kernel(k).fit(&numbers(), &two()).map(drop)),
    ("sgd", |k| Sgd::on_kernel(k).epochs(2).fit(&numbers(), &numbers()).map(drop)),
    ("k-means", |k| KMeans::on_kernel(k, 3).fit(&numbers()).map(drop)),
    ("k-means by batches", |k| KMeans::on_kernel(k, 3).batch(20).fit(&numbers()).map(drop)),
    ("k nearest", |k| {
        let model = KNearest::by_distance(k).neighbors(2).fit(&numbers(), &numbers())?;
        model.predict(&numbers()).map(drop)
    }),
    ("ridge on features", |k| Ridge::on_features(k).fit(&plane(), &numbers()).map(drop)),
    ("svc on features", |k| Svc::on_features(k).fit(&plane(), &two()).map(drop)),
    ("sgd on features", |k| Sgd::on_features(k).epochs(2).fit(&plane(), &numbers()).map(drop)),
    ("k-means on features", |k| KMeans::on_features(k, 3).fit(&plane()).map(drop)),
];

fn plane() -> Samples<f64> {
    Samples::from_row_major(1, numbers()).unwrap()
}

/// Runs with so many values, silently; whether it panicked.
fn panics(what: &str, work: impl FnOnce() -> Result<(), Error>) -> bool {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => {
            result.unwrap_or_else(|error| panic!("{what}: {error}"));
            false
        }
        Err(payload) => {
            let message = payload.downcast_ref::<&str>().copied().map(str::to_owned);
            let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
            assert!(message.unwrap().contains("blown"), "{what}: another panic");
            true
        }
    }
}

#[test]
fn a_panic_of_a_kernel_or_a_map_comes_back_and_the_next_fit_works() {
    for (name, fit) in FITS {
        for values in [0, 100, 290] {
            let burn = || fit(&Fuse(AtomicUsize::new(values)));
            assert!(panics(name, burn), "{name} with {values} values");
        }
        let work = || fit(&Fuse(AtomicUsize::new(usize::MAX)));
        assert!(!panics(name, work), "{name} afterwards");
    }
}

#[test]
fn a_panic_of_an_observer_comes_back_and_the_next_fit_works() {
    let (x, y) = (numbers(), two());
    let kernel = || Fuse(AtomicUsize::new(usize::MAX));
    let learn = |observer: &mut (dyn FnMut(&Progress) + Send)| {
        let mut watch = |progress: &Progress| {
            observer(progress);
            std::ops::ControlFlow::Continue(())
        };
        let data = Data::new(&x, &y)?;
        Svc::on_kernel(&kernel()).learn(&data, &mut Run::new().observer(&mut watch)).map(drop)
    };
    assert!(panics("svc", || learn(&mut |_| panic!("blown"))));
    assert!(!panics("svc", || learn(&mut |_| ())));
}

#[test]
fn a_cache_that_a_panic_has_passed_through_has_the_same_values() {
    let (x, fuse) = (numbers(), Fuse(AtomicUsize::new(usize::MAX)));
    let gram = BlockedGram::new(&fuse, &x, &MemoryBudget::mebibytes(1)).unwrap();
    let column = |i: usize| -> Result<Vec<f64>, Error> {
        let mut out = kern_core::faer::Mat::zeros(x.len(), 1);
        gram.columns_into(&[i], out.as_mut())?;
        Ok(out.col_as_slice(0).to_vec())
    };
    let expected = column(7).unwrap();
    fuse.0.store(50, Ordering::Relaxed);
    assert!(panics("a column", || column(8).map(drop)));
    fuse.0.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(column(7).unwrap(), expected);
    assert!((column(8).unwrap()[8] - 1.0).abs() < 1e-15);
}
