//! The perceptron on a kernel: which kernel values are stored.

use super::engine::{Ended, Lesson, pass_by_pass};
use super::expansion::State;
use super::fit::{PerceptronSpace, Taught};
use super::learned::Learned;
use super::limit::check_time;
use super::margins::Margins;
use super::params::PerceptronOptions;
use super::stream::{Most, Stream};
use super::window::BLOCK;
use super::{Budget, OnlinePerceptron, Perceptron};
use crate::labels::Encoded;
use crate::model::KernelExpansion;
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Report, Run};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{BlockedGram, DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes};

impl<P: Points, K: Mercer<P> + Clone> PerceptronSpace<P> for OnKernel<K> {
    fn visit(
        &self,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let learned = Learned::of_fit(&self.kernel, taught, run)?;
        let offset = taught.options.offset();
        let (function, report) = learned.into_function(self.kernel.clone(), offset)?;
        Ok((function.answering(taught.points())?, report))
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
        let memory = check_memory(taught.options, taught.points(), lesson.outputs, &memory)?;
        check_time((run.predicted_limit(), &memory), (kernel, taught.points()), taught.options)?;
        let mut state = State::new(lesson.outputs, taught.options);
        let ended = with_gram(kernel, taught.points(), taught.options, &memory, |gram| {
            let most = most_vectors(taught.points(), &lesson, &memory);
            learn_on(gram, (&lesson, most), &mut state, run)
        })?;
        let origin = |i| taught.origin(i);
        Self::new(taught.points(), (lesson.weights, &origin, taught.seen()), state, ended)
    }
}

/// Vectors of fewer bytes are in what no budget counts, as stacks are.
const UNCOUNTED: u64 = 1 << 20;

/// Numbers of a point beside those of each function: its class, place, weight, diagonal entry and row, twice in lists that
/// grow.
const NUMBERS: usize = 8;

/// The memory that is left for kernel values and, under a budget, support vectors. Refuses what a perceptron holds beside
/// them, if that is too much.
pub(super) fn check_memory<P: Points>(
    options: &PerceptronOptions,
    points: &P,
    outputs: usize,
    memory: &MemoryBudget,
) -> Result<MemoryBudget, Error> {
    let n = points.len();
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
    let of_functions = match options.budget {
        Budget::None => outputs.saturating_mul(if options.averaged { 4 } else { 3 }),
        _ => 0,
    };
    let own = matrix_bytes::<f64>(n, of_functions.saturating_add(NUMBERS));
    let copies = if options.budget == Budget::None { points.bytes().saturating_mul(2) } else { 0 };
    let needed = own.saturating_add(copies);
    if needed <= UNCOUNTED {
        return Ok(*memory);
    }
    memory.require("the vectors of a perceptron", needed, "take a budget of support vectors")?;
    Ok(MemoryBudget::bytes(memory.as_bytes() - needed))
}

/// The support vectors that the memory holds under a budget: of each its coefficients and their sums in lists that double,
/// its kernel values with the next points, and copies of the point.
pub(super) fn most_vectors<P: Points>(
    points: &P,
    lesson: &Lesson<'_>,
    memory: &MemoryBudget,
) -> Most {
    let options = lesson.options;
    let sums = if options.averaged { 2 } else { 1 };
    let numbers = lesson.outputs.saturating_mul(2 * sums + 2).saturating_add(NUMBERS);
    let point = points.bytes() / points.len().max(1) as u64;
    let each = [
        matrix_bytes::<f64>(numbers, 1),
        matrix_bytes::<P::Scalar>(BLOCK, 1),
        point.saturating_mul(2),
    ];
    let each = each.into_iter().fold(0, u64::saturating_add);
    Most { bytes: memory.as_bytes().max(UNCOUNTED), each }
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
    if options.budget != Budget::None || !memory.fits(matrix_bytes::<T>(n, 1)) {
        return f(&LazyGram::new(kernel, points)?);
    }
    f(&BlockedGram::new(kernel, points, memory)?)
}

/// Learns from the points of an operator, knowing nothing.
fn learn_on<T: Scalar>(
    gram: &dyn GramOperator<T>,
    (lesson, most): (&Lesson<'_>, Most),
    state: &mut State,
    run: &mut Run<'_>,
) -> Result<Ended, Error> {
    if lesson.options.budget != Budget::None {
        return pass_by_pass(&mut Stream::new(gram, (lesson, most), state)?, lesson, run);
    }
    let mut margins = Margins::new(gram, lesson)?;
    let ended = pass_by_pass(&mut margins, lesson, run)?;
    margins.finish(state);
    Ok(ended)
}
