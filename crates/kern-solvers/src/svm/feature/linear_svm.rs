//! Linear SVMs on features, sparse features and landmarks, by dual coordinate descent.
//!
//! The linear dual is represented by w. On sparse features, a visit costs as much as the point
//! stores. On landmarks, the problem is solved on their features, and the weights are converted to
//! coefficients of kernel values.

use super::super::arranged::Arranged;
use super::super::dual_problem::bounded;
use super::super::svm_solution::{Solution, details, report};
use super::super::training::{SvmSpace, Training};
use super::feature_blocks::Blocks;
use super::feature_dual::FeatureDual;
use super::shared_passes::{Solved, solve};
use crate::model::{Decision, FeatureExpansion, KernelExpansion, SparseExpansion};
use crate::report::SvmDetails;
use crate::space::{OnFeatures, OnLandmarks, OnSparse};
use crate::{Error, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_approx::statistics::fill;
use kern_core::feature_map::Fold;
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scalar, SparseTransform};
use kern_gram::{GramOperator, LazyGram, MemoryBudget, Rows, matrix_bytes, tile_ranges, zeros};

/// Landmarks whose kernel values with all landmarks are in memory at once.
const BLOCK: usize = 256;

impl<P: Points, M: FeatureMap<P> + Clone> SvmSpace<P> for OnFeatures<M> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let budget = run.budget();
        let (arranged, solved) = descend(&self.map, training, &budget, run)?;
        let weights = weights(&solved, self.map.dim())?;
        let (intercepts, report) = conclude(solved, training.points.len(), &arranged);
        Ok((FeatureExpansion::new(self.map.clone(), weights).with_intercepts(intercepts), report))
    }
}

impl<P: Points, M: SparseTransform<P> + Clone> SvmSpace<P> for OnSparse<M> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(SparseExpansion<M, P::Scalar>, Report), Error> {
        let rows = self.map.rows(training.points)?;
        let Arrangement { arranged, tasks } = arrange(training)?;
        // Weights of the solvers, rounded weights, and weights of the model.
        let needed = matrix_bytes::<f64>(rows.dim(), tasks.len().saturating_mul(3));
        let budget = run.budget();
        budget.require("weights of sparse features", needed, "use fewer features")?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
        let mut blocks = Blocks::given(&rows, &arranged.order, &rest);
        let solved = solve(&mut blocks, tasks, training.stopping, run.watcher())?;
        let weights = weights(&solved, rows.dim())?;
        let (intercepts, report) = conclude(solved, rows.len(), &arranged);
        Ok((SparseExpansion::new(self.map.clone(), weights, intercepts), report))
    }
}

impl<P: Points, K: Mercer<P> + Clone> SvmSpace<P> for OnLandmarks<K> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        training.goal.check_features(training.stopping.squared)?;
        let budget = run.budget();
        let map = self.features(training.points, training.weights, run)?;
        let root = matrix_bytes::<f64>(map.landmarks().len(), map.dim());
        let rest = MemoryBudget::bytes(budget.as_bytes().saturating_sub(root));
        let (arranged, mut solved) = descend(&map, training, &rest, run)?;
        let mut wide = zeros(map.dim(), solved.len())?;
        for (output, Solved { w, .. }) in solved.iter().enumerate() {
            wide.col_as_slice_mut(output).copy_from_slice(w);
        }
        let coefficients: Mat<P::Scalar> = Fold::of(&map)?.coefficients(wide.as_ref())?;
        let (kernel, landmarks) = (map.kernel().clone(), map.landmarks());
        let energies = energies(&kernel, landmarks, coefficients.as_ref())?;
        let function = KernelExpansion::new(kernel, landmarks, coefficients.as_ref())?;
        let values = function.decide(training.points)?;
        certify(&mut solved, training, values.as_ref(), &energies, &arranged);
        let (intercepts, report) = conclude(solved, training.points.len(), &arranged);
        Ok((function.with_intercepts(intercepts), report))
    }
}

