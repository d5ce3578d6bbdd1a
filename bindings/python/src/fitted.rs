//! Models of all learners behind one interface.

use kern_core::faer::{Mat, MatRef};
use kern_core::{Kernel, Named, Points, Samples, Scalar};
use kern_gram::MemoryBudget;
use kern_solvers::components::Components;
use kern_solvers::feature_machine::MetricExpansion;
use kern_solvers::file::{self, Encoding};
use kern_solvers::gaussian_process::{Draws, LatentPosterior, Noise, Posterior};
use kern_solvers::knn::Neighbors;
use kern_solvers::model::{
    Classifier, Clusters, KernelExpansion, MultiRegressor, NoveltyDetector,
    ProbabilisticClassifier, Regressor, SoftClusters,
};
use kern_solvers::spectral_clustering::SpectralClusters;
use kern_solvers::{Classes, DecisionValues, Error, Model, Probabilities, Report};
use serde::Serialize;
use std::fmt::Display;

/// The predictions of a model.
pub(crate) enum Answer<T> {
    Labels(Vec<i64>),
    Numbers(Vec<T>),
    Matrix(Mat<T>),
}

/// A model of points `P`.
pub(crate) trait Fitted<P: Points>: Send + Sync {
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error>;
    fn decision(&self, _: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        None
    }
    fn probabilities(&self, _: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        None
    }
    fn classes(&self) -> Option<&[i64]> {
        None
    }
    fn labels(&self) -> Option<Vec<i64>> {
        None
    }
    fn parts(&self) -> &dyn Parts<P>;
    fn report(&self) -> &Report;
    fn bytes(&self, encoding: Encoding) -> Result<Vec<u8>, file::Error>;
    fn kind(&self) -> String;
}

/// Coefficients, points × functions, and an intercept for each function.
pub(crate) type Expansion<'a, T> = (MatRef<'a, T>, Vec<T>);

/// Properties that only some models have.
pub(crate) trait Parts<P: Points> {
    /// Expansions in kernel values with training points.
    fn expansion(&self) -> Option<Expansion<'_, P::Scalar>> {
        None
    }

    /// The posterior distribution of a Gaussian process.
    fn posterior(&self) -> Option<&dyn Distribution<P>> {
        None
    }

    /// The kernel, the noise variance and the log likelihood of a Gaussian process.
    fn process(&self) -> Option<(String, f64, f64)> {
        let posterior = self.posterior()?;
        Some((posterior.kernel(), posterior.noise(), posterior.log_likelihood()))
    }

    /// Principal components.
    fn spectrum(&self) -> Option<&dyn Spectrum<P>> {
        None
    }

    /// The eigenvalues of principal components or of a spectral embedding.
    fn eigenvalues(&self) -> Option<&[f64]> {
        None
    }

    /// The metric learned by a recursive feature machine.
    fn metric(&self) -> Option<Mat<f64>> {
        None
    }
}

/// Explained variance and reconstruction errors of principal components.
pub(crate) trait Spectrum<P: Points>: Sync {
    fn explained_ratio(&self) -> Vec<f64>;
    fn reconstruction_errors(&self, points: &P) -> Result<Vec<f64>, Error>;
}

impl<P: Points, K: Kernel<P>> Spectrum<P> for Components<KernelExpansion<P, K>> {
    fn explained_ratio(&self) -> Vec<f64> {
        Components::explained_ratio(self)
    }

    fn reconstruction_errors(&self, points: &P) -> Result<Vec<f64>, Error> {
        Components::reconstruction_errors(self, points)
    }
}

/// The distribution of a Gaussian process.
pub(crate) trait Distribution<P: Points>: Sync {
    fn kernel(&self) -> String;
    fn noise(&self) -> f64;
    fn log_likelihood(&self) -> f64;
    fn std(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error>;
    fn covariance(&self, queries: &P, output: usize, noise: Noise)
    -> Result<Mat<P::Scalar>, Error>;
    fn sample(&self, queries: &P, output: usize, draws: Draws) -> Result<Mat<P::Scalar>, Error>;
}

impl<P: Points, K: Kernel<P> + Display> Distribution<P> for Posterior<P, K> {
    fn kernel(&self) -> String {
        Posterior::kernel(self).to_string()
    }

