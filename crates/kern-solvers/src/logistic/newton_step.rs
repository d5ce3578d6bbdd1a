//! The Newton step of logistic regression, iteratively reweighted least squares (IRLS):
//! (nλI + WK)d = −r by conjugate gradients, preconditioned by a Cholesky factor.
//!
//! A = nλI + WK and P = nλI + VK are self-adjoint and positive in the inner product aᵀKb, in which
//! the iteration runs. P⁻¹ = V^½(V^½KV^½ + nλI)⁻¹V^−½.
//!
//! With an intercept W̃ replaces W, and Ṽ = V − vvᵀ/Σv replaces V, output by output: with e = P⁻¹v,
//! z = P⁻¹y − eδ solves (nλI + ṼK)z = y if Σz = Σy/(nλ), which determines δ.
//!
//! # Intercepts
//! The intercepts b are not penalised. With 1 the matrix that repeats b for every point, ρ = 1ᵀg
//! and S = 1ᵀW1 (outputs × outputs), Newton's equations for (α, b) are
//! nλd + W(Kd + 1δ) = −(g + nλα) and 1ᵀW(Kd + 1δ) = −ρ. Elimination of δ = −S⁻¹(ρ + 1ᵀWKd) gives
//!
//! (nλI + W̃K)d = −(g + nλα − W1S⁻¹ρ), W̃ = W − W1S⁻¹1ᵀW.
//!
//! The functions of a multinomial problem can all be shifted by the same constant, S1 = 0; the
//! shift with entries that sum to zero is used.

use super::logistic_loss::Likelihood;
use crate::Error;
use crate::tolerance::MOST_CG_ITERATIONS;
use faer::linalg::solvers::{Ldlt, Solve};
use faer::{Mat, MatMut, MatRef, Side};
use kern_core::Scalar;
use kern_core::memory::LargeMat;
use kern_gram::numerics::arithmetic::{add, inner};
use kern_gram::numerics::cholesky::{Cholesky, scale_lower};
use kern_gram::{DenseGram, GramOperator, zeros};

/// The relative error of products with K that only steer conjugate gradients: far below the accuracy of
/// a Newton step, whose own product is computed.
const STEERING_ERROR: f64 = 1e-5;

/// The least weight in a matrix of weighted ridge regression whose greatest weight is given: √u of it. A
/// point of less curvature has no say in the step, and its weight may be divided by.
fn lowest_weight<T: Scalar>(largest: f64) -> f64 {
    T::UNIT_ROUNDOFF.sqrt() * largest
}

/// The kernel matrix, and the factor of V^½KV^½ + nλI for the last V.
pub(super) struct Solver<'g, T: Scalar> {
    gram: &'g DenseGram<T>,
    /// nλ.
    shift: f64,
    intercept: bool,
    factor: Option<Factor<T>>,
    /// Memory of an earlier factor.
    spare: Option<LargeMat<T>>,
    /// The length of gradient steps along −r, if these replace Newton's.
    length: Option<f64>,
}

/// The right-hand side r, Kr, and the probabilities that W is computed from.
pub(super) struct Equation<'e, T: Scalar> {
    pub(super) r: MatRef<'e, T>,
    pub(super) kr: MatRef<'e, T>,
    pub(super) p: MatRef<'e, T>,
    pub(super) border: &'e Border,
    /// True if r has large components in the null space of K.
    pub(super) strayed: bool,
}

/// d and Kd.
pub(super) struct Step<T: Scalar> {
    pub(super) d: Mat<T>,
    pub(super) kd: Mat<T>,
}

struct Factor<T: Scalar> {
    cholesky: Cholesky<T>,
    /// √V.
    roots: Vec<T>,
    /// e = P⁻¹v and its sum, if there is an intercept.
    border: Option<(Mat<T>, f64)>,
    /// nλ.
    shift: f64,
    /// The number of steps that have used it.
    steps: usize,
    /// The number of iterations that the first of these steps took.
    fresh: usize,
}

/// z = P⁻¹y, and δ.
struct Preconditioned<T: Scalar> {
    z: Mat<T>,
    offsets: Vec<f64>,
}

impl<'g, T: Scalar> Solver<'g, T> {
    pub(super) fn new(gram: &'g DenseGram<T>, shift: f64, intercept: bool) -> Self {
        Self { gram, shift, intercept, factor: None, spare: None, length: None }
    }

