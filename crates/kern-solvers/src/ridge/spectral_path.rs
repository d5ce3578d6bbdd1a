//! The spectral path of kernel ridge regression: models for all λ from one eigendecomposition, and
//! the choice among them.

use super::cholesky::Fitted;
use super::linear_system::{Border, Diagonal, Inverse, Solve, System};
use crate::Error;
use crate::IntoTargets;
use crate::design::Design;
use crate::model::Regression;
use faer::{Accum, Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, convert_into, converted};
use kern_core::products::matmul;
use kern_core::{Kernel, Points, Positive, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::numerics::cholesky::column_blocks;
use kern_gram::{DenseGram, GramOperator, MemoryBudget, matrix_bytes, parallel, zeros};

/// Right-hand sides that are rotated together, by one thread.
const WIDTH: usize = 64;

/// The eigendecomposition of a ridge problem, computed by
/// [`Ridge::decompose`](super::Ridge::decompose): models and their cross-validation for any λ.
///
/// # Definition
/// B^½KB^½ = U·diag(s)·Uᵀ, so (B^½KB^½ + nλI)⁻¹ = U·diag(1/(sᵢ + nλ))·Uᵀ. Computed in double
/// precision for both scalar types.
///
/// # Complexity
/// About 9n³ flops, once, on one thread; then O(n²) per λ, target and score.
///
/// # Examples
/// ```
/// use kern_core::{Samples, faer::ColRef, kernels::Rbf};
/// use kern_solvers::ridge::{Criterion, Ridge};
/// use kern_solvers::{Data, Run};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0], [4.0]])?;
/// let y = [0.1_f64, 0.9, 2.1, 2.9, 4.1];
/// let data = Data::unlabelled(&x)?;
/// let ridge = Ridge::on_kernel(Rbf::new(0.1)?).intercept(true);
/// let spectrum = ridge.decompose(&data, &Run::new())?;
/// let grid = [1e-3, 1e-2, 1e-1, 1.0];
/// let choice = spectrum.choose(&grid, ColRef::from_slice(&y).as_mat(), Criterion::LeaveOneOut)?;
/// let model = spectrum.fit(choice.lambda, &y)?;
/// assert_eq!(choice.lambda, 1e-3);
/// assert!((model.predict(&x)?[2] - 2.1).abs() < 0.2);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub struct RidgeSpectrum<'a, P: Points, K> {
    design: Design<'a, P, K>,
    values: Vec<f64>,
    vectors: Mat<f64>,
    /// Kept for certificates if its values are expensive.
    gram: Option<DenseGram<P::Scalar>>,
}

impl<P: Points, K> std::fmt::Debug for RidgeSpectrum<'_, P, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RidgeSpectrum").field("eigenvalues", &self.values).finish_non_exhaustive()
    }
}

impl<'a, P: Points, K: Kernel<P>> RidgeSpectrum<'a, P, K> {
    pub(super) fn new(design: Design<'a, P, K>, budget: &MemoryBudget) -> Result<Self, Error> {
        let n = design.points().len();
        let gram = matrix_bytes::<P::Scalar>(n, n).saturating_add(matrix_bytes::<f64>(n, n));
        let needed = gram.saturating_add(symmetric_eigen_bytes(n));
        let instead = "Ridge::factor takes n² numbers for one lambda";
        budget.require("the eigendecomposition of a kernel matrix", needed, instead)?;
        let gram = DenseGram::new(&design.kernel, design.points(), budget)?;
        let mut matrix = LargeMat::zeros(n, n)?;
        for (j, column) in matrix.as_mut().col_iter_mut().enumerate() {
            let from = gram.as_mat().col(j).iter().enumerate();
            let scaled =
                |i, k: &P::Scalar| k.to_f64() * design.root(i).to_f64() * design.root(j).to_f64();
            column.iter_mut().zip(from).for_each(|(to, (i, k))| *to = scaled(i, k));
        }
        let gram = design.kernel.is_pointwise().then_some(gram);
        let decomposed = symmetric_eigen(matrix.as_ref());
        let finite = |(values, _): &(Vec<f64>, _)| values.iter().all(|value| value.is_finite());
        let found = decomposed.filter(finite);
        let (values, vectors) = found.ok_or(Error::NoEigenvalues { size: n })?;
        Ok(Self { design, values, vectors, gram })
    }

