//! The Python environment of the peers: made on first use, from the pinned `requirements.txt`.
//!
//! A paragraph of that file is a group, installed by itself. A group that does not install costs
//! its own peers only, and is tried again by the next run.

use super::{CORE_TYPE, Peer};
use crate::job::Job;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// The mark between a package and the address of its sources.
const SOURCE: &str = " @ ";

/// The package that every script needs.
const COMMON: &str = "numpy";

/// An environment, and the packages that it lacks.
#[derive(Debug)]
pub struct Python {
    folder: PathBuf,
    faults: BTreeMap<String, String>,
}

/// The ingredients of an environment.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The command of the interpreter to start from.
    pub interpreter: String,
    /// The folder for it.
    pub folder: PathBuf,
    /// Packages not to install.
    pub without: Vec<String>,
}

impl Recipe {
    /// Makes sure that the environment is there, with the groups that `packages` are in.
    ///
    /// # Errors
    /// If there is no interpreter, or it cannot make an environment.
    pub fn make(&self, packages: &BTreeSet<&str>) -> Result<Python> {
        let python = Python { folder: self.folder.clone(), faults: BTreeMap::new() };
        if !python.interpreter().exists() {
            eprintln!("making a Python environment in {}", self.folder.display());
            let mut command = Command::new(&self.interpreter);
            run(command.args(["-m", "venv"]).arg(&self.folder))
                .with_context(|| format!("no Python environment from `{}`", self.interpreter))?;
        }
        let requirements = fs::read_to_string(requirements())?;
        let groups = groups(&requirements);
        let is_wanted = |name: &str| name == COMMON || packages.contains(name);
        let wanted = groups.iter().filter(|group| group.iter().any(|line| is_wanted(name(line))));
        Ok(wanted.fold(python, |python, group| self.add(python, group)))
    }

    fn add(&self, mut python: Python, group: &[&str]) -> Python {
        let left_out = group.iter().any(|line| self.without.iter().any(|w| w == name(line)));
        let result = if left_out {
            Err("left out, as asked for".to_owned())
        } else {
            python.install(group).map_err(|error| format!("not installed: {error:#}"))
        };
        if let Err(fault) = result {
            eprintln!("{}: {fault}", group.join(" "));
            python.faults.extend(group.iter().map(|line| (name(line).to_owned(), fault.clone())));
        }
        python
    }
}

impl Python {
    /// The reason why a peer cannot be run, if it cannot.
    #[must_use]
    pub fn fault(&self, peer: &Peer) -> Option<&str> {
        let faults = &self.faults;
        faults.get(peer.package).or_else(|| faults.get(COMMON)).map(String::as_str)
    }

    /// The command that serves a job with a peer, on inputs that are in a folder.
    #[must_use]
    pub fn command(&self, peer: &Peer, job: &Job, inputs: &Path) -> Command {
        let mut command = Command::new(self.interpreter());
        command.arg(Path::new(SCRIPTS).join("serve.py"));
        command.args([peer.task, peer.function, peer.package]).arg(inputs);
        let threads = job.threads.to_string();
        for library in ["OMP", "OPENBLAS", "MKL", "NUMBA"] {
            command.env(format!("{library}_NUM_THREADS"), &threads);
        }
        command.env_remove(CORE_TYPE.0);
        // Idle threads have to leave the processor to whoever is next.
        command.env("OMP_WAIT_POLICY", "PASSIVE");
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("KEOPS_CACHE_FOLDER", self.folder.join("keops")).env("KEOPS_VERBOSE", "0");
        command
    }

    /// The command that runs another script of that folder, which is told the number of threads by `KERN_THREADS`.
    #[must_use]
    pub fn script(&self, name: &str, threads: usize) -> Command {
        let mut command = Command::new(self.interpreter());
        command.arg(Path::new(SCRIPTS).join(name));
        command.env("KERN_THREADS", threads.to_string());
        // Candidates are tried side by side, each on one thread.
        command.env("OMP_NUM_THREADS", "1").env("OMP_WAIT_POLICY", "PASSIVE");
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// The packages that are lacking, with the reasons.
    #[must_use]
    pub fn faults(&self) -> &BTreeMap<String, String> {
        &self.faults
    }

    fn install(&self, group: &[&str]) -> Result<()> {
        let stamp = self.folder.join(format!("{}.installed", name(group[0])));
        let text = group.join("\n");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
            return Ok(());
        }
        eprintln!("installing {}", group.join(" "));
        let mut pip = Command::new(self.interpreter());
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        // What is built from its sources is built with the packages that it will meet.
        pip.args(group.iter().any(|line| line.contains(SOURCE)).then_some("--no-build-isolation"));
        run(pip.arg("--constraint").arg(requirements()).args(group))?;
        Ok(fs::write(stamp, text)?)
    }

