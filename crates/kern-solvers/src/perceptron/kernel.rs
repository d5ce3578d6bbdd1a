//! The perceptron on a kernel: which kernel values are stored.

use super::engine::{Ended, Lesson, pass_by_pass};
use super::expansion::State;
use super::fit::{PerceptronSpace, Taught};
use super::learned::Learned;
use super::margins::Margins;
use super::params::PerceptronOptions;
use super::stream::Stream;
use super::{Budget, OnlinePerceptron, Perceptron};
use crate::labels::Encoded;
use crate::model::KernelExpansion;
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Report, Run};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{BlockedGram, DenseGram, GramOperator, LazyGram, MemoryBudget, parallel};

impl<P: Points, K: Mercer<P> + Clone> PerceptronSpace<P> for OnKernel<K> {
    fn visit(
        &self,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let learned = Learned::of_fit(&self.kernel, taught, run)?;
        learned.into_function(self.kernel.clone(), taught.options.offset())
    }
}

impl<K> Perceptron<OnKernel<K>> {
    /// A fit that can be gone on with.
    ///
    /// # Errors
    /// As [`learn`](crate::Learner::learn); [`Error::BalancedStream`].
    pub fn start<P, L>(
        &self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<OnlinePerceptron<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
        L: Label,
    {
        let (labels, weights) = self.prepare(data)?;
        self.options.class_weights.of_stream(labels.classes.len())?;
        let taught = Taught::new(&self.options, data.points(), &labels, weights)?;
        let learned = Learned::of_fit(&self.space.kernel, &taught, run)?;
        Ok(OnlinePerceptron::new(self.clone(), labels.classes, Some(learned)))
    }

    /// A perceptron that learns from a stream of points of these classes, and has seen none yet.
    ///
    /// # Errors
    /// [`Error::OneClass`] unless there are two different ones at least; [`Error::BalancedStream`]; as
    /// [`learn`](crate::Learner::learn) for parameters.
    pub fn online<P, L>(&self, classes: &[L]) -> Result<OnlinePerceptron<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
        L: Label,
    {
        self.options.check()?;
        let classes = Encoded::new(&Labels::new(classes))?.classes;
        self.options.class_weights.of_stream(classes.len())?;
        Ok(OnlinePerceptron::new(self.clone(), classes, None))
    }
}

impl<P: Points> Learned<P> {
    /// The outcome of a fit.
    fn of_fit<K: Mercer<P>>(
        kernel: &K,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        let (lesson, memory) = (taught.lesson(), run.budget());
        check_memory(taught.options, lesson.points.len(), lesson.outputs, &memory)?;
        let mut state = State::new(lesson.outputs, taught.options);
        let ended = parallel::in_pool(|| {
            with_gram(kernel, taught.points(), taught.options, &memory, |gram| {
                learn_on(gram, &lesson, &mut state, run)
            })
        })?;
        let origin = |i| taught.origin(i);
        Self::new(taught.points(), (lesson.weights, &origin, taught.seen()), state, ended)
    }
}

/// Refuses what a perceptron holds beside kernel values, if that is too much.
pub(super) fn check_memory(
    options: &PerceptronOptions,
    n: usize,
    outputs: usize,
    memory: &MemoryBudget,
) -> Result<(), Error> {
    if outputs > 1 {
        // Values, coefficients, their sums, and what the model keeps.
        let what = "the values and coefficients of a perceptron";
        memory.check::<f64>(what, n, outputs.saturating_mul(4), "take fewer classes")?;
    }
    if options.budget.projects() {
        let most = options.budget.vectors().min(n) as u64;
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
    options: &PerceptronOptions,
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
    let values = options.budget.vectors().saturating_mul(options.max_iterations);
    if n / 2 <= values {
        match DenseGram::new(kernel, points, memory) {
            Ok(gram) => return f(&gram),
            Err(kern_gram::Error::Budget { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if options.budget != Budget::None || !memory.fits(kern_gram::matrix_bytes::<T>(n, 1)) {
        return f(&LazyGram::new(kernel, points)?);
    }
    f(&BlockedGram::new(kernel, points, memory)?)
}

/// Learns from the points of an operator, knowing nothing.
fn learn_on<T: Scalar>(
    gram: &dyn GramOperator<T>,
    lesson: &Lesson<'_>,
    state: &mut State,
    run: &mut Run<'_>,
) -> Result<Ended, Error> {
    if lesson.options.budget != Budget::None {
        return pass_by_pass(&mut Stream::new(gram, lesson, state)?, lesson, run);
    }
    let mut margins = Margins::new(gram, lesson)?;
    let ended = pass_by_pass(&mut margins, lesson, run)?;
    margins.finish(state);
    Ok(ended)
}
