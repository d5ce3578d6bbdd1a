//! The online perceptron: it classifies each point of a stream before it is updated on it.
//!
//! The functions are evaluated at each visit, from the kernel values of the point with the support
//! vectors, which are computed together for a window of points. Passes with a budget work in the
//! same way.

use super::averaged_perceptron::{State, TrainedPerceptron};
use super::kernel_perceptron::{check_memory, most_vectors};
use super::mistakes::{Direction, Lesson, Visitor, pass_by_pass};
use super::projectron::Projection;
use super::rosenblatt_perceptron::{PerceptronOptions, Taught};
use super::{Budget, Order, Perceptron};
use crate::classes::Encoded;
use crate::model::{Classifier, KernelExpansion, Vote};
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Run, tolerance};
use faer::Mat;
use kern_core::{Concat, Mercer, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, MemoryBudget, Rows, zeros};
use rand::RngExt;

/// Number of points in a window, whose kernel values are computed together. Each point needs values
/// with the earlier points of its window, besides those with the support vectors.
pub(super) const BLOCK: usize = 32;

/// A perceptron that is trained point by point or block by block, in a single pass.
///
/// An update visits its points once, in their order. So updates equal the first pass of a fit on
/// all points; bit for bit if a kernel value does not depend on which values are computed with it
/// ([`Points::entries_are_local`]).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::perceptron::{Budget, Perceptron};
/// let perceptron = Perceptron::on_kernel(Rbf::new(1.0)?).budget(Budget::Oldest { vectors: 100 });
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
    perceptron: Perceptron<OnKernel<K>>,
    classes: Vec<L>,
    learned: Option<TrainedPerceptron<P>>,
}

impl<P: Points, K: Mercer<P> + Clone, L: Label> OnlinePerceptron<P, K, L> {
    pub(super) fn new(
        perceptron: Perceptron<OnKernel<K>>,
        classes: Vec<L>,
        learned: Option<TrainedPerceptron<P>>,
    ) -> Self {
        Self { perceptron, classes, learned }
    }

    /// The classes, sorted.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The current model.
    ///
    /// # Errors
    /// [`Error::Empty`] before the first point.
    pub fn model(&self) -> Result<Classifier<KernelExpansion<P, K>, L>, Error>
    where
        P: Clone,
    {
        let learned = self.learned.clone().ok_or(Error::Empty)?;
        let Perceptron { space, options } = &self.perceptron;
        let (function, report) = learned.into_function(space.kernel.clone(), options.offset())?;
        Ok(Classifier::new(function, self.classes.clone(), Vote::Argmax, report))
    }

    /// Trains on more points, and returns the number of mistakes. Each point is classified before
    /// it is used for training, so this is an honest estimate of the error rate (progressive
    /// validation).
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn update(&mut self, points: &P, labels: &[L]) -> Result<usize, Error>
    where
        P: Concat,
    {
        self.learn(&Data::new(points, Labels::new(labels))?, &mut Run::new())
    }

    /// An [update](Self::update) with weighted points, within the memory of a run, whose observer
    /// is called at the end.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] for a label that is not among the classes; else as
    /// [`learn`](crate::Learner::learn) of a [`Perceptron`], except that one class is enough. An
    /// error leaves the state before the update.
    ///
    /// # Complexity
    /// A kernel value per point and support vector; each update copies the support vectors.
    pub fn learn(
        &mut self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<usize, Error>
    where
        P: Concat,
    {
        // The Cholesky factor is not copied, since it may be large and only grows.
        let taken = self.learned.as_mut().map(|old| std::mem::take(&mut old.state.projection));
        let mut factor = taken.unwrap_or_default();
        let size = factor.size();
        let result = self.advance(data, &mut factor, run);
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

    /// The state after more points, and the number of mistakes. The caller owns the Cholesky
    /// factor.
    fn advance(
        &self,
        data: &Data<'_, P, Labels<L>>,
        factor: &mut Projection,
        run: &mut Run<'_>,
    ) -> Result<(TrainedPerceptron<P>, usize), Error>
    where
        P: Concat,
    {
        let Perceptron { space, options } = &self.perceptron;
        let options =
            PerceptronOptions { max_iterations: 1, order: Order::AsGiven, ..options.clone() };
        let labels = Encoded::among(self.classes.clone(), data.targets().as_slice())?;
        let weights = weigh(&options, &labels, data.sample_weights())?;
        let taught = Taught::new(&options, data.points(), &labels, weights)?;
        let old = self.learned.as_ref();
        let (kept, seen) = old.map_or((0, 0), |old| (old.origins.len(), old.seen));
        let joined = old.map(|old| old.points.concat(taught.points())).transpose()?;
        let all = joined.as_ref().unwrap_or_else(|| taught.points());
        let memory = check_memory(&options, all, taught.outputs, &run.budget())?;
        let mut weights = old.map_or_else(Vec::new, |old| old.weights.clone());
        match &taught.weights {
            Some(new) => weights.extend(new),
            None => weights.resize(all.len(), 1.0),
        }
        let mut state =
            old.map_or_else(|| State::new(taught.outputs, &options), |old| old.state.clone());
        let mut lesson = taught.lesson();
        lesson.points = kept..all.len();
        lesson.weights = Some(&weights);
        let gram = LazyGram::new(&space.kernel, all)?;
        let most = most_vectors(all, &lesson, &memory);
        state.projection = std::mem::take(factor);
        let ended = Stream::new(&gram, &lesson, most, &mut state)
            .and_then(|mut stream| pass_by_pass(&mut stream, &lesson, run));
        *factor = std::mem::take(&mut state.projection);
        let ended = ended?;
        let mistakes = ended.mistakes.iter().sum();
        let origin = |i: usize| match old {
            Some(old) if i < kept => old.origins[i],
            _ => seen + taught.origin(i - kept),
        };
        let total = seen + taught.seen();
        Ok((TrainedPerceptron::new(all, Some(&weights), &origin, total, state, ended)?, mistakes))
    }
}

/// The weights of points in a stream: sample weights times class weights.
fn weigh<L: Label>(
    options: &PerceptronOptions,
    labels: &Encoded<L>,
    weights: Option<&[f64]>,
) -> Result<Option<Vec<f64>>, Error> {
    let Some(of_class) = options.class_weights.of_stream(labels.classes.len())? else {
        return Ok(weights.map(<[f64]>::to_vec));
    };
    let own = |i: usize| weights.map_or(1.0, |weights| weights[i]);
    let all = labels.indices.iter().enumerate();
    Ok(Some(all.map(|(i, &class)| own(i) * of_class[class]).collect()))
}

/// Trains a state on points of an operator; weights multiply the features of their points.
pub(super) struct Stream<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    lesson: &'a Lesson<'a>,
    pub(super) diag: Vec<f64>,
    pub(super) state: &'a mut State,
    most: Most,
    /// Kernel values of the visited point with the support vectors.
    pub(super) k: Vec<f64>,
    /// The values of the functions at the visited point.
    pub(super) f: Vec<f64>,
}

/// The memory limit for support vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) bytes: u64,
    /// The bytes of a support vector.
    pub(super) each: u64,
}

