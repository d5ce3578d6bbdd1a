//! The origin of a report: date, sources, and command.

use crate::case::Size;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::process::Command;

/// The facts that somebody needs to make the same report again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The time at which the run began, in UTC.
    pub date: String,
    /// The command, without what only says where files are.
    pub command: String,
    /// The commit, and whether files were changed since; empty outside of a repository.
    pub commit: String,
    /// The compiler.
    pub compiler: String,
    /// `full`, `quick` or `tiny`.
    pub size: String,
}

/// The workspace: where cargo says that this package is, or was when it was compiled.
#[must_use]
pub fn workspace() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR");
    let package = package.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(ToOwned::to_owned).unwrap_or(package)
}

impl Provenance {
    /// Of a run that begins now.
    #[must_use]
    pub fn now(command: String, size: Size) -> Self {
        let date = Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string();
        let commit = answer("git", &["describe", "--always", "--dirty", "--abbrev=12"]);
        let compiler = answer("rustc", &["--version"]);
        Self { date, command, commit, compiler, size: size.to_string() }
    }
}

/// The first line that a program says in the workspace; empty if there is no such program, or it fails.
fn answer(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(workspace()).output();
    let output = output.ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().lines().next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_its_form() {
        let now = Provenance::now("cargo xtask bench".to_owned(), Size::Quick);
        let form: String =
            now.date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00 00:00 UTC");
        assert_eq!(now.size, "quick");
        assert!(now.compiler.starts_with("rustc "), "{}", now.compiler);
        assert!(workspace().join("benches").is_dir());
    }

    #[test]
    fn who_does_not_answer_says_nothing() {
        assert_eq!(answer("there-is-no-such-program", &[]), "");
        assert_eq!(answer("git", &["no-such-command"]), "");
    }
}
