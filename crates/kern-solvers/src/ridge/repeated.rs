//! Factorisations one after the other in the same memory, each in single precision where that is enough.
//!
//! The diagonal of an inverse takes as long as a factor. That of a factor in single precision has a relative error of at most
//! √n·u·max Mᵢᵢ/(nλ), and takes half of the time; coefficients are those of [double precision](super::mixed).

use super::left_out::LeftOut;
use super::means::Means;
use super::mixed::{self, Mixed};
use super::system::{Border, Diagonal, Solution, System};
use super::{FactoredRidge, Ridge, conjugate_gradients};
use crate::plan::Way;
use crate::space::OnKernel;
use crate::tolerance::MIXED_INVERSE;
use crate::{Data, Error, Run};
use faer::MatRef;
use kern_core::memory::LargeMat;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::PackedGram;

/// The memory of one factorisation, for the next one of as many points.
#[derive(Default)]
pub(crate) enum Memory<T: Scalar> {
    #[default]
    None,
    Whole(LargeMat<T>),
    Single(LargeMat<f32>),
}

impl<T: Scalar> Memory<T> {
    /// The memory that a factor in the precision of T can take; other memory is given back.
    fn whole(&mut self) -> Option<LargeMat<T>> {
        match std::mem::take(self) {
            Self::Whole(matrix) => Some(matrix),
            Self::Single(_) | Self::None => None,
        }
    }

    /// The memory that a factor in single precision can take; other memory is given back.
    fn single(&mut self) -> Option<LargeMat<f32>> {
        match std::mem::take(self) {
            Self::Single(matrix) => Some(matrix),
            Self::Whole(_) | Self::None => None,
        }
    }
}

/// A system whose inverse comes in some form.
type AnySystem<'s, 'a, P, K> = System<'s, 'a, P, K, dyn Diagonal<<P as Points>::Scalar> + 's>;

impl<K> Ridge<OnKernel<K>> {
    /// γ and the intercepts of the model for these targets.
    pub(crate) fn solved<P>(
        &self,
        (data, targets): (&Data<'_, P>, MatRef<'_, P::Scalar>),
        run: &Run<'_>,
        memory: &mut Memory<P::Scalar>,
    ) -> Result<Solution<P::Scalar>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        self.asked(data, run, memory, |system| system.solve(targets))
    }

    /// The models for these targets that have not seen one of the points.
    ///
    /// # Numerics
    /// Residuals and shifts have a relative error of a thousandth at most, where nλ is large against rounding errors of single
    /// precision; where it is not, those of a factor in the precision of the points.
    pub(crate) fn left_out<P>(
        &self,
        (data, targets): (&Data<'_, P>, MatRef<'_, P::Scalar>),
        run: &Run<'_>,
        memory: &mut Memory<P::Scalar>,
    ) -> Result<LeftOut<P::Scalar>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
    {
        self.asked(data, run, memory, |system| system.without_each(targets))
    }

    /// The answer of a factorised system.
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
        means.check(&design, &conjugate_gradients::task(&design, 1), &[Way::Cholesky])?;
        let (budget, shift) = (&means.budget, design.count() as f64 * lambda);
        if mixed::is_enough(&design, (shift, MIXED_INVERSE), budget)? {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use faer::Mat;
    use kern_core::Samples;
    use kern_core::kernels::Rbf;

    const N: usize = 1200;

    /// λ at which the relative error of single precision is bounded by so much, for max Mᵢᵢ = 2.
    fn lambda(error: f64) -> f64 {
        2.0 * f32::UNIT_ROUNDOFF / ((N as f64).sqrt() * error)
    }

    /// Found beside known.
    struct Difference {
        /// The greatest relative difference of residuals of points left out.
        residual: f64,
        /// The relative difference of their root mean square.
        error: f64,
        /// The greatest difference of coefficients, relative to the greatest of them.
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
        let found = ridge.left_out((&data, y.as_ref()), &run, &mut memory).unwrap();
        let again = ridge.left_out((&data, y.as_ref()), &run, &mut memory).unwrap();
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
