//! Counted work, and what a machine takes for it.

use super::{Machine, Precision, Prediction, Term, Way, Work};

/// Counts of what the solvers on kernel matrices spend their time with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count {
    /// Kernel values.
    pub(crate) kernel_values: f64,
    /// Floating-point operations of large matrix products and factorisations.
    pub(crate) flops: f64,
    /// Numbers of large matrices that are read.
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

/// The counted work of a way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effort {
    pub(crate) way: Way,
    pub(crate) parts: Vec<(Work, Count)>,
    /// The memory for matrices.
    pub(crate) bytes: u64,
}

/// Seconds of each kind of counted work, on all threads together.
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

    /// The pace by which choices are made.
    pub(crate) fn nominal(precision: Precision) -> Self {
        Self::of(&Machine::NOMINAL, precision, 0.0)
    }
}

impl Effort {
    /// The work of a way whose memory is looked at elsewhere.
    pub(crate) fn counted(way: Way, parts: Vec<(Work, Count)>) -> Self {
        Self { way, parts, bytes: 0 }
    }

    /// The work of a method that goes so many times through the kernel values of n points and enough landmarks, with its name.
    pub(crate) fn by_passes(n: usize, passes: f64) -> (String, Self) {
        let landmarks = enough_landmarks(n);
        let (points, m) = (n as f64, landmarks as f64);
        let parts = vec![
            (Work::KernelValues, Count::values(points * m)),
            (Work::Factors, Count::flops(points * m * m + 16.0 * m.powi(3))),
            (Work::Products, Count::numbers(passes * points * m)),
        ];
        (format!("{landmarks} landmarks"), Self::counted(Way::Landmarks, parts))
    }

    /// Its prediction, before a memory budget is looked at.
    pub(crate) fn at(&self, pace: &Pace) -> Prediction {
        let term = |&(work, count): &(Work, Count)| {
            let Count { kernel_values, flops, numbers } = count;
            let seconds =
                kernel_values * pace.kernel_value + flops * pace.flop + numbers * pace.number;
            Term { work, seconds }
        };
        let terms = self.parts.iter().map(term).collect();
        Prediction { way: self.way, terms, bytes: self.bytes, fits: true }
    }

    pub(crate) fn kernel_values(&self) -> f64 {
        self.parts.iter().map(|(_, count)| count.kernel_values).sum()
    }
}

/// √n·ln n of n points.
pub(crate) fn enough_landmarks(n: usize) -> usize {
    let wanted = ((n as f64).sqrt() * (n as f64).ln()).ceil() as usize;
    wanted.clamp(1, n.max(1))
}
