//! Variational lower bound of Titsias, and an upper bound: the log likelihood of many points is
//! bounded by means of a few landmarks (inducing points).
//!
//! The Gram matrix K is replaced by Q = K(X, Z)K(Z, Z)⁻¹K(Z, X), and the trace of K − Q is
//! subtracted as a penalty, which makes the result a lower bound. Parameters that maximise it do
//! not overfit to the approximation, and more landmarks can only improve it.
//!
//! Notation: Z are m landmarks, k columns of K(Z, X), LLᵀ = K(Z, Z) + εI, w = L⁻¹k, Q = WᵀW ≼ K; β
//! are the weights, s = σ² is the noise variance, A = WBWᵀ, c = WBy, τ = ΣβᵢKᵢᵢ; M = I + A/s and
//! b = M⁻¹c.
//!
//! # References
//! Titsias (2009), *Variational Learning of Inducing Variables in Sparse Gaussian Processes*.

use crate::design::Design;
use crate::model::{KernelExpansion, Regression};
use crate::{Data, Error, Run};
use faer::{ColRef, Mat, MatMut, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::memory::{LargeMat, converted};
use kern_core::products::{solve_lower, solve_upper};
use kern_core::{FeatureMap, Kernel, Mercer, Points, Positive, Scalar, Scratch, Tile};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zeros};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::ops::Range;

/// The number that is added to the Gram matrix of landmarks of a Gaussian process, relative to the mean of its diagonal: enough for a
/// Cholesky factor of some thousand near-dependent landmarks.
const LANDMARK_JITTER: f64 = 1e-10;
/// And in single precision.
const LANDMARK_JITTER_SINGLE: f64 = 1e-4;

/// Points whose features are computed together; the packed operands of a tile take memory besides.
const BLOCK: usize = 128;

/// Lower and upper bounds of the log marginal likelihood of many points, computed from a few
/// landmarks.
///
/// # Definition
/// With landmarks Z, the part Q = K(X, Z)K(Z, Z)⁻¹K(Z, X) of K, τ = Σβᵢ(Kᵢᵢ − Qᵢᵢ) and noise
/// variance σ², they are ln N(y | 0, Q + σ²B⁻¹) − τ/2σ² and, as no eigenvalue of B^½(K − Q)B^½ is
/// larger than τ, −½ ln|2π(Q + σ²B⁻¹)| − ½yᵀB^½(B^½QB^½ + (τ + σ²)I)⁻¹B^½y, summed over outputs.
/// They are equal where the landmarks span all points.
///
/// # References
/// Titsias (2009), *Variational Learning of Inducing Variables in Sparse Gaussian Processes*, (9);
/// Titsias (2014), *Variational Inference for Gaussian and Determinantal Point Processes*.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LikelihoodBounds {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl LikelihoodBounds {
    /// The equal bounds of an exact log likelihood.
    pub(super) const fn exact(value: f64) -> Self {
        Self { lower: value, upper: value }
    }

    /// Fails unless the bounds are finite and in order.
    pub(super) fn check(self) -> Result<(), Error> {
        let Self { lower, upper } = self;
        for given in [lower, upper, upper - lower] {
            if !given.is_finite() {
                return Err(Error::Range { what: "the likelihood", given });
            }
        }
        match upper < lower {
            true => Err(Error::Range {
                what: "the gap of bounds of the likelihood",
                given: upper - lower,
            }),
            false => Ok(()),
        }
    }
}

/// Bounds of the log marginal likelihood of the targets under a Gaussian process with this kernel
/// and noise variance σ², computed from landmarks.
///
/// # Complexity
/// 2nm² flops for m landmarks, and memory for O(m²) values.
///
/// # Errors
/// [`Error::Core`] unless σ² is positive and finite, and if the kernel rejects the points;
/// [`Error::Empty`] without landmarks; [`Error::Gram`] if a kernel value is non-finite or the
/// memory of the run is exceeded; [`Error::NotPositiveDefinite`]; [`Error::Range`] for a non-finite
/// bound.
///
/// # Examples
/// ```
/// use kern_core::{Points, Samples, kernels::Rbf};
/// use kern_solvers::gaussian_process::{likelihood_bounds, log_likelihood};
/// use kern_solvers::{Data, Run};
/// let rows: Vec<[f64; 1]> = (0..100).map(|i| [0.05 * f64::from(i)]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| x.sin()).collect();
/// let x = Samples::from_rows(&rows)?;
/// let (data, kernel, run) = (Data::new(&x, &y)?, Rbf::new(1.0)?, Run::new());
/// let landmarks = x.select(&[0, 20, 40, 60, 80, 99])?;
/// let bounds = likelihood_bounds(&kernel, 0.01, &landmarks, &data, &run)?;
/// let exact = log_likelihood(&kernel, 0.01, &data, &run)?.value;
/// assert!(bounds.lower < exact && exact < bounds.upper);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
pub fn likelihood_bounds<P, Y, K>(
    kernel: &K,
    noise: f64,
    landmarks: &P,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
) -> Result<LikelihoodBounds, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P>,
{
    with_sparse(kernel, noise, landmarks, data, run, |sparse| {
        let bounds = sparse.bounds(&sparse.gather(kernel, noise)?)?;
        bounds.check()?;
        Ok(bounds)
    })
}

