//! The problem of the golden values.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::{Data, Error, IntoTargets, Learner, Report, Run, SvmDetails};

pub(crate) const N: usize = 120;

pub(crate) fn rbf() -> Rbf {
    Rbf::new(0.5).unwrap()
}

/// Points of the plane, and a function of them with noise: those of the golden values.
pub(crate) fn data() -> (Samples<f64>, Vec<f64>) {
    let wave = |i: usize, rate: f64| (rate * i as f64).sin();
    let rows: Vec<[f64; 2]> = (0..N).map(|i| [3.0 * wave(i, 1.3), 2.0 * wave(i, 2.9)]).collect();
    let value = |(i, x): (usize, &[f64; 2])| x[0] + (2.0 * x[1]).sin() + 1.5 * wave(i, 7.7);
    let values = rows.iter().enumerate().map(value).collect();
    (Samples::from_rows(&rows).unwrap(), values)
}

pub(crate) fn two() -> (Samples<f64>, Vec<bool>) {
    let (x, values) = data();
    (x, values.into_iter().map(|v| v > 0.0).collect())
}

/// A budget that allows so many columns and a block of them, beside the vectors of a problem of two classes: per point
/// 72 bytes, 144 of the variable, a coefficient, and a copy of the point.
pub(crate) fn columns(count: u64) -> MemoryBudget {
    columns_of(count, 1, 1)
}

/// The same for more functions, each point in so many of them; one is solved at a time or all are.
pub(crate) fn columns_of(count: u64, functions: u64, of_point: u64) -> MemoryBudget {
    let point = 72 + 144 * of_point + 8 * functions + 16;
    MemoryBudget::bytes((point + 16 * count) * N as u64)
}

/// The evidence of a support vector machine, in short.
pub(crate) trait Evidence {
    fn details(&self) -> &SvmDetails;

    /// Infinite if there is none.
    fn gap(&self) -> f64;

    fn dual(&self) -> f64 {
        self.details().dual
    }

    fn violation(&self) -> f64 {
        self.details().violation
    }

    fn supports(&self) -> usize {
        self.details().support.len()
    }

    fn bounded(&self) -> usize {
        self.details().bounded
    }

    fn rounds(&self) -> usize {
        self.details().rounds
    }
}

impl Evidence for Report {
    fn details(&self) -> &SvmDetails {
        self.svm().unwrap()
    }

    fn gap(&self) -> f64 {
        self.gap.unwrap_or(f64::INFINITY)
    }
}

/// A fit within a budget, of points that may have weights.
pub(crate) fn within<A, P, Y>(
    learner: &A,
    (x, y): (&P, Y),
    (budget, weights): (MemoryBudget, Option<&[f64]>),
) -> Result<A::Model, Error>
where
    P: Points,
    Y: IntoTargets,
    A: Learner<P, Y::Targets>,
{
    let data = Data::new(x, y)?;
    let data = match weights {
        Some(weights) => data.weights(weights)?,
        None => data,
    };
    learner.learn(&data, &mut Run::new().memory(budget))
}

/// A fit of points that have weights.
pub(crate) fn weighted<A, P, Y>(
    learner: &A,
    (x, y): (&P, Y),
    weights: &[f64],
) -> Result<A::Model, Error>
where
    P: Points,
    Y: IntoTargets,
    A: Learner<P, Y::Targets>,
{
    learner.learn(&Data::new(x, y)?.weights(weights)?, &mut Run::new())
}
