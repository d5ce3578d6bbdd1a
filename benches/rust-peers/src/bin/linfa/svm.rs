//! C-SVC by linfa-svm. It runs on one thread; pairs of classes and queries are shared among threads,
//! since a caller can do that.

use crate::array;
use anyhow::Result;
use kern_core::Samples;
use kern_rust_peers::svm::{Expansion, Params, TwoClasses};
use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_svm::Svm;
use ndarray_016::{Array1, Array2, Ix1};
use rayon::prelude::*;

pub struct Svc(Params);

impl TwoClasses for Svc {
    type Problem = Dataset<f64, bool, Ix1>;
    type Queries = Array2<f64>;
    type Model<'a> = Svm<f64, bool>;

    fn new(params: Params) -> Self {
        Self(params)
    }

    fn problem(&self, x: &Samples<f64>, second: &[bool]) -> Result<Self::Problem> {
        Ok(Dataset::new(array(x)?, Array1::from(second.to_vec())))
    }

    fn queries(&self, x: &Samples<f64>) -> Result<Self::Queries> {
        array(x)
    }

    fn fit<'a>(&'a self, problems: &'a [Self::Problem]) -> Result<Vec<Self::Model<'a>>> {
        let Params { c, gamma, tolerance } = self.0;
        let machine = Svm::<f64, bool>::params().pos_neg_weights(c, c).eps(tolerance);
        // linfa's exp(−‖x − y‖²/ε).
        let machine = machine.gaussian_kernel(1.0 / gamma);
        problems.par_iter().map(|problem| Ok(machine.fit(problem)?)).collect()
    }

    fn predict(
        &self,
        models: &[Self::Model<'_>],
        queries: &Self::Queries,
    ) -> Result<Vec<Vec<bool>>> {
        let answers = |model: &Svm<f64, bool>| {
            let rows = (0..queries.nrows()).into_par_iter();
            rows.map(|row| model.predict(queries.row(row))).collect()
        };
        Ok(models.iter().map(answers).collect())
    }

    fn expansion(&self, problem: &Self::Problem, model: &Self::Model<'_>) -> Result<Expansion> {
        let support = |&i: &usize| model.alpha[i] != 0.0;
        let support: Vec<usize> = (0..model.alpha.len()).filter(support).collect();
        let rows = support.iter().flat_map(|&i| problem.records().row(i).to_vec()).collect();
        let points = Samples::from_row_major(problem.records().ncols(), rows)?;
        Ok((points, support.iter().map(|&i| model.alpha[i]).collect()))
    }
}
