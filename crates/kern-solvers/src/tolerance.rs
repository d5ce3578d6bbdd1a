//! Every tolerance of this crate, with its derivation.

use kern_core::Scalar;
use kern_core::parameters::Domain;

/// The scale factor of SGD iterates is folded into them when it falls below this. Their product is
/// what counts; the bound keeps both factors far from underflow and costs one pass in 10⁶-fold decay.
pub(crate) const SMALLEST_SCALE: f64 = 1e-6;

/// Default λ of kernel ridge: for kernels with unit diagonal and standardised targets the penalty
/// of a function of norm 1 is then a millionth of the mean squared error of predicting zero.
pub(crate) const DEFAULT_LAMBDA: f64 = 1e-6;

/// Decision values that differ by less than this share of the larger of them and 1 are tied: those of support vectors that are
/// not bounded differ by the tolerance of the solver.
pub const TIED: f64 = 1e-9;

/// The decades of λ among which ridge regression chooses, and the number of them in a decade: below, rounding of the kernel
/// matrix is as large as the penalty, and above, a function of a kernel with values up to 1 is nearly constant.
pub(crate) const SMALLEST_LAMBDA: i32 = -8;
pub(crate) const LARGEST_LAMBDA: i32 = 1;
pub(crate) const LAMBDAS_PER_DECADE: f64 = 2.0;

/// Default duality gap of a fit in rounds, relative to the objective: each round reads all samples, and a solution within 10⁻⁴ of
/// the optimum predicts as the optimum does, since the error by finite samples is greater.
pub(crate) const ROUNDS_GAP: f64 = 1e-4;

/// Default greatest number of such rounds.
pub(crate) const ROUNDS: usize = 200;

/// The decrease of the objective along a step, relative to what its slope promises, below which the step is shortened (Nocedal &
/// Wright 2006, (3.4)).
pub(crate) const ROUNDS_PROGRESS: f64 = 1e-4;

/// The rise of the objective that is none, relative to it: sums of 10⁹ samples in blocks err by some hundred units.
pub(crate) const ROUNDS_ROUNDING: f64 = 1e-14;

/// The shortest step of such a fit, relative to that of Newton's method in its metric: a shorter one is rounding.
pub(crate) const ROUNDS_STEP: f64 = 1e-8;

/// Default relative decrease at which k-means in rounds ends, and the most rounds.
pub(crate) const ROUNDS_DECREASE: f64 = 1e-6;
pub(crate) const ROUNDS_OF_MEANS: usize = 300;

/// Default rounds of a recursive feature machine: on eight real sets of at most 600 points the least errors came after none to
/// four rounds; more were not tried.
pub(crate) const FEATURE_ROUNDS: usize = 4;

/// Default share of the mean of its diagonal that is added to a learned metric: with it, later rounds of machines on few points
/// lose less by features that say little (concrete 0.355 without, 0.322 with it after four rounds of a prototype).
pub(crate) const FEATURE_SHRINKAGE: f64 = 0.05;

/// Default folds that judge the rounds of a recursive feature machine.
pub(crate) const FEATURE_FOLDS: usize = 5;

/// The duality gap of the weights of stacked functions, relative to the square of the best one's error.
pub(crate) const STACKED_GAP: f64 = 1e-9;

/// The least weight of a stacked function that is kept, relative to the greatest one.
pub(crate) const STACKED_WEIGHT: f64 = 0.01;

/// Default greatest number of points of one recursive feature machine: its kernel matrix in double precision takes 2 GiB.
pub(crate) const FEATURE_LEAF: usize = 16_000;

/// The relative decrease of a leave-one-out error that is worth another step along λ or the spread: along the valley where both
/// grow the error of many a kernel hardly changes.
pub(crate) const FEATURE_PROGRESS: f64 = 1e-3;

/// The duality gap of a support vector machine, relative to the objective, above which it goes on, whatever the
/// violation: the gap is up to nC times that, so that great penalties, C = 10⁵ on separable classes, left gaps of nine tenths
/// behind violations of 10⁻³. Coarser violations allow as much as they say.
pub(crate) fn loosest_gap(violation: f64) -> f64 {
    violation.max(0.01)
}

/// The gap of a support vector machine whose optimum is zero, relative to the losses of the function 0: each of these is rounded
/// a few times.
pub(crate) const ZERO_GAP: f64 = 8.0 * f64::EPSILON;

