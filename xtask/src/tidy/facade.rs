//! Rule: the facade has no code of its own and names everything that it re-exports.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Item, UseGlob, Visibility};

use super::rust_file::RustFile;
use super::violation::Violation;

const FOLDER: &str = "crates/kern/src/";

/// Checks a file; only those of the facade can fail.
pub(crate) fn check(file: &RustFile<'_>) -> Vec<Violation> {
    if file.source.path.starts_with(FOLDER) { check_items(file, &file.items) } else { Vec::new() }
}

fn check_items(file: &RustFile<'_>, items: &[Item]) -> Vec<Violation> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Use(import) if is_public(&import.vis) => {
                let mut globs = Globs::default();
                globs.visit_item_use(import);
                let message = "glob re-export in the facade: name what is re-exported";
                found.extend(globs.lines.into_iter().map(|line| file.violation(line, message)));
            }
            Item::Mod(module) if is_public(&module.vis) => {
                let inner = module.content.iter().flat_map(|(_, items)| check_items(file, items));
                found.extend(inner);
            }
            other => {
                let line = other.span().start().line;
                let message = "the facade holds only `pub use` and `pub mod`";
                found.push(file.violation(line, message));
            }
        }
    }
    found
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

#[derive(Default)]
struct Globs {
    lines: Vec<usize>,
}

impl Visit<'_> for Globs {
    fn visit_use_glob(&mut self, glob: &UseGlob) {
        self.lines.push(glob.star_token.span.start().line);
        visit::visit_use_glob(self, glob);
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_file::TextFile;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = TextFile::new(path, text);
        check(&RustFile::parse(&source).unwrap()).iter().map(|v| v.line).collect()
    }

    #[test]
    fn re_exports_by_name_are_the_facade() {
        let text = "//! Kern.\npub use kern_core::{Error, Kernel};\npub mod gram {\n    \
                    //! Gram.\n    pub use kern_gram::DenseGram;\n}\npub mod prelude;\n";
        assert_eq!(lines("crates/kern/src/lib.rs", text), [0; 0]);
    }

    #[test]
    fn code_and_globs_are_not() {
        let text = "//! Kern.\npub use kern_core::{kernels::*, Error};\npub mod gram {\n    \
                    pub use kern_gram::*;\n    pub struct S;\n}\nfn f() {}\nuse kern_core::X;\n\
                    mod hidden;\nimpl S {}\n";
        assert_eq!(lines("crates/kern/src/lib.rs", text), [2, 4, 5, 7, 8, 9, 10]);
        assert_eq!(lines("crates/kern-core/src/lib.rs", text), [0; 0]);
    }
}