    /// The same with steps of gradient descent, 1/L times ∇J = Σrᵢφ(xᵢ)/n, for a Hessian with
    /// respect to f of at most `curvature`: L = λ + ‖K‖·curvature/n. The largest eigenvalue ‖K‖ is
    /// at most the largest absolute sum of a row.
    pub(super) fn descending(self, curvature: f64) -> Self {
        let row = |k: faer::ColRef<'_, T>| k.iter().map(|k| k.to_f64().abs()).sum::<f64>();
        let largest = self.gram.as_mat().col_iter().map(row).fold(0.0, f64::max);
        Self { length: Some(1.0 / (self.shift + curvature * largest)), ..self }
    }

    pub(super) fn gram(&self) -> &'g DenseGram<T> {
        self.gram
    }

    pub(super) fn intercept(&self) -> bool {
        self.intercept
    }

    pub(super) fn shift(&self) -> f64 {
        self.shift
    }

    /// Drops the factor. In the null space of K, which the norm of K ignores, the problem with a
    /// fresh factor has the eigenvalue 1, so the step leaves no residual there.
    pub(super) fn drop_factor(&mut self) {
        if let Some(factor) = self.factor.take() {
            self.spare = Some(factor.cholesky.into_matrix());
        }
    }

    /// Drops a factor of an earlier step, so that the next step is as exact as possible. False if
    /// the last step already was.
    pub(super) fn renew(&mut self) -> bool {
        match self.factor.take_if(|factor| factor.steps > 1) {
            Some(factor) => {
                self.spare = Some(factor.cholesky.into_matrix());
                true
            }
            None => false,
        }
    }

    /// d with a residual of at most `accuracy` times that of d = 0, in the norm of P⁻¹; or, if that
    /// takes more than a bounded number of iterations, a less exact one. J decreases along either.
    pub(super) fn step(
        &mut self,
        likelihood: &dyn Likelihood<T>,
        equation: &Equation<'_, T>,
        accuracy: f64,
    ) -> Result<Step<T>, Error> {
        if let Some(length) = self.length {
            let (n, outputs) = equation.r.shape();
            let mut step = Step { d: zeros(n, outputs)?, kd: zeros(n, outputs)? };
            add(&mut step.d, -length, equation.r);
            add(&mut step.kd, -length, equation.kr);
            return Ok(step);
        }
        let mut factor = match self.factor.take() {
            Some(factor) => factor,
            None => self.factorise(&likelihood.mean_curvature(equation.p))?,
        };
        // For two classes a fresh factor is that of the equation itself.
        let exact = factor.steps == 0 && likelihood.outputs() == 1;
        let accuracy = if exact { f64::INFINITY } else { accuracy };
        let (step, iterations) = self.iterate(&factor, likelihood, equation, accuracy)?;
        factor.steps += 1;
        if factor.steps == 1 {
            factor.fresh = iterations;
        }
        self.keep_or_drop(factor, iterations);
        Ok(step)
    }

    /// Keeps a factor unless it took so many iterations that a new one pays off.
    fn keep_or_drop(&mut self, factor: Factor<T>, iterations: usize) {
        // A factorisation takes n³/3 flops, and an iteration 4n² to 6n² that are bound by memory
        // bandwidth.
        let worth = 4 + self.gram.size() / 400;
        let allowed = worth.max(2 * factor.fresh);
        if iterations <= allowed {
            self.factor = Some(factor);
        } else {
            self.spare = Some(factor.cholesky.into_matrix());
        }
    }

    fn factorise(&mut self, curvature: &[f64]) -> Result<Factor<T>, Error> {
        let n = self.gram.size();
        let floor = lowest_weight::<T>(curvature.iter().copied().fold(0.0, f64::max));
        let root = |&v: &f64| T::from_f64(v.max(floor).sqrt());
        let roots: Vec<T> = curvature.iter().map(root).collect();
        let mut matrix = match self.spare.take() {
            Some(matrix) => matrix,
            None => LargeMat::zeros(n, n)?,
        };
        scale_lower(self.gram.as_mat(), &roots, matrix.as_mut());
        let cholesky = Cholesky::new(matrix, self.shift)?;
        let shift = self.shift;
        let mut factor = Factor { cholesky, roots, border: None, shift, steps: 0, fresh: 0 };
        if self.intercept {
            let weights = Mat::from_fn(n, 1, |i, _| factor.roots[i] * factor.roots[i]);
            let column = factor.precondition(weights.as_ref())?.z;
            let sum = column_sums(column.as_ref())[0];
            factor.border = Some((column, sum));
        }
        Ok(factor)
    }

    fn iterate(
        &self,
        factor: &Factor<T>,
        likelihood: &dyn Likelihood<T>,
        equation: &Equation<'_, T>,
        accuracy: f64,
    ) -> Result<(Step<T>, usize), Error> {
        let mut residual = zeros(equation.r.nrows(), equation.r.ncols())?;
        add(&mut residual, -1.0, equation.r);
        let start = factor.precondition(residual.as_ref())?;
        let mut rho = -inner(equation.kr, start.z.as_ref());
        let mut d = start.z.clone();
        let mut iterations = 1;
        if accuracy.is_finite() {
            let enough = accuracy * accuracy * rho;
            let mut kp = self.image(factor, residual.as_ref(), &start)?;
            let mut p = start.z;
            let mut q = zeros(d.nrows(), d.ncols())?;
            d.fill(T::ZERO);
            loop {
                equation.border.curve(likelihood, equation.p, kp.as_ref(), q.as_mut())?;
                add(&mut q, self.shift, p.as_ref());
                let length = rho / inner(kp.as_ref(), q.as_ref());
                if !length.is_finite() || length <= 0.0 {
                    break;
                }
                add(&mut d, length, p.as_ref());
                add(&mut residual, -length, q.as_ref());
                let z = factor.precondition(residual.as_ref())?;
                let kz = self.image(factor, residual.as_ref(), &z)?;
                let next = inner(residual.as_ref(), kz.as_ref());
                if next <= enough || iterations == MOST_CG_ITERATIONS {
                    if equation.strayed {
                        // The iteration ignores the null space of K, and may increase the residual
                        // there; P⁻¹ removes it, since P and the matrix of the equation are nλ
                        // there.
                        add(&mut d, 1.0, z.z.as_ref());
                    }
                    break;
                }
                scale_and_add(&mut p, next / rho, z.z.as_ref());
                scale_and_add(&mut kp, next / rho, kz.as_ref());
                rho = next;
                iterations += 1;
            }
        }
        let kd = self.gram.apply(d.as_ref())?;
        Ok((Step { d, kd }, iterations))
    }

    /// Kz for z = P⁻¹v: V⁻¹(v − nλz) − δ, which needs no product; a product with K if too much of
    /// this cancels.
    fn image(
        &self,
        factor: &Factor<T>,
        v: MatRef<'_, T>,
        preconditioned: &Preconditioned<T>,
    ) -> Result<Mat<T>, Error> {
        let z = preconditioned.z.as_ref();
        let mut kz = zeros(z.nrows(), z.ncols())?;
        let (mut largest, mut lost) = (0.0_f64, 0.0_f64);
        for (j, offset) in preconditioned.offsets.iter().enumerate() {
            let terms = v.col(j).iter().zip(z.col(j).iter()).zip(&factor.roots);
            for (kz, ((v, z), root)) in kz.col_as_slice_mut(j).iter_mut().zip(terms) {
                let (v, shifted) = (v.to_f64(), self.shift * z.to_f64());
                let weight = root.to_f64() * root.to_f64();
                let value = (v - shifted) / weight - offset;
                largest = largest.max(value.abs());
                lost = lost.max((v.abs() + shifted.abs()) / weight + offset.abs());
                *kz = T::from_f64(value);
            }
        }
        if T::UNIT_ROUNDOFF * lost > STEERING_ERROR * largest {
            self.gram.apply_into(z, kz.as_mut())?;
        }
        Ok(kz)
    }
}

