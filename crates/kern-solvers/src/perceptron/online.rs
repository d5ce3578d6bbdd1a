//! Learning from a stream.

use super::answer::Answer;
use super::engine::{Task, run};
use super::expansion::State;
use super::fit::{Ended, check_memory, outputs};
use super::params::Settings;
use super::projection::Projection;
use super::stream::Stream;
use super::{Order, Perceptron, PerceptronClassifier};
use crate::labels::Encoded;
use crate::model::KernelModel;
use crate::{Error, Label};
use kern_core::{Concat, Kernel, Mercer, Points};
use kern_gram::{LazyGram, parallel};

/// A perceptron that learns point by point, or block by block, without seeing those again that it has seen.
///
/// An update visits its points once, in their order: so it is the first pass of a fit that goes on, to the bit for points
/// whose kernel values do not depend on what they are computed with ([`Points::entries_are_local`]).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::perceptron::{Budget, Perceptron};
/// let perceptron = Perceptron::new(Rbf::new(1.0)?).budget(Budget::Oldest { vectors: 100 });
/// let mut stream = perceptron.online(&["far", "near"])?;
/// stream.update(&Samples::from_rows(&[[0.0], [0.1], [3.0]])?, &["near", "near", "far"])?;
/// let mistakes = stream.update(&Samples::from_rows(&[[3.1]])?, &["far"])?;
/// assert_eq!(mistakes, 0);
/// let queries = Samples::from_rows(&[[0.05], [2.9]])?;
/// assert_eq!(stream.model()?.predict(&queries)?, ["near", "far"]);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OnlinePerceptron<P: Points, K, L> {
    perceptron: Perceptron<K>,
    classes: Vec<L>,
    learned: Option<Learned<P>>,
}

/// What was learned from points that were seen.
#[derive(Clone, Debug)]
pub(super) struct Learned<P> {
    /// The points at the places of the expansion.
    points: P,
    /// When they were seen.
    origins: Vec<usize>,
    /// How many points were seen.
    seen: usize,
    state: State,
    ended: Ended,
}

impl<P: Points> Learned<P> {
    /// From all of these points.
    pub(super) fn new(points: &P, mut state: State, ended: Ended) -> Result<Self, Error> {
        let origins = std::mem::take(&mut state.expansion.rows);
        state.expansion.rows = (0..origins.len()).collect();
        Ok(Self { points: points.select(&origins)?, origins, seen: points.len(), state, ended })
    }

    /// The model of it.
    pub(super) fn into_model<K: Kernel<P>, L: Label>(
        self,
        kernel: K,
        classes: Vec<L>,
        settings: &Settings,
    ) -> Result<PerceptronClassifier<P, K, L>, Error> {
        let Answer { coefficients, intercepts, used, report } =
            Answer::new(&self.state, settings.offset(), self.ended)?;
        let support = used.iter().map(|&place| self.origins[place]).collect();
        let model = KernelModel::new(kernel, &self.points, coefficients.as_ref())?;
        let decision = model.with_intercepts(intercepts);
        Ok(PerceptronClassifier::new(decision, classes, support, report))
    }
}

impl<P: Points, K: Mercer<P>, L: Label> OnlinePerceptron<P, K, L> {
    pub(super) fn new(
        perceptron: Perceptron<K>,
        classes: Vec<L>,
        learned: Option<Learned<P>>,
    ) -> Self {
        Self { perceptron, classes, learned }
    }

    /// The classes, in order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The model that the stream has come to.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first point.
    pub fn model(&self) -> Result<PerceptronClassifier<P, K, L>, Error>
    where
        P: Clone,
        K: Clone,
    {
        let learned = self.learned.clone().ok_or(Error::Empty)?;
        let Perceptron { kernel, settings } = &self.perceptron;
        learned.into_model(kernel.clone(), self.classes.clone(), settings)
    }

    /// Learns from some more points, and says how many were mistakes. Each is judged before it is learned from, so
    /// that is an honest measure of how well the model does.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] for a label that is not among the classes; as [`Perceptron::fit`], except that
    /// one class will do. What was learned before is kept then, and nothing else.
    ///
    /// # Complexity
    /// As many kernel values per point as there are support vectors, and for each update a copy of these.
    pub fn update(&mut self, points: &P, labels: &[L]) -> Result<usize, Error>
    where
        P: Concat,
    {
        // A factor of many support vectors is not copied: it only grows.
        let taken = self.learned.as_mut().map(|old| std::mem::take(&mut old.state.projection));
        let mut factor = taken.unwrap_or_default();
        let size = factor.size();
        let result = self.advance(points, labels, &mut factor);
        if result.is_err() {
            factor.truncate(size);
        }
        let (learned, mistakes) = match result {
            Ok((learned, mistakes)) => (Some(learned), Ok(mistakes)),
            Err(error) => (self.learned.take(), Err(error)),
        };
        self.learned = learned;
        if let Some(learned) = &mut self.learned {
            learned.state.projection = factor;
        }
        mistakes
    }

    /// What is known after some more points, and how many were mistakes; the factor is with the caller.
    fn advance(
        &self,
        points: &P,
        labels: &[L],
        factor: &mut Projection,
    ) -> Result<(Learned<P>, usize), Error>
    where
        P: Concat,
    {
        let labels = Encoded::among(self.classes.clone(), points.len(), labels)?;
        let Perceptron { kernel, settings } = &self.perceptron;
        let outputs = outputs(self.classes.len());
        let settings = Settings { max_passes: 1, order: Order::AsGiven, ..*settings };
        let old = self.learned.as_ref();
        let kept = old.map_or(0, |old| old.state.expansion.len());
        let memory = settings.memory.unwrap_or_default();
        check_memory(&settings, kept + points.len(), outputs, &memory)?;
        let joined = old.map(|old| old.points.concat(points)).transpose()?;
        let all = joined.as_ref().unwrap_or(points);
        let fresh = || State::new(outputs, settings.averaged, settings.seed);
        let mut state = old.map_or_else(fresh, |old| old.state.clone());
        let range = kept..all.len();
        let task = Task { points: range, classes: &labels.indices, outputs, settings: &settings };
        let gram = LazyGram::new(kernel, all)?;
        state.projection = std::mem::take(factor);
        let go = || run(&mut Stream::new(&gram, &task, &mut state)?, &task, None);
        let ended = parallel::in_pool(go);
        *factor = std::mem::take(&mut state.projection);
        let ended = ended?;
        let mistakes = ended.1.iter().sum();
        let mut learned = Learned::new(all, state, ended)?;
        if let Some(old) = old {
            let origin = |&i: &usize| if i < kept { old.origins[i] } else { old.seen + i - kept };
            learned.origins = learned.origins.iter().map(origin).collect();
            learned.seen = old.seen + points.len();
        }
        Ok((learned, mistakes))
    }
}
