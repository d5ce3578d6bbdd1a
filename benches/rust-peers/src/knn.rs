//! The judge of all peers of `knn`.

use crate::case::{Case, Judged};
use anyhow::Result;
use kern_bench_kit::quality;
use kern_core::{Samples, Scalar};

/// With the share of the true neighbours among those that were found, for each query.
///
/// # Errors
/// If an input is missing.
pub fn judge<T: Scalar>(
    case: &Case<'_>,
    judged: Judged,
    (x, queries): (&Samples<T>, &Samples<T>),
    found: &[Vec<usize>],
) -> Result<Judged> {
    let (x, queries) = (quality::widen(x)?, quality::widen(queries)?);
    let is_found = |query: usize, i| found[query].contains(&i);
    let recall = quality::recall(&x, (&queries, &case.check()?), case.count("k")?, is_found);
    Ok(judged.figure("recall", recall))
}
