//! The two-sample test by permutations: RBF, d = 20, γ = 1/20, 1000 permutations, two normal samples whose means differ.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Context, Result};
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::dependence::{MmdTest, mmd};

/// `mmd`.
pub(super) const TASK: Task = Task {
    name: "mmd",
    about: "maximum mean discrepancy with 1000 permutations: the statistic and p, kernel values included",
    cases: &[("n10000", Dtype::F64), ("n10000", Dtype::F32)],
    bound: "n²/2 kernel values of 2d operations and an exp, each times 1000 signs: n² operations a permutation",
    bars: &[
        Bar {
            figure: "error",
            reading: Reading::Error,
            factor: 10.0,
            enough_f32: 1e-6,
            enough_f64: 1e-12,
        },
        Bar {
            figure: "p_value",
            reading: Reading::Error,
            factor: 1.0,
            enough_f32: 0.0,
            enough_f64: 0.0,
        },
    ],
    targets: &[("n10000", 0.5)],
    run,
};

const DIM: usize = 20;
const GAMMA: f64 = 1.0 / 20.0;
const PERMUTATIONS: usize = 1000;
/// The difference of the means in each coordinate.
const SHIFT: f64 = 0.3;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("n10000", ())])?;
    let n = session.size().pick(10_000, 4000, 400);
    match session.dtype() {
        Dtype::F32 => test::<f32>(session, n),
        Dtype::F64 => test::<f64>(session, n),
    }
}

fn test<T: Number>(session: &mut Session<'_>, n: usize) -> Result<Outcome> {
    session.param("gamma", GAMMA);
    session.param("permutations", PERMUTATIONS);
    session.param("first", n / 2);
    let pooled = session.samples("x", samples::<T>(n)?)?;
    let half = |range: std::ops::Range<usize>| pooled.select(&range.collect::<Vec<_>>());
    let (x, y) = (half(0..n / 2)?, half(n / 2..n)?);
    let kernel = Rbf::new(GAMMA)?;
    let exact = mmd(&kernel, &wide(&x)?, &wide(&y)?)?.unbiased().context("two samples")?;
    session.param("statistic", exact);
    let measured = session
        .measure(|| Ok(MmdTest::on_kernel(kernel).permutations(PERMUTATIONS).test(&x, &y)?))?;
    let (outcome, found) = Outcome::new((n, DIM), measured);
    let products = PERMUTATIONS as f64 * (n as f64).powi(2);
    Ok(outcome
        .work(Work::gram_values(n, DIM).flops(products))
        .figure("error", (found.statistic() - exact).abs())
        .figure("statistic", found.statistic())
        .figure("p_value", found.p_value()))
}

/// Normal points, of which the second half is shifted.
fn samples<T: Number>(n: usize) -> Result<Samples<T>> {
    let x = data::normal::<f64>(Stream::Mmd, n, DIM)?;
    let shifted = x.as_slice().iter().enumerate().map(|(place, value)| {
        T::from_f64(if place >= n / 2 * DIM { value + SHIFT } else { *value })
    });
    Ok(Samples::from_row_major(DIM, shifted.collect())?)
}

/// The same points in double precision.
fn wide<T: Number>(x: &Samples<T>) -> Result<Samples<f64>> {
    let values = x.as_slice().iter().map(|value| value.to_f64()).collect();
    Ok(Samples::from_row_major(DIM, values)?)
}
