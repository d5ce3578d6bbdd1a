//! What kernel values cost, and where some of them are computed instead of looked up.

use crate::plan::seconds_per_value;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, parallelism};
use std::sync::OnceLock;

/// Seconds in which a thread finds a value in a column that is not in its cache: as many loads are on their way
/// at a time as the processor has buffers for them. Measured: 7.5 ns for each of 256 × 512 values.
const LOOKED_UP: f64 = 7e-9;

/// Where values between some points are computed, if that takes less time than to look them up.
pub(super) trait Values<T: Scalar>: Sync {
    fn get(&self) -> Option<&dyn GramOperator<T>>;
}

/// A kernel on points, whose cost is measured when somebody wants to know it.
pub(super) struct Recomputed<'a, K, P: Points> {
    pub(super) kernel: &'a K,
    pub(super) points: &'a P,
    cheap: OnceLock<bool>,
    gram: OnceLock<Option<LazyGram<'a, K, P>>>,
}

impl<'a, K: Kernel<P>, P: Points> Recomputed<'a, K, P> {
    pub(super) fn new(kernel: &'a K, points: &'a P) -> Self {
        Self { kernel, points, cheap: OnceLock::new(), gram: OnceLock::new() }
    }

    /// Whether a value is computed faster than it is fetched from memory. Since this is measured, no bit of a
    /// result may depend on it.
    pub(super) fn is_cheap(&self) -> bool {
        let measure = || {
            let local = self.points.entries_are_local();
            let bound = self.kernel.bind(self.points, self.points).is_some();
            let seconds = || seconds_per_value(self.kernel, self.points).unwrap_or(f64::INFINITY);
            local && !bound && seconds() * parallelism().degree() as f64 <= LOOKED_UP
        };
        *self.cheap.get_or_init(measure)
    }
}

impl<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Values<T> for Recomputed<'_, K, P> {
    fn get(&self) -> Option<&dyn GramOperator<T>> {
        let make = || LazyGram::new(self.kernel, self.points).ok().filter(|_| self.is_cheap());
        self.gram.get_or_init(make).as_ref().map(|gram| gram as &dyn GramOperator<T>)
    }
}
