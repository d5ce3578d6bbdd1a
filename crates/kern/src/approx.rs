//! Feature maps ψ with K(x, y) ≈ ψ(x)ᵀψ(y).

#[doc(inline)]
pub use kern_approx::{
    AdditiveKernel, AdditiveMap, DotProduct, Error, FeatureMap, FourierForm, FourierMap, Identity,
    MaclaurinMap, Nystrom, NystromFit, NystromGram, NystromMap, NystromReport, RandomFourier,
    RandomMaclaurin, SampledAdditive, Sampling, Selection, Structure, StructuredMap, bounds,
    choose, transform, transform_indices_into, transform_into,
};
#[cfg(feature = "sketch")]
#[doc(inline)]
pub use kern_approx::{SketchMap, SketchedTensor, SketchedTensorMap, TensorSketch};
#[doc(inline)]
pub use kern_core::feature_map::StackedMap;
