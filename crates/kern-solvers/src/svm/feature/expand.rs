//! From solutions on features to functions.

use super::super::arranged::Arranged;
use super::super::expansion::{bounded, details, report};
use super::super::solver::Solution;
use super::solve::Solved;
use crate::report::SvmDetails;
use crate::{Error, Report};
use faer::Mat;
use kern_core::Scalar;
use kern_gram::zeros;

/// An error about a point, with its number among all points.
pub(super) fn renumbered(error: Error, order: &[usize]) -> Error {
    match error {
        Error::Core(kern_core::Error::FeatureNotFinite { sample, feature, given }) => {
            let sample = order[sample];
            kern_core::Error::FeatureNotFinite { sample, feature, given }.into()
        }
        error => error,
    }
}

/// The weights of all functions, D × functions.
pub(super) fn weights<T: Scalar>(solved: &[Solved], dim: usize) -> Result<Mat<T>, Error> {
    let mut weights = zeros(dim, solved.len())?;
    for (output, Solved { w, .. }) in solved.iter().enumerate() {
        let column = weights.col_as_slice_mut(output).iter_mut();
        column.zip(w).for_each(|(to, &from)| *to = T::from_f64(from));
    }
    Ok(weights)
}

/// The intercepts that are handed out, and the report.
pub(super) fn conclude<T: Scalar>(
    solved: Vec<Solved>,
    (n, arranged): (usize, &Arranged),
) -> (Vec<T>, Report) {
    let mut supports = vec![false; n];
    let mut at_bound = 0;
    for Solved { task, solution, .. } in &solved {
        let rows = task.problem.rows();
        let used = rows.iter().zip(&solution.beta).filter(|&(_, &beta)| beta != 0.0);
        used.for_each(|(&row, _)| supports[arranged.order[row]] = true);
        at_bound += bounded(&task.problem, &solution.beta);
    }
    let solutions: Vec<Solution> = solved.into_iter().map(|solved| solved.solution).collect();
    let support = (0..n).filter(|&i| supports[i]).collect();
    let details = SvmDetails { support, bounded: at_bound, ..details(&solutions) };
    let intercepts = solutions.iter().map(|s| T::from_f64(s.certificate.intercept)).collect();
    (intercepts, report(&solutions, details))
}
