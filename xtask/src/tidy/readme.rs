//! Rule: README.md shows the commands that CI runs, word for word.

use super::text_file::TextFile;
use super::violation::Violation;
use crate::commands;

/// Checks README.md; other files pass.
pub(crate) fn check(file: &TextFile) -> Vec<Violation> {
    if file.path != "README.md" {
        return Vec::new();
    }
    let shown = [commands::TEST, commands::DEMO].into_iter();
    let missing = shown.filter(|command| !file.text.contains(command));
    let message = |command| format!("does not show `{command}`, which CI runs");
    missing.map(|command| Violation::new(&file.path, 1, message(command))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_command_is_found() {
        let text = format!("```sh\n{}\n{}\n```\n", commands::TEST, commands::DEMO);
        assert_eq!(check(&TextFile::new("README.md", text.as_str())), []);
        assert_eq!(check(&TextFile::new("README.md", text.replace("--locked", ""))).len(), 2);
        let other = text.replace(commands::TEST, "cargo test");
        let found = check(&TextFile::new("README.md", other.as_str()));
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains(commands::TEST));
        assert_eq!(check(&TextFile::new("docs/README.md", other)), []);
    }
}
