//! Rule: every learner stands in the table of the contract's test.

use super::text_file::TextFile;
use super::violation::Violation;

/// The test that runs the contract for every learner.
const TABLE: &str = "crates/kern-solvers/laws/tests/contract/main.rs";

/// The macro that every learner calls.
const MARK: &str = "fit_sugar!(";

/// Checks that the table names the learner of each file that has one.
pub(crate) fn check(files: &[TextFile]) -> Vec<Violation> {
    let folder = TABLE.trim_end_matches("main.rs");
    let table: String = files
        .iter()
        .filter(|file| file.path.starts_with(folder))
        .map(|f| f.text.as_str())
        .collect();
    let learners = files.iter().filter(|file| file.is_library()).flat_map(learners);
    let missing = learners.filter(|(_, name, _)| !table.contains(&format!("{name}::")));
    let violation = |(line, name, path): (usize, String, String)| {
        let message = format!("the learner {name} is not in the table of {TABLE}");
        Violation::new(&path, line, &message)
    };
    missing.map(violation).collect()
}

/// The learners of a file, each with its line: the types in whose `impl` the macro is called.
fn learners(file: &TextFile) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut name = None;
    for (number, line) in file.lines() {
        if line.starts_with("impl") {
            name = type_of(line);
        }
        if line.trim_start().starts_with(MARK)
            && let Some(name) = &name
        {
            found.push((number, name.clone(), file.path.clone()));
        }
    }
    found
}

/// `Ridge` of `impl<S> Ridge<S> {`.
fn type_of(line: &str) -> Option<String> {
    let rest = line.strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { after_brackets(rest)? } else { rest };
    let name: String = rest.trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
    (!name.is_empty()).then_some(name)
}

/// The text after the first balanced pair of angle brackets.
fn after_brackets(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(table: &str) -> Vec<String> {
        let learner = "//! R.\nimpl<S: Space<P>> Ridge<S> {\n    fit_sugar!(supervised);\n}\n";
        let files = [
            TextFile::new("crates/kern-solvers/src/ridge/ridge_regression.rs", learner),
            TextFile::new(TABLE, table),
        ];
        check(&files).into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn a_learner_outside_the_table_is_noticed() {
        assert_eq!(found("//! T.\nfn t() { run(Ridge::on_kernel(k)); }\n"), Vec::<String>::new());
        let message = found("//! T.\nfn t() { run(Svc::on_kernel(k)); }\n");
        assert!(message[0].contains("learner Ridge is not in the table"), "{message:?}");
    }

    #[test]
    fn the_type_of_an_impl_is_found() {
        assert_eq!(type_of("impl<K: Into<Vec<u8>>> Svc<OnKernel<K>> {").as_deref(), Some("Svc"));
        assert_eq!(type_of("impl Settings {").as_deref(), Some("Settings"));
        assert_eq!(type_of("impl<").as_deref(), None);
    }
}
