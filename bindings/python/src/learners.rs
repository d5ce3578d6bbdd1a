//! Learners by name on every kind of points, from one table of names.

use crate::derived::Derived;
use crate::fitted::{Classified, Clustered, Fitted, Probable, Region, Regressed, Several, Voted};
use crate::order::{Given, Order, number, set, unknown};
use crate::points::{DENSE, GIVEN, Kind, SINGLE, SPARSE, TEXTS};
use kern_core::faer::Mat;
use kern_core::memory::converted;
use kern_core::parameters::{Parameters, Setting};
use kern_core::{KernelSpec, MercerFormula, Samples, Scalar, SparseSamples};
use kern_gram::{GivenPoints, Precomputed};
use kern_solvers::components::KernelPca;
use kern_solvers::feature_machine::FeatureMachine;
use kern_solvers::file;
use kern_solvers::gaussian_process::{GaussianProcess, GaussianProcessClassifier};
use kern_solvers::kmeans::{KMeans, Seeding, SoftKMeans};
use kern_solvers::knn::{KNearest, Weighting};
use kern_solvers::logistic::Logistic;
use kern_solvers::perceptron::Perceptron;
use kern_solvers::ridge::Ridge;
use kern_solvers::sgd::Sgd;
use kern_solvers::spectral_clustering::SpectralClustering;
use kern_solvers::svm::{OneClass, Svc, Svr};
use kern_solvers::{Data, Error, IntoTargets, Labels, Learner, Run, Targets, Values};
use std::sync::Arc;

/// A model, by the kind of its points.
#[derive(Clone)]
pub(crate) enum AnyFitted {
    Dense(Arc<dyn Fitted<Samples<f64>>>),
    Single(Arc<dyn Fitted<Samples<f32>>>),
    Sparse(Arc<dyn Fitted<SparseSamples<f64>>>),
    Texts(Arc<dyn Fitted<Vec<String>>>),
    Given(Arc<dyn Fitted<GivenPoints<f64>>>),
}

/// Evaluates the same expression for a model on any kind of points.
macro_rules! each_fitted {
    ($fitted:expr, $model:ident => $value:expr) => {
        match $fitted {
            $crate::learners::AnyFitted::Dense($model) => $value,
            $crate::learners::AnyFitted::Single($model) => $value,
            $crate::learners::AnyFitted::Sparse($model) => $value,
            $crate::learners::AnyFitted::Texts($model) => $value,
            $crate::learners::AnyFitted::Given($model) => $value,
        }
    };
}
pub(crate) use each_fitted;

/// Fits a model.
pub(crate) fn learn(points: &Kind, order: &Order, run: &mut Run<'_>) -> Result<AnyFitted, Error> {
    let spec = || -> Result<KernelSpec, Error> { Ok(order.formula.parse()?) };
    Ok(match points {
        Kind::Dense(x) => AnyFitted::Dense(dense::learn(spec()?.build_mercer()?, x, order, run)?),
        Kind::Single(x) => {
            AnyFitted::Single(single::learn(spec()?.build_mercer()?, x, order, run)?)
        }
        Kind::Sparse(x) => {
            AnyFitted::Sparse(sparse::learn(spec()?.build_mercer()?, x, order, run)?)
        }
        Kind::Texts(x) => AnyFitted::Texts(texts::learn(spec()?.build_mercer()?, x, order, run)?),
        Kind::Given(x) => AnyFitted::Given(given::learn(Precomputed, x, order, run)?),
    })
}

impl AnyFitted {
    /// The name of the kind of points.
    pub(crate) const fn points(&self) -> &'static str {
        match self {
            Self::Dense(_) => DENSE,
            Self::Single(_) => SINGLE,
            Self::Sparse(_) => SPARSE,
            Self::Texts(_) => TEXTS,
            Self::Given(_) => GIVEN,
        }
    }
}

