//! Count sketches of tensor products, which never form the product.
//!
//! `convolution` multiplies count sketches; `polynomial` applies it to tensor powers of a point, and
//! `tensor` to the features of two maps.

mod convolution;
mod polynomial;
mod tensor;

pub use polynomial::{SketchMap, TensorSketch};
pub use tensor::{SketchedTensor, SketchedTensorMap};
