//! Ridge regression by a Cholesky factor in single precision, where that suffices.
//!
//! The Cholesky factor of M, rounded to single precision, preconditions conjugate gradients on M
//! itself. This gives solutions in double precision in half the time. If rounding errors in single
//! precision are small compared with nλ, the condition number is close to 1 and a few products with
//! K suffice. The certificate decides: a solution that is not accurate enough is discarded, and the
//! matrix is factorised in double precision.
//!
//! Consecutive factorisations reuse the same [memory](Memory), each in single precision where that
//! suffices. The diagonal of an inverse takes as long as a factorisation. From a factor in single
//! precision it takes half of the time and has a relative error of at most √n·u·max Mᵢᵢ/(nλ);
//! coefficients are in double precision.

use super::leave_one_out::LeftOut;
use super::linear_system::{Border, Diagonal, DualSolution, Solution, Solve, System};
use super::ridge_task::{Means, sizes_of};
use super::{FactoredRidge, Ridge};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::plan::Algorithm;
use crate::space::OnKernel;
use crate::{Data, Error, Report, Run};
use faer::{Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, convert_into, converted};
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::arithmetic::{add, scale_rows};
use kern_gram::numerics::cholesky::{Cholesky, column_blocks};
use kern_gram::numerics::conjugate_gradients::{Conjugate, Operator};
use kern_gram::{
    DenseGram, GramOperator, LazyGram, MemoryBudget, PackedGram, Representation, TILE_EDGE,
    matrix_bytes, parallel,
};

/// Kernel ridge with a factor in single precision: its rounding errors over nλ, at most, where it preconditions.
const MIXED_ERRORS: f64 = 0.25;

/// The same, where leave-one-out residuals have the diagonal of its inverse: their relative error, at most.
const MIXED_INVERSE: f64 = 1e-3;

/// Kernel ridge with a factor in single precision: rᵀP⁻¹r relative to that of the first residual at which
/// conjugate gradients stop. The relative gap is then at most κ(M) times as much.
const MIXED_ENERGY: f64 = 1e-26;

/// Its iterations, at most: a factor in double precision takes as long as some 25 products with K at n = 8000.
const MIXED_ITERATIONS: usize = 24;

/// Its relative gap, at most: the square of what remains of 16 digits after a loss of 7.
const MIXED_GAP: f64 = 1e-18;

/// Steps of a direct fit: the kernel matrix, its factor, and the coefficients.
const STEPS: usize = 3;

/// The smallest size for which the factorisation takes most of the time.
const SMALLEST_SIZE: usize = 1024;

/// The model by a Cholesky factor, in single precision where that suffices; `values` is the kernel
/// matrix, if it is already computed.
pub(super) fn fit<P: Points, K: Kernel<P>>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    budget: &MemoryBudget,
    mut values: Option<PackedGram<P::Scalar>>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, K>, Report), Error> {
    run.step(0, STEPS)?;
    if let Some(learned) = learn(&design, lambda, y, budget, &mut values, run)? {
        let DualSolution { alpha, intercepts, report } = learned;
        return Ok((design.into_model(alpha.as_ref(), intercepts)?, report));
    }
    let n = design.points().len();
    let both = Representation::Packed.bytes::<P::Scalar>(n);
    let both = both.saturating_add(Representation::Dense.bytes::<P::Scalar>(n));
    let kept = values.filter(|_| design.kernel.is_pointwise() && budget.fits(both));
    let factor = match kept {
        Some(values) => FactoredRidge::of_values(design, lambda, values, budget)?,
        None => {
            let matrix = DenseGram::new(&design.kernel, design.points(), budget)?.into_matrix();
            run.step(1, STEPS)?;
            FactoredRidge::of_matrix(design, lambda, matrix, budget)?
        }
    };
    factor.into_model(y)
}

