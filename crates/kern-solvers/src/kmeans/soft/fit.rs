//! Fitting: expectation and maximisation in turn.

use super::Softness;
use super::energy::Mixture;
use crate::kmeans::feature::{CentredFeatures, Function, stored_bytes};
use crate::kmeans::fit::Gathered;
use crate::kmeans::kernel::{BLOCK, Columns, WeightedGram};
use crate::kmeans::limit::check_time;
use crate::kmeans::params::Runs;
use crate::kmeans::restarts::{Ended, best_run};
use crate::kmeans::seeding;
use crate::kmeans::watch::Watch;
use crate::model::{CentredMap, Centres, FeatureExpansion, KernelExpansion, SoftClusters};
use crate::{Error, KMeansDetails, Run, Status};
use faer::{Accum, Mat};
use kern_core::products::matmul;
use kern_core::{FeatureMap, Mercer, Points, Scalar};
use kern_gram::{
    DenseGram, GramOperator, LazyGram, LowRankGram, MemoryBudget, matrix_bytes, zeros,
};

/// Soft clusters with a kernel.
pub(in crate::kmeans) fn on_kernel<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    given: &Gathered<'_, P>,
    softness: Softness,
    run: &mut Run<'_>,
) -> Result<SoftClusters<KernelExpansion<P, K>>, Error> {
    let Gathered { points, weights, runs } = given;
    let n = points.len();
    let budget = run.budget();
    let left = without_shares::<P::Scalar>(n, runs, &budget)?;
    let stored = left.fits(matrix_bytes::<P::Scalar>(n, n));
    check_time((run.predicted_limit(), &budget), (kernel, *points), (runs, stored))?;
    let watch = Watch::new(run, runs.most());
    let with = (*runs, softness, &watch);
    let ended = if stored {
        let gram = DenseGram::new(kernel, points, &left)?;
        best((&gram, weights), BLOCK, with)?
    } else {
        best((&LazyGram::new(kernel, points)?, weights), 1, with)?
    };
    clusters(ended, softness, |coefficients| {
        KernelExpansion::<P, K>::new(kernel.clone(), points, coefficients.as_ref())
    })
}

/// Soft clusters by the features of a map, all of which are stored.
pub(in crate::kmeans) fn on_features<P: Points, M: FeatureMap<P>>(
    map: M,
    given: &Gathered<'_, P>,
    softness: Softness,
    run: &mut Run<'_>,
) -> Result<SoftClusters<Function<M, P::Scalar>>, Error> {
    let Gathered { points, weights, runs } = given;
    let shape = (map.dim(), points.len());
    let left = without_shares::<P::Scalar>(points.len(), runs, &run.budget())?;
    let needed = stored_bytes::<P::Scalar>(shape, runs.clusters);
    left.require("the features of all points", needed, "use fewer features")?;
    let watch = Watch::new(run, runs.most());
    let features = CentredFeatures::new((&map, *points), weights, runs.clusters, &left)?;
    let stored = features.stored().ok_or(Error::Empty)?;
    let gram = LowRankGram::new(stored.transpose())?;
    let ended = best((&gram, weights), 1, (*runs, softness, &watch))?;
    let mut centres: Mat<P::Scalar> = zeros(shape.0, runs.clusters)?;
    let (one, coefficients) = (P::Scalar::ONE, &ended.clusters.coefficients);
    matmul(centres.as_mut(), Accum::Replace, stored, coefficients.as_ref(), one);
    let mean = features.mean;
    clusters(ended, softness, |_| Ok(FeatureExpansion::new(CentredMap::new(map, mean), centres)))
}

/// The budget without shares and coefficients of two steps, and of the best run so far, and products; it must leave a
/// column for the seeds.
fn without_shares<T>(n: usize, runs: &Runs, budget: &MemoryBudget) -> Result<MemoryBudget, Error> {
    let matrices = if runs.count() > 1 { 8 } else { 6 };
    let own = matrix_bytes::<f64>(n, runs.clusters).saturating_mul(matrices);
    let own = own.saturating_add(matrix_bytes::<T>(n, 1));
    let instead = "hard clusters on features take less";
    budget.require("shares in clusters, coefficients and products", own, instead)?;
    Ok(MemoryBudget::bytes(budget.as_bytes() - own))
}

/// The model of what a run has ended with.
fn clusters<T: Scalar, D>(
    ended: Ended<Mixture<T>>,
    softness: Softness,
    decision: impl FnOnce(&Mat<T>) -> Result<D, Error>,
) -> Result<SoftClusters<D>, Error> {
    let (mixture, report) = ended.reported();
    let decision = decision(&mixture.coefficients)?;
    let centres = Centres { decision, masses: mixture.sizes, norms: mixture.norms };
    Ok(SoftClusters::new(centres, softness.beta, mixture.shares, report))
}

/// The best of the runs, on a Gram matrix of which so many columns are copied at once.
fn best<T: Scalar>(
    (operator, weights): (&dyn GramOperator<T>, &[f64]),
    width: usize,
    (runs, softness, watch): (&Runs, Softness, &Watch<'_>),
) -> Result<Ended<Mixture<T>>, Error> {
    let columns = Columns::new(operator, width);
    let gram = WeightedGram::new(&columns, weights, runs.clusters)?;
    best_run((runs.count(), 1), watch, |number| {
        run((operator, &gram), (runs, number), softness, watch)
    })
}

/// One run, from hard clusters.
fn run<T: Scalar>(
    grams: (&dyn GramOperator<T>, &WeightedGram<'_, T>),
    (runs, number): (&Runs, usize),
    softness: Softness,
    watch: &Watch<'_>,
) -> Result<Ended<Mixture<T>>, Error> {
    let (gram, beta) = (grams.1, softness.beta);
    let least = softness.progress * gram.trace().abs();
    let start = seeding::start(gram, runs, number)?;
    let mut shares: Mat<f64> = zeros(gram.size(), gram.k)?;
    start.labels.iter().enumerate().for_each(|(i, &c)| shares[(i, c as usize)] = 1.0);
    let mut mixture = Mixture::new(grams, &shares, beta)?;
    drop(shares);
    let mut energies = vec![mixture.energy];
    let mut flow = watch.begin(mixture.energy);
    let status = loop {
        if flow.is_break() {
            break Status::Stopped;
        }
        if energies.len() > runs.max_iterations {
            break Status::IterationsDone;
        }
        let next = Mixture::new(grams, &mixture.shares, beta)?;
        let decrease = mixture.energy - next.energy;
        if decrease < 0.0 {
            // Rounding; unless the last step was short, it is not all that is left to gain.
            break if -decrease <= least { Status::Converged } else { Status::Stalled };
        }
        mixture = next;
        energies.push(mixture.energy);
        if decrease <= least {
            break Status::Converged;
        }
        flow = watch.step(mixture.energy);
    };
    let (objective, iterations) = (mixture.energy, energies.len() - 1);
    let details = KMeansDetails {
        objectives: energies,
        seeds: start.seeds,
        run: number,
        ..KMeansDetails::default()
    };
    Ok(Ended { clusters: mixture, status, iterations, objective, details })
}
