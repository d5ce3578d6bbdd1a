//! Machines on landmarks: those on their features, whose weights become coefficients of kernel values.

use super::super::arranged::Arranged;
use super::super::fit::{SvmSpace, Training};
use super::expand::conclude;
use super::fit::descend;
use super::solve::Solved;
use crate::model::{Decision, KernelExpansion};
use crate::space::OnLandmarks;
use crate::{Error, Report, Run, Status};
use faer::{Mat, MatRef};
use kern_approx::landmarks::whitening::Whitening;
use kern_core::{FeatureMap, Kernel, Mercer, Points, Scalar};
use kern_gram::{GramOperator, LazyGram, MemoryBudget, Rows, matrix_bytes, tile_ranges, zeros};

/// Landmarks whose kernel values with all landmarks are held at once.
const BLOCK: usize = 256;

impl<P: Points, K: Mercer<P> + Clone> SvmSpace<P> for OnLandmarks<K> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        training.goal.check_features(training.stopping.squared)?;
        let budget = run.budget();
        let map = self.features((training.points, training.weights), run)?;
        let root = matrix_bytes::<f64>(map.landmarks().len(), map.dim());
        let rest = MemoryBudget::bytes(budget.as_bytes().saturating_sub(root));
        let (arranged, mut solved) = descend(&map, training, &rest, run)?;
        let mut wide = zeros(map.dim(), solved.len())?;
        for (output, Solved { w, .. }) in solved.iter().enumerate() {
            wide.col_as_slice_mut(output).copy_from_slice(w);
        }
        let coefficients: Mat<P::Scalar> = Whitening::of(&map)?.coefficients(wide.as_ref())?;
        let (kernel, landmarks) = (map.kernel().clone(), map.landmarks());
        let energies = energies(&kernel, landmarks, coefficients.as_ref())?;
        let function = KernelExpansion::new(kernel, landmarks, coefficients.as_ref())?;
        let values = function.decide(training.points)?;
        certify(&mut solved, training, (values.as_ref(), &energies), &arranged);
        let (intercepts, report) = conclude(solved, (training.points.len(), &arranged));
        Ok((function.with_intercepts(intercepts), report))
    }
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

/// Certificates of the functions on landmarks, with these values at all points.
fn certify<P: Points>(
    solved: &mut [Solved],
    training: &Training<'_, P>,
    (values, energies): (MatRef<'_, P::Scalar>, &[f64]),
    arranged: &Arranged,
) {
    let stopping = training.stopping;
    for (output, Solved { task, solution, .. }) in solved.iter_mut().enumerate() {
        let value = |row: usize| values[(arranged.order[row], output)].to_f64();
        let f: Vec<f64> = task.problem.rows().into_iter().map(value).collect();
        let before = &solution.certificate;
        let dual = (&*solution.beta, before.dual);
        let function = (&*f, energies[output]);
        let after = task.certify_other::<P::Scalar>(dual, function, before.intercept);
        if solution.status.has_converged() {
            let asked = (stopping.violation, stopping.tolerance);
            solution.status = after.verdict(&task.problem, asked).unwrap_or(Status::Stalled);
        }
        solution.certificate = after;
    }
}
