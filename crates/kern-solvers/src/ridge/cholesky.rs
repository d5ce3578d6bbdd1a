//! Ridge regression by Cholesky factorisation: the factor of K + nλI, for any targets.

use super::leave_one_out::{LeftOut, Seen};
use super::linear_system::{Border, DualSolution, System};
use crate::design::Design;
use crate::model::{KernelExpansion, Regression};
use crate::variance::{by_blocks, unexplained};
use crate::{Error, IntoTargets, Report};
use faer::{Mat, MatRef};
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Points};
use kern_gram::numerics::cholesky::{Cholesky, scale_lower_in_place};
use kern_gram::numerics::original::{DiagonalTiles, Original};
use kern_gram::{DenseGram, GramOperator, MemoryBudget, PackedGram, TILE_EDGE, matrix_bytes};

/// Vectors per output: α, its fitted values, and the part of α that a model keeps.
const VECTORS: usize = 3;

/// The model of targets `Y` on a kernel.
pub(super) type Fitted<P, K, Y> =
    <<Y as IntoTargets>::Targets as Regression>::Model<KernelExpansion<P, K>>;

/// The Cholesky factor of a ridge problem, computed by [`Ridge::factor`](super::Ridge::factor):
/// models for any number of targets, and the residuals of models without some of the points, from
/// the inverse.
///
/// Leaving a point out means giving it the weight zero: nλ does not change.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::ColRef, kernels::Rbf};
/// use kern_solvers::{Data, Learner, Run, ridge::Ridge};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let y = [0.0_f64, 1.0, 0.0, 1.0];
/// let ridge = Ridge::on_kernel(Rbf::new(0.5)?).lambda(0.1).intercept(true);
/// let data = Data::new(&x, &y)?;
/// let factor = ridge.factor(&data, &Run::new())?;
/// let residuals = factor.leave_one_out(ColRef::from_slice(&y).as_mat())?;
///
/// let without_the_first = data.clone().weights(&[0.0, 1.0, 1.0, 1.0])?;
/// let model = ridge.learn(&without_the_first, &mut Run::new())?;
/// assert!((residuals[(0, 0)] - (y[0] - model.predict(&x)?[0])).abs() < 1e-14);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "leave-one-out")]
#[doc(alias = "LOO")]
pub struct FactoredRidge<'a, P: Points, K> {
    design: Design<'a, P, K>,
    lambda: f64,
    factor: Cholesky<P::Scalar>,
    border: Option<Border>,
    /// The part of the kernel matrix that the factor overwrites, kept for certificates if its
    /// values are expensive.
    diagonal: Option<DiagonalTiles<P::Scalar>>,
}

impl<P: Points, K> std::fmt::Debug for FactoredRidge<'_, P, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (lambda, size) = (&self.lambda, &self.factor.size());
        f.debug_struct("FactoredRidge").field("lambda", lambda).field("size", size).finish()
    }
}

impl<'a, P: Points, K: Kernel<P>> FactoredRidge<'a, P, K> {
    pub(super) fn new(
        design: Design<'a, P, K>,
        lambda: f64,
        budget: &MemoryBudget,
        memory: Option<LargeMat<P::Scalar>>,
    ) -> Result<Self, Error> {
        let matrix = match memory {
            Some(mut matrix) => {
                DenseGram::fill(&design.kernel, design.points(), matrix.as_mut())?;
                matrix
            }
            None => DenseGram::new(&design.kernel, design.points(), budget)?.into_matrix(),
        };
        Self::of_matrix(design, lambda, matrix, budget)
    }

    /// The memory of the factor, for reuse.
    pub(super) fn into_memory(self) -> LargeMat<P::Scalar> {
        self.factor.into_matrix()
    }

    /// The factorisation of a kernel matrix that is already computed.
    pub(super) fn of_values(
        design: Design<'a, P, K>,
        lambda: f64,
        values: PackedGram<P::Scalar>,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let n = values.size();
        let mut matrix = LargeMat::zeros(n, n)?;
        values.columns_into(&(0..n).collect::<Vec<_>>(), matrix.as_mut())?;
        drop(values);
        Self::of_matrix(design, lambda, matrix, budget)
    }

