//! Random Fourier features of the RBF kernel, γ = 1/d, in the paired form; drawing the frequencies
//! is not in the time.

use super::gram::Buffer;
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::data::{self, Stream};
use crate::npy::Number;
use crate::quality;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_approx::{FourierMap, RandomFourier, transform, transform_into};
use kern_core::faer::MatMut;
use kern_core::kernels::Rbf;
use kern_core::{Kernel, Points, Samples, Scalar};
use kern_gram::MemoryBudget;

/// `rff`.
pub(super) const TASK: Task = Task {
    name: "rff",
    about: "random Fourier features of n points, into reused or fresh memory",
    cases: &[
        ("reused", Dtype::F64),
        ("reused", Dtype::F32),
        ("fresh", Dtype::F64),
        ("fresh", Dtype::F32),
    ],
    bound: "D/2 frequencies of n points: 2d operations and a sine with its cosine each; nD numbers written",
    // The error is random: between draws, and between features in pairs and with offsets.
    bars: &[Bar {
        figure: "kernel_mae",
        reading: Reading::Error,
        factor: 1.5,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[("reused", 0.4), ("fresh", 0.4)],
    run,
};

const DIM: usize = 64;

/// Points between all pairs of which the kernel is checked.
const CHECKED: usize = 200;

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let buffer = session.choose(&[("reused", Buffer::Reused), ("fresh", Buffer::Fresh)])?;
    let (n, features) = session.size().pick((100_000, 2048), (10_000, 2048), (300, 128));
    let gamma = 1.0 / DIM as f64;
    let kernel = Rbf::new(gamma)?;
    let map = RandomFourier::new(kernel).dim(features).sample(DIM)?;
    session.param("gamma", gamma);
    session.param("D", features);
    match session.dtype() {
        Dtype::F32 => features_of::<f32>(session, (&kernel, &map), n, buffer),
        Dtype::F64 => features_of::<f64>(session, (&kernel, &map), n, buffer),
    }
}

fn features_of<T: Number>(
    session: &mut Session<'_>,
    (kernel, map): (&Rbf, &FourierMap),
    n: usize,
    buffer: Buffer,
) -> Result<Outcome> {
    let x = session.samples("x", data::normal::<T>(Stream::Rff, n, DIM)?)?;
    let some = session.check(n, CHECKED)?;
    let shape = (n, DIM);
    let (outcome, values) = match buffer {
        Buffer::Reused => {
            let mut values = vec![T::ZERO; map.dim() * n];
            let measured = session.measure(|| {
                let out = MatMut::from_column_major_slice_mut(&mut values, map.dim(), n);
                Ok(transform_into(map, &x, out)?)
            })?;
            (Outcome::new(shape, measured).0, Samples::from_row_major(map.dim(), values)?)
        }
        Buffer::Fresh => {
            let budget = MemoryBudget::available();
            Outcome::new(shape, session.measure(|| Ok(transform(map, &x, &budget)?))?)
        }
    };
    let error = kernel_error(kernel, (&quality::widen(&x)?, &some), &values);
    let work = Work::kernel_values((n * map.dim() / 2) as f64, DIM);
    let work = work.moves::<T>((n * map.dim()) as f64).is_fresh(buffer.is_fresh());
    Ok(outcome.figure("kernel_mae", error).work(work))
}

/// The mean of |ψ(x_i)ᵀψ(x_j) − K(x_i, x_j)| over all pairs of some points.
pub(super) fn kernel_error<T: Scalar>(
    kernel: &Rbf,
    (x, some): (&Samples<f64>, &[usize]),
    features: &Samples<T>,
) -> f64 {
    let inner = |i: usize, j: usize| -> f64 {
        let pairs = features.item(i).iter().zip(features.item(j));
        pairs.map(|(a, b)| a.to_f64() * b.to_f64()).sum()
    };
    let error =
        |i, j| (inner(i, j) - Kernel::<Samples<f64>>::eval(&kernel, x.item(i), x.item(j))).abs();
    let sum: f64 = some.iter().flat_map(|&i| some.iter().map(move |&j| error(i, j))).sum();
    sum / (some.len() * some.len()) as f64
}