    /// The eigenvalues of B^½KB^½, in ascending order.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.values
    }

    fn with_system<R>(
        &self,
        lambda: f64,
        f: impl FnOnce(&System<'_, 'a, P, K, Shifted<'_>>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let lambda = Positive::new("lambda", lambda)?.get();
        let shift = self.design.count() as f64 * lambda;
        if let Some(pivot) = self.values.iter().position(|&value| value + shift <= 0.0) {
            return Err(Error::NotPositiveDefinite { shift, pivot });
        }
        let inverse = Shifted { spectrum: (&self.values, self.vectors.as_ref()), shift };
        let border = Border::new(&self.design, &inverse)?;
        let border = border.as_ref();
        let values = self.gram.as_ref().map(|gram| gram as &dyn GramOperator<_>);
        f(&System { design: &self.design, lambda, inverse: &inverse, border, values })
    }

    /// The model for this λ and these targets.
    ///
    /// # Errors
    /// As [`Ridge::fit`](super::Ridge::fit).
    pub fn fit<Y>(&self, lambda: f64, targets: Y) -> Result<Fitted<P, K, Y>, Error>
    where
        K: Clone,
        Y: IntoTargets<Targets: Regression<Scalar = P::Scalar>>,
    {
        let targets = targets.into_targets();
        let model = |system: &System<'_, 'a, P, K, Shifted<'_>>| system.model(targets.matrix());
        let (function, report) = self.with_system(lambda, model)?;
        Ok(Y::Targets::model(function, report))
    }

    /// [`FactoredRidge::leave_one_out`](super::FactoredRidge::leave_one_out) for this λ.
    ///
    /// # Errors
    /// As there; [`Error::Core`] for λ ≤ 0.
    pub fn leave_one_out(
        &self,
        lambda: f64,
        targets: MatRef<'_, P::Scalar>,
    ) -> Result<Mat<P::Scalar>, Error> {
        self.with_system(lambda, |system| system.leave_one_out(targets))
    }

    /// [`FactoredRidge::leave_folds_out`](super::FactoredRidge::leave_folds_out) for this λ.
    ///
    /// # Errors
    /// As there; [`Error::Core`] for λ ≤ 0.
    pub fn leave_folds_out(
        &self,
        lambda: f64,
        targets: MatRef<'_, P::Scalar>,
        folds: &[usize],
    ) -> Result<Mat<P::Scalar>, Error> {
        self.with_system(lambda, |system| system.leave_folds_out(targets, folds))
    }

    /// The score of this λ.
    ///
    /// # Errors
    /// As [`leave_one_out`](RidgeSpectrum::leave_one_out).
    pub fn score(
        &self,
        lambda: f64,
        targets: MatRef<'_, P::Scalar>,
        criterion: Criterion,
    ) -> Result<f64, Error> {
        self.with_system(lambda, |system| match criterion {
            Criterion::LeaveOneOut => system.leave_one_out_error(targets),
            Criterion::Gcv => system.gcv(targets),
        })
    }

    /// The λ with the smallest score; the largest of these if several tie.
    ///
    /// # Errors
    /// [`Error::Count`] for an empty grid; as [`score`](RidgeSpectrum::score).
    pub fn choose(
        &self,
        lambdas: &[f64],
        targets: MatRef<'_, P::Scalar>,
        criterion: Criterion,
    ) -> Result<Choice, Error> {
        let score = |&lambda: &f64| self.score(lambda, targets, criterion);
        let scores = lambdas.iter().map(score).collect::<Result<Vec<f64>, Error>>()?;
        Choice::new(lambdas, scores)
    }
}

/// The criterion that is minimised when λ is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// The mean of the squared leave-one-out residuals, weighted by the sample weights.
    LeaveOneOut,
    /// Generalised cross-validation, [`FactoredRidge::gcv`](super::FactoredRidge::gcv).
    Gcv,
}

/// A chosen λ, and the scores of the whole grid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The λ with the smallest score.
    pub lambda: f64,
    /// Its index in the grid.
    pub index: usize,
    /// The scores of the whole grid.
    pub scores: Vec<f64>,
}

impl Choice {
    fn new(lambdas: &[f64], scores: Vec<f64>) -> Result<Self, Error> {
        let order = |&a: &usize, &b: &usize| {
            scores[a].total_cmp(&scores[b]).then(lambdas[b].total_cmp(&lambdas[a]))
        };
        let Some(index) = (0..lambdas.len()).min_by(order) else {
            let allowed = "at least 1";
            return Err(Error::Count { name: "the number of lambdas", given: 0, allowed });
        };
        Ok(Self { lambda: lambdas[index], index, scores })
    }
}

/// U·diag(1/(sᵢ + shift))·Uᵀ.
struct Shifted<'s> {
    spectrum: (&'s [f64], MatRef<'s, f64>),
    shift: f64,
}

impl Shifted<'_> {
    /// The coordinates Uᵀv, each divided by a power of sᵢ + shift.
    fn rotate<T: Scalar>(&self, v: MatRef<'_, T>, power: f64) -> Result<Mat<f64>, Error> {
        let (values, vectors) = self.spectrum;
        let wide: Mat<f64> = converted(v)?;
        let mut out = product(vectors.transpose(), wide.as_ref())?;
        for column in out.col_iter_mut() {
            let pairs = column.iter_mut().zip(values);
            pairs.for_each(|(x, value)| *x /= (value + self.shift).powf(power));
        }
        Ok(out)
    }
}

impl<T: Scalar> Solve<T> for Shifted<'_> {
    fn solve_in_place(&self, mut v: MatMut<'_, T>) -> Result<(), Error> {
        let rotated = self.rotate(v.as_ref(), 1.0)?;
        let solved = product(self.spectrum.1, rotated.as_ref())?;
        convert_into(solved.as_ref(), v.as_mut());
        Ok(())
    }
}

impl<T: Scalar> Diagonal<T> for Shifted<'_> {
    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        let (values, vectors) = self.spectrum;
        let mut diagonal = vec![0.0; values.len()];
        for (column, value) in vectors.col_iter().zip(values) {
            let scale = 1.0 / (value + self.shift);
            diagonal.iter_mut().zip(column.iter()).for_each(|(d, u)| *d += u * u * scale);
        }
        Ok(diagonal)
    }
}

impl<T: Scalar> Inverse<T> for Shifted<'_> {
    fn half_solve_in_place(&self, mut v: MatMut<'_, T>) -> Result<(), Error> {
        convert_into(self.rotate(v.as_ref(), 0.5)?.as_ref(), v.as_mut());
        Ok(())
    }
}

/// A·V, each block of columns by one thread.
fn product(a: MatRef<'_, f64>, v: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let mut out = zeros(a.nrows(), v.ncols())?;
    parallel::for_each_init(
        column_blocks(out.as_mut(), WIDTH),
        || (),
        |(), (start, out)| {
            let v = v.subcols(start, out.ncols());
            matmul(out, Accum::Replace, a, v, 1.0);
        },
    );
    Ok(out)
}
