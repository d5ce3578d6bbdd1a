//! The cost of kernel values, and the choice to compute some of them instead of looking them up.

use faer::Mat;
use kern_core::{Kernel, Points, Scalar};
use kern_gram::numerics::stopwatch::fastest;
use kern_gram::{GramOperator, LazyGram, Rows, sequentially};
use std::sync::OnceLock;

/// Seconds in which a thread finds a value in a column that is not in its cache: as many loads are on their way
/// at a time as the processor has buffers for them. Measured: 7.5 ns for each of 256 × 512 values.
const LOOKED_UP: f64 = 7e-9;

/// Values between some points, computed, if that takes less time than to look them up.
pub(super) trait Values<T: Scalar>: Sync {
    fn cheap(&self) -> Option<&dyn GramOperator<T>>;
}

/// A kernel on points, whose values are computed as they are needed, and whose cost is measured when somebody wants
/// to know it.
pub(super) struct Recomputed<'a, K, P: Points> {
    pub(super) kernel: &'a K,
    pub(super) points: &'a P,
    gram: OnceLock<Option<LazyGram<'a, K, P>>>,
    cheap: OnceLock<bool>,
}

impl<'a, T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Recomputed<'a, K, P> {
    pub(super) fn new(kernel: &'a K, points: &'a P) -> Self {
        Self { kernel, points, gram: OnceLock::new(), cheap: OnceLock::new() }
    }

    /// The source of computed values, unless that repeats work for each point which is done only once for columns.
    pub(super) fn get(&self) -> Option<&dyn GramOperator<T>> {
        let make = || {
            let one = self.points.select(&[0]).ok()?;
            let bound = self.kernel.bind(&one, &one).is_some();
            if bound { None } else { LazyGram::new(self.kernel, self.points).ok() }
        };
        self.gram.get_or_init(make).as_ref().map(|gram| gram as &dyn GramOperator<T>)
    }

    /// True if a value is computed faster than it is fetched from memory. Since this is measured, no bit of a
    /// result may depend on it.
    pub(super) fn is_cheap(&self) -> bool {
        // To measure a kernel without blocks is as dear as what it could save.
        let possible = self.points.entries_are_local() && !self.kernel.is_pointwise();
        let measure = || self.get().is_some_and(|gram| seconds_per_value(gram) <= LOOKED_UP);
        possible && *self.cheap.get_or_init(measure)
    }
}

impl<T: Scalar, P: Points<Scalar = T>, K: Kernel<P>> Values<T> for Recomputed<'_, K, P> {
    fn cheap(&self) -> Option<&dyn GramOperator<T>> {
        self.get().filter(|_| self.is_cheap())
    }
}

/// The seconds that one thread takes for a value between some points, spread over all; infinite where it cannot.
fn seconds_per_value<T: Scalar>(gram: &dyn GramOperator<T>) -> f64 {
    /// Enough of them that what is done once for a block does not count.
    const SOME: usize = 128;
    const REPEATS: usize = 3;
    let (n, m) = (gram.size(), SOME.min(gram.size()));
    let some: Vec<usize> = (0..m).map(|k| k * n / m).collect();
    let mut out = Mat::<T>::zeros(m, m);
    let compute = || gram.submatrix_into(Rows::Of(&some), &some, out.as_mut());
    let seconds = sequentially(|| fastest(REPEATS, compute));
    seconds.map_or(f64::INFINITY, |seconds| seconds / (m * m) as f64)
}
