//! Support vector machines on the features of a map, by dual coordinate descent.
//!
//! # Definition
//! With signed coefficients β, one per point, and w = Σβᵢφ(xᵢ), classification, regression and one class all solve
//!
//! minimise ½‖w‖² + ½Σdᵢβᵢ² − pᵀβ + ε‖β‖₁ subject to lᵢ ≤ βᵢ ≤ uᵢ and, with an intercept, Σβ = s:
//!
//! the problem of [`svm`](crate::svm) for K = ⟨φ, φ⟩, with d = 0. Squared losses have dᵢ = 1/(2Cᵢ) and no bounds but zero.
//!
//! # Method
//! A step minimises over one coefficient, with g = wᵀφ(xᵢ) + b − pᵢ + dᵢβᵢ and a = ‖φ(xᵢ)‖² + dᵢ + ρ:
//!
//! βᵢ ← min(max(S(βᵢ − g/a, ε/a), lᵢ), uᵢ), S(z, t) = sign(z)·max(0, |z| − t),
//!
//! and w follows. With squared losses steps are ω times as long, ω = 1 + ½‖φ(xᵢ)‖²/(‖φ(xᵢ)‖² + dᵢ), as far as bounds and the kink at
//! zero allow: successive over-relaxation. Points are visited in a new random order in every pass; those whose optimality
//! conditions hold by more than half of the greatest violation of the pass before are left out until all others are solved.
//!
//! The intercept is that of the problem as stated, which does not penalise it: b = b̄ + ρ(Σβ − s) is the multiplier of Σβ = s in
//! the augmented Lagrangian, and b̄ moves to it as soon as the violation of a pass is less than that changes. In the
//! primal this is the proximal point method in b; with ρ = the mean of ‖φ‖² it is coordinate descent with a constant feature of
//! that size, each time around a better centre. ρ grows where |Σβ − s| hardly falls.
//!
//! Up to 512 free coefficients are also moved together, by Newton's method as far as bounds and kinks allow, once the visits since
//! the last such step have cost as much, if all features are in memory. With few features and a large C that is what ends the fit.
//!
//! # Certificate
//! A gap that was asked for is looked at once the terms that a pass met, each as it was when its point was visited, sum to no more than
//! twice as much: the pass leaves less.
//! At the end β is moved the least to sum to s, w and all values are computed afresh in double precision, and the gap is
//! that of primal and dual of the problem as stated, for the weights and the intercept that are handed out, in the type of the
//! points. On landmarks the weights become coefficients c = Rw with RRᵀ = K_mm⁻¹, and the primal objective is computed
//! from these, the kernel values between landmarks and the values of the function.
//!
//! # Complexity
//! A pass takes at most 4nD flops, a certificate as much. The number of passes grows with C, as that of all coordinate
//! descent does: to a relative gap of 1e-2 it took 12 for 20 000 points, 200 features with values near 1 and C = 1, and
//! 62 for C = 10.
//!
//! # Memory
//! Features that do not fit the budget are worked on in blocks of points in random order, four sweeps over each, and a pass for the
//! certificate takes them twice.
//!
//! Sparse features ([`OnSparse`](crate::space::OnSparse)) stay as they are, and a pass takes 4 flops for each number that is
//! stored.
//!
//! # References
//! Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), *A Dual Coordinate Descent Method for Large-scale Linear SVM*,
//! Algorithm 3; Cryer (1971), *The Solution of a Quadratic Programming Problem Using Systematic Overrelaxation*, for longer steps within
//! bounds; Ho & Lin (2012), *Large-scale Linear Support Vector Regression*; Yu, Hsieh, Chang & Lin (2010),
//! *Large Linear Classification When Data Cannot Fit in Memory*; Rockafellar (1976), *Augmented Lagrangians and
//! Applications of the Proximal Point Algorithm in Convex Programming*.

mod dual_coordinate_descent;
mod feature_blocks;
mod feature_dual;
mod feature_vectors;
mod linear_svm;
mod polish;
mod shared_passes;
