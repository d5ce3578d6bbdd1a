//! Kernel logistic regression: exact, on the whole kernel matrix, within the time limit.

use super::damped_newton::{Newton, Solution};
use super::logistic_loss::{Binary, Likelihood, Softmax};
use super::logistic_regression::{
    Goal, Labelled, LogisticOptions, LogisticSolver, LogisticSpace, one_by_one,
};
use super::newton_step::Solver;
use crate::design::Design;
use crate::model::{KernelExpansion, Link};
use crate::plan::{Algorithm, Count, Effort, Limits, Work, within};
use crate::space::OnKernel;
use crate::{Error, MultiClass, Report, Run};
use kern_core::{Kernel, Mercer, Points, Scalar, compiled_once};
use kern_gram::{DenseGram, MemoryBudget, matrix_bytes, zero_vec, zeros};

/// The typical number of factorisations for a problem.
const FACTORS: f64 = 2.0;
/// The typical number of products with the kernel matrix in the Newton steps of a function.
const PRODUCTS: f64 = 40.0;
/// The typical number of passes over the points on landmarks.
const PASSES: f64 = 200.0;

impl<P: Points, K: Mercer<P> + Clone> LogisticSpace<P> for OnKernel<K> {
    fn link(options: &LogisticOptions) -> Result<Link, Error> {
        match options.multi_class {
            MultiClass::Softmax => Ok(Link::Softmax),
            MultiClass::OneVsRest => Ok(Link::OneVsRest),
            MultiClass::OneVsOne => Err(Error::Unsupported {
                what: "logistic regression of each class against each other",
                instead: "take MultiClass::OneVsRest or MultiClass::Softmax",
            }),
        }
    }

