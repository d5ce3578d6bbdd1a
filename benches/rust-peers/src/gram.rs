//! The judge of all peers of `gram_rbf`.

use crate::case::{Case, Judged};
use anyhow::{Context, Result};
use kern_bench_kit::quality;
use kern_core::faer::MatRef;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples, Scalar};

/// With the greatest error of some rows; `gram` has one row after the other, if it is any good.
///
/// # Errors
/// If an input is missing, or there is no such matrix.
pub fn judge<T: Scalar>(
    case: &Case<'_>,
    judged: Judged,
    x: &Samples<T>,
    gram: Option<&[T]>,
) -> Result<Judged> {
    let (n, kernel) = (x.len(), Rbf::new(case.number("gamma")?)?);
    let gram =
        gram.filter(|values| values.len() == n * n).context("no dense matrix of all pairs")?;
    let (x, gram) = (quality::widen(x)?, MatRef::from_row_major_slice(gram, n, n));
    let error = quality::gram_error(&kernel, (&x, &case.check()?), gram);
    Ok(judged.figure("max_abs_err", error))
}
