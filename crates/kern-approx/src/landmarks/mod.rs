//! Building blocks of solvers on landmarks: passes over kernel values, the features' whitening, and
//! preconditioners of conjugate gradients.
//!
//! For the layers above; not part of the stable interface.

pub mod passes;
pub mod pivoted;
pub mod preconditioner;
pub mod whitening;
