//! The dense Gram matrix of the RBF kernel, γ = 1/d. Its limit is the full product XXᵀ, though
//! symmetry asks for half of it only.

use super::gram::{self, Buffer};
use super::{Dtype, Outcome, Size, Task, choose};
use anyhow::Result;
use kern_core::kernels::Rbf;

/// `gram_rbf`.
pub(super) const TASK: Task = Task {
    name: "gram_rbf",
    about: "dense RBF Gram matrix of n points, into reused or fresh memory",
    cases: &[
        ("d8,reused", Dtype::F64),
        ("d8,reused", Dtype::F32),
        ("d8,fresh", Dtype::F64),
        ("d8,fresh", Dtype::F32),
        ("d64,reused", Dtype::F64),
        ("d64,reused", Dtype::F32),
        ("d64,fresh", Dtype::F64),
        ("d64,fresh", Dtype::F32),
        ("d784,reused", Dtype::F64),
        ("d784,reused", Dtype::F32),
        ("d784,fresh", Dtype::F64),
        ("d784,fresh", Dtype::F32),
    ],
    run,
};

const VARIANTS: [(&str, (usize, Buffer)); 6] = [
    ("d8,reused", (8, Buffer::Reused)),
    ("d8,fresh", (8, Buffer::Fresh)),
    ("d64,reused", (64, Buffer::Reused)),
    ("d64,fresh", (64, Buffer::Fresh)),
    ("d784,reused", (784, Buffer::Reused)),
    ("d784,fresh", (784, Buffer::Fresh)),
];

fn run(variant: &str, dtype: Dtype, size: Size) -> Result<Outcome> {
    let (d, buffer) = choose(variant, &VARIANTS)?;
    let gamma = 1.0 / d as f64;
    let (kernel, shape) = (Rbf::new(gamma)?, (size.pick(8000, 2000, 70), d));
    let outcome = match dtype {
        Dtype::F32 => gram::run::<f32, _>(&kernel, shape, buffer),
        Dtype::F64 => gram::run::<f64, _>(&kernel, shape, buffer),
    }?;
    Ok(outcome.param("gamma", gamma))
}