    fn interpreter(&self) -> PathBuf {
        self.folder.join("bin").join("python")
    }
}

fn requirements() -> PathBuf {
    Path::new(SCRIPTS).join("requirements.txt")
}

/// The paragraphs of a file of requirements, without comments.
fn groups(requirements: &str) -> Vec<Vec<&str>> {
    let lines = requirements.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let groups = lines.split(|line| line.is_empty()).filter(|group| !group.is_empty());
    groups.map(<[&str]>::to_vec).collect()
}

/// The package of a line `name==version` or `name @ address`.
fn name(line: &str) -> &str {
    let name = line.split("==").next().unwrap_or(line);
    name.split(SOURCE).next().unwrap_or(name)
}

/// Runs a command to its end; an error is what it says about its failure.
fn run(command: &mut Command) -> Result<()> {
    let Output { status, stdout, stderr } = command.output()?;
    let text = [stdout, stderr].concat();
    ensure!(status.success(), "{} ({status})", cause(&String::from_utf8_lossy(&text)));
    Ok(())
}

/// The line that names the cause of a failure: git's, if it has one, else the last one.
fn cause(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    let fatal = lines.clone().find(|line| line.starts_with("fatal:"));
    fatal.or_else(|| lines.next()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers;
    use crate::tasks;

    fn peers() -> impl Iterator<Item = &'static Peer> {
        peers::ALL.iter().filter(|peer| peer.program().is_none())
    }

    fn script(task: &str) -> Result<String> {
        Ok(fs::read_to_string(Path::new(SCRIPTS).join(task).with_extension("py"))?)
    }

    #[test]
    fn paragraphs_are_groups() {
        let text = "# a\na==1\nb==2\n\n\n# c\nc==3\n";
        assert_eq!(groups(text), [vec!["a==1", "b==2"], vec!["c==3"]]);
        assert_eq!(name("scikit-learn==1.9.1"), "scikit-learn");
        assert_eq!(name("a @ git+https://b.example/a.git@1"), "a");
    }

    #[test]
    fn every_peer_is_a_function_of_a_script_with_a_pinned_package() -> Result<()> {
        let requirements = fs::read_to_string(requirements())?;
        let pinned: Vec<&str> = groups(&requirements).concat();
        for peer in peers() {
            tasks::find(peer.task)?;
            let definition = format!("\ndef {}(case):\n", peer.function);
            assert!(script(peer.task)?.contains(&definition), "{peer:?}");
            assert!(pinned.iter().any(|line| name(line) == peer.package), "{peer:?}");
        }
        Ok(())
    }

    #[test]
    fn every_public_function_of_a_script_is_a_peer() -> Result<()> {
        let tasks: BTreeSet<&str> = peers().map(|peer| peer.task).collect();
        for task in tasks {
            let text = script(task)?;
            let functions =
                text.lines().filter_map(|line| line.strip_prefix("def ")?.split_once('('));
            let is_helper = |name: &str| {
                name.starts_with('_') || ["figures", "note", "seconds"].contains(&name)
            };
            for (function, _) in functions.filter(|(name, _)| !is_helper(name)) {
                let known = |peer: &&Peer| peer.task == task && peer.function == function;
                assert!(peers().any(|peer| known(&peer)), "{task}: {function}");
            }
            assert!(text.contains("\ndef figures(case, result):\n"), "{task}");
        }
        Ok(())
    }

    #[test]
    fn the_cause_of_a_failure_is_named() {
        assert_eq!(cause("a\n  fatal: no such host\n  note: not of pip\n"), "fatal: no such host");
        assert_eq!(cause("a\nno distribution\n\n"), "no distribution");
        assert_eq!(cause("\n"), "no message");
    }

    #[test]
    fn a_package_that_is_lacking_costs_its_own_peers_only() {
        let fault = |package: &str| {
            let faults = BTreeMap::from([(package.to_owned(), "no".to_owned())]);
            let python = Python { folder: PathBuf::new(), faults };
            peers().filter(|peer| python.fault(peer).is_some()).count()
        };
        let of_torch = peers().filter(|peer| peer.package == "torch").count();
        assert_eq!(fault("torch"), of_torch);
        assert_eq!(fault(COMMON), peers().count());
    }
}
