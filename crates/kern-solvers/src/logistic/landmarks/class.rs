//! A class against the rest on landmarks: its passes and its steps.

use crate::Error;
use crate::logistic::fit::Labelled;
use crate::logistic::primal::{Place, Primal};
use crate::tolerance::MOST_CG_ITERATIONS;
use faer::{Mat, MatRef};
use kern_approx::NystromMap;
use kern_approx::landmarks::passes::{Pass, Passes};
use kern_approx::landmarks::preconditioner::{Shape, factor};
use kern_approx::landmarks::whitening::Whitening;
use kern_approx::statistics::{Moments, Observed};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::arithmetic::add;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::numerics::conjugate::{Conjugate, Operator};
use kern_gram::numerics::sigmoid::{sigmoid, softplus};
use kern_gram::{MemoryBudget, zero_vec, zeros};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The common part of the problems of all classes.
pub(super) struct Shared<'a, P: Points, K> {
    pub(super) map: &'a NystromMap<P, K>,
    pub(super) labelled: &'a Labelled<'a, P>,
    pub(super) passes: Passes<'a, P::Scalar>,
    pub(super) whitening: Whitening,
    /// The points that make the preconditioner.
    pub(super) sampled: Vec<usize>,
    /// The memory that the preconditioner may take.
    pub(super) budget: MemoryBudget,
}

/// A class against the rest.
pub(super) struct AgainstTheRest<'a, P: Points, K> {
    pub(super) shared: &'a Shared<'a, P, K>,
    pub(super) signs: Mat<P::Scalar>,
}

/// The findings of a pass.
pub(super) struct Found {
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
        // Each is written by the one thread that has the point.
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
        (lambda, accuracy): (f64, f64),
    ) -> Result<Place, Error> {
        let factor = self.preconditioner(found, lambda)?;
        let moments = self.moments(found);
        let mut residual = moments.residual(&at.w, lambda)?;
        residual.col_as_slice_mut(0).iter_mut().for_each(|r| *r = -*r);
        let mean = moments.mean();
        let product = |v: &Mat<f64>| self.product(v, &found.curvature, (&mean, lambda));
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

    /// The factor of H of the sampled points.
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
        (mean, lambda): (&[f64], f64),
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
