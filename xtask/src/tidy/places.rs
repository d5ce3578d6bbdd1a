//! Rule: no text names a folder of somebody's machine or the host of a package registry.

use super::text_file::TextFile;
use super::violation::Violation;

// Spliced, so that this file does not break its own rule.
const FOLDERS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
const HOSTS: [&str; 5] = [
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("registry.", "npmjs.org"),
    concat!("deb.", "debian.org"),
];

/// Checks any text file.
pub(crate) fn check(file: &TextFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, text) in file.lines() {
        for folder in FOLDERS.iter().filter(|folder| text.contains(*folder)) {
            let message = format!("`{folder}` is a path of one machine: use a relative path");
            found.push(Violation::new(&file.path, line, message));
        }
        for host in HOSTS.iter().filter(|host| text.contains(*host)) {
            let message = format!("`{host}`: the client knows its registry, do not name it");
            found.push(Violation::new(&file.path, line, message));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_found_in_any_file() {
        for place in FOLDERS.iter().chain(&HOSTS) {
            for path in [".ci/run", "Cargo.lock", "README.md", "a.rs"] {
                let found = check(&TextFile::new(path, format!("one\nsee {place}x\n")));
                assert_eq!(found.len(), 1, "{place} in {path}");
                assert_eq!(found[0].line, 2);
            }
        }
    }

    #[test]
    fn relative_paths_and_sites_are_fine() {
        let text = "crates/kern, work/x, ~/data, https://crates.io/crates/kern, /usr/bin/env\n";
        assert_eq!(check(&TextFile::new("README.md", text)), []);
    }
}