    fn noise(&self) -> f64 {
        Posterior::noise(self)
    }

    fn log_likelihood(&self) -> f64 {
        Posterior::log_likelihood(self)
    }

    fn std(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error> {
        Posterior::std(self, queries, noise)
    }

    fn covariance(
        &self,
        queries: &P,
        output: usize,
        noise: Noise,
    ) -> Result<Mat<P::Scalar>, Error> {
        Posterior::covariance(self, queries, output, noise, &MemoryBudget::available())
    }

    fn sample(&self, queries: &P, output: usize, draws: Draws) -> Result<Mat<P::Scalar>, Error> {
        Posterior::sample(self, queries, output, draws, &MemoryBudget::available())
    }
}

/// Models with a kernel expansion, a posterior, or a learned metric.
macro_rules! parts {
    ($($model:ident<_ $(, $more:ty)?>),+) => {$(
        impl<P: Points, K: Kernel<P>> Parts<P> for $model<KernelExpansion<P, K> $(, $more)?> {
            fn expansion(&self) -> Option<Expansion<'_, P::Scalar>> {
                let decision = self.decision();
                Some((decision.coefficients(), decision.kernel_intercepts()))
            }
        }

        impl<P: Points, K: Kernel<P> + Display> Parts<P> for $model<Posterior<P, K> $(, $more)?> {
            fn expansion(&self) -> Option<Expansion<'_, P::Scalar>> {
                let mean = self.decision().mean();
                Some((mean.coefficients(), mean.intercepts().to_vec()))
            }

            fn posterior(&self) -> Option<&dyn Distribution<P>> {
                Some(self.decision())
            }
        }

        impl<T: Scalar, K: Kernel<Samples<T>>> Parts<Samples<T>>
            for $model<MetricExpansion<T, K> $(, $more)?>
        {
            fn metric(&self) -> Option<Mat<f64>> {
                Some(self.decision().feature_matrix())
            }
        }
    )+};
}

parts!(
    Classifier<_, i64>,
    ProbabilisticClassifier<_, i64>,
    Regressor<_>,
    MultiRegressor<_>,
    NoveltyDetector<_>
);
impl<P: Points, K, Y: kern_solvers::knn::Known, E, W> Parts<P> for Neighbors<P, K, Y, E, W> {}
impl<P: Points, K: Kernel<P>> Parts<P> for Components<KernelExpansion<P, K>> {
    fn expansion(&self) -> Option<Expansion<'_, P::Scalar>> {
        let decision = self.decision();
        Some((decision.coefficients(), decision.intercepts().to_vec()))
    }

    fn spectrum(&self) -> Option<&dyn Spectrum<P>> {
        Some(self)
    }

    fn eigenvalues(&self) -> Option<&[f64]> {
        Some(Components::eigenvalues(self))
    }
}

impl<P: Points, K: Kernel<P> + Display> Parts<P>
    for ProbabilisticClassifier<LatentPosterior<P, K>, i64>
{
    fn process(&self) -> Option<(String, f64, f64)> {
        let posterior = self.decision();
        Some((posterior.kernel().to_string(), 0.0, posterior.log_likelihood()))
    }
}

impl<P: Points, D> Parts<P> for Clusters<D> {}
impl<P: Points, D> Parts<P> for SoftClusters<D> {}
impl<P: Points, D> Parts<P> for SpectralClusters<D> {
    fn eigenvalues(&self) -> Option<&[f64]> {
        Some(SpectralClusters::eigenvalues(self))
    }
}

/// The methods that all models share.
macro_rules! shared {
    () => {
        fn parts(&self) -> &dyn Parts<P> {
            &self.0
        }

        fn report(&self) -> &Report {
            Model::<P>::report(&self.0)
        }

        fn bytes(&self, encoding: Encoding) -> Result<Vec<u8>, file::Error> {
            file::to_bytes(&self.0, encoding)
        }

        fn kind(&self) -> String {
            M::name().into_owned()
        }
    };
}

