//! Support vector machines on the features of a map, by dual coordinate descent.
//!
//! # Definition
//! With one signed coefficient βᵢ per point and w = Σβᵢφ(xᵢ), every estimator solves
//!
//! minimise ½‖w‖² + ½Σdᵢβᵢ² − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and, with an intercept, Σβ = s:
//!
//! the problem of [`svm`](crate::svm) for K = ⟨φ, φ⟩, with d = 0. Squared losses have dᵢ = 1/(2Cᵢ),
//! and 0 is their only finite bound.
//!
//! # Method
//! A step minimises over one coefficient. With g = wᵀφ(xᵢ) + b − pᵢ + dᵢβᵢ and
//! a = ‖φ(xᵢ)‖² + dᵢ + ρ:
//!
//! βᵢ ← min(max(S(βᵢ − g/a, ε/a), lᵢ), uᵢ), S(z, t) = sign(z)·max(0, |z| − t),
//!
//! and w is updated. With squared losses, steps are longer by the factor
//! ω = 1 + ½‖φ(xᵢ)‖²/(‖φ(xᵢ)‖² + dᵢ), as far as the bounds and the kink at 0 allow (successive
//! over-relaxation). Every pass visits the points in a new random order. Points whose optimality
//! conditions hold by more than half of the largest violation of the previous pass are left out
//! until all others are solved (a form of shrinking).
//!
//! The intercept is not penalised. b = b̄ + ρ(Σβ − s) is the multiplier of Σβ = s in the augmented
//! Lagrangian, and b̄ is set to it as soon as the violation of a pass is less than the resulting
//! change of b. In the primal this is the proximal point method in b; with ρ equal to the mean of
//! ‖φ‖² it is coordinate descent with a constant feature of that size, restarted around better
//! centres. ρ grows if |Σβ − s| hardly decreases.
//!
//! Up to 512 free coefficients are also moved together by a Newton step, as far as bounds and kinks
//! allow, if all features are in memory and the visits since the last such step have cost as much.
//! With few features and a large C this is what makes the fit converge.
//!
//! # Certificate
//! If a gap is requested, it is computed once the terms seen in a pass, each at the visit of its
//! point, sum to at most twice that gap, because the pass itself reduces it. At the end β is moved
//! as little as possible to sum to s, w and all values are recomputed in double precision, and the
//! gap is that of the primal and dual problem stated above, for the returned weights and intercept,
//! rounded to the scalar type of the points. On landmarks, weights become coefficients c = Rw with
//! RRᵀ = K_mm⁻¹; the primal objective is computed from them, the kernel values between landmarks
//! and the values of the function.
//!
//! # Complexity
//! A pass takes at most 4nD flops, and so does a certificate. As in all coordinate descent, the
//! number of passes grows with C: to a relative gap of 1e-2 it took 12 passes for 20,000 points,
//! 200 features with values near 1 and C = 1, and 62 for C = 10.
//!
//! # Memory
//! Features that do not fit the budget are processed in blocks of points in random order, with four
//! sweeps over each block; a certificate then computes them twice.
//!
//! Sparse features ([`OnSparse`](crate::space::OnSparse)) stay sparse; a pass takes 4 flops per
//! stored value.
//!
//! # References
//! Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), *A Dual Coordinate Descent Method for
//! Large-scale Linear SVM*, Algorithm 3; Cryer (1971), *The Solution of a Quadratic Programming
//! Problem Using Systematic Overrelaxation*, for longer steps within bounds; Ho & Lin (2012),
//! *Large-scale Linear Support Vector Regression*; Yu, Hsieh, Chang & Lin (2010), *Large Linear
//! Classification When Data Cannot Fit in Memory*; Rockafellar (1976), *Augmented Lagrangians and
//! Applications of the Proximal Point Algorithm in Convex Programming*.

mod dual_coordinate_descent;
mod feature_blocks;
mod feature_dual;
mod feature_vectors;
mod linear_svm;
mod polish;
mod shared_passes;