/// Default fraction of points that early stopping holds out: the habit of the field.
pub(crate) const HELD_OUT: f64 = 0.1;

/// Default relative decrease of the held-out loss that counts as progress: of a tenth of the points
/// the loss is not known better than that below n = 10⁷.
pub(crate) const PROGRESS: f64 = 1e-3;

/// Default λ of kernel logistic regression: a function of norm 1 then costs a thousandth of ½, where
/// the loss of knowing nothing is ln 2.
pub(crate) const DEFAULT_LOGISTIC_LAMBDA: f64 = 1e-3;

/// Default duality gap, relative to the objective. Decision values are then within √(2·1e-8·J/λ) of the
/// optimum for kernels with unit diagonal.
pub(crate) const DEFAULT_RELATIVE_GAP: f64 = 1e-8;

/// Default duality gap of ridge regression on landmarks, relative to the objective: fitted values are then within
/// a thousandth of √J of the best ones in the root mean square, far less than landmarks leave. In single
/// precision rounding leaves 2e-6 for 200 000 points, 2000 landmarks and λ = 1e-6.
pub(crate) fn landmark_gap<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { 1e-6 } else { 1e-5 }
}

/// Default duality gap of ridge regression on features where it is iterated, relative to the objective: in double precision that
/// of conjugate gradients on a kernel, in single precision what rounding allows on landmarks.
pub(crate) fn feature_gap<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { CG_GAP } else { landmark_gap::<T>() }
}

/// A step of Newton's method is accepted if it brings this share of the decrease that its slope promises
/// (Armijo's rule with the usual constant, Nocedal & Wright 2006, (3.4)).
pub(crate) const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Halvings after which a step is too short to change a number in double precision.
pub(crate) const MOST_HALVINGS: usize = 50;

/// The relative residual of a Newton step far from the optimum: a tenth, which the convergence
/// of the gap tightens to what Newton's method can use (Dembo, Eisenstat & Steihaug 1982).
pub(crate) const LOOSEST_STEP: f64 = 0.1;

/// The penalty that a logistic problem on landmarks starts with: for kernels with unit diagonal the Hessian matrix is
/// at most ¼ + λ, and Newton's method is at home.
pub(crate) const FIRST_LAMBDA: f64 = 0.1;

/// The factor by which g + nλα may be longer than g, which it is at the start and to which nλα comes close: a longer
/// one has grown where the kernel matrix has no rank, by conjugate gradients in a norm that does not see it.
pub(crate) const STRAYED: f64 = 10.0;

/// The ratio of consecutive penalties on the way to that of a logistic problem on landmarks.
pub(crate) const PATH_RATIO: f64 = 0.1;

/// The gap, relative to the objective, at which a penalty on the way has served its purpose.
pub(crate) const PATH_GAP: f64 = 0.1;

/// A decrease of the objective, relative to it, that rounding of a sum over millions of points may hide: 64 units.
pub(crate) const ROUNDED_SLOPE: f64 = 64.0 * f64::EPSILON;

/// Conjugate gradient iterations of one Newton step, at most: as good a preconditioner needs far fewer.
pub(crate) const MOST_CG_ITERATIONS: usize = 100;

/// Conjugate gradient iterations after which the residual is computed afresh: rounding has had no time
/// to separate it from the one that is updated.
pub(crate) const CG_RUN: usize = 30;

/// A run of conjugate gradients aims at this share of the distance that is asked for, so that the fresh
/// residual agrees.
pub(crate) const CG_SHARE: f64 = 0.25;

/// A run of conjugate gradients with values in single precision aims at this share of the gap that it was begun with: rounding
/// leaves about half of it (200 000 points, 2000 landmarks, λ = 1e-6: 4·10⁻¹⁰).
pub(crate) const CG_ROUNDED: f64 = 1e-9;

/// A run of conjugate gradients that leaves more than this share of the distance has met with rounding:
/// with a preconditioner of condition κ it leaves 4·exp(−4·30/√κ), less than this for κ < 3000.
pub(crate) const CG_STALL: f64 = 0.5;

/// Kernel ridge with a factor in single precision: its rounding errors over nλ, at most, where it preconditions.
pub(crate) const MIXED_ERRORS: f64 = 0.25;

