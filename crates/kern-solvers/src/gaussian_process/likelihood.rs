//! The marginal likelihood, and its gradient in the parameters of the kernel and in the noise.

use crate::design::Design;
use crate::model::Regression;
use crate::{Data, Error, Run};
use faer::{Accum, Mat, MatRef};
use kern_core::gradient::{Differentiable, free_parameters};
use kern_core::products::matmul;
use kern_core::{Points, Positive, Scalar, Scratch, Tile};
use kern_gram::numerics::cholesky::{Cholesky, scale_lower_in_place, squared_norm};
use kern_gram::{DenseGram, TILE_EDGE, matrix_bytes, parallel, tile_ranges};
use std::f64::consts::TAU;
use std::ops::Range;

/// The logarithm of the likelihood of the targets, and its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLikelihood {
    /// ln p(y), summed over outputs.
    pub value: f64,
    /// ∂/∂ln θ for each of the kernel's [`free_parameters`], in their order.
    pub gradient: Vec<f64>,
    /// ∂/∂ln σ².
    pub noise: f64,
}

/// The log marginal likelihood of targets under a Gaussian process with this kernel and noise of this variance σ², and its
/// gradient in the logarithms of all parameters.
///
/// # Definition
/// ln p(y) = −½yᵀC⁻¹y − ½ ln|C| − (n/2) ln 2π with C = K + σ²B⁻¹, for n points of positive weight. With α = C⁻¹y, the adjoint of
/// K is ½(ααᵀ − C⁻¹), which is [pulled back](Differentiable::pull_back) tile by tile.
///
/// # Complexity
/// n³ flops, and 2n² numbers whatever the number of parameters is.
///
/// # Errors
/// [`Error::Core`] unless σ² is positive and finite, and if the kernel refuses the points; [`Error::Gram`] for kernel values
/// that are not finite, if K + σ²B⁻¹ is not positive definite in floating-point numbers, or if 2n² numbers do not fit the memory
/// of the run; [`Error::Range`] for a likelihood or derivative that is not finite.
///
/// # References
/// Rasmussen & Williams (2006), (5.8) and (5.9).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::log_likelihood};
/// let x = Samples::from_rows(&[[0.0]])?;
/// // y ~ N(0, 3 + 1).
/// let found = log_likelihood(&(3.0 * Rbf::new(1.0)?), 1.0, &Data::new(&x, &[2.0])?, &Run::new())?;
/// let expected = -0.5 - 0.5 * (std::f64::consts::TAU * 4.0).ln();
/// assert!((found.value - expected).abs() < 1e-15);
/// // At y² = C, where the likelihood of y is greatest, nothing is gained by another variance.
/// assert!(found.gradient[0].abs() < 1e-15 && found.noise.abs() < 1e-15);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn log_likelihood<P, Y, K>(
    kernel: &K,
    noise: f64,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Differentiable<P>,
{
    Positive::new("noise", noise)?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    let design = Design::new(kernel, data.points(), weights, false)?;
    let n = design.points().len();
    let needed = matrix_bytes::<P::Scalar>(n, 2 * n);
    run.budget().require("the gradient of a likelihood", needed, "learn on fewer points")?;
    kernel.check(design.points())?;
    let problem = Problem::new(&design, noise, data.targets().matrix(), run)?;
    problem.likelihood()
}

/// The factor of M = B^½KB^½ + σ²I, and γ = M⁻¹B^½y.
struct Problem<'d, 'a, P: Points, K> {
    design: &'d Design<'a, P, &'d K>,
    noise: f64,
    whitened: Mat<P::Scalar>,
    gamma: Mat<P::Scalar>,
    factor: Cholesky<P::Scalar>,
}

impl<'d, 'a, P: Points, K: Differentiable<P>> Problem<'d, 'a, P, K> {
    fn new(
        design: &'d Design<'a, P, &'d K>,
        noise: f64,
        y: MatRef<'_, P::Scalar>,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let mut matrix =
            DenseGram::new(design.kernel, design.points(), &run.budget())?.into_matrix();
        if let Some(roots) = design.roots() {
            scale_lower_in_place(matrix.as_mut(), roots);
        }
        let factor = Cholesky::new(matrix, noise)?;
        let whitened = design.whiten(y)?;
        let mut gamma = whitened.clone();
        factor.solve_in_place(gamma.as_mut());
        Ok(Self { design, noise, whitened, gamma, factor })
    }

