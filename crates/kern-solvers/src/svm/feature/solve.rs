//! Passes over all problems at once, so that the features of a block are computed for all of them.

use super::super::certificate::Certificate;
use super::super::settings::Settings;
use super::super::solver::Solution;
use super::blocks::{Blocks, column};
use super::descent::{add, dot};
use super::machine::{Limits, Machine};
use super::task::Task;
use crate::{Error, Observer, Progress, Status};
use faer::MatRef;
use kern_core::{FeatureMap, Points, Scalar};
use kern_gram::parallel;
use pulp::{Simd, WithSimd};
use std::sync::Arc;

/// Sweeps over a block that had to be computed: as dear as the features of a map are the steps between them.
const SWEEPS: usize = 4;
/// Weights, and points, that one thread works on at a time.
const STRIPE: usize = 256;

/// A solution and its weights.
pub(super) struct Solved {
    pub(super) solution: Solution,
    pub(super) w: Vec<f64>,
}

/// Solves all tasks on these points.
pub(super) fn solve<P: Points, M: FeatureMap<P>>(
    (map, points): (&M, &P),
    tasks: Vec<Task>,
    (settings, seed): (&Settings, u64),
    mut observer: Option<&mut dyn Observer>,
) -> Result<Vec<Solved>, Error> {
    let mut blocks = Blocks::new(map, points, &settings.budget.unwrap_or_default())?;
    let norms = norms(&mut blocks, points.len())?;
    let mut machines = Vec::new();
    for (task, stream) in tasks.into_iter().zip(0..) {
        let control = settings.control(task.problem.len(), None);
        let limits = Limits {
            tolerance: control.tolerance,
            relative_gap: control.relative_gap,
            most_steps: control.max_iterations,
        };
        let random = (map.dim(), seed, stream);
        machines.push(Machine::new(task, (&norms, &blocks), limits, random)?);
    }
    while machines.iter().any(|machine| machine.status.is_none()) {
        let watching = observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        if !observed(&machines, watching) {
            let open: Vec<&mut Machine> =
                machines.iter_mut().filter(|machine| machine.status.is_none()).collect();
            certify(&mut blocks, open)?;
            for machine in &mut machines {
                machine.status = machine.status.or(Some(Status::Stopped));
            }
            break;
        }
        sweep(&mut blocks, &mut machines)?;
        let due = machines.iter_mut().filter(|machine| machine.status.is_none());
        let due = due.filter_map(|machine| machine.settle(&blocks).then_some(machine)).collect();
        certify(&mut blocks, due)?;
        if blocks.count() == 1 {
            polish(&mut blocks, &mut machines)?;
        }
    }
    Ok(machines.into_iter().map(finished).collect())
}

/// Whether the observer, if there is one, wants to go on.
fn observed(machines: &[Machine], observer: Option<&mut dyn Observer>) -> bool {
    let Some(observer) = observer else { return true };
    let loss = machines.iter().map(|m| m.task.objective(&m.beta, &m.w)).sum();
    let iteration = machines.iter().map(|m| m.steps).sum();
    let total = machines.iter().fold(0, |sum: usize, m| sum.saturating_add(m.limits.most_steps));
    let progress = Progress { iteration, total, loss };
    observer.observe(&progress).is_continue()
}

/// What a machine found.
fn finished(machine: Machine) -> Solved {
    let Machine { beta, w, certificate, status, steps, passes, .. } = machine;
    let nothing = || Certificate {
        primal: f64::INFINITY,
        dual: 0.0,
        gap: f64::INFINITY,
        violation: f64::INFINITY,
        biases: vec![0.0],
    };
    let certificate = certificate.unwrap_or_else(nothing);
    let status = status.unwrap_or(Status::Stopped);
    Solved { solution: Solution { beta, certificate, status, steps, rounds: passes }, w }
}

