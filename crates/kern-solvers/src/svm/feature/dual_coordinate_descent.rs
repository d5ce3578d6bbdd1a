//! Dual coordinate descent on one problem: its steps, and its state including the intercept.
//!
//! A step minimises over one coefficient ([`minimum`], [`relaxed`]) and updates w. A [`Sweep`]
//! visits a list of variables. A [`Machine`] is the solver state of one problem: coefficients,
//! weights, intercept, and the active variables. See the [module above](super) for the formulas.

use super::super::dual_problem::{Reading, balance, fall, rise};
use super::super::svm_certificate::Certificate;
use super::feature_blocks::Blocks;
use super::feature_dual::FeatureDual;
use super::feature_vectors::Vectors;
use crate::{Error, Status, tolerance};
use kern_core::Scalar;
use kern_gram::zero_vec;
use pulp::{Simd, WithSimd};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Dual coordinate descent ends its passes at this share of the tolerance: the steps after a visit change the
/// optimality conditions of what was visited.
const FREE_SHARE: f64 = 0.5;

/// The same of problems with a bias, whose violation is that of a pair, twice that of one coefficient.
const COUPLED_SHARE: f64 = 0.25;

/// The factor by which the bias of dual coordinate descent may become stiffer than at first: for C down to 1e-12 of
/// what would move it at once.
const STIFFEST: f64 = 1e12;

/// After a certificate that does not hold, the next one waits for 1 pass per this many passes so
/// far, because a certificate and the following pass visit all points.
const PATIENCE: usize = 8;

/// Sweeps over a block per pass. All but the first leave out resting variables (those whose
/// optimality conditions hold); most variables rest, and the others move slowly. On 5574 messages
/// two sweeps take 0.75 of the visits of one, four 0.6, and eight the same as four. If the features
/// of a block must be computed, they are as expensive as the steps between them.
const SWEEPS: usize = 4;

/// Variables whose optimality conditions hold by more than this share of the largest violation in
/// the first sweep of a pass are left out of the next pass. A share of 1 takes 3 % more visits, and
/// 0.2 up to 50 % more, because a certificate then finds variables that were left out.
const FALLEN: f64 = 0.5;

/// The largest share of the gap seen in the first sweep that a whole pass leaves; usually 0.2 to
/// 0.4.
const LEFT: f64 = 0.5;

/// The share by which a step exceeds the minimiser, where d is small compared with ‖φ‖². On 38
/// problems, 0.2 to 0.7 save 5 to 9 % of the visits, and 0.5 up to 30 % (`docs/decisions/svm.md`).
const FURTHER: f64 = 0.5;

/// The stopping rules of one problem.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) violation: f64,
    /// Relative to the primal objective.
    pub(super) gap: Option<f64>,
    pub(super) most_steps: usize,
}

/// A problem with the state of its solver.
pub(super) struct Machine {
    pub(super) task: FeatureDual,
    /// The point of each variable.
    pub(super) rows: Vec<usize>,
    pub(super) beta: Vec<f64>,
    /// Σβφ.
    pub(super) w: Vec<f64>,
    /// ‖φ‖² of each point.
    norms: Arc<[f64]>,
    /// Σβ minus its required value.
    pub(super) sum: f64,
    /// The intercept is `centre` + `stiffness`·`sum`.
    pub(super) centre: f64,
    pub(super) stiffness: f64,
    /// Variables whose optimality conditions hold by more than this become inactive.
    threshold: f64,
    /// Steps of the current pass that changed a coefficient.
    moved: usize,
    pub(super) steps: usize,
    pub(super) passes: usize,
    pub(super) status: Option<Status>,
    pub(super) certificate: Option<Certificate>,
    pub(super) limits: Limits,
    /// True if passes met their own tolerance.
    tight: bool,
    /// The violation at which passes stop: less than the tolerance, because later visits of a pass
    /// disturb earlier ones.
    inner: f64,
    /// The active variables of each block.
    active: Vec<Vec<usize>>,
    /// True if all variables are active.
    full: bool,
    worst: f64,
    /// The violation seen in the last pass.
    last_violation: f64,
    /// The gap seen in the current pass.
    met_gap: f64,
    /// |`sum`| when the centre last changed.
    last_sum: f64,
    largest_stiffness: f64,
    next_check: usize,
    halvings: usize,
    /// The counters at the last Newton step.
    pub(super) since: Since,
    rng: ChaCha8Rng,
}

