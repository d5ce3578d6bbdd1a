//! Learning from a stream.

use super::engine::pass_by_pass;
use super::expansion::State;
use super::fit::Taught;
use super::kernel::{check_memory, most_vectors};
use super::learned::Learned;
use super::params::PerceptronOptions;
use super::projection::Projection;
use super::stream::Stream;
use super::{Order, Perceptron};
use crate::labels::Encoded;
use crate::model::{Classifier, KernelExpansion, Vote};
use crate::space::OnKernel;
use crate::{Data, Error, Label, Labels, Run};
use kern_core::{Concat, Mercer, Points};
use kern_gram::LazyGram;

/// A perceptron that learns point by point, or block by block, without seeing those again that it has seen.
///
/// An update visits its points once, in their order: so it is the first pass of a fit that goes on, to the bit for points
/// whose kernel values do not depend on what they are computed with ([`Points::entries_are_local`]).
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
    learned: Option<Learned<P>>,
}

impl<P: Points, K: Mercer<P> + Clone, L: Label> OnlinePerceptron<P, K, L> {
    pub(super) fn new(
        perceptron: Perceptron<OnKernel<K>>,
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
    pub fn model(&self) -> Result<Classifier<KernelExpansion<P, K>, L>, Error>
    where
        P: Clone,
    {
        let learned = self.learned.clone().ok_or(Error::Empty)?;
        let Perceptron { space, options } = &self.perceptron;
        let (function, report) = learned.into_function(space.kernel.clone(), options.offset())?;
        Ok(Classifier::new(function, (self.classes.clone(), Vote::Greatest), report))
    }

    /// Learns from some more points, and says how many were mistakes. Each is judged before it is learned from, so
    /// that is an honest measure of how well the model does.
    ///
    /// # Errors
    /// As [`learn`](Self::learn).
    pub fn update(&mut self, points: &P, labels: &[L]) -> Result<usize, Error>
    where
        P: Concat,
    {
        self.learn(&Data::new(points, Labels::new(labels))?, &mut Run::new())
    }

    /// An [update](Self::update) by points with weights, within the memory of a run, whose observer sees its end.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] for a label that is not among the classes; as the
    /// [`learn`](crate::Learner::learn) of a [`Perceptron`], except that one class will do. What was learned before is
    /// kept then, and nothing else.
    ///
    /// # Complexity
    /// As many kernel values per point as there are support vectors, and for each update a copy of these.
    pub fn learn(
        &mut self,
        data: &Data<'_, P, Labels<L>>,
        run: &mut Run<'_>,
    ) -> Result<usize, Error>
    where
        P: Concat,
    {
        // A factor of many support vectors is not copied: it only grows.
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

    /// The state after some more points, and the number of mistakes; the factor is with the caller.
    fn advance(
        &self,
        data: &Data<'_, P, Labels<L>>,
        factor: &mut Projection,
        run: &mut Run<'_>,
    ) -> Result<(Learned<P>, usize), Error>
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
        let ended = Stream::new(&gram, (&lesson, most), &mut state)
            .and_then(|mut stream| pass_by_pass(&mut stream, &lesson, run));
        *factor = std::mem::take(&mut state.projection);
        let ended = ended?;
        let mistakes = ended.mistakes.iter().sum();
        let origin = |i: usize| match old {
            Some(old) if i < kept => old.origins[i],
            _ => seen + taught.origin(i - kept),
        };
        let when = (Some(&*weights), &origin as &dyn Fn(usize) -> usize, seen + taught.seen());
        Ok((Learned::new(all, when, state, ended)?, mistakes))
    }
}

/// The weights of points of a stream: their own times those of their classes.
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
