//! The largest eigenvalues of a symmetric operator on n points, and the resources that they take.

use super::block_krylov::{Eigen, End, Operator, Search, block, largest, width};
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::{Error, Progress, Run, Status, tolerance};
use faer::Mat;
use kern_core::{Mercer, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{
    GramOperator, LazyGram, MemoryBudget, PackedGram, Representation, matrix_bytes, zeros,
};

/// Default residual of principal components, relative to the greatest eigenvalue.
const RESIDUAL: f64 = 1e-10;
/// And in single precision.
const RESIDUAL_SINGLE: f64 = 1e-5;

/// Points up to which all eigenvectors are found.
const DENSE_COMPONENTS: usize = 300;
/// Products with a block that principal components take, or so.
const BLOCK_PRODUCTS: f64 = 12.0;

/// Eigenpairs in descending order, and the outcome of the search.
pub(crate) struct Found<T: Scalar> {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<T>,
    /// An upper bound on the smallest eigenvalue; it is not negative for a positive semi-definite
    /// matrix.
    pub(crate) smallest: f64,
    pub(crate) iterations: usize,
    pub(crate) status: Status,
}

/// A kernel matrix, and the memory that remains besides it.
pub(crate) type Kept<'g, T> = (Box<dyn GramOperator<T> + 'g>, MemoryBudget);

/// The kernel matrix, stored if it fits besides the eigenvectors, and the memory that remains: at
/// least `reserved` bytes, for the work after the eigenvectors.
///
/// # Errors
/// [`Error::Gram`] beyond the memory of the run; [`Error::TooLong`]; as [`DenseGram::new`].
pub(crate) fn gram<'g, P, K>(
    kernel: &'g K,
    points: &'g P,
    search: &Search,
    reserved: u64,
    run: &Run<'_>,
) -> Result<Kept<'g, P::Scalar>, Error>
where
    P: Points,
    K: Mercer<P>,
{
    let (budget, n) = (run.budget(), points.len());
    let rest = check_resources::<P, K>(kernel, points, search, reserved, run, &budget)?;
    if !is_stored::<P::Scalar>(n, &rest) {
        return Ok((Box::new(LazyGram::new(kernel, points)?), budget));
    }
    let gram = PackedGram::new(kernel, points, &rest)?;
    let kept = Representation::Packed.bytes::<P::Scalar>(n);
    Ok((Box::new(gram), MemoryBudget::bytes(budget.as_bytes() - kept)))
}

/// The largest eigenvalues, by a dense eigendecomposition of a small matrix, else by a Krylov
/// space.
pub(crate) fn leading_eigenvectors<T: Scalar>(
    search: &Search,
    operator: &impl Operator<T>,
    run: &mut Run<'_>,
) -> Result<Found<T>, Error> {
    if !is_dense(search) {
        return some(search, operator, run);
    }
    run.step(0, 1)?;
    let found = all(search, operator)?;
    // What remains takes less time than the eigenvectors, so a stop has no effect.
    let _ = run.observe(&Progress::new(1, 1, f64::NAN));
    Ok(found)
}

/// The residual that ends an iteration, relative to the largest eigenvalue: the given one or the
/// default.
pub(crate) fn residual<T: Scalar>(given: Option<f64>) -> f64 {
    let double = size_of::<T>() == size_of::<f64>();
    given.unwrap_or(if double { RESIDUAL } else { RESIDUAL_SINGLE })
}

/// ‖Av − λv‖ of each pair, by one further product.
pub(crate) fn residuals<T: Scalar>(
    found: &Found<T>,
    operator: &impl Operator<T>,
) -> Result<Vec<f64>, Error> {
    let vectors = &found.vectors;
    let mut images: Mat<T> = zeros(vectors.nrows(), vectors.ncols())?;
    operator.apply(vectors.as_ref(), images.as_mut())?;
    Ok(distances(found, &images))
}

/// ‖Av − λv‖ of each pair, from the images Av.
pub(crate) fn distances<T: Scalar>(found: &Found<T>, images: &Mat<T>) -> Vec<f64> {
    let vectors = &found.vectors;
    let residual = |p: usize| {
        let pairs = images.col(p).iter().zip(vectors.col(p).iter());
        let value = found.values[p];
        pairs.map(|(a, u)| (a.to_f64() - value * u.to_f64()).powi(2)).sum::<f64>().sqrt()
    };
    (0..vectors.ncols()).map(residual).collect()
}

/// Returns true if a dense eigendecomposition is used.
fn is_dense(search: &Search) -> bool {
    search.size <= DENSE_COMPONENTS || 2 * width(search) > search.size
}

