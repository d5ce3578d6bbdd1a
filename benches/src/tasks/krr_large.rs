//! Kernel ridge on landmarks: RBF, d = 18, γ = 1/32, λ = 1e-6, m = 2000 landmarks, drawn once for all uses.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Labelled, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_approx::Nystrom;
use kern_core::Samples;
use kern_core::kernels::Rbf;
use kern_gram::MemoryBudget;
use kern_solvers::ridge::Ridge;
use kern_solvers::{Data, Learner, Run, Values};

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

/// The solver.
#[derive(Clone, Copy)]
enum Way {
    Landmarks,
    Features,
}

impl Way {
    fn work(self, n: usize, m: usize) -> Work {
        let work = Work::kernel_values((n * m) as f64, DIM);
        match self {
            Way::Landmarks => super::on_landmarks(work, n, m),
            Way::Features => work.flops(n as f64 * (m as f64).powi(2)),
        }
    }
}

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let way = session.choose(&[("landmarks", Way::Landmarks), ("features", Way::Features)])?;
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
    let (x, x_test) = (session.samples("x", x)?, session.samples("x_test", x_test)?);
    let (y, y_test) = (session.vector("y", &y[..n])?, session.vector("y_test", &y[n..])?);
    session.param("gamma", GAMMA);
    session.param("lambda", LAMBDA);
    session.param("m", m);
    let (nystrom, budget) =
        (Nystrom::new(Rbf::new(GAMMA)?).landmarks(m), MemoryBudget::available());
    // The others take the landmarks that the fit draws.
    let drawn = nystrom.clone().fit(&x, &budget)?.landmarks().clone();
    let c = session.samples("centres", drawn)?;
    let data = Data::new(&x, Values::new(&*y))?;
    let (outcome, predicted, report) = match way {
        Way::Landmarks => {
            let ridge = Ridge::on_landmarks(nystrom).lambda(LAMBDA);
            let fit = || Ok(ridge.learn(&data, &mut Run::new())?);
            let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
            (outcome, model.predict(&x_test)?, model.report().clone())
        }
        Way::Features => {
            let map = || nystrom.clone().fit_landmarks(c.clone(), &budget);
            let fit = || {
                let ridge = Ridge::on_features(map()?).lambda(LAMBDA);
                Ok(ridge.learn(&data, &mut Run::new())?)
            };
            let (outcome, model) = Outcome::new((n, DIM), session.measure(fit)?);
            (outcome, model.predict(&x_test)?, model.report().clone())
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
