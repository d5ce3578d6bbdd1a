//! Bound-constrained minimisation by L-BFGS-B.

use crate::{Error, Status};
use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, ConstraintSolveError, Constraints,
    CostFunction, Executor, FirstOrderState, Gradient, Lbfgs, State, StepOutcome, Termination,
};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// A function that returns its value and gradient.
pub(crate) type Function<'f> = dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>), Error> + 'f;

/// The stopping rules of a search.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// The relative decrease below which the objective counts as constant.
    pub(crate) decrease: f64,
    /// The gradient below which a point counts as stationary.
    pub(crate) slope: f64,
    pub(crate) max_iterations: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct Minimum {
    pub(crate) at: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) iterations: usize,
    pub(crate) status: Status,
}

/// A function with bounds, in the interface of the optimisation crate.
struct Boxed<'f> {
    inner: RefCell<Inner<'f>>,
    bounds: ConstraintSet<BoxBounds<Vec<f64>>>,
}

struct Inner<'f> {
    function: &'f mut Function<'f>,
    /// The largest finite value so far, used where the function is undefined.
    largest: Option<f64>,
}

impl Boxed<'_> {
    /// The value and the gradient. Where the function is undefined after the start, its value
    /// exceeds all others and its gradient is zero, so that the line search turns back.
    fn at(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Error> {
        let mut inner = self.inner.borrow_mut();
        match ((inner.function)(x), inner.largest) {
            (Ok((value, gradient)), largest) => {
                inner.largest = Some(largest.map_or(value, |largest| largest.max(value)));
                Ok((value, gradient))
            }
            (Err(error), Some(largest)) if is_of_values(&error) => {
                Ok((largest + 1.0 + largest.abs(), vec![0.0; x.len()]))
            }
            (Err(error), _) => Err(error),
        }
    }
}

/// Distinguishes errors at particular parameters from errors at all of them.
pub(crate) fn is_of_values(error: &Error) -> bool {
    use kern_gram::Error as E;
    matches!(
        error,
        Error::NotPositiveDefinite { .. }
            | Error::Range { .. }
            | Error::Gram(E::NotFinite { .. } | E::ProductNotFinite { .. })
    )
}

impl CostFunction for Boxed<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Error;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.at(x)?.0)
    }
}

impl Gradient for Boxed<'_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.at(x)?.1)
    }

    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Error> {
        self.at(x)
    }
}

impl Constraints for Boxed<'_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        self.bounds.borrowed()
    }
}

/// Minimises a function from a starting point, within these bounds.
///
/// # Errors
/// Those of the function at the starting point, and those that are not [of its
/// values](is_of_values).
pub(crate) fn minimise<'f>(
    start: Vec<f64>,
    lower: &[f64],
    upper: &[f64],
    rules: Rules,
    function: &'f mut Function<'f>,
    observe: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<Minimum, Error> {
    let bounds = BoxBounds::new(Some(lower.to_vec()), Some(upper.to_vec()));
    let bounds = ConstraintSet::new().with_bounds(bounds);
    let boxed = Boxed { inner: RefCell::new(Inner { function, largest: None }), bounds };
    let solver = Lbfgs::new()
        .with_absolute_projected_gradient_tolerance(rules.slope)
        .with_relative_cost_reduction_tolerance(rules.decrease);
    let search = Executor::new(boxed, solver, FirstOrderState::new(start));
    let mut search = search.max_iter(rules.max_iterations as u64).into_stepper().map_err(ours)?;
    let mut flow = observe(0, search.state().cost());
    let status = loop {
        if flow.is_break() {
            break Status::Stopped;
        }
        if let StepOutcome::Stopped(report) = search.step().map_err(ours)? {
            break match report.termination {
                Termination::Converged(_) => Status::Converged,
                Termination::Limit(_) => Status::IterationsDone,
                _ => Status::Stalled,
            };
        }
        flow = observe(search.iter() as usize, search.state().cost());
    };
    let state = search.state();
    let iterations = state.iter() as usize;
    Ok(Minimum { at: state.param().clone(), value: state.cost(), iterations, status })
}

fn ours(error: ConstraintSolveError<Error>) -> Error {
    match error {
        ConstraintSolveError::Evaluation(error) => error,
        _ => Error::Unsupported {
            what: "a search between these bounds",
            instead: "set a lower bound that is less than the upper one",
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const RULES: Rules = Rules { decrease: 1e-14, slope: 1e-5, max_iterations: 100 };

    fn rosenbrock(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
    }

    fn found(start: [f64; 2], upper: f64, wall: f64) -> Minimum {
        let mut function = |x: &[f64]| {
            if x[1] > wall {
                return Err(Error::NotPositiveDefinite { shift: 1.0, pivot: 0 });
            }
            Ok(rosenbrock(x))
        };
        let mut go = |_: usize, _: f64| ControlFlow::Continue(());
        let bounds = ([-5.0; 2], [upper; 2]);
        minimise(start.to_vec(), &bounds.0, &bounds.1, RULES, &mut function, &mut go).unwrap()
    }

    #[test]
    fn minima_inside_and_at_a_bound_are_found() {
        let inside = found([-1.2, 1.0], 5.0, f64::INFINITY);
        assert_eq!(inside.status, Status::Converged);
        assert!(inside.at.iter().all(|x| (x - 1.0).abs() < 1e-5), "{inside:?}");
        let at_bound = found([-1.2, 0.4], 0.5, f64::INFINITY);
        // The minimum of (1 − x)² + 100(y − x²)² with both ≤ ½.
        assert!((at_bound.at[0] - 0.5).abs() < 1e-6 && (at_bound.at[1] - 0.25).abs() < 1e-5);
    }

    #[test]
    fn a_search_turns_back_where_there_is_no_value() {
        let turned = found([-1.2, 1.0], 5.0, 1.5);
        assert!(turned.at.iter().all(|x| (x - 1.0).abs() < 1e-4), "{turned:?}");
    }

    #[test]
    fn a_search_is_stopped() {
        let mut function = |x: &[f64]| Ok(rosenbrock(x));
        let mut stop = |iteration: usize, _: f64| match iteration {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let bounds = ([-5.0; 2], [5.0; 2]);
        let start = vec![-1.2, 1.0];
        let end = minimise(start, &bounds.0, &bounds.1, RULES, &mut function, &mut stop).unwrap();
        assert_eq!((end.status, end.iterations), (Status::Stopped, 2));
        assert!(end.value < rosenbrock(&[-1.2, 1.0]).0);
    }
}
