//! Support vector machines: classification, regression and novelty detection.
//!
//! # Definition
//! With one signed coefficient βⱼ per point and f = b + Σⱼ βⱼK(·, xⱼ), every estimator solves the
//! dual problem
//!
//! minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and Σβ = s.
//!
//! | estimator | p | \[l, u\] | ε | s |
//! |---|---|---|---|---|
//! | [`Svc`] with C, yᵢ = ±1 | y | \[0, Cᵢ\] where yᵢ = 1, else \[−Cᵢ, 0\] | 0 | 0 |
//! | [`Svr`] with ε | y | \[−Cᵢ, Cᵢ\] | ε | 0 |
//! | [`OneClass`] | 0 | \[0, 1\] | 0 | νn |
//! | [`Svdd`] | ½K(xᵢ, xᵢ) | \[0, min(1, 1/(νn))\] | 0 | 1 |
//! | [`Svc`] with ν | 0 | as with C = 1 | 0 | ±νn/2 for each class |
//! | [`Svr`] with ν, two variables per point | y | \[0, C\], \[−C, 0\] | 0 | ±νCn/2 for each sign |
//!
//! C is the penalty of Σξᵢ, as in LIBSVM. The intercept b is the mean, over the free points (β
//! strictly between its bounds, and not 0 for ε-SVR), of the value for which their optimality
//! conditions hold with equality. Without free points it is the midpoint of the interval that the
//! optimality conditions allow. If another b in that interval lowers the primal objective, that one
//! is taken; the interval is as wide as the violation at which the fit stops, so b equals the mean
//! up to that violation.
//!
//! A kernel ([`OnKernel`](crate::space::OnKernel)) supports all of them. Features
//! ([`OnFeatures`](crate::space::OnFeatures), by dual coordinate descent) and landmarks
//! ([`OnLandmarks`](crate::space::OnLandmarks)) support C-SVC, ε-SVR, quantile regression and the
//! one-class SVM; features also support SVDD.
//!
//! # Method
//! Decomposition with sequential minimal optimisation (SMO) and second-order working set selection,
//! on blocks of points that fit the processor cache. A block holds the points that violate the
//! optimality conditions most and half of the previous block. After each outer iteration the
//! gradient of all points, kept in double precision, is updated by one product with the columns of
//! the kernel matrix. Problems of up to 1024 points are one block; larger ones have blocks of 640,
//! and beyond 40,960 points blocks of n/64, up to 4096. There is no shrinking: blocks leave out the
//! points that shrinking would remove. Kernel values within a block are computed rather than read
//! from columns, unless the matrix is stored and reading is faster; a column is therefore computed
//! only once its coefficient has changed. A pair is moved by an exact line search over a function
//! that is quadratic except for the kinks of ε|β|, so regression needs only one variable per point.
//! The binary problems of a multi-class fit share one kernel matrix.
//!
//! # Certificate
//! Objective, gap and violation in a report refer to the function in the model, with coefficients
//! and intercept rounded to the scalar type of the points. The duality gap, primal minus dual
//! objective, is Σᵢ (Cᵢ − |βᵢ|)max(0, mᵢ) + |βᵢ|max(0, −mᵢ) with mᵢ = 1 − yᵢf(xᵢ) (for regression:
//! with the ε-insensitive loss) plus ½ of the squared norm of the change of the function by
//! rounding. It is at most nC(m − M)/2, where m − M is the violation at which the fit stops. If
//! rounding may have changed values of the function by more than a thousandth of the allowed
//! violation, they are recomputed from fresh kernel values before the fit is reported as converged.
//!
//! For a hard margin (C = ∞) the function is scaled so that the smallest margin is 1, its objective
//! is ½‖f‖², and a gap is available only if the function separates the classes.
//!
//! # References
//! Vapnik (1998), *Statistical Learning Theory*; Tax & Duin (2004), *Support Vector Data
//! Description*; Platt (1998), *Sequential Minimal Optimization*; Keerthi, Shevade, Bhattacharyya &
//! Murthy (2001), *Improvements to Platt's SMO Algorithm*, for m − M; Fan, Chen & Lin (2005),
//! *Working Set Selection Using Second Order Information*; Joachims (1999), *Making Large-Scale SVM
//! Learning Practical*, for decomposition into blocks; Chang & Lin (2011), *LIBSVM*.

mod arranged;
mod coordinate_ascent;
mod decomposition;
mod dual_problem;
mod feature;
mod kernel_columns;
mod kernel_svm;
pub mod libsvm;
mod one_class;
mod smo;
mod smo_block;
mod svc;
mod svdd;
mod svm_certificate;
#[cfg(test)]
mod svm_certificate_tests;
mod svm_solution;
mod svr;
mod training;
mod working_set;

pub use coordinate_ascent::CoordinateAscent;
pub use one_class::OneClass;
pub use svc::Svc;
pub use svdd::Svdd;
pub use svr::Svr;
pub use training::SvmSpace;
