//! Feature maps ψ with K(x, y) ≈ ψ(x)ᵀψ(y).

#[doc(inline)]
pub use kern_approx::{
    AdditiveKernel, AdditiveMap, DotProduct, Error, FeatureMap, FourierForm, FourierMap, Identity,
    MaclaurinMap, Nystrom, NystromMap, RandomFourier, RandomMaclaurin, SampledAdditive, Sampling,
    SketchMap, SketchedTensor, SketchedTensorMap, Structure, StructuredMap, TensorSketch, bounds,
    choose, transform, transform_indices_into, transform_into,
};
