//! The peers: what a user would take instead, each a function of a script in `benches/peers/`.

pub mod python;
mod table;

pub use table::ALL;

use crate::job::Job;
use crate::tasks::Dtype;

/// A way to do a task with some package.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The task; its script is `<task>.py`.
    pub task: &'static str,
    /// The variants that it does; none stands for all.
    pub variants: &'static [&'static str],
    /// The number types that it does.
    pub dtypes: &'static [Dtype],
    /// The package, as in `requirements.txt`.
    pub package: &'static str,
    /// The function of the script.
    pub function: &'static str,
    /// How it does it.
    pub about: &'static str,
}

impl Peer {
    /// Whether it can do this job.
    #[must_use]
    pub fn does(&self, job: &Job) -> bool {
        self.task == job.task
            && self.dtypes.contains(&job.dtype)
            && (self.variants.is_empty() || self.variants.contains(&job.variant.as_str()))
    }

    /// Its name in a report, without a version.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}, {}", self.package, self.about)
    }
}

/// The peers that can do a job.
pub fn of(job: &Job) -> impl Iterator<Item = &'static Peer> {
    ALL.iter().filter(|peer| peer.does(job))
}
