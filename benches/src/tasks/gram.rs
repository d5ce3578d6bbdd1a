//! Common parts of the tasks on dense Gram matrices.

use super::Outcome;
use crate::data::{self, Stream};
use crate::measure::{Alone, measure};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::{GEMM, Limit, Work};
use anyhow::Result;
use kern_core::faer::linalg::matmul::matmul;
use kern_core::faer::{Accum, MatMut, MatRef, Par};
use kern_core::memory::LargeMat;
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::{DenseGram, MemoryBudget, threads};

/// Rows that are checked.
const ROWS: usize = 64;

/// The memory for the n² numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Buffer {
    /// Into memory that has been written before.
    Reused,
    /// Into memory that is allocated within the time.
    Fresh,
}

impl Buffer {
    pub(super) fn is_fresh(self) -> bool {
        matches!(self, Buffer::Fresh)
    }
}

/// A Gram matrix with what was measured.
pub(super) struct Filled<T: Number> {
    pub(super) outcome: Outcome,
    x: Samples<T>,
    gram: LargeMat<T>,
}

/// Measures the Gram matrix of `n` standard normal points of dimension `d`.
pub(super) fn run<T, K>(
    session: &mut Session<'_>,
    kernel: &K,
    (n, d): (usize, usize),
    buffer: Buffer,
) -> Result<Filled<T>>
where
    T: Number,
    K: Kernel<Samples<T>> + Kernel<Samples<f64>>,
{
    let x = session.samples("x", data::normal::<T>(Stream::Gram, n, d)?)?;
    let rows = session.check(n, ROWS)?;
    let (outcome, gram) = match buffer {
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
    let error = quality::gram_error(kernel, (&quality::widen(&x)?, &rows), gram.as_ref());
    let work = Work::gram_values(n, d).moves::<T>((n * n) as f64).is_fresh(buffer.is_fresh());
    let outcome = outcome.figure("max_abs_err", error).work(work);
    Ok(Filled { outcome, x, gram })
}

impl<T: Number> Filled<T> {
    /// With the bare product XXᵀ, into the same memory, as the limit.
    pub(super) fn beside_the_product(mut self) -> Result<Outcome> {
        let columns = self.x.columns(0..self.x.len());
        let limit = gemm_limit(self.gram.as_mut(), columns.transpose(), columns)?;
        Ok(self.outcome.limit(limit))
    }
}

/// The time of the bare matrix product out = a·b with all threads of this process: the limit of
/// whatever needs that product.
fn gemm_limit<T: Scalar>(
    mut out: MatMut<'_, T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
) -> Result<Limit> {
    let measured = measure(&mut Alone, || {
        matmul(out.as_mut(), Accum::Replace, a, b, T::ONE, Par::rayon(threads()));
        Ok(())
    })?;
    Ok(Limit { name: GEMM.to_owned(), seconds: measured.seconds.median })
}
