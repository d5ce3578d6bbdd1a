//! Laplace's approximation of the likelihood of class labels, with its gradient: a normal posterior
//! around the mode, which Newton's method finds.
//!
//! Notation: f are the values of the latent function at n points, π = σ(f) = 1/(1 + exp(−f)),
//! t ∈ {0, 1} the classes, β the weights, ∇ = β(t − π) the gradient of the log likelihood,
//! W = βπ(1 − π), B = I + W^½KW^½ = LLᵀ, F = L⁻¹W^½, R = FᵀF = (K + W⁻¹)⁻¹.
//!
//! # References
//! Williams & Barber (1998), *Bayesian Classification with Gaussian Processes*; Rasmussen &
//! Williams (2006), chapter 3 and section 5.5.1.

use super::adjoint::Adjoint;
use super::marginal_likelihood::LogLikelihood;
use crate::classes::Encoded;
use crate::plan::{Algorithm, Count, Effort, Work, within};
use crate::{Data, Error, Label, Labels, Run, tolerance};
use faer::{Accum, Mat, MatRef};
use kern_core::gradient::Differentiable;
use kern_core::memory::LargeMat;
use kern_core::products::matmul;
use kern_core::{Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::cholesky::{Cholesky, scale_lower, squared_norm};
use kern_gram::numerics::sigmoid::{sigmoid, softplus};
use kern_gram::{DenseGram, matrix_bytes, parallel, tile_ranges, zeros};

/// The change of the objective of Laplace's approximation, relative to 1 and it, that ends Newton's steps: their error is the
/// square of that of the step before.
const CHANGE: f64 = 1e-12;
const CHANGE_SINGLE: f64 = 1e-6;

const fn laplace<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { CHANGE } else { CHANGE_SINGLE }
}

/// The most of these steps.
const MOST_LAPLACE_STEPS: usize = 100;

/// Columns of FK that a thread computes at a time.
const WIDTH: usize = 64;

/// Laplace's approximation of the log likelihood of class labels under latent functions with this
/// covariance, summed over functions, and its gradient in the logarithms of all parameters; the
/// derivative in the noise is 0.
///
/// # Definition
/// ln Z ≈ −½aᵀf + Σβᵢ ln σ(±fᵢ) − ½ ln|I + W^½KW^½| at the mode f = Ka. With more than two classes,
/// each class has a function against the rest. With R = (K + W⁻¹)⁻¹, ∇ = β(t − π),
/// sᵢ = −½((K⁻¹ + W)⁻¹)ᵢᵢ·∂Wᵢ/∂fᵢ and u = s − RKs, the adjoint of K is ½(aaᵀ − R) + ½(u∇ᵀ + ∇uᵀ).
///
/// # Complexity
/// About 5n³ flops for each function, and memory for 3n² values.
///
/// # Errors
/// [`Error::OneClass`]; [`Error::Core`] if the kernel rejects the points; [`Error::Gram`] if the
/// memory of the run is exceeded or a kernel value is non-finite; [`Error::NotPositiveDefinite`];
/// [`Error::Range`].
///
/// # References
/// Rasmussen & Williams (2006), (3.32) and algorithm 5.1.
///
/// # Examples
/// ```
/// use kern_core::{Samples, kernels::Rbf};
/// use kern_solvers::{Data, Run, gaussian_process::laplace_likelihood};
/// let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
/// let data = Data::new(&x, &[false, true, true])?;
/// let at = |weight: f64| laplace_likelihood(&(weight * Rbf::new(1.0)?), &data, &Run::new());
/// let (less, here, more) = (at(2.0 * (-1e-3_f64).exp())?, at(2.0)?, at(2.0 * 1e-3_f64.exp())?);
/// assert!((here.gradient[0] - (more.value - less.value) / 2e-3).abs() < 1e-7);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[doc(alias = "Laplace approximation")]
pub fn laplace_likelihood<P, L, K>(
    kernel: &K,
    data: &Data<'_, P, Labels<L>>,
    run: &Run<'_>,
) -> Result<LogLikelihood, Error>
where
    P: Points,
    L: Label,
    K: Mercer<P> + Differentiable<P>,
{
    let labels = Encoded::new(data.targets())?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    kernel.check(data.points())?;
    let classes = Classes::new(data.points(), &labels, weights)?;
    check_classes(0.0, kernel, classes.points(), labels.problems(), run)?;
    Evidence::new(classes.points(), &classes.problems()).likelihood(kernel)
}

