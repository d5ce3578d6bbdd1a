//! Rule: README.md shows the commands that CI runs, word for word, and the README.md of each crate the
//! first example of its documentation, which is run.

use super::layers::DOCUMENTED;
use super::text_file::TextFile;
use super::violation::Violation;
use crate::commands;

/// Checks README.md at the root and in each crate.
pub(crate) fn check(files: &[TextFile]) -> Vec<Violation> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let mut found: Vec<Violation> = find("README.md").into_iter().flat_map(commands_of).collect();
    for layer in DOCUMENTED {
        let path = format!("crates/{layer}/README.md");
        let example = find(&format!("crates/{layer}/src/lib.rs")).map(example).unwrap_or_default();
        let block = format!("```rust\n{example}```\n");
        if !find(&path).is_some_and(|file| file.text.contains(&block)) {
            let message = format!("does not show the first example of the crate's docs:\n{block}");
            found.push(Violation::new(&path, 1, message));
        }
    }
    found
}

fn commands_of(file: &TextFile) -> impl Iterator<Item = Violation> {
    let shown = [commands::TEST, commands::DEMO].into_iter();
    let missing = shown.filter(|command| !file.text.contains(command));
    let message = |command| format!("does not show `{command}`, which CI runs");
    missing.map(move |command| Violation::new(&file.path, 1, message(command)))
}

/// The lines of the first code block in the header of a file that rustdoc shows.
fn example(file: &TextFile) -> String {
    let header = file.text.lines().map_while(|line| line.strip_prefix("//!"));
    let text = header.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let block = text.skip_while(|line| !line.starts_with("```")).skip(1);
    let code = block.take_while(|line| !line.starts_with("```"));
    let shown = code.filter(|line| *line != "#" && !line.starts_with("# "));
    shown.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The READMEs of all crates without a fault, but for those of which `files` has another version.
    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let mut all: Vec<TextFile> =
            files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
        for layer in DOCUMENTED {
            let path = format!("crates/{layer}/README.md");
            if all.iter().all(|file| file.path != path) {
                all.push(TextFile::new(path, "```rust\nf();\n```\n"));
            }
            let docs =
                "//! A.\n//! ```\n//! f();\n//! # Ok::<(), ()>(())\n//! ```\n//! ```\n//! g();\n";
            all.push(TextFile::new(format!("crates/{layer}/src/lib.rs"), docs));
        }
        check(&all).into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn a_changed_command_is_found() {
        let text = format!("```sh\n{}\n{}\n```\n", commands::TEST, commands::DEMO);
        assert_eq!(messages(&[("README.md", &text)]), [""; 0]);
        assert_eq!(messages(&[("README.md", &text.replace("--locked", ""))]).len(), 2);
        let other = text.replace(commands::TEST, "cargo test");
        let found = messages(&[("README.md", &other)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(commands::TEST));
        assert_eq!(messages(&[("docs/README.md", &other)]), [""; 0]);
    }

    #[test]
    fn an_example_that_differs_is_found() {
        for text in ["# kern-gram\n", "```rust\ng();\n```\n", "```rust\nf();\nh();\n```\n"] {
            let found = messages(&[("crates/kern-gram/README.md", text)]);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].contains("```rust\nf();\n```"), "{found:?}");
        }
    }
}
