//! Predictions from neighbours: votes on labels and means of values, depending on the type of the
//! targets.

use crate::classes::Encoded;
use crate::{ClassWeights, Error, Label, LabelSets, Labels, Outputs, Targets, Values};
use faer::Mat;
use kern_core::{Named, Scalar, named};
use serde::{Deserialize, Serialize};

/// Targets that neighbours predict: [`Labels`], [`Values`], [`Outputs`], [`LabelSets`], or none,
/// `()`, for which the prediction is the indices of the neighbours. Sealed.
///
/// # Examples
/// ```
/// use kern_solvers::Labels;
/// use kern_solvers::knn::Known;
/// fn is_known<Y: Known>() {}
/// is_known::<Labels<&str>>();
/// is_known::<()>();
/// ```
pub trait Known: Targets + Named + sealed::Sealed {
    /// The form in which a model stores the targets.
    type Kept: Send + Sync;
    /// The prediction for one query.
    type One: Send;
    /// The predictions for queries that all have one.
    type All;

    #[doc(hidden)]
    fn weigh(&self, _: &ClassWeights, weights: Option<&[f64]>) -> Result<Option<Vec<f64>>, Error> {
        Ok(weights.map(<[f64]>::to_vec))
    }

    #[doc(hidden)]
    fn keep(self) -> Result<Self::Kept, Error>;

    #[doc(hidden)]
    fn check_kept(kept: &Self::Kept, points: usize) -> Result<(), Error>;

    #[doc(hidden)]
    fn answer(kept: &Self::Kept, near: &[usize], weights: &[f64]) -> Self::One;

    #[doc(hidden)]
    fn gather(kept: &Self::Kept, ones: Vec<Self::One>) -> Result<Self::All, Error>;
}

named! {
    [L] Labels<L> = "labels";
    [T] Values<T> = "values";
    [T: Scalar] Outputs<T> = "outputs";
    [] LabelSets = "label_sets";
}

/// Labels as indices of classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLabels<L> {
    pub(super) classes: Vec<L>,
    indices: Vec<usize>,
}

impl<L> KeptLabels<L> {
    /// The votes of these neighbours for each class.
    pub(super) fn votes(&self, near: &[usize], weights: &[f64]) -> Vec<f64> {
        votes(weights, self.classes.len(), near.iter().map(|&i| self.indices[i]))
    }
}

impl<L: Label> Known for Labels<L> {
    type Kept = KeptLabels<L>;
    type One = L;
    type All = Vec<L>;

    fn weigh(
        &self,
        classes: &ClassWeights,
        weights: Option<&[f64]>,
    ) -> Result<Option<Vec<f64>>, Error> {
        classes.combine(&Encoded::new(self)?, weights)
    }

    fn keep(self) -> Result<KeptLabels<L>, Error> {
        let Encoded { classes, indices } = Encoded::new(&self)?;
        Ok(KeptLabels { classes, indices })
    }

    fn check_kept(kept: &KeptLabels<L>, points: usize) -> Result<(), Error> {
        let KeptLabels { classes, indices } = kept;
        let label = |&given: &usize| match classes.get(given) {
            Some(label) => Ok(label.clone()),
            None => Err(kern_core::Error::Index { given, len: classes.len() }),
        };
        let labels = Labels::new(indices.iter().map(label).collect::<Result<Vec<L>, _>>()?);
        labels.check(points)?;
        let read = Encoded::new(&labels)?;
        // A fit never stores classes in another order, or without points.
        match (0..points).find(|&i| read.indices[i] != indices[i]) {
            Some(point) => Err(Error::UnknownLabel { point }),
            None => Ok(()),
        }
    }

    fn answer(kept: &KeptLabels<L>, near: &[usize], weights: &[f64]) -> L {
        kept.classes[winner(&kept.votes(near, weights))].clone()
    }

    fn gather(_: &KeptLabels<L>, ones: Vec<L>) -> Result<Vec<L>, Error> {
        Ok(ones)
    }
}

impl<T: Scalar> Known for Values<T> {
    type Kept = Self;
    type One = T;
    type All = Vec<T>;

    fn keep(self) -> Result<Self, Error> {
        Ok(self)
    }

    fn check_kept(kept: &Self, points: usize) -> Result<(), Error> {
        kept.check(points)
    }

    fn answer(kept: &Self, near: &[usize], weights: &[f64]) -> T {
        let values = near.iter().map(|&i| kept.as_slice()[i].to_f64());
        T::from_f64(mean(weights, values))
    }

    fn gather(_: &Self, ones: Vec<T>) -> Result<Vec<T>, Error> {
        Ok(ones)
    }
}