/// Fails if a fit of classes, with this many evaluations of the likelihood, exceeds the memory of
/// its run or is predicted to exceed its time limit.
pub(super) fn check_classes<P, K>(
    evaluations: f64,
    kernel: &K,
    points: &P,
    outputs: usize,
    run: &Run<'_>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P>,
{
    let n = points.len();
    // K, a factor and its inverse; at the end K and the factors of all functions. Vectors are in
    // double precision.
    let matrices = outputs.saturating_add(2).max(3).saturating_mul(n);
    let needed = matrix_bytes::<P::Scalar>(n, matrices)
        .saturating_add(matrix_bytes::<f64>(n, outputs.saturating_mul(4).saturating_add(12)));
    let budget = run.budget();
    budget.require("classes of a Gaussian process", needed, "learn on fewer points")?;
    let (n, outputs) = (n as f64, outputs as f64);
    let parts = vec![
        (Work::KernelValues, Count::values((evaluations * (1.0 + 0.5 * outputs) + 0.5) * n * n)),
        (Work::Factors, Count::flops((evaluations + 0.6) * 5.0 * outputs * n.powi(3))),
    ];
    let effort = Effort::counted(Algorithm::Cholesky, parts);
    within((run.predicted_limit(), &budget), kernel, points, &[effort], &[])
}

/// Points of positive weight, and for each function the members of its class.
pub(super) struct Classes<'c, P> {
    all: &'c P,
    /// The points of positive weight, unless all are.
    part: Option<P>,
    /// β, unless all are 1.
    weights: Option<Vec<f64>>,
    positive: Vec<Vec<bool>>,
}

impl<'c, P: Points> Classes<'c, P> {
    pub(super) fn new<L: Label>(
        all: &'c P,
        labels: &Encoded<L>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let is_used = |&i: &usize| weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
        let used: Vec<usize> = (0..all.len()).filter(is_used).collect();
        let part = if used.len() == all.len() { None } else { Some(all.select(&used)?) };
        let weights = weights.map(|weights| used.iter().map(|&i| weights[i]).collect());
        let outputs = labels.problems();
        let of_output = |output: usize| {
            let class = if outputs == 1 { 1 } else { output };
            used.iter().map(|&i| labels.indices[i] == class).collect()
        };
        Ok(Self { all, part, weights, positive: (0..outputs).map(of_output).collect() })
    }

    pub(super) fn points(&self) -> &P {
        self.part.as_ref().unwrap_or(self.all)
    }

    pub(super) fn problems(&self) -> Vec<BinaryProblem<'_>> {
        let weights = self.weights.as_deref();
        self.positive.iter().map(|positive| BinaryProblem { positive, weights }).collect()
    }
}

/// Points and their classes, and three n × n matrices that all evaluations reuse.
pub(super) struct Evidence<'e, P: Points> {
    points: &'e P,
    problems: &'e [BinaryProblem<'e>],
    matrices: Vec<LargeMat<P::Scalar>>,
}

impl<'e, P: Points> Evidence<'e, P> {
    pub(super) const fn new(points: &'e P, problems: &'e [BinaryProblem<'e>]) -> Self {
        Self { points, problems, matrices: Vec::new() }
    }

    fn matrix(&mut self) -> Result<LargeMat<P::Scalar>, Error> {
        let n = self.points.len();
        Ok(self.matrices.pop().map_or_else(|| LargeMat::zeros(n, n), Ok)?)
    }

    fn gram<K: Kernel<P>>(&mut self, kernel: &K) -> Result<LargeMat<P::Scalar>, Error> {
        let mut gram = self.matrix()?;
        DenseGram::fill(kernel, self.points, gram.as_mut())?;
        Ok(gram)
    }

    /// The mode of each problem.
    pub(super) fn modes<K: Kernel<P>>(
        &mut self,
        kernel: &K,
    ) -> Result<Vec<Mode<P::Scalar>>, Error> {
        let gram = self.gram(kernel)?;
        let mut modes = Vec::with_capacity(self.problems.len());
        for problem in self.problems {
            modes.push(problem.mode(gram.as_ref(), self.matrix()?)?);
        }
        Ok(modes)
    }

    /// The log likelihood, summed over problems, and its gradient.
    pub(super) fn likelihood<K: Differentiable<P>>(
        &mut self,
        kernel: &K,
    ) -> Result<LogLikelihood, Error> {
        let gram = self.gram(kernel)?;
        let mut sum = LogLikelihood { value: 0.0, gradient: Vec::new(), noise: 0.0 };
        for problem in self.problems {
            let mode = problem.mode(gram.as_ref(), self.matrix()?)?;
            let gradient = self.gradient(kernel, gram.as_ref(), problem, &mode)?;
            sum.value += mode.value;
            match sum.gradient.is_empty() {
                true => sum.gradient = gradient,
                false => sum.gradient.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g),
            }
            self.matrices.push(mode.factor.into_matrix());
        }
        self.matrices.push(gram);
        for given in sum.gradient.iter().copied().chain([sum.value]) {
            if !given.is_finite() {
                return Err(Error::Range { what: "the likelihood or its gradient", given });
            }
        }
        Ok(sum)
    }

