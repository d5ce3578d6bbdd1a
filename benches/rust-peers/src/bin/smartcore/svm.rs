//! C-SVC by smartcore, which is the online algorithm LASVM, with as many epochs as it takes unless told
//! otherwise. Its machines cannot be shared among threads.

use crate::{expansion, failed, matrix};
use anyhow::Result;
use kern_core::Samples;
use kern_rust_peers::svm::{Expansion, Params, TwoClasses};
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::svm::Kernels;
use smartcore::svm::svc::{SVC, SVCParameters};

type Points = DenseMatrix<f64>;

pub struct Machine(SVCParameters<f64, i32, Points, Vec<i32>>);

impl TwoClasses for Machine {
    type Problem = (Points, Vec<i32>);
    type Queries = Points;
    type Model<'a> = SVC<'a, f64, i32, Points, Vec<i32>>;

    fn new(Params { c, gamma, tolerance }: Params) -> Self {
        let kernel = Kernels::rbf().with_gamma(gamma);
        let machine = SVCParameters::default().with_c(c).with_tol(tolerance);
        Self(machine.with_kernel(kernel).with_seed(Some(0)))
    }

    fn problem(&self, x: &Samples<f64>, second: &[bool]) -> Result<Self::Problem> {
        Ok((matrix(x)?, second.iter().map(|&second| i32::from(second)).collect()))
    }

    fn queries(&self, x: &Samples<f64>) -> Result<Self::Queries> {
        matrix(x)
    }

    fn fit<'a>(&'a self, problems: &'a [Self::Problem]) -> Result<Vec<Self::Model<'a>>> {
        problems.iter().map(|(x, y)| SVC::fit(x, y, &self.0).map_err(failed)).collect()
    }

    fn predict(
        &self,
        models: &[Self::Model<'_>],
        queries: &Self::Queries,
    ) -> Result<Vec<Vec<bool>>> {
        let answers = |model: &Self::Model<'_>| {
            let classes = model.predict(queries).map_err(failed)?;
            Ok(classes.iter().map(|&class| class == 1.0).collect())
        };
        models.iter().map(answers).collect()
    }

    fn expansion(&self, _: &Self::Problem, model: &Self::Model<'_>) -> Result<Expansion> {
        expansion(model)
    }
}