impl Most {
    /// Returns an error if `vectors` + 1 support vectors do not fit.
    fn check(self, vectors: usize) -> Result<(), Error> {
        let needed = self.each.saturating_mul(vectors as u64 + 1);
        let instead = "take a smaller budget of them";
        Ok(MemoryBudget::bytes(self.bytes).require("the support vectors", needed, instead)?)
    }
}

/// A visited point, with its direction and margin.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub(super) i: usize,
    pub(super) direction: Direction,
    pub(super) margin: f64,
}

impl<'a, T: Scalar> Stream<'a, T> {
    pub(super) fn new(
        gram: &'a dyn GramOperator<T>,
        lesson: &'a Lesson<'a>,
        most: Most,
        state: &'a mut State,
    ) -> Result<Self, Error> {
        let diag = lesson.diagonal(gram)?;
        Ok(Self { gram, lesson, diag, state, most, k: Vec::new(), f: vec![0.0; lesson.outputs] })
    }

    fn visit(&mut self, window: &mut Window<'_, T>, j: usize, i: usize) -> Result<bool, Error> {
        window.values(j, &mut self.k);
        evaluate(self.state, &self.k, &mut self.f);
        let (direction, margin) = self.lesson.judge(i, &self.f)?;
        let tally = &mut self.state.tally;
        tally.squared_radius = tally.squared_radius.max(self.diag[i]);
        let visit = Visit { i, direction, margin };
        let mistake = margin <= 0.0;
        if mistake {
            tally.mistakes += 1;
            if let Some(place) = self.learn(visit)? {
                window.place(place, j);
            }
        } else if let Budget::ProjectionPlus { distance, .. } = self.lesson.options.budget {
            self.widen(visit, distance);
        }
        self.state.tally.steps += 1;
        Ok(mistake)
    }

    /// Updates the state on a mistake, and returns the place of its point if it became a support
    /// vector.
    fn learn(&mut self, visit: Visit) -> Result<Option<usize>, Error> {
        let budget = self.lesson.options.budget;
        let full = self.state.expansion.len() >= budget.vectors();
        let place = match budget {
            Budget::Random { .. } if full => self.replace_random(visit)?,
            Budget::Oldest { .. } if full => self.replace_oldest(visit)?,
            Budget::Projection { distance, .. } | Budget::ProjectionPlus { distance, .. } => {
                let squared = self.state.projection.project(&self.k);
                let left = self.diag[visit.i] - squared;
                let (size, k) = (self.state.projection.size(), self.diag[visit.i]);
                let floor = tolerance::projection_floor::<T>(size, k);
                if full || left <= floor.max(distance * distance) {
                    self.add_projection(visit, 1.0, squared);
                    return Ok(None);
                }
                self.state.projection.grow(left);
                self.append(visit)?
            }
            _ => self.append(visit)?,
        };
        Ok(Some(place))
    }

    /// f ← f ± K(·, x), with x at a new place.
    fn append(&mut self, visit: Visit) -> Result<usize, Error> {
        let place = self.state.expansion.len();
        self.most.check(place)?;
        self.state.expansion.push(visit.i);
        self.put(visit, place, 1.0);
        self.state.tally.squared_norm += self.growth(visit);
        Ok(place)
    }