    /// The gradient of the log likelihood of a problem. The adjoint of K is
    /// ½(aaᵀ − R) + ½(u∇ᵀ + ∇uᵀ) with u = s − RKs, sᵢ = −½((K⁻¹ + W)⁻¹)ᵢᵢ·∂Wᵢ/∂fᵢ; and a = ∇ at the
    /// mode.
    fn gradient<K: Differentiable<P>>(
        &mut self,
        kernel: &K,
        gram: MatRef<'_, P::Scalar>,
        problem: &BinaryProblem<'_>,
        mode: &Mode<P::Scalar>,
    ) -> Result<Vec<f64>, Error> {
        let n = self.points.len();
        let mut root = self.matrix()?;
        mode.factor.inverse_root_into(root.as_mut());
        for (column, &scale) in root.as_mut().col_iter_mut().zip(&mode.roots) {
            column.iter_mut().for_each(|value| *value *= scale);
        }
        let explained = explained(root.as_ref(), gram);
        let mut s = zeros::<P::Scalar>(n, 1)?;
        for i in 0..n {
            let (p, q) = sigmoid(mode.f[i]);
            let left = gram[(i, i)].to_f64() - explained[i];
            s[(i, 0)] = P::Scalar::from_f64(-0.5 * left * problem.weight(i) * p * q * (q - p));
        }
        let (root_ref, one) = (root.as_ref(), P::Scalar::ONE);
        let seen = times(root_ref, &times(gram, &s)?)?;
        let mut u = s;
        matmul(u.as_mut(), Accum::Add, root_ref.transpose(), seen.as_ref(), -one);
        let (mut slopes, half) = (zeros(n, 1)?, P::Scalar::from_f64(0.5));
        for i in 0..n {
            slopes[(i, 0)] = P::Scalar::from_f64(problem.slopes(i, mode.f[i]).0);
        }
        let with_half = Mat::from_fn(n, 1, |i, _| half * slopes[(i, 0)] + u[(i, 0)]);
        let adjoint = Adjoint {
            factor: root_ref,
            is_lower: true,
            weight: 0.5,
            vectors: (with_half.as_ref(), slopes.as_ref()),
        };
        let gradient = adjoint.pull_back(kernel, self.points);
        self.matrices.push(root);
        Ok(gradient)
    }
}

/// The diagonal of KRK: the squared norms of the columns of FK.
fn explained<T: Scalar>(root: MatRef<'_, T>, gram: MatRef<'_, T>) -> Vec<f64> {
    let n = gram.nrows();
    let of_block = |(): &mut (), range: std::ops::Range<usize>| {
        let mut seen = Mat::<T>::zeros(n, range.len());
        let columns = gram.subcols(range.start, range.len());
        matmul(seen.as_mut(), Accum::Replace, root, columns, T::ONE);
        seen.col_iter().map(squared_norm).collect::<Vec<f64>>()
    };
    parallel::map_init(tile_ranges(n, WIDTH), || (), of_block).concat()
}

/// One class against the rest.
pub(super) struct BinaryProblem<'p> {
    /// The points of the class.
    positive: &'p [bool],
    /// β, unless all are 1.
    weights: Option<&'p [f64]>,
}

/// The mode f = Ka of the posterior, with L and W^½ there.
pub(super) struct Mode<T: Scalar> {
    f: Vec<f64>,
    pub(super) a: Mat<T>,
    pub(super) roots: Vec<T>,
    pub(super) factor: Cholesky<T>,
    /// ln Z ≈ −½aᵀf + Σβ ln σ(±f) − ½ ln|B|.
    pub(super) value: f64,
}

/// An iterate f = Ka of Newton's method, and its objective.
struct Iterate<T: Scalar> {
    f: Vec<f64>,
    a: Mat<T>,
    objective: f64,
}

