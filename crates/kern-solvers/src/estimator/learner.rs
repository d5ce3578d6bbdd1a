//! Learners and models: the traits on which cross-validation, search and pipelines are built.
//!
//! A [`Learner`] holds hyper-parameters, checked against their declared domains, and turns data
//! into a [`Model`]. A model holds what a prediction needs; some models also have
//! [`DecisionValues`], [`Classes`] and [`Probabilities`].

use super::{Data, Run};
use crate::{Error, Report};
use faer::Mat;
use kern_core::parameters::{Declared, Domain, Setting};
use kern_core::{Decay, NonNegative, Points, Positive};

/// Hyper-parameters that turn data into a model.
///
/// `P` is the kind of points and `Y` the kind of targets: the same learner may classify
/// [`Labels`](super::Labels) and regress [`Values`](super::Values). All hyper-parameters are
/// checked by [`learn`](Learner::learn).
///
/// # Examples
/// A custom learner, which works with everything that accepts learners:
/// ```
/// use kern_core::Points;
/// use kern_solvers::{Data, Error, Learner, Model, Report, Run, Values};
///
/// #[derive(Clone)]
/// struct Mean;
/// struct Constant { value: f64, report: Report }
///
/// impl<P: Points> Learner<P, Values<f64>> for Mean {
///     type Model = Constant;
///     fn learn(&self, data: &Data<'_, P, Values<f64>>, _: &mut Run<'_>) -> Result<Constant, Error> {
///         let y = data.targets().as_slice();
///         Ok(Constant { value: y.iter().sum::<f64>() / y.len() as f64, report: Report::direct() })
///     }
/// }
/// impl<P: Points> Model<P> for Constant {
///     type Answer = Vec<f64>;
///     fn predict(&self, points: &P) -> Result<Vec<f64>, Error> {
///         Ok(vec![self.value; points.len()])
///     }
///     fn report(&self) -> &Report {
///         &self.report
///     }
/// }
///
/// let words = vec!["gram", "kernel"];
/// let model = Mean.learn(&Data::new(&words, &[1.0, 3.0])?, &mut Run::new())?;
/// assert_eq!(model.predict(&words)?, [2.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not learn targets `{Y}` of points `{P}`",
    note = "classifiers learn `Labels` (integers, strings, booleans; `Labels::new(y)` for an enum of yours), \
            regressors `Values` (f64 or f32, as the points have) or `Outputs` (a matrix)",
    note = "targets are given by reference, `&y`",
    note = "a solver that needs a Mercer kernel takes another one only inside `AssumeMercer`; constructors of kernels \
            return a `Result`: add `?`",
    note = "rows of numbers are not points of a vector kernel: make `Samples` of them with `Samples::from_rows`",
    note = "a pipeline ends with a learner; cross-validation and searches take a learner, not its fitted model"
)]
pub trait Learner<P: Points, Y = ()>: Clone + Send + Sync {
    /// The model.
    type Model;

    /// Fits a model to data.
    ///
    /// # Errors
    /// For hyper-parameters outside their domain, data that the learner does not support, and a run
    /// without enough memory or time.
    fn learn(&self, data: &Data<'_, P, Y>, run: &mut Run<'_>) -> Result<Self::Model, Error>;

    /// Returns true if [`learn_path`](Learner::learn_path) shares work between the values of this
    /// hyper-parameter.
    fn has_path(&self, _name: &str) -> bool {
        false
    }

    /// Fits a model for each of several values of one hyper-parameter, in order. Work that does not
    /// depend on the value is done once, and each fit may start from the previous one, so a model
    /// may differ from that of [`learn`](Learner::learn) within the tolerance.
    ///
    /// # Errors
    /// [`Error::Unsupported`] unless the learner [has](Learner::has_path) such a path; the errors
    /// of [`learn`](Learner::learn) for any of the values.
    fn learn_path(
        &self,
        _name: &str,
        _values: &[Setting],
        _data: &Data<'_, P, Y>,
        _run: &mut Run<'_>,
    ) -> Result<Vec<Self::Model>, Error> {
        let (what, instead) = ("this path of models", "learn them one by one");
        Err(Error::Unsupported { what, instead })
    }
}

/// The types `A` and `B` are the same; holds with every `Self`.
///
/// With `Y: Same<Self, This>` and `This: Learner<P, Y::Targets>`, a method requires a [`Learner`]
/// that the compiler checks after it has inferred `Y`. If the check fails, the error shows what is
/// missing, with its hint. With `Self: Learner<P, Y::Targets>` it would only state that the bounds
/// of the method are not satisfied.
///
/// # Examples
/// ```
/// use kern_solvers::Same;
/// fn length<Y, S, This: AsRef<str>>(text: &S, _: Y) -> usize
/// where
///     Y: Same<S, This>,
/// {
///     Y::same(text).as_ref().len()
/// }
/// assert_eq!(length(&"kernel", 0), 6);
/// ```
pub trait Same<A: ?Sized, B: ?Sized> {
    /// The same reference.
    fn same(a: &A) -> &B;
}

