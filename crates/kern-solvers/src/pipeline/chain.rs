//! A transformer followed by a learner.

use crate::model::Format;
use crate::{
    Classes, Data, DecisionValues, Error, Learner, Model, Probabilities, Report, Run, Same,
    Targets, Transformer, fit_sugar,
};
use faer::Mat;
use kern_core::parameters::{Parameters, Setting};
use kern_core::{Named, Points, named, named_parameters};
use serde::{Deserialize, Serialize};

/// The learner of a transformer, followed by a learner on its output.
///
/// `first` fits a [`Transformer`] to the points, `then` is fitted to the transformed points, with
/// the same targets, weights and groups. Pipelines nest on both sides. The hyper-parameters of
/// `then` keep their names; those of `first` have the prefix `map.`.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf, parameters::Parameters};
/// use kern_solvers::pipeline::MinMax;
/// use kern_solvers::ridge::Ridge;
/// use kern_solvers::validation::{Split, cross_validate, R2};
/// use kern_solvers::Data;
/// let x = Samples::from_rows(&[[0.0], [100.0], [200.0], [300.0], [400.0], [500.0]])?;
/// let mut pipeline = MinMax::new().then(Ridge::on_kernel(Rbf::new(2.0)?));
/// pipeline.set_parameter("lambda", &1e-6.into())?;
/// let data = Data::new(&x, &[0.0, 1.0, 4.0, 9.0, 16.0, 25.0])?;
/// // The range is that of the points of each fold.
/// let scores = cross_validate(&pipeline, &data, &Split::k_fold(3), &R2)?;
/// assert_eq!(scores.folds().len(), 3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pipeline<A, L> {
    first: A,
    then: L,
}

impl<A, L> Pipeline<A, L> {
    /// `first`, followed by `then` on the transformed points.
    pub const fn new(first: A, then: L) -> Self {
        Self { first, then }
    }

    /// The learner of the transformer.
    pub const fn first(&self) -> &A {
        &self.first
    }

    /// The learner on the transformed points.
    pub const fn last(&self) -> &L {
        &self.then
    }

    /// Appends another learner.
    pub const fn then<M>(self, learner: M) -> Pipeline<Self, M> {
        Pipeline::new(self, learner)
    }

    fit_sugar!(supervised);
}

impl<P, Y, A, L> Learner<P, Y> for Pipeline<A, L>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Transformer<P> + Clone>,
    L: Learner<<A::Model as Transformer<P>>::Output, Y>,
{
    type Model = Piped<A::Model, L::Model>;

    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error> {
        let (map, images, mut run) = self.images(data, run)?;
        let model = self.then.learn(&data.with_points(&images)?, &mut run)?;
        Ok(Piped::of(map, model))
    }

    /// Returns true if the last learner has this path.
    fn has_path(&self, name: &str) -> bool {
        self.then.has_path(name)
    }

    fn learn_path(
        &self,
        name: &str,
        values: &[Setting],
        data: &Data<'_, P, Y>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        let (map, images, mut run) = self.images(data, run)?;
        let models = self.then.learn_path(name, values, &data.with_points(&images)?, &mut run)?;
        Ok(models.into_iter().map(|model| Piped::of(map.clone(), model)).collect())
    }
}

/// A fitted transformer, the transformed points, and the remaining run.
type Images<'r, P, A> = (A, <A as Transformer<P>>::Output, Run<'r>);

impl<A, L> Pipeline<A, L> {
    fn images<'r, P, Y>(
        &self,
        data: &Data<'_, P, Y>,
        run: &'r mut Run<'_>,
    ) -> Result<Images<'r, P, A::Model>, Error>
    where
        P: Points,
        Y: Targets,
        A: Learner<P, Y, Model: Transformer<P>>,
    {
        let memory = run.budget();
        let map = self.first.learn(data, &mut run.part(memory))?;
        let needed = map.bytes(data.points());
        memory.require("what a pipeline makes of the points", needed, "take fewer points")?;
        let images = map.transform(data.points())?;
        let rest = kern_gram::MemoryBudget::bytes(memory.as_bytes() - needed);
        Ok((map, images, run.part(rest)))
    }
}

named_parameters!(
    [A: Parameters, L: Parameters] Pipeline<A, L> {} with then, first under "map"
);

/// A fitted transformer and the model on its output, which may be a transformer again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "A: Named + Serialize, M: Named + Serialize",
    deserialize = "A: Named + Deserialize<'de>, M: Named + Deserialize<'de>"
))]
pub struct Piped<A, M> {
    format: Format<Self>,
    map: A,
    model: M,
}

named! { [A: Named, M: Named] Piped<A, M> = "pipeline", of A, M; }

impl<A, M> Piped<A, M> {
    /// Combines a transformer and a model on its output, whatever their origin.
    pub fn of(map: A, model: M) -> Self {
        Self { format: Format::default(), map, model }
    }

    /// The transformer.
    pub fn map(&self) -> &A {
        &self.map
    }

    /// The model on the transformed points.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The predictions at points, in order.
    ///
    /// # Errors
    /// As [`Transformer::transform`] and [`Model::predict`].
    pub fn predict<P, This>(&self, points: &P) -> Result<This::Answer, Error>
    where
        P: Points + Same<Self, This>,
        This: Model<P>,
    {
        <P as Same<Self, This>>::same(self).predict(points)
    }
}

impl<P, A, M> Model<P> for Piped<A, M>
where
    P: Points,
    A: Transformer<P>,
    M: Model<A::Output>,
{
    type Answer = M::Answer;

    fn predict(&self, points: &P) -> Result<Self::Answer, Error> {
        self.model.predict(&self.map.transform(points)?)
    }

    fn report(&self) -> &Report {
        self.model.report()
    }
}

impl<P, A, M> DecisionValues<P> for Piped<A, M>
where
    P: Points,
    A: Transformer<P, Output: Points<Scalar = P::Scalar>>,
    M: DecisionValues<A::Output>,
{
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.model.decision_values(&self.map.transform(points)?)
    }
}

impl<A, M: Classes> Classes for Piped<A, M> {
    type Label = M::Label;

    fn classes(&self) -> &[M::Label] {
        self.model.classes()
    }
}

impl<P, A, M> Probabilities<P> for Piped<A, M>
where
    P: Points,
    A: Transformer<P, Output: Points<Scalar = P::Scalar>>,
    M: Probabilities<A::Output>,
{
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.model.predict_proba(&self.map.transform(points)?)
    }
}

impl<P, A, B> Transformer<P> for Piped<A, B>
where
    P: Points,
    A: Transformer<P>,
    B: Transformer<A::Output>,
{
    type Output = B::Output;

    fn transform(&self, points: &P) -> Result<B::Output, Error> {
        self.model.transform(&self.map.transform(points)?)
    }
}