impl<T: Scalar> Factor<T> {
    /// P⁻¹v.
    fn precondition(&self, v: MatRef<'_, T>) -> Result<Preconditioned<T>, Error> {
        let mut out = zeros(v.nrows(), v.ncols())?;
        for (out, v) in out.col_iter_mut().zip(v.col_iter()) {
            let terms = v.iter().zip(&self.roots);
            out.iter_mut().zip(terms).for_each(|(out, (&v, &root))| *out = v / root);
        }
        self.cholesky.solve_in_place(out.as_mut());
        for out in out.col_iter_mut() {
            out.iter_mut().zip(&self.roots).for_each(|(out, &root)| *out *= root);
        }
        let mut offsets = vec![0.0; v.ncols()];
        if let Some((column, sum)) = &self.border {
            let (wanted, found) = (column_sums(v), column_sums(out.as_ref()));
            for (k, offset) in offsets.iter_mut().enumerate() {
                *offset = (found[k] - wanted[k] / self.shift) / sum;
                let (c, pairs) = (T::from_f64(-*offset), column.col_as_slice(0));
                let column = out.col_as_slice_mut(k).iter_mut();
                column.zip(pairs).for_each(|(z, &e)| *z = c.fma(e, *z));
            }
        }
        Ok(Preconditioned { z: out, offsets })
    }
}