impl<Y: ?Sized, A: ?Sized> Same<A, A> for Y {
    fn same(a: &A) -> &A {
        a
    }
}

/// A learned map from points to points: scaling, encodings, feature maps.
///
/// A [`Learner`] fits the transformer to data and returns it as its model, so that it is fitted
/// inside each fold: see [`pipeline`](crate::pipeline).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not transform the points `{P}`",
    note = "a pipeline consists of transformers and a learner at its end: \
            `Standardize::new().then(Svc::on_kernel(kernel))`"
)]
pub trait Transformer<P: Points>: Send + Sync {
    /// The kind of the transformed points.
    type Output: Points;

    /// The transformed points, in order.
    ///
    /// # Errors
    /// If the points do not match the training points.
    fn transform(&self, points: &P) -> Result<Self::Output, Error>;

    /// The memory of the transformed points in bytes. By default that of the points.
    fn bytes(&self, points: &P) -> u64 {
        points.bytes()
    }
}

/// A model: what a fit returns and a prediction needs.
///
/// # Examples
/// See [`Learner`](super::Learner).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not predict at the points `{P}`",
    note = "a pipeline predicts if it ends with a learner that does, such as `Svc` or `Ridge`",
    note = "points must be of the type and the precision that the model was fitted to"
)]
pub trait Model<P: Points>: Send + Sync {
    /// The type of predictions: labels, values, a matrix.
    type Answer;

    /// The predictions at points, in order.
    ///
    /// # Errors
    /// If the points do not match the training points, or a value is not finite.
    fn predict(&self, points: &P) -> Result<Self::Answer, Error>;

    /// The evidence of the fit.
    fn report(&self) -> &Report;
}

/// A model whose predictions derive from real-valued decision functions.
pub trait DecisionValues<P: Points>: Model<P> {
    /// The values of the functions: points × functions.
    ///
    /// # Errors
    /// As [`Model::predict`].
    fn decision_values(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;
}

/// A classifier, which predicts one of several classes.
pub trait Classes {
    /// The type of the labels.
    type Label;

    /// The classes, in order.
    fn classes(&self) -> &[Self::Label];
}

/// A classifier with class probabilities.
pub trait Probabilities<P: Points>: Model<P> + Classes {
    /// The probability of each class: points × classes.
    ///
    /// # Errors
    /// As [`Model::predict`].
    fn predict_proba(&self, points: &P) -> Result<Mat<P::Scalar>, Error>;
}

/// Rejects a value outside of its declared domain.
pub(crate) fn check(settings: &impl Declared) -> Result<(), Error> {
    let Some((name, given, &allowed)) = settings.outside() else { return Ok(()) };
    match (&given, allowed) {
        (&Setting::Real(number), Domain::Real { open, largest, .. }) => {
            if !open {
                NonNegative::new(name, number)?;
            } else if largest < f64::MAX {
                Decay::new(name, number)?;
            } else {
                Positive::new(name, number)?;
            }
        }
        (Setting::Count(0), _) => {
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        _ => {}
    }
    // Domains without a type of their own.
    Err(kern_core::Error::Setting { name: name.into(), given, allowed }.into())
}

/// The method `fit` for calls with neither weights nor a run.
macro_rules! fit_sugar {
    (supervised) => {
        /// Fits a model to points and targets, with a default run.
        ///
        /// Use [`learn`](crate::Learner::learn) for weights and groups, set in
        /// [`Data`](crate::Data), and for observer, memory, time limit and start, set in a
        /// [`Run`](crate::Run).
        ///
        /// # Errors
        /// As [`Data::new`](crate::Data::new) and [`learn`](crate::Learner::learn).
        pub fn fit<P, Y, This>(&self, points: &P, targets: Y) -> Result<This::Model, $crate::Error>
        where
            P: kern_core::Points,
            Y: $crate::IntoTargets + $crate::Same<Self, This>,
            This: $crate::Learner<P, Y::Targets>,
        {
            let data = $crate::Data::new(points, targets)?;
            <Y as $crate::Same<Self, This>>::same(self).learn(&data, &mut $crate::Run::new())
        }
    };
    (unsupervised) => {
        /// Fits a model to points, with a default run.
        ///
        /// Weights belong to [`Data`](crate::Data); observer, memory, time limit and start to a
        /// [`Run`](crate::Run): [`learn`](crate::Learner::learn) takes both.
        ///
        /// # Errors
        /// As [`learn`](crate::Learner::learn).
        pub fn fit<P, This>(&self, points: &P) -> Result<This::Model, $crate::Error>
        where
            P: kern_core::Points + $crate::Same<Self, This>,
            This: $crate::Learner<P>,
        {
            let data = $crate::Data::unlabelled(points)?;
            <P as $crate::Same<Self, This>>::same(self).learn(&data, &mut $crate::Run::new())
        }
    };
}
pub(crate) use fit_sugar;