    /// The increase of ‖f‖² when the point is added.
    pub(super) fn growth(&self, visit: Visit) -> f64 {
        2.0 * visit.margin + visit.direction.squared_length() * self.diag[visit.i]
    }

    /// Adds `size` times the direction of the visit to the coefficients at a place.
    pub(super) fn put(&mut self, visit: Visit, place: usize, size: f64) {
        let steps = self.state.tally.steps;
        for (k, sign) in visit.direction.signs() {
            self.state.expansion.add((place, k), size * sign, steps);
        }
    }

    /// Replaces a support vector drawn uniformly: removes its term from f, then adds the point.
    fn replace_random(&mut self, visit: Visit) -> Result<usize, Error> {
        let place = self.state.rng.random_range(0..self.state.expansion.len());
        self.values_at(place)?;
        let removed = self.state.expansion.at(place).to_vec();
        self.forget(place, 1.0);
        // The margin of the point without the removed term.
        let gone: Vec<f64> = removed.iter().map(|a| a * self.k[place]).collect();
        let margin = visit.margin - visit.direction.along(&gone);
        let visit = Visit { margin, ..visit };
        self.state.expansion.replace(place, visit.i);
        self.put(visit, place, 1.0);
        self.state.tally.squared_norm += self.growth(visit);
        Ok(place)
    }

    /// Evaluates f at the point of a place, from new kernel values.
    pub(super) fn values_at(&mut self, place: usize) -> Result<(), Error> {
        let expansion = &self.state.expansion;
        let mut values = zeros(expansion.len(), 1)?;
        let row = expansion.rows[place];
        self.gram.submatrix_into(Rows::Of(&expansion.rows), &[row], values.as_mut())?;
        let of_rows = values.col(0).iter().zip(&expansion.rows);
        let k: Vec<f64> =
            of_rows.map(|(&k, &other): (&T, _)| self.lesson.weighted(k, (other, row))).collect();
        evaluate(self.state, &k, &mut self.f);
        Ok(())
    }

    /// Updates ‖f‖² for the removal of a place, where the functions have the values φ·`self.f`.
    pub(super) fn forget(&mut self, place: usize, phi: f64) {
        let State { expansion, tally, .. } = &mut *self.state;
        let k = self.diag[expansion.rows[place]];
        for (a, f) in expansion.at(place).iter().zip(&self.f) {
            tally.squared_norm += a * (a * k - 2.0 * phi * f);
        }
        tally.removed += 1;
    }
}

impl<T: Scalar> Visitor for Stream<'_, T> {
    fn pass(&mut self, order: &[usize]) -> Result<usize, Error> {
        let mut mistakes = 0;
        for block in order.chunks(BLOCK) {
            let support = &self.state.expansion.rows;
            let mut window = Window::new(self.gram, self.lesson, support, block)?;
            for (j, &i) in block.iter().enumerate() {
                mistakes += usize::from(self.visit(&mut window, j, i)?);
            }
        }
        Ok(mistakes)
    }
}

/// The values of the functions at a point with the kernel values `k`, one per place.
fn evaluate(state: &State, k: &[f64], f: &mut [f64]) {
    f.fill(0.0);
    for (a, k) in state.expansion.coefficients.chunks_exact(f.len()).zip(k) {
        f.iter_mut().zip(a).for_each(|(f, a)| *f += a * k);
    }
}

/// The kernel values of the next points with the support vectors and with each other.
struct Window<'a, T: Scalar> {
    /// Rows: the points of the expansion when the window was filled, then the next points. Columns:
    /// the next points.
    values: Mat<T>,
    /// The row of the point at each place.
    rows: Vec<usize>,
    /// The row of the first of the next points.
    next: usize,
    /// The point of each row.
    points: Vec<usize>,
    lesson: &'a Lesson<'a>,
}

impl<'a, T: Scalar> Window<'a, T> {
    fn new(
        gram: &dyn GramOperator<T>,
        lesson: &'a Lesson<'a>,
        support: &[usize],
        next: &[usize],
    ) -> Result<Self, Error> {
        let points: Vec<usize> = support.iter().chain(next).copied().collect();
        let mut values = zeros(points.len(), next.len())?;
        gram.submatrix_into(Rows::Of(&points), next, values.as_mut())?;
        let rows = (0..support.len()).collect();
        Ok(Self { values, rows, next: support.len(), points, lesson })
    }

    /// The weighted kernel values of the points at all places with the `j`-th of the next points.
    fn values(&self, j: usize, out: &mut Vec<f64>) {
        let (column, point) = (self.values.col_as_slice(j), self.points[self.next + j]);
        let value = |&row: &usize| self.lesson.weighted(column[row], (self.points[row], point));
        out.clear();
        out.extend(self.rows.iter().map(value));
    }

    /// Records that the `j`-th of the next points is at this place.
    fn place(&mut self, place: usize, j: usize) {
        let row = self.next + j;
        if place == self.rows.len() { self.rows.push(row) } else { self.rows[place] = row }
    }
}
