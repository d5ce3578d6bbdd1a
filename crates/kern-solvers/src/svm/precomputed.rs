//! Support vector classification on a Gram matrix that is given.

use super::columns::{Columns, Copied, Stored};
use super::params::Svc;
use super::settings::check_penalty;
use super::solver::BLOCK;
use super::svc::{Sorted, expand, solve_all};
use super::{Decomposition, SvmReport};
use crate::model::decide_on_cross;
use crate::{Error, Label};
use faer::{Mat, MatRef};
use kern_approx::Precomputed;
use kern_core::Scalar;
use kern_gram::{CrossOperator, GramOperator, matrix_bytes};

impl Svc<Precomputed> {
    /// Classification with a Gram matrix that is given, and C = 1.
    ///
    /// # Examples
    /// ```
    /// use kern_core::faer::mat;
    /// use kern_gram::{PrecomputedCross, PrecomputedGram};
    /// use kern_solvers::svm::Svc;
    /// let gram = PrecomputedGram::new(mat![[1.0, 0.2, 0.1], [0.2, 1.0, 0.3], [0.1, 0.3, 1.0]])?;
    /// let model = Svc::precomputed().fit_gram(&gram, &["a", "b", "b"])?;
    /// let cross = PrecomputedCross::new(mat![[0.9, 0.2, 0.1], [0.1, 0.2, 0.9]])?;
    /// assert_eq!(model.predict(&cross)?, ["a", "b"]);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[must_use]
    pub fn precomputed() -> Self {
        Self::new(Precomputed)
    }

    /// Learns the classes. Columns of the matrix that are not stored contiguously are copied, a block at a
    /// time. Whether it is positive semi-definite is not looked at.
    ///
    /// # Errors
    /// As [`Svc::fit`].
    pub fn fit_gram<T: Scalar, L: Label>(
        self,
        gram: &dyn GramOperator<T>,
        labels: &[L],
    ) -> Result<GramClassifier<T, L>, Error> {
        check_penalty(self.c)?;
        let n = gram.size();
        let (labels, weights) = self.prepare(n, labels)?;
        let sorted = Sorted::unsorted(&labels, weights.as_deref());
        let Self { c, settings, multi_class, .. } = self;
        let budget = sorted.sizes(multi_class, 1).left::<T>(&settings, 0)?;
        let problems = sorted.problems(multi_class, c, settings.bias)?;
        let (solutions, cost) = if let Some(columns) = Stored::new(gram, 0) {
            (solve_all(&columns, true, &problems, &settings, None)?, columns.cost())
        } else {
            let column = matrix_bytes::<T>(n, 1);
            let most = usize::try_from(budget.as_bytes() / column).unwrap_or(BLOCK).min(BLOCK);
            let columns = Copied::new(gram, most);
            (solve_all(&columns, false, &problems, &settings, None)?, columns.cost())
        };
        let expansion = expand(n, &problems, &solutions)?;
        expansion.check()?;
        let (coefficients, biases, bounded) = expansion.into_parts();
        let report = SvmReport::new(&solutions, bounded, cost);
        let used = |i: &usize| coefficients.row(*i).iter().any(|&a| a != T::ZERO);
        let support: Vec<usize> = (0..n).filter(used).collect();
        let report = SvmReport { support_vectors: support.len(), ..report };
        let decomposition = multi_class;
        let classes = labels.classes;
        Ok(GramClassifier { coefficients, biases, classes, decomposition, support, report })
    }
}

/// A classifier that is learned from a Gram matrix, and predicts from kernel values with all points of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct GramClassifier<T: Scalar, L> {
    coefficients: Mat<T>,
    biases: Vec<T>,
    classes: Vec<L>,
    decomposition: Decomposition,
    support: Vec<usize>,
    report: SvmReport,
}

impl<T: Scalar, L: Label> GramClassifier<T, L> {
    /// The coefficients: points of the fit × functions.
    #[must_use]
    pub fn coefficients(&self) -> MatRef<'_, T> {
        self.coefficients.as_ref()
    }

    /// The biases, one per function.
    #[must_use]
    pub fn biases(&self) -> &[T] {
        &self.biases
    }

    /// The classes, in order.
    #[must_use]
    pub fn classes(&self) -> &[L] {
        &self.classes
    }

    /// The indices of the support vectors, in order.
    #[must_use]
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The evidence of the fit.
    #[must_use]
    pub fn report(&self) -> &SvmReport {
        &self.report
    }

    /// The values of the functions: queries × functions.
    ///
    /// # Errors
    /// [`Error::Gram`] unless `cross` has a column for each point of the fit.
    pub fn decision_values(&self, cross: &dyn CrossOperator<T>) -> Result<Mat<T>, Error> {
        decide_on_cross(cross, self.coefficients(), &self.biases)
    }

    /// The class of each query.
    ///
    /// # Errors
    /// As [`decision_values`](Self::decision_values).
    pub fn predict(&self, cross: &dyn CrossOperator<T>) -> Result<Vec<L>, Error> {
        let values = self.decision_values(cross)?;
        let classes = self.classes.len();
        let winner = |i| self.decomposition.winner(values.as_ref(), i, classes);
        Ok((0..values.nrows()).map(|i| self.classes[winner(i)].clone()).collect())
    }
}
