//! Real data, which tests do without where it is not there.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use flate2::read::GzDecoder;
use std::env;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The lines of a set but for its head, if it is there.
pub(crate) fn lines(name: &str) -> Option<Vec<String>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = env::var_os("KERN_DATA").map_or_else(beside, Into::into);
    if let Ok(text) = fs::read_to_string(folder.join(format!("{name}.csv"))) {
        return Some(below_the_head(&text));
    }
    let Ok(file) = fs::File::open(folder.join(format!("{name}.csv.gz"))) else {
        #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
        {
            eprintln!("skipped: no {name} in {}", folder.display());
        }
        return None;
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    Some(below_the_head(&text))
}

fn below_the_head(text: &str) -> Vec<String> {
    text.lines().skip(1).map(str::to_owned).collect()
}

/// The numbers of a set, row by row, if it is there.
pub(crate) fn numbers(name: &str) -> Option<Vec<Vec<f64>>> {
    let row = |line: &String| line.split(',').map(|cell| cell.trim().parse().unwrap()).collect();
    Some(lines(name)?.iter().map(row).collect())
}