/// The same, where leave-one-out residuals have the diagonal of its inverse: their relative error, at most.
pub(crate) const MIXED_INVERSE: f64 = 1e-3;

/// Kernel ridge with a factor in single precision: rᵀP⁻¹r relative to that of the first residual at which
/// conjugate gradients stop. The relative gap is then at most κ(M) times as much.
pub(crate) const MIXED_ENERGY: f64 = 1e-26;

/// Its iterations, at most: a factor in double precision takes as long as some 25 products with K at n = 8000.
pub(crate) const MIXED_ITERATIONS: usize = 24;

/// Its relative gap, at most: the square of what remains of 16 digits after a loss of 7.
pub(crate) const MIXED_GAP: f64 = 1e-18;

/// Default duality gap of kernel ridge by conjugate gradients, relative to the objective, in double
/// precision: fitted values are then within 10⁻⁵√J of the optimal ones in the root mean square.
pub(crate) const CG_GAP: f64 = 1e-10;

/// And in single precision, where the rounding of the coefficients alone makes a gap: of a part u²/λ of the
/// objective for coefficients of independent errors, 3.6e-9 for λ = 1e-6, or more.
pub(crate) const CG_GAP_SINGLE: f64 = 1e-6;

/// The greatest duality gap, relative to the objective, of a solution by a factorisation that is one: rounding leaves (u·κ)² of
/// it for a matrix of condition κ, and fitted values that differ by √10⁻⁵ of √J are no longer those of the problem.
pub(crate) const EXACT_GAP: f64 = 1e-5;

/// Default bound on the iterations of kernel ridge by conjugate gradients: what a preconditioner of
/// condition 10⁴ needs.
pub(crate) const CG_ITERATIONS: usize = 1000;

/// The relative error of products with K that only steer conjugate gradients: far below the accuracy of
/// a Newton step, whose own product is computed.
pub(crate) const STEERING_ERROR: f64 = 1e-5;

/// The least weight in a matrix of weighted ridge regression whose greatest weight is given: √u of it. A
/// point of less curvature has no say in the step, and its weight may be divided by.
pub(crate) fn lowest_weight<T: Scalar>(greatest: f64) -> f64 {
    T::UNIT_ROUNDOFF.sqrt() * greatest
}

/// The least curvature K_ii + K_jj − 2K_ij along which a support vector machine moves a pair, relative to
/// K_ii + K_jj: for equal points rounding leaves anything between, and LIBSVM's choice is 10⁻¹² for a kernel with
/// unit diagonal.
pub(crate) const CURVATURE_FLOOR: f64 = 5e-13;

/// A block of a support vector machine is solved until its violation is this share of that of all points: to go
/// further would fit it to what the other blocks change.
pub(crate) const INNER_SHARE: f64 = 0.1;

/// Default violation of the optimality conditions of a support vector machine, in units of the margin: LIBSVM's.
pub(crate) const DEFAULT_VIOLATION: f64 = 1e-3;

/// The distance of the reduced convex hulls of two classes, as a part of that of points in them, that is taken for none.
pub(crate) const NO_MARGIN: f64 = 1e-4;

/// The part of squared distances that the rounding of kernel values may be before a machine takes distances in their place: a
/// hundredth of the violation at which it ends.
pub(crate) const BLURRED: f64 = 1e-5;

/// The least margin of a ν-machine that is one, relative to the greatest value of its function: a thousandth of it is a
/// violation that double precision still sees in values of ten thousand terms.
pub(crate) const LEAST_MARGIN: f64 = 1e-8;

/// The least squared radius of a ball that violations are measured by, relative to the greatest K(x, x): differences of so few units
/// of rounding, ten thousand, are the distances of equal points.
pub(crate) fn least_ball<T: Scalar>() -> f64 {
    1e4 * T::UNIT_ROUNDOFF
}

/// Default half-width ε of the tube of support vector regression: LIBSVM's, for standardised targets.
pub(crate) const DEFAULT_TUBE: f64 = 0.1;

/// The share of the violation that is allowed to which values of a support vector machine's function are certain, or
/// its certificate is computed from fresh kernel values: three digits of the violation are then right.
pub(crate) const CERTAIN_SHARE: f64 = 1e-3;

/// Dual coordinate descent ends its passes at this share of the tolerance: the steps after a visit change the
/// optimality conditions of what was visited.
pub(crate) const FREE_SHARE: f64 = 0.5;

