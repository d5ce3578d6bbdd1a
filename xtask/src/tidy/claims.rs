//! Rule: docs/evidence.md was made by the tests as they are, and by every program that tests real data.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::text_file::TextFile;
use super::violation::Violation;
use crate::commands;

/// The page.
pub(crate) const PAGE: &str = "docs/evidence.md";

/// The text before the digest in the page.
pub(crate) const DIGEST: &str = "digest of the tests: ";

/// The file that every program with real data includes.
const SUPPORT: &str = "support/real.rs";

/// Checks the page and the command that makes it.
pub(crate) fn check(files: &[TextFile]) -> Vec<Violation> {
    let page = files.iter().find(|file| file.path == PAGE);
    page.and_then(|page| outdated(page, files)).into_iter().chain(left_out(files)).collect()
}

fn outdated(page: &TextFile, files: &[TextFile]) -> Option<Violation> {
    let digest = digest(files);
    if page.text.contains(&format!("{DIGEST}{digest}")) {
        return None;
    }
    let message = format!(
        "is older than the tests that assert its claims, whose digest is {digest}: make it with \
         `cargo xtask evidence --data DIR`"
    );
    Some(Violation::new(&page.path, 1, message))
}

/// Programs with real data that `cargo xtask evidence` does not run.
fn left_out(files: &[TextFile]) -> impl Iterator<Item = Violation> {
    let words: Vec<&str> = commands::EVIDENCE.split_whitespace().collect();
    let runs = move |option, name| words.windows(2).any(|pair| pair == [option, name]);
    files.iter().filter_map(move |file| {
        let (package, program) = program(&file.path)?;
        let is_main = file.path.ends_with("/main.rs") && file.text.contains(SUPPORT);
        let message = || {
            format!(
                "tests real data: EVIDENCE in xtask/src/commands.rs needs `-p {package} --test {program}`"
            )
        };
        (is_main && !(runs("-p", package) && runs("--test", program)))
            .then(|| Violation::new(&file.path, 1, message()))
    })
}

/// The package and the program of a path `crates/PACKAGE/tests/PROGRAM/…`.
fn program(path: &str) -> Option<(&str, &str)> {
    let (package, rest) = path.strip_prefix("crates/")?.split_once("/tests/")?;
    Some((package, rest.split_once('/')?.0))
}

/// A hash of the tests that print evidence, in hexadecimal. Comments, docs and spaces do not change it, nor does the age of the
/// clone: no history is needed.
pub(crate) fn digest(files: &[TextFile]) -> String {
    let mut sources: Vec<(&str, String)> =
        files.iter().filter_map(|file| Some((&*file.path, claims(file)?))).collect();
    sources.sort();
    let bytes = sources.iter().flat_map(|(path, text)| path.bytes().chain(text.bytes()));
    // FNV-1a.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The code of a file of tests that calls `claim`.
fn claims(file: &TextFile) -> Option<String> {
    program(&file.path).filter(|_| file.is_rust() && file.text.contains("claim("))?;
    // What does not parse does not compile either.
    let tokens: TokenStream = file.text.parse().ok()?;
    let mut code = String::new();
    append(tokens, &mut code);
    Some(code)
}

/// Appends tokens, but for attributes with docs.
fn append(tokens: TokenStream, code: &mut String) {
    let mut attribute = String::new();
    for token in tokens {
        let is_attribute =
            matches!(&token, TokenTree::Punct(p) if matches!(p.as_char(), '#' | '!'));
        match &token {
            TokenTree::Punct(punct) if is_attribute => attribute.push(punct.as_char()),
            TokenTree::Group(group) if attribute.starts_with('#') && is_doc(&group.stream()) => {
                attribute.clear();
            }
            other => {
                code.push_str(&std::mem::take(&mut attribute));
                if let TokenTree::Group(group) = other {
                    code.push(opening(group.delimiter()));
                    append(group.stream(), code);
                    code.push(' ');
                } else {
                    code.push_str(&other.to_string());
                    code.push(' ');
                }
            }
        }
    }
    code.push_str(&attribute);
}

fn is_doc(attribute: &TokenStream) -> bool {
    matches!(attribute.clone().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

fn opening(delimiter: Delimiter) -> char {
    match delimiter {
        Delimiter::Brace => '{',
        Delimiter::Bracket => '[',
        _ => '(',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/kern/tests/facade/a.rs";

    fn digest_of(text: &str) -> String {
        digest(&[TextFile::new(PATH, text)])
    }

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
        check(&files).into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn the_digest_is_that_of_code() {
        let digest = digest_of("//! A.\nfn f() { claim(x < 1.0, \"a\"); }\n");
        let same = "//! B.\n/// C.\n fn f() {\n // D.\n claim(x < 1.0, \"a\");\n}\n";
        assert_eq!(digest_of(same), digest);
        for other in [
            "fn f() { claim(x < 2.0, \"a\"); }",
            "fn f() { claim(x < 1.0, \"b\"); }",
            "fn f() { claim(!x < 1.0, \"a\"); }",
            "#[test] fn f() { claim(x < 1.0, \"a\"); }",
        ] {
            assert_ne!(digest_of(other), digest, "{other}");
        }
        let moved = TextFile::new("crates/kern/tests/facade/b.rs", same);
        assert_ne!(super::digest(&[moved]), digest);
    }

    #[test]
    fn only_tests_with_claims_count() {
        let empty = digest(&[]);
        assert_eq!(digest_of("fn f() { g(); }"), empty);
        assert_eq!(digest(&[TextFile::new("xtask/src/a.rs", "fn f() { claim(x); }")]), empty);
    }

    #[test]
    fn a_page_of_older_tests_is_found() {
        let test = (PATH, "fn f() { claim(x < 1.0, \"a\"); }");
        let page = format!("# Evidence\n\n{DIGEST}{}\n", digest_of(test.1));
        assert_eq!(messages(&[test, (PAGE, &page)]), [""; 0]);
        let changed = (PATH, "fn f() { claim(x < 2.0, \"a\"); }");
        let found = messages(&[changed, (PAGE, &page)]);
        assert!(found.len() == 1 && found[0].contains("cargo xtask evidence"), "{found:?}");
        assert_eq!(messages(&[changed]), [""; 0]);
    }

    #[test]
    fn a_program_that_is_not_run_is_found() {
        let text = "#[path = \"../support/real.rs\"]\nmod real;\n";
        assert_eq!(messages(&[("crates/kern/tests/facade/main.rs", text)]), [""; 0]);
        let found = messages(&[("crates/kern-gram/tests/gram/main.rs", text)]);
        assert!(found[0].contains("-p kern-gram --test gram"), "{found:?}");
        assert_eq!(messages(&[("crates/kern-gram/tests/gram/main.rs", "mod a;\n")]), [""; 0]);
    }
}
