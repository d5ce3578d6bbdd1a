//! Learning from a stream, and going on from a model.

use super::fit::{Known, Learned, Space};
use super::problem::{Problem, Progressed};
use super::vector::Vector;
use super::{Loss, OnFeatures, OnKernel, Sgd};
use crate::arithmetic::{converted, inner};
use crate::labels::{Encoded, check_targets};
use crate::model::{Classifier, Decision, FeatureModel, KernelModel, Regressor};
use crate::plan::Way;
use crate::{Error, Label, Observer, Report};
use faer::{Mat, MatRef};
use kern_core::{Concat, FeatureMap, Mercer, Points, Scalar};
use kern_gram::parallel;

/// A [`Space`] in which one can go on: with the points so far, and others after them.
///
/// Sealed: its methods take types that cannot be named outside.
pub trait Resume<P: Points>: Space<P> + Clone {
    /// What is known after a run.
    #[doc(hidden)]
    fn grow(
        known: Option<&Known<P, Self::Number>>,
        points: &P,
        learned: Learned<Self::Number>,
    ) -> Result<Known<P, Self::Number>, Error>;

    /// The model of what is known.
    #[doc(hidden)]
    fn known_model(
        self,
        known: &Known<P, Self::Number>,
        answer: Mat<Self::Number>,
    ) -> Result<Self::Model, Error>;

    /// What a model knows.
    #[doc(hidden)]
    fn knows(&self, model: &Self::Model) -> Result<Known<P, Self::Number>, Error>;
}

impl<T, P, K> Resume<P> for OnKernel<K>
where
    T: Scalar,
    P: Concat<Scalar = T> + Clone,
    P::Item: PartialEq,
    K: Mercer<P> + Clone,
{
    fn grow(
        known: Option<&Known<P, f64>>,
        points: &P,
        learned: Learned<f64>,
    ) -> Result<Known<P, f64>, Error> {
        let Learned { vector, squared_norm, .. } = learned;
        let Some(old) = known.and_then(|known| known.points.as_ref()) else {
            let (points, vector) = used(points, &vector)?;
            return Ok(Known { points: Some(points), vector, squared_norm });
        };
        let (points, vector) = match places(old, points) {
            Some(places) => used(points, &vector.merged(&places))?,
            None => used(&old.concat(points)?, &vector)?,
        };
        Ok(Known { points: Some(points), vector, squared_norm })
    }

    fn known_model(self, known: &Known<P, f64>, u: Mat<f64>) -> Result<Self::Model, Error> {
        let points = known.points.as_ref().ok_or(Error::Empty)?;
        self.into_model(points, u, Way::Auto)
    }

    fn knows(&self, model: &KernelModel<P, K>) -> Result<Known<P, f64>, Error> {
        refuse_intercepts(model.intercepts())?;
        let coefficients = model.coefficients();
        let v: Mat<f64> = converted(coefficients)?;
        let fitted = model.decide(model.points())?;
        let squared_norm = inner(v.as_ref(), fitted.as_ref());
        let points = Some(model.points().clone());
        Ok(Known { points, vector: Vector::starting_at(v), squared_norm })
    }
}

impl<T, P, M> Resume<P> for OnFeatures<M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P> + Clone,
{
    fn grow(_: Option<&Known<P, T>>, _: &P, learned: Learned<T>) -> Result<Known<P, T>, Error> {
        let Learned { vector, squared_norm, .. } = learned;
        Ok(Known { points: None, vector, squared_norm })
    }

    fn known_model(self, _: &Known<P, T>, w: Mat<T>) -> Result<Self::Model, Error> {
        Ok(FeatureModel::new(self.map, w))
    }

    fn knows(&self, model: &FeatureModel<M, T>) -> Result<Known<P, T>, Error> {
        refuse_intercepts(model.intercepts())?;
        let w = model.weights();
        let expected = (self.map.dim(), w.ncols());
        kern_gram::Error::check_shape("the weights", expected, w.shape())?;
        let squared_norm = inner(w, w);
        let vector = Vector::starting_at(w.to_owned());
        Ok(Known { points: None, vector, squared_norm })
    }
}

/// The iterate has no intercept, and a function that began without its own would be another one.
fn refuse_intercepts<T: Scalar>(intercepts: &[T]) -> Result<(), Error> {
    match intercepts.iter().find(|&&b| b != T::ZERO) {
        Some(b) => Err(Error::Intercept { given: b.to_f64() }),
        None => Ok(()),
    }
}

