//! `cargo xtask tidy`: the house rules that rustc, clippy and rustfmt do not know.
//!
//! Each rule is a function from a file to its violations, in a file of its own.

mod allow;
mod claims;
mod cycles;
mod facade;
mod fences;
mod headers;
mod imports;
mod laws;
mod layers;
mod learners;
mod links;
mod literals;
mod panics;
mod places;
mod readme;
mod rust_file;
mod test_code;
mod text_file;
mod tokens;
mod tree;
mod unfinished;
mod violation;

use std::path::Path;

use anyhow::{Result, ensure};

use rust_file::RustFile;
use text_file::TextFile;
use violation::Violation;

pub(crate) use claims::{DIGEST, PAGE};
pub(crate) use test_code::is_test_only;
pub(crate) use tree::paths;

/// Checks the repository at `root`, prints every violation, and fails if there is one.
pub(crate) fn run(root: &Path) -> Result<()> {
    let files = tree::read(root)?;
    let mut found = check(&files);
    found.extend(layers::check(&layers::packages(root)?));
    found.sort();
    for violation in &found {
        println!("{violation}");
    }
    ensure!(found.is_empty(), "tidy: {} violations in {} files", found.len(), files.len());
    println!("tidy: {} files, no violations", files.len());
    Ok(())
}

/// The digest of the tests that print evidence, for the page that is made of it.
pub(crate) fn digest_of_claims(root: &Path) -> Result<String> {
    Ok(claims::digest(&tree::read(root)?))
}

/// Checks everything that is in the files.
fn check(files: &[TextFile]) -> Vec<Violation> {
    let mut found = headers::missing_roots(files);
    found.extend(readme::check(files));
    for file in files {
        found.extend(headers::check(file));
        found.extend(places::check(file));
        found.extend(unfinished::check(file));
    }
    found.extend(learners::check(files));
    found.extend(links::check(files));
    found.extend(claims::check(files));
    let (sources, faults) = parse(files);
    found.extend(faults);
    found.extend(cycles::check(&sources));
    found.extend(laws::check(files, &sources));
    for file in sources.iter().filter(|file| file.source.is_library()) {
        found.extend(check_rust(file));
    }
    found
}

/// The sources of all crates, without the code of modules that are for tests only.
fn parse(files: &[TextFile]) -> (Vec<RustFile<'_>>, Vec<Violation>) {
    let mut faults = Vec::new();
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.is_source()) {
        match RustFile::parse(file) {
            Ok(parsed) => sources.push(parsed),
            Err(violation) => faults.push(violation),
        }
    }
    let modules = sources.iter().flat_map(|file| test_code::test_modules(file.path(), &file.items));
    let modules: Vec<String> = modules.collect();
    for file in sources.iter_mut().filter(|file| test_code::is_within(file.path(), &modules)) {
        file.shipped.clear();
    }
    (sources, faults)
}

fn check_rust(file: &RustFile<'_>) -> Vec<Violation> {
    let mut found = facade::check(file);
    found.extend(fences::check(file));
    found.extend(literals::check(file));
    found.extend(panics::check(file));
    // Last: only now is it known which opt-outs were of use.
    found.extend(file.allows.violations());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The roots of all crates, without a fault, and `extra`.
    fn tree_with(extra: &[(&str, &str)]) -> Vec<TextFile> {
        let roots = layers::LAYERS.iter().map(|layer| {
            let text = "//! A crate.\n//!\n//! ```\n//! assert!(true);\n//! ```\n";
            TextFile::new(format!("crates/{layer}/src/lib.rs"), text)
        });
        let readmes = layers::LAYERS.iter().map(|layer| {
            let text = "```rust\nassert!(true);\n```\n";
            TextFile::new(format!("crates/{layer}/README.md"), text)
        });
        roots
            .chain(readmes)
            .chain(extra.iter().map(|(path, text)| TextFile::new(*path, *text)))
            .collect()
    }

    fn found(path: &str, text: &str) -> Vec<String> {
        let tree = tree_with(&[(path, text)]);
        check(&tree).into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn a_clean_tree_passes() {
        assert_eq!(check(&tree_with(&[])), []);
    }

    #[test]
    fn every_rule_is_asked() {
        let cases = [
            ("xtask/src/a.rs", "fn f() {}\n", "does not start"),
            ("xtask/src/a.rs", "//! A.\nfn f() { todo!() }\n", "placeholder"),
            ("README.md", "# Kern\n", "does not show"),
            ("docs/a.md", "[b](b.md)\n", "no such file"),
            ("docs/evidence.md", "# Evidence\n", "older than the tests"),
            (".ci/run", concat!("cd /ho", "me/me\n"), "one machine"),
            ("crates/kern/src/a.rs", "//! A.\nfn f() {}\n", "the facade holds"),
            ("crates/kern-core/src/kernels/a.rs", "//! A.\npub struct A;\n", "has no line"),
            ("crates/kern-core/src/a.rs", "//! A.\n/// ```ignore\nfn f() {}\n", "ignored example"),
            ("crates/kern-core/src/a.rs", "//! A.\nfn f() { g(1e-8) }\n", "give it a name"),
            ("crates/kern-core/src/a.rs", "//! A.\nfn f() { x.unwrap() }\n", "may panic"),
            ("crates/kern-core/src/a.rs", "//! A.\n// tidy: allow(float)\n", "without a reason"),
            ("crates/kern-core/src/a.rs", "//! A.\nfn f( {}\n", "does not parse"),
        ];
        for (path, text, expected) in cases {
            let messages = found(path, text);
            assert!(messages.iter().any(|m| m.contains(expected)), "{expected}: {messages:?}");
        }
    }

    #[test]
    fn a_file_of_tests_may_panic() {
        let declaration = ("crates/kern-core/src/a.rs", "//! A.\n#[cfg(test)]\nmod tests;\n");
        let tests = ("crates/kern-core/src/a/tests.rs", "//! T.\nfn f() { x.unwrap(); }\n");
        assert_eq!(check(&tree_with(&[declaration, tests])), []);
        assert_eq!(check(&tree_with(&[tests])).len(), 1);
    }
}
