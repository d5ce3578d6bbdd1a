//! Tolerances that several files of this crate share, with their derivations.

use kern_core::Scalar;
use kern_core::parameters::Domain;

/// Decision values that differ by less than this share of the larger of them and 1 are tied: those of support vectors that are
/// not bounded differ by the tolerance of the solver.
pub const TIED: f64 = 1e-9;

/// Default share of the mean of its diagonal that is added to a learned metric: with it, later rounds of machines on few points
/// lose less by features that say little (concrete 0.355 without, 0.322 with it after four rounds of a prototype).
pub(crate) const FEATURE_SHRINKAGE: f64 = 0.05;

/// The duality gap of a support vector machine, relative to the objective, above which it goes on, whatever the
/// violation: the gap is up to nC times that, so that great penalties, C = 10⁵ on separable classes, left gaps of nine tenths
/// behind violations of 10⁻³. Coarser violations allow as much as they say.
pub(crate) fn loosest_gap(violation: f64) -> f64 {
    violation.max(0.01)
}

/// Default duality gap of ridge regression on landmarks, relative to the objective: fitted values are then within
/// a thousandth of √J of the best ones in the root mean square, far less than landmarks leave. In single
/// precision rounding leaves 2e-6 for 200 000 points, 2000 landmarks and λ = 1e-6.
pub(crate) fn landmark_gap<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { 1e-6 } else { 1e-5 }
}

/// A step of Newton's method is accepted if it brings this share of the decrease that its slope promises
/// (Armijo's rule with the usual constant, Nocedal & Wright 2006, (3.4)).
pub(crate) const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Halvings after which a step is too short to change a number in double precision.
pub(crate) const MOST_HALVINGS: usize = 50;

/// The relative residual of a Newton step far from the optimum: a tenth, which the convergence
/// of the gap tightens to what Newton's method can use (Dembo, Eisenstat & Steihaug 1982).
pub(crate) const LOOSEST_STEP: f64 = 0.1;

/// Conjugate gradient iterations of one Newton step, at most: as good a preconditioner needs far fewer.
pub(crate) const MOST_CG_ITERATIONS: usize = 100;

/// Conjugate gradient iterations after which the residual is computed afresh: rounding has had no time
/// to separate it from the one that is updated.
pub(crate) const CG_RUN: usize = 30;

/// A run of conjugate gradients aims at this share of the distance that is asked for, so that the fresh
/// residual agrees.
pub(crate) const CG_SHARE: f64 = 0.25;

/// A run of conjugate gradients that leaves more than this share of the distance has met with rounding:
/// with a preconditioner of condition κ it leaves 4·exp(−4·30/√κ), less than this for κ < 3000.
pub(crate) const CG_STALL: f64 = 0.5;

/// Default duality gap of kernel ridge by conjugate gradients, relative to the objective, in double
/// precision: fitted values are then within 10⁻⁵√J of the optimal ones in the root mean square.
pub(crate) const CG_GAP: f64 = 1e-10;

/// The greatest duality gap, relative to the objective, of a solution by a factorisation that is one: rounding leaves (u·κ)² of
/// it for a matrix of condition κ, and fitted values that differ by √10⁻⁵ of √J are no longer those of the problem.
pub(crate) const EXACT_GAP: f64 = 1e-5;

/// A block of a support vector machine is solved until its violation is this share of that of all points: to go
/// further would fit it to what the other blocks change.
pub(crate) const INNER_SHARE: f64 = 0.1;

/// Default half-width ε of the tube of support vector regression: LIBSVM's, for standardised targets.
pub(crate) const DEFAULT_TUBE: f64 = 0.1;

/// Duality gaps of two intercepts that differ by less than this share of the objective are one: rounding of sums over
/// millions of points.
pub(crate) const SAME_GAP: f64 = 1e-10;

/// Iterations of k-means after which sums are computed afresh: each adds and subtracts a kernel value, so twenty leave
/// some twenty rounding errors of the sum in double precision for every point that moved.
pub(crate) const KMEANS_RENEWAL: usize = 20;

/// The squared distance of a point from the span of k others at which rounding cannot tell it from none: four times
/// the backward error of a pivot of the Cholesky factor of kernel values, (k + 1)·u·K(x, x) (Higham 2002, theorem 10.3).
pub(crate) fn projection_floor<T: Scalar>(size: usize, diagonal: f64) -> f64 {
    4.0 * (size as f64 + 1.0) * T::UNIT_ROUNDOFF * diagonal
}

/// The difference of a sum of shares that are read from 1.
pub(crate) const SHARES: f64 = 1e-9;

/// Numbers that differ by less, relative to them, are equal but for rounding: the first of them is taken.
pub(crate) const EQUAL: f64 = 1e-9;

/// The change of a weight, relative to the greatest, that ends the search for weights that are aligned.
pub(crate) const WEIGHT_CHANGE: f64 = 1e-14;
/// The part of a kernel's value that may be missing from the sum of its terms: rounding in single precision.
pub(crate) const MISSING_TERM: f64 = 1e-3;

/// Norms of the weights of kernels.
pub(crate) static P_NORM: Domain = Domain::real(1.0, 1e3);
/// Default relative gap of weights: SimpleMKL's.
pub(crate) const WEIGHT_GAP: f64 = 1e-2;
/// Default of the most fits with weights between them.
pub(crate) const WEIGHT_ROUNDS: usize = 100;
/// The most sweeps over the weights of a sum that is aligned with targets.
pub(crate) const MOST_SWEEPS: usize = 10_000;

/// Default bounds of the parameters of Gaussian processes: those of scikit-learn.
pub(crate) const LEAST_PARAMETER: f64 = 1e-5;
/// And the greatest.
pub(crate) const GREATEST_PARAMETER: f64 = 1e5;

/// Default factor within which restarts of Gaussian processes draw parameters around the given ones. On 120 rows of five real
/// sets, length scales, amplitudes and noises within e² to e³ reached the best optimum in a quarter to a half of the searches;
/// from anywhere between the bounds, one search in sixty came near it.
pub(crate) const RESTART_SPREAD: f64 = 50.0;

/// Default number of permutations of a test: the habit of the field, with which p has three digits.
pub(crate) const PERMUTATIONS: usize = 999;

/// The difference of two statistics of permutations that is rounding, for kernel values up to this: 16 units. Discrepancies are sums
/// of products with signs, whose errors cancel; those of another order of the same points differ by about one unit.
pub(crate) fn tie<T: Scalar>(greatest: f64) -> f64 {
    16.0 * T::UNIT_ROUNDOFF * greatest
}
