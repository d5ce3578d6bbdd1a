//! Online SGD: `partial_fit` on a stream of data, and warm starts from a model.

use super::averaging::Vector;
use super::regularised_risk::{Descent, Progressed};
use super::stochastic_gradient_descent::{Known, Reached, SgdSpace};
use super::{Loss, Sgd, u_space, w_space};
use crate::classes::Encoded;
use crate::model::{Classifier, Decision, FeatureExpansion, KernelExpansion, Regressor, Vote};
use crate::space::{OnFeatures, OnKernel};
use crate::{Data, Error, Label, Labels, Report, Run, Values};
use faer::{Mat, MatRef};
use kern_approx::statistics::check_targets;
use kern_core::memory::converted;
use kern_core::{Concat, FeatureMap, Mercer, Points, Scalar};
use kern_gram::numerics::arithmetic::inner;

/// A space in which SGD can be resumed, with the points so far and with new ones.
///
/// Sealed: its methods take types that cannot be named outside.
pub trait Resume<P: Points>: SgdSpace<P> {
    /// The scalar type of the coefficients.
    #[doc(hidden)]
    type Number: Scalar;

    /// Runs SGD on some points, from the state `known`.
    #[doc(hidden)]
    fn reach(
        &self,
        points: &P,
        descent: &Descent<'_, P::Scalar>,
        known: Option<&Known<P, Self::Number>>,
        run: &mut Run<'_>,
    ) -> Result<Reached<Self::Number>, Error>;

    /// The state after a run.
    #[doc(hidden)]
    fn grow(
        known: Option<&Known<P, Self::Number>>,
        points: &P,
        reached: Reached<Self::Number>,
    ) -> Result<Known<P, Self::Number>, Error>;

    /// The function of a state.
    #[doc(hidden)]
    fn function(
        &self,
        known: &Known<P, Self::Number>,
        answer: Mat<Self::Number>,
    ) -> Result<Self::Function, Error>;

    /// The state of a function, for a warm start.
    #[doc(hidden)]
    fn knows(&self, function: &Self::Function) -> Result<Known<P, Self::Number>, Error>;
}