/// The counters of visits and passes at a Newton step.
#[derive(Default)]
pub(super) struct Since {
    /// Visits.
    pub(super) steps: usize,
    pub(super) passes: usize,
}

impl Machine {
    /// A problem on points with these squared norms; the random order is stream `stream` of the
    /// seed.
    pub(super) fn new<T: Scalar>(
        task: FeatureDual,
        norms: &Arc<[f64]>,
        blocks: &Blocks<'_, T>,
        limits: Limits,
        seed: u64,
        stream: u64,
    ) -> Result<Self, Error> {
        let rows = task.problem.rows();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mean = rows.iter().map(|&row| norms[row]).sum::<f64>() / rows.len() as f64;
        let stiffness = if mean > 0.0 { mean } else { 1.0 };
        // The squared radius of a ball is not known yet; the certificate computes it, and tightens
        // the tolerance if this estimate is too large.
        let largest = norms.iter().copied().fold(0.0, f64::max);
        let is_ball = task.problem.reading == Reading::Ball && largest > 0.0;
        let unit = if is_ball { 0.5 * largest } else { 1.0 };
        let share = if task.problem.is_free() { FREE_SHARE } else { COUPLED_SHARE };
        let mut machine = Self {
            beta: zero_vec(rows.len())?,
            w: zero_vec(blocks.dim())?,
            norms: Arc::clone(norms),
            sum: -task.target(),
            centre: 0.0,
            stiffness,
            threshold: f64::INFINITY,
            moved: 0,
            steps: 0,
            passes: 0,
            status: None,
            certificate: None,
            limits,
            tight: false,
            inner: share * limits.violation * unit,
            active: Vec::new(),
            full: true,
            worst: 0.0,
            last_violation: f64::INFINITY,
            met_gap: 0.0,
            last_sum: f64::INFINITY,
            largest_stiffness: STIFFEST * stiffness,
            next_check: 1,
            halvings: 0,
            since: Since::default(),
            rng,
            task,
            rows,
        };
        machine.activate(&machine.members(blocks));
        Ok(machine)
    }

    /// The variables of each block.
    pub(super) fn members<T: Scalar>(&self, blocks: &Blocks<'_, T>) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); blocks.count()];
        self.rows.iter().enumerate().for_each(|(v, &row)| members[blocks.of(row)].push(v));
        members
    }

    /// True if a block has active variables.
    pub(super) fn wants(&self, k: usize) -> bool {
        self.status.is_none() && !self.active[k].is_empty()
    }

    /// The active variables.
    pub(super) fn active(&self) -> impl Iterator<Item = usize> {
        self.active.iter().flatten().copied()
    }

    /// The current intercept.
    pub(super) fn intercept(&self) -> f64 {
        if self.task.problem.is_free() { 0.0 } else { self.centre + self.stiffness * self.sum }
    }

