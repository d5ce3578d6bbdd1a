//! Typical mistakes of users: the compiler rejects them, and its message names the remedy.
//!
//! Each program in `mistakes` must not compile, and the message must contain the texts of its lines
//! `//~ text`: hints of kern (`diagnostic::on_unimplemented`), or words of the compiler where these
//! suffice. `none.rs` compiles; it selects a build of kern among those next to this test, which may
//! have other features. Programs are compiled without code, with the compiler that built the test.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs};

/// A build of kern and the folder of its dependencies.
struct Kern {
    library: PathBuf,
    dependencies: PathBuf,
}

impl Kern {
    /// The newest build with which a program compiles.
    fn newest(program: &Path, out: &Path) -> Self {
        let dependencies = env::current_exe().unwrap().parent().unwrap().to_path_buf();
        let mut libraries: Vec<PathBuf> =
            files(&dependencies, "rlib").into_iter().filter(|path| is_kern(path)).collect();
        libraries.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
        let mut messages = Vec::new();
        for library in libraries.into_iter().rev() {
            let kern = Self { library, dependencies: dependencies.clone() };
            match kern.compile(program, out) {
                Ok(()) => return kern,
                Err(message) => messages.push(message),
            }
        }
        let folder = dependencies.display();
        panic!("no libkern-*.rlib in {folder} compiles a right program\n{}", messages.join("\n"))
    }

    /// # Errors
    /// The message of the compiler.
    fn compile(&self, program: &Path, out: &Path) -> Result<(), String> {
        let dependencies = format!("dependency={}", self.dependencies.display());
        let library = format!("kern={}", self.library.display());
        let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(compiler)
            .args(["--edition", "2024", "--crate-type", "bin", "--crate-name", "program"])
            .args(["--emit", "metadata", "-A", "warnings", "-L", &dependencies])
            .args(["--extern", &library, "-o"])
            .arg(out.join("program.rmeta"))
            .arg(program)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(message) }
    }
}

fn is_kern(library: &Path) -> bool {
    library.file_name().unwrap().to_str().is_some_and(|name| name.starts_with("libkern-"))
}

/// The files in a folder whose names have this extension, by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|given| given == extension)).collect();
    files.sort();
    files
}

/// The texts that the message about a program lacks; none if it is as it should be.
fn lacking(program: &Path, message: Result<(), String>) -> Option<String> {
    let name = program.file_name().unwrap().display();
    let source = fs::read_to_string(program).unwrap();
    let texts: Vec<&str> =
        source.lines().filter_map(|line| line.trim().strip_prefix("//~ ")).collect();
    let Err(message) = message else { return Some(format!("{name} compiles")) };
    let lacking: Vec<&str> = texts.iter().copied().filter(|text| !message.contains(text)).collect();
    match (texts.is_empty(), lacking.is_empty()) {
        (true, _) => Some(format!("{name} has no line `//~ text`")),
        (false, true) => None,
        (false, false) => Some(format!("{name} lacks {lacking:#?} in\n{message}")),
    }
}

#[test]
fn messages_name_the_remedy() {
    let out = env::temp_dir().join(format!("kern-mistakes-{}", process::id()));
    fs::create_dir_all(&out).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let right = folder.join("none.rs");
    let kern = Kern::newest(&right, &out);
    let mistakes = files(&folder, "rs").into_iter().filter(|program| *program != right);
    let found: Vec<String> =
        mistakes.filter_map(|program| lacking(&program, kern.compile(&program, &out))).collect();
    fs::remove_dir_all(&out).unwrap();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}