/// Checks points and landmarks, and calls `work` with them.
pub(super) fn with_sparse<P, Y, K, R>(
    kernel: &K,
    noise: f64,
    landmarks: &P,
    data: &Data<'_, P, Y>,
    run: &Run<'_>,
    work: impl FnOnce(&Sparse<'_, '_, P>) -> Result<R, Error>,
) -> Result<R, Error>
where
    P: Points,
    Y: Regression<Scalar = P::Scalar>,
    K: Mercer<P>,
{
    Positive::new("noise", noise)?;
    if landmarks.is_empty() {
        return Err(Error::Empty);
    }
    landmarks.check_compatible(data.points())?;
    kernel.check(landmarks)?;
    kernel.check(data.points())?;
    let weights = data.sample_weights().map(<[f64]>::to_vec);
    let design = Design::new((), data.points(), weights, false)?;
    let y = data.targets().matrix();
    let budget = panel_budget::<P>(design.points().len(), landmarks.len(), y.ncols(), run)?;
    work(&Sparse::new(&design, landmarks, y, budget)?)
}

/// The memory of a run that is left for panels of features, besides everything that depends on
/// landmarks.
pub(super) fn panel_budget<P: Points>(
    n: usize,
    m: usize,
    outputs: usize,
    run: &Run<'_>,
) -> Result<MemoryBudget, Error> {
    // The factor and the adjoints in both precisions; sums over points are counted separately.
    // Targets are stored twice.
    let matrices =
        matrix_bytes::<f64>(m, m.saturating_mul(7).saturating_add(outputs.saturating_mul(8)));
    let needed = matrices.saturating_add(matrix_bytes::<P::Scalar>(n, outputs.saturating_mul(3)));
    let (budget, sums) = (run.budget(), NormalEquations::bytes(m, outputs));
    let instead = "use fewer landmarks";
    budget.require("a Gaussian process on landmarks", needed.saturating_add(sums), instead)?;
    // Panels are allocated in every evaluation; large ones are not faster.
    let (rest, smallest) =
        (budget.as_bytes() - needed, NormalEquations::streaming_bytes::<P::Scalar>(m, outputs, n));
    Ok(MemoryBudget::bytes(rest.min(smallest.max(rest / 8))))
}

/// Points with their targets, and the landmarks.
pub(super) struct Sparse<'d, 'a, P: Points> {
    pub(super) design: &'d Design<'a, P, ()>,
    pub(super) landmarks: &'d P,
    /// Targets of the points of positive weight.
    pub(super) targets: Mat<P::Scalar>,
    weights: Option<Vec<f64>>,
    budget: MemoryBudget,
}

/// Sums over all points for one kernel, and the factor of M for one noise variance.
pub(super) struct Known<'l, P: Points, K> {
    pub(super) map: Whitened<'l, P, K>,
    sums: NormalEquations,
    /// τ.
    trace: f64,
    pub(super) noise: f64,
    /// The factor of M.
    pub(super) factor: Cholesky<f64>,
    /// b, m × outputs.
    pub(super) b: Mat<f64>,
}

impl<'d, 'a, P: Points> Sparse<'d, 'a, P> {
    pub(super) fn new(
        design: &'d Design<'a, P, ()>,
        landmarks: &'d P,
        y: MatRef<'_, P::Scalar>,
        budget: MemoryBudget,
    ) -> Result<Self, Error> {
        let mut targets = zeros(design.points().len(), y.ncols())?;
        for k in 0..y.ncols() {
            let column = targets.col_as_slice_mut(k).iter_mut().enumerate();
            column.for_each(|(i, target)| *target = y[(design.index(i), k)]);
        }
        Ok(Self { design, landmarks, targets, weights: design.weights(), budget })
    }

