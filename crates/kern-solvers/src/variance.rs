//! Posterior variances: the uncertainty at queries given the training points.

use crate::Error;
use crate::design::Design;
use faer::{Mat, MatRef};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{CrossGram, GramOperator, LazyGram, tile_ranges, zeros};

/// The number of queries whose variance is computed together.
const QUERIES: usize = 256;

/// The variances of queries in blocks; the closure receives the index of the first query of each.
pub(crate) fn by_blocks<P: Points>(
    queries: &P,
    of_block: impl Fn(&P, usize) -> Result<Vec<f64>, Error>,
) -> Result<Vec<P::Scalar>, Error> {
    let mut out = Vec::with_capacity(queries.len());
    for range in tile_ranges(queries.len(), QUERIES) {
        let (start, indices): (usize, Vec<usize>) = (range.start, range.collect());
        let variances = of_block(&queries.select(&indices)?, start)?.into_iter();
        out.extend(variances.map(P::Scalar::from_f64));
    }
    match out.iter().position(|variance| !variance.is_finite_number()) {
        Some(row) => {
            let given = out[row].to_f64();
            Err(kern_gram::Error::ProductNotFinite { row, col: 0, given }.into())
        }
        None => Ok(out),
    }
}

/// K(x, x) of each query, starting at index `start`, minus the squared norm of its column; 0 if
/// rounding makes it negative.
pub(crate) fn unexplained<P, K>(
    kernel: &K,
    queries: &P,
    start: usize,
    explained: MatRef<'_, P::Scalar>,
) -> Result<Vec<f64>, Error>
where
    P: Points,
    K: Kernel<P>,
{
    let prior: Vec<P::Scalar> = LazyGram::new(kernel, queries)?.diag();
    if let Some(query) = prior.iter().position(|prior| !prior.is_finite_number()) {
        let (row, given) = (start + query, prior[query].to_f64());
        return Err(kern_gram::Error::NotFinite { row, col: row, given }.into());
    }
    let left = |(prior, k): (P::Scalar, faer::ColRef<'_, P::Scalar>)| {
        let known: f64 = k.iter().map(|v| v.to_f64() * v.to_f64()).sum();
        let left = prior.to_f64() - known;
        // NaN is kept rather than replaced by zero.
        if left < 0.0 { 0.0 } else { left }
    };
    Ok(prior.into_iter().zip(explained.col_iter()).map(left).collect())
}

/// K(X, x) for each query.
pub(crate) fn between<P, K>(kernel: &K, points: &P, queries: &P) -> Result<Mat<P::Scalar>, Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    points.prepare_columns(queries.len());
    let mut k = zeros(points.len(), queries.len())?;
    CrossGram::new(kernel, points, queries)?.to_dense_into(k.as_mut())?;
    Ok(k)
}

impl<P: Points, K: Kernel<P> + ?Sized> Design<'_, P, K> {
    /// B^½K(X, x) for each query.
    pub(crate) fn seen(&self, queries: &P) -> Result<Mat<P::Scalar>, Error> {
        Ok(self.unwhiten(between(&self.kernel, self.points(), queries)?))
    }
}