/// The same of problems with a bias, whose violation is that of a pair, twice that of one coefficient.
pub(crate) const COUPLED_SHARE: f64 = 0.25;

/// The factor by which the bias of dual coordinate descent may become stiffer than at first: for C down to 1e-12 of
/// what would move it at once.
pub(crate) const STIFFEST: f64 = 1e12;

/// The shift of the diagonal of the products of free support vectors, relative to its mean: far less than
/// their curvature, and more than the rounding of a few hundred of them.
pub(crate) const POLISH_SHIFT: f64 = 1e-12;

/// Duality gaps of two intercepts that differ by less than this share of the objective are one: rounding of sums over
/// millions of points.
pub(crate) const SAME_GAP: f64 = 1e-10;

/// Default bound on the iterations of k-means: scikit-learn's.
pub(crate) const KMEANS_ITERATIONS: usize = 300;

/// Iterations of k-means after which sums are computed afresh: each adds and subtracts a kernel value, so twenty leave
/// some twenty rounding errors of the sum in double precision for every point that moved.
pub(crate) const KMEANS_RENEWAL: usize = 20;

/// The effect of rounding on the sum of the k greatest eigenvalues of an n × n matrix, relative to the greatest: n
/// units for each, the backward error of a tridiagonal reduction in practice (Higham 2002, section 28.3, has n² in
/// theory).
pub(crate) fn eigenvalue_sum(n: usize, k: usize) -> f64 {
    (n * k) as f64 * f64::UNIT_ROUNDOFF
}

/// Default decrease of the objective of batches, relative to the mean of K(x, x), that ends k-means by batches: below the
/// noise of some thousand squared distances.
pub(crate) const MINI_BATCH_KMEANS: f64 = 1e-3;

/// Default decrease of the free energy, relative to Σᵢ wᵢK(xᵢ, xᵢ), that ends soft k-means: near a minimum shares are then
/// within some 1e-4 of it.
pub(crate) const SOFT_KMEANS: f64 = 1e-9;

/// The squared distance of a point from the span of k others at which rounding cannot tell it from none: four times
/// the backward error of a pivot of the Cholesky factor of kernel values, (k + 1)·u·K(x, x) (Higham 2002, theorem 10.3).
pub(crate) fn projection_floor<T: Scalar>(size: usize, diagonal: f64) -> f64 {
    4.0 * (size as f64 + 1.0) * T::UNIT_ROUNDOFF * diagonal
}

/// Default of the least variance of a component of a mixture, relative to that of the targets: a thousandth of their deviation.
pub(crate) const NOISE_FLOOR: f64 = 1e-6;

/// Default increase of the likelihood of a mixture, per point, that ends its rounds: near a maximum responsibilities are then within
/// some 1e-3 of it.
pub(crate) const MIXTURE_PROGRESS: f64 = 1e-6;

/// Units of rounding in a value of a mixture's functions, as far as its likelihood is concerned: of kernel values, of coefficients, and of
/// their sums.
pub(crate) const MIXTURE_ROUNDING: f64 = 16.0;

/// The difference of a sum of shares that are read from 1.
pub(crate) const SHARES: f64 = 1e-9;

/// Default variance of the noise that a Gaussian process starts its search with: a tenth of standardised targets is noise.
pub(crate) const DEFAULT_NOISE: f64 = 0.1;

/// Numbers that differ by less, relative to them, are equal but for rounding: the first of them is taken.
pub(crate) const EQUAL: f64 = 1e-9;

/// The change of a weight, relative to the greatest, that ends the search for weights that are aligned.
pub(crate) const WEIGHT_CHANGE: f64 = 1e-14;
/// The part of a kernel's value that may be missing from the sum of its terms: rounding in single precision.
pub(crate) const MISSING_TERM: f64 = 1e-3;

/// Default residual of principal components, relative to the greatest eigenvalue.
pub(crate) const RESIDUAL: f64 = 1e-10;
/// And in single precision.
pub(crate) const RESIDUAL_SINGLE: f64 = 1e-5;

/// The share of its length that a direction keeps beside a basis below which it is made orthogonal to it once more: two rounds leave errors of
/// some units of rounding of the whole length, and of what is left at most so many times as much.
pub(crate) const CANCELLED: f64 = 1e-3;

