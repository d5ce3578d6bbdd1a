//! The dense Gram matrix of the RBF kernel, γ = 1/d. Its limit is the full product XXᵀ, though
//! symmetry asks for half of it only.

use super::gram::{self, Buffer};
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::session::Session;
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
    bound: "measured: the bare product XXᵀ of all pairs, though symmetry asks for half of them",
    // Squared distances from products lose digits to rounding; that is not held against peers.
    bars: &[Bar {
        figure: "max_abs_err",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-5,
        enough_f64: 1e-12,
    }],
    targets: &[
        ("d8,reused", 0.25),
        ("d8,fresh", 0.5),
        ("d64,reused", 0.25),
        ("d64,fresh", 0.5),
        ("d784,reused", 0.25),
        ("d784,fresh", 0.5),
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

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let (d, buffer) = session.choose(&VARIANTS)?;
    let gamma = 1.0 / d as f64;
    session.param("gamma", gamma);
    let (kernel, shape) = (Rbf::new(gamma)?, (session.size().pick(8000, 2000, 70), d));
    match session.dtype() {
        Dtype::F32 => gram::run::<f32, _>(session, &kernel, shape, buffer)?.beside_the_product(),
        Dtype::F64 => gram::run::<f64, _>(session, &kernel, shape, buffer)?.beside_the_product(),
    }
}
