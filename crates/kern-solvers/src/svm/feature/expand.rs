//! From points to their order, and from solutions to what a model is made of.

use super::super::SvmReport;
use super::super::expansion::used;
use super::super::solver::Solution;
use super::solve::Solved;
use super::task::Task;
use crate::Error;
use faer::Mat;
use kern_core::Scalar;
use kern_gram::zeros;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The points with a weight greater than zero in a random order, so that a block has points of all classes.
pub(super) fn shuffled(n: usize, weights: Option<&[f64]>, seed: u64) -> Result<Vec<usize>, Error> {
    let mut order = used(n, weights)?;
    // The streams after it are those of the problems.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX);
    order.shuffle(&mut rng);
    Ok(order)
}

/// An error about a point, with its number among all points.
pub(super) fn renumbered(error: Error, order: &[usize]) -> Error {
    match error {
        Error::Core(kern_core::Error::NotFinite { sample, feature, given }) => {
            let sample = order[sample];
            kern_core::Error::NotFinite { sample, feature, given }.into()
        }
        error => error,
    }
}

/// The row and bounds of each variable of each problem.
pub(super) fn bounds(tasks: &[Task]) -> Vec<Vec<(usize, f64, f64)>> {
    let of = |task: &Task| {
        let problem = &task.problem;
        let bounds = problem.lower.iter().zip(&problem.upper);
        problem.rows().into_iter().zip(bounds).map(|(row, (&l, &u))| (row, l, u)).collect()
    };
    tasks.iter().map(of).collect()
}

/// What a model on features is made of.
pub(super) struct Expanded<T: Scalar> {
    /// D × functions.
    pub(super) w: Mat<T>,
    pub(super) biases: Vec<T>,
    /// β: n × functions.
    pub(super) coefficients: Mat<f64>,
    pub(super) report: SvmReport,
}

/// The weights of solutions, and their coefficients in the order of all n points.
pub(super) fn expand<T: Scalar>(
    solved: Vec<Solved>,
    bounds: &[Vec<(usize, f64, f64)>],
    (n, order): (usize, &[usize]),
    dim: usize,
) -> Result<Expanded<T>, Error> {
    let mut w = zeros(dim, solved.len())?;
    let mut coefficients = zeros::<f64>(n, solved.len())?;
    let (mut biases, mut at_bound) = (Vec::new(), 0);
    let (solutions, weights): (Vec<Solution>, Vec<Vec<f64>>) =
        solved.into_iter().map(|solved| (solved.solution, solved.w)).unzip();
    for (output, (solution, weights)) in solutions.iter().zip(weights).enumerate() {
        let column = w.col_as_slice_mut(output).iter_mut();
        column.zip(weights).for_each(|(to, from)| *to = T::from_f64(from));
        for (&beta, &(row, l, u)) in solution.beta.iter().zip(&bounds[output]) {
            coefficients[(order[row], output)] = beta;
            at_bound += usize::from(beta != 0.0 && (beta <= l || beta >= u));
        }
        biases.push(T::from_f64(solution.certificate.biases[0]));
    }
    let supports = |i: &usize| coefficients.row(*i).iter().any(|&beta| beta != 0.0);
    let support_vectors = (0..n).filter(supports).count();
    let report = SvmReport { support_vectors, ..SvmReport::new(&solutions, at_bound, (0, 0)) };
    Ok(Expanded { w, biases, coefficients, report })
}
