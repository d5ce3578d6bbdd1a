//! Models of all learners, by what they answer.

use kern_core::faer::{Mat, MatRef};
use kern_core::{Kernel, Named, Points};
use kern_solvers::knn::Neighbors;
use kern_solvers::model::{
    Classifier, Clusters, KernelExpansion, MultiRegressor, NoveltyDetector,
    ProbabilisticClassifier, Regressor, SoftClusters,
};
use kern_solvers::{Classes, DecisionValues, Error, Model, Probabilities, Report};
use kern_table::file::{self, Encoding};
use serde::Serialize;

/// The answers to a question.
pub(crate) enum Answer {
    Labels(Vec<i64>),
    Numbers(Vec<f64>),
    Matrix(Mat<f64>),
}

/// A model of points `P`.
pub(crate) trait Fitted<P>: Send + Sync {
    fn predict(&self, points: &P) -> Result<Answer, Error>;
    fn decision(&self, _: &P) -> Option<Result<Mat<f64>, Error>> {
        None
    }
    fn probabilities(&self, _: &P) -> Option<Result<Mat<f64>, Error>> {
        None
    }
    fn classes(&self) -> Option<&[i64]> {
        None
    }
    fn labels(&self) -> Option<Vec<i64>> {
        None
    }
    fn expansion(&self) -> Option<Expansion<'_>>;
    fn report(&self) -> &Report;
    fn bytes(&self, encoding: Encoding) -> Result<Vec<u8>, file::Error>;
    fn kind(&self) -> String;
}

/// Coefficients, points × functions, and an intercept for each function.
pub(crate) type Expansion<'a> = (MatRef<'a, f64>, &'a [f64]);

/// Functions in the span of a kernel at points of the fit, where a model is made of them.
pub(crate) trait Expanded {
    fn expansion(&self) -> Option<Expansion<'_>> {
        None
    }
}

macro_rules! expanded {
    ($($model:ty),+) => {$(
        impl<P: Points<Scalar = f64>, K: Kernel<P>> Expanded for $model {
            fn expansion(&self) -> Option<Expansion<'_>> {
                let decision = self.decision();
                Some((decision.coefficients(), decision.intercepts()))
            }
        }
    )+};
}

expanded!(
    Classifier<KernelExpansion<P, K>, i64>,
    ProbabilisticClassifier<KernelExpansion<P, K>, i64>,
    Regressor<KernelExpansion<P, K>>,
    MultiRegressor<KernelExpansion<P, K>>,
    NoveltyDetector<KernelExpansion<P, K>>
);
impl<P: Points, K, Y: kern_solvers::knn::Known, E, W> Expanded for Neighbors<P, K, Y, E, W> {}
impl<D> Expanded for Clusters<D> {}
impl<D> Expanded for SoftClusters<D> {}

/// The methods that all models share.
macro_rules! shared {
    () => {
        fn expansion(&self) -> Option<Expansion<'_>> {
            self.0.expansion()
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
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<i64>>
        + DecisionValues<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<f64>, Error>> {
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
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<i64>>
        + DecisionValues<P>
        + Probabilities<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<f64>, Error>> {
        Some(self.0.decision_values(points))
    }

    fn probabilities(&self, points: &P) -> Option<Result<Mat<f64>, Error>> {
        Some(self.0.predict_proba(points))
    }

    fn classes(&self) -> Option<&[i64]> {
        Some(self.0.classes())
    }

    shared!();
}

/// Votes of neighbours: a classifier with shares, and without decision values.
pub(crate) struct Voted<M>(pub(crate) M);

impl<P, M> Fitted<P> for Voted<M>
where
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<i64>>
        + Probabilities<P>
        + Classes<Label = i64>
        + Named
        + Serialize
        + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        self.0.predict(points).map(Answer::Labels)
    }

    fn probabilities(&self, points: &P) -> Option<Result<Mat<f64>, Error>> {
        Some(self.0.predict_proba(points))
    }

    fn classes(&self) -> Option<&[i64]> {
        Some(self.0.classes())
    }

    shared!();
}

/// A function of one output.
pub(crate) struct Regressed<M>(pub(crate) M);

impl<P, M> Fitted<P> for Regressed<M>
where
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<f64>> + Named + Serialize + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        self.0.predict(points).map(Answer::Numbers)
    }

    shared!();
}

/// A function of several outputs.
pub(crate) struct Several<M>(pub(crate) M);

impl<P, M> Fitted<P> for Several<M>
where
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Mat<f64>> + Named + Serialize + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        self.0.predict(points).map(Answer::Matrix)
    }

    shared!();
}

/// A region: 1 inside, −1 outside, as in scikit-learn.
pub(crate) struct Region<M>(pub(crate) M);

impl<P, M> Fitted<P> for Region<M>
where
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<bool>> + DecisionValues<P> + Named + Serialize + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
        let inside = self.0.predict(points)?;
        Ok(Answer::Labels(inside.into_iter().map(|inside| if inside { 1 } else { -1 }).collect()))
    }

    fn decision(&self, points: &P) -> Option<Result<Mat<f64>, Error>> {
        Some(self.0.decision_values(points))
    }

    shared!();
}

/// A partition, whose labels of the points that it was made from are kept.
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

/// Clusters.
pub(crate) struct Clustered<M>(pub(crate) M);

impl<P, M> Fitted<P> for Clustered<M>
where
    P: Points<Scalar = f64>,
    M: Model<P, Answer = Vec<usize>> + Partition + Named + Serialize + Expanded,
{
    fn predict(&self, points: &P) -> Result<Answer, Error> {
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
