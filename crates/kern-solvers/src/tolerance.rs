//! Tolerances shared by several files of this crate, with their derivations.

use kern_core::Scalar;
use kern_core::parameters::Domain;

/// Decision values that differ by less than this fraction of the larger of them and 1 are tied.
/// Those of free support vectors differ by the tolerance of the solver.
pub const TIED: f64 = 1e-9;

/// Default shrinkage of a learned metric, as a fraction of the mean of its diagonal. It reduces the
/// loss from uninformative features in later iterations of feature machines on few points
/// (concrete: 0.355 without, 0.322 with it after four iterations of a prototype).
pub(crate) const FEATURE_SHRINKAGE: f64 = 0.05;

/// The duality gap of an SVM, relative to the objective, above which iterations continue, whatever
/// the violation. The gap can be nC times the violation: a large penalty, C = 10⁵ on separable
/// classes, left gaps of nine tenths at violations of 10⁻³. A coarser tolerance allows a gap of its
/// own size.
pub(crate) fn loosest_gap(violation: f64) -> f64 {
    violation.max(0.01)
}

/// A Newton step is accepted if it achieves this fraction of the decrease predicted by its slope
/// (Armijo's rule with the usual constant, Nocedal & Wright 2006, (3.4)).
pub(crate) const SUFFICIENT_DECREASE: f64 = 1e-4;

/// The number of halvings after which a step is too short to change a double.
pub(crate) const MOST_HALVINGS: usize = 50;

/// The largest number of conjugate gradient iterations per Newton step: a good preconditioner needs
/// far fewer.
pub(crate) const MOST_CG_ITERATIONS: usize = 100;

/// Conjugate gradient iterations after which the residual is recomputed, before rounding separates
/// the updated residual from the true one.
pub(crate) const CG_RUN: usize = 30;

/// The fraction of the requested residual that a run of conjugate gradients aims at, so that the
/// recomputed residual meets the request.
pub(crate) const CG_SHARE: f64 = 0.25;

/// A run of conjugate gradients that leaves more than this fraction of the residual is limited by
/// rounding: with a preconditioned condition number κ it leaves 4·exp(−4·30/√κ), less than this for
/// κ < 3000.
pub(crate) const CG_STALL: f64 = 0.5;

/// Default duality gap of kernel ridge regression by conjugate gradients, relative to the
/// objective, in double precision: the root mean square error of fitted values is then within
/// 10⁻⁵√J.
pub(crate) const CG_GAP: f64 = 1e-10;

/// The largest duality gap, relative to the objective, of a valid solution by a factorisation:
/// rounding leaves a gap of (u·κ)² for condition number κ, and fitted values that differ by √10⁻⁵
/// of √J no longer solve the problem.
pub(crate) const EXACT_GAP: f64 = 1e-5;

/// The violation of an SVM working set, as a fraction of that of all points, at which its
/// subproblem is solved: further steps would fit it to values that other working sets change.
pub(crate) const INNER_SHARE: f64 = 0.1;

/// Default half-width ε of the tube of support vector regression: that of LIBSVM, for standardised
/// targets.
pub(crate) const DEFAULT_TUBE: f64 = 0.1;

/// Duality gaps of two intercepts that differ by less than this fraction of the objective are
/// equal: rounding of sums over millions of points.
pub(crate) const SAME_GAP: f64 = 1e-10;

/// Iterations of k-means after which sums are recomputed: each adds and subtracts a kernel value,
/// so that twenty leave about twenty double-precision rounding errors of the sum for every point
/// that moved.
pub(crate) const KMEANS_RENEWAL: usize = 20;

/// The squared distance of a point from the span of k others that is indistinguishable from zero:
/// four times the backward error of a pivot of the Cholesky factor of kernel values, (k + 1)·u·K(x,
/// x) (Higham 2002, theorem 10.3).
pub(crate) fn projection_floor<T: Scalar>(size: usize, diagonal: f64) -> f64 {
    4.0 * (size as f64 + 1.0) * T::UNIT_ROUNDOFF * diagonal
}

/// The largest difference from 1 of the sum of mixture weights read from a file.
pub(crate) const SHARES: f64 = 1e-9;

/// Values whose relative difference is smaller are equal up to rounding: the first is chosen.
pub(crate) const EQUAL: f64 = 1e-9;

/// The change of a weight, relative to the largest, at which the kernel alignment iteration stops.
pub(crate) const WEIGHT_CHANGE: f64 = 1e-14;
/// The fraction of a kernel value that may be missing from the sum of its terms: single-precision
/// rounding.
pub(crate) const MISSING_TERM: f64 = 1e-3;

/// The allowed p of the norm of kernel weights.
pub(crate) static P_NORM: Domain = Domain::real(1.0, 1e3);
/// Default relative gap of kernel weights: that of SimpleMKL.
pub(crate) const WEIGHT_GAP: f64 = 1e-2;
/// Default limit on the number of fits, with weight updates in between.
pub(crate) const WEIGHT_ROUNDS: usize = 100;
/// The largest number of sweeps over the weights of a sum of kernels aligned with targets.
pub(crate) const MOST_SWEEPS: usize = 10_000;

/// Default number of permutations of a test: the usual choice, which gives p-values with three
/// digits.
pub(crate) const PERMUTATIONS: usize = 999;

/// The rounding error of the difference of two permutation statistics, for kernel values up to this
/// size: 16 units of round-off. Discrepancies are sums of products with signs, whose errors cancel;
/// other orders of the same points differ by about one unit.
pub(crate) fn tie<T: Scalar>(largest: f64) -> f64 {
    16.0 * T::UNIT_ROUNDOFF * largest
}
