//! The kernel perceptron: αᵢ ← αᵢ ± 1 at a mistake, with f = Kα kept up to date at all points.
//!
//! The kernel matrix is stored if it fits the memory, else as many of its columns as fit. With a
//! budget of support vectors the functions are evaluated at each visit instead, as in a stream.

use super::averaged_perceptron::{State, Tally, TrainedPerceptron};
use super::mistakes::{Direction, Ended, Lesson, Visitor, pass_by_pass};
use super::online_perceptron::{BLOCK, Most, Stream};
use super::rosenblatt_perceptron::{PerceptronOptions, PerceptronSpace, Taught};
use super::{Budget, OnlinePerceptron, Perceptron};
use crate::classes::Encoded;
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Count, Effort, Limits, Work, within};
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Report, Run};
use faer::{Mat, MatMut};
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::{
    BlockedGram, DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes, zero_vec, zeros,
};

/// The assumed fraction of points that are mistakes, a low estimate for the prediction of time.
const MISTAKES: f64 = 0.1;

/// Vectors of at most this many bytes are not counted against the memory budget, like stacks.
const UNCOUNTED: u64 = 1 << 20;

/// Entries per point besides those of each function: class, place, weight, diagonal entry and row,
/// some of them twice, in growing lists.
const NUMBERS: usize = 8;

impl<P: Points, K: Mercer<P> + Clone> PerceptronSpace<P> for OnKernel<K> {
    fn visit(
        &self,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let learned = TrainedPerceptron::of_fit(&self.kernel, taught, run)?;
        let offset = taught.options.offset();
        let (function, report) = learned.into_function(self.kernel.clone(), offset)?;
        Ok((function.answering(taught.points())?, report))
    }
}

impl<K> Perceptron<OnKernel<K>> {
    /// Fits the data, and returns a perceptron that can be updated.
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
        let learned = TrainedPerceptron::of_fit(&self.space.kernel, &taught, run)?;
        Ok(OnlinePerceptron::new(self.clone(), labels.classes, Some(learned)))
    }

    /// An untrained perceptron for a stream of points of these classes.
    ///
    /// # Errors
    /// [`Error::OneClass`] for fewer than two different classes; [`Error::BalancedStream`]; as
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

impl<P: Points> TrainedPerceptron<P> {
    /// Fits the points, from α = 0.
    fn of_fit<K: Mercer<P>>(
        kernel: &K,
        taught: &Taught<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        let (lesson, memory) = (taught.lesson(), run.budget());
        let memory = check_memory(taught.options, taught.points(), lesson.outputs, &memory)?;
        let limits = (run.predicted_limit(), &memory);
        check_time(limits, kernel, taught.points(), taught.options)?;
        let mut state = State::new(lesson.outputs, taught.options);
        let ended = with_gram(kernel, taught.points(), taught.options, &memory, |gram| {
            let most = most_vectors(taught.points(), &lesson, &memory);
            learn_on(gram, &lesson, most, &mut state, run)
        })?;
        let origin = |i| taught.origin(i);
        Self::new(taught.points(), lesson.weights, &origin, taught.seen(), state, ended)
    }
}

/// Trains on the points of an operator, from α = 0.
fn learn_on<T: Scalar>(
    gram: &dyn GramOperator<T>,
    lesson: &Lesson<'_>,
    most: Most,
    state: &mut State,
    run: &mut Run<'_>,
) -> Result<Ended, Error> {
    if lesson.options.budget != Budget::None {
        return pass_by_pass(&mut Stream::new(gram, lesson, most, state)?, lesson, run);
    }
    let mut margins = Margins::new(gram, lesson)?;
    let ended = pass_by_pass(&mut margins, lesson, run)?;
    margins.finish(state);
    Ok(ended)
}

/// The coefficients of all points, and f = Kα; weights multiply the features of their points.
struct Margins<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    lesson: &'a Lesson<'a>,
    diag: Vec<f64>,
    /// The values f: points × outputs.
    f: Mat<f64>,
    /// The coefficients α of the weighted features: points × outputs.
    alpha: Mat<f64>,
    /// [`Expansion::sums`](super::averaged_perceptron::Expansion::sums) of all points.
    sums: Option<Mat<f64>>,
    /// A column of the kernel matrix, unless the matrix is stored.
    column: Vec<T>,
    /// The values at a point.
    row: Vec<f64>,
    tally: Tally,
}

impl<'a, T: Scalar> Margins<'a, T> {
    fn new(gram: &'a dyn GramOperator<T>, lesson: &'a Lesson<'a>) -> Result<Self, Error> {
        let (n, outputs) = (gram.size(), lesson.outputs);
        let diag = lesson.diagonal(gram)?;
        let squared_radius = diag.iter().copied().fold(0.0, f64::max);
        let stored = gram.stored_column(0).is_some();
        let sums = if lesson.options.averaged { Some(zeros(n, outputs)?) } else { None };
        Ok(Self {
            gram,
            lesson,
            diag,
            f: zeros(n, outputs)?,
            alpha: zeros(n, outputs)?,
            sums,
            column: zero_vec(if stored { 0 } else { n })?,
            row: vec![0.0; outputs],
            tally: Tally { squared_radius, ..Tally::default() },
        })
    }

