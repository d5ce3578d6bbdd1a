//! The check that an operator is positive semi-definite.

use crate::{Error, GramExt, GramOperator, MemoryBudget, tolerance};
use faer::Mat;
use kern_core::{Scalar, symmetric_eigen};

/// [`GramExt::check_psd`].
pub(crate) fn check<T: Scalar>(
    gram: &(impl GramOperator<T> + ?Sized),
    budget: &MemoryBudget,
) -> Result<(), Error> {
    let n = gram.size();
    if n == 0 {
        return Ok(());
    }
    // The entries, in double precision as well, the eigenvectors, and twice as much workspace.
    let what = "the eigenvalues of a Gram matrix";
    budget.check::<f64>(what, n.saturating_mul(5), n, "those of a selection would fit")?;
    let entries = gram.to_dense(budget)?;
    let entries = Mat::from_fn(n, n, |i, j| entries[(i, j)].to_f64());
    // Found not to converge only for numbers at the end of the range; then no eigenvalue is known.
    let (least, greatest) = match symmetric_eigen(entries.as_ref()) {
        Some((values, _)) => (values[0], values[n - 1]),
        None => (f64::NAN, 0.0),
    };
    let allowed = tolerance::least_eigenvalue::<T>(n, greatest);
    if least >= allowed {
        Ok(())
    } else {
        Err(kern_core::Error::Indefinite { eigenvalue: least, allowed }.into())
    }
}
