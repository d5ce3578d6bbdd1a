//! The fit of support vector classification.

use super::columns::Columns;
use super::expansion::Expansion;
use super::matrix::with_columns;
use super::memory::{Chosen, Sizes, copied_bytes};
use super::params::Svc;
use super::problem::{Coupling, Problem, check_start, whole};
use super::settings::{Settings, bound, check_penalty};
use super::solver::{self, Solution, WHOLE};
use super::square::Workspace;
use super::{Decomposition, SvmClassifier};
use crate::labels::Encoded;
use crate::{Error, Label, Observer};
use faer::MatRef;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{parallel, sequentially};
use std::ops::Range;

/// Problems of up to so many points are solved side by side, a thread each; larger ones one after the other, by
/// all threads.
pub(super) const SIDE_BY_SIDE: usize = 4 * WHOLE;

impl<K> Svc<K> {
    /// Learns the classes.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Length`], [`Error::OneClass`]; [`Error::Weight`], [`Error::NoWeight`],
    /// [`Error::NoClassWeight`], [`Error::ClassWeight`], [`Error::ClassWeights`] for weights; [`Error::Core`] for
    /// C ≤ 0, a tolerance ≤ 0, or points that the kernel refuses; [`Error::Gram`] if not even two columns of the
    /// kernel matrix fit the budget.
    pub fn fit<P, L>(self, points: &P, labels: &[L]) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.run(points, labels, (None, None))
    }

    /// [`fit`](Svc::fit), watched by an observer before each round: its loss is the negative dual objective. One
    /// binary problem is solved after the other.
    ///
    /// # Errors
    /// As [`fit`](Svc::fit).
    pub fn fit_observed<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: &mut dyn Observer,
    ) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.run(points, labels, (None, Some(observer)))
    }

    /// [`fit`](Svc::fit) from a start: coefficients β, n × functions in the order of
    /// [`SvmClassifier::decision_values`], such as those of [`FeatureSvc::fit_dual`](crate::svm::FeatureSvc::fit_dual) with
    /// the same C and decomposition. They are brought to their bounds and moved the least to sum to zero.
    ///
    /// It does not pay to solve a machine on features only for this, and [`fit`](Svc::fit) does not. Seen with 20 000 points of
    /// dimension 10, an RBF kernel, features of random pivots and two cores, least of two or three runs: with C = 1 in
    /// 1.1 s without a start, and in as much with that of 200 features to a relative gap of 1e-2, of which 0.3 s went
    /// into the start; with C = 10 in 1.1 s and 2.0 s. More features and smaller gaps save rounds (53 become 3), but
    /// cost more: most of the time goes into the columns of the support vectors, which every start has to ask for.
    ///
    /// # Errors
    /// As [`fit`](Svc::fit); [`Error::Length`] for another number of rows, [`Error::Count`] for one of columns;
    /// [`Error::NotFinite`] for a coefficient that is not finite.
    ///
    /// # Examples
    /// ```
    /// use kern_approx::Nystrom;
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_gram::MemoryBudget;
    /// use kern_solvers::svm::{FeatureSvc, Svc};
    /// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let y = [0, 1, 1, 0];
    /// let kernel = Rbf::new(0.5)?;
    /// let map = Nystrom::new(kernel).landmarks(3).fit(&x, &MemoryBudget::mebibytes(1))?;
    /// let (_, beta) = FeatureSvc::new(map).c(10.0).fit_dual(&x, &y)?;
    /// let warm = Svc::new(kernel).c(10.0).fit_from(&x, &y, beta.as_ref())?;
    /// let cold = Svc::new(kernel).c(10.0).fit(&x, &y)?;
    /// assert!((warm.report().dual - cold.report().dual).abs() < 1e-3);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_from<P, L>(
        self,
        points: &P,
        labels: &[L],
        start: MatRef<'_, f64>,
    ) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        self.run(points, labels, (Some(start), None))
    }

    /// The fits for several C, one after the other: they share the kernel matrix, and each starts where the one
    /// before ended, its coefficients scaled with C. The C that was set is not looked at.
    ///
    /// # Errors
    /// As [`fit`](Svc::fit), for any of the C.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::svm::Svc;
    /// let x = Samples::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let y = [0, 1, 0, 1];
    /// let models = Svc::new(Rbf::new(1.0)?).fit_path(&x, &y, &[0.1, 1.0, 10.0])?;
    /// let alone = Svc::new(Rbf::new(1.0)?).c(10.0).fit(&x, &y)?;
    /// assert!((models[2].report().dual - alone.report().dual).abs() < 1e-3);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    pub fn fit_path<P, L>(
        self,
        points: &P,
        labels: &[L],
        penalties: &[f64],
    ) -> Result<Vec<SvmClassifier<P, K, L>>, Error>
    where
        P: Points,
        K: Mercer<P> + Clone,
        L: Label,
    {
        penalties.iter().try_for_each(|&c| check_penalty(c))?;
        let (labels, weights) = self.prepare(points.len(), labels)?;
        let sorted = Sorted::new(&labels, weights.as_deref());
        let Self { kernel, settings, multi_class, .. } = self;
        let copied = copied_bytes(points, &sorted.order);
        let sizes = sorted.sizes(multi_class, penalties.len());
        let budget = sizes.left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &sorted.order)?;
        let learned = with_columns(&kernel, selected.get(), &budget, |columns, stored| {
            let mut learned: Vec<(f64, Vec<Problem>, Vec<Solution>, _)> = Vec::new();
            for &c in penalties {
                let mut problems = sorted.problems(multi_class, c, settings.bias)?;
                if let Some((last, _, solutions, _)) = learned.last() {
                    let starts = problems.iter_mut().zip(solutions);
                    starts.for_each(|(problem, from)| problem.start_from(from, *last, c));
                }
                let solutions = solve_all(columns, stored, &problems, &settings, None)?;
                learned.push((c, problems, solutions, columns.cost()));
            }
            Ok(learned)
        })?;
        let model = |(_, problems, solutions, cost): (f64, Vec<Problem>, Vec<Solution>, _)| {
            let expansion = expand(sorted.order.len(), &problems, &solutions)?;
            let on = (selected.get(), &*sorted.order);
            let (decision, support, report) =
                expansion.into_model(kernel.clone(), on, &solutions, cost)?;
            let classes = (labels.classes.clone(), multi_class);
            Ok(SvmClassifier::new(decision, classes, support, report))
        };
        learned.into_iter().map(model).collect()
    }

    fn run<P, L>(
        self,
        points: &P,
        labels: &[L],
        (start, observer): (Option<MatRef<'_, f64>>, Option<&mut dyn Observer>),
    ) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        check_penalty(self.c)?;
        let (labels, weights) = self.prepare(points.len(), labels)?;
        let sorted = Sorted::new(&labels, weights.as_deref());
        let Self { kernel, c, settings, multi_class, .. } = self;
        let copied = copied_bytes(points, &sorted.order);
        let budget = sorted.sizes(multi_class, 1).left::<P::Scalar>(&settings, copied)?;
        let selected = Chosen::new(points, &sorted.order)?;
        let mut problems = sorted.problems(multi_class, c, settings.bias)?;
        if let Some(start) = start {
            check_start(start, (points.len(), problems.len()))?;
            for (output, problem) in problems.iter_mut().enumerate() {
                problem.start_at(|row| start[(sorted.order[row], output)]);
            }
        }
        let (solutions, cost) =
            with_columns(&kernel, selected.get(), &budget, |columns, stored| {
                Ok((solve_all(columns, stored, &problems, &settings, observer)?, columns.cost()))
            })?;
        let expansion = expand(sorted.order.len(), &problems, &solutions)?;
        let (decision, support, report) =
            expansion.into_model(kernel, (selected.get(), &sorted.order), &solutions, cost)?;
        Ok(SvmClassifier::new(decision, (labels.classes, multi_class), support, report))
    }

    /// The classes and weights of n points, and a check of the settings.
    pub(super) fn prepare<L: Label>(
        &self,
        n: usize,
        labels: &[L],
    ) -> Result<(Encoded<L>, Option<Vec<f64>>), Error> {
        self.settings.check()?;
        let labels = Encoded::new(n, labels)?;
        let weights = self.class_weights.combine(&labels, self.weights.clone())?;
        Ok((labels, weights))
    }
}

