//! Growth of the dense RBF Gram matrix: time and memory ∝ n². d = 64, γ = 1/64, into reused memory.

use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_gram::{DenseGram, MemoryBudget};

/// `growth_gram`.
pub(super) const TASK: Task = Task {
    name: "growth_gram",
    about: "dense RBF Gram matrices of n points for growing n: time and memory as n²",
    cases: &[
        ("n1", Dtype::F64),
        ("n2", Dtype::F64),
        ("n4", Dtype::F64),
        ("n8", Dtype::F64),
        ("n16", Dtype::F64),
    ],
    bound: "n²/2 pairs: 2d operations and an exp each; n² numbers written",
    bars: &[],
    targets: &[],
    run,
};

const DIM: usize = 64;

/// Rows that are checked.
const ROWS: usize = 16;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&[("n1", 1), ("n2", 2), ("n4", 4), ("n8", 8), ("n16", 16)])?;
    let smallest = session.size().pick(1000, 250, 10);
    let n = times * smallest;
    let gamma = 1.0 / DIM as f64;
    session.param("gamma", gamma);
    let kernel = Rbf::new(gamma)?;
    // Threads and their buffers are there whatever n is; they are not to be counted.
    let few = data::normal::<f64>(Stream::Growth, smallest, DIM)?;
    DenseGram::new(&kernel, &few, &MemoryBudget::available())?;

    let x = session.samples("x", data::normal::<f64>(Stream::Growth, n, DIM)?)?;
    let rows = session.check(n, ROWS)?;
    let mut gram = Mat::<f64>::zeros(n, n);
    session.count::<f64>(n * n);
    let measured = session.measure(|| Ok(DenseGram::fill(&kernel, &x, gram.as_mut())?))?;
    let (outcome, ()) = Outcome::new((n, DIM), measured);
    let error = quality::gram_error(&kernel, (&x, &rows), gram.as_ref());
    let work = Work::gram_values(n, DIM).moves::<f64>((n * n) as f64);
    Ok(outcome.work(work).figure("max_abs_err", error).grown(session))
}
