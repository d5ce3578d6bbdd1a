//! Posterior of Gaussian process regression: the mean and the variance at queries, covariances and
//! samples.

use super::sampling::{check_memory, normal};
use super::stored_cholesky::Factor;
use super::variational_bound::LikelihoodBounds;
use crate::Error;
use crate::model::{Arity, Decision, KernelExpansion, MultiRegressor, Regressor};
use crate::variance::{between, by_blocks, unexplained};
use faer::{Accum, Mat, MatRef};
use kern_core::products::matmul;
use kern_core::{Kernel, Named, Points, Positive, Scalar};
use kern_gram::numerics::arithmetic::scale_rows;
use kern_gram::numerics::cholesky::squared_norm;
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zeros};
use serde::{Deserialize, Serialize};

/// Includes or excludes the noise of targets in a predictive distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// The distribution of f.
    Without,
    /// The distribution of a new target of weight 1: f plus noise.
    With,
}

/// The kind, the number and the seed of draws from a posterior.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// [`Noise::Without`] draws functions, [`Noise::With`] targets of weight 1.
    pub noise: Noise,
    /// The number of draws.
    pub count: usize,
    /// The seed: equal seeds give equal draws.
    pub seed: u64,
}

/// The posterior of a Gaussian process, given the targets of its fit.
///
/// # Definition
/// With C = K + σ²B⁻¹ and the column k of K(x, xᵢ), f(x) is normal with the mean kᵀC⁻¹y and the
/// covariance K(x, x') − kᵀC⁻¹k'. If targets were normalised, the mean is multiplied by their
/// standard deviation s and shifted by their mean, and the covariance is multiplied by s²; the
/// kernel, the noise and the likelihood then refer to normalised targets. Outputs are independent,
/// and share the kernel and the noise.
///
/// On landmarks Z, with LLᵀ = K(Z, Z) + εI, W = L⁻¹K(Z, X) and M = I + WBWᵀ/σ², the mean is
/// kᵀL⁻ᵀM⁻¹WBy/σ² and the covariance K(x, x') − kᵀL⁻ᵀ(I − M⁻¹)L⁻¹k', with k = K(Z, x). Below, n is
/// then the number of landmarks.
///
/// # Complexity
/// The mean takes n kernel values for each query, the variance n² flops more, and the covariance of
/// q queries another q²n flops.
///
/// # References
/// Rasmussen & Williams (2006), (2.25) and (2.26); on landmarks, Titsias (2009), (6) and (10).
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_gram::MemoryBudget;
/// use kern_solvers::gaussian_process::{Draws, Fixed, GaussianProcess, Noise};
/// let x = Samples::from_rows(&[[0.0], [3.0]])?;
/// let process = GaussianProcess::on_kernel(2.0 * Rbf::new(1.0)?).noise(1e-6).fixed(Fixed::All);
/// let model = process.fit(&x, &[1.0_f64, -1.0])?;
/// let budget = MemoryBudget::mebibytes(1);
/// let queries = Samples::from_rows(&[[0.0], [0.1], [100.0]])?;
/// // The variance is small at training points, and that of the prior far away.
/// let variance = model.variance(&queries, Noise::Without)?;
/// assert!(variance[0] < 1e-5 && (variance[2] - 2.0_f64).abs() < 1e-12);
/// let covariance = model.covariance(&queries, Noise::Without, &budget)?;
/// assert!((covariance[(1, 1)] - variance[1]).abs() < 1e-12);
/// let draws = Draws { noise: Noise::Without, count: 5, seed: 0 };
/// let functions = model.sample(&queries, draws, &budget)?;
/// assert!((0..5).all(|k| (functions[(0, k)] - 1.0).abs() < 0.01));
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Unchecked<P, K>",
    bound(
        serialize = "P: Serialize, K: Named + Serialize",
        deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"
    )
)]
pub struct Posterior<P: Points, K> {
    pub(super) mean: KernelExpansion<P, K>,
    /// The Cholesky factor of B^½KB^½ + σ²I or, on landmarks, of K(Z, Z) + εI.
    pub(super) factor: Factor<P::Scalar>,
    /// On landmarks, the Cholesky factor of M = I + L⁻¹K(Z, X)BK(X, Z)L⁻ᵀ/σ².
    pub(super) refined: Option<Factor<P::Scalar>>,
    /// β, unless all are 1.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) noise: f64,
    /// s of each output.
    pub(super) scales: Vec<f64>,
    pub(super) bounds: LikelihoodBounds,
}

