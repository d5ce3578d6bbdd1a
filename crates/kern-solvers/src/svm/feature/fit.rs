//! The fits of support vector classification on features.

use super::super::svc::Sorted;
use super::expand::{self, Expanded, shuffled};
use super::solve::solve;
use super::task::Task;
use super::{FeatureSvc, FeatureSvmClassifier};
use crate::labels::Encoded;
use crate::{Error, Label, Observer};
use faer::Mat;
use kern_core::{FeatureMap, Points, Positive};

/// A classifier and the coefficients of its points.
type WithCoefficients<M, T, L> = (FeatureSvmClassifier<M, T, L>, Mat<f64>);

impl<M> FeatureSvc<M> {
    /// Learns the classes.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Weight`], [`Error::NoWeight`],
    /// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights; [`Error::Core`] for a C that
    /// is not finite and positive, a tolerance ≤ 0, points that the map refuses or features that are not finite;
    /// [`Error::Count`] for a map without features; [`Error::Gram`] if not even the features of 256 points fit the
    /// budget.
    pub fn fit<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<FeatureSvmClassifier<M, P::Scalar, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        Ok(self.run(points, labels, None)?.0)
    }

    /// [`fit`](FeatureSvc::fit), watched by an observer before each pass: its loss is the negative dual objective,
    /// summed over problems, of coefficients whose sum need not be zero yet; so it may rise.
    ///
    /// # Errors
    /// As [`fit`](FeatureSvc::fit).
    pub fn fit_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<FeatureSvmClassifier<M, P::Scalar, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        Ok(self.run(points, labels, Some(observer))?.0)
    }

    /// [`fit`](FeatureSvc::fit), and the dual coefficients β with w = Σβᵢφ(xᵢ): n × functions, zero for points that a
    /// function was not learned from. [`Svc::fit_from`](crate::svm::Svc::fit_from) can start from them.
    ///
    /// # Errors
    /// As [`fit`](FeatureSvc::fit).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Identity, Samples};
    /// use kern_solvers::svm::FeatureSvc;
    /// let x = Samples::from_rows(&[[-1.0], [1.0], [9.0]])?;
    /// let svc = FeatureSvc::new(Identity::new(1)).tolerance(1e-9);
    /// let (model, beta) = svc.fit_dual(&x, &[false, true, true])?;
    /// let w: f64 = (0..3).map(|i| beta[(i, 0)] * [-1.0, 1.0, 9.0][i]).sum();
    /// assert!((model.decision().weights()[(0, 0)] - w).abs() < 1e-12);
    /// assert_eq!(beta[(2, 0)], 0.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_dual<P, L>(
        self,
        points: &P,
        labels: &[L],
    ) -> Result<WithCoefficients<M, P::Scalar, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        self.run(points, labels, None)
    }

    fn run<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: Option<&mut dyn Observer>,
    ) -> Result<WithCoefficients<M, P::Scalar, L>, Error>
    where
        P: Points,
        M: FeatureMap<P>,
        L: Label,
    {
        let Self { map, c, squared, seed, settings, weights, class_weights, multi_class } = self;
        let c = Positive::new("c", c)?.get();
        settings.check()?;
        let labels = Encoded::new(points.len(), labels)?;
        let weights = class_weights.combine(&labels, weights)?;
        map.check(points)?;
        let order = shuffled(points.len(), weights.as_deref(), seed)?;
        let selected = points.select(&order)?;
        let sorted = Sorted::ordered(order, &labels, weights.as_deref());
        let problems = sorted.problems(multi_class, c, settings.bias)?;
        let tasks: Vec<Task> = problems.into_iter().map(|p| Task::new(p, squared)).collect();
        let bounds = expand::bounds(&tasks);
        let solved = solve((&map, &selected), tasks, (&settings, seed), observer)
            .map_err(|error| expand::renumbered(error, &sorted.order))?;
        let on = (points.len(), &*sorted.order);
        let Expanded { w, biases, coefficients, report } =
            expand::expand::<P::Scalar>(solved, &bounds, on, map.dim())?;
        let decision = crate::model::FeatureModel::new(map, w).with_intercepts(biases);
        let classes = (labels.classes, multi_class);
        Ok((FeatureSvmClassifier::new(decision, classes, report), coefficients))
    }
}
