//! A product with a Gram matrix that is never stored: RBF, d = 10, γ = 0.1, into reused memory.

use super::{Dtype, Outcome, Size, Task, choose};
use crate::data::{self, Stream};
use crate::measure::measure;
use crate::quality;
use anyhow::Result;
use kern_core::Scalar;
use kern_core::faer::Mat;
use kern_core::kernels::Rbf;
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
    run,
};

const DIM: usize = 10;
const GAMMA: f64 = 0.1;

/// Rows of the product that are checked.
const ROWS: usize = 100;

fn run(variant: &str, dtype: Dtype, size: Size) -> Result<Outcome> {
    let columns = choose(variant, &[("rhs1", 1), ("rhs8", 8)])?;
    let n = size.pick(50_000, 8000, 300);
    let outcome = match dtype {
        Dtype::F32 => product::<f32>(n, columns),
        Dtype::F64 => product::<f64>(n, columns),
    }?;
    Ok(outcome.param("gamma", GAMMA).param("rhs", columns))
}

fn product<T: Scalar>(n: usize, columns: usize) -> Result<Outcome> {
    let x = data::normal::<T>(Stream::Lazy, n, DIM)?;
    let v = data::normal_matrix::<T>(Stream::LazyRightSides, n, columns);
    let kernel = Rbf::new(GAMMA)?;
    let mut out = Mat::<T>::zeros(n, columns);
    let measured =
        measure(|| Ok(LazyGram::new(&kernel, &x)?.apply_into(v.as_ref(), out.as_mut())?))?;
    let (outcome, ()) = Outcome::new((n, DIM), measured);

    let wide = data::widen(&x)?;
    let v = Mat::from_fn(n, columns, |i, j| v[(i, j)].to_f64());
    let rows = data::some_indices(n, ROWS);
    let exact = quality::expansion(&kernel, (&wide, &rows), &wide, v.as_ref());
    let errors = rows.iter().zip(&exact).flat_map(|(&i, exact)| {
        let out = &out;
        exact.iter().enumerate().map(move |(r, exact)| (out[(i, r)].to_f64() - exact).abs())
    });
    let greatest = quality::worst(exact.iter().flatten().map(|v| v.abs()));
    Ok(outcome.figure("rel_err", quality::worst(errors) / greatest))
}
