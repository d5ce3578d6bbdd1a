//! Growth of the search of neighbours with n: the task `knn` among more and more points. Time and memory as n.

use super::{Outcome, Task, knn};
use crate::case::Dtype;
use crate::session::Session;
use anyhow::Result;

/// `growth_knn`.
pub(super) const TASK: Task = Task {
    name: "growth_knn",
    about: "k nearest neighbours of many queries among growing n points: time as n",
    cases: &[("n1", Dtype::F64), ("n2", Dtype::F64), ("n4", Dtype::F64), ("n8", Dtype::F64)],
    bound: knn::TASK.bound,
    bars: &[],
    targets: &[],
    run,
};

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&[("n1", 1), ("n2", 2), ("n4", 4), ("n8", 8)])?;
    let (smallest, queries) = session.size().pick((25_000, 2000), (5000, 200), (100, 10));
    Ok(knn::search::<f64>(session, times * smallest, queries)?.grown(session))
}