    /// Visits the active variables of a block, then those that violate their optimality conditions
    /// a few more times, each time in a new random order.
    pub(super) fn visit<T: Scalar>(&mut self, k: usize, first: usize, z: Vectors<'_, T>) {
        let (mut order, mut resting) = (std::mem::take(&mut self.active[k]), Vec::new());
        for sweep in 0..SWEEPS {
            order.shuffle(&mut self.rng);
            let left = self.left();
            let rest = order.split_off(left.min(order.len()));
            self.steps += order.len();
            let swept = Sweep { machine: self, order: &mut order, resting: &mut resting, z, first };
            let Met { worst, gap } = kern_core::instruction_set().dispatch(swept);
            order.extend(rest);
            if sweep == 0 {
                self.worst = self.worst.max(worst);
                self.met_gap += gap;
                // The gap of all variables is used before anything else changes.
                if self.active.len() == 1 && self.promises(self.met_gap) {
                    break;
                }
            }
            if worst <= self.inner || self.steps >= self.limits.most_steps {
                break;
            }
        }
        order.append(&mut resting);
        self.active[k] = order;
    }

    /// The number of steps left.
    pub(super) fn left(&self) -> usize {
        self.limits.most_steps.saturating_sub(self.steps)
    }

    /// Ends a pass; true if a certificate should be computed.
    pub(super) fn settle<T: Scalar>(&mut self, blocks: &Blocks<'_, T>) -> bool {
        self.passes += 1;
        let (worst, moved) = (std::mem::take(&mut self.worst), std::mem::take(&mut self.moved));
        let gap = std::mem::take(&mut self.met_gap);
        let coupled = !self.task.problem.is_free();
        let jump = if coupled { self.stiffness * self.sum.abs() } else { 0.0 };
        self.last_violation = worst.max(jump);
        if self.steps >= self.limits.most_steps {
            return true;
        }
        // A new centre is only as accurate as the solution around the old one.
        if jump > self.inner && jump >= worst {
            self.recentre(worst, jump);
            self.activate(&self.members(blocks));
        } else if worst <= self.inner {
            self.tight = self.full;
            if self.full {
                return true;
            }
            self.activate(&self.members(blocks));
            self.threshold = f64::INFINITY;
        } else {
            if self.full && moved == 0 {
                self.halvings = tolerance::MOST_HALVINGS;
                return true;
            }
            self.threshold = FALLEN * worst;
            self.full = false;
        }
        self.passes >= self.next_check && self.promises(LEFT * gap)
    }

    /// The violation seen in the last pass, in units of the one at which passes stop.
    pub(super) fn excess(&self) -> f64 {
        self.last_violation / self.inner
    }

    /// True if a gap is small enough for a certificate.
    fn promises(&self, gap: f64) -> bool {
        let primal = || gap - self.task.objective(&self.beta, &self.w);
        self.limits.gap.is_some_and(|relative| gap <= relative * primal().abs())
    }

    /// Sets the intercept to the current multiplier, and increases the stiffness if the sum hardly
    /// decreases.
    fn recentre(&mut self, worst: f64, jump: f64) {
        self.centre += self.stiffness * self.sum;
        let solved = worst <= tolerance::INNER_SHARE * jump;
        if solved && self.sum.abs() > 0.5 * self.last_sum {
            self.stiffness = (4.0 * self.stiffness).min(self.largest_stiffness);
        }
        self.last_sum = self.sum.abs();
        self.threshold = worst + self.stiffness * self.sum.abs();
    }

    /// Activates all variables.
    fn activate(&mut self, members: &[Vec<usize>]) {
        self.active = members.to_vec();
        self.full = true;
    }

    /// Balances the coefficients to their sum, and clears the weights for recomputation.
    pub(super) fn prepare(&mut self) {
        if !self.task.problem.is_free() {
            self.centre = self.intercept();
            let problem = &self.task.problem;
            let target = self.task.target();
            balance(&mut self.beta, &problem.lower, &problem.upper, target);
            self.sum = self.beta.iter().sum::<f64>() - target;
        }
        self.w.fill(0.0);
    }

    /// True if passes were already more accurate than the rounded weights allow.
    fn is_blurred(&self, rounded: &[f64]) -> bool {
        let apart: f64 = self.w.iter().zip(rounded).map(|(w, r)| (w - r) * (w - r)).sum();
        self.tight && self.inner <= (apart * self.largest_norm()).sqrt()
    }

