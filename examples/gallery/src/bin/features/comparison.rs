//! Feature maps of one kernel, and how far their inner products are from its values.

use anyhow::{Result, ensure};
use kern::approx::{
    FourierForm, Nystrom, RandomFourier, Sampling, Selection, Structure, transform,
};
use kern::faer::linalg::matmul::matmul;
use kern::faer::{Accum, Mat, MatRef, Par};
use kern::gram::{DenseGram, MemoryBudget};
use kern::{Points, Samples, kernels::Rbf};
use std::time::Instant;

/// The least number of features that is tried.
pub(crate) const SMALLEST: usize = 16;

/// A way to make features of the RBF kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Map {
    /// Random frequencies, written down.
    Fourier(FourierForm, Sampling),
    /// Random frequencies as a product of simple matrices, paired.
    Structured(Structure),
    /// Landmarks.
    Nystrom(Selection),
}

/// The maps that are compared, and what they are called.
pub(crate) const MAPS: [(&str, Map); 10] = [
    ("Fourier, paired", Map::Fourier(FourierForm::Paired, Sampling::Independent)),
    ("Fourier, phase", Map::Fourier(FourierForm::Phase, Sampling::Independent)),
    ("Fourier, orthogonal", Map::Fourier(FourierForm::Paired, Sampling::Orthogonal)),
    ("Fourier, quasi-random", Map::Fourier(FourierForm::Paired, Sampling::Quasi)),
    ("SORF", Map::Structured(Structure::Orthogonal)),
    ("Fastfood", Map::Structured(Structure::Fastfood)),
    ("Nyström, uniform", Map::Nystrom(Selection::Uniform)),
    ("Nyström, k-means++", Map::Nystrom(Selection::KMeansPlusPlus)),
    ("Nyström, leverage scores", Map::Nystrom(Selection::LeverageScores)),
    ("Nyström, random pivots", Map::Nystrom(Selection::RandomPivots)),
];

impl Map {
    /// The features of the points, and the relative trace error if the map has one.
    ///
    /// # Errors
    /// If the map refuses the points or the number of features, or the budget is exceeded.
    pub(crate) fn features(
        self,
        kernel: Rbf,
        points: &Samples<f64>,
        (dim, seed): (usize, u64),
        budget: &MemoryBudget,
    ) -> Result<(Samples<f64>, Option<f64>)> {
        let fourier = RandomFourier::new(kernel).dim(dim).seed(seed);
        match self {
            Self::Fourier(form, sampling) => {
                let map = fourier.form(form).sampling(sampling).sample(points.dim())?;
                Ok((transform(&map, points, budget)?, None))
            }
            Self::Structured(structure) => {
                let map = fourier.sample_structured(structure, points.dim())?;
                Ok((transform(&map, points, budget)?, None))
            }
            Self::Nystrom(selection) => {
                let nystrom = Nystrom::new(kernel).landmarks(dim).seed(seed).selection(selection);
                let fit = nystrom.fit_transform(points, budget)?;
                let trace = fit.report.relative_trace_error()?;
                Ok((fit.features, Some(trace)))
            }
        }
    }
}

/// The outcome of a map on some points, over seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The root mean square error of kernel values: ‖ZᵀZ − G‖_F/N. The mean over seeds.
    pub(crate) error: f64,
    /// tr(G − ZᵀZ)/tr(G), of Nyström features. The mean over seeds.
    pub(crate) trace: Option<f64>,
    /// To draw the map and to transform the points. The least over seeds.
    pub(crate) seconds: f64,
}

/// Points with the exact Gram matrix, and memory for an approximate one.
#[derive(Debug)]
pub(crate) struct Comparison {
    kernel: Rbf,
    points: Samples<f64>,
    exact: DenseGram<f64>,
    product: Mat<f64>,
    budget: MemoryBudget,
}

impl Comparison {
    /// Computes the exact Gram matrix.
    ///
    /// # Errors
    /// If two N × N matrices exceed the budget.
    pub(crate) fn new(kernel: Rbf, points: Samples<f64>, budget: MemoryBudget) -> Result<Self> {
        let n = points.len();
        budget.check::<f64>("two Gram matrices", n, 2 * n, "draw fewer points")?;
        let exact = DenseGram::new(&kernel, &points, &budget)?;
        Ok(Self { kernel, points, exact, product: Mat::zeros(n, n), budget })
    }

    /// Features of so many dimensions, for each of the seeds.
    ///
    /// # Errors
    /// If there are no seeds, or as [`Map::features`].
    pub(crate) fn outcome(&mut self, map: Map, dim: usize, seeds: &[u64]) -> Result<Outcome> {
        ensure!(!seeds.is_empty(), "there must be a seed");
        let share = 1.0 / seeds.len() as f64;
        let mut outcome = Outcome { seconds: f64::INFINITY, ..Outcome::default() };
        for &seed in seeds {
            let start = Instant::now();
            let (z, trace) = map.features(self.kernel, &self.points, (dim, seed), &self.budget)?;
            outcome.seconds = outcome.seconds.min(start.elapsed().as_secs_f64());
            outcome.error += share * self.error(&z);
            outcome.trace = trace.map(|t| outcome.trace.unwrap_or(0.0) + share * t);
        }
        Ok(outcome)
    }

    /// ‖ZᵀZ − G‖_F/N.
    fn error(&mut self, features: &Samples<f64>) -> f64 {
        let z = features.columns(0..features.len());
        let product = self.product.as_mut();
        matmul(product, Accum::Replace, z.transpose(), z, 1.0, Par::Seq);
        root_mean_square_difference(self.product.as_ref(), self.exact.as_mat())
    }
}

/// √(mean (a_ij − b_ij)²) over all entries of two matrices of one shape.
///
/// # Panics
/// If the shapes differ.
#[must_use]
pub(crate) fn root_mean_square_difference(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    assert_eq!(a.shape(), b.shape(), "matrices of one shape");
    let columns = a.col_iter().zip(b.col_iter());
    let sums =
        columns.map(|(a, b)| a.iter().zip(b.iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
    (sums.sum::<f64>() / (a.nrows() * a.ncols()) as f64).sqrt()
}

/// 16, 32, 64, …, as far as `largest`.
#[must_use]
pub(crate) fn dims(largest: usize) -> Vec<usize> {
    let doubled = |&dim: &usize| dim.checked_mul(2);
    std::iter::successors(Some(SMALLEST), doubled).take_while(|&dim| dim <= largest).collect()
}