/// Where each of the old points is among the others, if they are all there in their order: then
/// learning went on with the same points, and theirs are the same coefficients.
fn places<P: Points>(old: &P, points: &P) -> Option<Vec<usize>>
where
    P::Item: PartialEq,
{
    let mut places = Vec::with_capacity(old.len());
    for i in 0..points.len() {
        if places.len() < old.len() && old.item(places.len()) == points.item(i) {
            places.push(i);
        }
    }
    (places.len() == old.len()).then_some(places)
}

/// The points that have a coefficient, now or in the sum of iterates.
fn used<P: Points>(points: &P, vector: &Vector<f64>) -> Result<(P, Vector<f64>), Error> {
    let used: Vec<usize> = (0..points.len()).filter(|&i| vector.uses(i)).collect();
    Ok((points.select(&used)?, vector.selected(&used)?))
}

/// What the stream has come to.
#[derive(Clone, Debug)]
struct State<P, N: Scalar> {
    known: Option<Known<P, N>>,
    progressed: Progressed,
    report: Option<Report>,
}

impl<P, N: Scalar> State<P, N> {
    fn new(known: Option<Known<P, N>>) -> Self {
        Self { known, progressed: Progressed::default(), report: None }
    }

    /// A run on some more points. If it fails nothing has changed.
    fn advance<S>(
        &mut self,
        sgd: &Sgd<S>,
        points: &P,
        (targets, loss): (MatRef<'_, P::Scalar>, Loss),
        observer: Option<&mut dyn Observer>,
    ) -> Result<(), Error>
    where
        P: Points,
        S: Resume<P, Number = N>,
    {
        check_targets(points.len(), targets)?;
        let problem = Problem::new(targets, loss, &sgd.settings, self.progressed)?;
        let known = self.known.as_ref();
        let run = || sgd.space.learn(points, &problem, &sgd.settings, known, observer);
        let learned = parallel::in_pool(run)?;
        let outcome = learned.outcome;
        let report = learned.report();
        self.known = Some(S::grow(self.known.as_ref(), points, learned)?);
        self.progressed = Progressed { steps: outcome.iterations, averaged: outcome.averaged };
        self.report = Some(report);
        Ok(())
    }

    /// The model and the report of the last run; nothing before the first one.
    fn model<S>(&self, sgd: &Sgd<S>) -> Result<(S::Model, Report), Error>
    where
        P: Points,
        S: Resume<P, Number = N>,
    {
        let (Some(known), Some(report)) = (&self.known, self.report) else {
            return Err(Error::Empty);
        };
        let answer = known.vector.answer(self.progressed.averaged);
        Ok((sgd.space.clone().known_model(known, answer)?, report))
    }
}

/// A classifier that learns from a stream, part by part, or goes on from a model.
///
/// Each part is learned by a run of as many steps as the parameters say (`epochs` count the points of
/// the part), from where the last one ended: step sizes α_t, averages and the decay of L2 go on. On a
/// kernel, points of all parts become part of the expansion; going on with the points of the model
/// itself, in their order, changes their coefficients and adds none.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::sgd::Sgd;
/// let mut stream = Sgd::on_kernel(Rbf::new(1.0)?).epochs(5).online_classifier(&["far", "near"])?;
/// stream.partial_fit(&Samples::from_rows(&[[0.0], [0.1], [3.0]])?, &["near", "near", "far"])?;
/// stream.partial_fit(&Samples::from_rows(&[[3.1], [2.9]])?, &["far", "far"])?;
/// let model = stream.model()?;
/// assert_eq!(model.predict(&Samples::from_rows(&[[0.05], [3.0]])?)?, ["near", "far"]);
/// // Warm start: once more over points that a model was learned from.
/// let x = Samples::from_rows(&[[0.0], [3.0]])?;
/// let mut again = Sgd::on_kernel(Rbf::new(1.0)?).resume_classifier(&model)?;
/// again.partial_fit(&x, &["near", "far"])?;
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnlineClassifier<S: Space<P>, P: Points, L> {
    sgd: Sgd<S>,
    classes: Vec<L>,
    state: State<P, S::Number>,
}

impl<S: Resume<P>, P: Points, L: Label> OnlineClassifier<S, P, L> {
    /// Learns from some more points.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] for a label that is not among the classes; as
    /// [`Sgd::fit_classifier`], except that a part may have points of one class only. What was
    /// learned before is kept.
    pub fn partial_fit(&mut self, points: &P, labels: &[L]) -> Result<(), Error> {
        self.advance(points, labels, None)
    }

    /// [`partial_fit`](OnlineClassifier::partial_fit), watched by an observer once per epoch.
    ///
    /// # Errors
    /// As [`partial_fit`](OnlineClassifier::partial_fit).
    pub fn partial_fit_observed(
        &mut self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        self.advance(points, labels, Some(observer))
    }

