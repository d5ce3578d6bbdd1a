//! `cargo xtask public-types`: the types and traits of other crates in the public signatures of the
//! libraries. `docs/decisions/public-types.md` names each with a reason.

mod rustdoc_json;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use rustdoc_json::Usage;

/// The page with the decisions. The first column of its tables has the items, in backticks.
const PAGE: &str = "docs/decisions/public-types.md";

/// The libraries whose signatures count.
const LIBRARIES: [&str; 7] =
    ["kern-core", "kern-gram", "kern-approx", "kern-solvers", "kern-data", "kern-table", "kern"];

/// Our crates without public types of their own.
const OTHERS: [&str; 1] = ["kern-macros"];

/// The folder of what is built for this command: its environment is not that of other builds.
const FOLDER: &str = "target/public-types";

/// Places that a line of the table shows.
const SHOWN: usize = 2;

/// Prints the table; with `check`, an item that the page does not name is an error.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let ours: Vec<String> = LIBRARIES.iter().chain(&OTHERS).map(|name| as_crate(name)).collect();
    let mut all: BTreeMap<String, BTreeMap<Usage, BTreeSet<String>>> = BTreeMap::new();
    for library in LIBRARIES {
        for ((item, usage), places) in document(root, library, &ours)? {
            all.entry(item).or_default().entry(usage).or_default().extend(places);
        }
    }
    println!("| third-party item | used by |\n|---|---|");
    for (item, usages) in &all {
        println!("| `{item}` | {} |", used_by(usages));
    }
    let page =
        fs::read_to_string(root.join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    let named = named(&page);
    let unused: Vec<_> = named.iter().filter(|name| !all.contains_key(**name)).collect();
    if !unused.is_empty() {
        println!("\nnamed in {PAGE}, but in no public signature: {unused:?}");
    }
    let missing: Vec<_> = all.keys().filter(|item| !named.contains(item.as_str())).collect();
    if !missing.is_empty() {
        println!("\nin public signatures, but not named in {PAGE}: {missing:?}");
    }
    ensure!(!check || missing.is_empty(), "{} items are not named in {PAGE}", missing.len());
    Ok(())
}

fn as_crate(package: &str) -> String {
    package.replace('-', "_")
}

/// Runs rustdoc on a library and reads what it has written. The JSON form is not stable, hence the
/// variable, which allows it in a stable toolchain.
fn document(root: &Path, library: &str, ours: &[String]) -> Result<rustdoc_json::Found> {
    let command = format!(
        "cargo rustdoc --locked -p {library} --lib --all-features -- \
         -Z unstable-options --output-format json"
    );
    let target = root.join(FOLDER);
    let mut words = command.split_whitespace();
    let mut process = Command::new(words.next().context("no command")?);
    process.args(words).current_dir(root).env("RUSTC_BOOTSTRAP", "1");
    process.env("CARGO_TARGET_DIR", &target).env_remove("CARGO_MANIFEST_DIR");
    let status = process.status().with_context(|| format!("cannot start `{command}`"))?;
    ensure!(status.success(), "`{command}` ended with {status}");
    let path = target.join("doc").join(as_crate(library)).with_extension("json");
    let file = File::open(&path).with_context(|| format!("expected {}", path.display()))?;
    let json: serde_json::Value = serde_json::from_reader(BufReader::new(file))
        .with_context(|| format!("{} is no JSON", path.display()))?;
    rustdoc_json::read(&json, ours).with_context(|| format!("in {}", path.display()))
}

/// The usages of an item, each with its first places.
fn used_by(usages: &BTreeMap<Usage, BTreeSet<String>>) -> String {
    let usage = |(usage, places): (&Usage, &BTreeSet<String>)| {
        let shown: Vec<_> = places.iter().take(SHOWN).map(|place| format!("`{place}`")).collect();
        let further = match places.len().saturating_sub(SHOWN) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        format!("{}: {}{further}", usage.name(), shown.join(", "))
    };
    usages.iter().map(usage).collect::<Vec<_>>().join("; ")
}

/// The names in backticks in the first column of the page's tables.
fn named(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix('|'));
    let cells = rows.filter_map(|row| row.split('|').next());
    // What is between the first and the second backtick, the third and the fourth, and so on.
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_items_in_its_first_column() {
        let page = "`no::Row`\n\n| item | why |\n|---|---|\n| `a::B`, `rand` | by `c::D` |\n";
        assert_eq!(named(page), BTreeSet::from(["a::B", "rand"]));
    }

    #[test]
    fn a_line_shows_the_first_places() {
        let places = ["a", "b", "c"].map(str::to_owned);
        let usages = BTreeMap::from([(Usage::Signature, BTreeSet::from(places))]);
        assert_eq!(used_by(&usages), "signatures: `a`, `b` and 1 more");
    }
}
