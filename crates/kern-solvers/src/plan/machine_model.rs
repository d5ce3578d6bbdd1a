//! The machine model: counted work, and machine constants that convert it to seconds.

use super::{Algorithm, Prediction, Term, Work};
use crate::Error;
use kern_approx::machine::{Access, Affine, Precision, Rates, WORKING_SETS, rates};
use kern_core::NonNegative;
use kern_gram::threads;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A rate that does not depend on the matrix size.
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

/// The arithmetic and memory speed of a machine for a number of threads.
///
/// # Examples
/// ```
/// use kern_solvers::plan::Machine;
/// let machine = Machine::current()?;
/// assert!(machine.double.kernel_value.at(10.0) > 0.0);
/// assert_eq!(machine.threads, Machine::current()?.threads);
/// # Ok::<(), kern_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The number of threads.
    pub threads: usize,
    /// The constants of `f32`.
    pub single: Rates,
    /// The constants of `f64`.
    pub double: Rates,
    /// Seconds per SGD step beyond vector arithmetic. Like the following three values a difference
    /// of measured times: zero if other load on the machine hides it.
    pub step: f64,
    /// Seconds per block of upcoming samples whose features are computed, beyond arithmetic.
    pub feature_block: f64,
    /// Seconds per block of upcoming samples whose kernel values are computed, beyond arithmetic.
    pub kernel_block: f64,
    /// Seconds per SGD fit beyond everything else.
    pub fit: f64,
}

/// Machines by number of threads.
pub(crate) type Machines = Mutex<BTreeMap<usize, Arc<Machine>>>;

/// Measured machines without the overheads of SGD.
static BARE: Machines = Mutex::new(BTreeMap::new());

impl Machine {
    /// A fixed reference machine: about two cores with AVX-512 and their caches. Choices use its
    /// constants, so that no bit of a result depends on timing, on the number of threads, or on
    /// other load.
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

    /// Measures this machine without the overheads of SGD, which are set to zero.
    pub(crate) fn calibrate_bare() -> Result<Self, Error> {
        let (single, double) = rates()?;
        let (step, feature_block, kernel_block, fit) = (0.0, 0.0, 0.0, 0.0);
        let threads = threads();
        Ok(Self { threads, single, double, step, feature_block, kernel_block, fit })
    }

    /// [`calibrate_bare`](Machine::calibrate_bare), once per process and number of threads.
    pub(crate) fn bare() -> Result<Arc<Self>, Error> {
        remembered(&BARE, Self::calibrate_bare)
    }

    /// The constants of a precision.
    #[must_use]
    pub fn rates(&self, precision: Precision) -> &Rates {
        match precision {
            Precision::Single => &self.single,
            Precision::Double => &self.double,
        }
    }

    /// Rejects invalid constants, which may come from a file.
    pub(crate) fn check(&self) -> Result<(), Error> {
        Error::check_positive("the number of threads of a machine", self.threads)?;
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

/// The machine for the threads of the current pool, measured on first use.
pub(crate) fn remembered(
    machines: &Machines,
    measure: impl FnOnce() -> Result<Machine, Error>,
) -> Result<Arc<Machine>, Error> {
    let threads = threads();
    let machines = || machines.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(machine) = machines().get(&threads) {
        return Ok(Arc::clone(machine));
    }
    // The lock is not held here: a pool thread that waits for its part of the measurement may run a
    // task that requests the machine, too.
    let machine = Arc::new(measure()?);
    Ok(Arc::clone(machines().entry(threads).or_insert(machine)))
}

fn check_seconds(seconds: &[f64]) -> Result<(), Error> {
    for &seconds in seconds {
        NonNegative::new("a constant of the machine", seconds)?;
    }
    Ok(())
}

/// Counts of the work of solvers on kernel matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count {
    /// Kernel values.
    pub(crate) kernel_values: f64,
    /// Floating-point operations of large matrix products and factorisations.
    pub(crate) flops: f64,
    /// Values read from large matrices.
    pub(crate) numbers: f64,
}

impl Count {
    pub(crate) fn values(kernel_values: f64) -> Self {
        Self { kernel_values, ..Self::default() }
    }

    pub(crate) fn flops(flops: f64) -> Self {
        Self { flops, ..Self::default() }
    }

    pub(crate) fn numbers(numbers: f64) -> Self {
        Self { numbers, ..Self::default() }
    }
}

/// The counted work of a method.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effort {
    pub(crate) algorithm: Algorithm,
    pub(crate) parts: Vec<(Work, Count)>,
    /// The memory for matrices.
    pub(crate) bytes: u64,
}

/// Seconds per unit of each kind of work, on all threads together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    pub(crate) kernel_value: f64,
    pub(crate) flop: f64,
    pub(crate) number: f64,
}

impl Pace {
    /// The pace of a machine; kernel values are those of its constants at dimension `dim`.
    pub(crate) fn of(machine: &Machine, precision: Precision, dim: f64) -> Self {
        let rates = machine.rates(precision);
        Self {
            kernel_value: rates.kernel_value.at(dim),
            flop: rates.flop,
            number: rates.columns.in_memory(),
        }
    }

    /// The pace used for choices.
    pub(crate) fn nominal(precision: Precision) -> Self {
        Self::of(&Machine::NOMINAL, precision, 0.0)
    }
}

impl Effort {
    /// The work of a method whose memory is checked elsewhere.
    pub(crate) fn counted(algorithm: Algorithm, parts: Vec<(Work, Count)>) -> Self {
        Self { algorithm, parts, bytes: 0 }
    }

    /// The work, with its name, of a method that makes this many passes over the kernel values
    /// between n points and enough landmarks.
    pub(crate) fn by_passes(n: usize, passes: f64) -> (String, Self) {
        let landmarks = enough_landmarks(n);
        let (points, m) = (n as f64, landmarks as f64);
        let parts = vec![
            (Work::KernelValues, Count::values(points * m)),
            (Work::Factors, Count::flops(points * m * m + 16.0 * m.powi(3))),
            (Work::Products, Count::numbers(passes * points * m)),
        ];
        (format!("{landmarks} landmarks"), Self::counted(Algorithm::Landmarks, parts))
    }

    /// Its predicted time, before the memory budget is checked.
    pub(crate) fn at(&self, pace: &Pace) -> Prediction {
        let term = |&(work, count): &(Work, Count)| {
            let Count { kernel_values, flops, numbers } = count;
            let seconds =
                kernel_values * pace.kernel_value + flops * pace.flop + numbers * pace.number;
            Term { work, seconds }
        };
        let terms = self.parts.iter().map(term).collect();
        Prediction { algorithm: self.algorithm, terms, bytes: self.bytes, fits: true }
    }

    pub(crate) fn kernel_values(&self) -> f64 {
        self.parts.iter().map(|(_, count)| count.kernel_values).sum()
    }
}

/// √n·ln n for n points.
pub(crate) fn enough_landmarks(n: usize) -> usize {
    let wanted = ((n as f64).sqrt() * (n as f64).ln()).ceil() as usize;
    wanted.clamp(1, n.max(1))
}
