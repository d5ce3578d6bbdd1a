//! One map on one set: its cost, and the errors of kernel values and of ridge regression.

use super::Record;
use super::sets::Task;
use super::ways::{self, Kernels, Map};
use anyhow::{Context, Result};
use kern_approx::statistics::{Fingerprint, NormalEquations, Observed};
use kern_approx::transform;
use kern_core::faer::{Mat, MatRef};
use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{Kernel, Points, Samples};
use kern_gram::{DenseGram, MemoryBudget};
use kern_solvers::ridge::Ridge;
use kern_solvers::{Outputs, Run};
use std::time::Instant;

/// Values of λ, per point.
const LAMBDAS: [f64; 8] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];

/// Test points between which kernel values are compared.
const COMPARED: usize = 2000;

/// Points by which γ is chosen, and as many that judge it.
const TUNED: usize = 2000;

/// The Gaussian kernel with the γ of the least error of ridge regression on some points, and a cubic one.
///
/// # Errors
/// If a fit fails.
pub fn kernels(task: &Task) -> Result<Kernels> {
    let d = task.x.dim() as f64;
    // The mean of x_k², so that distances and products of a set have one size.
    let square =
        task.x.as_slice().iter().map(|v| v * v).sum::<f64>() / task.x.as_slice().len() as f64;
    let some: Vec<usize> = (0..TUNED.min(task.x.len())).collect();
    let x = task.x.select(&some)?;
    let y = Mat::from_fn(x.len(), task.y.ncols(), |i, k| task.y[(i, k)]);
    let judge = task.left_out.first(TUNED)?;
    let mut best: Option<(f64, Rbf)> = None;
    for times in [0.03, 0.1, 0.3, 1.0, 3.0] {
        let kernel = Rbf::new(times / (d * square))?;
        for lambda in [1e-8, 1e-6, 1e-4] {
            let model = Ridge::on_kernel(kernel).lambda(lambda).fit(&x, Outputs::new(y.clone()))?;
            let error = judge.truth.error(&model.predict(&judge.x)?);
            if best.is_none_or(|(smallest, _)| error < smallest) {
                best = Some((error, kernel));
            }
        }
    }
    let (_, gaussian) = best.context("no γ was tried")?;
    Ok(Kernels { gaussian, cubic: Polynomial::new(1.0 / (d * square), 1.0, 3)? })
}

/// Measures a way with that many features.
///
/// # Errors
/// If the map or a fit fails.
pub fn measure(
    (set, task): (&str, &Task),
    (way, kernels): (&str, &Kernels),
    (dim, seed): (usize, u64),
) -> Result<Record> {
    let start = Instant::now();
    let map = ways::map(way, kernels, (dim, seed), &task.x)?;
    let map_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let sums = sums(&map, task)?;
    let solve = |lambda: f64| {
        let ridge = Ridge::on_features(&*map).lambda(lambda).intercept(true);
        ridge.solve::<f64>(&sums, Fingerprint::new(0), &Run::new())
    };
    let mut model = solve(LAMBDAS[0]);
    let fit_seconds = start.elapsed().as_secs_f64();
    let mut best: Option<(f64, f64, f64)> = None;
    for lambda in LAMBDAS {
        if lambda > LAMBDAS[0] {
            model = solve(lambda);
        }
        // The least λ may leave a matrix that rounding makes indefinite.
        let Ok(model) = &model else { continue };
        let judged = task.left_out.truth.error(&model.predict(&task.left_out.x)?);
        if best.is_none_or(|(smallest, ..)| judged < smallest) {
            best = Some((judged, task.tests.truth.error(&model.predict(&task.tests.x)?), lambda));
        }
    }
    let (_, test_error, lambda) = best.context("no λ has a solution")?;
    let compared = task.tests.first(COMPARED)?.x;
    let kernel_error = match ways::POLYNOMIAL.contains(&way) {
        true => kernel_error(&map, &kernels.cubic, &compared)?,
        false => kernel_error(&map, &kernels.gaussian, &compared)?,
    };
    let (set, way) = (set.to_owned(), way.to_owned());
    let (n, d) = (task.x.len(), task.x.dim());
    Ok(Record {
        set,
        seed,
        way,
        n,
        d,
        dim,
        map_seconds,
        fit_seconds,
        kernel_error,
        test_error,
        lambda,
    })
}

fn sums(map: &Map, task: &Task) -> Result<NormalEquations> {
    let (budget, outputs) = (MemoryBudget::available(), task.y.ncols());
    let dim = map.dim();
    let mut sums = NormalEquations::new(dim, outputs, Fingerprint::new(0), &budget)?;
    sums.absorb(&**map, &task.x, &Observed::new(task.y.as_ref()), &budget)?;
    Ok(sums)
}

/// ‖K − ZZᵀ‖_F/‖K‖_F.
fn kernel_error<K: Kernel<Samples<f64>>>(map: &Map, kernel: &K, x: &Samples<f64>) -> Result<f64> {
    let budget = MemoryBudget::available();
    let gram = DenseGram::new(kernel, x, &budget)?;
    let z = transform(&**map, x, &budget)?;
    let z = MatRef::from_column_major_slice(z.as_slice(), z.dim(), x.len());
    let exact = gram.as_mat();
    Ok((exact - z.transpose() * z).norm_l2() / exact.norm_l2())
}