/// The solution for these targets, or `None` if single precision is not enough, saves nothing, or
/// does not fit the budget.
fn learn<P: Points>(
    design: &Design<'_, P, dyn Kernel<P> + '_>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    budget: &MemoryBudget,
    values: &mut Option<PackedGram<P::Scalar>>,
    run: &mut Run<'_>,
) -> Result<Option<DualSolution<P::Scalar>>, Error> {
    let shift = design.count() as f64 * lambda;
    let vectors = matrix_bytes::<f64>(design.points().len(), y.ncols().saturating_mul(10));
    let rest = MemoryBudget::bytes(budget.as_bytes().saturating_sub(vectors));
    if !is_enough(design, shift, MIXED_ERRORS, &rest)? {
        return Ok(None);
    }
    let gram = match values {
        Some(gram) => &*gram,
        None => values.insert(PackedGram::new(&design.kernel, design.points(), budget)?),
    };
    run.step(1, STEPS)?;
    let Some(mixed) = Mixed::new(design.roots(), gram, shift, None)? else { return Ok(None) };
    let border = Border::new(design, &mixed)?;
    let system = System { design, lambda, inverse: &mixed, border: border.as_ref(), values: None };
    let learned = system.learn_from(gram, y)?;
    let good = learned.report.gap.is_some_and(|gap| gap <= MIXED_GAP * learned.report.objective);
    Ok(good.then_some(learned))
}

/// The memory of one factorisation, reused by the next one of the same size.
#[derive(Default)]
pub(crate) enum Memory<T: Scalar> {
    #[default]
    None,
    Whole(LargeMat<T>),
    Single(LargeMat<f32>),
}

impl<T: Scalar> Memory<T> {
    /// Takes the memory for a factor in the precision of T; frees any other memory.
    fn whole(&mut self) -> Option<LargeMat<T>> {
        match std::mem::take(self) {
            Self::Whole(matrix) => Some(matrix),
            Self::Single(_) | Self::None => None,
        }
    }

    /// Takes the memory for a factor in single precision; frees any other memory.
    fn single(&mut self) -> Option<LargeMat<f32>> {
        match std::mem::take(self) {
            Self::Single(matrix) => Some(matrix),
            Self::Whole(_) | Self::None => None,
        }
    }
}

/// A system with any form of inverse.
type AnySystem<'s, 'a, P, K> = System<'s, 'a, P, K, dyn Diagonal<<P as Points>::Scalar> + 's>;

impl<K> Ridge<OnKernel<K>> {
    /// γ and the intercepts of the model for these targets.
    pub(crate) fn solved<P>(
        &self,
        data: &Data<'_, P>,
        targets: MatRef<'_, P::Scalar>,
        run: &Run<'_>,
        memory: &mut Memory<P::Scalar>,
    ) -> Result<Solution<P::Scalar>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        self.asked(data, run, memory, |system| system.solve(targets))
    }

    /// The leave-one-out models for these targets.
    ///
    /// # Numerics
    /// The relative error of residuals and shifts is at most a thousandth where nλ is large
    /// compared with rounding errors in single precision. Elsewhere the factor is in the precision
    /// of the points.
    pub(crate) fn left_out<P>(
        &self,
        data: &Data<'_, P>,
        targets: MatRef<'_, P::Scalar>,
        run: &Run<'_>,
        memory: &mut Memory<P::Scalar>,
    ) -> Result<LeftOut<P::Scalar>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        self.asked(data, run, memory, |system| system.without_each(targets))
    }

    /// The result of `ask` on the factorised system.
    fn asked<P, R>(
        &self,
        data: &Data<'_, P>,
        run: &Run<'_>,
        memory: &mut Memory<P::Scalar>,
        ask: impl Fn(&AnySystem<'_, '_, P, K>) -> Result<R, Error>,
    ) -> Result<R, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        let lambda = self.settings.checked()?;
        let (design, means) = (self.design(data)?, Means::new(&self.settings, run));
        means.check(&design, &sizes_of(&design, 1), &[Algorithm::Cholesky])?;
        let (budget, shift) = (&means.budget, design.count() as f64 * lambda);
        if is_enough(&design, shift, MIXED_INVERSE, budget)? {
            let single = memory.single();
            let gram = PackedGram::new(&design.kernel, design.points(), budget)?;
            if let Some(mixed) = Mixed::new(design.roots(), &gram, shift, single)? {
                let border = Border::new(&design, &mixed)?;
                let (design, border) = (&design, border.as_ref());
                let told = ask(&System { design, lambda, inverse: &mixed, border, values: None });
                *memory = Memory::Single(mixed.into_memory());
                return told;
            }
        }
        let factor = FactoredRidge::new(design, lambda, budget, memory.whole())?;
        let System { design, lambda, inverse, border, values } = factor.system();
        let told = ask(&System { design, lambda, inverse, border, values });
        *memory = Memory::Whole(factor.into_memory());
        told
    }
}

