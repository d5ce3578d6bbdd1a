//! `cargo xtask mutants`: small changes of the code, and the tests that notice them.
//!
//! All changes of all files are compiled at once, each behind a switch, so that a change costs a run of tests and not a build of
//! minutes. A copy of the workspace in `target/mutants` is changed, never the workspace itself.

mod changes;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticLevel;

use self::changes::{Change, Changes, Place};
use self::trial::{End, Program};
use crate::evidence::provenance;
use crate::tidy;

/// Files of a package, and what tests them beside the tests in the package's own sources.
struct Part {
    package: &'static str,
    files: &'static [&'static str],
    /// A program, and words of which its tests have one in their names; all of its tests, if there are none.
    tests: (&'static str, &'static [&'static str]),
}

/// The files that certificates and statistics rest on.
const PARTS: &[Part] = &[
    Part { package: "kern-gram", files: &["src/psd.rs", "src/tiling.rs"], tests: ("gram", &[]) },
    Part {
        package: "kern-approx",
        files: &[
            "src/bounds/hoeffding.rs",
            "src/bounds/kitchen_sinks.rs",
            "src/bounds/matrix_bernstein.rs",
            "src/bounds/mod.rs",
            "src/bounds/sampled_columns.rs",
            "src/bounds/uniform.rs",
        ],
        tests: ("maps", &["bounds", "columns", "kitchen"]),
    },
    Part { package: "kern-solvers", files: &["src/svm/svm_certificate.rs"], tests: ("svm", &[]) },
    Part {
        package: "kern-solvers",
        files: &["src/ridge/ridge_duality_gap.rs", "src/ridge/gradient_bound.rs"],
        tests: ("solvers", &["ridge", "statistics"]),
    },
    Part {
        package: "kern-solvers",
        files: &[
            "src/validation/cross_validate.rs",
            "src/validation/mod.rs",
            "src/validation/scores_of_classes.rs",
            "src/validation/scores_of_clusters.rs",
            "src/validation/scores_of_numbers.rs",
            "src/validation/scores_of_probabilities.rs",
            "src/validation/split.rs",
        ],
        tests: ("solvers", &["validation"]),
    },
];

/// A file with all of its changes.
struct Changed {
    /// From the root of the workspace.
    path: PathBuf,
    text: String,
    changes: Changes,
    part: &'static Part,
}

/// Tries all changes of these files, or of all in the list, and prints what was noticed.
pub(crate) fn run(root: &Path, chosen: &[PathBuf]) -> Result<()> {
    let tree = root.join("target/mutants/tree");
    let files = changed(root, chosen)?;
    copy(root, &tree, &files)?;
    let workspace = Workspace { target: root.join("target/mutants/build"), tree };
    let left_out = workspace.compile(&files)?;
    let mut programs = workspace.programs(&files)?;
    println!(
        "{}\n\n| file | changes | do not compile | noticed | by time | survived |",
        provenance()?
    );
    println!("|---|---|---|---|---|---|");
    let (mut tried, mut survivors) = (0, Vec::new());
    for file in &files {
        let kept = |change: &&Change| !left_out.contains(&change.number);
        let (mut counts, survived_before) = (Counts::default(), survivors.len());
        for change in file.changes.all.iter().filter(kept) {
            let name = format!("{}:{}: {}", file.path.display(), change.line, change.what);
            match noticed(&mut programs, file.part, change.number)? {
                End::Passed => {
                    eprintln!("SURVIVED {name}");
                    survivors.push(name);
                }
                End::Failed(test) => {
                    eprintln!(
                        "noticed  {name} ({})",
                        test.as_deref().unwrap_or("the program died")
                    );
                    counts.noticed += 1;
                }
                End::OutOfTime => {
                    eprintln!("endless  {name}");
                    counts.endless += 1;
                }
            }
            tried += 1;
        }
        let (all, survived) = (file.changes.all.len(), survivors.len() - survived_before);
        let Counts { noticed, endless } = counts;
        let left_out = all - noticed - endless - survived;
        let path = file.path.display();
        println!("| {path} | {all} | {left_out} | {noticed} | {endless} | {survived} |");
    }
    println!("\n{} of {tried} changes that compile were noticed.\n", tried - survivors.len());
    survivors.iter().for_each(|survivor| println!("- {survivor}"));
    Ok(())
}

#[derive(Default)]
struct Counts {
    noticed: usize,
    endless: usize,
}

/// The first end that is not a pass, of the programs that test a part.
fn noticed(programs: &mut [Program], part: &Part, number: u32) -> Result<End> {
    for (name, words) in [(part.package, &[][..]), part.tests] {
        let program = programs.iter_mut().find(|program| program.name == name);
        let program = program.with_context(|| format!("{name} was not built"))?;
        let end = program.notices(number, words)?;
        if end != End::Passed {
            return Ok(end);
        }
    }
    Ok(End::Passed)
}

/// The chosen files, all if none is, with their changes.
fn changed(root: &Path, chosen: &[PathBuf]) -> Result<Vec<Changed>> {
    let (mut files, mut next) = (Vec::new(), 1);
    for part in PARTS {
        for file in part.files {
            let path = Path::new("crates").join(part.package).join(file);
            if chosen.is_empty() || chosen.contains(&path) {
                let text = fs::read_to_string(root.join(&path))
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let changes = Changes::of(&text, next)?;
                next += u32::try_from(changes.all.len())?;
                files.push(Changed { path, text, changes, part });
            }
        }
    }
    ensure!(!files.is_empty(), "none of these files is in the list of xtask/src/mutants/mod.rs");
    Ok(files)
}

/// Copies the files of the repository, but for those that will be changed, and removes what is no
/// longer there: a module must not be found in two places.
fn copy(root: &Path, tree: &Path, changed: &[Changed]) -> Result<()> {
    let mut names = tidy::paths(root)?;
    // What has been deleted, but not yet for git, is not there.
    names.retain(|name| root.join(name).exists());
    remove_others(tree, &names.iter().map(|name| tree.join(name)).collect())?;
    for name in names {
        let (from, to) = (root.join(&name), tree.join(&name));
        if !changed.iter().any(|file| file.path == Path::new(&name)) {
            replace(&to, &fs::read(from)?)?;
        }
    }
    Ok(())
}

/// Removes the files below a folder that are not kept.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    // Before the first run there is none.
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Writes a file, unless it is as it should be: then nothing that is built of it is built again.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// The copy that is changed, and the folder of what is built. That of the workspace itself would not do: cargo tells packages by
/// their paths within a workspace, so both would write, and take for theirs, the same files.
struct Workspace {
    tree: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Writes the changes into the copy, but for those that do not compile, which it returns.
    fn compile(&self, files: &[Changed]) -> Result<BTreeSet<u32>> {
        let mut left_out = BTreeSet::new();
        loop {
            let places = self.write(files, &left_out)?;
            let errors = self.errors(files)?;
            if errors.is_empty() {
                return Ok(left_out);
            }
            let before = left_out.len();
            for (path, byte) in &errors {
                let places =
                    places.get(path).with_context(|| format!("{path:?} does not compile"))?;
                let place = places.iter().take_while(|place| place.start <= *byte).last();
                left_out.extend(place.map_or(0..0, |place| place.numbers.clone()));
            }
            ensure!(left_out.len() > before, "errors that no change explains: {errors:?}");
            eprintln!("{} changes do not compile", left_out.len());
        }
    }

    fn write(
        &self,
        files: &[Changed],
        left_out: &BTreeSet<u32>,
    ) -> Result<BTreeMap<PathBuf, Vec<Place>>> {
        let mut all = BTreeMap::new();
        for file in files {
            let (text, places) = file.changes.apply(&file.text, left_out);
            replace(&self.tree.join(&file.path), text.as_bytes())?;
            all.insert(file.path.clone(), places);
        }
        Ok(all)
    }

    /// The places of the compiler's errors: a file of the workspace, and a byte in it.
    fn errors(&self, files: &[Changed]) -> Result<Vec<(PathBuf, usize)>> {
        let mut places = Vec::new();
        let (messages, _) = self.cargo(&["check", "--lib", "--keep-going"], files, &[])?;
        for message in messages {
            let Message::CompilerMessage(message) = message else { continue };
            if message.message.level == DiagnosticLevel::Error {
                let primary = message.message.spans.iter().filter(|span| span.is_primary);
                places.extend(
                    primary.map(|span| (PathBuf::from(&span.file_name), span.byte_start as usize)),
                );
            }
        }
        Ok(places)
    }

    /// The programs that test these files, each run once without a change.
    fn programs(&self, files: &[Changed]) -> Result<Vec<Program>> {
        let tests: BTreeSet<_> = files.iter().map(|file| file.part.tests.0).collect();
        let tests: Vec<_> = tests.into_iter().flat_map(|test| ["--test", test]).collect();
        let (messages, succeeded) = self.cargo(&["test", "--no-run", "--lib"], files, &tests)?;
        ensure!(succeeded, "the tests do not compile");
        let mut programs = Vec::new();
        for message in messages {
            let Message::CompilerArtifact(artifact) = message else { continue };
            let Some(executable) = artifact.executable else { continue };
            let folder = artifact.manifest_path.parent().context("a manifest lies in a folder")?;
            // The library is named as its package is.
            let name = artifact.target.name.replace('_', "-");
            eprintln!("{name} without a change");
            programs.push(Program::new(name, executable.into(), folder.as_std_path())?);
        }
        Ok(programs)
    }

    /// The messages of cargo to a command for the packages of these files, and whether it succeeded.
    fn cargo(
        &self,
        command: &[&str],
        files: &[Changed],
        more: &[&str],
    ) -> Result<(Vec<Message>, bool)> {
        let packages: BTreeSet<_> = files.iter().map(|file| file.part.package).collect();
        let packages = packages.into_iter().flat_map(|package| ["-p", package]);
        let mut cargo = Command::new("cargo");
        cargo.args(command).args(packages).args(more).args(["--locked", "--message-format=json"]);
        cargo.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        cargo.env_remove("CARGO_MANIFEST_DIR").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = cargo.spawn().context("cannot start cargo")?;
        let Some(output) = child.stdout.take() else { bail!("the output is a pipe") };
        let messages = Message::parse_stream(BufReader::new(output)).collect::<Result<_, _>>()?;
        Ok((messages, child.wait()?.success()))
    }
}