    fn likelihood(self) -> Result<LogLikelihood, Error> {
        let n = self.gamma.nrows();
        let outputs = self.gamma.ncols() as f64;
        let dots = self.whitened.col_iter().zip(self.gamma.col_iter());
        let energy: f64 = dots
            .flat_map(|(z, gamma)| z.iter().zip(gamma.iter()))
            .map(|(z, gamma)| z.to_f64() * gamma.to_f64())
            .sum();
        let weights: f64 = (0..n).map(|i| self.design.weight(i).ln()).sum();
        let determinant = self.factor.log_determinant() - weights;
        let value = -0.5 * energy - 0.5 * outputs * (determinant + n as f64 * TAU.ln());

        let root = self.factor.inverse_root()?;
        let squares: f64 = self.gamma.col_iter().map(squared_norm).sum();
        let trace: f64 = root.as_ref().col_iter().map(squared_norm).sum();
        let noise = 0.5 * self.noise * (squares - outputs * trace);
        let gradient = self.pull_back(root.as_ref());
        let mut all = gradient.iter().copied().chain([value, noise]);
        if let Some(given) = all.find(|number| !number.is_finite()) {
            return Err(Error::Range { what: "the likelihood or its gradient", given });
        }
        drop(all);
        Ok(LogLikelihood { value, gradient, noise })
    }

    /// The gradient in the parameters of the kernel, by tiles of the lower triangle; those of the upper one are the same.
    fn pull_back(&self, root: MatRef<'_, P::Scalar>) -> Vec<f64> {
        let free = free_parameters(self.design.kernel).len();
        let alpha = self.design.unwhiten(self.gamma.clone());
        let cuts = tile_ranges(self.gamma.nrows(), TILE_EDGE);
        let mut pairs = Vec::new();
        for (i, rows) in cuts.iter().enumerate() {
            pairs.extend(cuts[..=i].iter().map(|cols| (rows.clone(), cols.clone())));
        }
        let of_tile = |scratch: &mut Scratch<P::Scalar>,
                       (rows, cols): (Range<usize>, Range<usize>)| {
            let mut gradient = vec![0.0; free];
            scratch.with_matrix(rows.len(), cols.len(), |mut adjoint, scratch| {
                self.adjoint((&rows, &cols), alpha.as_ref(), root, adjoint.as_mut());
                let points = self.design.points();
                let tile = Tile::new(points, rows, points, cols);
                self.design.kernel.pull_back(&tile, adjoint.as_ref(), &mut gradient, scratch);
            });
            gradient
        };
        let parts = parallel::map_init(pairs, Scratch::new, of_tile);
        let mut sum = vec![0.0; free];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sum
    }

    /// ½(Σ ααᵀ − outputs·B^½M⁻¹B^½) in a tile, twice off the diagonal.
    fn adjoint(
        &self,
        (rows, cols): (&Range<usize>, &Range<usize>),
        alpha: MatRef<'_, P::Scalar>,
        root: MatRef<'_, P::Scalar>,
        mut out: faer::MatMut<'_, P::Scalar>,
    ) {
        let (n, outputs) = (root.nrows(), alpha.ncols());
        // The first rows of R's columns are zero.
        let columns = |range: &Range<usize>| {
            root.submatrix(rows.start, range.start, n - rows.start, range.len())
        };
        let minus = -P::Scalar::from_f64(outputs as f64);
        matmul(out.as_mut(), Accum::Replace, columns(rows).transpose(), columns(cols), minus);
        let half = P::Scalar::from_f64(if rows == cols { 0.5 } else { 1.0 });
        for (j, q) in cols.clone().enumerate() {
            for (i, p) in rows.clone().enumerate() {
                let roots = self.design.root(p) * self.design.root(q);
                let mut value = roots * out[(i, j)];
                (0..outputs).for_each(|k| value += alpha[(p, k)] * alpha[(q, k)]);
                out[(i, j)] = half * value;
            }
        }
    }
}
