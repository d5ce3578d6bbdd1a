//! Minimisation of smooth losses in rounds, by L-BFGS in the metric of the features' moments.
//!
//! # Definition
//! J(w, b) = (1/n)Σβℓ(wᵀz + b) + (λ/2)‖w‖², a separate problem for each output; softmax is one
//! problem of all functions.
//!
//! # Method
//! The first round computes the moments of the features. With the largest curvature c of the loss,
//! they give H = (c/n)Σβ[z; 1][z; 1]ᵀ + λ·diag(1, …, 1, 0), which is at least the Hessian
//! everywhere (Böhning 1992 for softmax, with c = ½). H⁻¹ is the initial inverse Hessian of L-BFGS
//! (Liu & Nocedal 1989, two-loop recursion), so no step has to be shortened before the first pair
//! is stored, and the pairs correct where the bound overestimates the curvature. Each further round
//! computes the value and the gradient at one point, in n·D flops, where a Newton step would take
//! n·D².
//!
//! # References
//! Liu & Nocedal (1989), *On the Limited Memory BFGS Method for Large Scale Optimization*; Böhning
//! (1992), *Multinomial Logistic Regression Algorithm*.

use super::descent_certificate::Parts;
use super::fit_in_rounds::{Functions, Next, Outcome, State};
use super::lbfgs_search::{Known, Search};
use super::loss_gradient::{Objective, SlopeSums};
use super::query::{Query, Sums};
use crate::sgd::Loss;
use crate::{Error, Report, Status};
use faer::Mat;
use kern_approx::statistics::NormalEquations;
use kern_core::memory::LargeMat;
use kern_core::serde_mat;
use kern_gram::numerics::cholesky::Cholesky;
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// Default duality gap of a fit in rounds, relative to the objective: each round reads all samples, and a solution within 10⁻⁴ of
/// the optimum predicts as the optimum does, since the error by finite samples is greater.
const ROUNDS_GAP: f64 = 1e-4;

/// Default largest number of rounds.
const MOST_ROUNDS: usize = 200;

/// State of a fit by L-BFGS in rounds. See [`Rounds::descent`](super::Rounds::descent).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DescentRounds {
    problem: DescentProblem,
    tolerance: f64,
    max_rounds: usize,
    rounds: usize,
    phase: Phase,
}

/// The optimisation problem.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct DescentProblem {
    pub(super) dim: usize,
    outputs: usize,
    /// None for softmax.
    loss: Option<Loss>,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Phase {
    /// The current round computes the moments.
    Moments,
    /// The current round computes values and gradients.
    Descent(Box<Descent>),
}

/// The searches of all groups of functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Descent {
    metric: Metric,
    searches: Vec<Search>,
    /// Factors of the parts, parts × groups, if the current round computes the certificate;
    /// otherwise empty.
    #[serde(with = "serde_mat")]
    scales: Mat<f64>,
}

impl DescentProblem {
    /// The largest curvature c of the loss.
    fn curvature(&self) -> f64 {
        /// Böhning's bound for softmax.
        const SOFTMAX: f64 = 0.5;
        self.loss.and_then(Loss::curvature).unwrap_or(SOFTMAX)
    }

    /// The number of parts of the samples.
    fn parts(&self) -> usize {
        if self.loss.is_some() { 2 } else { self.outputs }
    }

    /// The number of functions in each group.
    fn width(&self) -> usize {
        if self.loss.is_some() { 1 } else { self.outputs }
    }
}

impl DescentRounds {
    pub(super) fn new(
        dim: usize,
        outputs: usize,
        loss: Option<Loss>,
        lambda: f64,
        intercept: bool,
    ) -> Result<Self, Error> {
        if let Some(loss) = loss {
            loss.check()?;
            if loss.curvature().is_none() {
                return Err(Error::Unsupported {
                    what: "a loss with a kink in a descent of rounds",
                    instead: "take its squared form",
                });
            }
        }
        let problem = DescentProblem { dim, outputs, loss, lambda, intercept };
        let (tolerance, max_rounds) = (ROUNDS_GAP, MOST_ROUNDS);
        Ok(Self { problem, tolerance, max_rounds, rounds: 0, phase: Phase::Moments })
    }