impl BinaryProblem<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// ∇ᵢ and Wᵢ.
    fn slopes(&self, i: usize, f: f64) -> (f64, f64) {
        let ((p, q), weight) = (sigmoid(f), self.weight(i));
        let residual = if self.positive[i] { q } else { -p };
        (weight * residual, weight * p * q)
    }

    /// −½aᵀf + Σβ ln σ(±f).
    fn objective<T: Scalar>(&self, a: &Mat<T>, f: &[f64]) -> f64 {
        let term = |(i, &f): (usize, &f64)| {
            let signed = if self.positive[i] { f } else { -f };
            -0.5 * a[(i, 0)].to_f64() * f - self.weight(i) * softplus(-signed)
        };
        f.iter().enumerate().map(term).sum()
    }

    /// Finds the mode for this K, in the memory of `matrix`. The objective is concave, so Newton's
    /// method with step halving always reaches it.
    fn mode<T: Scalar>(&self, k: MatRef<'_, T>, mut matrix: LargeMat<T>) -> Result<Mode<T>, Error> {
        let n = self.positive.len();
        let (f, a) = (vec![0.0; n], zeros::<T>(n, 1)?);
        let objective = self.objective(&a, &f);
        let mut iterate = Iterate { f, a, objective };
        let smallest = laplace::<T>();
        for _ in 0..MOST_LAPLACE_STEPS {
            let (roots, factor) = self.factorise(k, &iterate.f, matrix)?;
            let target = self.newton(k, &iterate.f, &roots, &factor)?;
            let before = iterate.objective;
            iterate = self.line(k, target, iterate)?;
            let Iterate { objective, .. } = iterate;
            let done = (objective - before).abs() <= smallest * (1.0 + objective.abs());
            matrix = factor.into_matrix();
            if done {
                break;
            }
        }
        let Iterate { f, a, objective } = iterate;
        let (roots, factor) = self.factorise(k, &f, matrix)?;
        let value = objective - 0.5 * factor.log_determinant();
        Ok(Mode { f, a, roots, factor, value })
    }

    /// W^½ and the factor of B.
    fn factorise<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        f: &[f64],
        mut matrix: LargeMat<T>,
    ) -> Result<(Vec<T>, Cholesky<T>), Error> {
        let root = |(i, &f): (usize, &f64)| T::from_f64(self.slopes(i, f).1.sqrt());
        let roots: Vec<T> = f.iter().enumerate().map(root).collect();
        scale_lower(k, &roots, matrix.as_mut());
        Ok((roots, Cholesky::new(matrix, 1.0)?))
    }

    /// The coefficients a after a full Newton step: b − W^½B⁻¹W^½Kb with b = Wf + ∇.
    fn newton<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        f: &[f64],
        roots: &[T],
        factor: &Cholesky<T>,
    ) -> Result<Mat<T>, Error> {
        let mut b = zeros::<T>(f.len(), 1)?;
        for (i, &f) in f.iter().enumerate() {
            let (gradient, w) = self.slopes(i, f);
            b[(i, 0)] = T::from_f64(w * f + gradient);
        }
        let mut v = times(k, &b)?;
        scale(&mut v, roots);
        factor.solve_in_place(v.as_mut());
        scale(&mut v, roots);
        Ok(b - v)
    }

    /// Backtracking line search: returns the first of the points target, (target + a)/2, … with an
    /// objective not below that of `start`, or `start` itself if there is none.
    fn line<T: Scalar>(
        &self,
        k: MatRef<'_, T>,
        mut target: Mat<T>,
        start: Iterate<T>,
    ) -> Result<Iterate<T>, Error> {
        let half = T::from_f64(0.5);
        for _ in 0..tolerance::MOST_HALVINGS {
            let f: Vec<f64> = times(k, &target)?.col(0).iter().map(|f| f.to_f64()).collect();
            let objective = self.objective(&target, &f);
            if objective >= start.objective {
                return Ok(Iterate { f, a: target, objective });
            }
            for i in 0..target.nrows() {
                target[(i, 0)] = half * (target[(i, 0)] + start.a[(i, 0)]);
            }
        }
        Ok(start)
    }
}

/// The product KV.
fn times<T: Scalar>(k: MatRef<'_, T>, v: &Mat<T>) -> Result<Mat<T>, Error> {
    let mut out = zeros(k.nrows(), v.ncols())?;
    matmul(out.as_mut(), Accum::Replace, k, v.as_ref(), T::ONE);
    Ok(out)
}

fn scale<T: Scalar>(v: &mut Mat<T>, roots: &[T]) {
    v.col_as_slice_mut(0).iter_mut().zip(roots).for_each(|(v, &root)| *v *= root);
}