    fn observed(&self) -> Observed<'_, P::Scalar> {
        Observed::weighted(self.targets.as_ref(), self.weights.as_deref())
    }

    /// Computes the sums over all points for this kernel and this σ².
    pub(super) fn gather<'k, K: Kernel<P>>(
        &'k self,
        kernel: &'k K,
        noise: f64,
    ) -> Result<Known<'k, P, K>, Error> {
        let (points, m) = (self.design.points(), self.landmarks.len());
        let map = Whitened::new(kernel, self.landmarks)?;
        let outputs = self.targets.ncols();
        let mut sums =
            NormalEquations::new(m, outputs, Fingerprint::of("landmarks")?, &self.budget)?;
        sums.absorb(&map, points, &self.observed(), &self.budget)?;
        let diagonal = |i| self.design.weight(i) * kernel.diag(points, i).to_f64();
        let trace = (0..points.len()).map(diagonal).sum();
        let factor = shifted(&sums, 1.0, 1.0 / noise)?;
        let mut b = zeros(m, outputs)?;
        b.copy_from(sums.moments().subcols(1, outputs));
        factor.solve_in_place(b.as_mut());
        Ok(Known { map, sums, trace, noise, factor, b })
    }

    /// Σ ln βᵢ.
    fn log_weights(&self) -> f64 {
        self.weights.iter().flatten().map(|weight| weight.ln()).sum()
    }

    /// The lower bound of the log likelihood, summed over outputs:
    /// −(n/2) ln 2πs + ½ ln|B| − ½ ln|M| − yᵀBy/2s + cᵀb/2s² − (τ − tr A)/2s.
    pub(super) fn lower<K>(&self, known: &Known<'_, P, K>) -> f64 {
        let (s, unknown, normaliser) = (known.noise, known.unknown(), self.normaliser(known));
        let of_output = |k: usize| {
            let (energy, c) = known.of_output(k);
            0.5 * (normaliser - (energy - dot(c, known.b.col(k)) / s + unknown) / s)
        };
        (0..known.b.ncols()).map(of_output).sum()
    }

    /// Both bounds. With t = s + τ − tr A the upper one is
    /// −(n/2) ln 2πs + ½ ln|B| − ½ ln|M| − (yᵀBy − cᵀ(tI + A)⁻¹c)/2t.
    pub(super) fn bounds<K>(&self, known: &Known<'_, P, K>) -> Result<LikelihoodBounds, Error> {
        let (lower, normaliser) = (self.lower(known), self.normaliser(known));
        let t = known.noise + known.unknown();
        let outputs = known.b.ncols();
        let mut solved = zeros(known.b.nrows(), outputs)?;
        solved.copy_from(known.sums.moments().subcols(1, outputs));
        shifted(&known.sums, t, 1.0)?.solve_in_place(solved.as_mut());
        let of_output = |k: usize| {
            let (energy, c) = known.of_output(k);
            0.5 * (normaliser - (energy - dot(c, solved.col(k))) / t)
        };
        let upper: f64 = (0..outputs).map(of_output).sum();
        // The bounds are equal where the landmarks span all points, up to rounding.
        Ok(LikelihoodBounds { lower, upper: upper.max(lower) })
    }

    /// −n ln 2πs + ln|B| − ln|M|.
    fn normaliser<K>(&self, known: &Known<'_, P, K>) -> f64 {
        let n = self.design.points().len() as f64;
        self.log_weights() - n * (TAU * known.noise).ln() - known.factor.log_determinant()
    }
}

impl<P: Points, K> Known<'_, P, K> {
    /// τ − tr A, the weighted trace of K − Q, at least 0.
    pub(super) fn unknown(&self) -> f64 {
        let gram = self.sums.gram();
        let known: f64 = (0..gram.nrows()).map(|i| gram[(i, i)]).sum();
        (self.trace - known).max(0.0)
    }

    /// An entry of A/s.
    pub(super) fn scaled_gram(&self, i: usize, j: usize) -> f64 {
        self.sums.gram()[(i.max(j), i.min(j))] / self.noise
    }

    /// yᵀBy and c of an output.
    pub(super) fn of_output(&self, k: usize) -> (f64, ColRef<'_, f64>) {
        (self.sums.target_moments()[(k, 1)], self.sums.moments().col(1 + k))
    }

    /// The coefficients L⁻ᵀb/s of the mean in kernel values with the landmarks.
    pub(super) fn coefficients(&self) -> Result<Mat<P::Scalar>, Error> {
        let mut c = self.b.clone();
        c.col_iter_mut().for_each(|c| c.iter_mut().for_each(|c| *c /= self.noise));
        solve_upper(self.map.factor.lower(), c.as_mut());
        Ok(converted(c.as_ref())?)
    }
}

