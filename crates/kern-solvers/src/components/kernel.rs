//! Principal components on a kernel.

use super::Components;
use super::centred::Centred;
use super::fit::{ComponentSpace, Task, check_count, significant};
use super::krylov::{Eigen, End, Search, block, largest, width};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::{Count, Effort, Way, Work, within};
use crate::space::OnKernel;
use crate::{Error, Progress, Report, Run, Status, tolerance};
use faer::Mat;
use kern_core::{Mercer, Points, Scalar, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes, zeros};

impl<P: Points, K: Mercer<P> + Clone> ComponentSpace<P> for OnKernel<K> {
    fn components(
        &self,
        task: &Task<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<Components<KernelExpansion<P, K>>, Error> {
        let Task { settings, points, weights } = *task;
        let design = Design::new((), points, weights.map(<[f64]>::to_vec), false)?;
        let (kernel, points) = (&self.kernel, design.points());
        kernel.check(points)?;
        let n = points.len();
        check_count(settings.components, n)?;
        let search = Search {
            size: n,
            count: settings.components,
            tolerance: settings.residual::<P::Scalar>(),
            max_iterations: settings.max_iterations,
            seed: settings.seed,
        };
        let rest = check_resources::<P, K>((kernel, points), &search, run)?;
        let gram: Box<dyn GramOperator<P::Scalar> + '_> = match is_stored::<P::Scalar>(n, &rest) {
            true => Box::new(DenseGram::new(kernel, points, &rest)?),
            false => Box::new(LazyGram::new(kernel, points)?),
        };
        let centred = Centred::new(&*gram, &design);
        let means = centred.means()?;
        let eigen = match is_dense(&search) {
            true => all(&centred, &search)?,
            false => some(&centred, &search, run)?,
        };
        let total = centred.trace(&means);
        finish(kernel, points, (&centred, &means, total), eigen)
    }
}

/// Tells whether all eigenvectors are found at once.
fn is_dense(search: &Search) -> bool {
    search.size <= tolerance::DENSE_COMPONENTS || 2 * width(search) > search.size
}

/// Tells whether K is kept.
fn is_stored<T: Scalar>(n: usize, budget: &MemoryBudget) -> bool {
    budget.fits(matrix_bytes::<T>(n.next_multiple_of(16), n))
}

/// The memory that is left for K.
fn check_resources<P, K>(
    (kernel, points): (&K, &P),
    search: &Search,
    run: &Run<'_>,
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
        // The basis, a block and its image, and the vectors with what is made of them.
        let columns = width(search) + 4 * block + 4 * count + 8;
        (matrix_bytes::<P::Scalar>(n, columns), 0.0, tolerance::BLOCK_PRODUCTS)
    };
    let budget = run.budget();
    budget.require("principal components", needed, "take fewer, or components on landmarks")?;
    let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
    let square = (n as f64).powi(2);
    let values = if is_stored::<P::Scalar>(n, &rest) { 1.0 } else { products + 2.0 };
    let parts = vec![
        (Work::KernelValues, Count::values(0.5 * values * square)),
        (Work::Factors, Count::flops(flops + 2.0 * products * block as f64 * square)),
    ];
    let effort = Effort::counted(Way::Cholesky, parts);
    within((run.predicted_limit(), &budget), (kernel, points), &[effort], &[])?;
    Ok(rest)
}

/// Eigenpairs, and how they were found.
struct Found<T: Scalar> {
    values: Vec<f64>,
    vectors: Mat<T>,
    iterations: usize,
    status: Status,
}

/// By all eigenvectors.
fn all<T: Scalar>(centred: &Centred<'_, T>, search: &Search) -> Result<Found<T>, Error> {
    let n = search.size;
    let (mut identity, mut matrix): (Mat<T>, Mat<T>) = (zeros(n, n)?, zeros(n, n)?);
    (0..n).for_each(|i| identity[(i, i)] = T::ONE);
    centred.apply(identity.as_ref(), matrix.as_mut())?;
    drop(identity);
    let mut wide = zeros(n, n)?;
    for j in 0..n {
        let half = |i: usize| 0.5 * (matrix[(i, j)].to_f64() + matrix[(j, i)].to_f64());
        (j..n).for_each(|i| wide[(i, j)] = half(i));
    }
    let (values, all) = symmetric_eigen(wide.as_ref()).ok_or(Error::NoEigenvalues { size: n })?;
    let values: Vec<f64> = values.into_iter().rev().take(search.count).collect();
    let vectors = Mat::from_fn(n, search.count, |i, p| T::from_f64(all[(i, n - 1 - p)]));
    Ok(Found { values, vectors, iterations: 1, status: Status::Converged })
}

