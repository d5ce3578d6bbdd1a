//! Growth of kernel k-means with n: the task `kernel_kmeans` on more and more points. Time and memory as n²: those of
//! the Gram matrix.

use super::{Outcome, Task, kernel_kmeans};
use crate::case::Dtype;
use crate::session::Session;
use anyhow::Result;

/// `growth_kmeans`.
pub(super) const TASK: Task = Task {
    name: "growth_kmeans",
    about: "kernel k-means of growing n points, Gram matrix included: time as n²",
    cases: &[("n1", Dtype::F64), ("n2", Dtype::F64), ("n4", Dtype::F64), ("n8", Dtype::F64)],
    bound: kernel_kmeans::TASK.bound,
    bars: &[],
    targets: &[],
    run,
};

fn run(session: &mut Session<'_>) -> Result<Outcome> {
    let times = session.choose(&[("n1", 1), ("n2", 2), ("n4", 4), ("n8", 8)])?;
    let smallest = session.size().pick(2000, 500, 100);
    Ok(kernel_kmeans::cluster::<f64>(session, times * smallest)?.grown(session))
}