    /// Fails if the parts of a checkpoint are inconsistent.
    pub(super) fn check(&self) -> Result<(), Error> {
        let problem = &self.problem;
        let is_smooth = problem.loss.is_none_or(|loss| loss.curvature().is_some());
        let fits = match &self.phase {
            Phase::Moments => true,
            Phase::Descent(descent) => descent.fits(problem),
        };
        match problem.dim > 0 && problem.outputs > 0 && is_smooth && fits {
            true => Ok(()),
            false => Err(Error::OtherParts { what: "searches of a descent" }),
        }
    }

    pub(super) fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    pub(super) fn set_max_rounds(&mut self, rounds: usize) {
        self.max_rounds = rounds;
    }

    pub(super) fn query(&self) -> Query {
        let DescentProblem { dim, outputs, loss, .. } = self.problem;
        match &self.phase {
            Phase::Moments => Query::Moments { dim, outputs, classes: loss.is_none() },
            Phase::Descent(descent) => {
                let (at, scales) = (descent.trial(), descent.scales.clone());
                Query::Slopes(Objective { loss, at, scales })
            }
        }
    }

    pub(super) fn state(&self) -> State {
        let Phase::Descent(descent) = &self.phase else {
            return State { rounds: self.rounds, objective: None, gap: None };
        };
        let sum = |of: fn(&Search) -> Option<f64>| {
            descent.searches.iter().map(of).try_fold(0.0, |sum, value| Some(sum + value?))
        };
        State { rounds: self.rounds, objective: sum(Search::value), gap: sum(Search::gap) }
    }

    pub(super) fn next(mut self, sums: Sums, memory: &MemoryBudget) -> Result<Next<Self>, Error> {
        self.rounds += 1;
        match (self.phase, sums) {
            (Phase::Moments, Sums::Moments(sums)) => {
                if sums.weight() <= 0.0 {
                    return Err(Error::NoWeight { points: sums.count() as usize });
                }
                let descent = Box::new(Descent::new(&self.problem, sums, memory)?);
                Ok(Next::Round(Self { phase: Phase::Descent(descent), ..self }))
            }
            (Phase::Descent(mut descent), Sums::Slopes(sums)) => {
                let certified = descent.scales.nrows() > 0;
                let mut end = descent.go_on(&self.problem, &sums, self.tolerance, memory)?;
                // The last allowed round computes the certificate.
                if end.is_none() && self.rounds.saturating_add(1) >= self.max_rounds {
                    if !certified {
                        descent.ask_for_certificate(&self.problem)?;
                    }
                    let waits = descent.scales.nrows() > 0;
                    end = (!waits).then_some(Status::IterationsDone);
                }
                match end {
                    Some(status) => descent.done(&self.problem, status, self.rounds),
                    None => Ok(Next::Round(Self { phase: Phase::Descent(descent), ..self })),
                }
            }
            _ => Err(Error::OtherQuery),
        }
    }
}

impl Descent {
    fn new(
        problem: &DescentProblem,
        sums: NormalEquations,
        memory: &MemoryBudget,
    ) -> Result<Self, Error> {
        let (rows, width) = (problem.dim + 1, problem.width());
        let start = slopes_at_zero(problem, &sums)?;
        let mut metric = Metric::new(sums);
        let at = metric.solve(start, problem, memory)?;
        let groups = problem.outputs / width;
        let search = |group: usize| {
            let columns = at.as_ref().subcols(group * width, width);
            Search::new(Mat::from_fn(rows, width, |i, k| -columns[(i, k)]))
        };
        let searches = (0..groups).map(search).collect();
        Ok(Self { metric, searches, scales: zeros(0, 0)? })
    }

    fn fits(&self, problem: &DescentProblem) -> bool {
        let (width, scales) = (problem.width(), self.scales.shape());
        let shape = (problem.dim + 1, width);
        self.metric.fits(problem)
            && self.searches.len() * width == problem.outputs
            && (scales.0 == 0 || scales == (problem.parts(), self.searches.len()))
            && self.searches.iter().all(|search| search.fits(shape, problem.parts()))
    }

