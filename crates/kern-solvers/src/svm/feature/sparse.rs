//! Machines on sparse features as they are: the linear dual collapses to w, and a visit costs what the point stores.

use super::super::fit::{SvmSpace, Training};
use super::blocks::Blocks;
use super::expand::{conclude, weights};
use super::fit::{Arrangement, arrange};
use super::solve::solve;
use crate::model::SparseExpansion;
use crate::space::OnSparse;
use crate::{Error, Report, Run};
use kern_core::{Points, SparseTransform};
use kern_gram::{MemoryBudget, matrix_bytes};

impl<P: Points, M: SparseTransform<P> + Clone> SvmSpace<P> for OnSparse<M> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(SparseExpansion<M, P::Scalar>, Report), Error> {
        let rows = self.map.rows(training.points)?;
        let Arrangement { arranged, tasks } = arrange(training)?;
        // Of the machines, rounded, and of the model.
        let needed = matrix_bytes::<f64>(rows.dim(), tasks.len().saturating_mul(3));
        let budget = run.budget();
        budget.require("weights of sparse features", needed, "use fewer features")?;
        let rest = MemoryBudget::bytes(budget.as_bytes() - needed);
        let mut blocks = Blocks::given(&rows, &arranged.order, &rest);
        let solved = solve(&mut blocks, tasks, training.stopping, run.watcher())?;
        let weights = weights(&solved, rows.dim())?;
        let (intercepts, report) = conclude(solved, (rows.len(), &arranged));
        Ok((SparseExpansion::new(self.map.clone(), weights, intercepts), report))
    }
}
