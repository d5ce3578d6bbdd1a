//! Rule: examples in the documentation of the library are compiled and run.

use super::allow::Rule;
use super::rust_file::RustFile;
use super::violation::Violation;

/// The opening line of a code fence in a doc comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    line: usize,
    tags: Vec<&'a str>,
}

impl Fence<'_> {
    /// Tells whether rustdoc takes the block for Rust.
    pub(crate) fn is_rust(&self) -> bool {
        const RUST: [&str; 5] = ["rust", "should_panic", "no_run", "compile_fail", "ignore"];
        self.tags.iter().all(|tag| RUST.contains(tag) || tag.starts_with("edition"))
    }

    fn has(&self, tag: &str) -> bool {
        self.tags.contains(&tag)
    }

    /// Also `ignore-<target>`.
    fn is_ignored(&self) -> bool {
        self.tags.iter().any(|tag| *tag == "ignore" || tag.starts_with("ignore-"))
    }
}

/// The fences that the doc comments among `lines` open.
pub(crate) fn openings<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Fence<'a>> {
    let mut found = Vec::new();
    let mut is_open = false;
    for (line, text) in lines {
        let text = text.trim_start();
        let Some(doc) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            is_open = false;
            continue;
        };
        let Some(info) = doc.trim_start().strip_prefix("```") else { continue };
        if !is_open {
            let tags = info.split([',', ' ']).filter(|tag| !tag.is_empty()).collect();
            found.push(Fence { line, tags });
        }
        is_open = !is_open;
    }
    found
}

/// Finds `ignore`, and `no_run` without a reason.
pub(crate) fn check(file: &RustFile<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for fence in openings(file.source.lines()) {
        if fence.is_ignored() {
            found.push(file.violation(fence.line, "an ignored example: let it run, or remove it"));
        } else if fence.has("no_run") && !file.allows.permits(Rule::NoRun, fence.line) {
            let message = "an example that does not run: let it run, or say why not with \
                           `// tidy: allow(no_run) because ...` above the doc comment";
            found.push(file.violation(fence.line, message));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::rust_file::check_snippet;
    use super::*;

    fn lines(snippet: &str) -> Vec<usize> {
        check_snippet(check, snippet).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn examples_that_do_not_run_are_found() {
        let fence = |tags: &str| format!("/// A.\n/// ```{tags}\n/// f();\n/// ```\nfn f() {{}}\n");
        for tags in ["ignore", "no_run", "rust,no_run", "rust, ignore", "ignore-windows"] {
            assert_eq!(lines(&fence(tags)), [2], "{tags}");
        }
        for tags in ["", "rust", "text", "compile_fail", "should_panic"] {
            assert_eq!(lines(&fence(tags)), [0; 0], "{tags}");
        }
    }

    #[test]
    fn no_run_may_have_a_reason_but_ignore_may_not() {
        let reason = "// tidy: allow(no_run) because it fills the disk\n/// A.\n";
        assert_eq!(lines(&format!("{reason}/// ```no_run\n/// ```\nfn f() {{}}\n")), [0; 0]);
        assert_eq!(lines(&format!("{reason}/// ```ignore\n/// ```\nfn f() {{}}\n")), [3]);
    }

    #[test]
    fn closing_lines_and_ordinary_comments_open_nothing() {
        let text = "/// ```\n/// a\n/// ```\n/// ```text\n/// ```\nfn f() {}\n// ```ignore\n";
        let fences = openings(text.lines().enumerate());
        assert_eq!(fences.len(), 2);
        assert!(fences[0].is_rust() && !fences[1].is_rust());
    }
}
