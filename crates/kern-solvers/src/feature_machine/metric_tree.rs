//! Metric tree: feature machines with their own metrics in the leaves, grown by splits at medians.

use super::learned_metric::Metric;
use super::recursion::{LearnedLeaf, MetricProblem};
use crate::model::{Arity, Decision, KernelExpansion};
use crate::{Error, FeatureMachineDetails, Report, Run, Status};
use faer::Mat;
use kern_core::gradient::PointGradient;
use kern_core::named::Name;
use kern_core::{Kernel, Mercer, Named, Points, Samples, Scalar};
use kern_gram::{tile_ranges, zeros};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

/// Points that are predicted together.
const BLOCK: usize = 4096;

/// Size of the sample from which the direction of a split is computed.
const DRAWN: usize = 2000;

/// f(x) = b + Σᵢ αᵢK(Rx, zᵢ) with a learned linear map R, or a weighted mean of such functions; for
/// large training sets a tree with such a function in each leaf.
///
/// # Examples
/// See [`FeatureMachine`](super::FeatureMachine).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<T, K>",
    bound(
        serialize = "T: Scalar, K: Named + Serialize",
        deserialize = "T: Scalar, K: Kernel<Samples<T>> + Named + Deserialize<'de>"
    )
)]
pub struct MetricExpansion<T: Scalar, K> {
    name: Name<Self>,
    splits: Vec<Split>,
    leaves: Vec<Leaf<T, K>>,
}

kern_core::named! { [T: Scalar, K] MetricExpansion<T, K> = "metric_expansion"; }

/// A split: points with a projection below the threshold belong to the first child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Split {
    direction: Vec<f64>,
    threshold: f64,
    children: [Child; 2],
}

/// A child of a split: another split or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Child {
    Split(usize),
    Leaf(usize),
}

/// A leaf: a sum of functions of mapped points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "T: Scalar, K: Named + Serialize",
    deserialize = "T: Scalar, K: Kernel<Samples<T>> + Named + Deserialize<'de>"
))]
struct Leaf<T: Scalar, K> {
    terms: Vec<Term<T, K>>,
}

/// A function of mapped points, times its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "T: Scalar, K: Named + Serialize",
    deserialize = "T: Scalar, K: Kernel<Samples<T>> + Named + Deserialize<'de>"
))]
pub(super) struct Term<T: Scalar, K> {
    pub(super) weight: f64,
    pub(super) metric: Metric,
    pub(super) expansion: KernelExpansion<Samples<T>, K>,
}

/// A deserialised function before validation.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Scalar, K: Kernel<Samples<T>> + Named + Deserialize<'de>"))]
struct Unchecked<T: Scalar, K> {
    #[serde(rename = "name")]
    _name: Name<MetricExpansion<T, K>>,
    splits: Vec<Split>,
    leaves: Vec<Leaf<T, K>>,
}

impl<T: Scalar, K: Kernel<Samples<T>>> TryFrom<Unchecked<T, K>> for MetricExpansion<T, K> {
    type Error = Error;

    fn try_from(Unchecked { splits, leaves, .. }: Unchecked<T, K>) -> Result<Self, Error> {
        if leaves.iter().any(|leaf| leaf.terms.is_empty()) {
            return Err(Error::Empty);
        }
        let mut terms = leaves.iter().flat_map(|leaf| &leaf.terms);
        let Some(first) = terms.next() else { return Err(Error::Empty) };
        let (dim, outputs) = (first.metric.dim(), first.expansion.arity());
        let count = |name, given, allowed| Err(Error::Count { name, given, allowed });
        for Term { weight, metric, expansion } in leaves.iter().flat_map(|leaf| &leaf.terms) {
            kern_core::Positive::new("weight", *weight)?;
            if metric.dim() != dim || !metric.is_finite() || metric.rank() == 0 {
                return count(
                    "the size of a metric",
                    metric.dim(),
                    "that of the first, of numbers",
                );
            }
            if expansion.arity() != outputs {
                return count("the outputs of a leaf", expansion.arity(), "those of the first");
            }
            let shape = (1, metric.rank());
            kern_gram::Error::check_shape("points", shape, (1, expansion.points().dim()))?;
        }
        for (at, split) in splits.iter().enumerate() {
            let is_number = split.threshold.is_finite() && f64::all_finite(&split.direction);
            if split.direction.len() != dim || !is_number {
                let given = split.direction.len();
                return count("the size of a direction", given, "that of the points, of numbers");
            }
            for child in split.children {
                let is_later = match child {
                    Child::Split(next) => next > at && next < splits.len(),
                    Child::Leaf(leaf) => leaf < leaves.len(),
                };
                if !is_later {
                    return count("a child of a tree", at, "a later one, or a leaf");
                }
            }
        }
        Ok(Self::new(splits, leaves))
    }
}

