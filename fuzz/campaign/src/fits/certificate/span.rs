//! A function and its values at the points of the fit, in twice the digits.

use super::exact::{Exact, Value, quad};
use super::{Expansion, Given};
use kern_core::{Points, Samples, Scalar};
use qd::Quad;

/// Equal points, which a function cannot tell apart.
#[derive(Debug)]
pub(super) struct Group {
    /// The points.
    pub(super) members: Vec<usize>,
    /// The sum of their coefficients, and of the absolute values of these.
    pub(super) coefficient: Quad,
    absolute: f64,
    /// The value of the function without its intercept.
    pub(super) value: Quad,
    /// A bound on the rounding of that value in the precision of the points.
    pub(super) error: f64,
}

/// A function in the span of the points.
#[derive(Debug)]
pub(super) struct Span {
    pub(super) groups: Vec<Group>,
    /// The points of the support vectors, in the order of these; none if the report does not name them.
    pub(super) support: Vec<usize>,
    /// Their coefficients.
    pub(super) coefficients: Vec<f64>,
    kernel: Vec<Vec<Value>>,
    /// The relative rounding of a sum of products with kernel values.
    unit: f64,
}

fn row<T: Scalar>(points: &Samples<T>, i: usize) -> Vec<f64> {
    points.item(i).iter().map(|x| x.to_f64()).collect()
}

impl Span {
    /// None if a support vector is no point of the fit.
    pub(super) fn new<T: Scalar>(
        given: &Given<'_, T>,
        function: &Expansion<T>,
        kernel: Exact,
    ) -> Option<Self> {
        let x = &given.problem.x;
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        for i in 0..x.len() {
            let own = row(x, i);
            match rows.iter().position(|row| *row == own) {
                Some(group) => groups[group].members.push(i),
                None => {
                    rows.push(own);
                    groups.push(Group::of(i));
                }
            }
        }
        let support = function.points();
        let coefficients: Vec<f64> =
            (0..support.len()).map(|j| function.coefficients()[(j, 0)].to_f64()).collect();
        for (j, &coefficient) in coefficients.iter().enumerate() {
            let own = row(support, j);
            let group = &mut groups[rows.iter().position(|row| *row == own)?];
            group.coefficient += quad(coefficient);
            group.absolute += coefficient.abs();
        }
        let u = T::UNIT_ROUNDOFF;
        let value = |a: &[f64], b: &[f64]| match function.is_by_differences() {
            true => kernel.apart(a, b, u),
            false => kernel.value(a, b, u),
        };
        let of = |a: &Vec<f64>| rows.iter().map(|b| value(a, b)).collect();
        let named = given.report.svm().map_or_else(Vec::new, |svm| svm.support.clone());
        let named = if named.len() == coefficients.len() { named } else { Vec::new() };
        let kernel = rows.iter().map(of).collect();
        let unit = (coefficients.len() as f64 + 8.0) * u;
        let mut span = Self { groups, support: named, coefficients, kernel, unit };
        span.evaluate();
        Some(span)
    }

    fn evaluate(&mut self) {
        for a in 0..self.groups.len() {
            let (mut value, mut error) = (quad(0.0), 0.0);
            for (group, k) in self.groups.iter().zip(&self.kernel[a]) {
                value += group.coefficient * k.exact;
                error += group.absolute * (k.error + self.unit * k.exact.0.abs());
            }
            (self.groups[a].value, self.groups[a].error) = (value, error);
        }
    }

    /// False if something is beyond the range of numbers: then nothing is known.
    pub(super) fn is_finite(&self) -> bool {
        let values = self.kernel.iter().flatten().all(|k| (k.exact.0 + k.error).is_finite());
        values && self.groups.iter().all(|group| (group.value.0 + group.error).is_finite())
    }

    /// vᵀKw for numbers of each group.
    pub(super) fn product(&self, v: &[Quad], w: &[Quad]) -> Quad {
        let rows = v.iter().zip(&self.kernel);
        rows.fold(quad(0.0), |sum, (v, row)| {
            let inner = row.iter().zip(w).fold(quad(0.0), |sum, (k, w)| sum + k.exact * *w);
            sum + *v * inner
        })
    }

    /// A bound on the rounding of vᵀKv.
    pub(super) fn product_error(&self, v: &[Quad]) -> f64 {
        let mut error = 0.0;
        for (a, row) in v.iter().zip(&self.kernel) {
            for (k, b) in row.iter().zip(v) {
                error += (a.0 * b.0).abs() * (k.error + 2.0 * self.unit * k.exact.0.abs());
            }
        }
        error
    }

    /// ‖v‖ ≤ Σ|v|√K(x, x) in the feature space.
    pub(super) fn norm_bound(&self, v: &[f64]) -> f64 {
        let terms = v.iter().enumerate();
        terms.map(|(a, v)| v.abs() * self.kernel[a][a].exact.0.max(0.0).sqrt()).sum()
    }

    /// ‖f‖² without the intercept.
    pub(super) fn energy(&self) -> Quad {
        let terms = self.groups.iter().map(|group| group.coefficient * group.value);
        terms.fold(quad(0.0), |sum, term| sum + term)
    }

    /// The greatest kernel value.
    pub(super) fn largest(&self) -> f64 {
        self.kernel.iter().flatten().map(|k| k.exact.0.abs()).fold(0.0, f64::max)
    }

    /// The group of a point.
    pub(super) fn group(&self, i: usize) -> usize {
        self.groups.iter().position(|group| group.members.contains(&i)).unwrap_or(0)
    }
}

impl Group {
    fn of(point: usize) -> Self {
        let (coefficient, value) = (quad(0.0), quad(0.0));
        Self { members: vec![point], coefficient, absolute: 0.0, value, error: 0.0 }
    }
}
