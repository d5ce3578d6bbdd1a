//! Rule: nothing is left for later: no notes to self, no placeholders, no disabled tests.

use proc_macro2::{TokenStream, TokenTree};

use super::text_file::TextFile;
use super::tokens;
use super::violation::Violation;

// Spliced, so that this file does not break its own rule.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

const PLACEHOLDERS: [&str; 2] = ["todo", "unimplemented"];

/// Checks the text of a Rust or Markdown file, and the tokens of a Rust file.
pub(crate) fn check(file: &TextFile) -> Vec<Violation> {
    let mut found = Vec::new();
    if file.is_rust() || file.is_markdown() {
        found.extend(check_notes(file));
    }
    if file.is_rust() {
        found.extend(check_tokens(file));
    }
    found
}

fn check_notes(file: &TextFile) -> impl Iterator<Item = Violation> {
    file.lines().filter_map(|(line, text)| {
        let note = words(text).find(|word| NOTES.contains(word))?;
        let message = format!("`{note}`: do it now, or describe it as a limit in the docs");
        Some(Violation::new(&file.path, line, message))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

fn check_tokens(file: &TextFile) -> Vec<Violation> {
    // A file that has no tokens does not compile, which the compiler reports better.
    let Ok(stream) = file.text.parse::<TokenStream>() else { return Vec::new() };
    let mut found = Vec::new();
    tokens::walk(stream, &mut |tokens| {
        if let Some(name) = tokens::ident(tokens)
            && PLACEHOLDERS.contains(&name.as_str())
            && tokens::is_punct(&tokens[1..], '!')
        {
            let message = format!("`{name}!`: a placeholder is not code");
            found.push(Violation::new(&file.path, tokens::line(tokens), message));
        }
        if tokens::is_punct(tokens, '#') && disables_test(&tokens[1..]) {
            let message = "a test that does not run: fix it, or remove it";
            found.push(Violation::new(&file.path, tokens::line(tokens), message));
        }
    });
    found
}

/// Tells whether the tokens start with `[ignore …]` or `[cfg_attr(…, ignore)]`.
fn disables_test(tokens: &[TokenTree]) -> bool {
    let Some(TokenTree::Group(group)) = tokens.first() else { return false };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    match tokens::ident(&inner).as_deref() {
        Some("ignore") => true,
        Some("cfg_attr") => {
            let mut has_ignore = false;
            tokens::walk(group.stream(), &mut |tokens| {
                has_ignore |= tokens::ident(tokens).as_deref() == Some("ignore");
            });
            has_ignore
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&TextFile::new(path, text)).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn notes_are_found_as_whole_words() {
        for note in NOTES {
            let text = format!("a\n// {note}: later\n");
            assert_eq!(lines("xtask/src/a.rs", &text), [2]);
            assert_eq!(lines("README.md", &text), [2]);
            assert_eq!(lines("data.csv", &text), [0; 0]);
            assert_eq!(lines("README.md", &format!("{note}X and A_{note}\n")), [0; 0]);
        }
    }

    #[test]
    fn placeholders_are_found_also_in_macros() {
        assert_eq!(lines("a.rs", "fn f() {\n    todo!()\n}\n"), [2]);
        assert_eq!(lines("a.rs", "proptest! {\n fn f() { unimplemented!(\"x\") }\n}\n"), [2]);
        assert_eq!(lines("a.rs", "fn todo() { let s = \"todo!()\"; } // todo!()\n"), [0; 0]);
    }

    #[test]
    fn disabled_tests_are_found() {
        assert_eq!(lines("a.rs", "#[test]\n#[ignore]\nfn f() {}\n"), [2]);
        assert_eq!(lines("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}\n"), [2]);
        assert_eq!(lines("a.rs", "#[test]\n#[cfg_attr(miri, ignore)]\nfn f() {}\n"), [2]);
        assert_eq!(lines("a.rs", "p! {\n#[test] #[ignore] fn f() {}\n}\n"), [2]);
        assert_eq!(lines("a.rs", "/// `#[ignore]`\n#[inline]\nfn ignore() {}\n"), [0; 0]);
    }
}
