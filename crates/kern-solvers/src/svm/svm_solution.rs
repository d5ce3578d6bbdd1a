//! A solution of the dual problem, and its conversion to a function and a report.

use super::dual_problem::{Dual, bounded, round_into};
use super::svm_certificate::Certificate;
use crate::model::KernelExpansion;
use crate::report::SvmDetails;
use crate::{Details, Error, Report, Status};
use faer::{ColRef, Mat};
use kern_core::{Points, Scalar};
use kern_gram::zeros;

/// A solution with its certificate.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) beta: Vec<f64>,
    pub(super) certificate: Certificate,
    pub(super) status: Status,
    pub(super) steps: usize,
    pub(super) rounds: usize,
}

/// The solutions of all problems on the same points: coefficients, intercepts and a report.
pub(super) struct Fitted<T: Scalar> {
    coefficients: Mat<T>,
    intercepts: Vec<T>,
    report: Report,
}

impl<T: Scalar> Fitted<T> {
    /// Rounds the solutions for n points to the scalar type T.
    ///
    /// # Errors
    /// [`Error::Range`] if a value overflows in the scalar type of the points.
    pub(super) fn new(n: usize, problems: &[Dual], solutions: &[Solution]) -> Result<Self, Error> {
        let mut coefficients = zeros(n, problems.len())?;
        for (output, (problem, solution)) in problems.iter().zip(solutions).enumerate() {
            let factor = solution.certificate.factor;
            round_into(problem, &solution.beta, factor, coefficients.col_as_slice_mut(output));
        }
        let intercepts = solutions.iter().map(|s| T::from_f64(s.certificate.intercept)).collect();
        let each = problems.iter().zip(solutions);
        let bounded = each.map(|(problem, solution)| bounded(problem, &solution.beta)).sum();
        let details = SvmDetails { bounded, ..details(solutions) };
        let report = report(solutions, details);
        let fitted = Self { coefficients, intercepts, report };
        fitted.check()?;
        Ok(fitted)
    }

    /// Fails if a value overflowed in the scalar type of the points.
    fn check(&self) -> Result<(), Error> {
        let coefficients = self.coefficients.col_iter().flat_map(ColRef::iter);
        let named = coefficients.map(|&a| ("a coefficient", a));
        let intercepts = self.intercepts.iter().map(|&b| ("an intercept", b));
        let given = |(what, a): (&'static str, T)| (what, a.to_f64());
        let mut numbers = named.chain(intercepts).map(given);
        match numbers.find(|(_, given)| !given.is_finite()) {
            Some((what, given)) => Err(Error::Range { what, given }),
            None => Ok(()),
        }
    }

    /// The function on these points, with indices `order` among all points, and the report.
    pub(super) fn into_function<P: Points<Scalar = T>>(
        self,
        points: &P,
        order: &[usize],
    ) -> Result<(KernelExpansion<P, ()>, Report), Error> {
        let Self { coefficients, intercepts, mut report } = self;
        let used = |i: &usize| coefficients.row(*i).iter().any(|&a| a != T::ZERO);
        if let Details::Svm(details) = &mut report.details {
            details.support = (0..order.len()).filter(used).map(|i| order[i]).collect();
        }
        let function = KernelExpansion::new((), points, coefficients.as_ref())?;
        Ok((function.with_intercepts(intercepts), report))
    }
}

/// The details that follow from the solutions alone.
pub(super) fn details(solutions: &[Solution]) -> SvmDetails {
    SvmDetails {
        dual: solutions.iter().map(|s| s.certificate.dual).sum(),
        violation: solutions.iter().map(|s| s.certificate.violation).fold(0.0, f64::max),
        rounding_error: solutions.iter().map(|s| s.certificate.rounding_error).fold(0.0, f64::max),
        rounds: solutions.iter().map(|s| s.rounds).sum(),
        widths: solutions.iter().filter_map(|s| s.certificate.width).collect(),
        ..SvmDetails::default()
    }
}

/// The report on all problems: sums, and the joint status.
pub(super) fn report(solutions: &[Solution], details: SvmDetails) -> Report {
    let gap: f64 = solutions.iter().map(|s| s.certificate.gap).sum();
    Report {
        status: Status::joined(solutions.iter().map(|s| s.status)),
        iterations: solutions.iter().map(|s| s.steps).sum(),
        objective: solutions.iter().map(|s| s.certificate.primal).sum(),
        gap: gap.is_finite().then_some(gap),
        details: Details::Svm(details),
    }
}
