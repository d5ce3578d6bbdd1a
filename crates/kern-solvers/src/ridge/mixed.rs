//! Solutions in double precision by a factor in single precision, in half the time.
//!
//! The factor of M rounded to single precision preconditions conjugate gradients on M itself. Rounding errors of
//! single precision that are small against nλ leave a condition number close to 1, so that a few products with K do.
//! The last word has the certificate: a solution that is not as good as it should be is thrown away, and the
//! factorisation done in double precision.

use super::FactoredRidge;
use super::system::{Border, Diagonal, Learned, Solve, System};
use crate::design::Design;
use crate::model::KernelExpansion;
use crate::tolerance::{MIXED_ENERGY, MIXED_ERRORS, MIXED_GAP, MIXED_ITERATIONS};
use crate::{Error, Report};
use faer::{Mat, MatMut, MatRef};
use kern_core::memory::{LargeMat, convert_into, converted};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::{add, scale_rows};
use kern_gram::numerics::cholesky::{Cholesky, column_blocks};
use kern_gram::numerics::conjugate::{Conjugate, Operator};
use kern_gram::{
    GramOperator, LazyGram, MemoryBudget, PackedGram, Representation, TILE_EDGE, matrix_bytes,
    parallel,
};

/// From this size on the factorisation takes most of the time.
const LEAST_SIZE: usize = 1024;

/// M, and a factor of it in single precision.
pub(super) struct Mixed<'m, T: Scalar> {
    gram: &'m PackedGram<T>,
    /// √β, unless all are 1.
    roots: Option<&'m [T]>,
    /// nλ.
    shift: f64,
    factor: Cholesky<f32>,
}

/// The model by a Cholesky factor, in single precision where that is enough; `values` is the kernel matrix, if that was
/// computed before.
pub(super) fn fit<P: Points, K: Kernel<P>>(
    design: Design<'_, P, K>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    (budget, mut values): (&MemoryBudget, Option<PackedGram<P::Scalar>>),
) -> Result<(KernelExpansion<P, K>, Report), Error> {
    if let Some(learned) = learn(&design, lambda, y, (budget, &mut values))? {
        let Learned { alpha, intercepts, report } = learned;
        return Ok((design.into_model(alpha.as_ref(), intercepts)?, report));
    }
    let n = design.points().len();
    let both = Representation::Packed.bytes::<P::Scalar>(n);
    let both = both.saturating_add(Representation::Dense.bytes::<P::Scalar>(n));
    let kept = values.filter(|_| design.kernel.is_pointwise() && budget.fits(both));
    let factor = match kept {
        Some(values) => FactoredRidge::of_values(design, lambda, values, budget)?,
        None => FactoredRidge::new(design, lambda, budget, None)?,
    };
    factor.into_model(y)
}

/// The solution for these targets; none if single precision is not enough, saves nothing, or does not fit the
/// budget.
fn learn<P: Points>(
    design: &Design<'_, P, dyn Kernel<P> + '_>,
    lambda: f64,
    y: MatRef<'_, P::Scalar>,
    (budget, values): (&MemoryBudget, &mut Option<PackedGram<P::Scalar>>),
) -> Result<Option<Learned<P::Scalar>>, Error> {
    let shift = design.count() as f64 * lambda;
    let vectors = matrix_bytes::<f64>(design.points().len(), y.ncols().saturating_mul(10));
    let rest = MemoryBudget::bytes(budget.as_bytes().saturating_sub(vectors));
    if !is_enough(design, (shift, MIXED_ERRORS), &rest)? {
        return Ok(None);
    }
    let gram = match values {
        Some(gram) => &*gram,
        None => values.insert(PackedGram::new(&design.kernel, design.points(), budget)?),
    };
    let Some(mixed) = Mixed::new(design.roots(), gram, shift, None)? else { return Ok(None) };
    let border = Border::new(design, &mixed)?;
    let system = System { design, lambda, inverse: &mixed, border: border.as_ref(), values: None };
    let learned = system.learn_from(gram, y)?;
    let good = learned.report.gap.is_some_and(|gap| gap <= MIXED_GAP * learned.report.objective);
    Ok(good.then_some(learned))
}

/// Tells whether a factor in single precision saves time, fits the budget beside the matrix, has rounding errors, about
/// √n·u·max Mᵢᵢ in norm, of at most `share`·nλ, and numbers like Mᵢᵢ² far from the ends of its range.
pub(super) fn is_enough<P: Points, K: Kernel<P> + ?Sized>(
    design: &Design<'_, P, K>,
    (shift, share): (f64, f64),
    budget: &MemoryBudget,
) -> Result<bool, Error> {
    let n = design.points().len();
    let bytes = Representation::Packed.bytes::<P::Scalar>(n);
    let fits = budget.fits(bytes.saturating_add(matrix_bytes::<f32>(n, n)));
    if !fits || n < LEAST_SIZE || P::Scalar::UNIT_ROUNDOFF >= f32::UNIT_ROUNDOFF {
        return Ok(false);
    }
    let diagonal = LazyGram::new(&design.kernel, design.points())?.diag();
    let entries = diagonal.into_iter().enumerate();
    let greatest = entries.map(|(i, k)| k.to_f64() * design.weight(i)).fold(0.0, f64::max);
    let errors = (n as f64).sqrt() * f32::UNIT_ROUNDOFF * greatest;
    let range = f64::from(f32::MIN_POSITIVE).sqrt()..f64::from(f32::MAX).sqrt();
    let in_range = range.contains(&(greatest + shift)) && range.contains(&shift);
    Ok(errors <= share * shift && in_range)
}

impl<'m, T: Scalar> Mixed<'m, T> {
    /// None if M is not positive definite in single precision. `memory` is that of another factor of as many points.
    pub(super) fn new(
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

    /// The memory of the factor, to be used again.
    pub(super) fn into_memory(self) -> LargeMat<f32> {
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
