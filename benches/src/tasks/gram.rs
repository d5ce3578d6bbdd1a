//! What the tasks on dense Gram matrices share.

use super::Outcome;
use crate::data::{self, Stream};
use crate::measure::gemm_limit;
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use anyhow::Result;
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Samples};
use kern_gram::{DenseGram, MemoryBudget};

/// Rows that are checked.
const ROWS: usize = 64;

/// Where the n² numbers go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Buffer {
    /// Into memory that has been written before.
    Reused,
    /// Into memory that is allocated within the time.
    Fresh,
}

/// Measures the Gram matrix of `n` standard normal points of dimension `d`.
pub(super) fn run<T, K>(
    session: &mut Session<'_>,
    kernel: &K,
    (n, d): (usize, usize),
    buffer: Buffer,
) -> Result<Outcome>
where
    T: Number,
    K: Kernel<Samples<T>> + Kernel<Samples<f64>>,
{
    let x = session.samples("x", data::normal::<T>(Stream::Gram, n, d)?)?;
    let rows = session.check(n, ROWS)?;
    let (outcome, mut gram) = match buffer {
        Buffer::Reused => {
            let mut gram = LargeMat::<T>::zeros(n, n)?;
            let measured = session.measure(|| Ok(DenseGram::fill(kernel, &x, gram.as_mut())?))?;
            (Outcome::new((n, d), measured).0, gram)
        }
        Buffer::Fresh => {
            let budget = MemoryBudget::available();
            let measured = session.measure(|| Ok(DenseGram::new(kernel, &x, &budget)?))?;
            let (outcome, gram) = Outcome::new((n, d), measured);
            (outcome, gram.into_matrix())
        }
    };
    let error = quality::gram_error(kernel, (&data::widen(&x)?, &rows), gram.as_ref());
    let columns = x.columns(0..n);
    let limit = gemm_limit(gram.as_mut(), columns.transpose(), columns)?;
    Ok(outcome.figure("max_abs_err", error).limit(limit))
}
