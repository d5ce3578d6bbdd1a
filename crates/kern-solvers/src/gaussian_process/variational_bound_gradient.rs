//! Gradient of the variational bound in the kernel parameters and in the noise. The notation is
//! that of [`variational_bound`](super::variational_bound).

use super::marginal_likelihood::LogLikelihood;
use super::variational_bound::{Known, Sparse, dot, jitter, with_sparse};
use crate::model::Regression;
use crate::{Data, Error, Run};
use faer::{Accum, Mat, MatRef};
use kern_core::gradient::{Differentiable, free_parameters};
use kern_core::memory::converted;
use kern_core::products::{matmul, solve_upper};
use kern_core::{Mercer, Points, Scalar, Scratch, Tile};
use kern_gram::numerics::cholesky::{column_blocks, squared_norm};
use kern_gram::{TILE_EDGE, parallel, tile_ranges, zeros};
use std::ops::Range;

/// Points whose adjoint is in memory at a time.
const CHUNK: usize = 128;

/// Columns of a triangular solve that a thread works on.
const WIDTH: usize = 64;

/// The lower [bound](super::likelihood_bounds) of the log likelihood, and its gradient in the
/// logarithms of all parameters, with fixed landmarks.
///
/// # Complexity
/// About 4nm² flops for m landmarks, and memory for O(m²) values.
///
/// # Errors
/// As [`likelihood_bounds`](super::likelihood_bounds).
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::{log_likelihood, lower_bound};
/// use kern_solvers::{Data, Run};
/// let x = Samples::from_rows(&[[0.0], [1.0], [3.0]])?;
/// let (data, kernel, run) = (Data::new(&x, &[1.0, -1.0, 0.5])?, Rbf::new(1.0)?, Run::new());
/// // With all points as landmarks the bound is exact.
/// let bound = lower_bound(&kernel, 0.1, &x, &data, &run)?;
/// let exact = log_likelihood(&kernel, 0.1, &data, &run)?;
/// assert!((bound.value - exact.value).abs() < 1e-7);
/// assert!((bound.gradient[0] - exact.gradient[0]).abs() < 1e-7);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "ELBO")]
#[doc(alias = "SGPR")]
#[doc(alias = "Titsias")]
pub fn lower_bound<P, Y, K>(
    kernel: &K,
    noise: f64,
    landmarks: &P,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P> + Differentiable<P>,
{
    with_sparse(kernel, noise, landmarks, data, run, |sparse| sparse.likelihood(kernel, noise))
}

/// Derivatives of the lower bound in kernel values, for o outputs.
struct Adjoints<T: Scalar> {
    /// P = L⁻ᵀ((o/s)(I − M⁻¹) − Σbbᵀ/s³)L⁻¹.
    across: Mat<T>,
    /// L⁻ᵀb/s², so that column i of K(Z, X) has the adjoint βᵢ(Pkᵢ + L⁻ᵀbyᵢ/s²), summed over
    /// outputs.
    slopes: Mat<T>,
    /// The derivatives in K(Z, Z), ½L⁻ᵀ(o(2I − M − M⁻¹) − Σbbᵀ/s²)L⁻¹, plus the contribution of ε
    /// on its diagonal.
    among: Mat<T>,
    /// −o/2s, which times βᵢ is the derivative in Kᵢᵢ.
    diagonal: f64,
}

impl<P: Points> Sparse<'_, '_, P> {
    /// The lower bound with its gradient.
    pub(super) fn likelihood<K: Differentiable<P>>(
        &self,
        kernel: &K,
        noise: f64,
    ) -> Result<LogLikelihood, Error> {
        let known = self.gather(kernel, noise)?;
        let value = self.lower(&known);
        let inverse = known.inverse()?;
        let noise = self.slope_in_noise(&known, &inverse);
        let mut gradient = vec![0.0; free_parameters(kernel).len()];
        if !gradient.is_empty() {
            let adjoints = known.adjoints(inverse)?;
            self.pull_back_points(kernel, &adjoints, &mut gradient);
            self.pull_back_landmarks(kernel, adjoints.among.as_ref(), &mut gradient);
        }
        for given in gradient.iter().copied().chain([value, noise]) {
            if !given.is_finite() {
                let what = "the bound of the likelihood or its gradient";
                return Err(Error::Range { what, given });
            }
        }
        Ok(LogLikelihood { value, gradient, noise })
    }

    /// The derivative s·∂/∂s, the sum over outputs of
    /// ½(m − tr M⁻¹ − n) + (yᵀBy + τ − tr A)/2s − (cᵀb + ‖b‖²)/2s².
    fn slope_in_noise<K>(&self, known: &Known<'_, P, K>, inverse: &Mat<f64>) -> f64 {
        let (s, m) = (known.noise, inverse.nrows());
        let trace: f64 = (0..m).map(|i| inverse[(i, i)]).sum();
        let count = m as f64 - trace - self.design.points().len() as f64;
        let of_output = |k: usize| {
            let ((energy, c), b) = (known.of_output(k), known.b.col(k));
            let square = (dot(c, b) + squared_norm(b)) / (s * s);
            0.5 * (count + (energy + known.unknown()) / s - square)
        };
        (0..known.b.ncols()).map(of_output).sum()
    }

    /// Adds the contributions of K(Z, X) and of the diagonal of K, by chunks of points.
    fn pull_back_points<K: Differentiable<P>>(
        &self,
        kernel: &K,
        adjoints: &Adjoints<P::Scalar>,
        gradient: &mut [f64],
    ) {
        let free = gradient.len();
        let of_chunk = |scratch: &mut Scratch<P::Scalar>, range: Range<usize>| {
            let mut part = vec![0.0; free];
            self.pull_back_chunk(kernel, adjoints, range, &mut part, scratch);
            part
        };
        let chunks = tile_ranges(self.design.points().len(), CHUNK);
        add_parts(gradient, parallel::map_init(chunks, Scratch::new, of_chunk));
    }

    fn pull_back_chunk<K: Differentiable<P>>(
        &self,
        kernel: &K,
        adjoints: &Adjoints<P::Scalar>,
        range: Range<usize>,
        part: &mut [f64],
        scratch: &mut Scratch<P::Scalar>,
    ) {
        let (points, m, len) = (self.design.points(), self.landmarks.len(), range.len());
        let one = P::Scalar::ONE;
        scratch.with_matrix(m, len, |mut values, scratch| {
            let tile = Tile::new(self.landmarks, 0..m, points, range.clone());
            kernel.block(&tile, values.as_mut(), scratch);
            scratch.with_matrix(m, len, |mut adjoint, scratch| {
                let (across, slopes) = (adjoints.across.as_ref(), adjoints.slopes.as_ref());
                matmul(adjoint.as_mut(), Accum::Replace, across, values.as_ref(), one);
                let targets = self.targets.as_ref().subrows(range.start, len);
                matmul(adjoint.as_mut(), Accum::Add, slopes, targets.transpose(), one);
                for (column, i) in adjoint.as_mut().col_iter_mut().zip(range.clone()) {
                    let weight = P::Scalar::from_f64(self.design.weight(i));
                    column.iter_mut().for_each(|value| *value *= weight);
                }
                kernel.pull_back(&tile, adjoint.as_ref(), part, scratch);
            });
        });
        for i in range {
            let slope = P::Scalar::from_f64(adjoints.diagonal * self.design.weight(i));
            let pair = Tile::new(points, i..i + 1, points, i..i + 1);
            kernel.pull_back(&pair, faer::mat![[slope]].as_ref(), part, scratch);
        }
    }

    /// Adds the contribution of K(Z, Z), by tiles.
    fn pull_back_landmarks<K: Differentiable<P>>(
        &self,
        kernel: &K,
        among: MatRef<'_, P::Scalar>,
        gradient: &mut [f64],
    ) {
        let (free, landmarks) = (gradient.len(), self.landmarks);
        let cuts = tile_ranges(landmarks.len(), TILE_EDGE);
        let pairs: Vec<_> =
            cuts.iter().flat_map(|a| cuts.iter().map(move |b| (a.clone(), b.clone()))).collect();
        let of_tile = |scratch: &mut Scratch<P::Scalar>,
                       (rows, cols): (Range<usize>, Range<usize>)| {
            let mut part = vec![0.0; free];
            let adjoint = among.submatrix(rows.start, cols.start, rows.len(), cols.len());
            kernel.pull_back(
                &Tile::new(landmarks, rows, landmarks, cols),
                adjoint,
                &mut part,
                scratch,
            );
            part
        };
        add_parts(gradient, parallel::map_init(pairs, Scratch::new, of_tile));
    }
}

impl<P: Points, K> Known<'_, P, K> {
    /// M⁻¹.
    fn inverse(&self) -> Result<Mat<f64>, Error> {
        let m = self.factor.size();
        let mut inverse = zeros(m, m)?;
        (0..m).for_each(|i| inverse[(i, i)] = 1.0);
        self.factor.solve_in_place(inverse.as_mut());
        Ok(inverse)
    }

    fn adjoints(&self, inverse: Mat<f64>) -> Result<Adjoints<P::Scalar>, Error> {
        let (m, s, outputs) = (inverse.nrows(), self.noise, self.b.ncols() as f64);
        let mut squares: Mat<f64> = zeros(m, m)?;
        let b = self.b.as_ref();
        matmul(squares.as_mut(), Accum::Replace, b, b.transpose(), 1.0 / (s * s));
        let (mut across, mut among) = (zeros(m, m)?, inverse);
        for j in 0..m {
            for i in 0..m {
                let (one, inverse) = (f64::from(i == j), among[(i, j)]);
                across[(i, j)] = (outputs * (one - inverse) - squares[(i, j)]) / s;
                let both = one + self.scaled_gram(i, j) + inverse;
                among[(i, j)] = 0.5 * (outputs * (2.0 * one - both) - squares[(i, j)]);
            }
        }
        self.between_roots(&mut across)?;
        self.between_roots(&mut among)?;
        let trace: f64 = (0..m).map(|i| among[(i, i)]).sum();
        (0..m).for_each(|i| among[(i, i)] += jitter::<P::Scalar>() * trace / m as f64);
        let mut slopes = self.b.clone();
        solve_upper(self.map.factor.lower(), slopes.as_mut());
        slopes.col_iter_mut().for_each(|b| b.iter_mut().for_each(|b| *b /= s * s));
        Ok(Adjoints {
            across: converted(across.as_ref())?,
            slopes: converted(slopes.as_ref())?,
            among: converted(among.as_ref())?,
            diagonal: -0.5 * outputs / s,
        })
    }

    /// V ← L⁻ᵀVL⁻¹, for a symmetric V.
    fn between_roots(&self, v: &mut Mat<f64>) -> Result<(), Error> {
        let (m, lower) = (v.nrows(), self.map.factor.lower());
        for _ in 0..2 {
            let blocks = column_blocks(v.as_mut(), WIDTH);
            parallel::for_each_init(blocks, || (), |(), (_, v)| solve_upper(lower, v));
            let mut turned = zeros(m, m)?;
            turned.copy_from(v.transpose());
            *v = turned;
        }
        Ok(())
    }
}

fn add_parts(gradient: &mut [f64], parts: Vec<Vec<f64>>) {
    for part in parts {
        gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
}
