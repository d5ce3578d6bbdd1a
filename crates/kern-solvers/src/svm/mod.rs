//! Support vector machines: classification, regression, and the support of a distribution.
//!
//! # Definition
//! With signed coefficients β, one per point, f = b + Σⱼ βⱼK(·, xⱼ), all of them solve
//!
//! minimise ½βᵀKβ − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and Σβ = s.
//!
//! | machine | p | \[l, u\] | ε | s |
//! |---|---|---|---|---|
//! | [`Svc`], yᵢ = ±1 | y | \[0, Cᵢ\] where yᵢ = 1, else \[−Cᵢ, 0\] | 0 | 0 |
//! | [`Svr`] | y | \[−Cᵢ, Cᵢ\] | ε | 0 |
//! | [`OneClassSvm`] | 0 | \[0, 1\] | 0 | νn |
//! | [`NuSvc`] | 0 | as C-SVC with C = 1 | 0 | ±νn/2 for each class |
//! | [`NuSvr`], two variables per point | y | \[0, C\], \[−C, 0\] | 0 | ±νCn/2 for each sign |
//!
//! C is the penalty of Σξᵢ, as in LIBSVM. b is the mean, over the points whose β is at no bound, of what makes the
//! optimality conditions equations; without such points the midpoint of the interval that they leave.
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
//! For any bias b the duality gap is Σᵢ (Cᵢ − |βᵢ|)max(0, mᵢ) + |βᵢ|max(0, −mᵢ) with mᵢ = 1 − yᵢf(xᵢ) (of
//! regression: with the ε-insensitive loss), so it is at most nC(m − M)/2 for b in the middle, where m − M is
//! the violation by which a fit stops.
//!
//! # References
//! Vapnik (1998), *Statistical Learning Theory*; Platt (1998), *Sequential Minimal Optimization*; Keerthi, Shevade,
//! Bhattacharyya & Murthy (2001), *Improvements to Platt's SMO Algorithm*, for m − M; Fan, Chen & Lin (2005), *Working
//! Set Selection Using Second Order Information*; Joachims (1999), *Making Large-Scale SVM Learning Practical*,
//! for blocks; Chang & Lin (2011), *LIBSVM*.

mod calibration;
mod certificate;
mod classifier;
mod columns;
mod decomposition;
mod expansion;
mod feature;
mod inner;
pub mod libsvm;
mod local;
mod matrix;
mod memory;
mod nu_svc;
mod nu_svr;
mod one_class;
mod params;
mod passes;
mod precomputed;
mod problem;
mod regressor;
mod report;
mod settings;
mod solver;
mod square;
mod step;
mod svc;
mod svr;
mod values;
mod working_set;

pub use calibration::{CalibratedSvm, PlattSigmoid, couple};
pub use classifier::SvmClassifier;
pub use decomposition::Decomposition;
pub use feature::{FeatureSvc, FeatureSvmClassifier, FeatureSvmRegressor, FeatureSvr};
pub use nu_svc::NuSvc;
pub use nu_svr::NuSvr;
pub use one_class::{NoveltyDetector, OneClassSvm};
pub use params::Svc;
pub use precomputed::GramClassifier;
pub use regressor::SvmRegressor;
pub use report::SvmReport;
pub use svr::Svr;
