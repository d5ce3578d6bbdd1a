//! Generalised cross-validation (GCV) of ridge regression.
//!
//! On a kernel, for one λ, from the factorised kernel matrix: n₊‖γ‖²/tr(C)², in the notation of the
//! [linear system](super::linear_system).
//!
//! On features, for all λ, from sums over the points. With the centred sums
//! G = Σβzzᵀ − Wμμᵀ = U·diag(s)·Uᵀ, c = Uᵀ(Σβzy − Wμȳ) and ν = nλ, the residual sum of squares is
//! Σβ(y − f)² = Σβ(y − ȳ)² − Σₖ cₖ²/(sₖ + ν)·(2 − sₖ/(sₖ + ν)), and there are 1 + Σₖ sₖ/(sₖ + ν)
//! degrees of freedom. Without an intercept, nothing is centred and the 1 is dropped.

use super::linear_system::{Inverse, System};
use crate::Error;
use faer::{Accum, Mat, MatRef};
use kern_approx::statistics::NormalEquations;
use kern_core::products::matmul;
use kern_core::{Kernel, Points, symmetric_eigen, symmetric_eigen_bytes};
use kern_gram::numerics::cholesky::squared_norm;
use kern_gram::{matrix_bytes, zeros};

impl<P: Points, K: Kernel<P> + ?Sized, I: Inverse<P::Scalar> + ?Sized> System<'_, '_, P, K, I> {
    /// n₊‖γ‖²/tr(C)², summed over outputs; n₊ counts the points with positive weight.
    pub(super) fn gcv(&self, y: MatRef<'_, P::Scalar>) -> Result<f64, Error> {
        let solution = self.solve(y)?;
        self.check_left(0, self.design.points().len() - 1)?;
        let trace: f64 = self.diagonal()?.iter().sum();
        let total: f64 = solution.gamma.col_iter().map(squared_norm).sum();
        let score = self.design.points().len() as f64 * total / (trace * trace);
        if score.is_finite() {
            Ok(score)
        } else {
            Err(Error::Range { what: "the score of generalised cross-validation", given: score })
        }
    }
}

/// The number n of points, including those of weight zero, and whether there is an intercept.
pub(super) struct Shape {
    pub(super) points: usize,
    pub(super) intercept: bool,
}

/// The scores (1/W)Σβ(y − f)²/(1 − df/W)² of these λ, W = Σβ, summed over outputs; infinite where
/// no degrees of freedom are left.
pub(super) fn scores(
    sums: &NormalEquations,
    shape: &Shape,
    lambdas: &[f64],
) -> Result<Vec<f64>, Error> {
    let spectrum = Spectrum::new(sums, shape)?;
    Ok(lambdas.iter().map(|&lambda| spectrum.score(lambda)).collect())
}

/// The bytes that the scores take besides the sums, for `dim` features.
pub(super) fn bytes(dim: usize) -> u64 {
    matrix_bytes::<f64>(dim, dim).saturating_add(symmetric_eigen_bytes(dim))
}

/// Σβ(y − ȳ)²/W, summed over outputs; without an intercept Σβy²/W.
pub(super) fn variance(sums: &NormalEquations, intercept: bool) -> f64 {
    let squares = (0..sums.outputs()).map(|k| left_of_constant(sums, k, intercept));
    squares.sum::<f64>() / sums.weight()
}

/// Σβ(y − ȳ)² of an output, without an intercept Σβy².
fn left_of_constant(sums: &NormalEquations, output: usize, intercept: bool) -> f64 {
    let targets = sums.target_moments();
    let centre = if intercept { sums.weight().recip() } else { 0.0 };
    (targets[(output, 1)] - centre * targets[(output, 0)].powi(2)).max(0.0)
}

/// s, c of each output, and the other terms of a score.
struct Spectrum {
    values: Vec<f64>,
    /// D × outputs.
    coordinates: Mat<f64>,
    /// Σβ(y − ȳ)² of each output.
    squares: Vec<f64>,
    weight: f64,
    points: f64,
    intercept: bool,
}

impl Spectrum {
    fn new(sums: &NormalEquations, shape: &Shape) -> Result<Self, Error> {
        let (dim, weight) = (sums.dim(), sums.weight());
        let (gram, moments, targets) = (sums.gram(), sums.moments(), sums.target_moments());
        let centre = if shape.intercept { weight.recip() } else { 0.0 };
        let (mut matrix, mut right) = (zeros(dim, dim)?, zeros(dim, sums.outputs())?);
        for j in 0..dim {
            for i in j..dim {
                let value = gram[(i, j)] - centre * moments[(i, 0)] * moments[(j, 0)];
                (matrix[(i, j)], matrix[(j, i)]) = (value, value);
            }
            for k in 0..sums.outputs() {
                right[(j, k)] = moments[(j, k + 1)] - centre * moments[(j, 0)] * targets[(k, 0)];
            }
        }
        let of_output = |k| left_of_constant(sums, k, shape.intercept);
        let squares = (0..sums.outputs()).map(of_output).collect();
        let found = symmetric_eigen(matrix.as_ref());
        let (values, vectors) = found.ok_or(Error::NoEigenvalues { size: dim })?;
        let mut coordinates = zeros(dim, sums.outputs())?;
        let (to, transposed) = (coordinates.as_mut(), vectors.transpose());
        matmul(to, Accum::Replace, transposed, right.as_ref(), 1.0);
        let (points, intercept) = (shape.points as f64, shape.intercept);
        Ok(Self { values, coordinates, squares, weight, points, intercept })
    }

    fn score(&self, lambda: f64) -> f64 {
        let shift = self.points * lambda;
        let kept = |value: f64| value.max(0.0) / (value.max(0.0) + shift);
        let own = f64::from(u8::from(self.intercept));
        let freedom = own + self.values.iter().map(|&value| kept(value)).sum::<f64>();
        let left = 1.0 - freedom / self.weight;
        if left <= 0.0 {
            return f64::INFINITY;
        }
        let of_output = |(k, &squares): (usize, &f64)| {
            let pairs = self.values.iter().zip(self.coordinates.col(k).iter());
            let taken: f64 =
                pairs.map(|(&s, &c)| c * c / (s.max(0.0) + shift) * (2.0 - kept(s))).sum();
            (squares - taken).max(0.0)
        };
        let residual: f64 = self.squares.iter().enumerate().map(of_output).sum();
        residual / self.weight / (left * left)
    }
}
