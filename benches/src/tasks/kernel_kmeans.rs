//! Kernel k-means: RBF, d = 16, γ = 1/16, 10 clusters of 10 Gaussian ones, from random labels that are given.

use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::{Result, ensure};
use kern_core::kernels::Rbf;
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_solvers::kmeans::{KMeans, Seeding};
use rayon::prelude::*;

/// `kernel_kmeans`.
pub(super) const TASK: Task = Task {
    name: "kernel_kmeans",
    about: "kernel k-means from given labels until no point moves: the fit, Gram matrix included",
    cases: &[("exact", Dtype::F64), ("exact", Dtype::F32)],
    bound: "n²/2 kernel values of 2d operations and an exp",
    // In single precision a point between two centres may go to either.
    bars: &[Bar {
        figure: "inertia",
        reading: Reading::Error,
        factor: 1.0 + 1e-4,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("exact", 0.2)],
    run,
};

const DIM: usize = 16;
const K: usize = 10;
const GAMMA: f64 = 1.0 / 16.0;
const MAX_ITERATIONS: usize = 50;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    session.choose(&[("exact", ())])?;
    let n = session.size().pick(5000, 2000, 200);
    match session.dtype() {
        Dtype::F32 => cluster::<f32>(session, n),
        Dtype::F64 => cluster::<f64>(session, n),
    }
}

/// Clusters n points.
pub(super) fn cluster<T: Number>(session: &mut Session<'_>, n: usize) -> Result<Outcome> {
    session.param("gamma", GAMMA);
    session.param("k", K);
    session.param("max_iterations", MAX_ITERATIONS);
    let x = session.samples("x", data::blobs::<T>(Stream::KernelKMeans, n, DIM, K)?)?;
    let labels = data::sequence(Stream::KernelKMeansLabels, K, n);
    let labels = session.vector("labels", &labels)?;
    let start: Vec<usize> = labels.iter().map(|&label| label as usize).collect();
    let kernel = Rbf::new(GAMMA)?;
    let measured = session.measure(|| {
        let machine = KMeans::on_kernel(kernel, K).max_iterations(MAX_ITERATIONS);
        Ok(machine.seeding(Seeding::Labels(start.clone())).fit(&x)?)
    })?;
    let (outcome, model) = Outcome::new((n, DIM), measured);
    ensure!(model.sizes().iter().all(|&size| size > 0), "a cluster is empty");
    let inertia = inertia(&kernel, &quality::widen(&x)?, model.labels());
    let iterations = model.report().iterations as f64;
    let outcome = outcome.work(Work::gram_values(n, DIM));
    Ok(outcome.figure("inertia", inertia).figure("iterations", iterations))
}

/// Σᵢ K(xᵢ, xᵢ) − Σ_c T_c/n_c in double precision, from pointwise evaluations.
fn inertia(kernel: &Rbf, x: &Samples<f64>, labels: &[usize]) -> f64 {
    let value = |i: usize, j: usize| Kernel::<Samples<f64>>::eval(kernel, x.item(i), x.item(j));
    let cost = |c: usize| {
        let members: Vec<usize> = (0..x.len()).filter(|&i| labels[i] == c).collect();
        let own: f64 = members.iter().map(|&i| value(i, i).to_f64()).sum();
        let rows = members.par_iter().map(|&i| members.iter().map(|&j| value(i, j)).sum::<f64>());
        let rows: Vec<f64> = rows.collect();
        own - rows.iter().sum::<f64>() / members.len() as f64
    };
    (0..K).map(cost).sum()
}
