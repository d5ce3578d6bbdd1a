//! The functions of recursive feature machines.

use super::metric::Metric;
use crate::Error;
use crate::model::{Arity, Decision, KernelExpansion};
use faer::Mat;
use kern_core::named::Name;
use kern_core::{Kernel, Named, Points, Samples, Scalar};
use kern_gram::{tile_ranges, zeros};
use serde::{Deserialize, Serialize};

/// Points that are looked at together.
const BLOCK: usize = 4096;

/// f(x) = b + Σᵢ αᵢK(Rx, zᵢ) with a learned linear map R; of large sets a tree of such functions, each in a part of the space.
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

/// A halving: points with a projection below the threshold belong to the first child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Split {
    pub(super) direction: Vec<f64>,
    pub(super) threshold: f64,
    pub(super) children: [Child; 2],
}

/// The next halving, or the function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Child {
    Split(usize),
    Leaf(usize),
}

/// A function of images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "T: Scalar, K: Named + Serialize",
    deserialize = "T: Scalar, K: Kernel<Samples<T>> + Named + Deserialize<'de>"
))]
pub(super) struct Leaf<T: Scalar, K> {
    pub(super) metric: Metric,
    pub(super) expansion: KernelExpansion<Samples<T>, K>,
}

/// A function as it is read.
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
        let Some(first) = leaves.first() else { return Err(Error::Empty) };
        let (dim, outputs) = (first.metric.dim(), first.expansion.arity());
        let count = |name, given, allowed| Err(Error::Count { name, given, allowed });
        for Leaf { metric, expansion } in &leaves {
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
    pub(super) fn new(splits: Vec<Split>, leaves: Vec<Leaf<T, K>>) -> Self {
        Self { name: Name::default(), splits, leaves }
    }

    /// The number of parts of the space, each with a metric of its own.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The dimension d of the points.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.leaves.first().map_or(0, |leaf| leaf.metric.dim())
    }

    /// The function of one leaf on images of points, if there is such a leaf.
    #[must_use]
    pub fn expansion(&self, leaf: usize) -> Option<&KernelExpansion<Samples<T>, K>> {
        self.leaves.get(leaf).map(|leaf| &leaf.expansion)
    }

    /// The matrix M of one leaf over its greatest entry, if there is such a leaf.
    #[must_use]
    pub fn feature_matrix_of(&self, leaf: usize) -> Option<Mat<f64>> {
        let mut m = self.leaves.get(leaf)?.metric.matrix();
        let greatest = m.norm_max();
        if greatest > 0.0 {
            m.col_iter_mut().for_each(|column| column.iter_mut().for_each(|v| *v /= greatest));
        }
        Some(m)
    }

    /// The matrix M over its greatest entry: d × d, symmetric and positive semi-definite; of several leaves their mean. Its
    /// diagonal says how much the function depends on each feature.
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
        // Children come after their parents, so this ends.
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

/// The place of a point along a direction.
pub(super) fn projection<T: Scalar>(direction: &[f64], x: &[T]) -> f64 {
    direction.iter().zip(x).map(|(d, x)| d * x.to_f64()).sum()
}

impl<T: Scalar, K> Arity for MetricExpansion<T, K> {
    fn arity(&self) -> usize {
        self.leaves.first().map_or(0, |leaf| leaf.expansion.arity())
    }
}

impl<T: Scalar, K: Kernel<Samples<T>>> Decision<Samples<T>> for MetricExpansion<T, K> {
    fn outputs(&self) -> usize {
        self.arity()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.leaves.iter().try_for_each(|leaf| leaf.expansion.check_numbers())
    }

    fn decide(&self, points: &Samples<T>) -> Result<Mat<T>, Error> {
        if points.dim() != self.dim() {
            let (expected, given) = (self.dim(), points.dim());
            return Err(kern_core::Error::Dimension { what: "features", expected, given }.into());
        }
        let mut members = vec![Vec::new(); self.leaves.len()];
        (0..points.len()).for_each(|i| members[self.leaf_of(points.item(i))].push(i));
        let mut out = zeros(points.len(), self.arity())?;
        for (leaf, members) in self.leaves.iter().zip(members) {
            for range in tile_ranges(members.len(), BLOCK) {
                let block = &members[range];
                let images = leaf.metric.map(&points.select(block)?)?;
                let values = leaf.expansion.decide(&images)?;
                block
                    .iter()
                    .zip(values.row_iter())
                    .for_each(|(&i, row)| out.row_mut(i).copy_from(row));
            }
        }
        Ok(out)
    }
}
