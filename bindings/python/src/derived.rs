//! Learners that need derivatives of a kernel, with respect to its parameters or its points.

use crate::fitted::{Classified, Fitted, Probable, Regressed, Several};
use crate::gradient::WithGradient;
use crate::order::{Order, set, unknown};
use kern_core::gradient::Differentiable;
use kern_core::{Mercer, MercerFormula, Points, Samples, Scalar, SparseSamples, SpecPoints};
use kern_gram::{GivenPoints, Precomputed};
use kern_solvers::feature_machine::{FeatureMachine, MetricExpansion};
use kern_solvers::file;
use kern_solvers::gaussian_process::{
    GaussianProcess, GaussianProcessClassifier, LatentPosterior, Posterior,
};
use kern_solvers::model::{Classifier, MultiRegressor, ProbabilisticClassifier, Regressor};
use kern_solvers::{Data, Error, Labels, Learner, Outputs, Run, Values};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A model, or the error of its fit.
pub(crate) type Learned<P> = Result<Arc<dyn Fitted<P>>, Error>;

/// Kernels with the derivatives that such learners require.
pub(crate) trait Derived<P: Points>: Mercer<P> + Clone {
    fn classes(self, _: &Data<'_, P, Labels<i64>>, _: &Order, _: &mut Run<'_>) -> Learned<P> {
        unknown()
    }

    fn numbers(self, _: &Data<'_, P, Values<P::Scalar>>, _: &Order, _: &mut Run<'_>) -> Learned<P> {
        unknown()
    }

    fn several(
        self,
        _: &Data<'_, P, Outputs<P::Scalar>>,
        _: &Order,
        _: &mut Run<'_>,
    ) -> Learned<P> {
        unknown()
    }

    /// The model in a file, if it was fitted by one of these learners.
    fn open(_: &[u8]) -> Option<Arc<dyn Fitted<P>>> {
        None
    }
}

/// A Gram matrix has no parameters.
impl Derived<GivenPoints<f64>> for Precomputed {}

macro_rules! processes {
    ($($points:ty),+) => {$(
        impl Derived<$points> for MercerFormula<$points> {
            fn classes(
                self,
                data: &Data<'_, $points, Labels<i64>>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Learned<$points> {
                match order.learner.as_str() {
                    "gaussian_process_classifier" => {
                        Ok(Arc::new(Probable(latent(self, order)?.learn(data, run)?)))
                    }
                    _ => unknown(),
                }
            }

            fn numbers(
                self,
                data: &Data<'_, $points, Values<f64>>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Learned<$points> {
                match order.learner.as_str() {
                    "gaussian_process" => Ok(Arc::new(Regressed(process(self, order)?.learn(data, run)?))),
                    _ => unknown(),
                }
            }

            fn several(
                self,
                data: &Data<'_, $points, Outputs<f64>>,
                order: &Order,
                run: &mut Run<'_>,
            ) -> Learned<$points> {
                match order.learner.as_str() {
                    "gaussian_process" => Ok(Arc::new(Several(process(self, order)?.learn(data, run)?))),
                    _ => unknown(),
                }
            }

            fn open(bytes: &[u8]) -> Option<Arc<dyn Fitted<$points>>> {
                open_process::<$points>(bytes)
            }
        }
    )+};
}

processes!(SparseSamples<f64>, Vec<String>);

impl<T: Scalar> Derived<Samples<T>> for MercerFormula<Samples<T>> {
    fn classes(
        self,
        data: &Data<'_, Samples<T>, Labels<i64>>,
        order: &Order,
        run: &mut Run<'_>,
    ) -> Learned<Samples<T>> {
        Ok(match order.learner.as_str() {
            "gaussian_process_classifier" => {
                Arc::new(Probable(latent(self, order)?.learn(data, run)?))
            }
            "feature_machine" => Arc::new(Classified(machine(self, order)?.learn(data, run)?)),
            _ => return unknown(),
        })
    }

    fn numbers(
        self,
        data: &Data<'_, Samples<T>, Values<T>>,
        order: &Order,
        run: &mut Run<'_>,
    ) -> Learned<Samples<T>> {
        Ok(match order.learner.as_str() {
            "gaussian_process" => Arc::new(Regressed(process(self, order)?.learn(data, run)?)),
            "feature_machine" => Arc::new(Regressed(machine(self, order)?.learn(data, run)?)),
            _ => return unknown(),
        })
    }

    fn several(
        self,
        data: &Data<'_, Samples<T>, Outputs<T>>,
        order: &Order,
        run: &mut Run<'_>,
    ) -> Learned<Samples<T>> {
        Ok(match order.learner.as_str() {
            "gaussian_process" => Arc::new(Several(process(self, order)?.learn(data, run)?)),
            "feature_machine" => Arc::new(Several(machine(self, order)?.learn(data, run)?)),
            _ => return unknown(),
        })
    }

    fn open(bytes: &[u8]) -> Option<Arc<dyn Fitted<Samples<T>>>> {
        if let Some(model) = open_process::<Samples<T>>(bytes) {
            return Some(model);
        }
        // A prediction needs no derivatives, so the model can be read with any formula.
        type Metric<T> = MetricExpansion<T, MercerFormula<Samples<T>>>;
        if let Ok(model) = file::from_bytes::<Regressor<Metric<T>>>(bytes) {
            return Some(Arc::new(Regressed(model)));
        }
        if let Ok(model) = file::from_bytes::<MultiRegressor<Metric<T>>>(bytes) {
            return Some(Arc::new(Several(model)));
        }
        let model = file::from_bytes::<Classifier<Metric<T>, i64>>(bytes).ok()?;
        Some(Arc::new(Classified(model)))
    }
}

type Process<P> = GaussianProcess<kern_solvers::space::OnKernel<MercerFormula<P>>>;

fn process<P: SpecPoints>(kernel: MercerFormula<P>, order: &Order) -> Result<Process<P>, Error>
where
    MercerFormula<P>: Differentiable<P>,
{
    set(GaussianProcess::on_kernel(kernel), order)
}

type Latent<P> = GaussianProcessClassifier<kern_solvers::space::OnKernel<MercerFormula<P>>>;

fn latent<P: SpecPoints>(kernel: MercerFormula<P>, order: &Order) -> Result<Latent<P>, Error>
where
    MercerFormula<P>: Differentiable<P>,
{
    set(GaussianProcessClassifier::on_kernel(kernel), order)
}

type Machine<T> = FeatureMachine<kern_solvers::space::OnKernel<WithGradient<T>>>;

fn machine<T: Scalar>(
    kernel: MercerFormula<Samples<T>>,
    order: &Order,
) -> Result<Machine<T>, Error> {
    set(FeatureMachine::on_kernel(WithGradient::new(kernel)?), order)
}

fn open_process<P>(bytes: &[u8]) -> Option<Arc<dyn Fitted<P>>>
where
    P: SpecPoints + Serialize + DeserializeOwned,
{
    type Of<P> = Posterior<P, MercerFormula<P>>;
    if let Ok(model) = file::from_bytes::<Regressor<Of<P>>>(bytes) {
        return Some(Arc::new(Regressed(model)));
    }
    if let Ok(model) = file::from_bytes::<MultiRegressor<Of<P>>>(bytes) {
        return Some(Arc::new(Several(model)));
    }
    type Classes<P> = ProbabilisticClassifier<LatentPosterior<P, MercerFormula<P>>, i64>;
    let model = file::from_bytes::<Classes<P>>(bytes).ok()?;
    Some(Arc::new(Probable(model)))
}
