//! Kernel ridge regression by preconditioned conjugate gradients: exact, for kernel matrices that
//! do not fit in memory or take too long to factorise.
//!
//! # Definition
//! With M = B^½KB^½ + nλI and s = √β, the right-hand sides B^½y of all outputs and, if there is an
//! intercept, s itself are solved together: w = M⁻¹B^½y, u = M⁻¹s, b = sᵀw/(sᵀu), γ = w − bu. The
//! residual ρ = B^½(y − b) − Mγ determines the duality gap, ‖ρ‖²/n, because sᵀγ = 0 whatever the
//! errors of w and u.
//!
//! With a randomly pivoted Cholesky factor K ≈ FFᵀ of rank k the preconditioner is B^½FFᵀB^½ + nλI.
//! Its inverse takes 4nk flops by the Woodbury identity. The condition number is then at most
//! 1 + tr(B^½(K − FFᵀ)B^½)/(nλ). This bound is known, so the iterations that a larger rank would
//! save are predicted before it is computed.
//!
//! # Complexity
//! Each iteration takes n²/2 kernel evaluations for all outputs together, or reads n²/2 stored
//! values if the budget allows. The preconditioner takes n·k evaluations, 2n·k² flops and n·k
//! values in memory.
//!
//! # Numerics
//! Vectors are in double precision for `f32` points too; only products inside the iteration are
//! not. Every 30 iterations, and before convergence is declared, the residual is recomputed from
//! kernel values that are summed in double precision.
//!
//! [`pivoted_preconditioner`](kern_approx::landmarks::pivoted_preconditioner) computes and applies the factor,
//! [`gradients_or_factor`](super::gradients_or_factor) chooses its rank.
//!
//! # References
//! Díaz, Epperly, Frangella, Tropp & Webber (2023), *Robust, Randomized Preconditioning for Kernel
//! Ridge Regression*, algorithm 1; van der Vorst & Ye (2000), *Residual Replacement Strategies for
//! Krylov Subspace Iterative Methods*.

use super::linear_system::DualSolution;
use super::ridge_duality_gap::{Candidate, Given, certificate};
use super::ridge_regression::Settings;
use crate::tolerance::{CG_RUN, CG_SHARE, CG_STALL};
use crate::{Error, Progress, Report, Run, Status};
use faer::{Accum, Mat, MatRef};
use kern_core::memory::converted;
use kern_core::products::matmul;
use kern_core::{Scalar, Scratch};
use kern_gram::numerics::arithmetic::{add, scale_rows};
use kern_gram::numerics::conjugate_gradients::{Conjugate, Operator, dot, inner};
use kern_gram::{GramOperator, Rows, parallel, split_rows, tile_ranges, zeros};

/// Kernel values in single precision that are buffered for one product in double precision.
const NUMBERS: usize = 1 << 19;
/// The maximum number of buffered columns.
const COLUMNS: usize = 256;
/// Rows that one thread multiplies at a time.
const ROWS: usize = 128;

/// A kernel ridge problem on the points with positive weight.
pub(super) struct Task<'t, T: Scalar> {
    /// K, for products inside the iteration.
    pub(super) gram: &'t dyn GramOperator<T>,
    /// K, for residuals.
    pub(super) fresh: &'t dyn GramOperator<T>,
    /// K for the certificate, computed afresh where possible.
    pub(super) witness: &'t dyn GramOperator<T>,
    /// y, points × outputs.
    pub(super) targets: Mat<f64>,
    /// β and √β, unless all are 1.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) roots: Option<Vec<f64>>,
    /// n, including points of weight zero.
    pub(super) count: usize,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
}

/// The state of the iteration: γ and b of each output, ‖ρ‖², and the goal for ‖ρ‖².
struct Standing {
    gamma: Mat<f64>,
    intercepts: Vec<f64>,
    squares: Vec<f64>,
    goals: Vec<f64>,
}