    /// The points of all searches that the current round evaluates: the trial points, or for a
    /// certificate the points reached.
    fn trial(&self) -> Mat<f64> {
        let certified = self.scales.nrows() > 0;
        let points: Vec<Mat<f64>> = self
            .searches
            .iter()
            .map(|search| if certified { search.at().to_owned() } else { search.trial() })
            .collect();
        let width = points.first().map_or(0, Mat::ncols);
        let rows = points.first().map_or(0, Mat::nrows);
        Mat::from_fn(rows, width * points.len(), |i, k| points[k / width][(i, k % width)])
    }

    /// Continues with the values and the gradients, and returns the status if the fit has ended.
    fn go_on(
        &mut self,
        problem: &DescentProblem,
        sums: &SlopeSums,
        tolerance: f64,
        memory: &MemoryBudget,
    ) -> Result<Option<Status>, Error> {
        let shape = (problem.dim + 1, problem.outputs);
        if !sums.has_shape(shape, (problem.parts(), self.searches.len())) {
            return Err(Error::OtherQuery);
        }
        if self.scales.nrows() > 0 {
            return self.certify(problem, sums, tolerance);
        }
        let (width, count) = (problem.width(), sums.count as f64);
        for (group, search) in self.searches.iter_mut().enumerate() {
            if search.is_done() {
                continue;
            }
            let trial = search.trial();
            let mut gradient: Mat<f64> = zeros(shape.0, width)?;
            let mut norm = 0.0;
            for k in 0..width {
                let slopes = sums.slopes.col_as_slice(group * width + k);
                let rows = gradient.col_as_slice_mut(k).iter_mut().zip(slopes);
                for (i, (to, slope)) in rows.enumerate() {
                    let w = if i < problem.dim { trial[(i, k)] } else { 0.0 };
                    norm += w * w;
                    *to = slope / count + problem.lambda * w;
                }
                if !problem.intercept {
                    gradient[(problem.dim, k)] = 0.0;
                }
            }
            let value = sums.losses[group] / count + 0.5 * problem.lambda * norm;
            if !value.is_finite() {
                return Err(Error::Range { what: "the objective", given: value });
            }
            let parts = Parts::new(sums, group, width);
            let estimate = parts.estimate(problem, gradient.as_ref(), count);
            let known = Known { value, gradient, estimate, parts };
            search.take(known, tolerance * value, |v| self.metric.solve(v, problem, memory))?;
        }
        if !self.searches.iter().all(Search::is_done) {
            return Ok(None);
        }
        self.ask_for_certificate(problem)?;
        Ok((self.scales.nrows() == 0).then(|| self.status()))
    }

    /// Makes the next round compute the certificate. Without an intercept it is already known.
    fn ask_for_certificate(&mut self, problem: &DescentProblem) -> Result<(), Error> {
        if !problem.intercept {
            return Ok(());
        }
        let scales: Vec<Vec<f64>> = self.searches.iter().map(Search::scales).collect();
        let parts = scales.first().map_or(0, Vec::len);
        self.scales = Mat::from_fn(parts, scales.len(), |part, group| scales[group][part]);
        Ok(())
    }

    fn certify(
        &mut self,
        problem: &DescentProblem,
        sums: &SlopeSums,
        tolerance: f64,
    ) -> Result<Option<Status>, Error> {
        let (width, count) = (problem.width(), sums.count as f64);
        let mut open = false;
        for (group, search) in self.searches.iter_mut().enumerate() {
            let slopes = sums.slopes.as_ref().subcols(group * width, width);
            let slopes = slopes.subrows(0, problem.dim);
            let square = slopes.col_iter().flat_map(|v| v.iter().map(|v| v * v)).sum::<f64>();
            let square = square / (2.0 * problem.lambda * count * count);
            open |= search.certify(square, count, tolerance);
        }
        self.scales = zeros(0, 0)?;
        Ok((!open).then(|| self.status()))
    }

    fn status(&self) -> Status {
        let converged = self.searches.iter().all(Search::has_converged);
        if converged { Status::Converged } else { Status::Stalled }
    }

