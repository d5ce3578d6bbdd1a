//! Cross-validation of any learner.

use super::{Score, Split};
use crate::{Data, Error, Learner, Model, Report, Run, Targets};
use kern_core::Points;

/// The score of one fold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoldScore {
    /// The score on the held-out points.
    pub score: f64,
    /// The number of held-out points.
    pub tested: usize,
    /// The report of the fit on the other points.
    pub report: Report,
}

/// The scores of all folds.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    folds: Vec<FoldScore>,
}

impl CrossValidation {
    /// The folds, in the order of the split.
    #[must_use]
    pub fn folds(&self) -> &[FoldScore] {
        &self.folds
    }

    /// The mean of the scores.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.folds.iter().map(|fold| fold.score).sum::<f64>() / self.folds.len() as f64
    }

    /// The standard deviation of the scores over the k folds, with k − 1 in the denominator; 0 for
    /// a single fold.
    ///
    /// It measures how far the score of a single fold is from the mean. The usual standard error of
    /// the mean is `std() / (folds().len() as f64).sqrt()`. This treats folds as independent;
    /// they share most of their training points, so it is often too small.
    ///
    /// # References
    /// Bengio & Grandvalet (2004): no estimator of the variance of k-fold cross-validation is
    /// unbiased for all distributions.
    #[must_use]
    pub fn std(&self) -> f64 {
        let (mean, k) = (self.mean(), self.folds.len());
        let squares = self.folds.iter().map(|fold| (fold.score - mean).powi(2));
        if k < 2 { 0.0 } else { (squares.sum::<f64>() / (k - 1) as f64).sqrt() }
    }
}

/// Fits a learner to the training points of each fold and scores the model on the held-out points.
///
/// Folds are fitted one after the other, each with all threads; weights and groups are split with
/// their points.
///
/// # Errors
/// Those of the split, of the learner and of the score.
///
/// # Examples
/// See the [module](crate::validation).
#[doc(alias = "cross_val_score")]
pub fn cross_validate<P, Y, A, S>(
    learner: &A,
    data: &Data<'_, P, Y>,
    split: &Split,
    score: &S,
) -> Result<CrossValidation, Error>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P>>,
    S: Score<P, Y, A::Model> + ?Sized,
{
    let mut folds = Vec::new();
    for fold in split.folds(data)? {
        let test = data.select(&fold.test)?;
        let model = learner.learn(&data.select(&fold.train)?, &mut Run::new())?;
        let score = score.score(&model, &test)?;
        folds.push(FoldScore { score, tested: test.len(), report: model.report().clone() });
    }
    Ok(CrossValidation { folds })
}

/// The indices of each fold's held-out points, and the predictions for them.
pub type FoldAnswers<P, M> = Vec<(Vec<usize>, <M as Model<P>>::Answer)>;

/// The predictions for the held-out points of each fold, with their indices.
///
/// # Errors
/// Those of the split and of the learner.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Linear};
/// use kern_solvers::validation::{Split, cross_predict};
/// use kern_solvers::{Data, ridge::Ridge};
/// let x = Samples::from_rows(&[[1.0], [2.0], [3.0]])?;
/// let ridge = Ridge::on_kernel(Linear).lambda(1e-9);
/// let folds = cross_predict(&ridge, &Data::new(&x, &[2.0_f64, 4.0, 6.0])?, &Split::leave_one_out())?;
/// assert_eq!(folds[2].0, [2]);
/// assert!((folds[2].1[0] - 6.0_f64).abs() < 1e-6);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "cross_val_predict")]
pub fn cross_predict<P, Y, A>(
    learner: &A,
    data: &Data<'_, P, Y>,
    split: &Split,
) -> Result<FoldAnswers<P, A::Model>, Error>
where
    P: Points,
    Y: Targets,
    A: Learner<P, Y, Model: Model<P>>,
{
    let answer = |fold: super::Fold| {
        let model = learner.learn(&data.select(&fold.train)?, &mut Run::new())?;
        let answers = model.predict(data.select(&fold.test)?.points())?;
        Ok((fold.test, answers))
    };
    split.folds(data)?.into_iter().map(answer).collect()
}