    fn advance(
        &mut self,
        points: &P,
        labels: &[L],
        observer: Option<&mut dyn Observer>,
    ) -> Result<(), Error> {
        let labels = Encoded::among(self.classes.clone(), points.len(), labels)?;
        let settings = &self.sgd.settings;
        let signs = labels.signs(&settings.budget())?;
        let task = (signs.as_ref(), settings.class_loss());
        self.state.advance(&self.sgd, points, task, observer)
    }

    /// The model that the stream has come to, with the report of the last part.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first part.
    pub fn model(&self) -> Result<Classifier<S::Model, L>, Error> {
        let (model, report) = self.state.model(&self.sgd)?;
        Ok(Classifier::new(model, self.classes.clone(), report))
    }
}

/// A regressor with one output that learns from a stream; see [`OnlineClassifier`].
///
/// # Examples
/// ```
/// use kern_core::{Identity, Samples};
/// use kern_solvers::sgd::{Averaging, Sgd};
/// let sgd = Sgd::on_features(Identity::new(1)).averaging(Averaging::Uniform);
/// let mut stream = sgd.online_regressor();
/// for part in [[[1.0], [2.0]], [[3.0], [0.5]]] {
///     let y = part.map(|x: [f64; 1]| 3.0 * x[0]);
///     stream.partial_fit(&Samples::from_rows(&part)?, &y)?;
/// }
/// let w = stream.model()?.decision().weights()[(0, 0)];
/// assert!((w - 3.0_f64).abs() < 0.3);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnlineRegressor<S: Space<P>, P: Points> {
    sgd: Sgd<S>,
    state: State<P, S::Number>,
}

impl<S: Resume<P>, P: Points> OnlineRegressor<S, P> {
    /// Learns from some more points.
    ///
    /// # Errors
    /// As [`Sgd::fit`]. What was learned before is kept.
    pub fn partial_fit(&mut self, points: &P, targets: &[P::Scalar]) -> Result<(), Error> {
        let y = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let loss = self.sgd.settings.regression_loss()?;
        self.state.advance(&self.sgd, points, (y, loss), None)
    }

    /// The model that the stream has come to, with the report of the last part.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first part.
    pub fn model(&self) -> Result<Regressor<S::Model>, Error> {
        let (model, report) = self.state.model(&self.sgd)?;
        Ok(Regressor::new(model, report))
    }
}

impl<S> Sgd<S> {
    /// A classifier of these classes that learns from a stream.
    ///
    /// # Errors
    /// [`Error::OneClass`] unless there are two different ones at least.
    pub fn online_classifier<P, L>(self, classes: &[L]) -> Result<OnlineClassifier<S, P, L>, Error>
    where
        P: Points,
        S: Resume<P>,
        L: Label,
    {
        let classes = Encoded::new(classes.len(), classes)?.classes;
        Ok(OnlineClassifier { sgd: self, classes, state: State::new(None) })
    }

    /// A classifier that goes on from a model, whichever solver made it: a warm start. Steps are
    /// counted from 1 again.
    ///
    /// # Errors
    /// [`Error::Intercept`] for a model with an intercept; if it does not belong to the feature map, or
    /// its points are refused.
    pub fn resume_classifier<P, L>(
        self,
        model: &Classifier<S::Model, L>,
    ) -> Result<OnlineClassifier<S, P, L>, Error>
    where
        P: Points,
        S: Resume<P>,
        L: Label,
    {
        let known = self.space.knows(model.decision())?;
        let state = State::new(Some(known));
        Ok(OnlineClassifier { sgd: self, classes: model.classes().to_vec(), state })
    }

    /// A regressor that learns from a stream.
    pub fn online_regressor<P>(self) -> OnlineRegressor<S, P>
    where
        P: Points,
        S: Resume<P>,
    {
        OnlineRegressor { sgd: self, state: State::new(None) }
    }

    /// A regressor that goes on from a model, as
    /// [`resume_classifier`](Sgd::resume_classifier) does.
    ///
    /// # Errors
    /// As [`resume_classifier`](Sgd::resume_classifier).
    pub fn resume_regressor<P>(
        self,
        model: &Regressor<S::Model>,
    ) -> Result<OnlineRegressor<S, P>, Error>
    where
        P: Points,
        S: Resume<P>,
    {
        let known = self.space.knows(model.decision())?;
        Ok(OnlineRegressor { sgd: self, state: State::new(Some(known)) })
    }
}
