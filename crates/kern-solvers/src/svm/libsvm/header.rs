//! The lines before the support vectors.

use super::{Kind, ModelFileError};
use kern_core::libsvm::Number;
use std::collections::BTreeMap;
use std::io::BufRead;

/// Lines by their first words.
#[derive(Debug)]
pub(super) struct Header {
    fields: BTreeMap<String, String>,
    /// The number of lines, that of `SV` among them.
    pub(super) lines: usize,
}

/// The kinds with their names.
pub(super) const KINDS: [(Kind, &str); 5] = [
    (Kind::CSvc, "c_svc"),
    (Kind::NuSvc, "nu_svc"),
    (Kind::OneClass, "one_class"),
    (Kind::EpsilonSvr, "epsilon_svr"),
    (Kind::NuSvr, "nu_svr"),
];

impl Header {
    /// Reads up to the line `SV`, or the end.
    pub(super) fn read(input: &mut impl BufRead) -> Result<Self, ModelFileError> {
        let (mut fields, mut lines, mut text) = (BTreeMap::new(), 0, String::new());
        while input.read_line(&mut text)? > 0 {
            lines += 1;
            let line = text.trim();
            if line == "SV" {
                break;
            }
            let (name, values) = line.split_once(' ').unwrap_or((line, ""));
            if name.is_empty() || fields.insert(name.to_owned(), values.to_owned()).is_some() {
                let expected = "a name that did not occur before, and values";
                return Err(ModelFileError::Line { line: lines, expected });
            }
            text.clear();
        }
        Ok(Self { fields, lines })
    }

    pub(super) fn kind(&self) -> Result<Kind, ModelFileError> {
        let given = self.word("svm_type")?;
        let found = KINDS.iter().find(|(_, name)| *name == given);
        let expected = "one of c_svc, nu_svc, one_class, epsilon_svr, nu_svr";
        Ok(found.ok_or(ModelFileError::Header { name: "svm_type", expected })?.0)
    }

    /// True if there is a line of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The text after a name.
    pub(super) fn word(&self, name: &'static str) -> Result<&str, ModelFileError> {
        let expected = "a line in the header";
        let found = self.fields.get(name).ok_or(ModelFileError::Header { name, expected })?;
        Ok(found.trim())
    }

    /// So many numbers.
    pub(super) fn numbers<N: Number>(
        &self,
        name: &'static str,
        count: usize,
    ) -> Result<Vec<N>, ModelFileError> {
        let words = self.word(name)?.split_ascii_whitespace();
        let numbers: Option<Vec<N>> = words.map(N::read).collect();
        let expected = "as many finite numbers as there are classes, pairs of them, or one";
        let fitting = numbers.filter(|numbers| numbers.len() == count);
        fitting.ok_or(ModelFileError::Header { name, expected })
    }
}