/// The functions of all problems on n points.
pub(super) fn expand<T: Scalar>(
    n: usize,
    problems: &[Problem],
    solutions: &[Solution],
) -> Result<Expansion<T>, Error> {
    let mut expansion = Expansion::new(n, problems.len())?;
    for (output, (problem, solution)) in problems.iter().zip(solutions).enumerate() {
        expansion.set(output, problem, solution, solution.certificate.biases[0]);
    }
    Ok(expansion)
}

/// Points, sorted by their classes or not.
pub(super) struct Sorted {
    /// Those of a weight greater than zero.
    pub(super) order: Vec<usize>,
    /// Their weights.
    pub(super) weights: Vec<f64>,
    /// Their classes.
    class_of: Vec<usize>,
    /// Where each class is among them.
    classes: Vec<Vec<Range<usize>>>,
}

impl Sorted {
    /// The points of a weight greater than zero, by their classes.
    pub(super) fn new<L>(labels: &Encoded<L>, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let mut order: Vec<usize> =
            (0..labels.indices.len()).filter(|&i| weight(i) > 0.0).collect();
        order.sort_by_key(|&i| labels.indices[i]);
        Self::in_order(order, labels, weight)
    }

    /// All points in their own order.
    pub(super) fn unsorted<L>(labels: &Encoded<L>, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        Self::in_order((0..labels.indices.len()).collect(), labels, weight)
    }

