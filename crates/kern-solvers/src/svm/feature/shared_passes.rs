//! Passes over all problems at once, so that the features of a block are computed only once.

use super::super::dual_problem::Reading;
use super::super::svm_solution::Solution;
use super::super::training::Stopping;
use super::dual_coordinate_descent::{Limits, Machine};
use super::feature_blocks::Blocks;
use super::feature_dual::FeatureDual;
use super::feature_vectors::{Gather, Products};
use crate::{Error, Observer, Progress, Status};
use kern_core::Scalar;
use kern_gram::parallel;
use std::sync::Arc;

/// Points that one thread processes at a time.
const STRIPE: usize = 256;

/// A problem, its solution and its weights.
pub(super) struct Solved {
    pub(super) task: FeatureDual,
    pub(super) solution: Solution,
    pub(super) w: Vec<f64>,
}

/// Solves all problems on points with these features.
pub(super) fn solve<T: Scalar>(
    blocks: &mut Blocks<'_, T>,
    tasks: Vec<FeatureDual>,
    stopping: &Stopping,
    mut observer: Option<&mut dyn Observer>,
) -> Result<Vec<Solved>, Error> {
    let norms = norms(blocks)?;
    let mut machines = Vec::new();
    for (mut task, stream) in tasks.into_iter().zip(0..) {
        if task.problem.reading == Reading::Ball {
            task.problem.enclose(&norms);
        }
        let limits = Limits {
            violation: stopping.violation,
            gap: stopping.tolerance,
            most_steps: stopping.most_steps(task.problem.len()),
        };
        machines.push(Machine::new(task, &norms, blocks, limits, stopping.seed, stream)?);
    }
    while machines.iter().any(|machine| machine.status.is_none()) {
        let watching = observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        if !observed(&machines, watching) {
            let open: Vec<&mut Machine> =
                machines.iter_mut().filter(|machine| machine.status.is_none()).collect();
            certify(blocks, open)?;
            for machine in &mut machines {
                machine.status = machine.status.or(Some(Status::Stopped));
            }
            break;
        }
        sweep(blocks, &mut machines)?;
        let due = machines.iter_mut().filter(|machine| machine.status.is_none());
        let due = due.filter_map(|machine| machine.settle(blocks).then_some(machine)).collect();
        certify(blocks, due)?;
        if blocks.count() == 1 {
            polish(blocks, &mut machines)?;
        }
    }
    Ok(machines.into_iter().filter_map(finished).collect())
}

/// Reports progress to the observer, if there is one; true to continue.
fn observed(machines: &[Machine], observer: Option<&mut dyn Observer>) -> bool {
    let Some(observer) = observer else { return true };
    let loss = machines.iter().map(|m| m.task.objective(&m.beta, &m.w)).sum();
    let iteration = machines.iter().map(|m| m.steps).sum();
    let total = machines.iter().fold(0, |sum: usize, m| sum.saturating_add(m.limits.most_steps));
    let mut progress = Progress::new(iteration, total, loss);
    let open = machines.iter().filter(|machine| machine.status.is_none());
    let excess = open.map(Machine::excess).fold(0.0, f64::max);
    // Infinite before the first pass.
    if let (true, Some(machine)) = (excess.is_finite(), machines.first()) {
        let tolerance = machine.limits.violation;
        progress = progress.with_violation(excess * tolerance, tolerance);
    }
    observer.observe(&progress).is_continue()
}

/// The solution of a solver that has stopped and been certified.
fn finished(machine: Machine) -> Option<Solved> {
    let Machine { task, beta, w, certificate, status, steps, passes, .. } = machine;
    let (certificate, status) = certificate.zip(status)?;
    Some(Solved {
        task,
        solution: Solution { beta, certificate, status, steps, rounds: passes },
        w,
    })
}