/// True if a factor in single precision saves time, fits the budget next to the matrix, has
/// rounding errors (about √n·u·max Mᵢᵢ in norm) of at most `share`·nλ, and keeps values like Mᵢᵢ²
/// within its range.
fn is_enough<P: Points, K: Kernel<P> + ?Sized>(
    design: &Design<'_, P, K>,
    shift: f64,
    share: f64,
    budget: &MemoryBudget,
) -> Result<bool, Error> {
    let n = design.points().len();
    let bytes = Representation::Packed.bytes::<P::Scalar>(n);
    let fits = budget.fits(bytes.saturating_add(matrix_bytes::<f32>(n, n)));
    if !fits || n < SMALLEST_SIZE || P::Scalar::UNIT_ROUNDOFF >= f32::UNIT_ROUNDOFF {
        return Ok(false);
    }
    let diagonal = LazyGram::new(&design.kernel, design.points())?.diag();
    let entries = diagonal.into_iter().enumerate();
    let largest = entries.map(|(i, k)| k.to_f64() * design.weight(i)).fold(0.0, f64::max);
    let errors = (n as f64).sqrt() * f32::UNIT_ROUNDOFF * largest;
    let range = f64::from(f32::MIN_POSITIVE).sqrt()..f64::from(f32::MAX).sqrt();
    let in_range = range.contains(&(largest + shift)) && range.contains(&shift);
    Ok(errors <= share * shift && in_range)
}

/// M, and a factor of it in single precision.
struct Mixed<'m, T: Scalar> {
    gram: &'m PackedGram<T>,
    /// √β, unless all are 1.
    roots: Option<&'m [T]>,
    /// nλ.
    shift: f64,
    factor: Cholesky<f32>,
}