impl<T: Scalar, K> MetricExpansion<T, K> {
    fn new(splits: Vec<Split>, leaves: Vec<Leaf<T, K>>) -> Self {
        Self { name: Name::default(), splits, leaves }
    }

    /// The number of leaves, each with its own metric.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The dimension d of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.first().map_or(0, |term| term.metric.dim())
    }

    fn first(&self) -> Option<&Term<T, K>> {
        self.leaves.first()?.terms.first()
    }

    /// The functions of one leaf on mapped points, each times its weight: several if they are
    /// [stacked](super::FeatureMachine::stacked), none if the leaf does not exist.
    #[must_use]
    pub fn expansions(
        &self,
        leaf: usize,
    ) -> impl ExactSizeIterator<Item = &KernelExpansion<Samples<T>, K>> {
        let terms = self.leaves.get(leaf).map_or(&[][..], |leaf| &leaf.terms);
        terms.iter().map(|term| &term.expansion)
    }

    /// The matrix M of one leaf, divided by its largest entry, or `None` if the leaf does not
    /// exist. For several functions it is the weighted mean.
    #[must_use]
    pub fn feature_matrix_of(&self, leaf: usize) -> Option<Mat<f64>> {
        let leaf = self.leaves.get(leaf)?;
        let mut mean = Mat::zeros(self.dim(), self.dim());
        for Term { weight, metric, .. } in &leaf.terms {
            mean += faer::Scale(*weight) * over_largest(metric.matrix());
        }
        Some(over_largest(mean))
    }

    /// The matrix M, divided by its largest entry: d × d, symmetric and positive semi-definite; for
    /// several leaves their mean. Its diagonal measures how much the function depends on each
    /// feature.
    #[must_use]
    pub fn feature_matrix(&self) -> Mat<f64> {
        let dim = self.dim();
        let share = 1.0 / self.leaves.len() as f64;
        let mut mean = Mat::zeros(dim, dim);
        for m in (0..self.leaves.len()).filter_map(|leaf| self.feature_matrix_of(leaf)) {
            mean += faer::Scale(share) * m;
        }
        mean
    }

    /// The leaf of a point.
    fn leaf_of(&self, x: &[T]) -> usize {
        let mut child = if self.splits.is_empty() { Child::Leaf(0) } else { Child::Split(0) };
        // Children come after their parents, so this terminates.
        loop {
            match child {
                Child::Leaf(leaf) => return leaf,
                Child::Split(at) => {
                    let Split { direction, threshold, children } = &self.splits[at];
                    child = children[usize::from(projection(direction, x) >= *threshold)];
                }
            }
        }
    }
}

/// A matrix divided by its largest entry.
fn over_largest(mut m: Mat<f64>) -> Mat<f64> {
    let largest = m.norm_max();
    if largest > 0.0 {
        m.col_iter_mut().for_each(|column| column.iter_mut().for_each(|v| *v /= largest));
    }
    m
}

/// The projection of a point onto a direction.
fn projection<T: Scalar>(direction: &[f64], x: &[T]) -> f64 {
    direction.iter().zip(x).map(|(d, x)| d * x.to_f64()).sum()
}

impl<T: Scalar, K> Arity for MetricExpansion<T, K> {
    fn arity(&self) -> usize {
        self.first().map_or(0, |term| term.expansion.arity())
    }
}

impl<T: Scalar, K: Kernel<Samples<T>>> Decision<Samples<T>> for MetricExpansion<T, K> {
    fn outputs(&self) -> usize {
        self.arity()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        let mut terms = self.leaves.iter().flat_map(|leaf| &leaf.terms);
        terms.try_for_each(|term| term.expansion.check_numbers())
    }

    fn decide(&self, points: &Samples<T>) -> Result<Mat<T>, Error> {
        kern_core::Error::check_dimension("features", self.dim(), points.dim())?;
        let mut members = vec![Vec::new(); self.leaves.len()];
        (0..points.len()).for_each(|i| members[self.leaf_of(points.item(i))].push(i));
        let mut out = zeros(points.len(), self.arity())?;
        for (leaf, members) in self.leaves.iter().zip(members) {
            for range in tile_ranges(members.len(), BLOCK) {
                let block = &members[range];
                let points = points.select(block)?;
                for term in &leaf.terms {
                    let values = term.expansion.decide(&term.metric.map(&points)?)?;
                    for (&i, row) in block.iter().zip(values.row_iter()) {
                        let pairs = out.row_mut(i).iter_mut().zip(row.iter());
                        pairs.for_each(|(out, &value)| *out += value);
                    }
                }
            }
        }
        Ok(out)
    }
}

