//! The dense Gram matrix of the Laplacian kernel, γ = 1/d. There is no matrix product in it; the
//! limit, the product XXᵀ, is shown for scale.

use super::gram::{self, Buffer};
use super::{Dtype, Outcome, Size, Task, choose};
use anyhow::Result;
use kern_core::kernels::Laplacian;

/// `gram_laplacian`.
pub(super) const TASK: Task = Task {
    name: "gram_laplacian",
    about: "dense Laplacian Gram matrix of n points, into reused or fresh memory",
    cases: &[
        ("reused", Dtype::F64),
        ("reused", Dtype::F32),
        ("fresh", Dtype::F64),
        ("fresh", Dtype::F32),
    ],
    run,
};

const DIM: usize = 64;

fn run(variant: &str, dtype: Dtype, size: Size) -> Result<Outcome> {
    let buffer = choose(variant, &[("reused", Buffer::Reused), ("fresh", Buffer::Fresh)])?;
    let gamma = 1.0 / DIM as f64;
    let (kernel, shape) = (Laplacian::new(gamma)?, (size.pick(4000, 1000, 70), DIM));
    let outcome = match dtype {
        Dtype::F32 => gram::run::<f32, _>(&kernel, shape, buffer),
        Dtype::F64 => gram::run::<f64, _>(&kernel, shape, buffer),
    }?;
    Ok(outcome.param("gamma", gamma))
}
