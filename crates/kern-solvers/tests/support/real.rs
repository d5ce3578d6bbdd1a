//! Real data for the tests of all crates, and the claims that `cargo xtask evidence` collects from them.
//!
//! A program that includes this file lists in `crate::SETS` the sets it uses beyond the five that come with the project.
//! Those may be missing: their tests then end early, and [`data_that_was_not_there`] prints their names.
#![allow(dead_code, reason = "no program needs all of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]
#![allow(clippy::print_stdout, reason = "evidence is worth seeing")]

use flate2::read::GzDecoder;
use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{Read, Write, stderr};
use std::path::{Path, PathBuf};
use std::thread;

/// The sets in `examples/data`.
const SHIPPED: [&str; 5] = ["breast_cancer", "diabetes", "digits", "iris", "wine"];

/// The endings of files, each with or without `.gz`.
const ENDINGS: [&str; 7] = ["csv", "svm", "tsv", "graphs.txt", "npy", "idx3-ubyte", "idx1-ubyte"];

/// The folders to look in: `KERN_DATA`, then `shared/data` next to the workspace, then the project's own.
fn folders() -> impl Iterator<Item = PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given = env::var_os("KERN_DATA").map(PathBuf::from);
    given.into_iter().chain([here.join("../../../shared/data"), here.join("../../examples/data")])
}

fn find(set: &str) -> Option<PathBuf> {
    let files = |folder: PathBuf| {
        let named = |ending| [format!("{set}.{ending}"), format!("{set}.{ending}.gz")];
        ENDINGS.into_iter().flat_map(named).map(move |file| folder.join(file))
    };
    folders().flat_map(files).find(|path| path.is_file())
}

/// Tells whether missing data is an error.
fn is_required() -> bool {
    env::var_os("KERN_EVIDENCE").is_some()
}

/// The contents of a set, uncompressed, if it is there. The five of the project always are.
///
/// # Panics
/// If `SETS` does not list the set, or if it is missing although it comes with the project or `KERN_EVIDENCE` is set.
pub(crate) fn bytes(set: &str) -> Option<Vec<u8>> {
    let is_shipped = SHIPPED.contains(&set);
    assert!(is_shipped || crate::SETS.contains(&set), "SETS does not list {set}");
    let Some(path) = find(set) else {
        assert!(!is_shipped, "{set} is missing in examples/data");
        assert!(!is_required(), "{set} is missing: set KERN_DATA to the folder of the data");
        return None;
    };
    let mut contents = fs::read(&path).unwrap();
    if path.extension().is_some_and(|ending| ending == "gz") {
        let packed = std::mem::take(&mut contents);
        GzDecoder::new(&*packed).read_to_end(&mut contents).unwrap();
    }
    Some(contents)
}

/// The text of a set, if it is there.
pub(crate) fn text(set: &str) -> Option<String> {
    Some(String::from_utf8(bytes(set)?).unwrap())
}

/// The lines of a set below its header, if it is there.
pub(crate) fn lines(set: &str) -> Option<Vec<String>> {
    Some(text(set)?.lines().skip(1).map(str::to_owned).collect())
}

/// The rows of a table of numbers, if it is there.
pub(crate) fn numbers(set: &str) -> Option<Vec<Vec<f64>>> {
    let row = |line: &String| line.split(',').map(|cell| cell.trim().parse().unwrap()).collect();
    Some(lines(set)?.iter().map(row).collect())
}

/// Asserts a claim about a set, and prints it, with what was measured, as a row for docs/evidence.md.
#[track_caller]
pub(crate) fn claim(holds: bool, set: &str, claim: impl Display, measured: impl Display) {
    assert!(holds, "{set}: {claim}: {measured}");
    let (program, test) = (env!("CARGO_CRATE_NAME"), thread::current());
    let test = test.name().unwrap_or("unnamed");
    println!("evidence | {set} | {claim} | {measured} | {program}::{test}");
}

/// Reports that something other than data is missing, so that a test ends early.
///
/// # Panics
/// If `KERN_EVIDENCE` is set.
pub(crate) fn skipped(why: &str) {
    assert!(!is_required(), "{why}");
    notice(&format!("skipped: {why}"));
}

/// Writes a line that stands in the output of tests that pass, too: only macros like `eprintln!` are captured.
fn notice(line: &str) {
    // In one piece, as other tests write at the same time. If nobody reads it, the tests are still right.
    let _ = stderr().write_all(format!("{line}\n").as_bytes());
}

/// Prints the sets that were not tested.
#[test]
fn data_that_was_not_there() {
    let missing: Vec<&str> =
        crate::SETS.iter().copied().filter(|set| find(set).is_none()).collect();
    if missing.is_empty() {
        return;
    }
    let line = format!(
        "{} {}: {} of the {} data sets it uses beyond those in examples/data are missing, and no law on them was \
         tested: {}; set KERN_DATA to their folder",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_CRATE_NAME"),
        missing.len(),
        crate::SETS.len(),
        missing.join(", ")
    );
    assert!(!is_required(), "{line}");
    notice(&line);
}

#[test]
fn the_five_sets_of_the_project_are_there() {
    let rows = |set| bytes(set).unwrap().iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(SHIPPED.map(rows), [570, 443, 1798, 151, 179]);
}

#[test]
#[should_panic(expected = "SETS does not list unheard_of")]
fn a_set_that_is_not_listed_is_refused() {
    bytes("unheard_of");
}