/// A deserialised posterior before validation.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, K: Kernel<P> + Named + Deserialize<'de>"))]
struct Unchecked<P: Points, K> {
    mean: KernelExpansion<P, K>,
    factor: Factor<P::Scalar>,
    refined: Option<Factor<P::Scalar>>,
    weights: Option<Vec<f64>>,
    noise: f64,
    scales: Vec<f64>,
    bounds: LikelihoodBounds,
}

impl<P: Points, K: Kernel<P>> TryFrom<Unchecked<P, K>> for Posterior<P, K> {
    type Error = Error;

    fn try_from(read: Unchecked<P, K>) -> Result<Self, Error> {
        let Unchecked { mean, factor, refined, weights, noise, scales, bounds } = read;
        let n = mean.points().len();
        for factor in [Some(&factor), refined.as_ref()].into_iter().flatten() {
            Error::check_equal("rows of the factor", n, factor.size())?;
        }
        if let Some(weights) = &weights {
            Error::check_equal("weights", n, weights.len())?;
            for &weight in weights {
                Positive::new("a weight", weight)?;
            }
        }
        Positive::new("noise", noise)?;
        if scales.len() != mean.arity() {
            let (name, allowed) = ("the number of scales", "that of the outputs");
            return Err(Error::Count { name, given: scales.len(), allowed });
        }
        for &scale in &scales {
            Positive::new("a scale", scale)?;
        }
        bounds.check()?;
        Ok(Self { mean, factor, refined, weights, noise, scales, bounds })
    }
}

impl<P: Points, K: Kernel<P>> Posterior<P, K> {
    /// The learned kernel.
    pub fn kernel(&self) -> &K {
        self.mean.kernel()
    }

    /// The learned noise variance σ²; its square root is the standard deviation of the noise. If
    /// targets were normalised, it refers to normalised targets.
    pub const fn noise(&self) -> f64 {
        self.noise
    }

    /// The log marginal likelihood of the training targets, summed over outputs; on landmarks, its
    /// lower bound.
    pub const fn log_likelihood(&self) -> f64 {
        self.bounds.lower
    }

    /// Bounds of the log marginal likelihood with this kernel and noise, which are equal unless the
    /// process is on landmarks.
    pub const fn likelihood_bounds(&self) -> LikelihoodBounds {
        self.bounds
    }

    /// The posterior mean, as a function.
    pub const fn mean(&self) -> &KernelExpansion<P, K> {
        &self.mean
    }