impl<'m, T: Scalar> Mixed<'m, T> {
    /// `None` if M is not positive definite in single precision. `memory` is that of an earlier
    /// factor of the same size.
    fn new(
        roots: Option<&'m [T]>,
        gram: &'m PackedGram<T>,
        shift: f64,
        memory: Option<LargeMat<f32>>,
    ) -> Result<Option<Self>, Error> {
        let mut matrix = match memory {
            Some(matrix) => matrix,
            None => LargeMat::zeros(gram.size(), gram.size())?,
        };
        narrow_lower(gram, roots, matrix.as_mut());
        match Cholesky::new(matrix, shift) {
            Ok(factor) => Ok(Some(Self { gram, roots, shift, factor })),
            Err(kern_gram::Error::NotPositiveDefinite { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The memory of the factor, for reuse.
    fn into_memory(self) -> LargeMat<f32> {
        self.factor.into_matrix()
    }

    /// Mv.
    fn product(&self, v: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let mut right = converted::<f64, T>(v.as_ref())?;
        scale_rows(&mut right, self.roots);
        let mut product = self.gram.apply(right.as_ref())?;
        scale_rows(&mut product, self.roots);
        let mut out = converted::<T, f64>(product.as_ref())?;
        add(&mut out, self.shift, v.as_ref());
        Ok(out)
    }

    /// P⁻¹v.
    fn precondition(&self, v: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let mut narrow = converted::<f64, f32>(v.as_ref())?;
        self.factor.solve_in_place(narrow.as_mut());
        Ok(converted(narrow.as_ref())?)
    }
}

impl<T: Scalar> Solve<T> for Mixed<'_, T> {
    fn solve_in_place(&self, v: MatMut<'_, T>) -> Result<(), Error> {
        let mut iterates = Conjugate::new(converted(v.as_ref())?)?;
        let operator =
            Operator { product: &|v| self.product(v), precondition: &|v| self.precondition(&v) };
        iterates.reduce(&operator, MIXED_ITERATIONS, MIXED_ENERGY)?;
        convert_into(iterates.solution().as_ref(), v);
        Ok(())
    }
}

impl<T: Scalar> Diagonal<T> for Mixed<'_, T> {
    /// In single precision.
    fn diagonal(&self) -> Result<Vec<f64>, Error> {
        Ok(self.factor.inverse_diagonal()?)
    }
}

/// The lower triangle of `matrix` ← B^½KB^½.
fn narrow_lower<T: Scalar>(gram: &PackedGram<T>, roots: Option<&[T]>, matrix: MatMut<'_, f32>) {
    let narrow = |value: T| f32::from_f64(value.to_f64());
    let copy = |(start, mut columns): (usize, MatMut<'_, f32>)| {
        for (i, rows) in gram.cuts().iter().enumerate().skip(start / TILE_EDGE) {
            let from = gram.tile(i, start / TILE_EDGE);
            let to = columns.as_mut().subrows_mut(rows.start, rows.len());
            for (k, (to, from)) in to.col_iter_mut().zip(from.col_iter()).enumerate() {
                let pairs = to.iter_mut().zip(from.iter());
                match roots {
                    None => pairs.for_each(|(to, &from)| *to = narrow(from)),
                    Some(roots) => {
                        let rows = &roots[rows.start..];
                        let scaled = pairs.zip(rows).map(|((to, &k), &row)| (to, k * row));
                        scaled.for_each(|(to, k_row)| *to = narrow(k_row * roots[start + k]));
                    }
                }
            }
        }
    };
    parallel::for_each_init(column_blocks(matrix, TILE_EDGE), || (), |(), block| copy(block));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use kern_core::Samples;
    use kern_core::kernels::Rbf;

    const N: usize = 1200;

    /// λ at which the relative error of single precision is bounded by `error`, for max Mᵢᵢ = 2.
    fn lambda(error: f64) -> f64 {
        2.0 * f32::UNIT_ROUNDOFF / ((N as f64).sqrt() * error)
    }

    /// Differences between the result and the reference.
    struct Difference {
        /// The largest relative difference of leave-one-out residuals.
        residual: f64,
        /// The relative difference of their root mean square.
        error: f64,
        /// The largest difference of coefficients, relative to the largest coefficient.
        gamma: f64,
    }

    /// The difference to a factor in double precision, and the memory that remains.
    fn difference(lambda: f64) -> (Difference, Memory<f64>) {
        let number = |i: usize, step: f64| ((i + 1) as f64 * step).fract();
        let x = Mat::from_fn(N, 2, |i, j| number(i, [0.754_877_666, 0.569_840_290][j]));
        let y = Mat::from_fn(N, 2, |i, j| (5.0 * x[(i, j)]).sin() + number(i, 0.618_033_988));
        let x = Samples::from_matrix(x.as_ref()).unwrap();
        let weights: Vec<f64> = (0..N).map(|i| 1.0 + number(i, 0.324_717_957)).collect();
        // Many points within a width: eigenvalues of K are far below nλ.
        let ridge = Ridge::on_kernel(Rbf::new(2.0).unwrap()).lambda(lambda).intercept(true);
        let data = Data::unlabelled(&x).unwrap().weights(&weights).unwrap();
        let (mut memory, run) = (Memory::None, Run::new());
        let found = ridge.left_out(&data, y.as_ref(), &run, &mut memory).unwrap();
        let again = ridge.left_out(&data, y.as_ref(), &run, &mut memory).unwrap();
        assert_eq!(found.residuals, again.residuals);
        let factor = ridge.factor(&data, &run).unwrap();
        let known = factor.leave_one_out(y.as_ref()).unwrap();
        let gamma = factor.system().solve(y.as_ref()).unwrap().gamma;
        let columns = found.residuals.col_iter().zip(known.col_iter());
        let pairs = columns.flat_map(|(found, known)| found.iter().zip(known.iter()));
        let difference = Difference {
            residual: pairs.fold(0.0, |most, (a, b)| f64::max(most, ((a - b) / b).abs())),
            error: (found.residuals.norm_l2() / known.norm_l2() - 1.0).abs(),
            gamma: (&found.gamma - &gamma).norm_max() / gamma.norm_max(),
        };
        (difference, memory)
    }

    #[test]
    fn single_precision_keeps_its_bound_where_it_is_taken() {
        let (Difference { residual, error, gamma }, memory) =
            difference(1.01 * lambda(MIXED_INVERSE));
        assert!(matches!(memory, Memory::Single(_)));
        assert!(residual > 1e-9 && residual < MIXED_INVERSE, "{residual}");
        assert!(error < 0.2 * MIXED_INVERSE, "{error}");
        assert!(gamma < 1e-8, "{gamma}");
    }

    #[test]
    fn double_precision_is_taken_where_single_is_not_enough() {
        let (Difference { residual, error, gamma }, memory) =
            difference(0.4 * lambda(MIXED_INVERSE));
        assert!(matches!(memory, Memory::Whole(_)));
        assert!(residual < 1e-12 && error < 1e-12 && gamma < 1e-12, "{residual} {error} {gamma}");
    }
}