    fn visit(&mut self, i: usize) -> Result<bool, Error> {
        self.row.iter_mut().enumerate().for_each(|(k, f)| *f = self.f[(i, k)]);
        let (direction, margin) = self.lesson.judge(i, &self.row)?;
        let mistake = margin <= 0.0;
        if mistake {
            self.learn(i, direction)?;
            let tally = &mut self.tally;
            tally.mistakes += 1;
            tally.squared_norm += 2.0 * margin + direction.squared_length() * self.diag[i];
        }
        self.tally.steps += 1;
        Ok(mistake)
    }

    /// Updates α of the point, and f by a column of the kernel matrix.
    fn learn(&mut self, i: usize, direction: Direction) -> Result<(), Error> {
        let column = if let Some(column) = self.gram.stored_column(i) {
            column
        } else {
            let out = MatMut::from_column_major_slice_mut(&mut self.column, self.diag.len(), 1);
            self.gram.columns_into(&[i], out)?;
            &self.column
        };
        for (k, sign) in direction.signs() {
            self.alpha[(i, k)] += sign;
            if let Some(sums) = &mut self.sums {
                sums[(i, k)] += self.tally.steps as f64 * sign;
            }
            let f = self.f.col_as_slice_mut(k).iter_mut().zip(column);
            let lesson = self.lesson;
            if lesson.weights.is_some() {
                f.enumerate().for_each(|(j, (f, &v))| *f += sign * lesson.weighted(v, (i, j)));
            } else {
                let offset = lesson.options.offset();
                f.for_each(|(f, v)| *f += sign * (v.to_f64() + offset));
            }
        }
        Ok(())
    }

    /// Moves the result into an untrained state.
    fn finish(self, state: &mut State) {
        let Self { alpha, sums, tally, f, .. } = self;
        drop(f);
        state.tally = tally;
        let expansion = &mut state.expansion;
        let used = |m: &Mat<f64>, i: usize| m.row(i).iter().any(|&a| a != 0.0);
        let matters = |&i: &usize| used(&alpha, i) || sums.as_ref().is_some_and(|m| used(m, i));
        expansion.rows = (0..alpha.nrows()).filter(matters).collect();
        // Lists are allocated at their final size, since growing ones take up to twice the memory.
        let rows = |m: &Mat<f64>| -> Vec<f64> {
            let mut out = Vec::with_capacity(expansion.rows.len() * m.ncols());
            expansion.rows.iter().for_each(|&i| out.extend(m.row(i).iter()));
            out
        };
        expansion.coefficients = rows(&alpha);
        drop(alpha);
        expansion.sums = sums.map(|sums| rows(&sums));
    }
}

impl<T: Scalar> Visitor for Margins<'_, T> {
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error> {
        let mut mistakes = 0;
        for &i in order {
            mistakes += usize::from(self.visit(i)?);
        }
        Ok(mistakes)
    }
}

/// Calls `f` with the Gram matrix of the points: stored if it fits and pays off, else with the
/// columns that fit.
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

/// Returns an error if a fit on a kernel is predicted to exceed the time limit. The prediction
/// counts the columns of mistakes or, with a budget, the kernel values of one pass with the support
/// vectors, and the projections. Hard problems take longer, which cannot be known before the fit.
fn check_time<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    options: &PerceptronOptions,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = points.len() as f64;
    let mistakes = MISTAKES * n;
    let vectors = match options.budget {
        Budget::None => mistakes,
        budget => mistakes.min(budget.vectors() as f64),
    };
    let projected = if options.budget.projects() { mistakes * vectors * vectors } else { 0.0 };
    let parts = vec![
        (Work::KernelValues, Count::values(n * vectors)),
        (Work::Steps, Count::numbers(n * vectors + projected)),
    ];
    within(limits, kernel, points, &[Effort::counted(Algorithm::KernelOnTheFly, parts)], &[])
}

/// The memory that remains for kernel values and, with a budget, support vectors. Returns an error
/// if the other vectors of a perceptron do not fit.
pub(super) fn check_memory<P: Points>(
    options: &PerceptronOptions,
    points: &P,
    outputs: usize,
    memory: &MemoryBudget,
) -> Result<MemoryBudget, Error> {
    let n = points.len();
    if outputs > 1 {
        // Values, coefficients, their sums, and the copy of the model.
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

/// The support vectors that fit the memory with a budget. Each takes its coefficients and their
/// sums in lists that double, its kernel values with the next points, and copies of the point.
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
