//! Check that an operator is positive semi-definite.

use crate::{Error, GramOperator, MemoryBudget, blocks, tolerance, zeros};
use faer::MatMut;
use kern_core::{Scalar, symmetric_eigen};
use std::ops::Range;

/// [`GramExt::check_psd`](crate::GramExt::check_psd).
pub(crate) fn check<T: Scalar>(
    gram: &(impl GramOperator<T> + ?Sized),
    budget: &MemoryBudget,
) -> Result<(), Error> {
    let n = gram.size();
    if n == 0 {
        return Ok(());
    }
    // The entries, the eigenvectors, and twice as much workspace.
    let what = "the eigenvalues of a Gram matrix";
    budget.check::<f64>(what, n.saturating_mul(4), n, "those of a selection would fit")?;
    let mut entries = zeros::<f64>(n, n)?;
    let fill =
        |cols: Range<usize>, block: MatMut<'_, T>| gram.columns_into(&Vec::from_iter(cols), block);
    blocks::for_each_block((n, n), fill, |cols, block| {
        let wide = entries.as_mut().subcols_mut(cols.start, cols.len());
        for (to, from) in wide.col_iter_mut().zip(block.col_iter()) {
            to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = from.to_f64());
        }
    })?;
    // Fails to converge only for values at the end of the range; then no eigenvalue is known.
    let (smallest, largest) = match symmetric_eigen(entries.as_ref()) {
        Some((values, _)) => (values[0], values[n - 1]),
        None => (f64::NAN, 0.0),
    };
    let allowed = tolerance::smallest_eigenvalue::<T>(n, largest);
    if smallest >= allowed {
        Ok(())
    } else {
        Err(kern_core::Error::Indefinite { eigenvalue: smallest, allowed }.into())
    }
}
