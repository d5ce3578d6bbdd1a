//! The fit of a perceptron: checks, and which kernel values are stored.

use super::engine::{Task, run};
use super::expansion::State;
use super::margins::Margins;
use super::online::Learned;
use super::params::Settings;
use super::stream::Stream;
use super::{Budget, OnlinePerceptron, Perceptron, PerceptronClassifier};
use crate::labels::Encoded;
use crate::{Error, Label, Observer, Status};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{BlockedGram, DenseGram, GramOperator, LazyGram, MemoryBudget, parallel};

/// How a run ended, and the mistakes of each pass.
pub(super) type Ended = (Status, Vec<usize>);

impl<K> Perceptron<K> {
    /// Learns the classes.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`] for the labels; [`Error::Count`] for no passes or a budget
    /// of no support vectors; [`Error::Core`] for a distance that is none, or if the kernel refuses the points;
    /// [`Error::AveragedRemoval`]; [`Error::Gram`] if a kernel value or a value of f is not finite, or memory is short.
    ///
    /// # Complexity
    /// Without a budget O(n) per visit without a mistake times the number of classes, and a column of n kernel values per
    /// mistake; a stored matrix takes n²/2 evaluations once. With a budget of B support vectors, B kernel values per visit,
    /// and B² operations per projection.
    pub fn fit<P, L>(self, points: &P, labels: &[L]) -> Result<PerceptronClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.learn(points, labels, None)
    }

    /// [`fit`](Perceptron::fit), watched by an observer after each pass: the loss is the share of mistakes in it.
    ///
    /// # Errors
    /// As [`fit`](Perceptron::fit).
    pub fn fit_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<PerceptronClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.learn(points, labels, Some(observer))
    }

    /// A fit that can be gone on with.
    ///
    /// # Errors
    /// As [`fit`](Perceptron::fit).
    pub fn start<P, L>(self, points: &P, labels: &[L]) -> Result<OnlinePerceptron<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let learned = self.learned(points, &labels, None)?;
        Ok(OnlinePerceptron::new(self, labels.classes, Some(learned)))
    }

    /// One that learns from a stream of points of these classes, and has seen none yet.
    ///
    /// # Errors
    /// [`Error::OneClass`] unless there are two different ones at least; as [`fit`](Perceptron::fit) for parameters.
    pub fn online<P, L>(self, classes: &[L]) -> Result<OnlinePerceptron<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.settings.check()?;
        let classes = Encoded::new(classes.len(), classes)?.classes;
        Ok(OnlinePerceptron::new(self, classes, None))
    }

    fn learn<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: Option<&mut dyn Observer>,
    ) -> Result<PerceptronClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let labels = Encoded::new(points.len(), labels)?;
        let learned = self.learned(points, &labels, observer)?;
        learned.into_model(self.kernel, labels.classes, &self.settings)
    }

    fn learned<P, L>(
        &self,
        points: &P,
        labels: &Encoded<L>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<P>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let Self { kernel, settings } = self;
        settings.check()?;
        let (n, outputs) = (points.len(), outputs(labels.classes.len()));
        let memory = settings.memory.unwrap_or_default();
        check_memory(settings, n, outputs, &memory)?;
        let task = Task { points: 0..n, classes: &labels.indices, outputs, settings };
        let mut state = State::new(outputs, settings.averaged, settings.seed);
        let go = || {
            with_gram(kernel, points, settings, &memory, |gram| {
                learn_on(gram, &task, &mut state, observer)
            })
        };
        let ended = parallel::in_pool(go)?;
        Learned::new(points, state, ended)
    }
}

/// The number of functions for so many classes.
pub(super) fn outputs(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// Whether what a perceptron holds beside kernel values fits.
pub(super) fn check_memory(
    settings: &Settings,
    n: usize,
    outputs: usize,
    memory: &MemoryBudget,
) -> Result<(), Error> {
    if outputs > 1 {
        // Values, coefficients, their sums, and what the model keeps.
        let what = "the values and coefficients of a perceptron";
        memory.check::<f64>(what, n, outputs.saturating_mul(4), "take fewer classes")?;
    }
    if settings.budget.projects() {
        let most = settings.budget.vectors().min(n) as u64;
        let needed = most.saturating_mul(most + 1).saturating_mul(4);
        let what = "the factor of the kernel matrix of support vectors";
        memory.require(what, needed, "take a smaller budget of them")?;
    }
    Ok(())
}

/// Calls `f` with the Gram matrix of the points: stored if that fits and is worth it, else with the columns that fit.
fn with_gram<T, P, K, R>(
    kernel: &K,
    points: &P,
    settings: &Settings,
    memory: &MemoryBudget,
    f: impl FnOnce(&dyn GramOperator<T>) -> Result<R, Error>,
) -> Result<R, Error>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P>,
{
    let n = points.len();
    // A pass takes n values per support vector, the whole matrix n²/2.
    let values = settings.budget.vectors().saturating_mul(settings.max_passes);
    if n / 2 <= values {
        match DenseGram::new(kernel, points, memory) {
            Ok(gram) => return f(&gram),
            Err(kern_gram::Error::Budget { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if settings.budget != Budget::None || !memory.fits(kern_gram::matrix_bytes::<T>(n, 1)) {
        return f(&LazyGram::new(kernel, points)?);
    }
    f(&BlockedGram::new(kernel, points, memory)?)
}

/// Learns from the points of an operator, knowing nothing.
pub(super) fn learn_on<T: Scalar>(
    gram: &dyn GramOperator<T>,
    task: &Task<'_>,
    state: &mut State,
    observer: Option<&mut dyn Observer>,
) -> Result<Ended, Error> {
    if task.settings.budget != Budget::None {
        return run(&mut Stream::new(gram, task, state)?, task, observer);
    }
    let mut margins = Margins::new(gram, task)?;
    let ended = run(&mut margins, task, observer)?;
    margins.finish(state);
    Ok(ended)
}
