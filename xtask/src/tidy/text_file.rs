//! A text file of the repository, and what its path says about it.

/// A text file: path from the root of the workspace, with `/`, and content.
#[derive(Clone, Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Tells whether it belongs to a library or program: Rust under a folder `src`.
    pub(crate) fn is_source(&self) -> bool {
        self.is_rust() && self.path.split('/').any(|part| part == "src")
    }

    /// Tells whether users compile it: Rust under `crates/*/src`.
    pub(crate) fn is_library(&self) -> bool {
        let mut parts = self.path.split('/');
        self.is_rust() && parts.next() == Some("crates") && parts.nth(1) == Some("src")
    }

    /// Lines with their numbers, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_is_what_lies_in_src_of_a_crate() {
        let is_library = |path: &str| TextFile::new(path, "").is_library();
        assert!(is_library("crates/kern-core/src/lib.rs"));
        assert!(is_library("crates/kern-core/src/tile/dot.rs"));
        assert!(!is_library("crates/kern-core/tests/laws.rs"));
        assert!(!is_library("crates/kern-core/src/notes.md"));
        assert!(!is_library("xtask/src/main.rs"));
    }
}
