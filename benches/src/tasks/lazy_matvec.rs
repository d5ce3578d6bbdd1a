//! A product with a Gram matrix that is never stored: RBF, d = 10, γ = 0.1, into reused memory.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_gram::{GramOperator, LazyGram};

/// `lazy_matvec`.
pub(super) const TASK: Task = Task {
    name: "lazy_matvec",
    about: "product of a lazy RBF Gram matrix with 1 or 8 right-hand sides, O(n) memory",
    cases: &[
        ("rhs1", Dtype::F64),
        ("rhs1", Dtype::F32),
        ("rhs8", Dtype::F64),
        ("rhs8", Dtype::F32),
    ],
    bound: "n²/2 pairs: 2d operations and an exp each; 2n² operations for each right-hand side",
    // As for the dense Gram matrix.
    bars: &[Bar {
        figure: "rel_err",
        reading: Reading::Error,
        factor: 10.0,
        enough_f32: 1e-5,
        enough_f64: 1e-12,
    }],
    targets: &[("rhs1", 0.2), ("rhs8", 0.2)],
    run,
};

const DIM: usize = 10;
const GAMMA: f64 = 0.1;

/// Rows of the product that are checked.
const ROWS: usize = 100;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let columns = session.choose(&[("rhs1", 1), ("rhs8", 8)])?;
    let n = session.size().pick(50_000, 8000, 300);
    session.param("gamma", GAMMA);
    session.param("rhs", columns);
    match session.dtype() {
        Dtype::F32 => product::<f32>(session, n, columns),
        Dtype::F64 => product::<f64>(session, n, columns),
    }
}

fn product<T: Number>(session: &mut Session<'_>, n: usize, columns: usize) -> Result<Outcome> {
    let x = session.samples("x", data::normal::<T>(Stream::Lazy, n, DIM)?)?;
    let v = data::normal_matrix::<T>(Stream::LazyRightSides, n, columns);
    let v = session.matrix("v", &v)?;
    let rows = session.check(n, ROWS)?;
    let kernel = Rbf::new(GAMMA)?;
    let mut out = Mat::<T>::zeros(n, columns);
    let measured = session
        .measure(|| Ok(LazyGram::new(&kernel, &x)?.apply_into(v.as_ref(), out.as_mut())?))?;
    let (outcome, ()) = Outcome::new((n, DIM), measured);
    let error = product_error(&kernel, (&x, &rows), (&x, v.as_ref()), out.as_ref())?;
    let work = Work::gram_values(n, DIM).flops(2.0 * (n * n * columns) as f64);
    Ok(outcome.figure("rel_err", error).work(work.moves::<T>((n * (DIM + 2 * columns)) as f64)))
}

/// The greatest error of some rows of `out` = K(queries, points)·v, as a share of the greatest
/// entry.
pub(super) fn product_error<T: Number>(
    kernel: &Rbf,
    (queries, rows): (&Samples<T>, &[usize]),
    (points, v): (&Samples<T>, MatRef<'_, T>),
    out: MatRef<'_, T>,
) -> Result<f64> {
    let (queries, points) = (quality::widen(queries)?, quality::widen(points)?);
    let v = Mat::from_fn(points.len(), v.ncols(), |i, j| v[(i, j)].to_f64());
    let exact = quality::expansion(kernel, (&queries, rows), &points, v.as_ref());
    let errors = rows.iter().zip(&exact).flat_map(|(&i, exact)| {
        exact.iter().enumerate().map(move |(r, exact)| (out[(i, r)].to_f64() - exact).abs())
    });
    let largest = quality::worst(exact.iter().flatten().map(|v| v.abs()));
    Ok(quality::worst(errors) / largest)
}