impl<T: Scalar> Task<'_, T> {
    /// ν = nλ.
    fn shift(&self) -> f64 {
        self.count as f64 * self.lambda
    }

    /// B^½KB^½v + νv.
    fn product(&self, v: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let mut scaled = v.clone();
        scale_rows(&mut scaled, self.roots.as_deref());
        let mut out = steering(self.gram, scaled)?;
        scale_rows(&mut out, self.roots.as_deref());
        add(&mut out, self.shift(), v.as_ref());
        Ok(out)
    }

    /// right − B^½KB^½v − νv, computed afresh.
    fn residual(&self, right: &Mat<f64>, v: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let mut scaled = v.clone();
        scale_rows(&mut scaled, self.roots.as_deref());
        let mut out = exact(self.fresh, scaled.as_ref())?;
        scale_rows(&mut out, self.roots.as_deref());
        add(&mut out, self.shift(), v.as_ref());
        Ok(right - out)
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The weighted means of the targets if there is an intercept, and the right-hand sides:
    /// B^½(y − mean) of each output, and √β.
    fn right_sides(&self) -> Result<(Vec<f64>, Mat<f64>), Error> {
        let (n, outputs) = self.targets.shape();
        let mut right = zeros(n, outputs + usize::from(self.intercept))?;
        let total: f64 = (0..n).map(|i| self.weight(i)).sum();
        let mut means = vec![0.0; outputs];
        for (k, mean) in means.iter_mut().enumerate() {
            let y = self.targets.col_as_slice(k);
            if self.intercept {
                *mean = (0..n).map(|i| self.weight(i) / total * y[i]).sum();
            }
            let pairs = right.col_as_slice_mut(k).iter_mut().zip(y);
            pairs.for_each(|(right, y): (&mut f64, _)| *right = y - *mean);
        }
        if self.intercept {
            right.col_as_slice_mut(outputs).fill(1.0);
        }
        scale_rows(&mut right, self.roots.as_deref());
        Ok((means, right))
    }

    /// Iterates until the gap of each output is small enough; `precondition` is v ↦ P⁻¹v.
    pub(super) fn learn(
        &self,
        precondition: &dyn Fn(Mat<f64>) -> Result<Mat<f64>, Error>,
        settings: &Settings,
        run: &mut Run<'_>,
    ) -> Result<DualSolution<T>, Error> {
        let (means, right) = self.right_sides()?;
        let (relative_gap, most) = (settings.gap::<T>(), settings.most());
        let operator = Operator { product: &|v| self.product(v), precondition };
        let mut iterates = Conjugate::new(right.clone())?;
        let (mut iterations, mut last, mut updated) = (0, f64::INFINITY, f64::INFINITY);
        let (standing, status) = loop {
            let standing = self.standing(&iterates, &right, relative_gap)?;
            let worst = standing.worst();
            // The updated residual is far smaller than the true one.
            let rounding = updated < CG_STALL * worst && worst >= CG_STALL * last;
            if worst <= 1.0 {
                break (standing, Status::Converged);
            } else if iterations >= most {
                break (standing, Status::IterationsDone);
            } else if rounding || !worst.is_finite() {
                break (standing, Status::Stalled);
            }
            let loss = standing.objective(relative_gap) / self.count as f64;
            let progress = Progress::new(iterations, most, loss);
            // The goal of each squared residual is where its bound on the gap is small enough.
            let progress = progress.with_violation(worst * relative_gap, relative_gap);
            if run.observe(&progress).is_break() {
                break (standing, Status::Stopped);
            }
            last = worst;
            let goals = self.column_goals(&standing, &right, relative_gap);
            let open = |k: usize, square: f64, _| square > goals[k];
            let taken = iterates.advance(&operator, CG_RUN.min(most - iterations), &open)?;
            if taken == 0 {
                break (standing, Status::Stalled);
            }
            iterations += taken;
            updated = self.standing(&iterates, &right, relative_gap)?.worst();
            iterates.refresh(self.residual(&right, iterates.solution())?);
        };
        self.certified(standing, &means, relative_gap, status, iterations)
    }

    /// γ and b, with their squared residuals and the goals for these.
    fn standing(
        &self,
        iterates: &Conjugate,
        right: &Mat<f64>,
        relative_gap: f64,
    ) -> Result<Standing, Error> {
        let (n, outputs) = self.targets.shape();
        let (w, r) = (iterates.solution(), iterates.residual());
        let mut gamma = zeros(n, outputs)?;
        let (mut intercepts, mut squares, mut goals) = (vec![0.0; outputs], Vec::new(), Vec::new());
        for (k, intercept) in intercepts.iter_mut().enumerate() {
            let mut rho = r.col_as_slice(k).to_vec();
            let (gamma, mut right) = (gamma.col_as_slice_mut(k), right.col_as_slice(k).to_vec());
            gamma.copy_from_slice(w.col_as_slice(k));
            if self.intercept {
                let b = self.intercept(iterates, k);
                let subtract = |from: &mut [f64], what: &[f64]| {
                    from.iter_mut().zip(what).for_each(|(from, what)| *from -= b * what);
                };
                let roots = self.roots.as_deref();
                subtract(gamma, w.col_as_slice(outputs));
                subtract(&mut rho, r.col_as_slice(outputs));
                match roots {
                    Some(roots) => subtract(&mut right, roots),
                    None => right.iter_mut().for_each(|right| *right -= b),
                }
                *intercept = b;
            }
            goals.push(relative_gap * self.scaled_objective(&right, gamma, &rho));
            squares.push(dot(&rho, &rho));
        }
        Ok(Standing { gamma, intercepts, squares, goals })
    }

    /// b = sᵀw/(sᵀu).
    fn intercept(&self, iterates: &Conjugate, k: usize) -> f64 {
        let sum = |k: usize| match &self.roots {
            Some(roots) => dot(roots, iterates.solution().col_as_slice(k)),
            None => iterates.solution().col_as_slice(k).iter().sum(),
        };
        let total = sum(self.targets.ncols());
        if total > 0.0 { sum(k) / total } else { 0.0 }
    }

    /// n·J from h = B^½(y − b), γ and ρ: B^½(y − f − b) = ρ + νγ, and B^½Kα = h − ρ − νγ.
    fn scaled_objective(&self, h: &[f64], gamma: &[f64], rho: &[f64]) -> f64 {
        let shift = self.shift();
        let term = |((h, gamma), rho): ((&f64, &f64), &f64)| {
            let misfit = rho + shift * gamma;
            misfit * misfit + shift * gamma * (h - misfit)
        };
        h.iter().zip(gamma).zip(rho).map(term).sum::<f64>().max(0.0)
    }

    /// The ‖r‖² at which each column stops iterating: r and b·r_u may each take half of the norm
    /// allowed for ρ = r − b·r_u.
    fn column_goals(&self, standing: &Standing, right: &Mat<f64>, relative_gap: f64) -> Vec<f64> {
        let mut goals: Vec<f64> = standing.goals.iter().map(|goal| CG_SHARE * goal).collect();
        if self.intercept {
            let started = standing.intercepts.iter().any(|&b| b != 0.0);
            let allowed = |(goal, b): (&f64, &f64)| goal / (b * b);
            let smallest = goals.iter().zip(&standing.intercepts).map(allowed);
            let own = relative_gap * inner(right, right)[goals.len()];
            let goal = if started { smallest.fold(own, f64::min) } else { own };
            goals.push(CG_SHARE * goal);
        }
        goals
    }

    /// Rounds to the type of the model, and computes the certificate from fresh kernel values.
    fn certified(
        &self,
        mut standing: Standing,
        means: &[f64],
        relative_gap: f64,
        found: Status,
        iterations: usize,
    ) -> Result<DualSolution<T>, Error> {
        scale_rows(&mut standing.gamma, self.roots.as_deref());
        let alpha: Mat<T> = converted(standing.gamma.as_ref())?;
        let pairs = standing.intercepts.iter().zip(means);
        let intercepts: Vec<T> = pairs.map(|(b, mean)| T::from_f64(b + mean)).collect();
        let wide: Mat<f64> = converted(alpha.as_ref())?;
        let fitted = exact(self.witness, wide.as_ref())?;
        let given = Given {
            count: self.count,
            used: self.targets.nrows(),
            lambda: self.lambda,
            intercept: self.intercept,
            weight: &|i| self.weight(i),
            target: &|i, k| self.targets[(i, k)],
        };
        let candidate = Candidate {
            alpha: alpha.as_ref(),
            fitted: fitted.as_ref(),
            intercepts: &intercepts,
            diagonal: &self.witness.diag(),
        };
        let report = certificate(&given, &candidate);
        let closed = report.gap.is_some_and(|gap| gap <= relative_gap * report.objective);
        let status = match found {
            Status::Converged if !closed => Status::Stalled,
            status => status,
        };
        let report = Report { status, iterations, ..report };
        Ok(DualSolution { alpha, intercepts, report })
    }
}

