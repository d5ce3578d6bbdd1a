//! Nyström features of the RBF kernel, γ = 1/d: the fit and the features of all points, with landmarks
//! drawn uniformly or by randomly pivoted Cholesky.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_approx::{Nystrom, Selection};
use kern_core::Points;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;

/// `nystroem`.
pub(super) const TASK: Task = Task {
    name: "nystroem",
    about: "Nystroem features from m landmarks: fit and transform, into fresh memory",
    cases: &[
        ("uniform", Dtype::F64),
        ("uniform", Dtype::F32),
        ("rpcholesky", Dtype::F64),
        ("rpcholesky", Dtype::F32),
    ],
    bound: "nm kernel values of 2d operations and an exp; nm² operations with a triangular factor; nm numbers written",
    // Landmarks are random, and with them the error by some per cent.
    bars: &[Bar {
        figure: "rel_trace_err",
        reading: Reading::Error,
        factor: 1.1,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("uniform", 0.5), ("rpcholesky", 0.35)],
    run,
};

const DIM: usize = 32;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let among = [("uniform", Selection::Uniform), ("rpcholesky", Selection::RandomPivots)];
    let selection = session.choose(&among)?;
    let (n, landmarks) = session.size().pick((50_000, 1000), (5000, 300), (300, 20));
    session.param("gamma", 1.0 / DIM as f64);
    session.param("m", landmarks);
    match session.dtype() {
        Dtype::F32 => features::<f32>(session, n, landmarks, selection),
        Dtype::F64 => features::<f64>(session, n, landmarks, selection),
    }
}

fn features<T: Number>(
    session: &mut Session<'_>,
    n: usize,
    landmarks: usize,
    selection: Selection,
) -> Result<Outcome> {
    let x = session.samples("x", data::near_subspace::<T>(Stream::Nystroem, n, DIM)?)?;
    let kernel = Rbf::new(1.0 / DIM as f64)?;
    let budget = MemoryBudget::available();
    let measured = session.measure(|| {
        let nystrom = Nystrom::new(kernel).landmarks(landmarks).selection(selection);
        Ok(nystrom.fit_transform(&x, &budget)?.features)
    })?;
    let (outcome, z) = Outcome::new((n, DIM), measured);
    // K(x, x) = 1, so the trace of the Gram matrix is n.
    let trace: f64 = z.as_slice().iter().map(|v| v.to_f64() * v.to_f64()).sum();
    // Of points with landmarks, by what they really are.
    let (values, rank) = (n as f64 * z.dim() as f64, z.dim() as f64);
    let work = Work::kernel_values(values, DIM).flops(values * rank);
    let outcome = outcome.work(work.moves::<T>(values).is_fresh(true));
    let outcome = outcome.figure("rel_trace_err", 1.0 - trace / z.len() as f64);
    Ok(outcome.figure("rank", z.dim() as f64))
}
