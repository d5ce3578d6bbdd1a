//! Support vector machines on a kernel: memory and time limits, and regularisation paths over C or
//! quantile levels.

use super::arranged::{Arranged, Chosen, copied_bytes};
use super::decomposition;
use super::dual_problem::{Dual, start_at};
use super::kernel_columns::{KernelColumns, SIDE_BY_SIDE, is_stored, with_columns};
use super::smo_block::Workspace;
use super::svm_solution::{Fitted, Solution};
use super::training::{Goal, Stopping, SvmSpace, Training};
use crate::differences::{FromOrigin, from_afar};
use crate::model::KernelExpansion;
use crate::plan::{Algorithm, Count, Effort, Limits, Work, within};
use crate::space::OnKernel;
use crate::{Error, Observer, Progress, Report, Run, Status};
use faer::{ColRef, MatRef};
use kern_approx::statistics::{check_length, check_targets};
use kern_core::{Kernel, Mercer, Points, Scalar, compiled_once};
use kern_gram::numerics::arithmetic::finite_diagonal;
use kern_gram::{parallel, sequentially};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Assumed passes of dual coordinate descent on landmarks.
const PASSES: f64 = 100.0;

/// Assumed share of support vectors before the fit: a lower estimate.
const SUPPORT: f64 = 0.1;

impl<P: Points, K: Mercer<P> + Clone> SvmSpace<P> for OnKernel<K> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let mut learned = learn(&self.kernel, std::slice::from_ref(training), run)?;
        learned.pop().ok_or(Error::Empty)
    }

    const HAS_PATH: bool = true;

    fn train_path(
        &self,
        path: &[Training<'_, P>],
        run: &mut Run<'_>,
    ) -> Result<Vec<(KernelExpansion<P, K>, Report)>, Error> {
        learn(&self.kernel, path, run)
    }
}

/// A function and its report.
type FunctionAndReport<P, K> = (KernelExpansion<P, K>, Report);

