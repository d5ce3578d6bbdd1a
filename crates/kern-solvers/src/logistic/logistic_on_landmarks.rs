//! Logistic regression on landmarks by Newton's method with preconditioned conjugate gradients.
//!
//! # Definition
//! f(x) = b + Σⱼ cⱼK(x, xⱼ) over m landmarks minimises J = (1/n) Σᵢ βᵢ
//! ln(1 + exp(−yᵢf(xᵢ))) + (λ/2)‖f − b‖². With the Nyström features z = Rᵀk of the landmarks
//! (RRᵀ = K_mm⁻¹, c = Rw) this is logistic regression on features, with the same certificate. More
//! than two classes are learned each against the rest.
//!
//! # Method
//! H = Z diag(h) Zᵀ − (Zh)(Zh)ᵀ/s + nλI is never formed: a product with it is one pass over the
//! kernel values between landmarks and points. They are stored if the budget allows, and otherwise
//! recomputed in every pass. The preconditioner is the Cholesky factor of the same matrix for
//! sampled points, with the h of each step. The penalty decreases by a factor of ten from step to
//! step, down to λ, where the iteration continues until it has converged. So no step starts far
//! from the minimum of its penalty.
//!
//! # References
//! Marteau-Ferey, Bach & Rudi (2019), *Globally Convergent Newton Methods for Ill-conditioned
//! Generalized Self-concordant Losses*, §4 (Falkon-GSC).

use super::logistic_regression::{Labelled, LogisticSpace, one_by_one};
use super::primal_newton::{Place, Primal, PrimalNewton};
use crate::model::KernelExpansion;
use crate::space::OnLandmarks;
use crate::tolerance::MOST_CG_ITERATIONS;
use crate::{Error, Report, Run};
use faer::{Mat, MatRef};
use kern_approx::NystromMap;
use kern_approx::landmarks::falkon_preconditioner::{self, Shape, factor, sample};
use kern_approx::landmarks::passes::{Pass, Passes};
use kern_approx::statistics::{Moments, NormalEquations, Observed};
use kern_core::feature_map::Fold;
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scalar};
use kern_gram::numerics::arithmetic::add;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::numerics::conjugate_gradients::{Conjugate, Operator};
use kern_gram::numerics::sigmoid::{sigmoid, softplus};
use kern_gram::{MemoryBudget, matrix_bytes, zero_vec, zeros};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The penalty that a logistic problem on landmarks starts with: for kernels with unit diagonal the Hessian matrix is
/// at most ¼ + λ, and Newton's method is at home.
const FIRST_LAMBDA: f64 = 0.1;

/// Sampled points per feature.
const SAMPLED: usize = 4;

impl<P: Points, K: Mercer<P> + Clone> LogisticSpace<P> for OnLandmarks<K> {
    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let Labelled { options, goal, points, .. } = *labelled;
        let (n, outputs, budget) = (points.len(), labelled.outputs(), run.budget());
        let map = self.features(points, labelled.weights, run)?;
        let dim = map.dim();
        let size = options.sampled.unwrap_or_else(|| dim.saturating_mul(SAMPLED)).min(n);
        let (lasting, passing) = bytes(&map, outputs, n, size);
        let needed = lasting.saturating_add(passing);
        budget.require("logistic regression on landmarks", needed, "use fewer landmarks")?;
        let for_passes = MemoryBudget::bytes(budget.as_bytes() - needed);
        let mut passes = Passes::of_kernel(map.kernel(), map.landmarks(), points);
        passes.keep_within(&for_passes)?;
        let shared = Shared {
            map: &map,
            labelled,
            passes,
            whitening: Fold::of(&map)?,
            sampled: sample(n, size, options.seed),
            // The budget of the preconditioner does not include its sums.
            budget: MemoryBudget::bytes(passing - NormalEquations::bytes(dim, 1)),
        };
        let (places, report) = one_by_one(outputs, goal, run, |output, goal, run| {
            let class = AgainstTheRest { shared: &shared, signs: labelled.signs(output)? };
            PrimalNewton { problem: &class, goal, first_lambda: FIRST_LAMBDA }.minimise(dim, run)
        })?;
        let mut coefficients = zeros(map.landmarks().len(), outputs)?;
        for (k, place) in places.iter().enumerate() {
            let w = MatRef::from_column_major_slice(&place.w, dim, 1);
            let column = shared.whitening.coefficients::<P::Scalar>(w)?;
            coefficients.col_mut(k).copy_from(column.col(0));
        }
        let intercepts = places.iter().map(|place| P::Scalar::from_f64(place.b)).collect();
        let kernel = map.kernel().clone();
        let function = KernelExpansion::new(kernel, map.landmarks(), coefficients.as_ref())?;
        Ok((function.with_intercepts(intercepts), report))
    }
}

