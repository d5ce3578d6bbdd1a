//! The tasks, and what a task is.

mod dear_kernel;
mod features_error;
mod first_contact;
mod gp_likelihood;
mod gram;
mod gram_laplacian;
mod gram_rbf;
mod growth_gram;
mod growth_kmeans;
mod growth_knn;
mod growth_krr;
mod growth_lazy;
mod growth_svm;
mod kernel_kmeans;
mod kernel_pca;
mod klr;
mod knn;
mod krr_direct;
mod krr_large;
mod lazy_matvec;
mod linear_text;
mod mmd;
mod nystroem;
mod one_query;
mod planner;
mod rff;
mod rfm;
mod svm;
mod svm_predict;
mod svm_sets;
mod svr;
mod tune;
mod usgd;
mod vector_state;

pub use first_contact::{FIRST_FIT, FirstFit, first_fit};

use crate::bar::Bar;
use crate::case::{Dtype, Size};
use crate::growth::GROWN;
use crate::job::Job;
use crate::measure::Measured;
use crate::row::{Figures, Seconds};
use crate::session::Session;
use crate::work::{Limit, Work};
use anyhow::{Context, Result};

/// All tasks, in the order in which they are run.
pub const ALL: [&Task; 32] = [
    &gram_rbf::TASK,
    &gram_laplacian::TASK,
    &lazy_matvec::TASK,
    &rff::TASK,
    &nystroem::TASK,
    &krr_direct::TASK,
    &krr_large::TASK,
    &klr::TASK,
    &gp_likelihood::TASK,
    &rfm::TASK,
    &svm::TASK,
    &svm_predict::TASK,
    &one_query::TASK,
    &first_contact::TASK,
    &svr::TASK,
    &linear_text::TASK,
    &tune::TASK,
    &knn::TASK,
    &kernel_kmeans::TASK,
    &kernel_pca::TASK,
    &mmd::TASK,
    &usgd::TASK,
    &features_error::TASK,
    &planner::TASK,
    &growth_gram::TASK,
    &growth_lazy::TASK,
    &growth_krr::TASK,
    &growth_svm::TASK,
    &growth_kmeans::TASK,
    &growth_knn::TASK,
    &dear_kernel::TASK,
    &vector_state::TASK,
];

/// Something that a user does.
#[derive(Debug)]
pub struct Task {
    /// Its name.
    pub name: &'static str,
    /// One line on what is measured.
    pub about: &'static str,
    /// Its variants, each in a number type.
    pub cases: &'static [(&'static str, Dtype)],
    /// The work that nobody can avoid, n points of dimension d: what the limit is counted from.
    pub bound: &'static str,
    /// The quality that a peer's answer has to reach for its time to count.
    pub bars: &'static [Bar],
    /// By variant: the time wanted with 2 threads, as a share of the best peer's.
    pub targets: &'static [(&'static str, f64)],
    /// Measures one case with the threads of the global rayon pool.
    pub run: fn(&mut Session<'_>) -> Result<Outcome>,
}

/// The findings of a task.
#[derive(Debug)]
pub struct Outcome {
    /// The number of points.
    pub n: usize,
    /// Their dimension.
    pub d: usize,
    /// The times.
    pub seconds: Seconds,
    /// The quality of the answer.
    pub quality: Figures,
    /// The peak memory up to the last repeat.
    pub peak_rss_mib: Option<f64>,
    /// The part of it that the work added to what was there before the warm-up.
    pub added_mib: Option<f64>,
    /// A limit that was measured in the same process.
    pub limit: Option<Limit>,
    /// The work that nobody can avoid.
    pub work: Option<Work>,
    /// A remark for the reader.
    pub note: String,
}

impl Outcome {
    /// Times on `n` points of dimension `d`; the result is returned for the figures of quality.
    fn new<T>((n, d): (usize, usize), measured: Measured<T>) -> (Self, T) {
        let note = measured.note();
        let Measured { last, seconds, peak_rss_mib, added_mib, .. } = measured;
        let quality = Figures::new();
        let (limit, work) = (None, None);
        let outcome = Self { n, d, seconds, quality, peak_rss_mib, added_mib, limit, work, note };
        (outcome, last)
    }

    fn figure(mut self, name: &str, value: f64) -> Self {
        self.quality.insert(name.to_owned(), value);
        self
    }

    /// The memory of inputs, outputs and the work, without what every process has, where the system
    /// tells.
    fn grown(self, session: &Session<'_>) -> Self {
        match self.added_mib {
            Some(added) => self.figure(GROWN, session.counted_mib() + added),
            None => self,
        }
    }

    fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    fn work(mut self, work: Work) -> Self {
        self.work = Some(work);
        self
    }
}

/// The work of ridge regression on m landmarks: the kernel values, a product with them and one
/// with their transpose, and a factor of m landmarks, for which single precision is good enough.
fn on_landmarks(values: Work, n: usize, m: usize) -> Work {
    let (n, m) = (n as f64, m as f64);
    values.flops(4.0 * n * m + m.powi(3) / 3.0).in_single()
}

/// The task of this name.
///
/// # Errors
/// If there is none; the message lists them all.
pub fn find(name: &str) -> Result<&'static Task> {
    let found = ALL.into_iter().find(|task| task.name == name);
    found.with_context(|| {
        let names = ALL.map(|task| task.name).join(", ");
        format!("there is no task `{name}`; there are {names}")
    })
}

/// The jobs of all cases of some tasks, with each number of threads.
#[must_use]
pub fn jobs(tasks: &[&Task], size: Size, threads: &[usize]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for task in tasks {
        for &(variant, dtype) in task.cases {
            jobs.extend(threads.iter().map(|&threads| {
                let (task, variant) = (task.name.to_owned(), variant.to_owned());
                Job { task, variant, dtype, size, threads }
            }));
        }
    }
    jobs
}
