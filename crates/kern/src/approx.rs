//! Feature maps ψ with K(x, y) ≈ ψ(x)ᵀψ(y).

#[doc(inline)]
pub use kern_approx::{
    Error, FeatureMap, FourierForm, FourierMap, Identity, Nystrom, NystromFit, NystromGram,
    NystromMap, NystromReport, Precomputed, RandomFourier, Selection, transform,
    transform_indices_into, transform_into,
};
