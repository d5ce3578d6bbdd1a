//! Conversion of the solution of a fit in rounds to a model of tables.

use super::order::Loss;
use crate::fitted::Fitted;
use crate::map::TableMap;
use crate::{Error, Prepared};
use kern_solvers::pipeline::Piped;
use kern_solvers::rounds::Outcome;

/// The model of prepared rows.
pub(crate) fn fitted(
    prepared: Prepared,
    map: TableMap,
    outcome: Outcome,
    loss: Loss,
    classes: Option<Vec<String>>,
) -> Result<Fitted, Error> {
    Ok(match (outcome, classes) {
        (Outcome::Functions(functions), Some(classes)) if loss == Loss::Logistic => {
            let model = functions.probabilistic(map, classes)?;
            Fitted::LogisticOfRounds(Piped::of(prepared, model))
        }
        (Outcome::Functions(functions), Some(classes)) => {
            Fitted::ClassifierOfRounds(Piped::of(prepared, functions.classifier(map, classes)?))
        }
        (Outcome::Functions(functions), None) => {
            Fitted::RegressorOfRounds(Piped::of(prepared, functions.regressor(map)?))
        }
        (Outcome::Centroids(centroids), _) => {
            Fitted::ClustersOfRounds(Piped::of(prepared, centroids.clusters(map)))
        }
        (Outcome::Components(axes), _) => {
            Fitted::ComponentsOfRounds(Piped::of(prepared, axes.components(map)))
        }
        _ => return Err(Error::OtherRound),
    })
}
