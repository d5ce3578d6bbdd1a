//! Bounds of the likelihood of many points, by what a few landmarks know of them, with the gradient of the lower one.
//!
//! Notation: Z are m landmarks, k columns of K(Z, X), LLᵀ = K(Z, Z) + εI, w = L⁻¹k, Q = WᵀW ≼ K; β are weights, s = σ² is the
//! noise, A = WBWᵀ, c = WBy, τ = ΣβᵢKᵢᵢ; M = I + A/s and b = M⁻¹c.

use super::map::Whitened;
use crate::Error;
use crate::design::Design;
use faer::{ColRef, Mat, MatRef};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_core::memory::{LargeMat, converted};
use kern_core::products::solve_upper;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Points with their targets, and the landmarks.
pub(super) struct Sparse<'d, 'a, P: Points> {
    pub(super) design: &'d Design<'a, P, ()>,
    pub(super) landmarks: &'d P,
    /// Targets of the points that are used.
    pub(super) targets: Mat<P::Scalar>,
    weights: Option<Vec<f64>>,
    budget: MemoryBudget,
}

/// Sums over all points for one kernel, and M's factor for one noise.
pub(super) struct Known<'l, P: Points, K> {
    pub(super) map: Whitened<'l, P, K>,
    sums: NormalEquations,
    /// τ.
    trace: f64,
    pub(super) noise: f64,
    /// Of M.
    pub(super) factor: Cholesky<f64>,
    /// b, m × outputs.
    pub(super) b: Mat<f64>,
}

/// Two numbers with the logarithm of a likelihood between them: of many points, by what a few landmarks know of them.
///
/// # Definition
/// With landmarks Z, the part Q = K(X, Z)K(Z, Z)⁻¹K(Z, X) of K, τ = Σβᵢ(Kᵢᵢ − Qᵢᵢ) and noise of variance σ², they are
/// ln N(y | 0, Q + σ²B⁻¹) − τ/2σ² and, as no eigenvalue of B^½(K − Q)B^½ is greater than τ,
/// −½ ln|2π(Q + σ²B⁻¹)| − ½yᵀB^½(B^½QB^½ + (τ + σ²)I)⁻¹B^½y, summed over outputs. They meet where the landmarks span all points.
///
/// # References
/// Titsias (2009), *Variational Learning of Inducing Variables in Sparse Gaussian Processes*, (9); Titsias (2014),
/// *Variational Inference for Gaussian and Determinantal Point Processes*.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikelihoodBounds {
    /// The lower one.
    pub lower: f64,
    /// The upper one.
    pub upper: f64,
}

impl LikelihoodBounds {
    /// The bounds of a likelihood that is known.
    pub(in crate::gaussian_process) const fn exact(value: f64) -> Self {
        Self { lower: value, upper: value }
    }

    /// Refuses bounds that are none.
    pub(in crate::gaussian_process) fn check(self) -> Result<(), Error> {
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

impl<'d, 'a, P: Points> Sparse<'d, 'a, P> {
    pub(super) fn new(
        (design, landmarks): (&'d Design<'a, P, ()>, &'d P),
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
        let observed = Observed::new(self.targets.as_ref());
        self.weights.as_ref().map_or(observed, |weights| observed.weights(weights))
    }

    /// The sums over all points with this kernel and this σ².
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

    /// The bound of the likelihood from below, summed over outputs:
    /// −(n/2) ln 2πs + ½ ln|B| − ½ ln|M| − yᵀBy/2s + cᵀb/2s² − (τ − tr A)/2s.
    pub(super) fn lower<K>(&self, known: &Known<'_, P, K>) -> f64 {
        let (s, unknown, normaliser) = (known.noise, known.unknown(), self.normaliser(known));
        let of_output = |k: usize| {
            let (energy, c) = known.of_output(k);
            0.5 * (normaliser - (energy - dot(c, known.b.col(k)) / s + unknown) / s)
        };
        (0..known.b.ncols()).map(of_output).sum()
    }

    /// Both bounds; that from above is, with t = s + τ − tr A,
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
        // They meet where the landmarks leave nothing unknown.
        Ok(LikelihoodBounds { lower, upper: upper.max(lower) })
    }

    /// −n ln 2πs + ln|B| − ln|M|.
    fn normaliser<K>(&self, known: &Known<'_, P, K>) -> f64 {
        let n = self.design.points().len() as f64;
        self.log_weights() - n * (TAU * known.noise).ln() - known.factor.log_determinant()
    }
}

impl<P: Points, K> Known<'_, P, K> {
    /// τ − tr A: what the landmarks leave unknown of K's diagonal.
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

    /// L⁻ᵀb/s, the coefficients of the mean in kernel values with the landmarks.
    pub(super) fn coefficients(&self) -> Result<Mat<P::Scalar>, Error> {
        let mut c = self.b.clone();
        c.col_iter_mut().for_each(|c| c.iter_mut().for_each(|c| *c /= self.noise));
        solve_upper(self.map.factor.lower(), c.as_mut());
        Ok(converted(c.as_ref())?)
    }
}

/// The factor of shift·I + scale·A.
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
