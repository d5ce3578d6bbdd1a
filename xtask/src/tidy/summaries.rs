//! Rule: the first line of a doc comment names the thing and does not open with a question word.

use super::text_file::TextFile;
use super::violation::Violation;

const OPENINGS: [&str; 9] =
    ["What", "Whether", "How", "Where", "Which", "That", "Those", "Why", "When"];

/// Checks a Rust file.
pub(crate) fn check(file: &TextFile) -> Vec<Violation> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut above = None;
    for (line, text) in file.lines() {
        let doc = doc_comment(text);
        if let Some((mark, summary)) = doc
            && above != Some(mark)
            && let Some(word) = opening(summary)
        {
            let message = format!("the summary opens with `{word}`: name the thing instead");
            found.push(Violation::new(&file.path, line, message));
        }
        above = doc.map(|(mark, _)| mark);
    }
    found
}

/// The mark of a doc comment and the text after it.
fn doc_comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (mark, text) = line.split_at_checked(3)?;
    (matches!(mark, "///" | "//!") && !text.starts_with('/')).then_some((mark, text))
}

fn opening(summary: &str) -> Option<&'static str> {
    let first = summary.trim_start().split(|c: char| !c.is_alphanumeric()).next()?;
    OPENINGS.into_iter().find(|word| *word == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&TextFile::new("xtask/src/a.rs", text)).into_iter().map(|v| v.line).collect()
    }

    #[test]
    fn question_words_are_found_in_first_lines() {
        for word in OPENINGS {
            assert_eq!(
                lines(&format!("//! {word} is.\n\n    /// {word}'s this.\nfn f() {{}}\n")),
                [1, 3]
            );
        }
        assert_eq!(lines("//! A.\n/// Where it is.\nfn f() {}\n"), [2]);
    }

    #[test]
    fn later_lines_other_words_and_ordinary_comments_are_not() {
        let text = "//! Kernels.\n//! How they are made.\n// What is this?\n/// Whatever works.\n\
                    fn f() {}\n//// What a line.\nlet s = \"/// What\";\n";
        assert_eq!(lines(text), [0; 0]);
    }

    #[test]
    fn markdown_may_ask() {
        assert_eq!(check(&TextFile::new("README.md", "/// What\n")), []);
    }
}