impl Standing {
    /// n·J, summed over outputs.
    fn objective(&self, relative_gap: f64) -> f64 {
        self.goals.iter().sum::<f64>() / relative_gap
    }

    /// The largest ‖ρ‖² relative to its goal.
    fn worst(&self) -> f64 {
        let pairs = self.squares.iter().zip(&self.goals);
        let ratio =
            |(&square, &goal): (&f64, &f64)| if square == 0.0 { 0.0 } else { square / goal };
        // NaN must not be lost.
        pairs.map(ratio).fold(0.0, |worst, r| if r <= worst { worst } else { r })
    }
}

/// K·v in the precision of the kernel values. Columns of v are scaled, so that none underflows.
fn steering<T: Scalar>(gram: &dyn GramOperator<T>, mut v: Mat<f64>) -> Result<Mat<f64>, Error> {
    let mut scales = Vec::with_capacity(v.ncols());
    for k in 0..v.ncols() {
        let column = v.col_as_slice_mut(k);
        let largest = column.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        column.iter_mut().for_each(|v| *v /= scale);
        scales.push(scale);
    }
    let narrow: Mat<T> = converted(v.as_ref())?;
    let mut out: Mat<f64> = converted(gram.apply(narrow.as_ref())?.as_ref())?;
    for (k, scale) in scales.into_iter().enumerate() {
        out.col_as_slice_mut(k).iter_mut().for_each(|v| *v *= scale);
    }
    Ok(out)
}

