//! Building blocks of solvers on landmarks: passes over kernel values, and preconditioners of
//! conjugate gradients.
//!
//! For the layers above; not part of the stable interface.

pub mod falkon_preconditioner;
pub mod passes;
pub mod pivoted_preconditioner;