    /// These points, in this order.
    pub(super) fn ordered<L>(
        order: Vec<usize>,
        labels: &Encoded<L>,
        weights: Option<&[f64]>,
    ) -> Self {
        Self::in_order(order, labels, |i| weights.map_or(1.0, |weights| weights[i]))
    }

    fn in_order<L>(order: Vec<usize>, labels: &Encoded<L>, weight: impl Fn(usize) -> f64) -> Self {
        let class_of: Vec<usize> = order.iter().map(|&i| labels.indices[i]).collect();
        let mut classes = vec![Vec::new(); labels.classes.len()];
        let mut start = 0;
        for run in class_of.chunk_by(|a, b| a == b) {
            classes[run[0]].push(start..start + run.len());
            start += run.len();
        }
        Self { weights: order.iter().map(|&i| weight(i)).collect(), order, class_of, classes }
    }

    /// How large the binary problems are, of which `models` sets are kept.
    pub(super) fn sizes(&self, multi_class: Decomposition, models: usize) -> Sizes {
        let (points, classes) = (self.order.len(), self.classes.len());
        let of_class = |class: &Vec<Range<usize>>| class.iter().map(Range::len).sum::<usize>();
        let mut counts: Vec<usize> = self.classes.iter().map(of_class).collect();
        counts.sort_unstable();
        let (variables, largest, functions) = match (classes, multi_class) {
            (2, _) => (points, points, 1),
            (_, Decomposition::OneVsOne) => {
                let largest = counts.iter().rev().take(2).sum();
                (points * (classes - 1), largest, classes * (classes - 1) / 2)
            }
            _ => (points * classes, points, classes),
        };
        Sizes { points, variables, largest, functions, models }
    }

    /// The binary problems.
    ///
    /// # Errors
    /// [`Error::Range`] if C times a weight overflows.
    pub(super) fn problems(
        &self,
        multi_class: Decomposition,
        c: f64,
        bias: bool,
    ) -> Result<Vec<Problem>, Error> {
        bound(c, self.weights.iter().copied().fold(0.0, f64::max))?;
        let binaries = binaries(self.classes.len(), multi_class);
        Ok(binaries.iter().map(|binary| binary.problem(self, c, bias)).collect())
    }
}

/// A binary problem: the first class or all but the second against the second.
struct Binary {
    first: Option<usize>,
    second: usize,
}

/// The binary problems of so many classes.
fn binaries(classes: usize, multi_class: Decomposition) -> Vec<Binary> {
    match (classes, multi_class) {
        (2, _) => vec![Binary { first: None, second: 1 }],
        (_, Decomposition::OneVsOne) => {
            let pairs = Decomposition::pairs(classes);
            pairs.map(|(a, second)| Binary { first: Some(a), second }).collect()
        }
        _ => (0..classes).map(|second| Binary { first: None, second }).collect(),
    }
}

impl Binary {
    fn problem(&self, sorted: &Sorted, c: f64, bias: bool) -> Problem {
        let segments = match self.first {
            Some(first) => [&*sorted.classes[first], &*sorted.classes[self.second]].concat(),
            None => whole(sorted.order.len()),
        };
        let sign = |row: usize| if sorted.class_of[row] == self.second { 1.0 } else { -1.0 };
        // A weight of zero drops a point even from a hard margin.
        let penalty = |row: usize| match sorted.weights[row] {
            weight if weight > 0.0 => c * weight,
            _ => 0.0,
        };
        let rows: Vec<usize> = segments.iter().cloned().flatten().collect();
        let bounds = || rows.iter().map(|&row| sign(row) * penalty(row));
        Problem {
            linear: rows.iter().map(|&row| sign(row)).collect(),
            lower: bounds().map(|b| b.min(0.0)).collect(),
            upper: bounds().map(|b| b.max(0.0)).collect(),
            start: vec![0.0; rows.len()],
            segments,
            epsilon: 0.0,
            coupling: if bias { Coupling::Sum } else { Coupling::Free },
        }
    }
}

/// Solves all problems: side by side if they are small.
pub(super) fn solve_all<T: Scalar>(
    columns: &dyn Columns<T>,
    stored: bool,
    problems: &[Problem],
    settings: &Settings,
    mut observer: Option<&mut dyn Observer>,
) -> Result<Vec<Solution>, Error> {
    let small = problems.iter().all(|problem| problem.len() <= SIDE_BY_SIDE);
    if stored && small && problems.len() > 1 && observer.is_none() {
        let tasks = problems.iter().collect();
        let solve = |workspace: &mut Workspace<T>, problem: &Problem| {
            let mut control = settings.control(problem.len(), None);
            sequentially(|| solver::solve_in(workspace, columns, problem, &mut control))
        };
        return parallel::map_init(tasks, Workspace::default, solve).into_iter().collect();
    }
    let solve = |problem: &Problem| {
        let observer = observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        let mut control = settings.control(problem.len(), observer);
        solver::solve(columns, problem, &mut control)
    };
    problems.iter().map(solve).collect()
}