/// ‖φ‖² of all points.
fn norms<T: Scalar>(blocks: &mut Blocks<'_, T>) -> Result<Arc<[f64]>, Error> {
    let mut norms = vec![0.0; blocks.points()];
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        let chunks = norms[range].chunks_mut(STRIPE).enumerate().collect();
        parallel::for_each_init(
            chunks,
            || (),
            |(), (chunk, out)| {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = z.square(chunk * STRIPE + i);
                }
            },
        );
    }
    if let Some(&given) = norms.iter().find(|norm| !norm.is_finite()) {
        let (name, allowed) = ("the squared norm of features", "a finite number");
        return Err(kern_core::Error::Parameter { name, given, allowed }.into());
    }
    Ok(norms.into())
}

/// One pass: each solver visits its active variables, in its own thread.
fn sweep<T: Scalar>(blocks: &mut Blocks<'_, T>, machines: &mut [Machine]) -> Result<(), Error> {
    for k in 0..blocks.count() {
        let due: Vec<&mut Machine> = machines.iter_mut().filter(|m| m.wants(k)).collect();
        if due.is_empty() {
            continue;
        }
        let (range, z) = blocks.load(k)?;
        let visit = |(): &mut (), machine: &mut Machine| machine.visit(k, range.start, z);
        parallel::for_each_init(due, || (), visit);
    }
    Ok(())
}

/// Newton steps of the solvers for which they pay; all features are in memory.
fn polish<T: Scalar>(blocks: &mut Blocks<'_, T>, machines: &mut [Machine]) -> Result<(), Error> {
    let (_, z) = blocks.load(0)?;
    let open = machines.iter_mut().filter(|machine| machine.status.is_none()).collect();
    let polish = |(): &mut (), machine: &mut Machine| machine.polish(z);
    parallel::map_init(open, || (), polish).into_iter().collect()
}

/// A solver, its variables in each block, and the returned weights with the values that they give.
struct Judged<'m> {
    machine: &'m mut Machine,
    members: Vec<Vec<usize>>,
    values: Vec<f64>,
    rounded: Vec<f64>,
}

/// Recomputes weights and values, and judges the solutions.
fn certify<T: Scalar>(
    blocks: &mut Blocks<'_, T>,
    machines: Vec<&mut Machine>,
) -> Result<(), Error> {
    let mut found: Vec<Judged<'_>> = Vec::new();
    for machine in machines {
        machine.prepare();
        let members = machine.members(blocks);
        let values = vec![0.0; machine.beta.len()];
        found.push(Judged { machine, members, values, rounded: Vec::new() });
    }
    if found.is_empty() {
        return Ok(());
    }
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        for Judged { machine, members, .. } in &mut found {
            let Machine { w, beta, rows, .. } = &mut **machine;
            let used: Vec<usize> = members[k].iter().copied().filter(|&v| beta[v] != 0.0).collect();
            let terms: Vec<(usize, f64)> =
                used.iter().map(|&v| (rows[v] - range.start, beta[v])).collect();
            let length = z.stripe(w.len());
            let tasks = w.chunks_mut(length).enumerate().collect();
            let gather = |(): &mut (), (stripe, w): (usize, &mut [f64])| {
                kern_core::instruction_set().dispatch(Gather {
                    w,
                    start: stripe * length,
                    terms: &terms,
                    z,
                });
            };
            parallel::for_each_init(tasks, || (), gather);
        }
    }
    for Judged { machine, rounded, .. } in &mut found {
        *rounded = machine.w.iter().map(|&w| T::from_f64(w).to_f64()).collect();
    }
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        for Judged { machine, members, values, rounded } in &mut found {
            let (w, rows) = (&**rounded, &machine.rows);
            let parts = members[k].chunks(STRIPE).collect();
            let products = |(): &mut (), part: &[usize]| {
                let columns: Vec<usize> = part.iter().map(|&v| rows[v] - range.start).collect();
                kern_core::instruction_set().dispatch(Products { w, columns, z })
            };
            let products = parallel::map_init(parts, || (), products);
            let products = products.into_iter().flatten();
            members[k].iter().zip(products).for_each(|(&v, value)| values[v] = value);
        }
    }
    for Judged { machine, values, rounded, .. } in found {
        machine.judge(&values, &rounded, blocks);
    }
    Ok(())
}