/// Grows the tree, and learns the function of each leaf.
pub(super) fn learn<T, K>(
    problem: &MetricProblem<'_, T, K>,
    run: &mut Run<'_>,
) -> Result<(MetricExpansion<T, K>, Report), Error>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    let mut grown = Grown {
        problem,
        rng: ChaCha8Rng::seed_from_u64(problem.settings.seed),
        splits: Vec::new(),
        leaves: Vec::new(),
        report: None,
        details: FeatureMachineDetails::default(),
    };
    grown.grow((0..problem.points.len()).collect(), run)?;
    let Grown { splits, leaves, report, details, .. } = grown;
    let report = report.ok_or(Error::Empty)?;
    Ok((MetricExpansion::new(splits, leaves), report.with_details(details.into())))
}

/// A split, and the points of both halves.
type Halved = (Split, [Vec<usize>; 2]);

struct Grown<'g, 'p, T: Scalar, K> {
    problem: &'g MetricProblem<'p, T, K>,
    rng: ChaCha8Rng,
    splits: Vec<Split>,
    leaves: Vec<Leaf<T, K>>,
    report: Option<Report>,
    details: FeatureMachineDetails,
}

impl<T, K> Grown<'_, '_, T, K>
where
    T: Scalar,
    K: Mercer<Samples<T>> + PointGradient<T> + Clone,
{
    /// Grows the subtree of these points.
    fn grow(&mut self, indices: Vec<usize>, run: &mut Run<'_>) -> Result<Child, Error> {
        if indices.len() > self.problem.settings.leaf
            && let Some((split, halves)) = self.halved(&indices, run)?
        {
            let at = self.splits.len();
            self.splits.push(split);
            drop(indices);
            for (half, indices) in halves.into_iter().enumerate() {
                self.splits[at].children[half] = self.grow(indices, run)?;
            }
            return Ok(Child::Split(at));
        }
        // A stopped fit still needs a function in every leaf: ridge regression without rounds.
        let stopped = self.report.as_ref().is_some_and(|report| report.status == Status::Stopped);
        let mut settings = self.problem.settings.clone();
        if stopped {
            settings.rounds = 0;
        }
        let LearnedLeaf { terms, report, rounds } = self
            .with_part(&indices, |part| MetricProblem { settings: &settings, ..part }.learn(run))?;
        self.leaves.push(Leaf { terms });
        self.report = Some(match self.report.take() {
            Some(sum) => sum.joined(&report),
            None => report,
        });
        self.details.leaves.push(rounds);
        Ok(Child::Leaf(self.leaves.len() - 1))
    }

    /// Splits these points at the median of their projections; `None` if all projections are equal.
    fn halved(&mut self, indices: &[usize], run: &Run<'_>) -> Result<Option<Halved>, Error> {
        let mut drawn = indices.to_vec();
        let count = DRAWN.min(drawn.len());
        for i in 0..count {
            let other = self.rng.random_range(i..drawn.len());
            drawn.swap(i, other);
        }
        drawn.truncate(count);
        let direction = self.with_part(&drawn, |part| part.direction(run))?;
        let along = |&i: &usize| projection(&direction, self.problem.points.item(i));
        let mut sorted: Vec<f64> = indices.iter().map(along).collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Points with equal projections go to the same side.
        let threshold = match sorted.iter().find(|&&value| value > sorted[0]) {
            None => return Ok(None),
            Some(&second) => median.max(second),
        };
        let (below, above) = indices.iter().partition(|&i| along(i) < threshold);
        // The caller fills them in.
        let children = [Child::Leaf(0); 2];
        Ok(Some((Split { direction, threshold, children }, [below, above])))
    }

    /// Calls `f` with the problem restricted to some of the points.
    fn with_part<R>(
        &self,
        indices: &[usize],
        f: impl FnOnce(MetricProblem<'_, T, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if indices.len() == self.problem.points.len() {
            return f(MetricProblem { ..*self.problem });
        }
        f(self.problem.on(&self.problem.part(indices)?))
    }
}
