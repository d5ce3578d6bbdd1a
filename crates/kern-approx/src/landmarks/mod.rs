//! The ground floor of solvers on landmarks: passes over kernel values, the features' root, and the preconditioners of
//! conjugate gradients.
//!
//! For the layers above; no part of the interface that is kept stable.

pub mod passes;
pub mod pivoted;
pub mod preconditioner;
pub mod whitening;
