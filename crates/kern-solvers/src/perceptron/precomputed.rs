//! The perceptron on a Gram matrix that is given.

use super::answer::Answer;
use super::engine::Task;
use super::expansion::State;
use super::fit::{check_memory, learn_on, outputs};
use super::{Perceptron, PerceptronReport};
use crate::labels::Encoded;
use crate::model::{decide_on_cross, winner};
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_approx::Precomputed;
use kern_core::Scalar;
use kern_gram::{CrossOperator, GramOperator, parallel, zeros};

impl Perceptron<Precomputed> {
    /// The perceptron with a Gram matrix that is given.
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::{PrecomputedCross, PrecomputedGram};
    /// use kern_solvers::perceptron::Perceptron;
    /// let gram = PrecomputedGram::new(mat![[1.0, 0.2, 0.1], [0.2, 1.0, 0.3], [0.1, 0.3, 1.0]])?;
    /// let model = Perceptron::precomputed().fit_gram(&gram, &["a", "b", "b"])?;
    /// assert_eq!(model.support(), [0, 1]); // the third point was never a mistake
    /// let cross = PrecomputedCross::new(mat![[0.9, 0.2, 0.1], [0.1, 0.2, 0.9]])?;
    /// assert_eq!(model.predict(&cross)?, ["a", "b"]);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub fn precomputed() -> Self {
        Self::new(Precomputed)
    }

    /// Learns the classes. A column of the matrix that is not stored contiguously is copied when its point is a
    /// mistake. Whether the matrix is positive semi-definite is not looked at.
    ///
    /// # Errors
    /// As [`Perceptron::fit`].
    pub fn fit_gram<T: Scalar, L: Label>(
        self,
        gram: &dyn GramOperator<T>,
        labels: &[L],
    ) -> Result<GramPerceptron<T, L>, Error> {
        let (n, settings) = (gram.size(), &self.settings);
        let labels = Encoded::new(n, labels)?;
        settings.check()?;
        let outputs = outputs(labels.classes.len());
        check_memory(settings, n, outputs, &settings.memory.unwrap_or_default())?;
        let task = Task { points: 0..n, classes: &labels.indices, outputs, settings };
        let mut state = State::new(outputs, settings.averaged, settings.seed);
        let ended = parallel::in_pool(|| learn_on(gram, &task, &mut state, None))?;
        let answer = Answer::<T>::new(&state, settings.offset(), ended)?;
        let Answer { coefficients: of_places, intercepts, used, report } = answer;
        let rows = &state.expansion.rows;
        let mut coefficients: Mat<T> = zeros(n, outputs)?;
        for &place in &used {
            for k in 0..outputs {
                let a = coefficients[(rows[place], k)] + of_places[(place, k)];
                coefficients[(rows[place], k)] = a;
            }
        }
        let support = used.iter().map(|&place| rows[place]).collect();
        Ok(GramPerceptron { coefficients, intercepts, classes: labels.classes, support, report })
    }
}

/// A classifier that a perceptron has learned from a Gram matrix; it predicts from kernel values with all points of the
/// fit. Its functions are those of [`PerceptronClassifier`](super::PerceptronClassifier).
#[derive(Clone, Debug, PartialEq)]
pub struct GramPerceptron<T: Scalar, L> {
    coefficients: Mat<T>,
    intercepts: Vec<T>,
    classes: Vec<L>,
    support: Vec<usize>,
    report: PerceptronReport,
}

impl<T: Scalar, L: Label> GramPerceptron<T, L> {
    /// The coefficients: points of the fit × functions.
    #[must_use]
    pub fn coefficients(&self) -> MatRef<'_, T> {
        self.coefficients.as_ref()
    }

    /// The intercepts, one per function; zeros without a bias.
    #[must_use]
    pub fn intercepts(&self) -> &[T] {
        &self.intercepts
    }

    /// The classes, in order.
    #[must_use]
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The indices of the support vectors. Under a budget that removes, one may be there more than once.
    #[must_use]
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The evidence of the fit.
    #[must_use]
    pub fn report(&self) -> &PerceptronReport {
        &self.report
    }

    /// The values of the functions: queries × functions.
    ///
    /// # Errors
    /// [`Error::Gram`] unless `cross` has a column for each point of the fit.
    pub fn decision_values(&self, cross: &dyn CrossOperator<T>) -> Result<Mat<T>, Error> {
        decide_on_cross(cross, self.coefficients(), &self.intercepts)
    }

    /// The class of each query.
    ///
    /// # Errors
    /// As [`decision_values`](Self::decision_values).
    pub fn predict(&self, cross: &dyn CrossOperator<T>) -> Result<Vec<L>, Error> {
        let values = self.decision_values(cross)?;
        let class = |i| self.classes[winner(values.as_ref(), i)].clone();
        Ok((0..values.nrows()).map(class).collect())
    }
}
