//! From solutions to a model.

use super::SvmReport;
use super::problem::Problem;
use super::solver::Solution;
use crate::Error;
use crate::model::KernelModel;
use crate::weights::check_weights;
use faer::{ColRef, Mat};
use kern_core::{Kernel, Points, Scalar};
use kern_gram::zeros;

/// A model, the indices of its support vectors, and the report.
pub(super) type Learned<P, K> = (KernelModel<P, K>, Vec<usize>, SvmReport);

/// The coefficients and biases of the functions of a model, of which there is one per column.
pub(super) struct Expansion<T: Scalar> {
    coefficients: Mat<T>,
    biases: Vec<T>,
    bounded: usize,
}

impl<T: Scalar> Expansion<T> {
    /// Of n points.
    pub(super) fn new(n: usize, outputs: usize) -> Result<Self, Error> {
        let biases = vec![T::ZERO; outputs];
        Ok(Self { coefficients: zeros(n, outputs)?, biases, bounded: 0 })
    }

    /// Column `output` becomes a solution.
    pub(super) fn set(&mut self, output: usize, problem: &Problem, solution: &Solution, bias: f64) {
        let column = self.coefficients.col_as_slice_mut(output);
        for (v, row) in problem.segments.iter().cloned().flatten().enumerate() {
            let beta = solution.beta[v];
            // A point may have two variables, of which one is zero.
            column[row] += T::from_f64(beta);
            let at_bound = beta <= problem.lower[v] || beta >= problem.upper[v];
            self.bounded += usize::from(at_bound && beta != 0.0);
        }
        self.biases[output] = T::from_f64(bias);
    }

    /// Column `output` and its bias times `factor`.
    pub(super) fn scale(&mut self, output: usize, factor: f64) {
        let column = self.coefficients.col_as_slice_mut(output).iter_mut();
        column.for_each(|a| *a = T::from_f64(a.to_f64() * factor));
        self.biases[output] = T::from_f64(self.biases[output].to_f64() * factor);
    }

    /// Nothing overflowed in the type of the points.
    pub(super) fn check(&self) -> Result<(), Error> {
        let coefficients = self.coefficients.col_iter().flat_map(ColRef::iter);
        let named = coefficients.map(|&a| ("a coefficient", a));
        let biases = self.biases.iter().map(|&b| ("a bias", b));
        let given = |(what, a): (&'static str, T)| (what, a.to_f64());
        let mut numbers = named.chain(biases).map(given);
        match numbers.find(|(_, given)| !given.is_finite()) {
            Some((what, given)) => Err(Error::Range { what, given }),
            None => Ok(()),
        }
    }

    /// Coefficients, biases, and how many coefficients are at a bound.
    pub(super) fn into_parts(self) -> (Mat<T>, Vec<T>, usize) {
        (self.coefficients, self.biases, self.bounded)
    }

    /// The model on these points, with the indices that its support vectors have among all, and the report.
    pub(super) fn into_model<P: Points<Scalar = T>, K: Kernel<P>>(
        self,
        kernel: K,
        (points, order): (&P, &[usize]),
        solutions: &[Solution],
        cost: (u64, u64),
    ) -> Result<Learned<P, K>, Error> {
        self.check()?;
        let used = |i: &usize| self.coefficients.row(*i).iter().any(|&a| a != T::ZERO);
        let support = (0..order.len()).filter(used).map(|i| order[i]).collect();
        let model = KernelModel::new(kernel, points, self.coefficients.as_ref())?;
        let report = SvmReport::new(solutions, self.bounded, cost);
        Ok((model.with_intercepts(self.biases), support, report))
    }
}

/// The points with a weight greater than zero, in order.
pub(super) fn used(n: usize, weights: Option<&[f64]>) -> Result<Vec<usize>, Error> {
    if n == 0 {
        return Err(Error::Empty);
    }
    let Some(weights) = weights else {
        return Ok((0..n).collect());
    };
    check_weights(n, weights)?;
    Ok((0..n).filter(|&i| weights[i] > 0.0).collect())
}
