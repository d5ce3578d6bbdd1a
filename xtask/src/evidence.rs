//! `cargo xtask evidence`: what the library claims, shown on real data, as a table in docs/evidence.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use jiff::{Timestamp, tz::TimeZone};

use crate::commands;
use crate::tidy::{self, DIGEST, PAGE};

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
    let rows = rows(&text);
    ensure!(!rows.is_empty(), "{text}\nno test has printed evidence");
    let page = page(
        &rows,
        &format!("{}, {}", provenance()?, commit(root)),
        &tidy::digest_of_claims(root)?,
    );
    print!("{page}");
    fs::write(root.join(PAGE), page).with_context(|| format!("cannot write {PAGE}"))
}

/// The evidence in what tests have printed: set, claim, measured, test. Other output may stand before it. Tests run at the same
/// time, so the order is that of sets and tests.
fn rows(output: &str) -> Vec<[&str; 4]> {
    let fields = |line| -> Option<[&str; 4]> {
        let (_, fields) = str::split_once(line, MARK)?;
        let (set, rest) = fields.split_once(" | ")?;
        let (claim, rest) = rest.split_once(" | ")?;
        let (measured, test) = rest.rsplit_once(" | ")?;
        Some([set, claim, measured, test])
    };
    let mut rows: Vec<_> = output.lines().filter_map(fields).collect();
    rows.sort_by_key(|[set, _, _, test]| (*set, *test));
    rows
}

/// The commit that the tests are of, if that is known.
fn commit(root: &Path) -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(head) = git(&["rev-parse", "HEAD"]) else { return "an unknown commit".into() };
    let is_clean = git(&["status", "--porcelain"]).is_some_and(|changes| changes.is_empty());
    format!("commit {head}{}", if is_clean { "" } else { " with changes" })
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
fn page(rows: &[[&str; 4]], provenance: &str, digest: &str) -> String {
    let mut page = format!(
        "# Evidence\n\nClaims of the library, and what was measured on real data, by `cargo xtask evidence --data DIR`.\n\
         The test in the last column asserts the claim of its row: the run fails if one does not hold. Iris, wine, \
         breast_cancer, diabetes and digits come with the project.\n\nMade {provenance}; {DIGEST}{digest}. \
         `cargo xtask tidy` fails when the tests change and the page does not.\n\n\
         | set | claim | measured | test |\n|---|---|---|---|\n"
    );
    for [set, claim, measured, test] in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {set} | {claim} | {measured} | `{test}` |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_evidence_become_rows_in_the_order_of_their_sets_and_tests() {
        let output = "test a ... evidence | wine | accuracy | 0.98 | a::b\nok\n\
                      evidence | iris | gap | 2e-9 of J | a::b\nevidence | iris | gap | 1e-9 | a::a\n\
                      evidence | iris | again | |x| < 1 | a::b\n";
        let found = rows(output);
        let expected = [
            ["iris", "gap", "1e-9", "a::a"],
            ["iris", "gap", "2e-9 of J", "a::b"],
            ["iris", "again", "|x| < 1", "a::b"],
            ["wine", "accuracy", "0.98", "a::b"],
        ];
        assert_eq!(found, expected);
        let page = page(&found[..1], "today", "0123");
        assert!(page.ends_with("|---|---|---|---|\n| iris | gap | 1e-9 | `a::a` |\n"));
        assert!(page.contains("Made today; digest of the tests: 0123."));
    }

    #[test]
    fn what_has_no_history_has_an_unknown_commit() {
        assert_eq!(commit(Path::new("/")), "an unknown commit");
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