/// The beginning of a JSON file with single-precision values, which the digits alone do not show.
const SINGLE_MARK: &[u8] = br#"{"scalar":"f32","#;

/// Marks a JSON file as one of single precision.
pub(crate) fn mark_single(bytes: &mut Vec<u8>) {
    bytes.splice(..1, SINGLE_MARK.iter().copied());
}

/// The model in the bytes of a file, on points of this kind, or of the first kind for which it can
/// be read.
pub(crate) fn open(bytes: &[u8], points: Option<&str>) -> Result<AnyFitted, file::Error> {
    let kind = file::kind(bytes)?;
    let points = if bytes.starts_with(SINGLE_MARK) { Some(SINGLE) } else { points };
    type Open<'o> = &'o dyn Fn() -> Result<Option<AnyFitted>, file::Error>;
    let all: [(&str, Open<'_>); 5] = [
        (DENSE, &|| Ok(dense::open(bytes)?.map(AnyFitted::Dense))),
        (SINGLE, &|| Ok(single::open(bytes)?.map(AnyFitted::Single))),
        (SPARSE, &|| Ok(sparse::open(bytes)?.map(AnyFitted::Sparse))),
        (TEXTS, &|| Ok(texts::open(bytes)?.map(AnyFitted::Texts))),
        (GIVEN, &|| Ok(given::open(bytes)?.map(AnyFitted::Given))),
    ];
    let mut refused = None;
    for (name, open) in all {
        if points.is_some_and(|points| points != name) {
            continue;
        }
        match open() {
            Ok(Some(model)) => return Ok(model),
            Ok(None) => (),
            // The error of the first kind is kept: the others are guesses.
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let expected =
        "a model of a learner on vectors, sparse vectors, strings or a Gram matrix".into();
    Err(refused.unwrap_or(file::Error::Kind { given: kind, expected }))
}

/// The hyper-parameters of a learner; the linear kernel suffices to list them.
pub(crate) fn parameters(learner: &str) -> Option<Vec<kern_core::parameters::Parameter>> {
    let kernel = Precomputed;
    Some(match learner {
        "svc" => Svc::on_kernel(kernel).parameters(),
        "svr" => Svr::on_kernel(kernel).parameters(),
        "one_class" => OneClass::on_kernel(kernel).parameters(),
        "ridge" => Ridge::on_kernel(kernel).parameters(),
        "logistic" => Logistic::on_kernel(kernel).parameters(),
        "perceptron" => Perceptron::on_kernel(kernel).parameters(),
        "sgd" => Sgd::on_kernel(kernel).parameters(),
        "kmeans" => KMeans::on_kernel(kernel, 1).parameters(),
        "soft_kmeans" => SoftKMeans::on_kernel(kernel, 1).parameters(),
        "spectral_clustering" => SpectralClustering::on_kernel(kernel, 1).parameters(),
        "kernel_pca" => KernelPca::on_kernel(kernel, 1).parameters(),
        "gaussian_process" => GaussianProcess::on_kernel(kernel).parameters(),
        "gaussian_process_classifier" => GaussianProcessClassifier::on_kernel(kernel).parameters(),
        "feature_machine" => FeatureMachine::on_kernel(kernel).parameters(),
        "neighbors" => KNearest::by_distance(kernel).parameters(),
        _ => return None,
    })
}

/// Data with the weights, if given.
fn data<'a, P: kern_core::Points, Y: Targets>(
    points: &'a P,
    targets: impl IntoTargets<Targets = Y>,
    weights: Option<&'a [f64]>,
) -> Result<Data<'a, P, Y>, Error> {
    let data = Data::new(points, targets)?;
    match weights {
        Some(weights) => data.weights(weights),
        None => Ok(data),
    }
}

/// The fraction ν, if set.
fn nu(order: &Order) -> Option<f64> {
    number(order, "nu")
}

/// The quantile level, if set.
fn level(order: &Order) -> Option<f64> {
    number(order, "quantile")
}

/// The initial cluster centres, if given.
fn seeding(order: &Order) -> Seeding {
    match order.settings.iter().find(|(name, _)| name == "seeds") {
        Some((_, Setting::List(seeds))) => {
            Seeding::Given(seeds.iter().map(|&seed| seed as usize).collect())
        }
        _ => Seeding::PlusPlus,
    }
}

/// Generates the learners and file formats of one kind of points.
macro_rules! learners_of {
    ($module:ident, $points:ty, $kernel:ty) => {
        mod $module {
            use super::*;

            type P = $points;
            type K = $kernel;
            type T = <P as kern_core::Points>::Scalar;
            type L = Labels<i64>;
            type V = Values<T>;
            type O = kern_solvers::Outputs<T>;
            type Behind<T, Y> = <T as Learner<P, Y>>::Model;
            type On = kern_solvers::space::OnKernel<K>;
            type Near = KNearest<K, kern_solvers::knn::Distance, Weighting>;

            pub(super) fn learn(
                kernel: K,
                x: &P,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Result<Arc<dyn Fitted<P>>, Error> {
                let weights = order.weights.as_deref();
                match &order.given {
                    Given::Nothing => alone(kernel, &data(x, (), weights)?, order, run),
                    Given::Labels(y) => {
                        classes(kernel, &data(x, Labels::new(y.clone()), weights)?, order, run)
                    }
                    Given::Numbers(y) => {
                        let y: Vec<T> = y.iter().map(|&y| T::from_f64(y)).collect();
                        numbers(kernel, &data(x, Values::new(y), weights)?, order, run)
                    }
                    Given::Outputs(y) => {
                        let y: Mat<T> = converted(y.as_ref())?;
                        several(kernel, &data(x, &y, weights)?, order, run)
                    }
                }
            }

            fn classes(
                kernel: K,
                data: &Data<'_, P, L>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Result<Arc<dyn Fitted<P>>, Error> {
                Ok(match order.learner.as_str() {
                    "svc" => {
                        let svc = Svc::on_kernel(kernel);
                        let svc = nu(order).map_or(svc.clone(), |nu| svc.nu(nu));
                        Arc::new(Classified(set(svc, order)?.learn(data, run)?))
                    }
                    "ridge" => {
                        Arc::new(Classified(set(Ridge::on_kernel(kernel), order)?.learn(data, run)?))
                    }
                    "perceptron" => {
                        let learner = set(Perceptron::on_kernel(kernel), order)?;
                        Arc::new(Classified(learner.learn(data, run)?))
                    }
                    "sgd" => Arc::new(Classified(set(Sgd::on_kernel(kernel), order)?.learn(data, run)?)),
                    "logistic" => {
                        let learner = set(Logistic::on_kernel(kernel), order)?;
                        Arc::new(Probable(learner.learn(data, run)?))
                    }
                    "neighbors" => {
                        let learner = set(KNearest::by_distance(kernel), order)?;
                        Arc::new(Voted(learner.learn(data, run)?))
                    }
                    _ => return kernel.classes(data, order, run),
                })
            }

            fn numbers(
                kernel: K,
                data: &Data<'_, P, V>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Result<Arc<dyn Fitted<P>>, Error> {
                Ok(match order.learner.as_str() {
                    "svr" => {
                        let svr = Svr::on_kernel(kernel);
                        let svr = nu(order).map_or(svr.clone(), |nu| svr.nu(nu));
                        let svr = level(order).map_or(svr.clone(), |level| svr.quantile(level));
                        Arc::new(Regressed(set(svr, order)?.learn(data, run)?))
                    }
                    "ridge" => {
                        Arc::new(Regressed(set(Ridge::on_kernel(kernel), order)?.learn(data, run)?))
                    }
                    "sgd" => Arc::new(Regressed(set(Sgd::on_kernel(kernel), order)?.learn(data, run)?)),
                    "neighbors" => {
                        let learner = set(KNearest::by_distance(kernel), order)?;
                        Arc::new(Regressed(learner.learn(data, run)?))
                    }
                    _ => return kernel.numbers(data, order, run),
                })
            }

            fn several(
                kernel: K,
                data: &Data<'_, P, O>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Result<Arc<dyn Fitted<P>>, Error> {
                Ok(match order.learner.as_str() {
                    "ridge" => {
                        Arc::new(Several(set(Ridge::on_kernel(kernel), order)?.learn(data, run)?))
                    }
                    "neighbors" => {
                        let learner = set(KNearest::by_distance(kernel), order)?;
                        Arc::new(Several(learner.learn(data, run)?))
                    }
                    _ => return kernel.several(data, order, run),
                })
            }

            fn alone(
                kernel: K,
                data: &Data<'_, P>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Result<Arc<dyn Fitted<P>>, Error> {
                Ok(match order.learner.as_str() {
                    "one_class" => {
                        Arc::new(Region(set(OneClass::on_kernel(kernel), order)?.learn(data, run)?))
                    }
                    "kmeans" => {
                        let learner = KMeans::on_kernel(kernel, 1).seeding(seeding(order));
                        Arc::new(Clustered(set(learner, order)?.learn(data, run)?))
                    }
                    "soft_kmeans" => {
                        let learner = SoftKMeans::on_kernel(kernel, 1).seeding(seeding(order));
                        Arc::new(Clustered(set(learner, order)?.learn(data, run)?))
                    }
                    "spectral_clustering" => {
                        let learner = set(SpectralClustering::on_kernel(kernel, 1), order)?;
                        Arc::new(Clustered(learner.learn(data, run)?))
                    }
                    "kernel_pca" => {
                        let learner = set(KernelPca::on_kernel(kernel, 1), order)?;
                        Arc::new(Several(learner.learn(data, run)?))
                    }
                    _ => return unknown(),
                })
            }

            /// The model in a file, if it is on this kind of points.
            pub(super) fn open(
                bytes: &[u8],
            ) -> Result<Option<Arc<dyn Fitted<P>>>, file::Error> {
                let mut refused = None;
                macro_rules! tried {
                    ($wrap:ident, $model:ty) => {
                        match file::from_bytes::<$model>(bytes) {
                            Ok(model) => return Ok(Some(Arc::new($wrap(model)))),
                            // Several learners share one kind of model.
                            Err(error @ file::Error::Model { .. }) => {
                                refused = refused.or(Some(error));
                            }
                            Err(file::Error::Length | file::Error::Kind { .. }) => (),
                            Err(error) => return Err(error),
                        }
                    };
                }
                tried!(Classified, Behind<Svc<On>, L>);
                tried!(Probable, Behind<Logistic<On>, L>);
                tried!(Voted, Behind<Near, L>);
                tried!(Regressed, Behind<Svr<On>, V>);
                tried!(Regressed, Behind<Near, V>);
                tried!(Several, Behind<Ridge<On>, O>);
                tried!(Several, Behind<Near, O>);
                tried!(Several, Behind<KernelPca<On>, ()>);
                tried!(Region, Behind<OneClass<On>, ()>);
                tried!(Clustered, Behind<KMeans<On>, ()>);
                tried!(Clustered, Behind<SoftKMeans<On>, ()>);
                tried!(Clustered, Behind<SpectralClustering<On>, ()>);
                match K::open(bytes) {
                    Some(model) => Ok(Some(model)),
                    None => refused.map_or(Ok(None), Err),
                }
            }
        }
    };
}

learners_of!(dense, Samples<f64>, MercerFormula<Samples<f64>>);
learners_of!(single, Samples<f32>, MercerFormula<Samples<f32>>);
learners_of!(sparse, SparseSamples<f64>, MercerFormula<SparseSamples<f64>>);
learners_of!(texts, Vec<String>, MercerFormula<Vec<String>>);
learners_of!(given, GivenPoints<f64>, Precomputed);