/// Points up to which all eigenvectors are found.
pub(crate) const DENSE_COMPONENTS: usize = 300;
/// Products with a block that principal components take, or so.
pub(crate) const BLOCK_PRODUCTS: f64 = 12.0;

/// Norms of the weights of kernels.
pub(crate) static P_NORM: Domain = Domain::real(1.0, 1e3);
/// Default relative gap of weights: SimpleMKL's.
pub(crate) const WEIGHT_GAP: f64 = 1e-2;
/// Default of the most fits with weights between them.
pub(crate) const WEIGHT_ROUNDS: usize = 100;
/// The most sweeps over the weights of a sum that is aligned with targets.
pub(crate) const MOST_SWEEPS: usize = 10_000;

/// Default of the most ridge regressions that find an expectile.
pub(crate) const EXPECTILE_ROUNDS: usize = 50;

/// Default bounds of the parameters of Gaussian processes: those of scikit-learn.
pub(crate) const LEAST_PARAMETER: f64 = 1e-5;
/// And the greatest.
pub(crate) const GREATEST_PARAMETER: f64 = 1e5;

/// The number that is added to the Gram matrix of landmarks of a Gaussian process, relative to the mean of its diagonal: enough for a
/// Cholesky factor of some thousand near-dependent landmarks.
pub(crate) const LANDMARK_JITTER: f64 = 1e-10;
/// And in single precision.
pub(crate) const LANDMARK_JITTER_SINGLE: f64 = 1e-4;

/// The change of the objective of Laplace's approximation, relative to 1 and it, that ends Newton's steps: their error is the
/// square of that of the step before.
pub(crate) const fn laplace<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { 1e-12 } else { 1e-6 }
}
/// The most of these steps.
pub(crate) const MOST_LAPLACE_STEPS: usize = 100;

/// Default factor within which restarts of Gaussian processes draw parameters around the given ones. On 120 rows of five real
/// sets, length scales, amplitudes and noises within e² to e³ reached the best optimum in a quarter to a half of the searches;
/// from anywhere between the bounds, one search in sixty came near it.
pub(crate) const RESTART_SPREAD: f64 = 50.0;

/// Default decrease of a likelihood, relative to it, that is none: 10⁷ units of rounding, as SciPy's L-BFGS-B has it.
pub(crate) const LIKELIHOOD: f64 = 1e7 * f64::EPSILON;

/// And in single precision, where the factor's rounding moves the logarithm of the determinant by some 10⁻⁶ of it.
pub(crate) const LIKELIHOOD_SINGLE: f64 = 1e-5;

/// The slope of a likelihood in the logarithm of a parameter that is none: SciPy's.
pub(crate) const LIKELIHOOD_SLOPE: f64 = 1e-5;

/// The negative eigenvalue of a kernel matrix, relative to the greatest one, that rounding of its entries explains: scikit-learn's.
pub(crate) fn indefinite<T: Scalar>() -> f64 {
    if size_of::<T>() == size_of::<f64>() { 1e-5 } else { 5e-3 }
}

/// The relative decrease of a squared distance, and the slope of it, with which a descent to a pre-image ends.
pub(crate) const PRE_IMAGE: f64 = 1e-9;

/// The most steps of such a descent: those of kernels with kinks need not end.
pub(crate) const PRE_IMAGE_ITERATIONS: usize = 200;

/// Default number of permutations of a test: the habit of the field, with which p has three digits.
pub(crate) const PERMUTATIONS: usize = 999;

/// The difference of two statistics of permutations that is rounding, for kernel values up to this: 16 units. Discrepancies are sums
/// of products with signs, whose errors cancel; those of another order of the same points differ by about one unit.
pub(crate) fn tie<T: Scalar>(greatest: f64) -> f64 {
    16.0 * T::UNIT_ROUNDOFF * greatest
}

/// The part of the trace that factors of a test of independence may leave: the level does not depend on it, and a kernel with a
/// thousandth less variance tells as much.
pub(crate) const FACTOR_TRACE: f64 = 1e-3;

/// Default weight of squared norms in canonical correlations: of functions of a kernel with unit diagonal, whose variance is at most 1,
/// a hundredth for each unit of the norm.
pub(crate) const CANONICAL_PENALTY: f64 = 1e-2;
