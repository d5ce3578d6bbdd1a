//! The constants of a machine.

use super::{Access, WORKING_SETS, calibrate};
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
    pub(crate) fn through((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Self {
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
    /// One floating-point operation of a large factorisation or matrix product, on all threads; that of `f64` is in
    /// single precision, as the factor of ridge regression is.
    pub flop: f64,
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// `f32`, 4 bytes.
    Single,
    /// `f64`, 8 bytes.
    #[default]
    Double,
}

impl Precision {
    /// Bytes per number.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// The precision of the type `T`.
    #[must_use]
    pub const fn of<T>() -> Self {
        if size_of::<T>() == 4 { Self::Single } else { Self::Double }
    }
}

/// A rate that does not depend on the size of a matrix.
const fn flat(rate: f64) -> Access {
    Access([Affine { constant: 0.0, rate }; WORKING_SETS.len()])
}

/// The constants of the nominal machine.
const NOMINAL_RATES: Rates = Rates {
    kernel_value: Affine { constant: 1e-9, rate: 0.0 },
    feature: Affine { constant: 1e-9, rate: 0.0 },
    entry: 1e-9,
    fresh: 1e-9,
    update: flat(4e-10),
    dot: flat(3e-10),
    columns: flat(2e-10),
    pair: flat(1e-9),
    flop: 5e-12,
};

/// The arithmetic and memory of a machine, with a number of threads.
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
    /// Seconds per step of SGD, beyond arithmetic on vectors. A difference of times, like the three that follow:
    /// zero where it drowned in what else the machine did.
    pub step: f64,
    /// Seconds per block of upcoming samples whose features are computed, beyond arithmetic.
    pub feature_block: f64,
    /// Seconds per block of upcoming samples whose kernel values are computed, beyond arithmetic.
    pub kernel_block: f64,
    /// Seconds per fit by SGD, beyond everything else.
    pub fit: f64,
}

/// Machines by number of threads.
pub(crate) type Machines = Mutex<BTreeMap<usize, Arc<Machine>>>;

/// The machines that were measured but for the overheads of SGD.
static BARE: Machines = Mutex::new(BTreeMap::new());

impl Machine {
    /// A machine that is the same for everybody: about two cores with AVX-512 and their caches. Choices are made with
    /// its constants, so that no bit of a result depends on a stopwatch, on the number of threads, or on
    /// what else runs.
    ///
    /// # Examples
    /// ```
    /// use kern_solvers::plan::Machine;
    /// assert_eq!(Machine::NOMINAL.double.kernel_value.at(10.0), 1e-9);
    /// ```
    pub const NOMINAL: Self = Self {
        threads: 2,
        single: NOMINAL_RATES,
        double: NOMINAL_RATES,
        step: 4e-8,
        feature_block: 1e-5,
        kernel_block: 2e-5,
        fit: 1e-5,
    };

    /// Measures this machine but for the overheads of SGD, which are zero.
    pub(crate) fn calibrate_bare() -> Result<Self, Error> {
        calibrate::bare()
    }

    /// [`calibrate_bare`](Machine::calibrate_bare), once per process and number of threads.
    pub(crate) fn bare() -> Result<Arc<Self>, Error> {
        remembered(&BARE, calibrate::bare)
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
    pub(crate) fn check(&self) -> Result<(), Error> {
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
            check_seconds(&[rates.entry, rates.fresh, rates.flop])?;
        }
        check_seconds(&[self.step, self.feature_block, self.kernel_block, self.fit])
    }
}

/// The machine for the threads of the current pool, measured unless it was before.
pub(crate) fn remembered(
    machines: &Machines,
    measure: impl FnOnce() -> Result<Machine, Error>,
) -> Result<Arc<Machine>, Error> {
    let threads = calibrate::threads();
    let machines = || machines.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(machine) = machines().get(&threads) {
        return Ok(Arc::clone(machine));
    }
    // Not under the lock: a thread of the pool that waits for its part of the measurement may take
    // up a task that asks for the machine, too.
    let machine = Arc::new(measure()?);
    Ok(Arc::clone(machines().entry(threads).or_insert(machine)))
}

fn check_seconds(seconds: &[f64]) -> Result<(), Error> {
    for &seconds in seconds {
        NonNegative::new("a constant of the machine", seconds)?;
    }
    Ok(())
}
