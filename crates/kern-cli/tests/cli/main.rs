//! The program, as people run it.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod endings;
mod honest;
mod mistakes;
mod report;
mod roads;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of files, and the program in it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn kern(&self, arguments: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_kern"));
        program.args(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Standard output of a run that ends well.
    fn answers(&self, arguments: &[&str]) -> String {
        let output = self.kern(arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Standard error of a run that ends with this code.
    fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.kern(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }
}

/// A data set that comes with the project.
fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    folder.join(name).display().to_string()
}

/// A number of a JSON object.
fn number(text: &str, name: &str) -> f64 {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    value[name].as_f64().unwrap()
}