/// The Cholesky factor of shift·I + scale·A.
fn shifted(sums: &NormalEquations, shift: f64, scale: f64) -> Result<Cholesky<f64>, Error> {
    let m = sums.dim();
    let (gram, mut matrix) = (sums.gram(), LargeMat::zeros(m, m)?);
    let mut out = matrix.as_mut();
    for j in 0..m {
        (j..m).for_each(|i| out[(i, j)] = scale * gram[(i, j)]);
    }
    Ok(Cholesky::new(matrix, shift)?)
}

/// uᵀv.
pub(super) fn dot(u: ColRef<'_, f64>, v: ColRef<'_, f64>) -> f64 {
    u.iter().zip(v.iter()).map(|(u, v)| u * v).sum()
}

/// The features L⁻¹K(Z, x) of landmarks Z with K(Z, Z) + εI = LLᵀ. Q ≼ K for their Gram matrix Q.
pub(super) struct Whitened<'l, P: Points, K> {
    kernel: &'l K,
    landmarks: &'l P,
    /// L in double precision.
    pub(super) factor: Cholesky<f64>,
    /// L for features, zero above the diagonal.
    lower: Mat<P::Scalar>,
}

/// ε relative to the mean of the diagonal of K(Z, Z).
pub(super) const fn jitter<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { LANDMARK_JITTER } else { LANDMARK_JITTER_SINGLE }
}

impl<'l, P: Points, K: Kernel<P>> Whitened<'l, P, K> {
    fn new(kernel: &'l K, landmarks: &'l P) -> Result<Self, Error> {
        let m = landmarks.len();
        let mut gram: Mat<P::Scalar> = zeros(m, m)?;
        DenseGram::fill(kernel, landmarks, gram.as_mut())?;
        let mut wide = LargeMat::zeros(m, m)?;
        let mut out = wide.as_mut();
        for j in 0..m {
            let values = gram.col_as_slice(j)[j..].iter();
            values.enumerate().for_each(|(i, value)| out[(j + i, j)] = value.to_f64());
        }
        let mean = (0..m).map(|i| out[(i, i)]).sum::<f64>() / m as f64;
        let factor = Cholesky::new(wide, jitter::<P::Scalar>() * mean)?;
        let mut lower: Mat<P::Scalar> = converted(factor.lower())?;
        (1..m).for_each(|j| lower.col_as_slice_mut(j)[..j].fill(P::Scalar::ZERO));
        Ok(Self { kernel, landmarks, factor, lower })
    }

    /// The function Σ cⱼK(zⱼ, x) of all landmarks, also those with zero coefficients, because the
    /// factors cover all landmarks.
    pub(super) fn expansion(&self, c: Mat<P::Scalar>) -> Result<KernelExpansion<P, K>, Error>
    where
        K: Clone,
    {
        KernelExpansion::of_all(self.kernel.clone(), self.landmarks, c)
    }
}

impl<P: Points, K: Kernel<P>> FeatureMap<P> for Whitened<'_, P, K> {
    fn dim(&self) -> usize {
        self.landmarks.len()
    }

    fn transform_into(
        &self,
        points: &P,
        range: Range<usize>,
        mut out: MatMut<'_, P::Scalar>,
        scratch: &mut Scratch<P::Scalar>,
    ) {
        for start in range.clone().step_by(BLOCK) {
            let here = start..range.end.min(start + BLOCK);
            let mut out = out.as_mut().subcols_mut(start - range.start, here.len());
            let tile = Tile::new(self.landmarks, 0..self.dim(), points, here);
            self.kernel.block(&tile, out.as_mut(), scratch);
            solve_lower(self.lower.as_ref(), out);
        }
    }

    fn check(&self, points: &P) -> Result<(), kern_core::Error> {
        self.landmarks.check_compatible(points)?;
        self.kernel.check(points)
    }
}
