//! Fitting: expectation and maximisation in turn.

use super::energy::{Mixture, maximise};
use super::model::{SoftKMeansModel, SoftReport};
use super::params::SoftKernelKMeans;
use crate::kmeans::columns::{BLOCK, Columns};
use crate::kmeans::params::Settings;
use crate::kmeans::problem::Problem;
use crate::kmeans::seeding::{self, Start};
use crate::{Error, Status};
use faer::Mat;
use kern_core::{Mercer, NonNegative, Points, Positive, Scalar};
use kern_gram::{DenseGram, GramOperator, LazyGram, MemoryBudget, matrix_bytes, parallel, zeros};

/// What a run has come to.
struct Run<T: Scalar> {
    mixture: Mixture,
    coefficients: Mat<T>,
    shares: Mat<f64>,
    report: SoftReport,
}

impl<K> SoftKernelKMeans<K> {
    /// Finds the clusters of the points.
    ///
    /// # Errors
    /// As [`KernelKMeans::fit`](crate::kmeans::KernelKMeans::fit); [`Error::Core`] for β ≤ 0 or a tolerance below 0.
    pub fn fit<P: Points>(self, points: &P) -> Result<SoftKMeansModel<P, K>, Error>
    where
        K: Mercer<P>,
    {
        let (n, k) = (points.len(), self.settings.k);
        self.settings.check(n)?;
        Positive::new("beta", self.beta)?;
        NonNegative::new("tolerance", self.tolerance)?;
        let budget = self.settings.budget.unwrap_or_default();
        // Shares of two steps, coefficients and products; and columns for the seeds.
        let own = matrix_bytes::<f64>(n, k).saturating_mul(6);
        let own = own.saturating_add(matrix_bytes::<P::Scalar>(n, 1));
        let instead = "k-means on features (FeatureKMeans) takes less";
        budget.require("shares in clusters, coefficients and products", own, instead)?;
        let left = MemoryBudget::bytes(budget.as_bytes() - own);
        let rules = (self.beta, self.tolerance);
        let run = if left.fits(matrix_bytes::<P::Scalar>(n, n)) {
            best(&DenseGram::new(&self.kernel, points, &left)?, BLOCK, &self.settings, rules)?
        } else {
            best(&LazyGram::new(&self.kernel, points)?, 1, &self.settings, rules)?
        };
        let points = points.select(&Vec::from_iter(0..n))?;
        let Run { mixture, coefficients, shares, report } = run;
        Ok(SoftKMeansModel::new(self.kernel, points, (mixture, coefficients), shares, report))
    }
}

/// The best of the runs, by β and the tolerance relative to Σᵢ wᵢK(xᵢ, xᵢ).
fn best<T: Scalar>(
    gram: &dyn GramOperator<T>,
    width: usize,
    settings: &Settings,
    (beta, tolerance): (f64, f64),
) -> Result<Run<T>, Error> {
    let columns = Columns::new(gram, width);
    let weights = settings.weights(gram.size());
    let problem = Problem::new(&columns, &weights, settings.k)?;
    let rules = (beta, tolerance * problem.trace().abs());
    parallel::in_pool(|| {
        let mut best: Option<Run<T>> = None;
        for number in 0..settings.runs() {
            let start = seeding::start(&problem, settings, number)?;
            let mut run = run(gram, &problem, start, rules, settings.max_iterations)?;
            run.report.run = number;
            let energy = |run: &Run<T>| run.report.free_energy;
            if best.as_ref().is_none_or(|best| energy(&run) < energy(best)) {
                best = Some(run);
            }
        }
        best.ok_or(Error::Empty)
    })
}

/// One run, from hard clusters.
fn run<T: Scalar>(
    gram: &dyn GramOperator<T>,
    problem: &Problem<'_, T>,
    start: Start,
    (beta, tolerance): (f64, f64),
    max_iterations: usize,
) -> Result<Run<T>, Error> {
    let mut shares: Mat<f64> = zeros(problem.size(), problem.k)?;
    start.labels.iter().enumerate().for_each(|(i, &c)| shares[(i, c as usize)] = 1.0);
    let (mut mixture, mut coefficients, products) = maximise(gram, &shares, problem.weights, beta)?;
    let (mut next, mut energy) = expect(problem, &mixture, &products)?;
    std::mem::swap(&mut shares, &mut next);
    let mut energies = vec![energy];
    let status = loop {
        if energies.len() > max_iterations {
            break Status::IterationsDone;
        }
        let (new, centres, products) = maximise(gram, &shares, problem.weights, beta)?;
        let (following, now) = expect(problem, &new, &products)?;
        if now > energy {
            // Rounding; unless the last step was short, it is not all that is left to gain.
            let short = now - energy <= tolerance;
            break if short { Status::Converged } else { Status::Stalled };
        }
        let decrease = energy - now;
        (mixture, coefficients, shares, energy) = (new, centres, following, now);
        energies.push(energy);
        if decrease <= tolerance {
            break Status::Converged;
        }
    };
    let report = SoftReport {
        status,
        iterations: energies.len() - 1,
        free_energy: energy,
        free_energies: energies,
        seeds: start.seeds,
        run: 0,
    };
    Ok(Run { mixture, coefficients, shares, report })
}

/// The shares of all points, and the free energy with them.
fn expect<T: Scalar>(
    problem: &Problem<'_, T>,
    mixture: &Mixture,
    products: &Mat<T>,
) -> Result<(Mat<f64>, f64), Error> {
    let (n, k) = products.shape();
    let mut shares: Mat<f64> = zeros(n, k)?;
    let (mut row, mut energy) = (vec![0.0; k], 0.0);
    for i in 0..n {
        (0..k).for_each(|c| row[c] = products[(i, c)].to_f64());
        let own = mixture.shares(problem.diagonal[i], &mut row);
        if problem.weights[i] > 0.0 {
            energy += problem.weights[i] * own;
        }
        (0..k).for_each(|c| shares[(i, c)] = row[c]);
    }
    if energy.is_finite() {
        return Ok((shares, energy));
    }
    Err(kern_gram::Error::ProductNotFinite { row: 0, col: 0, given: energy }.into())
}
