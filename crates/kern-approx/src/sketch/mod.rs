//! Count sketches of tensor products, which are never formed.
//!
//! `count_sketch` convolves count sketches; `tensor_sketch` applies it to tensor powers of a point,
//! and `sketched_tensor` to the features of two maps.

mod count_sketch;
mod sketched_tensor;
mod tensor_sketch;

pub use sketched_tensor::{SketchedTensor, SketchedTensorMap};
pub use tensor_sketch::{SketchMap, TensorSketch};
