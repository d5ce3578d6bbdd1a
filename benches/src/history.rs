//! Reports that are kept: one file for each run in `benches/record/`, named by date and machine.

use crate::found::Report;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Their folder, from the workspace.
pub const FOLDER: &str = "benches/record";

/// Writes the report as a file of its own, in one line, and returns its path. A run that is recorded
/// twice is there once.
///
/// # Errors
/// If the report does not say when it was made, or the file cannot be written.
pub fn record(report: &Report, workspace: &Path) -> Result<PathBuf> {
    let run = report.provenance.as_ref().context("the report does not say when it was made")?;
    let digits = |c: char| c.is_ascii_digit() || c == '-';
    let date: String = run.date.chars().map(|c| if c == ' ' { '-' } else { c }).collect();
    let date: String = date.trim_end_matches("-UTC").chars().filter(|&c| digits(c)).collect();
    let folder = workspace.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(format!("{date}-{}-{}.json", report.machine.name(), run.size));
    let text = serde_json::to_string(report)? + "\n";
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// All reports that are kept, in the order of their dates; for one that cannot be read, why.
#[must_use]
pub fn all(workspace: &Path) -> Vec<Result<Report>> {
    let entries = fs::read_dir(workspace.join(FOLDER)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.iter().map(|path| Report::read(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Size;
    use crate::machine::Machine;
    use crate::provenance::Provenance;

    #[test]
    fn a_record_is_named_by_date_and_machine_and_comes_back() -> Result<()> {
        let workspace = std::env::temp_dir().join(format!("kern-record-{}", std::process::id()));
        let run = Provenance::now("cargo xtask bench".into(), Size::Full);
        let run = Provenance { date: "2026-01-02 03:04 UTC".into(), ..run };
        let report = Report::new(Machine::this(), Some(run));
        let path = record(&report, &workspace)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let expected = format!("2026-01-02-0304-{}-full.json", report.machine.name());
        assert_eq!(name.as_deref(), Some(expected.as_str()));
        assert_eq!(fs::read_to_string(&path)?.lines().count(), 1);
        assert_eq!(Report::read(&path)?, report);
        fs::write(workspace.join(FOLDER).join("a.json"), "{}")?;
        let read: Vec<Option<Report>> = all(&workspace).into_iter().map(Result::ok).collect();
        assert_eq!(read, [Some(report), None]);
        fs::remove_dir_all(workspace)?;
        assert!(record(&Report::new(Machine::this(), None), Path::new(".")).is_err());
        Ok(())
    }
}
