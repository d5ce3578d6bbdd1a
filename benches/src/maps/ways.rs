//! The maps that are compared.

use anyhow::{Result, bail};
use kern_approx::{
    FourierForm, Nystrom, RandomFourier, RandomMaclaurin, Sampling, Selection, Structure,
    TensorSketch,
};
use kern_core::kernels::{Polynomial, Rbf};
use kern_core::{FeatureMap, Samples};
use kern_gram::MemoryBudget;

/// A map from points in double precision.
pub type Map = Box<dyn FeatureMap<Samples<f64>>>;

/// The ways to make features of the Gaussian kernel.
pub const GAUSSIAN: [&str; 9] = [
    "Fourier, pairs",
    "Fourier, phases",
    "Fourier, orthogonal",
    "Fourier, Sobol",
    "Fourier, Fastfood",
    "landmarks, uniform",
    "landmarks, k-means++",
    "landmarks, leverage scores",
    "landmarks, random pivots",
];

/// The ways to make features of the polynomial kernel.
pub const POLYNOMIAL: [&str; 4] = [
    "cubic: Maclaurin",
    "cubic: tensor sketch",
    "cubic: landmarks, uniform",
    "cubic: landmarks, random pivots",
];

/// The kernels of a set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// exp(−γ‖x − y‖²).
    pub gaussian: Rbf,
    /// (xᵀy/d + 1)³.
    pub cubic: Polynomial,
}

/// Makes a map by a way, with that many features and this seed.
///
/// # Errors
/// If the library refuses it, or there is no such way.
pub fn map(
    way: &str,
    kernels: &Kernels,
    (dim, seed): (usize, u64),
    points: &Samples<f64>,
) -> Result<Map> {
    let Kernels { gaussian, cubic } = *kernels;
    let fourier = RandomFourier::new(gaussian).dim(dim).seed(seed);
    let sampled = |sampling| fourier.clone().sampling(sampling).sample(points.dim());
    let budget = MemoryBudget::available();
    let chosen = |selection| {
        let nystrom = Nystrom::new(gaussian).landmarks(dim).seed(seed).selection(selection);
        nystrom.fit(points, &budget)
    };
    let of_cubic = |selection| {
        let nystrom = Nystrom::new(cubic).landmarks(dim).seed(seed).selection(selection);
        nystrom.fit(points, &budget)
    };
    Ok(match way {
        "Fourier, pairs" => Box::new(sampled(Sampling::Independent)?),
        "Fourier, phases" => {
            Box::new(fourier.clone().form(FourierForm::Phase).sample(points.dim())?)
        }
        "Fourier, orthogonal" => Box::new(sampled(Sampling::Orthogonal)?),
        "Fourier, Sobol" => Box::new(sampled(Sampling::Quasi)?),
        "Fourier, Fastfood" => {
            Box::new(fourier.sample_structured(Structure::Fastfood, points.dim())?)
        }
        "landmarks, uniform" => Box::new(chosen(Selection::Uniform)?),
        "landmarks, k-means++" => Box::new(chosen(Selection::KMeansPlusPlus)?),
        "landmarks, leverage scores" => Box::new(chosen(Selection::LeverageScores)?),
        "landmarks, random pivots" => Box::new(chosen(Selection::RandomPivots)?),
        "cubic: Maclaurin" => {
            Box::new(RandomMaclaurin::new(cubic).dim(dim).seed(seed).sample(points.dim())?)
        }
        "cubic: tensor sketch" => {
            Box::new(TensorSketch::new(cubic).dim(dim).seed(seed).sample(points.dim())?)
        }
        "cubic: landmarks, uniform" => Box::new(of_cubic(Selection::Uniform)?),
        "cubic: landmarks, random pivots" => Box::new(of_cubic(Selection::RandomPivots)?),
        _ => bail!("there is no way `{way}`"),
    })
}