/// The memory used during the whole iteration, and that of a preconditioner while it is computed
/// and used.
fn bytes<P: Points, K: Kernel<P>>(
    map: &NystromMap<P, K>,
    outputs: usize,
    n: usize,
    size: usize,
) -> (u64, u64) {
    let (m, dim) = (map.landmarks().len(), map.dim());
    // The vectors of a group of points in every pass, and of the iteration.
    let vectors = matrix_bytes::<f64>(m, outputs.saturating_add(200));
    let of_points = matrix_bytes::<f64>(n, 6);
    // The root of the map, and one in double precision.
    let roots = matrix_bytes::<f64>(m, dim).saturating_add(matrix_bytes::<P::Scalar>(m, dim));
    let passing = falkon_preconditioner::bytes::<P::Scalar>(dim, size)
        .saturating_add(NormalEquations::bytes(dim, 1));
    (roots.saturating_add(vectors).saturating_add(of_points), passing)
}

/// The part that the problems of all classes share.
struct Shared<'a, P: Points, K> {
    map: &'a NystromMap<P, K>,
    labelled: &'a Labelled<'a, P>,
    passes: Passes<'a, P::Scalar>,
    whitening: Fold<Mat<f64>>,
    /// The points sampled for the preconditioner.
    sampled: Vec<usize>,
    /// The memory that the preconditioner may take.
    budget: MemoryBudget,
}

/// A class against the rest.
struct AgainstTheRest<'a, P: Points, K> {
    shared: &'a Shared<'a, P, K>,
    signs: Mat<P::Scalar>,
}

/// The sums of a pass.
struct Found {
    count: f64,
    loss: f64,
    sums: [f64; 2],
    moments: Mat<f64>,
    /// hᵢ.
    curvature: Vec<f64>,
}

