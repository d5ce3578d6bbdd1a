//! The fit of support vector classification.

use super::columns::Columns;
use super::expansion::Expansion;
use super::matrix::with_columns;
use super::params::Svc;
use super::problem::{Coupling, Problem};
use super::settings::{Settings, check_penalty};
use super::solver::{self, Solution, WHOLE};
use super::{Decomposition, SvmClassifier};
use crate::labels::Encoded;
use crate::{Error, Label, Observer};
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{parallel, sequentially};
use std::ops::Range;

/// Problems of up to so many points are solved side by side, a thread each; larger ones one after the other, by
/// all threads.
const SIDE_BY_SIDE: usize = 4 * WHOLE;

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
        self.run(points, labels, None)
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
        self.run(points, labels, Some(observer))
    }

    fn run<P, L>(
        self,
        points: &P,
        labels: &[L],
        observer: Option<&mut dyn Observer>,
    ) -> Result<SvmClassifier<P, K, L>, Error>
    where
        P: Points,
        K: Mercer<P>,
        L: Label,
    {
        let Self { kernel, c, settings, weights, class_weights, multi_class } = self;
        check_penalty(c)?;
        settings.check()?;
        let labels = Encoded::new(points.len(), labels)?;
        let weights = class_weights.combine(&labels, weights)?;
        let sorted = Sorted::new(&labels, weights.as_deref());
        let selected = points.select(&sorted.order)?;
        let make = |problem: &Binary| problem.problem(&sorted, c, settings.bias);
        let problems: Vec<Problem> =
            binaries(sorted.classes.len(), multi_class).iter().map(make).collect();
        let budget = settings.budget.unwrap_or_default();
        let (solutions, cost) = with_columns(&kernel, &selected, &budget, |columns, stored| {
            Ok((solve_all(columns, stored, &problems, &settings, observer)?, columns.cost()))
        })?;
        let mut expansion = Expansion::new(sorted.order.len(), problems.len())?;
        for (output, (problem, solution)) in problems.iter().zip(&solutions).enumerate() {
            expansion.set(output, problem, solution, solution.certificate.biases[0]);
        }
        let (decision, support, report) =
            expansion.into_model(kernel, (&selected, &sorted.order), &solutions, cost)?;
        Ok(SvmClassifier::new(decision, (labels.classes, multi_class), support, report))
    }
}

/// Points in the order of their classes.
pub(super) struct Sorted {
    /// Those of a weight greater than zero.
    pub(super) order: Vec<usize>,
    /// Where each class is among them.
    pub(super) classes: Vec<Range<usize>>,
    /// Their weights.
    pub(super) weights: Vec<f64>,
}

impl Sorted {
    pub(super) fn new<L>(labels: &Encoded<L>, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let mut order: Vec<usize> =
            (0..labels.indices.len()).filter(|&i| weight(i) > 0.0).collect();
        order.sort_by_key(|&i| labels.indices[i]);
        let start = |class| order.partition_point(|&i| labels.indices[i] < class);
        let classes = (0..labels.classes.len()).map(|c| start(c)..start(c + 1)).collect();
        let weights = order.iter().map(|&i| weight(i)).collect();
        Self { order, classes, weights }
    }
}

/// A binary problem: the first class or all but the second against the second.
pub(super) struct Binary {
    first: Option<usize>,
    second: usize,
}

/// The binary problems of so many classes.
pub(super) fn binaries(classes: usize, multi_class: Decomposition) -> Vec<Binary> {
    if classes == 2 || multi_class == Decomposition::OneVsOne {
        let pairs = Decomposition::pairs(classes);
        return pairs.map(|(a, second)| Binary { first: Some(a), second }).collect();
    }
    (0..classes).map(|second| Binary { first: None, second }).collect()
}

impl Binary {
    /// The rows of its points, and their signs.
    pub(super) fn signs(&self, sorted: &Sorted) -> (Vec<Range<usize>>, Vec<f64>) {
        let second = sorted.classes[self.second].clone();
        let segments = match self.first {
            Some(first) => vec![sorted.classes[first].clone(), second.clone()],
            None => vec![0..sorted.order.len()],
        };
        let sign = |row: usize| if second.contains(&row) { 1.0 } else { -1.0 };
        let signs = segments.iter().cloned().flatten().map(sign).collect();
        (segments, signs)
    }

    fn problem(&self, sorted: &Sorted, c: f64, bias: bool) -> Problem {
        let (segments, linear) = self.signs(sorted);
        let rows = segments.iter().cloned().flatten();
        let bounds: Vec<f64> =
            rows.zip(&linear).map(|(row, sign)| sign * c * sorted.weights[row]).collect();
        Problem {
            segments,
            lower: bounds.iter().map(|b| b.min(0.0)).collect(),
            upper: bounds.iter().map(|b| b.max(0.0)).collect(),
            start: vec![0.0; linear.len()],
            linear,
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
        let solve = |(): &mut (), problem: &Problem| {
            let mut control = settings.control(problem.len(), None);
            sequentially(|| solver::solve(columns, problem, &mut control))
        };
        return parallel::map_init(tasks, || (), solve).into_iter().collect();
    }
    let solve = |problem: &Problem| {
        let observer = observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        let mut control = settings.control(problem.len(), observer);
        solver::solve(columns, problem, &mut control)
    };
    problems.iter().map(solve).collect()
}