/// A classifier.
pub(crate) struct Classified<M>(pub(crate) M);

impl<P, M> Fitted<P> for Classified<M>
where
    P: Points,
    M: Model<P, Answer = Vec<i64>>
        + DecisionValues<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        Some(self.0.decision_values(points))
    }

    fn classes(&self) -> Option<&[i64]> {
        Some(self.0.classes())
    }

    shared!();
}

/// A classifier with probabilities.
pub(crate) struct Probable<M>(pub(crate) M);

impl<P, M> Fitted<P> for Probable<M>
where
    P: Points,
    M: Model<P, Answer = Vec<i64>>
        + DecisionValues<P>
        + Probabilities<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        Some(self.0.decision_values(points))
    }

    fn probabilities(&self, points: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        Some(self.0.predict_proba(points))
    }

    fn classes(&self) -> Option<&[i64]> {
        Some(self.0.classes())
    }

    shared!();
}

/// Nearest-neighbour votes: a classifier with vote fractions and without decision values.
pub(crate) struct Voted<M>(pub(crate) M);

impl<P, M> Fitted<P> for Voted<M>
where
    P: Points,
    M: Model<P, Answer = Vec<i64>>
        + Probabilities<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn probabilities(&self, points: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        Some(self.0.predict_proba(points))
    }

    fn classes(&self) -> Option<&[i64]> {
        Some(self.0.classes())
    }

    shared!();
}

/// A regressor with one output.
pub(crate) struct Regressed<M>(pub(crate) M);

impl<P, M> Fitted<P> for Regressed<M>
where
    P: Points,
    M: Model<P, Answer = Vec<P::Scalar>> + Named + Serialize + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        self.0.predict(points).map(Answer::Numbers)
    }

    shared!();
}

/// A regressor with several outputs.
pub(crate) struct Several<M>(pub(crate) M);

impl<P, M> Fitted<P> for Several<M>
where
    P: Points,
    M: Model<P, Answer = Mat<P::Scalar>> + Named + Serialize + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        self.0.predict(points).map(Answer::Matrix)
    }

    shared!();
}

/// A novelty detector: 1 for inliers, −1 for outliers, as in scikit-learn.
pub(crate) struct Region<M>(pub(crate) M);

impl<P, M> Fitted<P> for Region<M>
where
    P: Points,
    M: Model<P, Answer = Vec<bool>> + DecisionValues<P> + Named + Serialize + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        let inside = self.0.predict(points)?;
        Ok(Answer::Labels(inside.into_iter().map(|inside| if inside { 1 } else { -1 }).collect()))
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<P::Scalar>, Error>> {
        Some(self.0.decision_values(points))
    }

    shared!();
}

/// A clustering that stores the labels of its training points.
pub(crate) trait Partition {
    fn numbers(&self) -> Vec<usize>;
}

impl<D> Partition for Clusters<D> {
    fn numbers(&self) -> Vec<usize> {
        self.labels().to_vec()
    }
}

impl<D> Partition for SoftClusters<D> {
    fn numbers(&self) -> Vec<usize> {
        self.labels()
    }
}

impl<D> Partition for SpectralClusters<D> {
    fn numbers(&self) -> Vec<usize> {
        self.labels().to_vec()
    }
}

/// Clusters.
pub(crate) struct Clustered<M>(pub(crate) M);

impl<P, M> Fitted<P> for Clustered<M>
where
    P: Points,
    M: Model<P, Answer = Vec<usize>> + Partition + Named + Serialize + Parts<P>,
{
    fn predict(&self, points: &P) -> Result<Answer<P::Scalar>, Error> {
        Ok(Answer::Labels(signed(self.0.predict(points)?)))
    }

    fn labels(&self) -> Option<Vec<i64>> {
        Some(signed(self.0.numbers()))
    }

    shared!();
}

fn signed(numbers: Vec<usize>) -> Vec<i64> {
    numbers.into_iter().map(|number| number as i64).collect()
}
