//! What solvers on landmarks share: passes over kernel values, the features' root, conjugate gradients and
//! their preconditioner.

pub(crate) mod conjugate;
pub(crate) mod passes;
pub(crate) mod preconditioner;
pub(crate) mod whitening;
