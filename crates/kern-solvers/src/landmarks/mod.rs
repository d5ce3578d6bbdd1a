//! The common part of solvers on landmarks: passes over kernel values, the features' root, and the preconditioner of
//! conjugate gradients.

pub(crate) mod passes;
pub(crate) mod preconditioner;
pub(crate) mod whitening;