    fn done(
        self,
        problem: &DescentProblem,
        status: Status,
        rounds: usize,
    ) -> Result<Next<DescentRounds>, Error> {
        let (dim, width) = (problem.dim, problem.width());
        let at = |i: usize, k: usize| self.searches[k / width].at()[(i, k % width)];
        let weights = Mat::from_fn(dim, problem.outputs, at);
        let intercepts = (0..problem.outputs).map(|k| at(dim, k)).collect();
        let sum = |of: fn(&Search) -> Option<f64>| {
            self.searches.iter().map(of).try_fold(0.0, |sum, value| Some(sum + value?))
        };
        let objective = sum(Search::value).unwrap_or(f64::INFINITY);
        let report = Report::new(status, rounds, objective, sum(Search::gap));
        report.check()?;
        Ok(Next::Done(Box::new(Outcome::Functions(Functions {
            weights,
            intercepts,
            left: None,
            report,
        }))))
    }
}

/// H = (c/n)Σβ[z; 1][z; 1]ᵀ + λ·diag(1, …, 1, 0), without the last row and column unless there is
/// an intercept.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Metric {
    sums: NormalEquations,
    /// The factor of H, computed from the sums when it is needed.
    #[serde(skip)]
    factor: Option<Cholesky<f64>>,
}

impl Metric {
    fn new(sums: NormalEquations) -> Self {
        Self { sums, factor: None }
    }

    fn fits(&self, problem: &DescentProblem) -> bool {
        (self.sums.dim(), self.sums.outputs()) == (problem.dim, problem.outputs)
    }

    /// H⁻¹v; the last row is zero without an intercept.
    fn solve(
        &mut self,
        mut v: Mat<f64>,
        problem: &DescentProblem,
        memory: &MemoryBudget,
    ) -> Result<Mat<f64>, Error> {
        let factor = match self.factor.take() {
            Some(factor) => factor,
            None => self.factorised(problem, memory)?,
        };
        let size = factor.size();
        factor.solve_in_place(v.as_mut().subrows_mut(0, size));
        if !problem.intercept {
            v.row_mut(problem.dim).iter_mut().for_each(|v| *v = 0.0);
        }
        self.factor = Some(factor);
        Ok(v)
    }

    fn factorised(
        &self,
        problem: &DescentProblem,
        memory: &MemoryBudget,
    ) -> Result<Cholesky<f64>, Error> {
        let (dim, sums) = (problem.dim, &self.sums);
        let size = dim + usize::from(problem.intercept);
        let bytes = NormalEquations::bytes(size, 1);
        memory.require("the factor of the metric", bytes, "use fewer features")?;
        let factor = problem.curvature() / sums.count() as f64;
        let mut matrix = LargeMat::zeros(size, size)?;
        let mut to = matrix.as_mut();
        for j in 0..dim {
            let from = sums.gram().col(j).subrows(j, dim - j);
            let column = to.as_mut().col_mut(j).subrows_mut(j, dim - j);
            column.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = factor * from);
            to[(j, j)] += problem.lambda;
            if problem.intercept {
                to[(dim, j)] = factor * sums.moments()[(j, 0)];
            }
        }
        if problem.intercept {
            to[(dim, dim)] = factor * sums.weight();
        }
        Ok(Cholesky::new(matrix, 0.0)?)
    }
}

/// The gradient of (1/n)Σβℓ at 0, (D + 1) × outputs; for losses of residuals, that of the squared
/// loss.
fn slopes_at_zero(problem: &DescentProblem, sums: &NormalEquations) -> Result<Mat<f64>, Error> {
    let (dim, count) = (problem.dim, sums.count() as f64);
    let (moments, targets) = (sums.moments(), sums.target_moments());
    let slope = match problem.loss {
        // ℓ'(0; y) = −y times this.
        Some(loss) if loss.is_margin() => loss.derivative(0.0, -1.0),
        _ => 1.0,
    };
    let share = if problem.loss.is_none() { 1.0 / problem.outputs as f64 } else { 0.0 };
    let mut slopes = zeros(dim + 1, problem.outputs)?;
    for k in 0..problem.outputs {
        for i in 0..dim {
            slopes[(i, k)] = (share * moments[(i, 0)] - slope * moments[(i, 1 + k)]) / count;
        }
        if problem.intercept {
            slopes[(dim, k)] = (share * sums.weight() - slope * targets[(k, 0)]) / count;
        }
    }
    Ok(slopes)
}