impl<T, P, K> Resume<P> for OnKernel<K>
where
    T: Scalar,
    P: Concat<Scalar = T> + Clone,
    P::Item: PartialEq,
    K: Mercer<P> + Clone,
{
    type Number = f64;

    fn reach(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        known: Option<&Known<P, f64>>,
        run: &mut Run<'_>,
    ) -> Result<Reached<f64>, Error> {
        u_space::reach(&self.kernel, points, descent, known, run)
    }

    fn grow(
        known: Option<&Known<P, f64>>,
        points: &P,
        reached: Reached<f64>,
    ) -> Result<Known<P, f64>, Error> {
        let Reached { vector, squared_norm, .. } = reached;
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

    fn function(&self, known: &Known<P, f64>, u: Mat<f64>) -> Result<Self::Function, Error> {
        let points = known.points.as_ref().ok_or(Error::Empty)?;
        KernelExpansion::new(self.kernel.clone(), points, converted(u.as_ref())?.as_ref())
    }

    fn knows(&self, function: &KernelExpansion<P, K>) -> Result<Known<P, f64>, Error> {
        refuse_intercepts(function.intercepts())?;
        let v: Mat<f64> = converted(function.coefficients())?;
        let fitted = function.decide(function.points())?;
        let squared_norm = inner(v.as_ref(), fitted.as_ref());
        let points = Some(function.points().clone());
        Ok(Known { points, vector: Vector::starting_at(v), squared_norm })
    }
}

impl<T, P, M> Resume<P> for OnFeatures<M>
where
    T: Scalar,
    P: Points<Scalar = T>,
    M: FeatureMap<P> + Clone,
{
    type Number = T;

    fn reach(
        &self,
        points: &P,
        descent: &Descent<'_, T>,
        known: Option<&Known<P, T>>,
        run: &mut Run<'_>,
    ) -> Result<Reached<T>, Error> {
        w_space::reach(&self.map, points, descent, known, run)
    }

    fn grow(_: Option<&Known<P, T>>, _: &P, reached: Reached<T>) -> Result<Known<P, T>, Error> {
        let Reached { vector, squared_norm, .. } = reached;
        Ok(Known { points: None, vector, squared_norm })
    }

    fn function(&self, _: &Known<P, T>, w: Mat<T>) -> Result<Self::Function, Error> {
        Ok(FeatureExpansion::new(self.map.clone(), w))
    }

    fn knows(&self, function: &FeatureExpansion<M, T>) -> Result<Known<P, T>, Error> {
        refuse_intercepts(function.intercepts())?;
        let w = function.weights();
        let expected = (self.map.dim(), w.ncols());
        kern_gram::Error::check_shape("the weights", expected, w.shape())?;
        let squared_norm = inner(w, w);
        let vector = Vector::starting_at(w.to_owned());
        Ok(Known { points: None, vector, squared_norm })
    }
}

/// Refuses a function with intercepts: the iterate has none, so that the start would be another
/// function.
fn refuse_intercepts<T: Scalar>(intercepts: &[T]) -> Result<(), Error> {
    match intercepts.iter().find(|&&b| b != T::ZERO) {
        Some(b) => Err(Error::Intercept { given: b.to_f64() }),
        None => Ok(()),
    }
}

/// The index of each old point among `points`, if they all occur there in their order: then
/// training continues on the same points, and their coefficients are added up.
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

/// The points with a nonzero coefficient, now or in the sum of iterates.
fn used<P: Points>(points: &P, vector: &Vector<f64>) -> Result<(P, Vector<f64>), Error> {
    let used: Vec<usize> = (0..points.len()).filter(|&i| vector.uses(i)).collect();
    Ok((points.select(&used)?, vector.selected(&used)?))
}

/// The state of a stream.
#[derive(Clone, Debug)]
struct Stream<P, N: Scalar> {
    known: Option<Known<P, N>>,
    progressed: Progressed,
    report: Option<Report>,
}

impl<P, N: Scalar> Stream<P, N> {
    fn new(known: Option<Known<P, N>>) -> Self {
        Self { known, progressed: Progressed::default(), report: None }
    }

    /// Runs SGD on more points. An error leaves the stream unchanged.
    fn advance<S>(
        &mut self,
        sgd: &Sgd<S>,
        points: &P,
        targets: MatRef<'_, P::Scalar>,
        weights: Option<&[f64]>,
        loss: Loss,
        run: &mut Run<'_>,
    ) -> Result<(), Error>
    where
        P: Points,
        S: Resume<P, Number = N>,
    {
        check_targets(points.len(), targets)?;
        sgd.rules.check_stream()?;
        let descent = Descent::new(targets, weights, loss, &sgd.rules, self.progressed)?;
        let known = self.known.as_ref();
        let reached = sgd.space.reach(points, &descent, known, run)?;
        let (outcome, report) = (reached.outcome.clone(), reached.report());
        self.known = Some(S::grow(known, points, reached)?);
        self.progressed = Progressed { steps: outcome.iterations, averaged: outcome.averaged };
        self.report = Some(report);
        Ok(())
    }

    /// The function and the report of the last run; an error before the first one.
    fn function<S>(&self, sgd: &Sgd<S>) -> Result<(S::Function, Report), Error>
    where
        P: Points,
        S: Resume<P, Number = N>,
    {
        let (Some(known), Some(report)) = (&self.known, &self.report) else {
            return Err(Error::Empty);
        };
        let answer = known.vector.answer(self.progressed.averaged);
        Ok((sgd.space.function(known, answer)?, report.clone()))
    }
}

/// A classifier trained on a stream, part by part, or from a warm start.
///
/// Each part is a run of as many steps as the parameters set (`epochs` count the points of the
/// part), and continues where the last one ended: step sizes α_t, averages and the decay by λ go
/// on. On a kernel, the points of all parts enter the expansion. Training again on the points of
/// the model, in their order, changes their coefficients and adds no points.
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
pub struct OnlineClassifier<S: Resume<P>, P: Points, L> {
    sgd: Sgd<S>,
    classes: Vec<L>,
    stream: Stream<P, S::Number>,
}

impl<S: Resume<P>, P: Points, L: Label> OnlineClassifier<S, P, L> {
    /// Trains on more points, with unit weights and a run of defaults.
    ///
    /// # Errors
    /// As [`learn`](OnlineClassifier::learn).
    pub fn partial_fit(&mut self, points: &P, labels: &[L]) -> Result<(), Error> {
        self.learn(&Data::new(points, Labels::new(labels))?, &mut Run::new())
    }

    /// Trains on more points with their weights; the observer of the run is called after every
    /// epoch.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] for a label that is not among the classes; [`Error::NoClassWeight`]
    /// for a class without a point in this part, if classes have weights; else as [`Sgd::fit`],
    /// except that a part may have points of one class only. After an error the model of the
    /// earlier parts is kept.
    pub fn learn(&mut self, data: &Data<'_, P, Labels<L>>, run: &mut Run<'_>) -> Result<(), Error> {
        let labels = Encoded::among(self.classes.clone(), data.targets().as_slice())?;
        let rules = &self.sgd.rules;
        let weights = rules.weigh(&labels, data.sample_weights())?;
        let signs = labels.signs(&run.budget())?;
        let (targets, weights) = (signs.as_ref(), weights.as_deref());
        let loss = rules.class_loss();
        self.stream.advance(&self.sgd, data.points(), targets, weights, loss, run)
    }

    /// The current model, with the report of the last part.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first part.
    pub fn model(&self) -> Result<Classifier<S::Function, L>, Error> {
        let (function, report) = self.stream.function(&self.sgd)?;
        Ok(Classifier::new(function, self.classes.clone(), Vote::Argmax, report))
    }
}

/// A regressor with one output, trained on a stream; see [`OnlineClassifier`].
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
pub struct OnlineRegressor<S: Resume<P>, P: Points> {
    sgd: Sgd<S>,
    stream: Stream<P, S::Number>,
}

impl<S: Resume<P>, P: Points> OnlineRegressor<S, P> {
    /// Trains on more points, with unit weights and a run of defaults.
    ///
    /// # Errors
    /// As [`learn`](OnlineRegressor::learn).
    pub fn partial_fit(&mut self, points: &P, targets: &[P::Scalar]) -> Result<(), Error> {
        self.learn(&Data::new(points, Values::new(targets))?, &mut Run::new())
    }

    /// Trains on more points with their weights; the observer of the run is called after every
    /// epoch.
    ///
    /// # Errors
    /// As [`Sgd::fit`]. After an error the model of the earlier parts is kept.
    pub fn learn(
        &mut self,
        data: &Data<'_, P, Values<P::Scalar>>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let loss = self.sgd.rules.regression_loss()?;
        let (targets, weights) = (data.targets().as_mat(), data.sample_weights());
        self.stream.advance(&self.sgd, data.points(), targets, weights, loss, run)
    }

    /// The current model, with the report of the last part.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first part.
    pub fn model(&self) -> Result<Regressor<S::Function>, Error> {
        let (function, report) = self.stream.function(&self.sgd)?;
        Ok(Regressor::new(function, report))
    }
}

impl<S> Sgd<S> {
    /// A classifier of these classes for a stream.
    ///
    /// # Errors
    /// [`Error::OneClass`] for fewer than two different classes.
    pub fn online_classifier<P, L>(&self, classes: &[L]) -> Result<OnlineClassifier<S, P, L>, Error>
    where
        P: Points,
        S: Resume<P>,
        L: Label,
    {
        let classes = Encoded::new(&Labels::new(classes))?.classes;
        Ok(OnlineClassifier { sgd: self.clone(), classes, stream: Stream::new(None) })
    }

    /// A classifier that starts from the model of any solver: a warm start. The step count restarts
    /// at 1.
    ///
    /// # Errors
    /// [`Error::Intercept`] for a model with an intercept; an error also if the model does not fit
    /// the feature map, or the kernel refuses its points.
    pub fn resume_classifier<P, L>(
        &self,
        model: &Classifier<S::Function, L>,
    ) -> Result<OnlineClassifier<S, P, L>, Error>
    where
        P: Points,
        S: Resume<P>,
        L: Label,
    {
        let stream = Stream::new(Some(self.space.knows(model.decision())?));
        Ok(OnlineClassifier { sgd: self.clone(), classes: model.classes().to_vec(), stream })
    }

    /// A regressor for a stream.
    pub fn online_regressor<P>(&self) -> OnlineRegressor<S, P>
    where
        P: Points,
        S: Resume<P>,
    {
        OnlineRegressor { sgd: self.clone(), stream: Stream::new(None) }
    }

    /// A regressor that starts from a model, as [`resume_classifier`](Sgd::resume_classifier).
    ///
    /// # Errors
    /// As [`resume_classifier`](Sgd::resume_classifier).
    pub fn resume_regressor<P>(
        &self,
        model: &Regressor<S::Function>,
    ) -> Result<OnlineRegressor<S, P>, Error>
    where
        P: Points,
        S: Resume<P>,
    {
        let stream = Stream::new(Some(self.space.knows(model.decision())?));
        Ok(OnlineRegressor { sgd: self.clone(), stream })
    }
}