/// The factor of S, if there is an intercept.
pub(super) struct Border {
    /// S, or without its last row and column if S1 = 0.
    factor: Option<Ldlt<f64>>,
    outputs: usize,
}

impl Border {
    /// The border of the curvature at these probabilities.
    pub(super) fn new<T: Scalar>(
        likelihood: &dyn Likelihood<T>,
        p: MatRef<'_, T>,
        intercept: bool,
    ) -> Result<Self, Error> {
        let outputs = likelihood.outputs();
        if !intercept {
            return Ok(Self { factor: None, outputs });
        }
        let size = outputs.saturating_sub(1).max(1);
        let mut s = zeros::<f64>(size, size)?;
        let (mut unit, mut column) =
            (zeros::<T>(p.nrows(), outputs)?, zeros::<T>(p.nrows(), outputs)?);
        for c in 0..size {
            unit.col_mut(c).fill(T::ONE);
            likelihood.curve(p, unit.as_ref(), column.as_mut());
            unit.col_mut(c).fill(T::ZERO);
            let sums = column_sums(column.as_ref());
            (0..size).for_each(|k| s[(k, c)] = sums[k]);
        }
        // Keeps S positive where all probabilities round to 0 or 1; u² times the weight is no bias
        // elsewhere.
        let floor = T::UNIT_ROUNDOFF * T::UNIT_ROUNDOFF * likelihood.weight();
        (0..size).for_each(|c| s[(c, c)] += floor);
        let factor = s
            .ldlt(Side::Lower)
            .map_err(|_| Error::NotPositiveDefinite { shift: floor, pivot: 0 })?;
        Ok(Self { factor: Some(factor), outputs })
    }

    /// True if there is an intercept.
    pub(super) fn exists(&self) -> bool {
        self.factor.is_some()
    }

    /// S⁻¹v, its entries summing to zero if S1 = 0; zero without an intercept.
    pub(super) fn solve(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        let Some(factor) = &self.factor else { return Ok(vec![0.0; v.len()]) };
        let size = self.outputs.saturating_sub(1).max(1);
        let mut x = zeros::<f64>(size, 1)?;
        x.col_as_slice_mut(0).copy_from_slice(&v[..size]);
        factor.solve_in_place(x.as_mut());
        let mut out = x.col_as_slice(0).to_vec();
        if self.outputs > 1 {
            out.push(0.0);
            let mean = out.iter().sum::<f64>() / out.len() as f64;
            out.iter_mut().for_each(|t| *t -= mean);
        }
        Ok(out)
    }

    /// out ← W̃v, and S⁻¹1ᵀWv.
    pub(super) fn curve<T: Scalar>(
        &self,
        likelihood: &dyn Likelihood<T>,
        p: MatRef<'_, T>,
        v: MatRef<'_, T>,
        mut out: MatMut<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        likelihood.curve(p, v, out.as_mut());
        if self.factor.is_none() {
            return Ok(vec![0.0; self.outputs]);
        }
        let mean = self.solve(&column_sums(out.as_ref()))?;
        let mut centred = zeros(v.nrows(), v.ncols())?;
        centred.copy_from(v);
        shift(&mut centred, -1.0, &mean);
        likelihood.curve(p, centred.as_ref(), out);
        Ok(mean)
    }
}

/// Σᵢ vᵢ of each column.
pub(super) fn column_sums<T: Scalar>(v: MatRef<'_, T>) -> Vec<f64> {
    v.col_iter().map(|column| column.iter().map(|v| v.to_f64()).sum()).collect()
}

/// v ← v + c·1b.
pub(super) fn shift<T: Scalar>(v: &mut Mat<T>, c: f64, b: &[f64]) {
    for (column, b) in v.col_iter_mut().zip(b) {
        let b = c * b;
        column.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() + b));
    }
}

/// y ← x + c·y.
fn scale_and_add<T: Scalar>(y: &mut Mat<T>, c: f64, x: MatRef<'_, T>) {
    let c = T::from_f64(c);
    for (y, x) in y.col_iter_mut().zip(x.col_iter()) {
        y.iter_mut().zip(x.iter()).for_each(|(y, &x)| *y = c.fma(*y, x));
    }
}
