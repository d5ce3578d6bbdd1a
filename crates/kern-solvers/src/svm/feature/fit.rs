//! Machines on features: dual coordinate descent.

use super::super::arranged::Arranged;
use super::super::fit::{SvmSpace, Training};
use super::blocks::Blocks;
use super::dual::FeatureDual;
use super::expand::{conclude, renumbered, weights};
use super::solve::{Solved, solve};
use crate::model::FeatureExpansion;
use crate::space::OnFeatures;
use crate::{Error, Report, Run};
use kern_approx::statistics::fill;
use kern_core::{FeatureMap, Points};
use kern_gram::MemoryBudget;

impl<P: Points, M: FeatureMap<P> + Clone> SvmSpace<P> for OnFeatures<M> {
    fn train(
        &self,
        training: &Training<'_, P>,
        run: &mut Run<'_>,
    ) -> Result<(FeatureExpansion<M, P::Scalar>, Report), Error> {
        let budget = run.budget();
        let (arranged, solved) = descend(&self.map, training, &budget, run)?;
        let weights = weights(&solved, self.map.dim())?;
        let (intercepts, report) = conclude(solved, (training.points.len(), &arranged));
        Ok((FeatureExpansion::new(self.map.clone(), weights).with_intercepts(intercepts), report))
    }
}

/// The solutions of all problems on the features of a map, and the order of the points.
pub(in crate::svm) fn descend<P: Points, M: FeatureMap<P>>(
    map: &M,
    training: &Training<'_, P>,
    budget: &MemoryBudget,
    run: &mut Run<'_>,
) -> Result<(Arranged, Vec<Solved>), Error> {
    map.check(training.points)?;
    let Arrangement { arranged, selected, tasks } = arrange(training, training.points)?;
    let solved = {
        let fill = |range, out: faer::MatMut<'_, P::Scalar>| Ok(fill(map, &selected, range, out)?);
        let mut blocks = Blocks::new(&fill, (map.dim(), selected.len()), budget)?;
        solve(&mut blocks, tasks, training.stopping, run.watcher())
            .map_err(|error| renumbered(error, &arranged.order))?
    };
    Ok((arranged, solved))
}

/// Points in a random order, and the problems on them.
pub(super) struct Arrangement<P> {
    pub(super) arranged: Arranged,
    pub(super) selected: P,
    pub(super) tasks: Vec<FeatureDual>,
}

/// The same points, or their features, in a random order.
pub(super) fn arrange<P: Points, Q: Points>(
    training: &Training<'_, P>,
    points: &Q,
) -> Result<Arrangement<Q>, Error> {
    let Training { weights, goal, stopping, .. } = *training;
    goal.check_features(stopping.squared)?;
    let arranged = Arranged::shuffled(&goal, points.len(), weights, stopping.seed)?;
    let selected = points.select(&arranged.order)?;
    let duals = arranged.duals(&goal, stopping.intercept)?;
    let tasks = duals.into_iter().map(|dual| FeatureDual::new(dual, stopping.squared)).collect();
    Ok(Arrangement { arranged, selected, tasks })
}
