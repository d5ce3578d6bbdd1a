//! SGD on the coefficients of a kernel expansion.

use super::engine::{Outcome, Problem, sum_of_products};
use super::fit::{Learned, Space};
use super::iterate::{Iterate, block_size};
use super::params::{Settings, Storage};
use crate::model::KernelModel;
use crate::{Error, Observer};
use faer::Mat;
use kern_core::{Mercer, Points, Scalar};
use kern_gram::{DenseGram, GramOperator, LazyGram, zeros};

/// u-space: the iterate is w = Σᵢ uᵢφ(xᵢ), stored as u. Made by [`Sgd::on_kernel`](super::Sgd::on_kernel).
#[derive(Clone, Debug, PartialEq)]
pub struct OnKernel<K> {
    pub(super) kernel: K,
}

impl<T, P, K> Space<P> for OnKernel<K>
where
    T: Scalar,
    P: Points<Scalar = T>,
    K: Mercer<P>,
{
    type Model = KernelModel<P, K>;

    fn learn(
        self,
        points: &P,
        problem: &Problem<'_, T>,
        settings: &Settings,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Learned<Self::Model>, Error> {
        let (u, outcome, objective) = match settings.storage {
            Storage::Cached => {
                let gram = DenseGram::new(&self.kernel, points, &settings.budget())?;
                run(&gram, problem, observer)?
            }
            Storage::OnTheFly => {
                let gram = LazyGram::new(&self.kernel, points)?;
                run(&gram, problem, observer)?
            }
        };
        let model = KernelModel::new(self.kernel, points, u.as_ref())?;
        Ok(Learned { model, outcome, objective })
    }
}

/// Coefficients, outcome and objective.
fn run<T: Scalar>(
    gram: &dyn GramOperator<T>,
    problem: &Problem<'_, T>,
    observer: Option<&mut dyn Observer>,
) -> Result<(Mat<T>, Outcome, f64), Error> {
    let mut iterate = Coefficients::new(gram, problem.outputs())?;
    let outcome = problem.run(&mut iterate, observer)?;
    let u = iterate.u;
    let fitted = gram.apply(u.as_ref())?;
    let squared_norm = sum_of_products(u.as_ref(), fitted.as_ref());
    let objective = problem.objective(fitted.as_ref(), squared_norm);
    Ok((u, outcome, objective))
}

struct Coefficients<'a, T: Scalar> {
    gram: &'a dyn GramOperator<T>,
    u: Mat<T>,
    upcoming: Vec<usize>,
    /// Kernel values of the upcoming samples, n × block, if the operator does not store them.
    columns: Mat<T>,
}

impl<'a, T: Scalar> Coefficients<'a, T> {
    fn new(gram: &'a dyn GramOperator<T>, outputs: usize) -> Result<Self, Error> {
        let n = gram.size();
        let stored = gram.stored_column(0).is_some();
        let width = if stored { 0 } else { block_size(n, size_of::<T>()) };
        let (u, columns) = (zeros(n, outputs)?, zeros(n, width)?);
        Ok(Self { gram, u, upcoming: Vec::new(), columns })
    }

    /// The kernel values of upcoming sample `b` with all samples.
    fn column(&self, b: usize) -> &[T] {
        match self.gram.stored_column(self.upcoming[b]) {
            Some(column) => column,
            None => self.columns.col_as_slice(b),
        }
    }
}

impl<T: Scalar> Iterate for Coefficients<'_, T> {
    fn lookahead(&self) -> usize {
        block_size(self.gram.size(), size_of::<T>())
    }

    fn prepare(&mut self, upcoming: &[usize]) -> Result<(), Error> {
        self.upcoming.clear();
        self.upcoming.extend_from_slice(upcoming);
        if self.columns.ncols() > 0 {
            let out = self.columns.subcols_mut(0, upcoming.len());
            self.gram.columns_into(upcoming, out)?;
        }
        Ok(())
    }

    fn predict(&self, b: usize, out: &mut [f64]) {
        let column = self.column(b);
        for (output, value) in out.iter_mut().enumerate() {
            *value = T::dot(column, self.u.col_as_slice(output)).to_f64();
        }
    }

    fn step(&mut self, b: usize, delta: &[f64]) {
        let i = self.upcoming[b];
        for (output, &d) in delta.iter().enumerate() {
            self.u[(i, output)] += T::from_f64(d);
        }
    }

    fn scale(&mut self, factor: f64) {
        self.u *= faer::Scale(T::from_f64(factor));
    }
}
