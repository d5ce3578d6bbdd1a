//! Spaces: the representation of learned functions.
//!
//! | space | function | fits |
//! |---|---|---|
//! | [`OnKernel`] | f(x) = b + Σᵢ αᵢK(x, xᵢ) over the training points | exact; O(n²) to O(n³) |
//! | [`OnLandmarks`] | f(x) = b + Σⱼ cⱼK(x, zⱼ) over m landmarks | O(nm) to O(nm²) |
//! | [`OnFeatures`] | f(x) = b + wᵀψ(x) for a feature map ψ: 𝒳 → R^D | O(nD) to O(nD²) |
//! | [`OnSparse`] | f(x) = b + wᵀφ(x) for a map φ to sparse vectors | O(nonzeros) |
//! | [`Auto`] | in one of these, as planned within the limits of the run | |
//!
//! A learner takes its space as a parameter: `Ridge::on_kernel(kernel)`,
//! `Ridge::on_landmarks(nystrom)`, `Ridge::on_features(map)`, `Ridge::auto(kernel)`.

mod auto_space;
mod constructors;
mod feature_spaces;
mod kernel_spaces;

pub use auto_space::{Auto, Features, NoFeatures};
pub(crate) use constructors::{constructors, named_learners};
pub use feature_spaces::{OnFeatures, OnSparse};
pub use kernel_spaces::{OnKernel, OnLandmarks};

use crate::model::Decision;
use kern_core::Points;
use kern_core::parameters::Parameters;

/// A representation of functions on the points `P`.
pub trait Space<P: Points>: Clone + Send + Sync {
    /// The functions.
    type Function: Decision<P>;
}

/// A space with named hyper-parameters: those of its kernel are `kernel.…`.
///
/// A fixed feature map has none.
pub trait NamedSpace: Parameters {
    /// The name of the space, by which a learner selects the hyper-parameters that are effective in
    /// it.
    const NAME: &'static str;
}
