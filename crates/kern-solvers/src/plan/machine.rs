//! The constants of a machine.

use super::{Access, Precision, calibrate};
use crate::Error;
use kern_core::NonNegative;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Seconds that grow with a number: constant + rate·x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// Seconds at x = 0.
    pub constant: f64,
    /// Seconds per unit of x.
    pub rate: f64,
}

impl Affine {
    /// The value at x.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.constant + self.rate * x
    }

    /// The line through two points with x₁ < x₂, without negative seconds anywhere.
    pub(super) fn through((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Self {
        let rate = ((y2 - y1) / (x2 - x1)).max(0.0);
        let constant = (y1 - rate * x1).max(0.0);
        Self { constant, rate }
    }
}

/// Constants that depend on the type of the numbers, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// One kernel value by the dimension d, on all threads together (RBF kernel, dense samples).
    pub kernel_value: Affine,
    /// One feature of one point by d, on all threads together (random Fourier map).
    pub feature: Affine,
    /// One entry of a Gram matrix, beyond its computation: fresh memory, and its mirror image.
    pub entry: f64,
    /// One number of a matrix of features, beyond its computation: fresh memory.
    pub fresh: f64,
    /// A dot product with a column and its addition to the iterate: a step in w-space.
    pub update: Access,
    /// A dot product with a column.
    pub dot: Access,
    /// The product of some columns of a Gram matrix with numbers, by how many numbers the columns have
    /// together, on all threads.
    pub columns: Access,
    /// Looking up an entry of a Gram matrix at a random place.
    pub pair: Access,
}

/// What a machine's arithmetic and memory take, with a number of threads.
///
/// # Examples
/// ```
/// use kern_solvers::plan::Machine;
/// let machine = Machine::this()?;
/// assert!(machine.double.kernel_value.at(10.0) > 0.0);
/// assert_eq!(machine.threads, Machine::this()?.threads);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The threads that were used.
    pub threads: usize,
    /// The constants of `f32`.
    pub single: Rates,
    /// The constants of `f64`.
    pub double: Rates,
    /// Seconds per step, beyond arithmetic on vectors. A difference of times, like the three that follow:
    /// zero where it drowned in what else the machine did.
    pub step: f64,
    /// Seconds per block of upcoming samples whose features are computed, beyond arithmetic.
    pub feature_block: f64,
    /// Seconds per block of upcoming samples whose kernel values are computed, beyond arithmetic.
    pub kernel_block: f64,
    /// Seconds per fit, beyond everything else.
    pub fit: f64,
}

/// Machines by number of threads.
static MACHINES: Mutex<BTreeMap<usize, Arc<Machine>>> = Mutex::new(BTreeMap::new());

impl Machine {
    /// Measures this machine with the current rayon pool, in less than half a second: with the library's
    /// own loops, and SGD itself on tiny problems.
    ///
    /// What else runs at the time disturbs it; each number is the least of a few.
    ///
    /// # Errors
    /// [`Error::Core`] if the memory for it (300 MiB) is refused.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::plan::Machine;
    /// assert!(Machine::calibrate()?.double.kernel_value.at(10.0) > 0.0);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn calibrate() -> Result<Self, Error> {
        calibrate::machine()
    }

    /// [`calibrate`](Machine::calibrate), once per process and number of threads of the current rayon
    /// pool; later calls return what the first one found.
    ///
    /// It is the one thing that the library remembers between calls. No result depends on it but the
    /// choice of a way; to fix that, too, keep a machine in a file and hand it to [`plan`](super::plan).
    ///
    /// # Errors
    /// As [`calibrate`](Machine::calibrate).
    pub fn this() -> Result<Arc<Self>, Error> {
        let threads = calibrate::threads();
        let machines = || MACHINES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(machine) = machines().get(&threads) {
            return Ok(Arc::clone(machine));
        }
        // Not under the lock: a thread of the pool that waits for its part of the measurement may take
        // up a task that asks for the machine, too.
        let machine = Arc::new(Self::calibrate()?);
        Ok(Arc::clone(machines().entry(threads).or_insert(machine)))
    }

    /// The constants of a type of numbers.
    #[must_use]
    pub fn rates(&self, precision: Precision) -> &Rates {
        match precision {
            Precision::Single => &self.single,
            Precision::Double => &self.double,
        }
    }

    /// Refuses constants, possibly read from a file, that are no times.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.threads == 0 {
            let name = "the number of threads of a machine";
            return Err(Error::Count { name, given: 0, allowed: "at least 1" });
        }
        for rates in [&self.single, &self.double] {
            let accesses = [rates.update, rates.dot, rates.columns, rates.pair];
            let lines = accesses.iter().flat_map(|access| &access.0);
            for line in lines.chain([&rates.kernel_value, &rates.feature]) {
                check_seconds(&[line.constant, line.rate])?;
            }
            check_seconds(&[rates.entry, rates.fresh])?;
        }
        check_seconds(&[self.step, self.feature_block, self.kernel_block, self.fit])
    }
}

fn check_seconds(seconds: &[f64]) -> Result<(), Error> {
    for &seconds in seconds {
        NonNegative::new("a constant of the machine", seconds)?;
    }
    Ok(())
}
