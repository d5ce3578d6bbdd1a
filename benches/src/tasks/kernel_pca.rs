//! Kernel principal components: RBF, d = 16, γ = 1/16, 10 components, points from 10 Gaussian clusters.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_solvers::components::KernelPca;

/// `kernel_pca`.
pub(super) const TASK: Task = Task {
    name: "kernel_pca",
    about: "10 kernel principal components: the fit and the components of its points, Gram matrix included",
    cases: &[("n4000", Dtype::F64), ("n4000", Dtype::F32)],
    bound: "n²/2 kernel values of 2d operations and an exp",
    // Components take at least the variance that those of the peer take, but for a ten thousandth.
    bars: &[Bar {
        figure: "left",
        reading: Reading::Error,
        factor: 1.0 + 1e-4,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("n4000", 0.2)],
    run,
};

const DIM: usize = 16;
const COMPONENTS: usize = 10;
const CLUSTERS: usize = 10;
const GAMMA: f64 = 1.0 / 16.0;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("n4000", ())])?;
    let n = session.size().pick(4000, 2000, 200);
    match session.dtype() {
        Dtype::F32 => fit::<f32>(session, n),
        Dtype::F64 => fit::<f64>(session, n),
    }
}

fn fit<T: Number>(session: &mut Session<'_>, n: usize) -> Result<Outcome> {
    session.param("gamma", GAMMA);
    session.param("components", COMPONENTS);
    let x = session.samples("x", data::blobs::<T>(Stream::KernelPca, n, DIM, CLUSTERS)?)?;
    let kernel = Rbf::new(GAMMA)?;
    let measured =
        session.measure(|| Ok(KernelPca::on_kernel(kernel, COMPONENTS).fit_transform(&x)?))?;
    let (outcome, (model, z)) = Outcome::new((n, DIM), measured);
    let iterations = model.report().iterations as f64;
    let outcome = outcome.work(Work::gram_values(n, DIM)).figure("left", left(&z, n));
    Ok(outcome.figure("iterations", iterations))
}

/// n − Σ‖z‖², up to the mean a part of the variance that the components leave.
fn left<T: Number>(z: &Samples<T>, n: usize) -> f64 {
    let square = |i: usize| z.item(i).iter().map(|z| z.to_f64() * z.to_f64()).sum::<f64>();
    n as f64 - (0..n).map(square).sum::<f64>()
}