    /// The largest ‖φ‖².
    fn largest_norm(&self) -> f64 {
        self.norms.iter().copied().fold(0.0, f64::max)
    }

    /// Computes the certificate for weights rounded to the type T with the given values, and
    /// decides whether the solution is accurate enough.
    pub(super) fn judge<T: Scalar>(
        &mut self,
        values: &[f64],
        rounded: &[f64],
        blocks: &Blocks<'_, T>,
    ) {
        let Limits { violation, gap, most_steps } = self.limits;
        // Features and returned weights are rounded to the type T.
        let square: f64 = self.w.iter().map(|w| w * w).sum();
        let rounding_error = T::UNIT_ROUNDOFF * (square * self.largest_norm()).sqrt();
        let (beta, w, intercept) = (&self.beta, &self.w, self.intercept());
        let certificate =
            self.task.certify::<T>(beta, values, w, rounded, intercept, rounding_error);
        let optimal = certificate.violation <= violation;
        let certain = certificate.pair_rounding_error() <= violation;
        let verdict = certificate.verdict(&self.task.problem, violation, gap);
        self.status = if verdict.is_some() {
            verdict
        } else if optimal && !certain {
            Some(Status::Stalled)
        } else if self.steps >= most_steps {
            Some(Status::IterationsDone)
        } else if self.halvings >= tolerance::MOST_HALVINGS || self.is_blurred(rounded) {
            Some(Status::Stalled)
        } else {
            None
        };
        self.certificate = Some(certificate);
        // The certificate requires more than the passes did, unless it was only computed early.
        if std::mem::take(&mut self.tight) {
            self.inner *= 0.5;
            self.halvings += 1;
        }
        self.next_check = self.passes + self.passes.div_ceil(PATIENCE);
        self.activate(&self.members(blocks));
        self.threshold = f64::INFINITY;
    }
}

/// The findings of a sweep.
struct Met {
    /// The largest violation.
    worst: f64,
    /// The sum of the gap terms, each at the visit of its variable; only if a gap is requested.
    gap: f64,
}

/// One visit of each variable in `order`. `z` holds the features of the points, starting with point
/// `first`. A variable whose optimality conditions hold moves to `resting`; if they hold by more
/// than the threshold, it is dropped from both lists.
struct Sweep<'a, T: Scalar> {
    machine: &'a mut Machine,
    order: &'a mut Vec<usize>,
    resting: &'a mut Vec<usize>,
    z: Vectors<'a, T>,
    first: usize,
}

impl<T: Scalar> WithSimd for Sweep<'_, T> {
    type Output = Met;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Met {
        let Self { machine, order, resting, z, first } = self;
        let Machine {
            task, rows, beta, w, norms, sum, centre, stiffness, threshold, limits, ..
        } = machine;
        let (problem, threshold) = (&task.problem, *threshold);
        let coupled = !problem.is_free();
        let added = if coupled { *stiffness } else { 0.0 };
        let watched = limits.gap.is_some();
        let (mut worst, mut gap, mut kept, mut moved) = (0.0_f64, 0.0, 0, 0);
        for at in 0..order.len() {
            let v = order[at];
            let j = rows[v] - first;
            if let Some(&next) = order.get(at + 1) {
                z.request(rows[next] - first);
            }
            let (b, d) = (beta[v], task.curvature[v]);
            let (l, u, epsilon) = (problem.lower[v], problem.upper[v], problem.epsilon);
            let g = z.dot(w, j) + (*centre + added * *sum) - problem.linear[v] + d * b;
            if watched {
                gap += task.gap_of(v, b, g);
            }
            let (top, bottom) = (rise(b, u, epsilon) - g, fall(b, l, epsilon) - g);
            if top < -threshold && bottom > threshold {
                continue;
            }
            if top <= 0.0 && bottom >= 0.0 {
                resting.push(v);
                continue;
            }
            order[kept] = v;
            kept += 1;
            worst = worst.max(top).max(-bottom);
            let norm = norms[rows[v]];
            let smallest = minimum(b, g, norm + added + d, epsilon, l, u);
            let after = relaxed(b, smallest, norm, d, epsilon, l, u);
            let step = after - b;
            if step != 0.0 {
                beta[v] = after;
                z.add(w, step, j);
                *sum += if coupled { step } else { 0.0 };
                moved += 1;
            }
        }
        order.truncate(kept);
        machine.moved += moved;
        Met { worst, gap }
    }
}

