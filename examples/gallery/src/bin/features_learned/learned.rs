//! A feature machine on images of digits: the metric M that it learns, round by round, for all ten digits and for pairs of them.

use anyhow::{Context, Result, bail};
use kern::faer::Mat;
use kern::kernels::Exponential;
use kern::solvers::feature_machine::{FeatureMachine, FeatureMetric};
use kern::solvers::validation::{Accuracy, Score};
use kern::solvers::{Details, Learner, Run};
use kern_gallery::data::Labelled;

/// Pixels in a row of an image, and in all of it.
pub(crate) const SIDE: usize = 8;
/// See [`SIDE`].
pub(crate) const PIXELS: usize = SIDE * SIDE;
/// Pairs of digits that look alike.
pub(crate) const PAIRS: [[&str; 2]; 3] = [["4", "9"], ["3", "8"], ["1", "7"]];

/// A machine that has learned M up to so many times.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// The rounds of the function: those of the least error, so that there may be fewer than were allowed.
    pub(crate) chosen: usize,
    /// The root mean square of the errors of leave-one-out.
    pub(crate) left_out: f64,
    /// The share of the other images that it reads.
    pub(crate) accuracy: f64,
    /// M over its greatest entry.
    pub(crate) matrix: Mat<f64>,
}

impl Round {
    /// The diagonal of M over its greatest entry: how much a pixel matters.
    #[must_use]
    pub(crate) fn pixels(&self) -> Vec<f64> {
        let diagonal: Vec<f64> = (0..PIXELS).map(|k| self.matrix[(k, k)]).collect();
        let largest = diagonal.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        diagonal.iter().map(|value| value / largest).collect()
    }
}

/// Two digits, the means of their images, and what tells them apart.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The digits.
    pub(crate) names: [&'static str; 2],
    /// The mean of the images of each.
    pub(crate) means: [Vec<f64>; 2],
    /// The machine.
    pub(crate) round: Round,
}

/// The machines that may learn M no, one, …, `most` times.
///
/// # Errors
/// If an image has not [`PIXELS`] pixels, or there are too few.
pub(crate) fn rounds(most: usize, (train, test): (&Labelled, &Labelled)) -> Result<Vec<Round>> {
    (0..=most).map(|allowed| round(allowed, (train, test))).collect()
}

/// One of them. Leave-one-out judges the rounds, so that M is all that changes.
fn round(allowed: usize, (train, test): (&Labelled, &Labelled)) -> Result<Round> {
    // The scale of distances is chosen, so this one need not be right.
    let machine = FeatureMachine::on_kernel(Exponential::new(0.3)?);
    let machine = machine.rounds(allowed).metric(FeatureMetric::Full).folds(0);
    let model = machine.learn(&train.data()?, &mut Run::new())?;
    let Details::FeatureMachine(details) = &model.report().details else {
        bail!("the report is of something else")
    };
    let leaf = &details.leaves[0];
    let matrix = model.decision().feature_matrix();
    anyhow::ensure!(matrix.nrows() == PIXELS, "{} pixels, not {PIXELS}", matrix.nrows());
    Ok(Round {
        chosen: leaf.best,
        left_out: leaf.rounds[leaf.best].error,
        accuracy: Accuracy.score(&model, &test.data()?)?,
        matrix,
    })
}

/// Machines that tell each of the [`PAIRS`] apart.
///
/// # Errors
/// If a digit is missing.
pub(crate) fn pairs(most: usize, (train, test): (&Labelled, &Labelled)) -> Result<Vec<Pair>> {
    let pair = |names: [&'static str; 2]| -> Result<Pair> {
        let [first, second] = names.map(|name| mean(train, name));
        let (train, test) = (train.only(&names)?, test.only(&names)?);
        Ok(Pair { names, means: [first?, second?], round: round(most, (&train, &test))? })
    };
    PAIRS.into_iter().map(pair).collect()
}

/// The mean of the images of a digit.
fn mean(images: &Labelled, digit: &str) -> Result<Vec<f64>> {
    let own = images.only(&[digit]).with_context(|| format!("there is no {digit}"))?;
    let count = own.labels.len() as f64;
    let all = own.points.as_slice();
    let pixel = |k: usize| all.iter().skip(k).step_by(PIXELS).sum::<f64>() / count;
    Ok((0..PIXELS).map(pixel).collect())
}
