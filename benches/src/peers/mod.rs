//! The peers: what a user would take instead, each a function of a script in `benches/peers/` or of
//! a program in `benches/rust-peers/`.

pub mod python;
pub mod rust;
mod table;

pub use table::ALL;

use crate::case::{Dtype, Size};
use crate::job::Job;
use crate::machine::Machine;
use anyhow::{Result, anyhow, bail};
use python::Python;
use rust::Programs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// A way to do a task with some package.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The task.
    pub task: &'static str,
    /// The variants that it does; none stands for all.
    pub variants: &'static [&'static str],
    /// The number types that it does.
    pub dtypes: &'static [Dtype],
    /// Variants that take it half a minute to many minutes at full size: it is not run then, and reported as missing.
    pub slow: &'static [&'static str],
    /// The package, as in `requirements.txt` or `Cargo.toml`.
    pub package: &'static str,
    /// The function.
    pub function: &'static str,
    /// Its method.
    pub about: &'static str,
    /// Who runs it.
    pub maker: Maker,
    /// True if a BLAS does part of the work.
    pub has_blas: bool,
}

/// The packages whose BLAS is OpenBLAS.
const ON_OPENBLAS: [&str; 5] = ["numpy", "scipy", "scikit-learn", "numba", "faiss-cpu"];

/// The variable that chooses OpenBLAS's kernels, and its value for those of AVX-512. Left to itself, it takes those of AVX2 on
/// processors that it does not know.
pub const CORE_TYPE: (&str, &str) = ("OPENBLAS_CORETYPE", "SkylakeX");

/// The language that a peer is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// A function of the script `<task>.py`.
    Python,
    /// A function of this program.
    Rust(&'static str),
}

impl Peer {
    /// Tells whether it can do this job.
    #[must_use]
    pub fn does(&self, job: &Job) -> bool {
        self.task == job.task
            && self.dtypes.contains(&job.dtype)
            && (self.variants.is_empty() || self.variants.contains(&job.variant.as_str()))
    }

    /// Tells whether it would hold up the others for long.
    #[must_use]
    pub fn is_too_slow(&self, job: &Job) -> bool {
        job.size == Size::Full && self.slow.contains(&job.variant.as_str())
    }

    /// Tells whether it runs a second time, with the kernels of [`CORE_TYPE`]: the faster of both counts.
    #[must_use]
    pub fn runs_twice(&self, machine: &Machine) -> bool {
        let has_avx512 = machine.features.iter().any(|feature| feature == "avx512f");
        has_avx512 && self.has_blas && ON_OPENBLAS.contains(&self.package)
    }

    /// The program that runs it, if it is in Rust.
    fn program(&self) -> Option<&'static str> {
        match self.maker {
            Maker::Rust(program) => Some(program),
            Maker::Python => None,
        }
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

/// Recipes for the environments that peers need.
#[derive(Clone, Debug)]
pub struct Recipes {
    /// Of those in Python.
    pub python: python::Recipe,
    /// Of those in Rust.
    pub rust: rust::Recipe,
}

/// The environments that peers need, as far as they could be made.
#[derive(Debug)]
pub struct Environment {
    python: Result<Python>,
    rust: Programs,
}

impl Recipes {
    /// Makes what these peers need. Python's packages are fetched while Rust's are built.
    #[must_use]
    pub fn make(&self, peers: &[&Peer]) -> Environment {
        let in_python = peers.iter().filter(|peer| peer.program().is_none());
        let packages = in_python.map(|peer| peer.package).collect();
        // All or none: what they share depends on what is built together.
        let is_wanted = peers.iter().any(|peer| peer.program().is_some());
        let programs = ALL.iter().filter(|_| is_wanted).filter_map(Peer::program).collect();
        thread::scope(|scope| {
            let python = scope.spawn(|| self.python.make(&packages));
            let rust = self.rust.make(&programs);
            let python = python.join().unwrap_or_else(|_| Err(anyhow!("it could not be made")));
            Environment { python, rust }
        })
    }
}

impl Environment {
    /// The command that serves a job with a peer, on inputs that are in a folder.
    ///
    /// # Errors
    /// Why the peer cannot be run.
    pub fn command(&self, peer: &Peer, job: &Job, inputs: &Path) -> Result<Command> {
        if peer.is_too_slow(job) {
            bail!("not run: it takes half a minute or more at this size");
        }
        let (fault, command) = match peer.maker {
            Maker::Rust(program) => {
                (self.rust.fault(peer, program), self.rust.command(peer, program, job, inputs))
            }
            Maker::Python => {
                let python = self.python.as_ref().map_err(|error| anyhow!("{error:#}"))?;
                (python.fault(peer), python.command(peer, job, inputs))
            }
        };
        fault.map_or(Ok(command), |fault| Err(anyhow!("{fault}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;

    /// The jobs of a task at a size.
    fn jobs(task: &str, size: Size) -> Result<Vec<Job>> {
        Ok(tasks::jobs(&[tasks::find(task)?], size, &[1]))
    }

    #[test]
    fn variants_are_those_of_the_tasks() -> Result<()> {
        for peer in ALL {
            let jobs = jobs(peer.task, Size::Full)?;
            let is_one = |variant: &&&str| jobs.iter().any(|job| job.variant == **variant);
            let named = || peer.variants.iter().chain(peer.slow);
            assert_eq!(named().filter(is_one).count(), named().count(), "{peer:?}");
        }
        Ok(())
    }

    /// Of tasks that are compared with peers, no case may be without one at full size.
    #[test]
    fn every_case_has_a_peer() -> Result<()> {
        for task in tasks::ALL.iter().filter(|task| ALL.iter().any(|peer| peer.task == task.name)) {
            for job in jobs(task.name, Size::Full)? {
                assert!(of(&job).any(|peer| !peer.is_too_slow(&job)), "{job}");
            }
        }
        Ok(())
    }

    #[test]
    fn users_of_openblas_run_twice_where_there_is_avx512() {
        let machine = |features: &[&str]| {
            let features = features.iter().map(|&name| name.into()).collect();
            Machine { features, ..Machine::this() }
        };
        let twice = |features: &[&str], package: &str, task: &str| {
            let found = ALL.iter().filter(|peer| peer.package == package && peer.task == task);
            found.filter(|peer| peer.runs_twice(&machine(features))).count()
        };
        assert_eq!(twice(&["avx2", "avx512f"], "scipy", "krr_direct"), 1);
        assert_eq!(twice(&["avx2"], "scipy", "krr_direct"), 0);
        assert_eq!(twice(&["avx2", "avx512f"], "torch", "krr_direct"), 0);
        assert_eq!(twice(&["avx2", "avx512f"], "scipy", "gram_laplacian"), 0);
    }

    #[test]
    fn what_is_slow_runs_at_small_sizes() -> Result<()> {
        let slow = |size| -> Result<usize> {
            let jobs = jobs("svm", size)?;
            let slow = jobs.iter().flat_map(|job| of(job).filter(|peer| peer.is_too_slow(job)));
            Ok(slow.count())
        };
        assert_eq!((slow(Size::Quick)?, slow(Size::Tiny)?), (0, 0));
        assert!(slow(Size::Full)? >= 4);
        Ok(())
    }
}
