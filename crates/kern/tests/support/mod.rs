//! Real data sets for integration tests: read from a directory that is not part of the project.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// The text of a compressed data file, or None with a printed notice if it is not there.
///
/// The directory is `KERN_DATA`, by default `shared/data` beside the workspace.
pub(crate) fn read(name: &str) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("KERN_DATA").map_or_else(beside, PathBuf::from).join(name);
    let Ok(file) = File::open(&path) else {
        println!("skipped: {name} is not in {}", path.display());
        return None;
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("the file is gzip-compressed UTF-8");
    Some(text)
}