/// K·v, summed in double precision whatever the precision of the kernel values.
fn exact<T: Scalar>(gram: &dyn GramOperator<T>, v: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let n = gram.size();
    if size_of::<T>() == size_of::<f64>() {
        let narrow: Mat<T> = converted(v)?;
        return Ok(converted(gram.apply(narrow.as_ref())?.as_ref())?);
    }
    let width = (NUMBERS / n.max(1)).clamp(8, COLUMNS).min(n);
    let (mut out, mut values) = (zeros(n, v.ncols())?, zeros::<T>(n, width)?);
    let stripes = tile_ranges(n, ROWS);
    for range in tile_ranges(n, width) {
        let columns: Vec<usize> = range.clone().collect();
        let mut values = values.as_mut().subcols_mut(0, range.len());
        gram.submatrix_into(Rows::All, &columns, values.as_mut())?;
        let (values, v) = (values.as_ref(), v.subrows(range.start, range.len()));
        let tasks = split_rows(out.as_mut(), &stripes).into_iter().zip(&stripes).collect();
        parallel::for_each_init(tasks, Scratch::<f64>::new, |scratch, (out, rows)| {
            let part = values.subrows(rows.start, rows.len());
            scratch.with_matrix(part.nrows(), part.ncols(), |mut wide, _| {
                for (to, from) in wide.as_mut().col_iter_mut().zip(part.col_iter()) {
                    to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = from.to_f64());
                }
                matmul(out, Accum::Add, wide.as_ref(), v, 1.0);
            });
        });
    }
    Ok(out)
}
