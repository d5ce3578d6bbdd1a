//! The peers in Rust: programs of the package `benches/rust-peers`, built on first use.
//!
//! A program is of one family of packages. They are built together, since what they share is then
//! built once, or else each by itself: one that does not build costs its own peers only, and is tried
//! again by the next run.

use super::Peer;
use crate::job::Job;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::EXE_SUFFIX;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The package of the programs.
const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rust-peers/Cargo.toml");

/// The ingredients of a build of the programs.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The command of cargo.
    pub cargo: String,
    /// The folder for the build.
    pub folder: PathBuf,
    /// Packages and programs to leave out.
    pub without: Vec<String>,
}

/// The programs, and those that could not be built.
#[derive(Debug)]
pub struct Programs {
    recipe: Recipe,
    faults: BTreeMap<String, String>,
}

impl Recipe {
    /// Builds the programs of these names, unless they are to be left out.
    #[must_use]
    pub fn make(&self, programs: &BTreeSet<&str>) -> Programs {
        let mut faults = BTreeMap::new();
        let wanted = programs.iter().copied().filter(|program| !self.leaves_out(program));
        let wanted: Vec<&str> = wanted.collect();
        if !wanted.is_empty() && self.build(&wanted).is_err() {
            for program in wanted {
                if let Err(error) = self.build(&[program]) {
                    faults.insert(program.to_owned(), format!("not built: {error:#}"));
                }
            }
        }
        Programs { recipe: self.clone(), faults }
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.without.iter().any(|without| without == name)
    }

    /// Builds some; what cargo says is shown as it comes, and its error is ours.
    fn build(&self, programs: &[&str]) -> Result<()> {
        eprintln!("building the peers of {}", programs.join(", "));
        let mut command = Command::new(&self.cargo);
        command.args(["build", "--release", "--manifest-path", MANIFEST, "--target-dir"]);
        command.arg(&self.folder).arg("--features").arg(programs.join(","));
        programs.iter().for_each(|program| {
            command.args(["--bin", program]);
        });
        let cargo = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = cargo.spawn().with_context(|| format!("cannot start `{}`", self.cargo));
        let mut process = started?;
        let output = process.stderr.take().context("cargo has no standard error")?;
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let lines: Vec<String> = lines.inspect(|line| eprintln!("{line}")).collect();
        let status = process.wait()?;
        if status.success() {
            return Ok(());
        }
        let is_error = |line: &&String| line.starts_with("error");
        let line = lines.iter().find(is_error).or(lines.last());
        bail!("{} ({status})", line.map_or("no message", |line| line.trim()))
    }
}

impl Programs {
    /// The reason why a peer of a program cannot be run, if it cannot.
    #[must_use]
    pub fn fault(&self, peer: &Peer, program: &str) -> Option<&str> {
        if [peer.package, program].iter().any(|name| self.recipe.leaves_out(name)) {
            return Some("left out, as asked for");
        }
        self.faults.get(program).map(String::as_str)
    }

    /// The command that serves a job with a peer of a program, on inputs that are in a folder.
    #[must_use]
    pub fn command(&self, peer: &Peer, program: &str, job: &Job, inputs: &Path) -> Command {
        let file = format!("{program}{EXE_SUFFIX}");
        let mut command = Command::new(self.recipe.folder.join("release").join(file));
        command.args([peer.task, peer.function, peer.package]).arg(inputs);
        let threads = job.threads.to_string();
        for library in ["RAYON", "MATMUL"] {
            command.env(format!("{library}_NUM_THREADS"), &threads);
        }
        // The last line of an error is what is reported.
        command.env("RUST_BACKTRACE", "0");
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers;
    use crate::tasks;
    use std::fs;

    /// The peers with their programs.
    fn peers() -> impl Iterator<Item = (&'static Peer, &'static str)> {
        peers::ALL.iter().filter_map(|peer| Some((peer, peer.program()?)))
    }

    fn file(name: &str) -> Result<String> {
        Ok(fs::read_to_string(Path::new(MANIFEST).with_file_name(name))?)
    }

    #[test]
    fn every_peer_is_served_by_a_program_with_a_pinned_package() -> Result<()> {
        let (manifest, lock) = (file("Cargo.toml")?, file("Cargo.lock")?);
        for (peer, program) in peers() {
            tasks::find(peer.task)?;
            let main = file(&format!("src/bin/{program}/main.rs"))?;
            let entry = format!("\n    (\"{}\", \"{}\", ", peer.task, peer.function);
            assert!(main.contains(&entry), "{peer:?}");
            let package = peer.package;
            assert!(manifest.contains(&format!("\n{package} = {{ version = \"=")), "{peer:?}");
            let feature = manifest.lines().find(|l| l.starts_with(&format!("{program} = [")));
            let feature = feature.with_context(|| format!("{program} has no feature"))?;
            assert!(feature.contains(&format!("\"dep:{package}\"")), "{peer:?}");
            assert!(lock.contains(&format!("\nname = \"{package}\"\n")), "{peer:?}");
        }
        Ok(())
    }

    #[test]
    fn everything_that_a_program_serves_is_a_peer() -> Result<()> {
        let programs: BTreeSet<&str> = peers().map(|(_, program)| program).collect();
        let mut served = 0;
        for program in programs {
            let main = file(&format!("src/bin/{program}/main.rs"))?;
            for entry in main.lines().filter_map(|line| line.strip_prefix("    (\"")) {
                let is = |peer: &Peer| {
                    entry.starts_with(&format!("{}\", \"{}\", ", peer.task, peer.function))
                };
                assert!(peers().any(|(peer, p)| p == program && is(peer)), "{program}: {entry}");
                served += 1;
            }
        }
        assert_eq!(served, peers().count());
        Ok(())
    }

    #[test]
    fn what_is_left_out_or_not_built_costs_its_own_peers_only() {
        let lost = |without: &[&str], fault: &str| {
            let without = without.iter().map(ToString::to_string).collect();
            let recipe = Recipe { cargo: String::new(), folder: PathBuf::new(), without };
            let faults = BTreeMap::from([(fault.to_owned(), "no".to_owned())]);
            let programs = Programs { recipe, faults };
            let lost = peers().filter(|(peer, program)| programs.fault(peer, program).is_some());
            lost.map(|(peer, _)| peer.package).collect::<BTreeSet<_>>()
        };
        let linfa = BTreeSet::from(["linfa-kernel", "linfa-nn", "linfa-svm"]);
        assert_eq!(lost(&["linfa"], ""), linfa);
        assert_eq!(lost(&[], "linfa"), linfa);
        assert_eq!(lost(&["linfa-nn"], "smartcore"), BTreeSet::from(["linfa-nn", "smartcore"]));
        assert!(lost(&["torch"], "").is_empty());
    }
}
