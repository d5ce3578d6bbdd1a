//! Support vector machines: classification, regression, and the region of most points.
//!
//! # Definition
//! With signed coefficients β, one per point, f = b + Σⱼ βⱼK(·, xⱼ), all of them solve
//!
//! minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and Σβ = s.
//!
//! | machine | p | \[l, u\] | ε | s |
//! |---|---|---|---|---|
//! | [`Svc`] with C, yᵢ = ±1 | y | \[0, Cᵢ\] where yᵢ = 1, else \[−Cᵢ, 0\] | 0 | 0 |
//! | [`Svr`] with ε | y | \[−Cᵢ, Cᵢ\] | ε | 0 |
//! | [`OneClass`] | 0 | \[0, 1\] | 0 | νn |
//! | [`Svdd`] | ½K(xᵢ, xᵢ) | \[0, min(1, 1/(νn))\] | 0 | 1 |
//! | [`Svc`] with ν | 0 | as with C = 1 | 0 | ±νn/2 for each class |
//! | [`Svr`] with ν, two variables per point | y | \[0, C\], \[−C, 0\] | 0 | ±νCn/2 for each sign |
//!
//! C is the penalty of Σξᵢ, as in LIBSVM. b is the mean, over the points whose β is at no bound, of what makes the
//! optimality conditions equations; without such points the midpoint of the interval that they leave. Where another b of
//! that interval makes the primal objective less, it is that one: the interval is as wide as the violation by which a fit stops, so b
//! is the mean to within that.
//!
//! On a kernel ([`OnKernel`](crate::space::OnKernel)) all of them are solved, on features
//! ([`OnFeatures`](crate::space::OnFeatures), by dual coordinate descent) and on landmarks
//! ([`OnLandmarks`](crate::space::OnLandmarks)) those without ν, and one class; balls on features, too.
//!
//! # Method
//! Sequential minimal optimisation with second-order selection on blocks of points, which lie in the cache of the
//! processor: pairs that violate the optimality conditions most, and half of the block before. After each round the
//! gradient of all points, kept in double precision, learns of what changed, by one product with the columns
//! of the kernel matrix. Problems of up to 1024 points are one block; larger ones have blocks of 640, and beyond 40,960
//! points of n/64 up to 4096. Kernel values between the points of a block are computed, not looked up in columns, unless the matrix is
//! stored and that is faster; so a column is computed only when its coefficient has changed. A pair moves by an exact search along a
//! function that is quadratic but for the kinks of ε|β|, so regression has as many variables as points.
//! The binary problems of several classes share one kernel matrix.
//!
//! # Certificate
//! Objective, gap and violation of a report are those of the function in the model, with its coefficients and its intercept as
//! they are rounded to the type of the points: primal minus dual objective is
//! Σᵢ (Cᵢ − |βᵢ|)max(0, mᵢ) + |βᵢ|max(0, −mᵢ) with mᵢ = 1 − yᵢf(xᵢ) (of regression: with the ε-insensitive loss) plus ½ of the
//! squared norm by which rounding moves the function. It is at most nC(m − M)/2, where m − M is the violation by
//! which a fit stops. If rounding may have moved values of the function by more than a thousandth of the violation that is
//! allowed, they are computed from fresh kernel values before a fit says that it has converged.
//!
//! The function of a hard margin (C = ∞) is scaled so that the least margin is 1, its objective is ½‖f‖², and there is a gap
//! only if it separates the classes.
//!
//! # References
//! Vapnik (1998), *Statistical Learning Theory*; Tax & Duin (2004), *Support Vector Data Description*; Platt (1998), *Sequential Minimal Optimization*; Keerthi, Shevade,
//! Bhattacharyya & Murthy (2001), *Improvements to Platt's SMO Algorithm*, for m − M; Fan, Chen & Lin (2005), *Working
//! Set Selection Using Second Order Information*; Joachims (1999), *Making Large-Scale SVM Learning Practical*,
//! for blocks; Chang & Lin (2011), *LIBSVM*.

mod arranged;
mod column_cache;
mod coordinate_ascent;
mod decomposition;
mod dual_problem;
mod feature;
mod kernel_svm;
pub mod libsvm;
mod one_class;
mod smo;
mod smo_block;
mod svc;
mod svdd;
mod svm_certificate;
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