/// ‖φ‖² of all points.
fn norms<P: Points, M: FeatureMap<P>>(
    blocks: &mut Blocks<'_, P, M>,
    n: usize,
) -> Result<Arc<[f64]>, Error> {
    let mut norms = vec![0.0; n];
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        let chunks = norms[range].chunks_mut(STRIPE).enumerate().collect();
        parallel::for_each_init(
            chunks,
            || (),
            |(), (chunk, out)| {
                for (i, out) in out.iter_mut().enumerate() {
                    let z = column(z, chunk * STRIPE + i);
                    *out = z.iter().map(|z| z.to_f64() * z.to_f64()).sum();
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

/// One pass: every machine visits what it still has to, a thread each.
fn sweep<P: Points, M: FeatureMap<P>>(
    blocks: &mut Blocks<'_, P, M>,
    machines: &mut [Machine],
) -> Result<(), Error> {
    let sweeps = if blocks.count() == 1 { 1 } else { SWEEPS };
    for k in 0..blocks.count() {
        let due: Vec<&mut Machine> = machines.iter_mut().filter(|m| m.wants(k)).collect();
        if due.is_empty() {
            continue;
        }
        let (range, z) = blocks.load(k)?;
        let visit = |(): &mut (), machine: &mut Machine| machine.visit(k, (range.start, z), sweeps);
        parallel::for_each_init(due, || (), visit);
    }
    Ok(())
}

/// Newton steps of those machines that can afford them: products of all features are at hand.
fn polish<P: Points, M: FeatureMap<P>>(
    blocks: &mut Blocks<'_, P, M>,
    machines: &mut [Machine],
) -> Result<(), Error> {
    let (_, z) = blocks.load(0)?;
    let open = machines.iter_mut().filter(|machine| machine.status.is_none()).collect();
    let polish = |(): &mut (), machine: &mut Machine| machine.polish(z);
    parallel::map_init(open, || (), polish).into_iter().collect()
}

/// A machine, its variables in each block, and their values.
type Judged<'m> = (&'m mut Machine, Vec<Vec<usize>>, Vec<f64>);

/// Weights and values afresh, and the verdicts on them.
fn certify<P: Points, M: FeatureMap<P>>(
    blocks: &mut Blocks<'_, P, M>,
    machines: Vec<&mut Machine>,
) -> Result<(), Error> {
    let mut found: Vec<Judged<'_>> = Vec::new();
    for machine in machines {
        machine.prepare();
        let members = machine.members(blocks);
        let values = vec![0.0; machine.beta.len()];
        found.push((machine, members, values));
    }
    if found.is_empty() {
        return Ok(());
    }
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        for (machine, members, _) in &mut found {
            let Machine { w, beta, rows, .. } = &mut **machine;
            let used: Vec<usize> = members[k].iter().copied().filter(|&v| beta[v] != 0.0).collect();
            let terms: Vec<(usize, f64)> =
                used.iter().map(|&v| (rows[v] - range.start, beta[v])).collect();
            let tasks = w.chunks_mut(STRIPE).enumerate().collect();
            let gather = |(): &mut (), (stripe, w): (usize, &mut [f64])| {
                pulp::Arch::new().dispatch(Gather { w, start: stripe * STRIPE, terms: &terms, z });
            };
            parallel::for_each_init(tasks, || (), gather);
        }
    }
    for k in 0..blocks.count() {
        let (range, z) = blocks.load(k)?;
        for (machine, members, values) in &mut found {
            let (w, rows) = (&*machine.w, &machine.rows);
            let parts = members[k].chunks(STRIPE).collect();
            let products = |(): &mut (), part: &[usize]| {
                let columns: Vec<usize> = part.iter().map(|&v| rows[v] - range.start).collect();
                pulp::Arch::new().dispatch(Products { w, columns, z })
            };
            let products = parallel::map_init(parts, || (), products);
            let products = products.into_iter().flatten();
            members[k].iter().zip(products).for_each(|(&v, value)| values[v] = value);
        }
    }
    for (machine, _, values) in found {
        machine.judge(&values, blocks);
    }
    Ok(())
}

/// w ← w + Σβz, a stripe of it.
pub(super) struct Gather<'a, T: Scalar> {
    pub(super) w: &'a mut [f64],
    pub(super) start: usize,
    pub(super) terms: &'a [(usize, f64)],
    pub(super) z: MatRef<'a, T>,
}

impl<T: Scalar> WithSimd for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { w, start, terms, z } = self;
        for &(j, beta) in terms {
            add(w, beta, &column(z, j)[start..]);
        }
    }
}

/// wᵀz of some columns.
pub(super) struct Products<'a, T: Scalar> {
    pub(super) w: &'a [f64],
    pub(super) columns: Vec<usize>,
    pub(super) z: MatRef<'a, T>,
}

impl<T: Scalar> WithSimd for Products<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let Self { w, columns, z } = self;
        columns.into_iter().map(|j| dot(w, column(z, j))).collect()
    }
}
