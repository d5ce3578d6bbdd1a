//! A parsed Rust file of the library.

use syn::Item;

use super::allow::Allows;
use super::test_code;
use super::text_file::TextFile;
use super::violation::Violation;

/// A file under `crates/*/src`, as the rules look at it.
pub(crate) struct RustFile<'a> {
    pub(crate) source: &'a TextFile,
    /// All items.
    pub(crate) items: Vec<Item>,
    /// The items that users compile.
    pub(crate) shipped: Vec<Item>,
    pub(crate) allows: Allows,
}

impl<'a> RustFile<'a> {
    pub(crate) fn parse(source: &'a TextFile) -> Result<Self, Violation> {
        let tree = syn::parse_file(&source.text).map_err(|error| {
            let line = error.span().start().line;
            Violation::new(&source.path, line, format!("does not parse as Rust: {error}"))
        })?;
        let shipped = if test_code::is_test_only(&tree.attrs) {
            Vec::new()
        } else {
            test_code::without_tests(&tree.items)
        };
        let allows = Allows::read(source);
        Ok(Self { source, items: tree.items, shipped, allows })
    }

    pub(crate) fn path(&self) -> &str {
        &self.source.path
    }

    pub(crate) fn violation(&self, line: usize, message: impl Into<String>) -> Violation {
        Violation::new(self.path(), line, message)
    }
}

/// Runs a rule on a snippet, as if it were a file of a crate: what the unit tests of the rules use.
#[cfg(test)]
pub(crate) fn check_snippet(
    rule: fn(&RustFile<'_>) -> Vec<Violation>,
    snippet: &str,
) -> Vec<(usize, String)> {
    let source = TextFile::new("crates/a/src/b.rs", snippet);
    let file = RustFile::parse(&source).unwrap();
    rule(&file).into_iter().map(|v| (v.line, v.message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unparsable_file_is_a_violation() {
        let source = TextFile::new("crates/a/src/b.rs", "//! B.\nfn f( {}\n");
        let violation = RustFile::parse(&source).err().unwrap();
        assert_eq!((violation.path.as_str(), violation.line), ("crates/a/src/b.rs", 2));
    }

    #[test]
    fn a_file_for_tests_ships_nothing() {
        let source = TextFile::new("crates/a/src/b.rs", "#![cfg(test)]\nfn f() {}\n");
        let file = RustFile::parse(&source).unwrap();
        assert_eq!((file.items.len(), file.shipped.len()), (1, 0));
    }
}
