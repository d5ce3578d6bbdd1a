//! Rule: every file opens with `//!`, and the root of every crate shows an example there.

use super::fences;
use super::layers::DOCUMENTED;
use super::text_file::TextFile;
use super::violation::Violation;

/// Checks the first line of a Rust file and, in the root of a crate, the example.
pub(crate) fn check(file: &TextFile) -> Option<Violation> {
    if !file.is_rust() {
        return None;
    }
    if !file.text.starts_with("//!") {
        let message = "the file does not start with `//!`: say what it is and its notation";
        return Some(Violation::new(&file.path, 1, message));
    }
    let is_root = DOCUMENTED.iter().any(|layer| file.path == root_of(layer));
    (is_root && !has_example(&file.text)).then(|| {
        let message = "the documentation of the crate has no example: add a code fence";
        Violation::new(&file.path, 1, message)
    })
}

/// Crates without a root file, which the check of files cannot see.
pub(crate) fn missing_roots(files: &[TextFile]) -> Vec<Violation> {
    let roots = DOCUMENTED.iter().map(|layer| root_of(layer));
    let missing = roots.filter(|root| !files.iter().any(|file| file.path == *root));
    missing.map(|root| Violation::new(&root, 1, "the root of the crate is missing")).collect()
}

fn root_of(layer: &str) -> String {
    format!("crates/{layer}/src/lib.rs")
}

fn has_example(text: &str) -> bool {
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
    let fences = fences::openings(header.iter().enumerate().map(|(i, line)| (i + 1, *line)));
    fences.iter().any(fences::Fence::is_rust)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(path: &str, text: &str) -> Option<String> {
        check(&TextFile::new(path, text)).map(|violation| violation.message)
    }

    #[test]
    fn a_file_says_what_it_is() {
        assert_eq!(message("crates/kern-core/src/kernel.rs", "//! Kernels.\n"), None);
        assert_eq!(message("README.md", "# Kern\n"), None);
        for text in ["use std::fmt;\n//! Late.\n", "", "// Kernels.\n", "\n//! Kernels.\n"] {
            let found = message("crates/kern-core/tests/laws.rs", text).unwrap();
            assert!(found.contains("does not start"));
        }
    }

    #[test]
    fn a_crate_shows_an_example() {
        let path = "crates/kern-gram/src/lib.rs";
        assert_eq!(message(path, "//! Gram.\n//!\n//! ```\n//! f();\n//! ```\n"), None);
        let without =
            ["//! Gram.\n", "//! G = K\n//! ```text\n//! a\n//! ```\n", "//! A.\n/// ```\n"];
        for text in without {
            assert!(message(path, text).unwrap().contains("no example"));
        }
    }

    #[test]
    fn a_crate_has_a_root() {
        let mut files: Vec<TextFile> =
            DOCUMENTED.iter().map(|layer| TextFile::new(root_of(layer), "")).collect();
        assert_eq!(missing_roots(&files), []);
        files.remove(1);
        assert_eq!(missing_roots(&files)[0].path, "crates/kern-gram/src/lib.rs");
    }
}
