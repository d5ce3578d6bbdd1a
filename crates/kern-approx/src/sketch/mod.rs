//! Count sketches of tensor products, which never form the product.
//!
//! `count_sketch` multiplies count sketches; `tensor_sketch` applies it to tensor powers of a point, and
//! `sketched_tensor` to the features of two maps.

mod count_sketch;
mod sketched_tensor;
mod tensor_sketch;

pub use sketched_tensor::{SketchedTensor, SketchedTensorMap};
pub use tensor_sketch::{SketchMap, TensorSketch};
