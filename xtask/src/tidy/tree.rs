//! The text files of the repository: tracked ones and new ones, not the ignored ones.

use std::path::Path;
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result, ensure};

use super::text_file::TextFile;

/// Reads all text files below `root`. What is not UTF-8 or holds a NUL is data, not text.
pub(crate) fn read(root: &Path) -> Result<Vec<TextFile>> {
    let mut files = Vec::new();
    for path in paths(root)? {
        match fs::read(root.join(&path)) {
            Ok(bytes) => files.extend(text(bytes).map(|text| TextFile::new(path, text))),
            // Deleted, but not yet in the index.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
        }
    }
    Ok(files)
}

/// The paths of the repository's files, tracked ones and new ones.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot start git")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let listing = String::from_utf8(output.stdout).context("a path is not UTF-8")?;
    let mut paths: Vec<String> =
        listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_not_text() {
        assert_eq!(text(b"plain".to_vec()).as_deref(), Some("plain"));
        assert_eq!(text(vec![b'a', 0]), None);
        assert_eq!(text(vec![0xff, 0xfe]), None);
    }

    #[test]
    fn this_file_is_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files = read(root).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/tree.rs"));
    }
}