    fn classify(
        &self,
        labelled: &Labelled<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(KernelExpansion<P, K>, Report), Error> {
        let (function, report) = on_kernel(&self.kernel, labelled, run)?;
        Ok((function.with_kernel(self.kernel.clone()).answering(labelled.points)?, report))
    }
}

/// The fit; the caller adds the kernel to the function.
#[compiled_once]
fn on_kernel<P: Points>(
    kernel: &dyn Mercer<P>,
    labelled: &Labelled<'_, P>,
    run: &mut Run<'_>,
) -> Result<(KernelExpansion<P, ()>, Report), Error> {
    let Labelled { options, goal, points, indices, weights, .. } = *labelled;
    let weights = weights.map(<[f64]>::to_vec);
    let design = Design::new(kernel, points, weights, options.intercept)?;
    let (used, outputs, budget) = (design.points().len(), labelled.outputs(), run.budget());
    check_memory::<P::Scalar>(used, outputs, options.solver, &budget)?;
    let limits = (run.predicted_limit(), &budget);
    check_time(limits, &design.kernel, design.points(), outputs, options)?;
    let gram = DenseGram::new(&design.kernel, design.points(), &budget)?;
    let known = Known {
        classes: (0..used).map(|i| indices[design.index(i)]).collect(),
        weights: (0..used).map(|i| design.weight(i)).collect(),
        count: design.count() as f64,
        outputs,
    };
    let mut solver = Solver::new(&gram, known.count * goal.lambda, options.intercept);
    if options.solver == LogisticSolver::GradientDescent {
        solver = solver.descending(known.curvature(options.multi_class));
    }
    let Solution { alpha, intercepts, report } =
        known.learn(solver, options.multi_class, goal, run)?;
    Ok((design.into_model(alpha.as_ref(), intercepts)?.with_kernel(()), report))
}

/// Checks the memory for the kernel matrix, a factor, and the vectors of a Newton step.
fn check_memory<T: Scalar>(
    n: usize,
    outputs: usize,
    solver: LogisticSolver,
    budget: &MemoryBudget,
) -> Result<(), Error> {
    let vectors = matrix_bytes::<T>(n, outputs).saturating_mul(24);
    let matrices = if solver == LogisticSolver::Newton { 2 } else { 1 };
    let needed = matrix_bytes::<T>(n, n).saturating_mul(matrices).saturating_add(vectors);
    let instead = "SGD with the logistic loss and Storage::OnTheFly needs none of it";
    Ok(budget.require("logistic regression with its dense kernel matrix", needed, instead)?)
}

/// Fails if the problem is predicted to exceed the time limit.
fn check_time<P, K>(
    limits: Limits<'_>,
    kernel: &K,
    points: &P,
    functions: usize,
    options: &LogisticOptions,
) -> Result<(), Error>
where
    P: Points,
    K: Kernel<P> + ?Sized,
{
    let (n, functions) = (points.len() as f64, functions as f64);
    // The functions of softmax share their factors.
    let problems = if options.multi_class == MultiClass::Softmax { 1.0 } else { functions };
    let (factors, products) = match options.solver {
        LogisticSolver::Newton => (FACTORS, PRODUCTS),
        LogisticSolver::GradientDescent => (0.0, PRODUCTS.min(options.max_iterations as f64)),
    };
    let parts = vec![
        (Work::KernelValues, Count::values(n * n / 2.0)),
        (Work::Factors, Count::flops(problems * factors * n.powi(3) / 3.0)),
        (Work::Products, Count::numbers(functions * products * n * n)),
    ];
    let exact = Effort::counted(Algorithm::Cholesky, parts);
    let passes = Effort::by_passes(points.len(), functions * PASSES);
    within(limits, kernel, points, &[exact], &[passes])
}

/// The labels and weights of the points with positive weight.
struct Known {
    classes: Vec<usize>,
    weights: Vec<f64>,
    /// n, those of weight zero included.
    count: f64,
    outputs: usize,
}

impl Known {
    fn learn<T: Scalar>(
        self,
        mut solver: Solver<'_, T>,
        multi_class: MultiClass,
        goal: Goal,
        run: &mut Run<'_>,
    ) -> Result<Solution<T>, Error> {
        let count = self.count;
        let mut minimise = |likelihood: &dyn Likelihood<T>, goal, run: &mut Run<'_>| {
            Newton { likelihood, goal, count }.minimise(&mut solver, run)
        };
        match multi_class {
            _ if self.outputs == 1 => minimise(&self.against_the_rest(1), goal, run),
            MultiClass::Softmax => {
                let Self { classes, weights, outputs, .. } = self;
                minimise(&Softmax { classes, weights, outputs }, goal, run)
            }
            _ => {
                let solve = |class, goal, run: &mut Run<'_>| {
                    let Solution { alpha, intercepts, report } =
                        minimise(&self.against_the_rest(class), goal, run)?;
                    Ok(((alpha, intercepts[0]), report))
                };
                let (solutions, report) = one_by_one(self.outputs, goal, run, solve)?;
                let mut alpha = zeros(self.classes.len(), self.outputs)?;
                let mut intercepts = zero_vec(self.outputs)?;
                for (class, (column, intercept)) in solutions.iter().enumerate() {
                    alpha.col_mut(class).copy_from(column.col(0));
                    intercepts[class] = *intercept;
                }
                Ok(Solution { alpha, intercepts, report })
            }
        }
    }

    /// A bound on the second derivatives of a point's loss: ¼ of its weight, or ½ for softmax
    /// (Böhning 1992, *Multinomial Logistic Regression Algorithm*).
    fn curvature(&self, multi_class: MultiClass) -> f64 {
        let several = self.outputs > 1 && multi_class == MultiClass::Softmax;
        let largest = self.weights.iter().copied().fold(0.0, f64::max);
        if several { 0.5 * largest } else { 0.25 * largest }
    }

    fn against_the_rest<T: Scalar>(&self, positive: usize) -> Binary<T> {
        let sign = |&class: &usize| if class == positive { T::ONE } else { -T::ONE };
        Binary { signs: self.classes.iter().map(sign).collect(), weights: self.weights.clone() }
    }
}
