//! A folder of texts: one file per text, one subfolder per class.

use super::records::{Records, Widths};
use crate::Error;
use crate::cells::Dress;
use crate::error::{File, Place};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of a folder, sorted by name.
pub(super) struct Files {
    /// The class and path of each file, in reverse order.
    files: Vec<(String, PathBuf)>,
    file: File,
}

impl Files {
    pub(super) fn new(folder: &Path, file: File) -> Result<Self, Error> {
        let mut files = Vec::new();
        let found = entries(folder).and_then(|paths| {
            for path in paths {
                match path.is_dir() {
                    true => {
                        let inner = entries(&path)?.into_iter().filter(|path| path.is_file());
                        files.extend(inner.map(|inner| (name(&path), inner)));
                    }
                    false => files.push((String::new(), path)),
                }
            }
            Ok(())
        });
        found.map_err(|source| Error::Io { file: file.clone(), source })?;
        files.reverse();
        Ok(Self { files, file })
    }
}

/// The visible paths in a folder, sorted by name.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    paths.retain(|path| !name(path).starts_with('.'));
    paths.sort_unstable();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Removes the header lines and line breaks of FASTA files.
fn sequence(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with(['>', ';'])).map(str::trim).collect()
}

impl Records for Files {
    fn names(&self) -> Vec<String> {
        ["class", "file", "text"].map(String::from).to_vec()
    }

    fn next(&mut self, columns: &mut Widths) -> Result<bool, Error> {
        let Some((class, path)) = self.files.pop() else { return Ok(false) };
        let file = File::of(&path);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|source| Error::Io { file: file.clone(), source })?;
        let is_fasta = path.extension().is_some_and(|end| {
            ["fa", "fasta", "fna", "faa"].iter().any(|fasta| end.eq_ignore_ascii_case(fasta))
        });
        let text = if is_fasta { sequence(&text) } else { text };
        let place = || Place { file: file.clone(), line: None };
        columns.push(0, &class, Dress::Quoted, place)?;
        columns.push(1, &name(&path), Dress::Quoted, place)?;
        columns.push(2, &text, Dress::Quoted, place)?;
        Ok(true)
    }

    fn file(&self) -> &File {
        &self.file
    }
}