/// The minimiser of ½a(x − β)² + g(x − β) + ε|x| over l ≤ x ≤ u; without curvature, the bound in
/// the direction of descent.
#[inline(always)]
fn minimum(beta: f64, g: f64, a: f64, epsilon: f64, l: f64, u: f64) -> f64 {
    if a <= 0.0 {
        let (up, down) = (-epsilon - g > 0.0, epsilon - g < 0.0);
        return if up {
            u
        } else if down {
            l
        } else {
            0.0
        };
    }
    let (z, kink) = (beta - g / a, epsilon / a);
    let shrunk = if z > kink {
        z - kink
    } else if z < -kink {
        z + kink
    } else {
        0.0
    };
    shrunk.max(l).min(u)
}

/// A step of successive over-relaxation: from β by ω times the way to the minimiser, limited by the
/// bounds and the kink, with ω = 1 + FURTHER·‖φ‖²/(‖φ‖² + d). Because ω < 2, the objective
/// decreases. For d = 0 longer steps do not pay: coefficients then move from bound to bound.
#[inline(always)]
fn relaxed(beta: f64, smallest: f64, norm: f64, d: f64, epsilon: f64, l: f64, u: f64) -> f64 {
    if d <= 0.0 {
        return smallest;
    }
    let further = FURTHER * norm / (norm + d);
    let beyond = further.mul_add(smallest - beta, smallest).max(l).min(u);
    if epsilon > 0.0 && beyond * smallest <= 0.0 { 0.0 } else { beyond }
}

#[cfg(test)]
mod tests {
    use super::{minimum, relaxed};

    /// Steps from either side of the kink, to the kink and to the bounds.
    #[test]
    fn a_longer_step_lowers_the_objective_and_keeps_to_the_bounds() {
        let numbers = [-3.0, -1.0, -0.4, -0.1, 0.0, 0.1, 0.4, 1.0, 3.0];
        let all = |of: &[f64]| -> Vec<(f64, f64)> {
            of.iter().flat_map(|&a| of.iter().map(move |&b| (a, b))).collect()
        };
        for (beta, g) in all(&numbers) {
            for (epsilon, (l, u)) in
                [(0.0, (0.0, f64::INFINITY)), (0.3, (-1.5, 1.5)), (0.3, (-4.0, 9.0))]
            {
                let (beta, norm, d) = (beta.max(l).min(u), 0.7, 0.3);
                let objective = |x: f64| {
                    0.5 * (norm + d) * (x - beta).powi(2) + g * (x - beta) + epsilon * x.abs()
                };
                let smallest = minimum(beta, g, norm + d, epsilon, l, u);
                let after = relaxed(beta, smallest, norm, d, epsilon, l, u);
                assert!(l <= after && after <= u);
                assert!(after * smallest >= 0.0 || epsilon == 0.0, "{beta} {smallest} {after}");
                assert!(objective(after) <= objective(beta) + 1e-14, "{beta} {g} {epsilon}");
                // Nothing moves at the minimum, and for d = 0 steps end there.
                let resting = relaxed(smallest, smallest, norm, d, epsilon, l, u);
                let linear = relaxed(beta, smallest, norm, 0.0, epsilon, l, u);
                assert!((resting - smallest).abs() + (linear - smallest).abs() < 1e-15);
            }
        }
    }
}