/// Returns true if K is stored.
fn is_stored<T: Scalar>(n: usize, budget: &MemoryBudget) -> bool {
    budget.fits(Representation::Packed.bytes::<T>(n))
}

/// The memory that remains for K; an error if memory or time do not suffice.
fn check_resources<P, K>(
    kernel: &K,
    points: &P,
    search: &Search,
    reserved: u64,
    run: &Run<'_>,
    budget: &MemoryBudget,
) -> Result<MemoryBudget, Error>
where
    P: Points,
    K: Mercer<P>,
{
    let (n, count, block) = (search.size, search.count, block(search));
    let (needed, flops, products) = if is_dense(search) {
        let matrix = matrix_bytes::<f64>(n, n);
        let cube = (n as f64).powi(3);
        (matrix.saturating_mul(2).saturating_add(symmetric_eigen_bytes(n)), 9.0 * cube, 1.0)
    } else {
        // The basis, a block and its image, and the eigenvectors with the arrays derived from them.
        let columns = width(search) + 4 * block + 4 * count + 8;
        (matrix_bytes::<P::Scalar>(n, columns), 0.0, BLOCK_PRODUCTS)
    };
    let needed = needed.max(reserved);
    budget.require("eigenvectors of a kernel matrix", needed, "take fewer, or landmarks")?;
    let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
    let square = (n as f64).powi(2);
    let values = if is_stored::<P::Scalar>(n, &rest) { 1.0 } else { products + 2.0 };
    let parts = vec![
        (Work::KernelValues, Count::values(0.5 * values * square)),
        (Work::Factors, Count::flops(flops + 2.0 * products * block as f64 * square)),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), budget), kernel, points, &[effort], &[])?;
    Ok(rest)
}

/// By a dense eigendecomposition.
fn all<T: Scalar>(search: &Search, operator: &impl Operator<T>) -> Result<Found<T>, Error> {
    let n = search.size;
    let (mut identity, mut matrix): (Mat<T>, Mat<T>) = (zeros(n, n)?, zeros(n, n)?);
    (0..n).for_each(|i| identity[(i, i)] = T::ONE);
    operator.apply(identity.as_ref(), matrix.as_mut())?;
    drop(identity);
    let mut wide = zeros(n, n)?;
    for j in 0..n {
        let half = |i: usize| 0.5 * (matrix[(i, j)].to_f64() + matrix[(j, i)].to_f64());
        (j..n).for_each(|i| wide[(i, j)] = half(i));
    }
    let (values, all) = symmetric_eigen(wide.as_ref()).ok_or(Error::NoEigenvalues { size: n })?;
    let smallest = values.first().copied().unwrap_or(0.0);
    let values: Vec<f64> = values.into_iter().rev().take(search.count).collect();
    let vectors = Mat::from_fn(n, search.count, |i, p| T::from_f64(all[(i, n - 1 - p)]));
    Ok(Found { values, vectors, smallest, iterations: 1, status: Status::Converged })
}

/// By a Krylov space.
fn some<T: Scalar>(
    search: &Search,
    operator: &impl Operator<T>,
    run: &mut Run<'_>,
) -> Result<Found<T>, Error> {
    let total = search.max_iterations;
    // A stop at the start takes effect after the first iteration, which gives a model.
    let begin = run.observe(&Progress::new(0, total, f64::NAN));
    let mut observe = |iteration: usize, worst: f64| {
        let progress = Progress::new(iteration, total, worst);
        let flow = run.observe(&progress.with_violation(worst, search.tolerance));
        if begin.is_break() { begin } else { flow }
    };
    let Eigen { values, vectors, smallest, iterations, end } =
        largest(search, operator, &mut observe)?;
    let status = match end {
        End::Converged => Status::Converged,
        End::Stopped => Status::Stopped,
        End::IterationsDone => Status::IterationsDone,
    };
    Ok(Found { values, vectors, smallest, iterations, status })
}

/// Makes the largest entry of each column by absolute value positive; the first one decides among
/// ties.
pub(crate) fn orient<T: Scalar>(vectors: &mut Mat<T>) {
    for p in 0..vectors.ncols() {
        let column = vectors.col_as_slice_mut(p);
        let largest = column.iter().fold(0.0_f64, |best, v| {
            if v.to_f64().abs() > best.abs() * (1.0 + tolerance::EQUAL) { v.to_f64() } else { best }
        });
        if largest < 0.0 {
            column.iter_mut().for_each(|v| *v = -*v);
        }
    }
}
