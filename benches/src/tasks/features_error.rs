//! Errors of feature maps of the RBF kernel, γ = 0.1, on the digits, by their number of features. The map
//! and the features of all points are in the time, those of one seed; the error is the mean over some
//! seeds.

use super::rff::kernel_error;
use super::{Outcome, Task};
use crate::bar::{Bar, Reading};
use crate::case::Dtype;
use crate::real;
use crate::session::Session;
use crate::work::Work;
use anyhow::Result;
use kern_approx::{FourierForm, Nystrom, RandomFourier, Sampling, Selection, Structure, transform};
use kern_core::kernels::Rbf;
use kern_core::{Points, Samples};
use kern_gram::MemoryBudget;

/// `features_error`.
pub(super) const TASK: Task = Task {
    name: "features_error",
    about: "feature maps of the RBF kernel on the digits: the error of kernel values by D features",
    cases: &[
        ("paired,D=32", Dtype::F64),
        ("paired,D=128", Dtype::F64),
        ("paired,D=512", Dtype::F64),
        ("phase,D=32", Dtype::F64),
        ("phase,D=128", Dtype::F64),
        ("phase,D=512", Dtype::F64),
        ("orthogonal,D=32", Dtype::F64),
        ("orthogonal,D=128", Dtype::F64),
        ("orthogonal,D=512", Dtype::F64),
        ("quasi-random,D=32", Dtype::F64),
        ("quasi-random,D=128", Dtype::F64),
        ("quasi-random,D=512", Dtype::F64),
        ("SORF,D=32", Dtype::F64),
        ("SORF,D=128", Dtype::F64),
        ("SORF,D=512", Dtype::F64),
        ("Nyström uniform,D=32", Dtype::F64),
        ("Nyström uniform,D=128", Dtype::F64),
        ("Nyström uniform,D=512", Dtype::F64),
        ("Nyström pivots,D=32", Dtype::F64),
        ("Nyström pivots,D=128", Dtype::F64),
        ("Nyström pivots,D=512", Dtype::F64),
    ],
    bound: "random features: D/2 sines with their cosines of n points; Nyström: nD kernel values and nD² \
            operations with a triangular factor; nD numbers written",
    // The mean of few random draws.
    bars: &[Bar {
        figure: "mae",
        reading: Reading::Error,
        factor: 1.3,
        enough_f32: 0.0,
        enough_f64: 0.0,
    }],
    targets: &[],
    run,
};

const GAMMA: f64 = 0.1;

/// Seeds whose errors are averaged.
const SEEDS: u64 = 5;

/// Points between all pairs of which the kernel is checked.
const CHECKED: usize = 200;

/// A way to make features.
#[derive(Clone, Copy)]
enum Map {
    Fourier(FourierForm, Sampling),
    Structured(Structure),
    Nystrom(Selection),
}

const MAPS: [(&str, Map); 7] = [
    ("paired", Map::Fourier(FourierForm::Paired, Sampling::Independent)),
    ("phase", Map::Fourier(FourierForm::Phase, Sampling::Independent)),
    ("orthogonal", Map::Fourier(FourierForm::Paired, Sampling::Orthogonal)),
    ("quasi-random", Map::Fourier(FourierForm::Paired, Sampling::Quasi)),
    ("SORF", Map::Structured(Structure::Orthogonal)),
    ("Nyström uniform", Map::Nystrom(Selection::Uniform)),
    ("Nyström pivots", Map::Nystrom(Selection::RandomPivots)),
];

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let cases =
        MAPS.map(|map| [32, 128, 512].map(|dim| (format!("{},D={dim}", map.0), (map, dim))));
    let cases: Vec<_> = cases.iter().flatten().map(|(name, case)| (name.as_str(), *case)).collect();
    let ((name, map), dim) = session.choose(&cases)?;
    let (n, dim) = session.size().pick((1797, dim), (1000, dim), (200, dim / 4));
    let x = real::digits()?.x.select(&(0..n).collect::<Vec<_>>())?;
    let x = session.samples("x", x)?;
    let some = session.check(n, CHECKED)?;
    session.param("map", name);
    session.param("D", dim);
    session.param("gamma", GAMMA);
    let kernel = Rbf::new(GAMMA)?;
    let (outcome, _) =
        Outcome::new((n, x.dim()), session.measure(|| map.features(kernel, &x, dim, 0))?);
    let mut error = 0.0;
    for seed in 0..SEEDS {
        let z = map.features(kernel, &x, dim, seed)?;
        error += kernel_error(&kernel, (&x, &some), &z) / SEEDS as f64;
    }
    Ok(outcome.work(map.work((n, x.dim()), dim)).figure("mae", error))
}

impl Map {
    fn features(
        self,
        kernel: Rbf,
        x: &Samples<f64>,
        dim: usize,
        seed: u64,
    ) -> Result<Samples<f64>> {
        let budget = MemoryBudget::available();
        let fourier = RandomFourier::new(kernel).dim(dim).seed(seed);
        Ok(match self {
            Self::Fourier(form, sampling) => {
                transform(&fourier.form(form).sampling(sampling).sample(x.dim())?, x, &budget)?
            }
            Self::Structured(structure) => {
                transform(&fourier.sample_structured(structure, x.dim())?, x, &budget)?
            }
            Self::Nystrom(selection) => {
                let nystrom = Nystrom::new(kernel).landmarks(dim).seed(seed).selection(selection);
                nystrom.fit_transform(x, &budget)?.features
            }
        })
    }

    fn work(self, (n, d): (usize, usize), dim: usize) -> Work {
        let numbers = (n * dim) as f64;
        let work = match self {
            Self::Fourier(..) | Self::Structured(_) => {
                Work { exps: 0.5 * numbers, ..Work::default() }
            }
            Self::Nystrom(_) => Work::kernel_values(numbers, d).flops(numbers * dim as f64),
        };
        work.moves::<f64>(numbers).is_fresh(true)
    }
}