/// By a Krylov space.
fn some<T: Scalar>(
    centred: &Centred<'_, T>,
    search: &Search,
    run: &mut Run<'_>,
) -> Result<Found<T>, Error> {
    let total = search.max_iterations;
    let mut observe =
        |iteration: usize, loss: f64| run.observe(&Progress { iteration, total, loss });
    let Eigen { values, vectors, iterations, end } =
        largest(search, &mut |v, out| centred.apply(v, out), &mut observe)?;
    let status = match end {
        End::Converged => Status::Converged,
        End::Stopped => Status::Stopped,
        End::IterationsDone => Status::IterationsDone,
    };
    Ok(Found { values, vectors, iterations, status })
}

/// The model of eigenpairs, with their residuals from one product more.
fn finish<P, K>(
    kernel: &K,
    points: &P,
    (centred, means, total): (&Centred<'_, P::Scalar>, &[f64], f64),
    found: Found<P::Scalar>,
) -> Result<Components<KernelExpansion<P, K>>, Error>
where
    P: Points,
    K: Mercer<P> + Clone,
{
    let n = points.len();
    let count = significant(&found.values, n as f64 * P::Scalar::UNIT_ROUNDOFF)?;
    let mut vectors = found.vectors;
    vectors.resize_with(n, count, |_, _| P::Scalar::ZERO);
    orient(&mut vectors);
    let mut images: Mat<P::Scalar> = zeros(n, count)?;
    centred.apply(vectors.as_ref(), images.as_mut())?;
    let residual = |p: usize| {
        let pairs = images.col(p).iter().zip(vectors.col(p).iter());
        let value = found.values[p];
        pairs.map(|(a, u)| (a.to_f64() - value * u.to_f64()).powi(2)).sum::<f64>().sqrt()
    };
    let residuals: Vec<f64> = (0..count).map(residual).collect();
    drop(images);
    for (p, value) in found.values[..count].iter().enumerate() {
        let scale = P::Scalar::from_f64(1.0 / value.sqrt());
        vectors.col_as_slice_mut(p).iter_mut().for_each(|u| *u *= scale);
    }
    centred.spread(&mut vectors);
    vectors.resize_with(n, count + 1, |i, _| P::Scalar::from_f64(-2.0 * centred.shares()[i]));
    let offset = |p: usize| {
        let pairs = vectors.col(p).iter().zip(means);
        let sum: f64 = pairs.map(|(c, mean)| c.to_f64() * mean).sum();
        // ‖μ‖² = pᵀKp for the last, whose coefficients are −2p.
        P::Scalar::from_f64(if p < count { -sum } else { -0.5 * sum })
    };
    let offsets = (0..=count).map(offset).collect();
    let function = KernelExpansion::new(kernel.clone(), points, vectors.as_ref())?;
    let values = found.values[..count].to_vec();
    let objective = (total - values.iter().sum::<f64>()).max(0.0);
    let report = Report::new(found.status, found.iterations, objective, None);
    let evidence = (values, residuals);
    let sums = (total, centred.weight);
    Ok(Components::new(function.with_intercepts(offsets), evidence, sums, report))
}

/// Makes the greatest entry of each column positive, the first of equals.
pub(super) fn orient<T: Scalar>(vectors: &mut Mat<T>) {
    for p in 0..vectors.ncols() {
        let column = vectors.col_as_slice_mut(p);
        let greatest = column.iter().fold(0.0_f64, |best, v| {
            if v.to_f64().abs() > best.abs() * (1.0 + tolerance::EQUAL) { v.to_f64() } else { best }
        });
        if greatest < 0.0 {
            column.iter_mut().for_each(|v| *v = -*v);
        }
    }
}