impl<P: Points, K: Kernel<P> + Clone> Primal for AgainstTheRest<'_, P, K> {
    type Sums = Found;

    fn round(&self, at: &mut Place) {
        at.b = P::Scalar::from_f64(at.b).to_f64();
    }

    fn evaluate(&self, at: &Place) -> Result<Found, Error> {
        let n = self.signs.nrows();
        let w = MatRef::from_column_major_slice(&at.w, at.w.len(), 1);
        let coefficients = self.shared.whitening.coefficients::<P::Scalar>(w)?;
        // Each slot is written only by the thread that has its point.
        let mut slots = Vec::new();
        slots
            .try_reserve_exact(n)
            .map_err(|_| kern_core::Error::Allocation { bytes: 8 * n as u64 })?;
        slots.extend((0..n).map(|_| AtomicU64::new(0)));
        let pass = Pass {
            coefficients: coefficients.as_ref(),
            columns: 2,
            scalars: 3,
            middle: &|range, t, mut out, scalars| {
                for (row, i) in range.enumerate() {
                    let (weight, y) = (self.weight(i), self.signs[(i, 0)].to_f64());
                    let f = t[(row, 0)].to_f64() + at.b;
                    let (wrong, right) = sigmoid(-y * f);
                    let (g, h) = (-weight * y * wrong, weight * wrong * right);
                    scalars[0] += weight * softplus(-y * f);
                    scalars[1] += g;
                    scalars[2] += h;
                    slots[i].store(h.to_bits(), Relaxed);
                    (out[(row, 0)], out[(row, 1)]) =
                        (P::Scalar::from_f64(g), P::Scalar::from_f64(h));
                }
            },
        };
        let sums = self.shared.passes.run(&pass)?;
        let moments = self.shared.whitening.features(sums.products)?;
        let mut curvature = zero_vec(n)?;
        curvature
            .iter_mut()
            .zip(slots)
            .for_each(|(h, slot)| *h = f64::from_bits(slot.into_inner()));
        let [loss, rho, s] = [0, 1, 2].map(|k| sums.scalars[k]);
        Ok(Found { count: n as f64, loss, sums: [rho, s], moments, curvature })
    }

    fn moments<'s>(&self, found: &'s Found) -> Moments<'s> {
        let Found { count, loss, sums, .. } = *found;
        let intercept = self.shared.labelled.options.intercept;
        Moments { count, loss, sums, moments: found.moments.as_ref(), intercept }
    }

    fn step(
        &self,
        at: &Place,
        found: &mut Found,
        lambda: f64,
        accuracy: f64,
    ) -> Result<Place, Error> {
        let factor = self.preconditioner(found, lambda)?;
        let moments = self.moments(found);
        let mut residual = moments.residual(&at.w, lambda)?;
        residual.col_as_slice_mut(0).iter_mut().for_each(|r| *r = -*r);
        let mean = moments.mean();
        let product = |v: &Mat<f64>| self.product(v, &found.curvature, &mean, lambda);
        let precondition = |mut v: Mat<f64>| {
            factor.solve_in_place(v.as_mut());
            Ok(v)
        };
        let operator = Operator { product: &product, precondition: &precondition };
        let mut iterates = Conjugate::new(residual)?;
        iterates.reduce(&operator, MOST_CG_ITERATIONS, accuracy * accuracy)?;
        let w = iterates.solution().col_as_slice(0).to_vec();
        let b = moments.offset_of(&w);
        Ok(Place { w, b })
    }
}

impl<P: Points, K: Kernel<P> + Clone> AgainstTheRest<'_, P, K> {
    /// βᵢ.
    fn weight(&self, i: usize) -> f64 {
        self.shared.labelled.weights.map_or(1.0, |weights| weights[i])
    }

    /// The Cholesky factor of H for the sampled points.
    fn preconditioner(&self, found: &Found, lambda: f64) -> Result<Cholesky<f64>, Error> {
        let targets = zeros::<P::Scalar>(found.curvature.len(), 1)?;
        let observed = Observed::new(targets.as_ref()).weights(&found.curvature);
        let Shared { map, labelled, sampled, budget, .. } = self.shared;
        let shape = Shape { lambda, intercept: labelled.options.intercept };
        Ok(factor(*map, labelled.points, &observed, sampled, shape, budget)?)
    }

    /// Hv; `mean` is Zh/s.
    fn product(
        &self,
        v: &Mat<f64>,
        curvature: &[f64],
        mean: &[f64],
        lambda: f64,
    ) -> Result<Mat<f64>, Error> {
        let coefficients = self.shared.whitening.coefficients::<P::Scalar>(v.as_ref())?;
        let offset: f64 = mean.iter().zip(v.col_as_slice(0)).map(|(m, v)| m * v).sum();
        let pass = Pass {
            coefficients: coefficients.as_ref(),
            columns: 1,
            scalars: 0,
            middle: &|range, t, mut out, _| {
                for (row, i) in range.enumerate() {
                    out[(row, 0)] =
                        P::Scalar::from_f64(curvature[i] * (t[(row, 0)].to_f64() - offset));
                }
            },
        };
        let mut out = self.shared.whitening.features(self.shared.passes.run(&pass)?.products)?;
        let shift = curvature.len() as f64 * lambda;
        add(&mut out, shift, v.as_ref());
        Ok(out)
    }
}