    /// The scale by which the targets of each output were divided: 1 unless they were normalised.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// The posterior variance at each query: queries × outputs. Negative rounding errors become 0.
    ///
    /// # Errors
    /// Fails if the kernel rejects the queries or a variance is non-finite.
    pub fn variance(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error> {
        let shared = by_blocks(queries, |queries, start| {
            let half = self.half(queries)?;
            let mut left = unexplained(self.kernel(), queries, start, half.as_ref())?;
            let doubt = self.doubt(half).map(|doubt| squared_norms(doubt.as_ref()));
            for (q, left) in left.iter_mut().enumerate() {
                *left += doubt.as_ref().map_or(0.0, |doubt| doubt[q]) + self.added(noise);
            }
            Ok(left)
        })?;
        let mut out = zeros(queries.len(), self.scales.len())?;
        for (k, scale) in self.scales.iter().enumerate() {
            let column = out.col_as_slice_mut(k).iter_mut().zip(&shared);
            column.for_each(|(out, v)| *out = P::Scalar::from_f64(scale * scale * v.to_f64()));
        }
        match (0..queries.len()).find(|&row| out.row(row).iter().any(|v| !v.is_finite_number())) {
            Some(row) => {
                Err(kern_gram::Error::ProductNotFinite { row, col: 0, given: f64::INFINITY }.into())
            }
            None => Ok(out),
        }
    }

    /// The standard deviation at each query: queries × outputs.
    ///
    /// # Errors
    /// As [`variance`](Self::variance).
    pub fn std(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error> {
        let mut out = self.variance(queries, noise)?;
        for column in out.as_mut().col_iter_mut() {
            column.iter_mut().for_each(|v| *v = P::Scalar::from_f64(v.to_f64().sqrt()));
        }
        Ok(out)
    }

    /// The posterior covariance of an output at all pairs of queries: queries × queries.
    ///
    /// # Errors
    /// As [`variance`](Self::variance); [`Error::Count`] for an output that does not exist;
    /// [`Error::Gram`] if the budget is exceeded.
    pub fn covariance(
        &self,
        queries: &P,
        output: usize,
        noise: Noise,
        budget: &MemoryBudget,
    ) -> Result<Mat<P::Scalar>, Error> {
        let (scale, q) = (self.scale(output)?, queries.len());
        let needed = matrix_bytes::<P::Scalar>(q, 2 * q + self.factor.size());
        budget.require("the covariance of queries", needed, "ask for variances")?;
        let half = self.half(queries)?;
        let gram = DenseGram::new(self.kernel(), queries, budget)?;
        let mut left = gram.into_matrix();
        let one = P::Scalar::ONE;
        matmul(left.as_mut(), Accum::Add, half.transpose(), half.as_ref(), -one);
        if let Some(doubt) = self.doubt(half) {
            matmul(left.as_mut(), Accum::Add, doubt.transpose(), doubt.as_ref(), one);
        }
        let (left, square) = (left.as_ref(), scale * scale);
        let mut out = zeros(q, q)?;
        for j in 0..q {
            for i in j..q {
                let mut value = left[(i, j)].to_f64();
                if i == j {
                    value = value.max(0.0) + self.added(noise);
                }
                let value = P::Scalar::from_f64(square * value);
                if !value.is_finite_number() {
                    let given = value.to_f64();
                    return Err(kern_gram::Error::ProductNotFinite { row: i, col: j, given }.into());
                }
                (out[(i, j)], out[(j, i)]) = (value, value);
            }
        }
        Ok(out)
    }

    /// Draws functions or targets at the queries from the posterior of an output: queries × draws.
    ///
    /// # Complexity
    /// As [`covariance`](Self::covariance), and O(q³) on one thread for its eigenvectors.
    ///
    /// # Errors
    /// As [`covariance`](Self::covariance); [`Error::NoEigenvalues`].
    pub fn sample(
        &self,
        queries: &P,
        output: usize,
        draws: Draws,
        budget: &MemoryBudget,
    ) -> Result<Mat<P::Scalar>, Error> {
        let Draws { noise, count, seed } = draws;
        check_memory::<P::Scalar>(self.factor.size(), queries.len(), count, budget)?;
        let covariance = self.covariance(queries, output, noise, budget)?;
        let mean = self.mean.decide(queries)?;
        let drawn = normal(covariance.as_ref(), count, seed)?;
        let mut out = zeros(queries.len(), count)?;
        for k in 0..count {
            let column = out.col_as_slice_mut(k).iter_mut().enumerate();
            column.for_each(|(i, out)| {
                *out = P::Scalar::from_f64(mean[(i, output)].to_f64() + drawn[(i, k)]);
            });
        }
        Ok(out)
    }

    /// L⁻¹B^½k of each query.
    fn half(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        let mut k = between(self.kernel(), self.mean.points(), queries)?;
        if let Some(weights) = &self.weights {
            let roots: Vec<_> = weights.iter().map(|b| P::Scalar::from_f64(b.sqrt())).collect();
            scale_rows(&mut k, Some(&roots));
        }
        self.factor.half_solve_in_place(k.as_mut());
        Ok(k)
    }

    /// On landmarks, N⁻¹L⁻¹k with M = NNᵀ: its inner products are added to the covariance.
    fn doubt(&self, mut half: Mat<P::Scalar>) -> Option<Mat<P::Scalar>> {
        self.refined.as_ref()?.half_solve_in_place(half.as_mut());
        Some(half)
    }

    /// The noise variance that is added to a variance.
    const fn added(&self, noise: Noise) -> f64 {
        match noise {
            Noise::Without => 0.0,
            Noise::With => self.noise,
        }
    }

    fn scale(&self, output: usize) -> Result<f64, Error> {
        let (name, allowed) = ("the output", "less than the number of outputs");
        self.scales.get(output).copied().ok_or(Error::Count { name, given: output, allowed })
    }
}

impl<P: Points, K> Arity for Posterior<P, K> {
    fn arity(&self) -> usize {
        self.mean.arity()
    }
}

impl<P: Points, K: Kernel<P>> Decision<P> for Posterior<P, K> {
    fn outputs(&self) -> usize {
        self.mean.outputs()
    }

    fn decide(&self, points: &P) -> Result<Mat<P::Scalar>, Error> {
        self.mean.decide(points)
    }

    fn check_numbers(&self) -> Result<(), Error> {
        self.mean.check_numbers()
    }
}

/// The predictive distribution of a single output.
impl<P: Points, K: Kernel<P>> Regressor<Posterior<P, K>> {
    /// The variance at each query.
    ///
    /// # Errors
    /// As [`Posterior::variance`].
    pub fn variance(&self, queries: &P, noise: Noise) -> Result<Vec<P::Scalar>, Error> {
        Ok(only(self.decision().variance(queries, noise)?.as_ref()))
    }

    /// The standard deviation at each query.
    ///
    /// # Errors
    /// As [`Posterior::variance`].
    pub fn std(&self, queries: &P, noise: Noise) -> Result<Vec<P::Scalar>, Error> {
        Ok(only(self.decision().std(queries, noise)?.as_ref()))
    }

    /// The covariance of all pairs of queries: queries × queries.
    ///
    /// # Errors
    /// As [`Posterior::covariance`].
    pub fn covariance(
        &self,
        queries: &P,
        noise: Noise,
        budget: &MemoryBudget,
    ) -> Result<Mat<P::Scalar>, Error> {
        self.decision().covariance(queries, 0, noise, budget)
    }

    /// Draws functions or targets at the queries: queries × draws.
    ///
    /// # Errors
    /// As [`Posterior::sample`].
    pub fn sample(
        &self,
        queries: &P,
        draws: Draws,
        budget: &MemoryBudget,
    ) -> Result<Mat<P::Scalar>, Error> {
        self.decision().sample(queries, 0, draws, budget)
    }
}

/// The predictive distributions of several outputs.
impl<P: Points, K: Kernel<P>> MultiRegressor<Posterior<P, K>> {
    /// The variance at each query: queries × outputs.
    ///
    /// # Errors
    /// As [`Posterior::variance`].
    pub fn variance(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error> {
        self.decision().variance(queries, noise)
    }

    /// The standard deviation at each query: queries × outputs.
    ///
    /// # Errors
    /// As [`Posterior::variance`].
    pub fn std(&self, queries: &P, noise: Noise) -> Result<Mat<P::Scalar>, Error> {
        self.decision().std(queries, noise)
    }
}

fn squared_norms<T: Scalar>(columns: MatRef<'_, T>) -> Vec<f64> {
    columns.col_iter().map(squared_norm).collect()
}

/// The values of the only column.
fn only<T: Scalar>(column: MatRef<'_, T>) -> Vec<T> {
    column.col(0).iter().copied().collect()
}
