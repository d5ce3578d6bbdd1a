//! Growth of a product with a kernel matrix that is never stored: n rows on 1000 columns, time and
//! memory ∝ n. RBF, d = 10, γ = 0.1.

use super::lazy_matvec::product_error;
use super::{Outcome, Task};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
use kern_gram::CrossGram;

/// `growth_lazy`.
pub(super) const TASK: Task = Task {
    name: "growth_lazy",
    about: "lazy products of growing n rows on 1000 columns: time and memory as n",
    cases: &[
        ("n1", Dtype::F64),
        ("n3", Dtype::F64),
        ("n10", Dtype::F64),
        ("n30", Dtype::F64),
        ("n100", Dtype::F64),
    ],
    bound: "1000n pairs: 2d operations and an exp each, and 2 for the product",
    bars: &[],
    targets: &[],
    run,
};

const DIM: usize = 10;
const GAMMA: f64 = 0.1;
const COLUMNS: usize = 1000;

/// Rows that are checked.
const ROWS: usize = 100;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&[("n1", 1), ("n3", 3), ("n10", 10), ("n30", 30), ("n100", 100)])?;
    let smallest = session.size().pick(10_000, 1000, 20);
    let n = times * smallest;
    session.param("gamma", GAMMA);
    session.param("columns", COLUMNS);
    let kernel = Rbf::new(GAMMA)?;
    let columns = data::normal::<f64>(Stream::GrowthColumns, COLUMNS, DIM)?;
    let columns = session.samples("columns", columns)?;
    let v = data::normal_matrix::<f64>(Stream::LazyRightSides, COLUMNS, 1);
    let v = session.matrix("v", &v)?;
    // Threads and their buffers are there whatever n is; they are not to be counted.
    let few = data::normal::<f64>(Stream::Growth, smallest, DIM)?;
    CrossGram::new(&kernel, &few, &columns)?.apply(v.as_ref())?;

    let x = session.samples("x", data::normal::<f64>(Stream::Growth, n, DIM)?)?;
    let rows = session.check(n, ROWS)?;
    let mut out = Mat::<f64>::zeros(n, 1);
    session.count::<f64>(n);
    let measured = session.measure(|| {
        Ok(CrossGram::new(&kernel, &x, &columns)?.apply_into(v.as_ref(), out.as_mut())?)
    })?;
    let (outcome, ()) = Outcome::new((n, DIM), measured);
    let error = product_error(&kernel, (&x, &rows), (&columns, v.as_ref()), out.as_ref())?;
    let pairs = (n * COLUMNS) as f64;
    let work = Work::kernel_values(pairs, DIM).flops(2.0 * pairs);
    Ok(outcome.work(work).figure("rel_err", error).grown(session))
}
