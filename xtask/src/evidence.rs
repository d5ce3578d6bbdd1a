//! `cargo xtask evidence`: what the library claims, shown on real data, as a table in docs/evidence.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use jiff::{Timestamp, tz::TimeZone};

use crate::commands;

/// The beginning of a line of evidence.
const MARK: &str = "evidence | ";

/// Runs the tests of real data, all of which must be there, and writes what they say.
pub(crate) fn run(root: &Path, data: &Path) -> Result<()> {
    let data = data.canonicalize().with_context(|| format!("no folder {}", data.display()))?;
    let mut words = commands::EVIDENCE.split_whitespace();
    let program = words.next().context("the command of the evidence is empty")?;
    let mut process = Command::new(program);
    process.args(words).current_dir(root).env("KERN_DATA", &data).env("KERN_EVIDENCE", "1");
    let output = process.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start `{}`", commands::EVIDENCE))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{text}\nthe evidence ended with {}", output.status);
    let page = page(&rows(&text), &provenance()?);
    print!("{page}");
    fs::write(root.join("docs/evidence.md"), page).context("cannot write docs/evidence.md")
}

/// The evidence in what tests have printed: set, claim, measured. The name of a test may stand before it.
fn rows(output: &str) -> Vec<[&str; 3]> {
    let fields = |line| -> Option<[&str; 3]> {
        let (_, fields) = str::split_once(line, MARK)?;
        let (set, rest) = fields.split_once(" | ")?;
        let (claim, measured) = rest.split_once(" | ")?;
        Some([set, claim, measured])
    };
    let mut rows: Vec<_> = output.lines().filter_map(fields).collect();
    rows.sort_by_key(|[set, ..]| *set);
    rows
}

/// Day and processor.
pub(crate) fn provenance() -> Result<String> {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let brand = brand(&processors).unwrap_or("an unknown processor");
    let cores = available_parallelism().context("the system does not tell its cores")?;
    let day = Timestamp::now().to_zoned(TimeZone::UTC).date();
    Ok(format!("{day}, {brand}, {cores} cores"))
}

/// The name of the first processor in a list of Linux, which those of Arm do not have.
fn brand(processors: &str) -> Option<&str> {
    let name = processors.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.split_once(':')?.1.trim())
}

/// The page.
fn page(rows: &[[&str; 3]], provenance: &str) -> String {
    let mut page = format!(
        "# Evidence\n\nClaims of the library, and what was measured on real data, by `cargo xtask evidence --data DIR` \
         ({provenance}).\nEach row is a test that fails where the claim does not hold. Iris, wine, breast_cancer, \
         diabetes and digits come with the project.\n\n| set | claim | measured |\n|---|---|---|\n"
    );
    for [set, claim, measured] in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {set} | {claim} | {measured} |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_evidence_become_rows_in_the_order_of_their_sets() {
        let output =
            "test a ... evidence | wine | accuracy | 0.98\nok\nevidence | iris | gap | 1e-9 of J\n";
        let found = rows(output);
        assert_eq!(found, [["iris", "gap", "1e-9 of J"], ["wine", "accuracy", "0.98"]]);
        let page = page(&found, "today");
        assert!(
            page.ends_with(
                "|---|---|---|\n| iris | gap | 1e-9 of J |\n| wine | accuracy | 0.98 |\n"
            )
        );
        assert!(page.contains("(today)"));
    }

    #[test]
    fn the_first_processor_is_named() {
        let two = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: A: B 9\n\nmodel name\t: C\n";
        assert_eq!(brand(two), Some("A: B 9"));
        assert_eq!(brand("processor\t: 0\n"), None);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = run(Path::new("."), Path::new("/no/such/folder")).unwrap_err();
        assert_eq!(error.to_string(), "no folder /no/such/folder");
    }
}