/// Solves all problems on the features of a map; also returns the order of the points.
fn descend<P: Points, M: FeatureMap<P>>(
    map: &M,
    training: &Training<'_, P>,
    budget: &MemoryBudget,
    run: &mut Run<'_>,
) -> Result<(Arranged, Vec<Solved>), Error> {
    map.check(training.points)?;
    let Arrangement { arranged, tasks } = arrange(training)?;
    let selected = training.points.select(&arranged.order)?;
    let solved = {
        let fill = |range, out: faer::MatMut<'_, P::Scalar>| Ok(fill(map, &selected, range, out)?);
        let mut blocks = Blocks::new(&fill, map.dim(), selected.len(), budget)?;
        solve(&mut blocks, tasks, training.stopping, run.watcher())
            .map_err(|error| renumbered(error, &arranged.order))?
    };
    Ok((arranged, solved))
}

/// A random order of the points, with the problems on them.
struct Arrangement {
    arranged: Arranged,
    tasks: Vec<FeatureDual>,
}

/// Builds the problems of a fit, on points in random order.
fn arrange<P: Points>(training: &Training<'_, P>) -> Result<Arrangement, Error> {
    let Training { points, weights, goal, stopping, .. } = *training;
    goal.check_features(stopping.squared)?;
    let arranged = Arranged::shuffled(&goal, points.len(), weights, stopping.seed)?;
    let duals = arranged.duals(&goal, stopping.intercept)?;
    let tasks = duals.into_iter().map(|dual| FeatureDual::new(dual, stopping.squared)).collect();
    Ok(Arrangement { arranged, tasks })
}

/// Replaces the index in an error about a point by its index among all points.
fn renumbered(error: Error, order: &[usize]) -> Error {
    match error {
        Error::Core(kern_core::Error::FeatureNotFinite { sample, feature, given }) => {
            let sample = order[sample];
            kern_core::Error::FeatureNotFinite { sample, feature, given }.into()
        }
        error => error,
    }
}

/// The weights of all functions, D × functions.
fn weights<T: Scalar>(solved: &[Solved], dim: usize) -> Result<Mat<T>, Error> {
    let mut weights = zeros(dim, solved.len())?;
    for (output, Solved { w, .. }) in solved.iter().enumerate() {
        let column = weights.col_as_slice_mut(output).iter_mut();
        column.zip(w).for_each(|(to, &from)| *to = T::from_f64(from));
    }
    Ok(weights)
}

/// The returned intercepts, and the report.
fn conclude<T: Scalar>(solved: Vec<Solved>, n: usize, arranged: &Arranged) -> (Vec<T>, Report) {
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

/// ½cᵀK_mm c of each function.
fn energies<P: Points, K: Kernel<P>>(
    kernel: &K,
    landmarks: &P,
    coefficients: MatRef<'_, P::Scalar>,
) -> Result<Vec<f64>, Error> {
    let gram = LazyGram::new(kernel, landmarks)?;
    let (m, outputs) = coefficients.shape();
    let wide = |j: usize, output: usize| coefficients[(j, output)].to_f64();
    let mut energies = vec![0.0; outputs];
    for range in tile_ranges(m, BLOCK) {
        let mut columns = zeros::<P::Scalar>(m, range.len())?;
        let indices: Vec<usize> = range.collect();
        gram.submatrix_into(Rows::All, &indices, columns.as_mut())?;
        for (output, energy) in energies.iter_mut().enumerate() {
            for (column, &j) in columns.col_iter().zip(&indices) {
                let terms = column.iter().enumerate();
                let value: f64 = terms.map(|(i, k)| k.to_f64() * wide(i, output)).sum();
                *energy += 0.5 * value * wide(j, output);
            }
        }
    }
    Ok(energies)
}

/// Computes the certificates of functions on landmarks with these values at all points.
fn certify<P: Points>(
    solved: &mut [Solved],
    training: &Training<'_, P>,
    values: MatRef<'_, P::Scalar>,
    energies: &[f64],
    arranged: &Arranged,
) {
    let stopping = training.stopping;
    for (output, Solved { task, solution, .. }) in solved.iter_mut().enumerate() {
        let value = |row: usize| values[(arranged.order[row], output)].to_f64();
        let f: Vec<f64> = task.problem.rows().into_iter().map(value).collect();
        let before = &solution.certificate;
        let after = task.certify_other::<P::Scalar>(
            &solution.beta,
            before.dual,
            &f,
            energies[output],
            before.intercept,
        );
        if solution.status.has_converged() {
            let verdict = after.verdict(&task.problem, stopping.violation, stopping.tolerance);
            solution.status = verdict.unwrap_or(Status::Stalled);
        }
        solution.certificate = after;
    }
}
