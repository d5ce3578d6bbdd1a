//! The 10 Euclidean nearest neighbours of each query, exactly: the RKHS distance of the linear
//! kernel is the Euclidean one. The fit, a copy of the points, is not in the time.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::kernels::Linear;
use kern_core::{Points, Quantised, Samples, Scalar};
use kern_solvers::knn::KNearest;

/// `knn`.
pub(super) const TASK: Task = Task {
    name: "knn",
    about: "k nearest neighbours of many queries among n points, exact",
    cases: &[("exact", Dtype::F64), ("exact", Dtype::F32)],
    bound: "the 2d operations of each pair of a query and a point, in single precision, which tells what is far, or in half of that time, if the processor multiplies integers of 16 bits",
    // In single precision nearly equal distances may change places.
    bars: &[Bar {
        figure: "recall",
        reading: Reading::Share,
        factor: 1.0,
        enough_f32: 1e-3,
        enough_f64: 0.0,
    }],
    targets: &[("exact", 0.5)],
    run,
};

const DIM: usize = 64;
const K: usize = 10;

/// Queries whose neighbours are checked.
const CHECKED: usize = 50;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("exact", ())])?;
    let (n, queries) = session.size().pick((100_000, 10_000), (10_000, 1000), (300, 40));
    match session.dtype() {
        Dtype::F32 => search::<f32>(session, n, queries),
        Dtype::F64 => search::<f64>(session, n, queries),
    }
}

/// Searches n points for the neighbours of so many queries.
pub(super) fn search<T: Number>(
    session: &mut Session<'_>,
    n: usize,
    queries: usize,
) -> Result<Outcome> {
    session.param("k", K);
    session.param("queries", queries);
    // The points are f32 numbers in either type, so both have the same neighbours.
    let all = data::normal::<f32>(Stream::Knn, n + queries, DIM)?;
    let (x, queries) = data::split(&all, n)?;
    drop(all);
    let x = session.samples("x", converted::<T>(&x)?)?;
    let queries = session.samples("queries", converted::<T>(&queries)?)?;
    let some = session.check(queries.len(), CHECKED)?;
    let model = KNearest::by_distance(Linear).neighbors(K).fit(&x, ())?;
    let measured = session.measure(|| Ok(model.neighbors(&queries)?))?;
    let (outcome, found) = Outcome::new((n, DIM), measured);
    let of_single = if Quantised::is_available() { 0.5 } else { 1.0 };
    let flops = of_single * (2 * DIM * n * queries.len()) as f64;
    let work = Work::default().flops(flops).in_single();
    let (x, queries) = (quality::widen(&x)?, quality::widen(&queries)?);
    let is_found = |query: usize, i| found[query].iter().any(|neighbor| neighbor.index == i);
    let recall = quality::recall(&x, (&queries, &some), K, is_found);
    Ok(outcome.work(work).figure("recall", recall))
}

fn converted<T: Scalar>(x: &Samples<f32>) -> Result<Samples<T>> {
    let values = x.as_slice().iter().map(|&v| T::from_f64(f64::from(v))).collect();
    Ok(Samples::from_row_major(x.dim(), values)?)
}
