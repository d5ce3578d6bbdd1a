//! The dense Gram matrix of the Laplacian kernel, γ = 1/d. There is no matrix product in it.

use super::gram::{self, Buffer};
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::session::Session;
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
    bound: "n²/2 pairs: 2d operations and an exp each; n² numbers written",
    // As for the RBF kernel, though nothing cancels here.
    bars: &[Bar {
        figure: "max_abs_err",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-5,
        enough_f64: 1e-12,
    }],
    targets: &[("reused", 0.3), ("fresh", 0.3)],
    run,
};

const DIM: usize = 64;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let buffer = session.choose(&[("reused", Buffer::Reused), ("fresh", Buffer::Fresh)])?;
    let gamma = 1.0 / DIM as f64;
    session.param("gamma", gamma);
    let (kernel, shape) = (Laplacian::new(gamma)?, (session.size().pick(4000, 1000, 70), DIM));
    match session.dtype() {
        Dtype::F32 => Ok(gram::run::<f32, _>(session, &kernel, shape, buffer)?.outcome),
        Dtype::F64 => Ok(gram::run::<f64, _>(session, &kernel, shape, buffer)?.outcome),
    }
}