impl<T: Scalar> Known for Outputs<T> {
    type Kept = Self;
    type One = Vec<T>;
    type All = Mat<T>;

    fn keep(self) -> Result<Self, Error> {
        Ok(self)
    }

    fn check_kept(kept: &Self, points: usize) -> Result<(), Error> {
        kept.check(points)
    }

    fn answer(kept: &Self, near: &[usize], weights: &[f64]) -> Vec<T> {
        let mean = |output| {
            let values = near.iter().map(|&i| kept.as_mat()[(i, output)].to_f64());
            T::from_f64(mean(weights, values))
        };
        (0..kept.as_mat().ncols()).map(mean).collect()
    }

    fn gather(kept: &Self, ones: Vec<Vec<T>>) -> Result<Mat<T>, Error> {
        rows(&ones, kept.as_mat().ncols())
    }
}

impl Known for LabelSets {
    type Kept = Self;
    type One = Vec<bool>;
    type All = Vec<Vec<bool>>;

    fn keep(self) -> Result<Self, Error> {
        Ok(self)
    }

    fn check_kept(kept: &Self, points: usize) -> Result<(), Error> {
        kept.check(points)?;
        Self::new(kept.rows()).map(|_| ())
    }

    fn answer(kept: &Self, near: &[usize], weights: &[f64]) -> Vec<bool> {
        label_votes(kept, near, weights).map(|[no, yes]| yes > no).collect()
    }

    fn gather(_: &Self, ones: Vec<Vec<bool>>) -> Result<Vec<Vec<bool>>, Error> {
        Ok(ones)
    }
}

impl Known for () {
    type Kept = Self;
    type One = Vec<usize>;
    type All = Vec<Vec<usize>>;

    fn keep(self) -> Result<Self, Error> {
        Ok(())
    }

    fn check_kept((): &Self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn answer((): &Self, near: &[usize], _: &[f64]) -> Vec<usize> {
        near.to_vec()
    }

    fn gather((): &Self, ones: Vec<Vec<usize>>) -> Result<Vec<Vec<usize>>, Error> {
        Ok(ones)
    }
}

/// The number of labels.
pub(super) fn label_count(sets: &LabelSets) -> usize {
    sets.rows().first().map_or(0, Vec::len)
}

/// For each label, the total weight of the neighbours without it and of those with it.
pub(super) fn label_votes(
    sets: &LabelSets,
    near: &[usize],
    weights: &[f64],
) -> impl Iterator<Item = [f64; 2]> {
    (0..label_count(sets)).map(move |label| {
        let has = near.iter().map(|&i| usize::from(sets.rows()[i][label]));
        let votes = votes(weights, 2, has);
        [votes[0], votes[1]]
    })
}

/// A matrix of these rows.
pub(super) fn rows<T: Scalar>(rows: &[Vec<T>], columns: usize) -> Result<Mat<T>, Error> {
    let mut out = kern_gram::zeros(rows.len(), columns)?;
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(j, &value)| out[(i, j)] = value);
    }
    Ok(out)
}

/// The sum of weights for each class, given the class of each neighbour.
fn votes(weights: &[f64], classes: usize, class: impl Iterator<Item = usize>) -> Vec<f64> {
    let mut votes = vec![0.0; classes];
    for (class, weight) in class.zip(weights) {
        votes[class] += weight;
    }
    votes
}

/// The class with the most votes, the first in a tie.
fn winner(votes: &[f64]) -> usize {
    let mut best = 0;
    for (class, vote) in votes.iter().enumerate() {
        if *vote > votes[best] {
            best = class;
        }
    }
    best
}

/// Σ wᵢvᵢ / Σ wᵢ.
fn mean(weights: &[f64], values: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.iter().sum();
    let sum: f64 = weights.iter().zip(values.clone()).map(|(w, v)| w * v).sum();
    if sum.is_finite() {
        return sum / total;
    }
    // Values near the end of the range: the sum overflows, the mean does not.
    let mean: f64 = weights.iter().zip(values).map(|(w, v)| w / total * v).sum();
    // Rounded weights may sum to more than 1.
    mean.clamp(f64::MIN, f64::MAX)
}

mod sealed {
    use crate::{LabelSets, Labels, Outputs, Values};
    use kern_core::Scalar;

    pub trait Sealed {}
    impl<L> Sealed for Labels<L> {}
    impl<T> Sealed for Values<T> {}
    impl<T: Scalar> Sealed for Outputs<T> {}
    impl Sealed for LabelSets {}
    impl Sealed for () {}
}
