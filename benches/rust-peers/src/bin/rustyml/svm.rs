//! C-SVC by rustyml. Pairs of classes are shared among threads, since a caller can do that.

use crate::array;
use anyhow::{Context, Result};
use kern_core::Samples;
use kern_rust_peers::svm::{Expansion, Params, TwoClasses};
use ndarray_017::{Array1, Array2};
use rayon::prelude::*;
use rustyml::machine_learning::svm::SVC;
use rustyml::machine_learning::types::{Gamma, KernelType};

/// Rounds after which it would stop without having converged: as good as never.
const ROUNDS: usize = 1_000_000;

pub struct Machine(Params);

impl TwoClasses for Machine {
    type Problem = (Array2<f64>, Array1<f64>);
    type Queries = Array2<f64>;
    type Model<'a> = SVC;

    fn new(params: Params) -> Self {
        Self(params)
    }

    fn problem(&self, x: &Samples<f64>, second: &[bool]) -> Result<Self::Problem> {
        let y = second.iter().map(|&second| f64::from(u8::from(second))).collect();
        Ok((array(x)?, y))
    }

    fn queries(&self, x: &Samples<f64>) -> Result<Self::Queries> {
        array(x)
    }

    fn fit<'a>(&'a self, problems: &'a [Self::Problem]) -> Result<Vec<Self::Model<'a>>> {
        let Params { c, gamma, tolerance } = self.0;
        let kernel = KernelType::RBF { gamma: Gamma::Value(gamma) };
        let fit = |(x, y): &Self::Problem| {
            let mut machine = SVC::new(kernel, c, tolerance, ROUNDS)?.with_random_state(0);
            machine.fit(x, y)?;
            Ok(machine)
        };
        problems.par_iter().map(fit).collect()
    }

    fn predict(
        &self,
        models: &[Self::Model<'_>],
        queries: &Self::Queries,
    ) -> Result<Vec<Vec<bool>>> {
        let answers = |model: &SVC| Ok(model.predict(queries)?.iter().map(|&y| y == 1.0).collect());
        models.par_iter().map(answers).collect()
    }

    fn expansion(&self, _: &Self::Problem, model: &Self::Model<'_>) -> Result<Expansion> {
        let parts =
            (model.get_support_vectors(), model.get_alphas(), model.get_support_vector_labels());
        let (Some(points), Some(alphas), Some(signs)) = parts else {
            anyhow::bail!("the machine is not fitted");
        };
        let rows = points.as_slice().context("rows are scattered")?.to_vec();
        let points = Samples::from_row_major(points.ncols(), rows)?;
        Ok((points, alphas.iter().zip(signs).map(|(alpha, sign)| alpha * sign).collect()))
    }
}