/// Fits several goals on the same points that differ in C or in their quantile levels.
fn learn<P: Points, K: Mercer<P> + Clone>(
    kernel: &K,
    path: &[Training<'_, P>],
    run: &mut Run<'_>,
) -> Result<Vec<FunctionAndReport<P, K>>, Error> {
    let points = path.first().ok_or(Error::Empty)?.points;
    let finished = |(function, report): FunctionAndReport<P, ()>| {
        Ok((function.with_kernel(kernel.clone()).answering(points)?, report))
    };
    solve(kernel, path, run)?.into_iter().map(finished).collect()
}

/// [`learn`] without attaching the kernel to the functions.
#[compiled_once]
fn solve<P: Points>(
    kernel: &dyn Mercer<P>,
    path: &[Training<'_, P>],
    run: &mut Run<'_>,
) -> Result<Vec<FunctionAndReport<P, ()>>, Error> {
    let &Training { points, weights, goal, stopping } = path.first().ok_or(Error::Empty)?;
    let arranged = Arranged::by_class(&goal, points.len(), weights)?;
    let copied = copied_bytes(points, &arranged.order);
    let sizes = arranged.sizes(&goal, path.len());
    let budget = sizes.left::<P::Scalar>(&run.budget(), copied)?;
    let selected = Chosen::new(points, &arranged.order)?;
    let duals = path.iter().map(|training| arranged.duals(&training.goal, stopping.intercept));
    let mut duals = duals.collect::<Result<Vec<_>, Error>>()?;
    let unsupervised = matches!(goal, Goal::Region { .. } | Goal::Ball { .. });
    if let (Some(start), false) = (run.coefficients(), unsupervised) {
        begin(&mut duals[0], start, points.len(), &arranged.order)?;
    }
    let sizes = duals.iter().flatten().map(Dual::len);
    let limits = (run.predicted_limit(), &budget);
    check_time(limits, &kernel, selected.get(), sizes)?;
    // With an intercept the coefficients sum to zero, so the problem does not depend on the origin
    // of feature space.
    let afar = match stopping.intercept && !unsupervised {
        true => from_afar(kernel, selected.get())?,
        false => None,
    };
    let seen: &dyn Mercer<P> = afar.as_ref().map_or(kernel, |from| from);
    let problems = duals[0].len();
    let fitted = with_columns(&seen, selected.get(), problems, &budget, |columns, stored| {
        if matches!(goal, Goal::Ball { .. }) {
            let diagonal = finite_diagonal(columns.diagonal().into_iter())?;
            duals.iter_mut().flatten().for_each(|dual| dual.enclose(&diagonal));
        }
        solve_path(columns, stored, arranged.order.len(), duals, stopping, run)
    })?;
    let (points, order) = (selected.get(), &*arranged.order);
    let learned = fitted.into_iter().map(|fitted| fitted.into_function(points, order));
    let Some(from) = &afar else { return learned.collect() };
    let moved = |learned: FunctionAndReport<P, ()>| (by_distances(learned.0, from), learned.1);
    learned.map(|learned| learned.map(moved)).collect()
}

/// Fails if the problems are predicted to exceed the time limit. Counts kernel values (only the
/// columns of support vectors if the matrix is not stored) and one step on two columns per support
/// vector. Hard problems take longer, which only solving them shows.
fn check_time<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    variables: impl Iterator<Item = usize>,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let n = points.len();
    let computed = if is_stored::<P::Scalar>(n, limits.1) { 0.5 } else { SUPPORT };
    let steps: f64 = variables.map(|number| 2.0 * SUPPORT * (number as f64).powi(2)).sum();
    let parts = vec![
        (Work::KernelValues, Count::values(computed * (n as f64).powi(2))),
        (Work::Steps, Count::numbers(steps)),
    ];
    let exact = Effort::counted(Algorithm::GramCached, parts);
    within(limits, kernel, points, &[exact], &[Effort::by_passes(n, PASSES)])
}

/// Rewrites b + Σᵢ αᵢ⟨φ(xᵢ) − φ(z), φ(·) − φ(z)⟩ with Σᵢ αᵢ = 0 in distances:
/// b − Σᵢ αᵢD(xᵢ, z) + Σᵢ αᵢD(xᵢ, ·).
fn by_distances<P: Points>(
    function: KernelExpansion<P, ()>,
    from: &FromOrigin<'_, P>,
) -> KernelExpansion<P, ()> {
    let from = from.distances(function.points());
    let outputs = function.coefficients().col_iter().zip(function.intercepts());
    let intercept = |(column, b): (ColRef<'_, P::Scalar>, &P::Scalar)| {
        let terms = column.iter().zip(&from).map(|(a, from)| a.to_f64() * from);
        P::Scalar::from_f64(b.to_f64() - terms.sum::<f64>())
    };
    let intercepts = outputs.map(intercept).collect();
    function.with_intercepts(intercepts).by_differences()
}

/// Starts from given coefficients of all n points.
fn begin(
    duals: &mut [Dual],
    start: MatRef<'_, f64>,
    n: usize,
    order: &[usize],
) -> Result<(), Error> {
    check_length("coefficients to start from", n, start.nrows())?;
    check_targets(n, start)?;
    if start.ncols() != duals.len() {
        let (name, allowed) = ("columns of the start", "one for each function");
        return Err(Error::Count { name, given: start.ncols(), allowed });
    }
    for (output, dual) in duals.iter_mut().enumerate() {
        start_at(dual, |row| start[(order[row], output)]);
    }
    Ok(())
}

/// Solves the problems of each goal, starting from the solutions of the previous one.
#[compiled_once]
fn solve_path<T: Scalar>(
    columns: &dyn KernelColumns<T>,
    stored: bool,
    n: usize,
    duals: Vec<Vec<Dual>>,
    stopping: &Stopping,
    run: &mut Run<'_>,
) -> Result<Vec<Fitted<T>>, Error> {
    let mut fitted = Vec::with_capacity(duals.len());
    let mut last: Option<Vec<Solution>> = None;
    for mut duals in duals {
        if let Some(solutions) = &last {
            let starts = duals.iter_mut().zip(solutions);
            starts.for_each(|(dual, solution)| dual.start_from(solution));
        }
        let solutions = solve_all(columns, stored, &duals, stopping, run.watcher())?;
        fitted.push(Fitted::new(n, &duals, &solutions)?);
        last = Some(solutions);
    }
    Ok(fitted)
}

impl Dual {
    /// Starts from the solution of the same problem with other bounds, scaled by the best feasible
    /// factor: if no coefficient was at its bound, wider bounds change nothing.
    fn start_from(&mut self, solution: &Solution) {
        let bounds = self.lower.iter().zip(&self.upper);
        let reach = |(&beta, (&l, &u)): (&f64, (&f64, &f64))| match beta {
            b if b > 0.0 => u / b,
            b if b < 0.0 => l / b,
            _ => f64::INFINITY,
        };
        let feasible = solution.beta.iter().zip(bounds).map(reach).fold(f64::INFINITY, f64::min);
        let terms = solution.beta.iter().zip(&self.linear);
        let linear: f64 = terms.map(|(beta, p)| p * beta - self.epsilon * beta.abs()).sum();
        // The dual objective of s·β is s·linear − ½s²·βᵀKβ.
        let energy = 2.0 * (linear - solution.certificate.dual);
        let ratio = (linear / energy).min(feasible);
        if !(ratio.is_finite() && ratio > 0.0) {
            return;
        }
        let bounds = self.lower.iter().zip(&self.upper);
        let scaled = solution.beta.iter().zip(bounds).map(|(b, (l, u))| (b * ratio).clamp(*l, *u));
        self.start = scaled.collect();
    }
}

/// Solves all problems, in parallel if they are small. Once the observer stops one, the others stop
/// at their start.
fn solve_all<T: Scalar>(
    columns: &dyn KernelColumns<T>,
    stored: bool,
    duals: &[Dual],
    stopping: &Stopping,
    mut observer: Option<&mut dyn Observer>,
) -> Result<Vec<Solution>, Error> {
    let small = duals.iter().all(|dual| dual.len() <= SIDE_BY_SIDE);
    if stored && small && duals.len() > 1 {
        return side_by_side(columns, duals, stopping, observer);
    }
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let mut stopped = false;
    let mut solve = |dual: &Dual| {
        let observer = match &mut observer {
            _ if stopped => Some(&mut stop as &mut dyn Observer),
            Some(observer) => Some(&mut **observer as &mut dyn Observer),
            None => None,
        };
        let mut control = stopping.control(dual.len(), observer);
        let solution = decomposition::solve(columns, dual, &mut control)?;
        stopped |= solution.status == Status::Stopped;
        Ok(solution)
    };
    duals.iter().map(&mut solve).collect()
}

/// Solves small problems in parallel, one thread each; all report to the same observer.
fn side_by_side<T: Scalar>(
    columns: &dyn KernelColumns<T>,
    duals: &[Dual],
    stopping: &Stopping,
    observer: Option<&mut dyn Observer>,
) -> Result<Vec<Solution>, Error> {
    let observer = observer.map(|observer| Mutex::new((observer, ControlFlow::Continue(()))));
    let blocks = duals.iter().map(|dual| decomposition::block(dual.len(), columns));
    let largest = blocks.max().unwrap_or(0);
    let solve = |workspace: &mut Workspace<T>, dual: &Dual| {
        // Once for all problems of a thread: the first fit of a process waits for fresh memory.
        workspace.reserve(largest)?;
        let mut shared = observer.as_ref().map(|observer| {
            |progress: &Progress| {
                let (observer, flow) =
                    &mut *observer.lock().unwrap_or_else(PoisonError::into_inner);
                if flow.is_continue() {
                    *flow = observer.observe(progress);
                }
                *flow
            }
        });
        let shared = shared.as_mut().map(|shared| shared as &mut dyn Observer);
        let mut control = stopping.control(dual.len(), shared);
        sequentially(|| decomposition::solve_in(workspace, columns, dual, &mut control))
    };
    parallel::map_init(duals.iter().collect(), Workspace::default, solve).into_iter().collect()
}
