//! Measuring what decides between the ways of kernel ridge.

use super::RidgeRates;
use crate::Error;
use crate::cholesky::Cholesky;
use crate::plan::{fastest, seconds_per_value};
use kern_core::memory::{LargeMat, Pages};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::parallel;

/// The size of the matrix that is factorised.
const SIZE: usize = 768;
/// Numbers that are read: more than caches hold.
const NUMBERS: usize = 1 << 22;
/// Numbers that a thread reads at a time.
const CHUNK: usize = 1 << 16;
/// How often each is run; the least time counts.
const REPEATS: usize = 3;

impl RidgeRates {
    /// Measures the kernel on some of the points, a factorisation of size 768, and the reading of four million
    /// numbers, in some hundredths of a second, unless the kernel is very dear.
    ///
    /// # Errors
    /// [`Error::Empty`] without points; [`Error::Gram`] if the kernel refuses them; [`Error::Core`] if the memory
    /// (32 MiB) is refused.
    pub fn measure<P: Points, K: Kernel<P>>(kernel: &K, points: &P) -> Result<Self, Error> {
        // Clocks are coarse; nothing takes no time at all.
        let positive = |seconds: f64| seconds.max(f64::MIN_POSITIVE);
        Ok(Self {
            kernel_value: positive(seconds_per_value(kernel, points)?),
            // Factors of both types of numbers are in single precision, as a rule.
            flop: positive(flop::<f32>()?),
            number: positive(number::<P::Scalar>()?),
        })
    }
}

fn flop<T: Scalar>() -> Result<f64, Error> {
    let seconds = fastest(REPEATS, || Cholesky::new(LargeMat::<T>::zeros(SIZE, SIZE)?, 1.0))?;
    Ok(seconds * 3.0 / (SIZE as f64).powi(3))
}

fn number<T: Scalar>() -> Result<f64, Error> {
    let mut numbers = Pages::<T>::zeroed(NUMBERS)?;
    numbers.fill(T::ONE);
    let seconds = fastest(REPEATS, || {
        let chunks = numbers.chunks(CHUNK).collect();
        let sums =
            parallel::map_init(chunks, || (), |(), chunk: &[T]| T::dot(chunk, chunk).to_f64());
        Ok(sums.into_iter().sum::<f64>())
    })?;
    Ok(seconds / NUMBERS as f64)
}