    pub(super) fn of_matrix(
        design: Design<'a, P, K>,
        lambda: f64,
        mut matrix: LargeMat<P::Scalar>,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let n = design.points().len();
        let kept = matrix_bytes::<P::Scalar>(n, n.saturating_add(TILE_EDGE.min(n) + VECTORS));
        let expensive = design.kernel.is_pointwise() && budget.fits(kept);
        let diagonal = expensive.then(|| DiagonalTiles::of(matrix.as_ref())).transpose()?;
        if let Some(roots) = design.roots() {
            scale_lower_in_place(matrix.as_mut(), roots);
        }
        let factor = Cholesky::new(matrix, design.count() as f64 * lambda)?;
        let border = Border::new(&design, &factor)?;
        Ok(Self { design, lambda, factor, border, diagonal })
    }

    pub(super) fn system(&self) -> System<'_, 'a, P, K, Cholesky<P::Scalar>> {
        let Self { design, lambda, factor, border, .. } = self;
        System { design, lambda: *lambda, inverse: factor, border: border.as_ref(), values: None }
    }

    /// The kernel matrix, if it is kept.
    fn original(&self) -> Option<Original<'_, P::Scalar>> {
        Some(self.diagonal.as_ref()?.original(&self.factor))
    }

    /// The model for these targets; it takes the kernel.
    pub(super) fn into_model(
        self,
        y: MatRef<'_, P::Scalar>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let original = self.original();
        let values = original.as_ref().map(|values| values as &dyn GramOperator<_>);
        let learned = System { values, ..self.system() }.learn(y)?;
        let DualSolution { alpha, intercepts, report } = learned;
        Ok((self.design.into_model(alpha.as_ref(), intercepts)?, report))
    }

    /// The model for these targets.
    ///
    /// # Complexity
    /// 2·n² flops and one pass over the kernel values, for the certificate; over stored ones if the
    /// kernel is [pointwise](Kernel::is_pointwise).
    ///
    /// # Errors
    /// As [`Ridge::fit`](super::Ridge::fit).
    pub fn fit<Y>(&self, targets: Y) -> Result<Fitted<P, K, Y>, Error>
    where
        K: Clone,
        Y: IntoTargets<Targets: Regression<Scalar = P::Scalar>>,
    {
        let targets = targets.into_targets();
        let original = self.original();
        let values = original.as_ref().map(|values| values as &dyn GramOperator<_>);
        let (function, report) = System { values, ..self.system() }.model(targets.matrix())?;
        Ok(Y::Targets::model(function, report))
    }

    /// The residuals yᵢ − f₋ᵢ(xᵢ), where f₋ᵢ is the model without point i: points × outputs, like
    /// `targets`.
    ///
    /// # Definition
    /// γᵢ/(√βᵢCᵢᵢ), where C is the inverse of B^½KB^½ + nλI, or the upper left block of the inverse
    /// of that matrix bordered by √β if there is an intercept, and γ = C·B^½y. For points of weight
    /// zero it is the ordinary residual.
    ///
    /// # Complexity
    /// n³/3 flops, 64·n values in memory per thread.
    ///
    /// # Errors
    /// As [`Ridge::fit`](super::Ridge::fit) for the targets; [`Error::NothingLeft`] if there is an
    /// intercept and only one point.
    ///
    /// # References
    /// Allen (1974), *The Relationship between Variable Selection and Data Augmentation and a
    /// Method for Prediction*; Cawley & Talbot (2003), *Efficient Leave-One-Out Cross-Validation of
    /// Kernel Fisher Discriminant Classifiers*, for the intercept.
    pub fn leave_one_out(&self, targets: MatRef<'_, P::Scalar>) -> Result<Mat<P::Scalar>, Error> {
        self.system().leave_one_out(targets)
    }

    /// The residuals of each point under the model without its fold: exact cross-validation without
    /// a refit. `folds[i]` is the fold of point i, an arbitrary label.
    ///
    /// # Definition
    /// B_F^−½·C_FF⁻¹γ_F for each fold F, with C and γ as in
    /// [`leave_one_out`](FactoredRidge::leave_one_out).
    ///
    /// # Complexity
    /// n³ flops and n·|F| values in memory for the largest fold F.
    ///
    /// # Errors
    /// As [`leave_one_out`](FactoredRidge::leave_one_out); [`Error::Length`] for the folds;
    /// [`Error::NothingLeft`] for a fold that holds all points.
    ///
    /// # References
    /// An, Liu & Venkatesh (2007), *Fast Cross-Validation Algorithms for Least Squares Support
    /// Vector Machine and Kernel Ridge Regression*.
    pub fn leave_folds_out(
        &self,
        targets: MatRef<'_, P::Scalar>,
        folds: &[usize],
    ) -> Result<Mat<P::Scalar>, Error> {
        self.system().leave_folds_out(targets, folds)
    }

    /// The generalised cross-validation score, summed over outputs.
    ///
    /// # Definition
    /// (1/n)‖(I − H)B^½y‖²/((1/n) tr(I − H))², where H maps B^½y to B^½(Kα + b); n counts the
    /// points of positive weight.
    ///
    /// # Complexity
    /// n³/3 flops.
    ///
    /// # Errors
    /// As [`leave_one_out`](FactoredRidge::leave_one_out).
    ///
    /// # References
    /// Golub, Heath & Wahba (1979), *Generalized Cross-Validation as a Method for Choosing a Good
    /// Ridge Parameter*.
    pub fn gcv(&self, targets: MatRef<'_, P::Scalar>) -> Result<f64, Error> {
        self.system().gcv(targets)
    }

    /// The posterior variance of f at each query, in units of σ².
    ///
    /// # Definition
    /// Ridge regression is the posterior mean of a Gaussian process: f has the prior covariance
    /// σ²K, and yᵢ is f(xᵢ) plus noise of variance σ²nλ/βᵢ. The posterior variance of f(x) is σ²
    /// times
    ///
    /// K(x, x) − kᵀM⁻¹k, k = B^½K(X, x), M = B^½KB^½ + nλI.
    ///
    /// With an intercept, which has a flat prior, (1 − sᵀM⁻¹k)²/(sᵀM⁻¹s) is added, s = √β. Values
    /// that rounding makes negative are set to zero. The variance of a new target of weight 1 is
    /// larger by σ²nλ.
    ///
    /// # Complexity
    /// n² flops per query, 256·n values in memory.
    ///
    /// # Errors
    /// If the kernel rejects the queries, or their K(x, x) is not available.
    ///
    /// # References
    /// Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, (2.26) and (2.42).
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::{Data, Run, ridge::Ridge};
    /// let x = Samples::from_rows(&[[0.0]])?;
    /// let ridge = Ridge::on_kernel(Rbf::new(1.0)?).lambda(0.25);
    /// let data = Data::unlabelled(&x)?;
    /// let factor = ridge.factor(&data, &Run::new())?;
    /// let variance = factor.variance(&Samples::from_rows(&[[0.0], [100.0]])?)?;
    /// assert!((variance[0] - (1.0 - 1.0 / 1.25_f64)).abs() < 1e-15);
    /// assert_eq!(variance[1], 1.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn variance(&self, queries: &P) -> Result<Vec<P::Scalar>, Error> {
        by_blocks(queries, |queries, start| self.variance_of_block(queries, start))
    }

    /// The leave-one-out models for these targets.
    pub(crate) fn left_out(
        &self,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<LeftOut<P::Scalar>, Error> {
        self.system().without_each(targets)
    }

    /// The values of the model at these queries, numbered from `start`, and the influence of each
    /// point on them.
    pub(crate) fn seen_from(
        &self,
        queries: &P,
        left_out: &LeftOut<P::Scalar>,
        start: usize,
    ) -> Result<Seen<P::Scalar>, Error> {
        let seen = self.design.seen(queries).and_then(|k| self.system().seen(k, left_out));
        seen.map_err(|error| of_later_query(error, start))
    }

    fn variance_of_block(&self, queries: &P, start: usize) -> Result<Vec<f64>, Error> {
        let mut k = self.design.seen(queries)?;
        let of_intercept: Option<Vec<f64>> = self.border.as_ref().map(|border| {
            k.col_iter().map(|k| border.unseen(k.iter()).powi(2) / border.total).collect()
        });
        self.factor.half_solve_in_place(k.as_mut());
        let mut left = unexplained(&self.design.kernel, queries, start, k.as_ref())?;
        for (left, more) in left.iter_mut().zip(of_intercept.into_iter().flatten()) {
            *left += more;
        }
        Ok(left)
    }
}

/// The error with the number of the query among all queries; those of the block begin at `start`.
fn of_later_query(error: Error, start: usize) -> Error {
    use kern_gram::Error as E;
    match error {
        Error::Gram(E::NotFinite { row, col, given }) => {
            E::NotFinite { row, col: start + col, given }.into()
        }
        Error::Gram(E::ProductNotFinite { row, col, given }) => {
            E::ProductNotFinite { row: start + row, col, given }.into()
        }
        other => other,
    }
}
