//! Kernel ridge on landmarks: RBF, d = 18, γ = 1/32, λ = 1e-6, m = 2000 landmarks that are given.

use super::{Dtype, Outcome, Task};
use crate::compare::{Bar, Reading};
use crate::data::{self, Labelled, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_approx::Nystrom;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;
use kern_solvers::ridge::{Falkon, FeatureRidge};

/// `krr_large`.
pub(super) const TASK: Task = Task {
    name: "krr_large",
    about: "kernel ridge regression on landmarks: the fit, with its certificate",
    cases: &[
        ("landmarks", Dtype::F64),
        ("landmarks", Dtype::F32),
        ("features", Dtype::F64),
        ("features", Dtype::F32),
    ],
    bound: "nm kernel values of 2d operations and an exp; landmarks: a product with them and its transpose, m³/3 operations of a factor in single precision; features: nm² operations of their second moments",
    bars: &[Bar {
        figure: "test_rmse",
        reading: Reading::Error,
        factor: 1.001,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("landmarks", 0.3)],
    run,
};

const DIM: usize = 18;
const GAMMA: f64 = 1.0 / 32.0;
const LAMBDA: f64 = 1e-6;

/// Which solver.
#[derive(Clone, Copy)]
enum Way {
    Falkon,
    FeatureRidge,
}

impl Way {
    fn work(self, n: usize, m: usize) -> Work {
        let work = Work::kernel_values((n * m) as f64, DIM);
        match self {
            Way::Falkon => super::on_landmarks(work, n, m),
            Way::FeatureRidge => work.flops(n as f64 * (m as f64).powi(2)),
        }
    }
}

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let way = session.choose(&[("landmarks", Way::Falkon), ("features", Way::FeatureRidge)])?;
    match session.dtype() {
        Dtype::F32 => solve::<f32>(session, way),
        Dtype::F64 => solve::<f64>(session, way),
    }
}

fn solve<T: Number>(session: &mut Session<'_>, way: Way) -> Result<Outcome> {
    let (n, tests, m) =
        session.size().pick((200_000, 20_000, 2000), (20_000, 5000, 500), (300, 50, 20));
    let Labelled { x, y } = data::regression(Stream::KrrLarge, n + tests, DIM)?;
    let (x, x_test) = data::split(&x, n)?;
    let (x, x_test) = (narrow::<T>(&x)?, narrow::<T>(&x_test)?);
    let y: Vec<T> = y.into_iter().map(T::from_f64).collect();
    // The points are independent: the first m are as good as any.
    let centres: Vec<usize> = (0..m).collect();
    let c = session.samples("centres", x.select(&centres)?)?;
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("lambda", LAMBDA);
    session.param("m", m);
    let (kernel, budget) = (Rbf::new(GAMMA)?, MemoryBudget::available());
    let map = || Nystrom::new(kernel).fit_landmarks(c.clone(), &budget);
    let (outcome, predicted, report) = match way {
        Way::Falkon => {
            let fit = || Ok(Falkon::new(map()?).lambda(LAMBDA).fit(&x, &y)?);
            let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
            (outcome, model.predict(&x_test)?, *model.report())
        }
        Way::FeatureRidge => {
            let fit = || Ok(FeatureRidge::new(map()?).lambda(LAMBDA).fit(&x, &y)?);
            let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
            (outcome, model.predict(&x_test)?, *model.report())
        }
    };
    let wide = |v: &[T]| v.iter().map(|v| v.to_f64()).collect::<Vec<f64>>();
    Ok(outcome
        .work(way.work(n, m))
        .figure("test_rmse", quality::rmse(&wide(&predicted), &wide(&y_test)))
        .figure("objective", report.objective)
        .figure("gap", report.gap.unwrap_or(f64::NAN))
        .figure("iterations", report.iterations as f64))
}

fn narrow<T: Number>(x: &Samples<f64>) -> Result<Samples<T>> {
    let values = x.as_slice().iter().map(|&v| T::from_f64(v)).collect();
    Ok(Samples::from_row_major(x.dim(), values)?)
}
